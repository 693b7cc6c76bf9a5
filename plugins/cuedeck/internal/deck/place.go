package deck

import (
	"fmt"
	"path"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/markdown"
)

// file finds a doc by its path, or the file of a card by its id or title.
func (w *Workspace) file(ref string) (string, error) {
	name := strings.TrimPrefix(ref, "./")
	if w.Files.Has(name) && (isCard(name) || IsDoc(name)) {
		return name, nil
	}
	k, err := w.find(ref, false)
	if err == nil {
		return k.Path, nil
	}
	if !strings.ContainsAny(ref, "/.") {
		return "", err
	}
	var same []string // docs of that name in other folders
	for _, d := range w.Docs() {
		if strings.EqualFold(path.Base(d), path.Base(name)) {
			same = append(same, d)
		}
	}
	if len(same) == 0 {
		same = pdk.Nearest(name, w.Docs())
	}
	no := pdk.Errorf("no doc %s", pdk.Quote(pdk.Line(name, 120)))
	if len(same) > 0 {
		no.Message += "; nearest: " + strings.Join(same[:min(len(same), 3)], ", ")
		var quoted []string
		for _, s := range same[:min(len(same), 3)] {
			quoted = append(quoted, pdk.Quote(s))
		}
		return "", no.Instead(ref, quoted...)
	}
	return "", no.TryQuery("map")
}

// locate reads PATH#Anchor and finds the file and the heading, which is nil without an anchor.
func (w *Workspace) locate(ref string) (name string, h *markdown.Heading, err error) {
	base, anchor, ok := strings.Cut(ref, "#")
	if base == "" || !ok {
		name, err = w.file(ref)
		return name, nil, err
	}
	if name, err = w.file(base); err != nil {
		if _, whole := w.file(ref); whole == nil { // the title contains a #
			name, err = w.file(ref)
			return name, nil, err
		}
		if e, is := err.(*pdk.Error); is {
			return "", nil, pdk.Errorf("%s", e.Message)
		}
		return "", nil, err
	}
	h, err = w.heading(name, anchor)
	if e, is := err.(*pdk.Error); is {
		var near []string
		for _, n := range pdk.Nearest(anchor, w.anchors(name)) {
			near = append(near, pdk.Quote(base+"#"+n))
		}
		return "", nil, e.Instead(ref, near...)
	}
	return name, h, err
}

func (w *Workspace) anchors(name string) (out []string) {
	for _, h := range w.Text(name).Headings {
		out = append(out, h.Text)
	}
	return out
}

// heading finds a heading by its text or its slug.
func (w *Workspace) heading(name, anchor string) (*markdown.Heading, error) {
	anchor = strings.TrimSpace(strings.TrimLeft(anchor, "# "))
	all := w.Text(name).Headings
	for _, fits := range []func(h markdown.Heading) bool{
		func(h markdown.Heading) bool { return h.Text == anchor },
		func(h markdown.Heading) bool { return h.Slug == anchor },
		func(h markdown.Heading) bool { return strings.EqualFold(h.Text, anchor) },
		func(h markdown.Heading) bool { return h.Slug == markdown.Slug(anchor) },
	} {
		var hits []int
		for i, h := range all {
			if fits(h) {
				hits = append(hits, i)
			}
		}
		switch {
		case len(hits) == 1:
			return &all[hits[0]], nil
		case len(hits) > 1:
			var slugs []string
			for _, i := range hits {
				slugs = append(slugs, fmt.Sprintf("#%s (line %d)", all[i].Slug, all[i].First))
			}
			return nil, pdk.Errorf("%s has %d headings %s: %s", name, len(hits), pdk.Quote(anchor), strings.Join(slugs, ", "))
		}
	}
	if len(all) == 0 {
		return nil, pdk.Errorf("%s has no headings", w.displayName(name))
	}
	return nil, pdk.Errorf("%s has no heading %s; it has: %s", w.displayName(name), pdk.Quote(pdk.Line(anchor, 80)), pdk.Line(strings.Join(w.anchors(name), ", "), 300))
}

// displayName names a file in results: a card by id and title, a doc by path.
func (w *Workspace) displayName(name string) string {
	if k := w.byPath[name]; k != nil {
		return k.String()
	}
	return pdk.Quote(name)
}

// ref returns the reference to a file in ops: the id of a card, the path of a doc.
func (w *Workspace) ref(name string) string {
	if k := w.byPath[name]; k != nil && w.byID[k.ID] == k {
		return k.ID
	}
	return name
}

func (w *Workspace) cardPaths() (out []string) {
	for _, k := range w.Cards() {
		out = append(out, k.Path)
	}
	return out
}
