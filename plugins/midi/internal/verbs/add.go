package verbs

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// ownKey maps a key of the universal verb add to the domain's key.
func ownKey(key string) string {
	switch key {
	case "duration", "length":
		return "dur"
	case "velocity":
		return "vel"
	case "channel":
		return "ch"
	case "position":
		return "at"
	}
	return key
}

// added holds the action word to insert for verbs that have several actions.
var added = map[string]string{"track": "add", "bars": "insert"}

// addVerb makes the universal `add WHAT …`, which runs the verb WHAT, one of verbs.
func addVerb(verbs []verb) verb {
	var makes []verb
	var names []string
	for _, v := range verbs {
		if v.Category != "Edit" {
			makes, names = append(makes, v), append(names, v.Name)
		}
	}
	return verb{Verb: abi.Verb{
		Name: "add", Category: "Notes", Syntax: "add note TRACK PITCH… [at:POS] [dur:DUR] [vel:V] [ch:N] | add chord|track|cc|tempo|time-sig|key-sig|marker|section|… …",
		Brief:    "add note|chord|track|… [on:TRACK]",
		Summary:  "another spelling of the verb that follows; on:TRACK names its track",
		Params:   []abi.Param{{Key: "at", Value: "POS"}, {Key: "dur", Value: "DUR"}, args.VelKey.Param(), args.ChKey.Param(), {Key: "on", Value: "TRACK"}},
		AnyParam: true, Select: true, Min: 2, Max: -1,
		Examples: []string{"add note Piano C4 at:1.1 dur:half vel:mf", "add chord Am7 on:Piano at:4.1", "add track Piano"},
	}, Run: func(c *ctx, a pdk.Args) error {
		what := strings.ToLower(a.Text(0))
		if i := slices.Index(names, what); i >= 0 {
			return makes[i].Run(c, pdk.Must(respell(a, &makes[i])))
		}
		e := pdk.Errorf("add %q: it adds %s", a.Text(0), strings.Join(names, ", "))
		if _, err := c.Model.FindTrack(a.Text(0), false); err != nil {
			return args.InsteadAt(e, a, 0, near.Word(what, names)...)
		}
		var ops []pdk.Args // ops that add notes or chords to a track
		for _, kind := range []string{"note", "chord"} {
			ops = append(ops, a.With(pdk.WithWords(0, 0, kind)))
		}
		return args.Suggest(e, ops...)
	}}
}

// respell turns `add WHAT …` into the op of the verb WHAT, and checks it as the host
// checks ops.
func respell(a pdk.Args, v *verb) (pdk.Args, error) {
	if len(a.Selectors) > 0 && !v.Select {
		return a, pdk.Errorf("%s takes no selectors; it reads: %s", v.Name, v.Syntax)
	}
	op := &abi.Op{Verb: v.Name, Raw: a.Raw, Positionals: slices.Clone(a.Positionals[1:]), Selectors: a.Selectors}
	if word := added[v.Name]; word != "" {
		op.Positionals = append([]abi.Positional{{Text: word}}, op.Positionals...)
	}
	keys := make([]string, len(v.Params))
	for i, k := range v.Params {
		keys[i] = k.Key
	}
	for _, p := range a.Params {
		if (p.Key == "on" || p.Key == "track" && !slices.Contains(keys, "track")) && strings.HasPrefix(v.Syntax, v.Name+" TRACK") {
			track := abi.Positional{Text: strings.TrimPrefix(p.Value, "track:"), Quoted: true}
			op.Positionals = append([]abi.Positional{track}, op.Positionals...)
			continue
		}
		own := ownKey(strings.ToLower(p.Key))
		if !v.AnyParam && !slices.Contains(keys, own) {
			e := pdk.Errorf("%s takes no %s:; it reads: %s", v.Name, p.Key, v.Syntax)
			if list := near.Word(own, keys); list != nil && !a.Has(list[0]) {
				return a, args.Suggest(e, a.With(pdk.WithKey(p.Key, list[0])))
			}
			return a, args.Suggest(e, a.With(pdk.Without(p.Key)))
		}
		op.Params = append(op.Params, abi.KeyValue{Key: own, Value: p.Value})
	}
	if n := len(op.Positionals); n < v.Min || v.Max >= 0 && n > v.Max {
		return a, pdk.Errorf("add %s: it reads: %s", v.Name, v.Syntax)
	}
	return pdk.Args{Op: op}, nil
}
