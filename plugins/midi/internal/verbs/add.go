package verbs

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// ownKey is our key for one of the universal spelling.
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

// addVerb is the universal `add WHAT …`, which reads like the verb WHAT.
func addVerb(verbs []verb) verb {
	return verb{Verb: abi.Verb{
		Name: "add", Category: "Edit", Syntax: "add note|chord|track|cc|tempo|time-sig|key-sig|marker|section … [on:TRACK]",
		Brief:   "add note|chord|track|cc|tempo|marker|… [on:TRACK duration: velocity:] · as that verb",
		Summary: "another spelling of the verb that follows; on:TRACK may stand for its track", AnyParam: true, Select: true, Min: 2, Max: -1,
		Examples: []string{"add note Piano C4 at:1.1", "add note C#5 on:Piano at:4.1 duration:eighth velocity:90", "add track Piano"}, Hidden: true,
	}, Run: func(c *ctx, a pdk.Args) error {
		what := strings.ToLower(a.Text(0))
		for i := range verbs {
			v := &verbs[i]
			if v.Name != what || v.Category == "Edit" {
				continue
			}
			op, err := respell(a, v)
			if err != nil {
				return err
			}
			return v.Run(c, pdk.Args{Op: op})
		}
		return insteadAt(pdk.Errorf("add %q: it adds note, chord, track, cc, tempo, time-sig, key-sig, marker, section", a.Text(0)), a, 0, "note")
	}}
}

// respell turns `add WHAT …` into the op of the verb WHAT, and checks it as
// the host checks ops.
func respell(a pdk.Args, v *verb) (*abi.Op, error) {
	if len(a.Selectors) > 0 && !v.Select {
		return nil, suggest(pdk.Errorf("%s takes no selectors; it reads: %s", v.Name, v.Syntax), withSelectors(a).Op)
	}
	op := &abi.Op{Verb: v.Name, Raw: a.Raw, Positionals: append([]abi.Positional(nil), a.Positionals[1:]...), Selectors: a.Selectors}
	if v.Name == "track" {
		op.Positionals = append([]abi.Positional{{Text: "add"}}, op.Positionals...)
	}
	onTrack := v.Name == "note" || v.Name == "chord" || v.Name == "cc"
	for _, p := range a.Params {
		if p.Key == "on" && onTrack {
			track := abi.Positional{Text: strings.TrimPrefix(p.Value, "track:"), Quoted: true}
			op.Positionals = append([]abi.Positional{track}, op.Positionals...)
			continue
		}
		p.Key = ownKey(p.Key)
		known := v.AnyParam
		for _, k := range v.Params {
			known = known || k.Key == p.Key
		}
		if !known {
			return nil, instead(pdk.Errorf("%s takes no %s:; it reads: %s", v.Name, p.Key, v.Syntax), a, p.Key, "")
		}
		op.Params = append(op.Params, p)
	}
	if n := len(op.Positionals); n < v.Min || v.Max >= 0 && n > v.Max {
		return nil, pdk.Errorf("add %s: it reads: %s", v.Name, v.Syntax).Tryf("%s", v.Examples[0])
	}
	return op, nil
}
