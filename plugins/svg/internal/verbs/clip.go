package verbs

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// holderVerb makes the verb clip or mask, which moves shapes into a definition.
func holderVerb(name, typ, property, what string) verb {
	return verb{Keys: []pdk.Parameter{takers}, Verb: abi.Verb{
		Syntax: name + " NAME REF… [for:REF,REF]", Brief: name + " NAME REF… [for:REF,REF] · " + what, Summary: what,
		Category: "definitions", Examples: []string{name + " round dot for:card"},
	}, Run: running(func(o *op) error {
		list, err := o.movableTargets(1, len(o.a.Positionals))
		if err != nil {
			return err
		}
		return o.makeDef(element{name: typ, attrs: [][2]string{{"id", o.a.Text(0)}}}, property, list, 0, func(n *node, list []*node) string {
			return name + " " + o.f.Ref(n) + " of " + o.f.Refs(list)
		})
	})}
}

// pieces replaces groups by elements that a clip path may contain: shapes, texts, and
// uses of these.
func (o *op) pieces(list []*node) (out []*node, err error) {
	for _, n := range list {
		typ := o.f.Type(n)
		switch {
		case scene.Shape(typ), typ == "text":
			out = append(out, n)
		case typ == "use":
			if t := o.scene().Target(n); t != nil && !scene.Shape(o.f.Type(t)) && o.f.Type(t) != "text" {
				return nil, o.notClippable(n, "shows the "+o.f.Type(t)+" "+o.f.Ref(t))
			}
			out = append(out, n)
		case typ == "g", typ == "a":
			if users := o.f.Referrers(n.ID()); len(users) > 0 {
				return nil, o.notClippable(n, "is referred to by "+o.f.Refs(users))
			}
			if err := o.checkDissolvable(n); err != nil {
				return nil, err
			}
			kids, err := o.pieces(o.ungroup(n))
			if err != nil {
				return nil, err
			}
			out = append(out, kids...)
		default:
			return nil, o.notClippable(n, "is "+article(typ))
		}
	}
	return out, nil
}

// notClippable returns the error for an element that cannot be in a clip path.
func (o *op) notClippable(n *node, why string) error {
	return pdk.Errorf("%s %s, and a clip path holds only shapes and texts; a mask may hold anything, and shows where it is white", o.f.Ref(n), why).Try(o.a.Mended(func(op *abi.Op) { op.Verb = "mask" }))
}

func clipVerb() verb {
	return holderVerb("clip", "clipPath", "clip-path", "shapes limit which part of an element is visible")
}

func maskVerb() verb {
	return holderVerb("mask", "mask", "mask", "shapes set what shows of an element: white all, black nothing")
}
