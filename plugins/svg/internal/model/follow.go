package model

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// idLists are ARIA's attributes that hold ids, separated by blanks.
var idLists = []string{"aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "aria-details", "aria-flowto", "aria-activedescendant", "aria-errormessage"}

// Follow replaces the ids that an attribute refers to: those of url(#id), of links, of the events that begin or end an
// animation, of ARIA's lists, and of Inkscape's links.
func Follow(name, v string, to func(id string) string) string {
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

// Refers yields the ids that an element's attributes refer to, other than for an editor.
func Refers(n *node, yield func(id string)) {
	if !n.MayRefer() {
		return
	}
	for name, v := range n.Attrs() {
		if !strings.HasPrefix(name, "inkscape:") {
			Follow(name, v, func(id string) string { yield(id); return id })
		}
	}
}

// Referrers returns the elements that refer to an id.
func (f *Drawing) Referrers(id string) (out []*node) {
	if id == "" {
		return nil
	}
	for n := range f.Links() {
		found := false
		Refers(n, func(to string) { found = found || to == id })
		if found {
			out = append(out, n)
		}
	}
	return f.Sorted(out)
}

// Scripted reports whether an element has script that contains a word.
func (f *Drawing) Scripted(n *node, word string) bool {
	if n.Type == "script" && strings.Contains(n.Text(), word) {
		return true
	}
	for name, v := range n.Attrs() {
		if strings.HasPrefix(name, "on") && strings.Contains(v, word) {
			return true
		}
	}
	return false
}
