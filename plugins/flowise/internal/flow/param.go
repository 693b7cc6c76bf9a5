package flow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
)

// params are the inputs of a node with values, anchors those for edges.
func (n *Node) params() *jsontree.Value  { return n.data.Get("inputParams") }
func (n *Node) anchors() *jsontree.Value { return n.data.Get("inputAnchors") }

// byName returns the entry of a list with a name, or nil.
func byName(list *jsontree.Value, name string) *jsontree.Value {
	for _, v := range list.Each() {
		if v.Get("name").Text() == name {
			return v
		}
	}
	return nil
}

// empty reports whether an input has no value.
func empty(v *jsontree.Value) bool {
	switch {
	case v == nil, v.Kind == jsontree.Null:
		return true
	case v.Kind == jsontree.String:
		return strings.TrimSpace(v.Text()) == ""
	}
	return v.Kind == jsontree.Array && len(v.Items) == 0
}

// shown reports whether a parameter applies, given the other inputs: Flowise's show and
// hide.
func shown(param, inputs *jsontree.Value) bool {
	fits := func(key string, want *jsontree.Value) bool {
		if strings.Contains(key, "[") {
			return false // refers to an item of a list, which is not evaluated
		}
		is := inputs.Get(strings.Split(key, ".")...).Plain()
		if want.Kind == jsontree.Array {
			return slices.ContainsFunc(want.Items, func(w *jsontree.Value) bool { return w.Plain() == is })
		}
		return want.Plain() == is
	}
	if show := param.Get("show"); show != nil {
		for _, m := range show.Members {
			if !fits(m.Key, m.Value) {
				return false
			}
		}
	}
	if hide := param.Get("hide"); hide != nil && len(hide.Members) > 0 {
		for _, m := range hide.Members {
			if !fits(m.Key, m.Value) {
				return true
			}
		}
		return false
	}
	return true
}

// inputValue converts a word of an op to JSON for a parameter.
func inputValue(p *jsontree.Value, name, word string) (string, error) {
	options := func() []string {
		var names []string
		for _, o := range p.Get("options").Each() {
			names = append(names, o.Get("name").Plain())
		}
		return names
	}
	wrong := func(what string, try ...string) error {
		return pdk.Errorf("%s:%s is %s", name, pdk.Line(word, 40), what).Instead(word, try...)
	}
	if strings.HasPrefix(word, "{{") { // a variable may have any type
		return jsontree.Quote(word), nil
	}
	switch typ := p.Get("type").Text(); typ {
	case "number":
		if v, err := jsontree.Parse(word); word != "" && (err != nil || v.Kind != jsontree.Number) {
			return "", wrong("not a number")
		} else if word != "" {
			return word, nil
		}
	case "boolean":
		if word != "true" && word != "false" {
			return "", wrong("neither true nor false", pdk.Nearest(word, []string{"true", "false"})...)
		}
		return word, nil
	case "options":
		names := options()
		if given, ok := pdk.OneOf(word, names); ok {
			return jsontree.Quote(given), nil
		}
		if len(names) > 0 && word != "" {
			return "", wrong("not one of "+strings.Join(names[:min(len(names), 12)], " "), pdk.Nearest(word, names)...)
		}
	case "multiOptions":
		var list []string
		for _, w := range strings.Split(word, ",") {
			given, ok := pdk.OneOf(strings.TrimSpace(w), options())
			if !ok {
				return "", wrong(fmt.Sprintf("not all of %s", strings.Join(options(), " ")))
			}
			list = append(list, jsontree.Quote(given))
		}
		return jsontree.Quote("[" + strings.Join(list, ",") + "]"), nil // Flowise stores the list as a string
	case "array", "datagrid":
		v, err := jsontree.Parse(word)
		if word != "" && (err != nil || v.Kind != jsontree.Array) {
			return "", wrong("not a list, such as '[{\"role\": \"user\"}]'")
		}
		if word != "" {
			return v.Raw(), nil
		}
	}
	return jsontree.Quote(word), nil
}
