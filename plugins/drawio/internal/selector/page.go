package selector

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// Page finds a page by its number or its name. exact allows full names only.
func Page(f *file, ref string, exact bool) (*mxfile.Page, error) {
	var names pdk.Index[*mxfile.Page]
	for _, p := range f.Pages {
		names.Put(p, p.Name, "page", "")
	}
	hits, level := names.Find(ref, exact)
	if level != pdk.MatchExact {
		if n, err := strconv.Atoi(ref); err == nil {
			if n < 1 || n > len(f.Pages) {
				return nil, pdk.Errorf("there is no page %d; the file has %d", n, len(f.Pages)).TryQuery("pages")
			}
			return f.Pages[n-1], nil
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		err := pdk.Errorf("no page %q: %s", ref, pageNames(f))
		if near := nearNames(&names, ref); len(near) > 0 {
			return nil, err.Instead(ref, near...)
		}
		return nil, err.TryQuery("pages")
	}
	numbers := pdk.Map(hits, func(h *mxfile.Page) string { return strconv.Itoa(f.Number(h)) })
	return nil, pdk.Errorf("page %q is ambiguous; give its number: %s", ref, strings.Join(numbers, ", ")).Instead(ref, numbers...)
}

// nearNames returns names to suggest for one that is not found: the longer names that begin
// with it, or else the nearest ones.
func nearNames[E comparable](names *pdk.Index[E], ref string) (out []string) {
	hits, level := names.Find(ref, false)
	if level == pdk.MatchNone {
		return names.Nearest(ref)
	}
	for _, h := range hits[:min(3, len(hits))] {
		out = append(out, names.Name(h))
	}
	return out
}

func pageNames(f *file) string {
	var out []string
	for i, p := range f.Pages {
		if i == 12 {
			out = append(out, "…")
			break
		}
		out = append(out, model.PageTitle(f, p))
	}
	return strings.Join(out, ", ")
}

// Layer finds a layer by its name or by its number from the lowest, 1. exact allows full
// names only.
func Layer(p *mxfile.Page, ref string, exact bool) (*cell, error) {
	var names pdk.Index[*cell]
	layers := p.Layers()
	for _, l := range layers {
		names.Put(l, model.LayerLabel(l), "layer", "")
	}
	hits, level := names.Find(ref, exact)
	if level != pdk.MatchExact {
		if n, err := strconv.Atoi(ref); err == nil && n >= 1 && n <= len(layers) {
			return layers[n-1], nil
		}
	}
	all := pdk.Map(layers, model.LayerTitle)
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		err := pdk.Errorf("no layer %q; there are: %s", ref, strings.Join(all, ", "))
		if near := nearNames(&names, ref); len(near) > 0 {
			return nil, err.Instead(ref, near...)
		}
		return nil, err.TryQuery("layers")
	}
	return nil, pdk.Errorf("layer %q is ambiguous; give its number: %s", ref, strings.Join(all, ", "))
}
