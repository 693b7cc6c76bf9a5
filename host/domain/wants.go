package domain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/reply"
)

// maxReason bounds a plugin's text in a question to the user, in bytes.
const maxReason = 160

// checkWorld refuses a manifest with wants, resources, tools or schemes that cannot work, and cleans their texts.
func (d *Domain) checkWorld() error {
	m := d.Manifest
	wants, err := checkWants(m)
	if err != nil {
		return err
	}
	needs := func(what, name string, list []string) error {
		for _, w := range list {
			if !wants[w] {
				return fmt.Errorf("%s %s needs %s, which is not among the wants", what, quote(name), quote(w))
			}
		}
		return nil
	}
	if err := checkUses(m, needs); err != nil {
		return err
	}
	for i, e := range m.Media {
		if !isExtension(e) {
			return fmt.Errorf("media %s: write it as \".mp4\"", quote(e))
		}
		m.Media[i] = strings.ToLower(e)
	}
	for _, s := range m.Schemes {
		if !isWord(s) || len(s) < 2 || s != strings.Trim(s, "-_.") { // a single letter is a Windows drive
			return fmt.Errorf("scheme %s: use one lower-case word of two letters or more", quote(s))
		}
		if slices.Contains(openKeys, s) {
			return fmt.Errorf("scheme %s is a key of the host's own: choose another", quote(s))
		}
	}
	return d.checkTools(needs)
}

// checkWants refuses wants that this host does not understand, and returns the keys of the others.
func checkWants(m *abi.Manifest) (map[string]bool, error) {
	if len(m.Wants) > abi.MaxWants {
		return nil, fmt.Errorf("the manifest lists %d wants, the limit is %d", len(m.Wants), abi.MaxWants)
	}
	wants := map[string]bool{}
	for i := range m.Wants {
		w := &m.Wants[i]
		w.Reason = line(w.Reason, maxReason)
		if !isWord(w.Kind) || w.Name != "" && !isWord(w.Name) || (w.Name == "") != (w.Kind == abi.WantFolder) && isKnown(w.Kind) {
			return nil, fmt.Errorf("want %s: write it as http:NAME, program:NAME or folder", quote(w.Key()))
		}
		if wants[w.Key()] {
			return nil, fmt.Errorf("want %s is listed twice", quote(w.Key()))
		}
		wants[w.Key()] = true
		if err := checkSettings(m, w); err != nil {
			return nil, fmt.Errorf("want %s: %w", quote(w.Key()), err)
		}
	}
	if wants[abi.WantFolder] != (m.Folder != nil) {
		return nil, fmt.Errorf("the want folder requires the field folder, and the field the want")
	}
	if f := m.Folder; f != nil && (len(f.Include) == 0 || f.Marker != "" && (!isExtension(f.Marker) || strings.Contains(f.Marker[1:], "."))) {
		return nil, fmt.Errorf("folder: it needs patterns to include, and a marker is a name like \".notes\"")
	}
	return wants, nil
}

// checkUses refuses verbs, queries, actions and export formats whose wants are not listed, or whose resources are not
// complete. needs returns an error for a want that is not listed.
func checkUses(m *abi.Manifest, needs func(what, name string, list []string) error) error {
	resources := func(what, name string, list []abi.Resource) error { return checkResources(what, name, list, needs) }
	for i := range m.Verbs {
		if err := resources("verb", m.Verbs[i].Name, m.Verbs[i].Resources); err != nil {
			return err
		}
	}
	if err := resources("action", "new", m.NewResources); err != nil {
		return err
	}
	for i := range m.Queries {
		if err := needs("query", m.Queries[i].Name, m.Queries[i].Wants); err != nil {
			return err
		}
	}
	for i := range m.Session {
		s := &m.Session[i]
		if err := needs("session action", s.Name, s.Wants); err != nil {
			return err
		}
		if err := resources("session action", s.Name, s.Resources); err != nil {
			return err
		}
	}
	for i := range m.Exports {
		if err := needs("export format", m.Exports[i].Name, m.Exports[i].Wants); err != nil {
			return err
		}
	}
	return nil
}

// checkResources refuses resources that are not complete.
func checkResources(what, name string, list []abi.Resource, needs func(what, name string, list []string) error) error {
	for i := range list {
		r := &list[i]
		ok := (r.Key == "") != (r.Position == 0) && r.Position >= -1 && r.Position <= 64
		for _, e := range r.Accept {
			ok = ok && isExtension(e)
		}
		switch r.Kind {
		case abi.ResourceBytes, abi.ResourceFile, abi.ResourceDocument:
			ok = ok && r.Want == ""
		case abi.ResourceProbe:
			ok = ok && strings.HasPrefix(r.Want, abi.WantProgram+":")
		case abi.ResourceFetch:
			ok = ok && strings.HasPrefix(r.Want, abi.WantHTTP+":") && slices.ContainsFunc(r.Path, func(s string) bool { return strings.Contains(s, "{}") })
		default:
			return fmt.Errorf("%s %s has a resource of the unknown kind %s", what, quote(name), quote(r.Kind))
		}
		if !ok {
			return fmt.Errorf("%s %s: its resource %d is not complete: it needs a key or a position, and endings with their dot; a probe needs a program want, and a fetch an http want and a path with {}", what, quote(name), i+1)
		}
		if r.Want != "" {
			if err := needs(what, name, []string{r.Want}); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxSettings is the number of settings that one want may ask for.
const maxSettings = 8

// secretive lists parts of names of variables that may hold secrets, which a guest never gets.
var secretive = []string{"KEY", "TOKEN", "SECRET", "PASS", "PWD", "CRED", "AUTH", "PRIVATE", "SESSION", "COOKIE", "URL", "URI", "DSN"}

// checkSettings refuses settings that are not the want's own variables, or that may hold secrets.
func checkSettings(m *abi.Manifest, w *abi.Want) error {
	if len(w.Settings) > maxSettings || len(w.Settings) > 0 && w.Kind != abi.WantHTTP {
		return fmt.Errorf("settings are for http wants, at most %d of each", maxSettings)
	}
	own := OwnVariables(m.Domain)
	for _, name := range w.Settings {
		switch {
		case !strings.HasPrefix(name, own) || name == own || len(name) > maxWord || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "":
			return fmt.Errorf("setting %s: its name must be %s followed by A-Z, 0-9 and _", quote(name), own)
		case slices.ContainsFunc(secretive, func(part string) bool { return strings.Contains(name[len(own):], part) }):
			return fmt.Errorf("setting %s sounds like a secret: a header may use it, but a guest does not get it", quote(name))
		case slices.ContainsFunc(m.Wants, func(w abi.Want) bool { return mentions(&w, name) }):
			return fmt.Errorf("setting %s is used in requests, so a guest does not get it", quote(name))
		}
	}
	return nil
}

// OwnVariables returns what the names of a domain's own variables begin with, such as FLOWISE_.
func OwnVariables(domain string) string {
	return strings.ToUpper(strings.ReplaceAll(domain, "-", "_")) + "_"
}

// mentions reports whether the requests of a want use a variable.
func mentions(w *abi.Want, name string) bool {
	has := func(s string) bool { return strings.Contains(s, "${"+name+"}") || strings.Contains(s, "${"+name+":-}") }
	return has(w.Base) || slices.ContainsFunc(w.Headers, func(h abi.KeyValue) bool { return has(h.Value) })
}

// openKeys are words that may stand before a colon in `open` and are therefore not schemes.
var openKeys = []string{"as", "path", "with", "to", "document", "file", "http", "https"}

// isKnown reports whether this host can grant wants of the kind.
func isKnown(kind string) bool {
	return kind == abi.WantHTTP || kind == abi.WantProgram || kind == abi.WantFolder
}

func (d *Domain) checkTools(needs func(what, name string, list []string) error) error {
	m := d.Manifest
	if len(m.Tools) > abi.MaxTools {
		return fmt.Errorf("the manifest lists %d tools, the limit is %d", len(m.Tools), abi.MaxTools)
	}
	seen := map[string]bool{}
	for i := range m.Tools {
		t := &m.Tools[i]
		t.Title, t.Description = line(t.Title, maxWord), prefixToolLines(m.Domain, reply.Mark(m.Domain, text(t.Description, abi.MaxError)))
		switch {
		case !isToolName(t.Name) || likeTool(t.Name):
			return fmt.Errorf("tool %s: use 1 to %d of a-z, 0-9, - and _, a letter first, and not a name of the host", quote(t.Name), maxWord)
		case seen[t.Name]:
			return fmt.Errorf("tool %s is listed twice", quote(t.Name))
		case t.On != "" && t.On != abi.OnDocument && t.On != abi.OnFolder:
			return fmt.Errorf("tool %s works on %s: use document, folder or nothing", quote(t.Name), quote(t.On))
		case t.On == abi.OnFolder && (m.Folder == nil || m.Folder.Marker == ""):
			return fmt.Errorf("tool %s works on a folder, and the manifest has no folder with a marker", quote(t.Name))
		case len(t.InputSchema) == 0 || len(t.InputSchema) > abi.MaxSchema || len(t.OutputSchema) > abi.MaxSchema:
			return fmt.Errorf("tool %s: it needs an input schema, and a schema has at most %d bytes", quote(t.Name), abi.MaxSchema)
		case t.Rate != nil && (t.Rate.PerMinute < 1 || t.Rate.Burst < 0):
			return fmt.Errorf("tool %s: its rate is one call a minute at least", quote(t.Name))
		}
		seen[t.Name] = true
		for _, c := range t.Codes {
			if c >= -32768 && c <= -32000 && c != invalidParams || c == 0 || int(int32(c)) != c {
				return fmt.Errorf("tool %s: the error code %d belongs to JSON-RPC, or is none", quote(t.Name), c)
			}
		}
		for _, c := range []int{t.Stale, t.Locked} {
			if c != 0 && (!slices.Contains(t.Codes, c) || t.On != abi.OnFolder) {
				return fmt.Errorf("tool %s: the error code %d is none of its codes, or it works on no folder", quote(t.Name), c)
			}
		}
		if err := needs("tool", t.Name, t.Wants); err != nil {
			return err
		}
	}
	for _, need := range []struct {
		lists  bool
		what   string
		export string
	}{
		{len(m.Tools) > 0, "tools", abi.ExportTool},
		{len(m.Schemes) > 0, "schemes", abi.ExportFetch},
	} {
		if need.lists && !d.exports(need.export) {
			return fmt.Errorf("the manifest lists %s, and the module does not export %s as () -> i32", need.what, need.export)
		}
	}
	for i := range m.Commands {
		c := &m.Commands[i]
		c.Syntax, c.Summary, c.Text = line(c.Syntax, abi.MaxSummary), line(c.Summary, abi.MaxSummary), line(c.Text, abi.MaxSummary)
		words := strings.Split(c.Name, " ")
		own := c.Kind == abi.CommandClean || c.Kind == abi.CommandUpgrade
		if len(words) > 3 || slices.ContainsFunc(words, func(w string) bool { return !isToolName(w) }) ||
			!own && (c.Kind != abi.TryOp && c.Kind != abi.TryQuery && c.Kind != abi.TryAction || c.Text == "") {
			return fmt.Errorf("command %s: it needs a name of one to three lower-case words, and an op, query or action to run", quote(c.Name))
		}
		if !slices.Contains([]string{"", abi.AnswerCopy, abi.AnswerWatch, abi.AnswerPick}, c.Answer) || c.Answer != "" && c.Kind != abi.TryQuery {
			return fmt.Errorf("command %s: the answer of a query may be copied, watched or picked from, not %s", quote(c.Name), quote(c.Answer))
		}
		if c.Into != "" && (c.Answer != abi.AnswerCopy && c.Answer != abi.AnswerWatch || strings.ContainsAny(c.Into, `/\`) || c.Into[0] == '.' || m.Folder == nil || m.Folder.Marker == "") {
			return fmt.Errorf("command %s: what is copied may go into a file of the marker's folder, not %s", quote(c.Name), quote(c.Into))
		}
	}
	return nil
}

// isToolName reports whether every client accepts s as the name of a tool.
func isToolName(s string) bool {
	return s != "" && len(s) <= maxWord && s[0] >= 'a' && s[0] <= 'z' &&
		!strings.ContainsFunc(s, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-') })
}
