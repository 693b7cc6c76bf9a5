package verbs

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

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
	if class, ok := strings.CutPrefix(w, "."); ok && alone && model.AnyWithin(o.f.Root, func(n *node) bool { return css.HasClass(n, class) }) {
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
