package verbs

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
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
		if !svgdom.Draws(n.Type) {
			return nil, pdk.Errorf("%s is a %s, which has no place of its own", o.f.Ref(n), n.Type)
		}
	}
	return list, nil
}

// explainWord adds suggestions to the error for word i of an op, which does not name an
// element. They depend on what the word probably is: a type or class, a colour, a
// property with its value, a position or a new id.
func (o *op) explainWord(err error, i int) error {
	bad, ok := err.(*pdk.Error)
	if !ok {
		return err
	}
	words := o.a.Texts(0)
	w, last, alone := words[i], i == len(words)-1, len(words) == 1
	var tries []string
	try := func(changes ...pdk.Change) { tries = append(tries, o.a.Mended(changes...)) }
	if class, ok := strings.CutPrefix(w, "."); ok && alone && model.AnyWithin(o.f.Root, func(n *node) bool { return n.HasClass(class) }) {
		try(pdk.WithoutWord(i), pdk.WithSelector("class", class))
	}
	if alone && (o.f.Count(w) > 0 || w == "group" && o.f.Count("g") > 0) {
		try(pdk.WithoutWord(i), pdk.WithSelector("type", w))
	}
	if alone && w == "all" {
		try(pdk.WithoutWord(i), pdk.WithSelector("all", ""))
	}
	switch o.a.Verb {
	case "style", "modify":
		if i == 0 && len(words) == 2 && isColor(w) && isColor(words[1]) && o.a.Verb == "style" {
			try(pdk.WithWords(0, 2), pdk.WithParam("from", w), pdk.WithParam("to", words[1]))
		} else if p, ok := property(w); ok && i > 0 && i == len(words)-2 {
			if _, err := propertyValue(o.f, p, words[i+1]); err == nil {
				try(pdk.WithWords(i, 2), pdk.WithParam(w, words[i+1]))
			}
		} else if _, err := colour.Parse(w); err == nil && i > 0 && last {
			try(pdk.WithoutWord(i), pdk.WithParam("fill", w))
		} else if o.a.Verb == "modify" && i == 1 && last && len(o.a.Params) == 0 && o.newID(w) == nil {
			try(pdk.WithoutWord(i), pdk.WithParam("id", w))
		} else if i > 0 && len(o.a.Params) > 0 {
			try(pdk.WithWords(i, len(words)-i))
		}
	case "move":
		if _, err := point.Parse(w); err == nil && i > 0 && last && len(o.a.Params) == 0 {
			try(pdk.WithoutWord(i), pdk.WithParam("at", w))
			try(pdk.WithoutWord(i), pdk.WithParam("by", w))
		}
	}
	if len(tries) == 0 {
		return err
	}
	out := pdk.Errorf("%s", bad.Message).Try(tries...)
	all := append(out.Tries, bad.Tries...)
	out.Tries = all[:min(abi.MaxTry, len(all))]
	return out
}

func isColor(word string) bool {
	_, ok := csscolor.Parse(word)
	return ok
}
