package verbs

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// redirect makes everything that refers to an id refer to another one: attributes and style elements. It names in the
// reply what it changed.
func (o *op) redirect(was, id string) {
	to := func(old string) string {
		if old == was {
			return id
		}
		return old
	}
	var changed []*node
	for n := range o.f.Root.All() {
		before := n.Tag
		if !strings.Contains(before, was) && !strings.Contains(before, "&") {
			continue
		}
		for name, v := range n.Attrs() {
			if fresh := model.Follow(name, v, to); name != "id" && fresh != v {
				o.SetAttr(n, name, fresh)
			}
		}
		if n.Tag != before {
			changed = append(changed, n)
		}
	}
	changed = append(changed, o.editSheets(was, func(text string) []css.Edit {
		if o.f.ByID(was) != nil { // another element has this id, too
			return css.Extended(text, []map[string]string{{was: id}})
		}
		return css.Renamed(text, to)
	})...)
	var scripts []string
	for n := range o.f.Root.All() {
		if o.f.Scripted(n, was) {
			scripts = append(scripts, o.f.Ref(n))
		}
	}
	if len(scripts) > 0 {
		o.Warn("scripts are left alone, and may mean %s: %s", was, strings.Join(scripts, ", "))
	}
	for len(changed) > 0 {
		n := min(len(changed), maxListed)
		o.Warn("what referred to %s follows: %s", was, o.f.Refs(changed[:n]))
		changed = changed[n:]
	}
}

// editSheets edits the style elements of the document, and returns those that have changed. It warns of those that
// name an id but cannot be edited.
func (o *op) editSheets(id string, edits func(text string) []css.Edit) (changed []*node) {
	sheets, _ := o.f.Sheets()
	for _, s := range sheets {
		in, ok := bodyOf(s)
		if !ok {
			if css.Mentions(s.Text(), id) {
				o.Warn("%s still refers to #%s", o.f.Ref(s), id)
			}
			continue
		}
		if list := edits(in.Text); len(list) > 0 {
			o.Set(s, tree.Tail, in.Edited(list...))
			changed = append(changed, s)
		}
	}
	return changed
}

// maxListed is how many elements a line of a reply names at most.
const maxListed = 8

// editable returns the style elements whose text can be edited.
func editable(f *drawing) (out []sheet) {
	sheets, _ := f.Sheets()
	for _, n := range sheets {
		if b, ok := bodyOf(n); ok {
			out = append(out, sheet{n, b})
		}
	}
	return out
}

// sheet is a style element with its text.
type sheet struct {
	of *node
	css.Body
}

// bodyOf reads the text of a style element. ok is false if it has anything else in it.
func bodyOf(n *node) (b css.Body, ok bool) {
	b, ok = css.ReadBody(n.Tail)
	return b, ok && n.First == nil
}
