package style

import (
	"strconv"
)

// switchable returns the change for a flag: with true for the flag itself, with false for its "no-" form.
type switchable func(yes bool) func(Style, Target) Style

// always makes a flag without a "no-" form.
func always(do func(Style) Style) switchable {
	return func(bool) func(Style, Target) Style {
		return func(s Style, _ Target) Style { return do(s) }
	}
}

// setFlag sets a key to on or off; if off is empty it removes the key instead.
func setFlag(key, on, off string) switchable {
	return func(yes bool) func(Style, Target) Style {
		return func(s Style, _ Target) Style {
			if yes {
				return s.Set(key, on)
			}
			if off == "" {
				return s.Drop(key)
			}
			return s.Set(key, off)
		}
	}
}

// fontFlag sets or clears a bit of fontStyle.
func fontFlag(bit int) switchable {
	return func(yes bool) func(Style, Target) Style {
		return func(s Style, _ Target) Style {
			v, _ := s.Get("fontStyle")
			n, _ := strconv.Atoi(v)
			if n &^= bit; yes {
				n |= bit
			}
			return s.Set("fontStyle", strconv.Itoa(n))
		}
	}
}

// routeAs replaces the routing of an edge by the given keys and values, even if a layout made the edge
// straight.
func routeAs(pairs ...string) func(Style) Style {
	return func(s Style) Style {
		s = s.Drop("curved").Drop("edgeStyle").Drop("noEdgeStyle")
		for i := 0; i < len(pairs); i += 2 {
			s = s.Set(pairs[i], pairs[i+1])
		}
		return s
	}
}

// dashes returns a flag for a dashed line; its "no-" form makes the line solid.
func dashes(do func(Style) Style) switchable {
	return func(yes bool) func(Style, Target) Style {
		return func(s Style, _ Target) Style {
			if !yes {
				return solid(s)
			}
			return do(s)
		}
	}
}

func solid(s Style) Style { return s.Drop("dashed").Drop("dashPattern") }

// flags returns the changes named by a single word.
func flags() map[string]change {
	out := map[string]change{}
	add := func(name string, fits Target, negatable bool, do switchable) {
		out[name] = change{name, fits, do(true)}
		if negatable {
			out["no-"+name] = change{"no-" + name, fits, do(false)}
		}
	}
	add("bold", Vertex|Edge, true, fontFlag(1))
	add("italic", Vertex|Edge, true, fontFlag(2))
	add("underline", Vertex|Edge, true, fontFlag(4))
	add("rounded", Vertex|Edge, true, setFlag("rounded", "1", "0"))
	add("shadow", Vertex|Edge, true, setFlag("shadow", "1", ""))
	add("thick", Vertex|Edge, true, setFlag("strokeWidth", "3", ""))
	add("dashed", Vertex|Edge, true, dashes(func(s Style) Style { return s.Set("dashed", "1").Drop("dashPattern") }))
	add("dotted", Vertex|Edge, true, dashes(func(s Style) Style { return s.Set("dashed", "1").Set("dashPattern", "1 3") }))
	add("solid", Vertex|Edge, false, always(solid))
	add("curved", Edge, true, func(yes bool) func(Style, Target) Style {
		if yes {
			return always(routeAs("edgeStyle", "orthogonalEdgeStyle", "curved", "1"))(true)
		}
		return func(s Style, _ Target) Style { return s.Drop("curved") }
	})
	add("straight", Edge, false, always(routeAs()))
	add("orthogonal", Edge, false, always(routeAs("edgeStyle", "orthogonalEdgeStyle")))
	add("elbow", Edge, false, always(routeAs("edgeStyle", "elbowEdgeStyle")))
	add("er", Edge, false, always(routeAs("edgeStyle", "entityRelationEdgeStyle")))
	for _, r := range relations() {
		add(r.name, Edge, false, always(func(s Style) Style {
			s, _ = WithRelation(s, r.name)
			return s
		}))
	}
	return out
}
