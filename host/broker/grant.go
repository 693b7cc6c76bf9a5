package broker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/capability/web"
	"github.com/fcp-host/fcp-host/host/domain"
)

// Grant is a want of a domain that was granted, and what narrows it.
type Grant struct {
	Want string // KIND:NAME
	By   string // where it comes from: "--grant", "fcp-host.toml", …

	Shipped bool // the host ships it; it applies unless the file of grants revokes it

	// For http.
	Variables []string // of other names than the domain's, whose values headers may send
	Base      string   // send requests here instead of to the manifest's URL; "" for the manifest's
	Methods   []string // allowed methods; empty for all
	NoReads   bool     // queries and other calls that only read may not use it
	CA        []byte   // PEM certificates that replace the system's
}

// ParseGrant reads DOMAIN=KIND:NAME, or DOMAIN=http:NAME,VARIABLE….
func ParseGrant(s string) (to string, g Grant, err error) {
	to, want, ok := strings.Cut(s, "=")
	if !ok || to == "" {
		return "", g, fmt.Errorf("%q: write it as DOMAIN=KIND:NAME, such as flowise=http:api", s)
	}
	g.Want, g.Variables, err = parseWant(want)
	return to, g, err
}

// parseWant reads a key and the variables that a grant names after it.
func parseWant(s string) (key string, variables []string, err error) {
	key, list, named := strings.Cut(s, ",")
	if err := checkKey(key); err != nil {
		return "", nil, err
	}
	if named {
		variables = strings.Split(list, ",")
	}
	for _, name := range variables {
		if _, _, ok := web.BaseVariable("${" + name + "}"); !ok || !strings.HasPrefix(key, abi.WantHTTP+":") {
			return "", nil, fmt.Errorf("%q: a grant of http may name variables, as in http:api,AWS_SECRET_ACCESS_KEY", s)
		}
	}
	return key, variables, nil
}

// foreignVariables returns the variables of a want's headers that are not the domain's own, so that a grant has to name them.
func foreignVariables(of string, w *abi.Want) []string {
	names, _ := web.Variables("", headersOf(w)) // usable reports malformed ones
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, domain.OwnVariables(of)) })
}

// Naming returns what grants a want of a domain: its key, with the variables that a grant has to name.
func Naming(of string, w *abi.Want) string {
	return strings.Join(append([]string{w.Key()}, foreignVariables(of, w)...), ",")
}

// checkNamed returns an error if a want's headers use variables that are neither the domain's own nor named.
func checkNamed(of string, w *abi.Want, named []string) error {
	for _, name := range foreignVariables(of, w) {
		if !slices.Contains(named, name) {
			return fmt.Errorf("it would send the value of %s, which is no variable of its own (%s…); a grant that allows this is written %s", name, domain.OwnVariables(of), Naming(of, w))
		}
	}
	return nil
}

// checkKey refuses a key that cannot be a granted want.
func checkKey(want string) error {
	kind, name, named := strings.Cut(want, ":")
	switch {
	case kind == abi.WantFolder && !named, (kind == abi.WantHTTP || kind == abi.WantProgram) && name != "":
		return nil
	case kind == abi.WantFolder || kind == abi.WantHTTP || kind == abi.WantProgram:
		return fmt.Errorf("%q: write it as http:NAME, program:NAME or folder", want)
	}
	return fmt.Errorf("%q: unknown kind; the kinds are http:NAME, program:NAME and folder", want)
}

// methods are the HTTP methods that a grant may name.
var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}

// TableGrant parses a grant from a table of the configuration. file reads a file that the table names.
func TableGrant(table map[string]any, file func(path string) ([]byte, error)) (g Grant, err error) {
	wrong := func(key, want string) error { return fmt.Errorf("grant %s: %s must be %s", g.Want, key, want) }
	text := func(key string, to *string) error {
		v, ok := table[key]
		if !ok {
			return nil
		}
		if *to, ok = v.(string); !ok {
			return wrong(key, "text in quotes")
		}
		return nil
	}
	if err := text("want", &g.Want); err != nil {
		return g, err
	}
	if g.Want, g.Variables, err = parseWant(g.Want); err != nil {
		return g, fmt.Errorf("grant: want %w", err)
	}
	for key := range table {
		if !slices.Contains([]string{"want", "base", "methods", "reads", "ca"}, key) || key != "want" && !strings.HasPrefix(g.Want, abi.WantHTTP+":") {
			return g, fmt.Errorf("grant %s: there is no setting %q; http has base, methods, reads and ca, other kinds have none", g.Want, key)
		}
	}
	if err := text("base", &g.Base); err != nil {
		return g, err
	}
	if v, ok := table["methods"]; ok {
		list, ok := v.([]any)
		if !ok || len(list) == 0 {
			return g, wrong("methods", "a list such as [\"GET\", \"POST\"]")
		}
		for _, m := range list {
			m, _ := m.(string)
			if !slices.Contains(methods, m) {
				return g, wrong("methods", "a list of "+strings.Join(methods, ", "))
			}
			g.Methods = append(g.Methods, m)
		}
	}
	if v, ok := table["reads"]; ok {
		reads, ok := v.(bool)
		if !ok {
			return g, wrong("reads", "true or false")
		}
		g.NoReads = !reads
	}
	var ca string
	if err := text("ca", &ca); err != nil || ca == "" {
		return g, err
	}
	if g.CA, err = file(ca); err != nil {
		return g, fmt.Errorf("grant %s: ca: %w", g.Want, err)
	}
	return g, nil
}

// base returns where the requests of a granted want go, as written: a URL or a variable. A path that the manifest
// appends to its variable is appended to the grant's URL, too.
func (g *Grant) base(w *abi.Want) string {
	if g != nil && g.Base != "" {
		_, path, _ := web.BaseVariable(w.Base)
		return web.Below(g.Base, path)
	}
	return w.Base
}

// variables returns the variables that a want's requests use under a grant, and those among its settings.
func (g *Grant) variables(w *abi.Want) []string {
	if w.Kind != abi.WantHTTP {
		return nil
	}
	names, _ := web.Variables(g.base(w), headersOf(w)) // usable reports malformed ones
	return append(names, w.Settings...)
}

func headersOf(w *abi.Want) []web.KeyValue {
	out := make([]web.KeyValue, len(w.Headers))
	for i, h := range w.Headers {
		out[i] = web.KeyValue{Key: h.Key, Value: h.Value}
	}
	return out
}
