package drawing

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// idLists are ARIA's attributes that hold ids, separated by blanks.
var idLists = []string{"aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "aria-details", "aria-flowto", "aria-activedescendant", "aria-errormessage"}

// follow replaces the ids that an attribute refers to: those of url(#id), of links, of the events that begin or end an
// animation, of ARIA's lists, and of Inkscape's links.
func follow(name, v string, to func(id string) string) string {
	switch {
	case name == "begin" || name == "end":
		return each(v, func(time string) string { return followTime(time, to) })
	case slices.Contains(idLists, name):
		return fields().ReplaceAllStringFunc(v, to)
	case strings.HasSuffix(name, "href"):
		at := len(v) - len(strings.TrimLeft(v, " \t\r\n"))
		if id, ok := strings.CutPrefix(strings.TrimSpace(v), "#"); ok && id != "" {
			return v[:at+1] + to(id) + v[at+1+len(id):]
		}
		return v
	case strings.HasPrefix(name, "inkscape:") && strings.HasPrefix(v, "#"):
		return each(v, func(link string) string {
			if id, ok := strings.CutPrefix(link, "#"); ok {
				return "#" + to(id)
			}
			return link
		})
	}
	return followURLs(v, to)
}

// followTime replaces the id in one time of an animation: hero.click, hero.end+1s. Other times, such as 0.5s, click and
// wallclock(…), have none.
func followTime(t string, to func(id string) string) string {
	at := len(t) - len(strings.TrimLeft(t, " \t\r\n"))
	end := at
	for end < len(t) && t[end] != '.' {
		if t[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(t) || end == at || strings.ContainsAny(t[at:end], "(+ \t\r\n") || strings.IndexByte("0123456789-", t[at]) >= 0 {
		return t
	}
	id := strings.ReplaceAll(t[at:end], `\`, "")
	fresh := to(id)
	if fresh == id {
		return t
	}
	return t[:at] + strings.NewReplacer(`.`, `\.`, `-`, `\-`).Replace(fresh) + t[end:]
}

// followURLs replaces the ids in url(#id).
func followURLs(v string, to func(id string) string) string {
	if !strings.Contains(v, "url(") {
		return v
	}
	return urls().ReplaceAllStringFunc(v, func(url string) string {
		at := strings.IndexByte(url, '#') + 1
		id := strings.TrimRight(url[at:], `"' )`)
		return url[:at] + to(id) + url[at+len(id):]
	})
}

var fields, urls = pdk.Regexp(`[^ \t\r\n]+`), pdk.Regexp(`url\(["' ]*#[^)]*\)`)

// each replaces the items of a list.
func each(list string, to func(item string) string) string {
	items := strings.Split(list, ";")
	for i, item := range items {
		items[i] = to(item)
	}
	return strings.Join(items, ";")
}

// refers yields the ids that an element's attributes refer to, other than for an editor.
func refers(n *node, yield func(id string)) {
	if !n.MayRefer() {
		return
	}
	for name, v := range n.Attrs() {
		if !strings.HasPrefix(name, "inkscape:") {
			follow(name, v, func(id string) string { yield(id); return id })
		}
	}
}

// users returns the elements that refer to an id.
func (f *Drawing) users(id string) (out []*node) {
	if id == "" {
		return nil
	}
	for n := range f.Links() {
		found := false
		refers(n, func(to string) { found = found || to == id })
		if found {
			out = append(out, n)
		}
	}
	return f.sorted(out)
}

// redirect makes everything that refers to an id refer to another one: attributes and style elements. It names in the reply
// what it changed.
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
			if fresh := follow(name, v, to); name != "id" && fresh != v {
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
		if o.f.scripted(n, was) {
			scripts = append(scripts, o.f.name(n))
		}
	}
	if len(scripts) > 0 {
		o.Warn("scripts are left alone, and may mean %s: %s", was, strings.Join(scripts, ", "))
	}
	for len(changed) > 0 {
		n := min(len(changed), maxListed)
		o.Warn("what referred to %s follows: %s", was, o.f.names(changed[:n]))
		changed = changed[n:]
	}
}

// scripted reports whether an element has script that contains a word.
func (f *Drawing) scripted(n *node, word string) bool {
	if f.Type(n) == "script" && strings.Contains(n.Text(), word) {
		return true
	}
	for name, v := range n.Attrs() {
		if strings.HasPrefix(name, "on") && strings.Contains(v, word) {
			return true
		}
	}
	return false
}

// editSheets edits the style elements of the document, and returns those that have changed. It warns of those that name an id but
// cannot be edited.
func (o *op) editSheets(id string, edits func(text string) []css.Edit) (changed []*node) {
	sheets, _ := o.f.Sheets()
	for _, s := range sheets {
		in, ok := css.ReadBody(s)
		if !ok {
			if css.Mentions(s.Text(), id) {
				o.Warn("%s still refers to #%s", o.f.name(s), id)
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
