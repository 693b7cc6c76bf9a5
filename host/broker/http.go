package broker

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/capability/web"
	"github.com/fcp-host/fcp-host/host/domain"
)

// endpoint is a client of a granted server, with what it was made from.
type endpoint struct {
	base   string
	ca     string
	values map[string]string // of its variables
	client *web.Client
}

// client returns the client of a granted http want. It makes a new one after a variable or the grant changed.
func (w *world) client(want *abi.Want, g *Grant) (*web.Client, error) {
	names, err := web.Variables(g.base(want), headersOf(want))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be used: %s", want.Key(), printableLine(err.Error(), maxShown))
	}
	if err := checkNamed(w.d.Name(), want, g.Variables); err != nil {
		return nil, unusableGrant(want, err)
	}
	values := make(map[string]string, len(names))
	for _, name := range names {
		if values[name], err = w.b.value(name); err != nil {
			if v, unread := w.b.o.Lookup(name); v == "" && unread == nil && web.OptionalVariable(g.base(want), headersOf(want), name) {
				continue
			}
			return nil, unusableGrant(want, err)
		}
	}
	lookup := func(name string) (string, bool) { v, ok := values[name]; return v, ok }
	w.mu.Lock()
	defer w.mu.Unlock()
	old := w.http[want.Name]
	if old != nil && old.base == g.base(want) && old.ca == string(g.CA) && maps.Equal(old.values, values) {
		return old.client, nil
	}
	e, err := web.NewEndpoint(want.Name, g.base(want), headersOf(want), web.Options{Lookup: lookup, Configured: g.Base != "", CA: g.CA})
	if err != nil {
		return nil, fmt.Errorf("%s is granted, but cannot be used: %s", want.Key(), printableLine(err.Error(), maxShown))
	}
	w.b.hideSecrets(w.d.Build+" "+want.Key(), e)
	c := web.NewClient(e, w.b.o.Resolver)
	w.http[want.Name] = &endpoint{g.base(want), string(g.CA), values, c}
	if old != nil {
		old.client.Close()
	}
	return c, nil
}

// unusableGrant says that a want is granted, but cannot be used because of err.
func unusableGrant(want *abi.Want, err error) error {
	return fmt.Errorf(domain.Needs+"%s, which is granted, and %w", want.Key(), err)
}

func (w *world) usableHTTP(want *abi.Want, g *Grant) error {
	if _, err := w.client(want, g); err != nil {
		return err
	}
	for _, name := range want.Settings {
		if _, err := w.setting(name); err != nil {
			return unusableGrant(want, err)
		}
	}
	return nil
}

// doHTTP sends a request to a granted server.
func (w *world) doHTTP(ctx context.Context, a domain.Asker, r *abi.Request, room *web.Room) abi.Outcome {
	key := (&abi.Want{Kind: abi.WantHTTP, Name: r.HTTP.Endpoint}).Key()
	want := w.want(key)
	if want == nil || want.Kind != abi.WantHTTP {
		return refusal("the manifest does not list http:%s", printableLine(r.HTTP.Endpoint, maxShown))
	}
	g, err := w.usable(want)
	if err != nil {
		return refusal("%v", err)
	}
	if a.ReadOnly {
		switch {
		case !want.Reads:
			return refusal("a call that only reads may not use %s: its manifest does not set reads", key)
		case g.NoReads:
			return refusal("a call that only reads may not use %s: its grant has reads = false", key)
		}
	}
	if len(g.Methods) > 0 && !slices.Contains(g.Methods, r.HTTP.Method) {
		return refusal("the grant of %s does not allow the method %s, only %s", key, printableLine(r.HTTP.Method, 20), strings.Join(g.Methods, ", "))
	}
	c, err := w.client(want, g)
	if err != nil {
		return refusal("%v", err)
	}
	resp, f := c.Do(ctx, web.Request{Method: r.HTTP.Method, Path: r.HTTP.Path, Query: pairs(r.HTTP.Query), Headers: pairs(r.HTTP.Headers), Body: r.HTTP.Body, Room: room}, a.ReadOnly)
	if f != nil {
		text := f.Text
		if f.Sent && r.HTTP.Method != "GET" && r.HTTP.Method != "HEAD" {
			text = f.Error() // includes what is known of its effect
		}
		return failure(f.Kind, f.Sent, text)
	}
	out := &abi.HTTPResponse{Status: resp.Status, Body: resp.Body, Headers: make([]abi.KeyValue, len(resp.Headers))}
	for i, h := range resp.Headers {
		out.Headers[i] = abi.KeyValue{Key: h.Key, Value: h.Value}
	}
	return abi.Outcome{HTTP: out}
}

func pairs(list []abi.KeyValue) []web.KeyValue {
	if len(list) == 0 {
		return nil
	}
	out := make([]web.KeyValue, len(list))
	for i, kv := range list {
		out[i] = web.KeyValue{Key: kv.Key, Value: kv.Value}
	}
	return out
}

// unset means that the server is unknown, because a variable has no value.
type unset struct{ error }

// originOf returns the origin that the requests of a want now go to, and the variables that it uses.
func originOf(want *abi.Want, g *Grant, value func(string) (string, error)) (origin string, variables []string, err error) {
	if _, err = web.Variables(g.base(want), headersOf(want)); err != nil {
		return "", nil, err
	}
	variables = g.variables(want)
	base, configured := g.base(want), g != nil && g.Base != ""
	if name, path, ok := web.BaseVariable(base); ok {
		v, err := value(name)
		if err != nil {
			return "", variables, &unset{err}
		}
		base, configured = web.Below(v, path), true
	}
	e, err := web.NewEndpoint(want.Name, base, nil, web.Options{Configured: configured})
	if err != nil {
		if base != g.base(want) { // err contains the variable's value
			return "", variables, fmt.Errorf("%s is not a base URL for requests", g.base(want))
		}
		return "", variables, err
	}
	return e.Origin, variables, nil
}
