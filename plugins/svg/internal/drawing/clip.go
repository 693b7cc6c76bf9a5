package drawing

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// holderVerb is clip and mask: shapes move into a definition.
func holderVerb(name, typ, property, what string) verb {
	return verb{Verb: abi.Verb{
		Name: name, Category: "definitions", Min: 2, Max: -1,
		Syntax: name + " NAME REF… [for:REF,REF]", Brief: name + " NAME REF… [for:REF,REF] · " + what, Summary: what,
		Params:   []abi.Param{forParam()},
		Examples: []string{name + " round dot for:card"},
	}, Run: running(func(o *op) error {
		id := o.a.Text(0)
		list, err := o.placed(1, len(o.a.Positionals))
		if err != nil {
			return err
		}
		n, err := o.define(element{name: typ, attrs: [][2]string{{"id", id}}}, list, typ)
		if err != nil {
			return err
		}
		for _, c := range list {
			if n.Within(c) {
				return pdk.Errorf("%s lies in %s", o.f.name(n), o.f.name(c))
			}
			if err := o.reparent(c, n); err != nil {
				return err
			}
		}
		o.touch(n)
		used, err := o.apply(id, property)
		if err != nil {
			return err
		}
		o.Created("%s %s of %s%s", name, o.f.name(n), o.f.names(list), used)
		return nil
	})}
}

func clipVerb() verb {
	return holderVerb("clip", "clipPath", "clip-path", "shapes become the only part that is seen of what has it")
}

func maskVerb() verb {
	return holderVerb("mask", "mask", "mask", "shapes become what shows what has it: white all, black nothing")
}
