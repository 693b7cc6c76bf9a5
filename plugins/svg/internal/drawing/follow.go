package drawing

import (
	"slices"
	"strings"

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
		times := strings.Split(v, ";")
		for i, t := range times {
			times[i] = followTime(t, to)
		}
		return strings.Join(times, ";")
	case slices.Contains(idLists, name):
		var b strings.Builder
		for v != "" {
			n := len(v) - len(strings.TrimLeft(v, " \t\r\n"))
			b.WriteString(v[:n])
			v = v[n:]
			if n = strings.IndexAny(v, " \t\r\n"); n < 0 {
				n = len(v)
			}
			if n > 0 {
				b.WriteString(to(v[:n]))
			}
			v = v[n:]
		}
		return b.String()
	case strings.HasSuffix(name, "href"):
		at := len(v) - len(strings.TrimLeft(v, " \t\r\n"))
		if id, ok := strings.CutPrefix(strings.TrimSpace(v), "#"); ok && id != "" {
			return v[:at+1] + to(id) + v[at+1+len(id):]
		}
		return v
	case strings.HasPrefix(name, "inkscape:") && strings.HasPrefix(v, "#"):
		links := strings.Split(v, ";")
		for i, l := range links {
			if id, ok := strings.CutPrefix(l, "#"); ok {
				links[i] = "#" + to(id)
			}
		}
		return strings.Join(links, ";")
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
	var b strings.Builder
	for {
		i := strings.Index(v, "url(")
		if i < 0 {
			break
		}
		b.WriteString(v[:i+4])
		v = v[i+4:]
		end := strings.IndexByte(v, ')')
		if end < 0 {
			break
		}
		inside := v[:end]
		if j := strings.IndexByte(inside, '#'); j >= 0 && strings.Trim(inside[:j], `"' `) == "" {
			id := strings.TrimRight(inside[j+1:], `"' `)
			inside = inside[:j+1] + to(id) + inside[j+1+len(id):]
		}
		b.WriteString(inside)
		v = v[end:]
	}
	return b.String() + v
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
	sheets, _ := o.f.Sheets()
	for _, s := range sheets {
		at, text, ok := inner(s.Tail)
		switch fresh := css.WithIDs(text, to); {
		case !ok || s.First != nil || o.f.ByID(was) != nil:
			if strings.Contains(s.Text(), "#"+was) {
				o.Warn("a style element still refers to #%s", was)
			}
		case fresh != text:
			o.Set(s, tree.Tail, s.Tail[:at]+fresh+s.Tail[at+len(text):])
			changed = append(changed, s)
		}
	}
	for len(changed) > 0 {
		n := min(len(changed), maxListed)
		o.Warn("what referred to %s follows: %s", was, o.f.names(changed[:n]))
		changed = changed[n:]
	}
}

// maxListed is how many elements a line of a reply names at most.
const maxListed = 8
