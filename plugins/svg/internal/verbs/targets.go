package verbs

import (
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// named returns the elements that the op's positionals from..to name.
func (o *op) named(from, to int, exact bool) (out []*node, err error) {
	words := o.a.Texts(from)
	for i, w := range words[:max(0, min(len(words), to-from))] {
		list, err := o.f.FindAll(w, exact)
		if err != nil {
			return nil, o.explainWord(err, from+i)
		}
		out = append(out, list...)
	}
	return model.Union(out, nil), nil
}

// targets returns the elements that an op is about: those that its positionals from..to name, and then those that its
// selectors match.
func (o *op) targets(from, to int, exact bool) ([]*node, error) {
	out, err := o.named(from, to, exact)
	if err != nil {
		return nil, err
	}
	if len(o.a.Selectors) > 0 {
		list, err := o.f.Selected(o.Recent, o.a.Selectors, exact)
		return model.Union(out, list), err
	}
	if len(out) == 0 {
		return nil, pdk.Errorf("%s needs an element: an id, or selectors such as @type:rect", o.a.Verb)
	}
	return out, nil
}

// marks returns the elements whose looks an op changes: its targets, but of those that selectors match only those
// without others of them inside, unless a selector asks for their type.
func (o *op) marks(from, to int) ([]*node, error) {
	if len(o.a.Selectors) == 0 || slices.ContainsFunc(o.a.Selectors, func(s abi.Select) bool { return s.Type == "type" && !s.Negated }) {
		return o.targets(from, to, false)
	}
	named, err := o.named(from, to, false)
	if err != nil {
		return nil, err
	}
	list, err := o.f.Selected(o.Recent, o.a.Selectors, false)
	return model.Union(named, model.Leaves(list)), err
}

// all returns the op's targets, with all positionals as names.
func (o *op) all(exact bool) ([]*node, error) { return o.targets(0, len(o.a.Positionals), exact) }

// movableTargets returns targets to be moved. It drops elements inside others of them,
// and refuses the root and elements without a position.
func (o *op) movableTargets(from, to int) ([]*node, error) {
	list, err := o.targets(from, to, false)
	if err != nil {
		return nil, err
	}
	list = model.Tops(list)
	for _, n := range list {
		if n == o.f.Root {
			return nil, pdk.Errorf("%s cannot be moved as a whole: canvas and fit change what it shows", o.f.Ref(n))
		}
		if !scene.Draws(o.f.Type(n)) {
			return nil, pdk.Errorf("%s is a %s, which has no place of its own", o.f.Ref(n), o.f.Type(n))
		}
	}
	return list, nil
}
