// Package catalog finds the shape types and themes that an op can name: those of draw.io, of
// the packs that a document loads, and those that a document defines.
package catalog

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pack"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/stencil"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// packKey is the prefix of the property with which earlier versions marked a pack as loaded.
const packKey = "fcpPack-"

// LoadedPacks lists the packs whose names add and modify know in a document: those that were loaded, and those whose icons it shows. The
// names of other packs need their prefix, so that a name keeps its meaning however many packs there are.
func LoadedPacks(f *file) []string {
	if f == nil {
		return nil
	}
	out := slices.Clone(f.Packs())
	for _, kv := range Remembered(f, packKey) {
		if name, ok := pack.Named(kv[0]); ok && name == kv[0] && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	used, seen := map[string]bool{}, map[style.Style]bool{}
	for _, p := range f.Pages {
		for x := p.First(); x != nil; x = x.Next() {
			if x.Vertex && !seen[x.Style] {
				seen[x.Style] = true
				used[pack.Of(x.Style)] = true
			}
		}
	}
	for _, name := range pack.Names() {
		if used[name] && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Stencils returns the shapes of packs that a name may mean. It searches the pack that the
// name gives, loaded or not, or else the loaded packs, or with all every pack.
func Stencils(f *file, name string, all bool) []pack.Shape {
	var packs []string
	if p, short, ok := pack.Split(name); ok {
		packs, name = []string{p}, short
	} else if all {
		packs = pack.Names()
	} else {
		packs = LoadedPacks(f)
	}
	var out []pack.Shape
	for _, p := range packs {
		if s, ok := pack.Find(p, name); ok {
			out = append(out, s)
		}
	}
	return out
}

// StencilKind returns the type of a pack's shape, in the form of Cell.Kind.
func StencilKind(s pack.Shape) string {
	if IsType(s.Name) || s.Name == "group" || s.Name == "line" {
		return s.Qualified()
	}
	return s.Name
}

// UnknownType is the error for a type that add, modify and define do not accept in this
// document.
func UnknownType(f *file, v string) *pdk.Error {
	if hits := Stencils(f, v, false); len(hits) > 1 {
		names := pdk.Map(hits, func(s pack.Shape) string { return s.Qualified() })
		return pdk.Errorf("%q is a shape of several packs: %s", v, strings.Join(names, ", ")).Instead(v, names...)
	}
	if several := typesWithPrefix(f, v); len(several) > 1 {
		return pdk.Errorf("type %q is ambiguous: %s", v, strings.Join(several, " ")).Instead(v, several...)
	}
	kind := style.Synonym(v)
	var names, qualified []string
	for _, s := range Stencils(f, v, true) {
		names, qualified = append(names, s.Pack), append(qualified, s.Qualified())
	}
	switch {
	case kind != "":
		err := pdk.Errorf("unknown type %q; it is called %s here", v, kind).Instead(v, kind)
		if kind == "frame" {
			err.Message += ", and `group A B as:NAME` groups existing shapes"
		}
		if len(names) > 0 {
			err.Message += fmt.Sprintf("; icons of that name are in the packs %s", strings.Join(names, " "))
		}
		return err
	case len(names) > 0:
		err := pdk.Errorf("%q is a shape of the pack %s, which is not loaded", v, names[0])
		if len(names) > 1 {
			err = pdk.Errorf("%q is a shape of the packs %s; none of them is loaded", v, strings.Join(names, " "))
		}
		return err.Instead(v, qualified...)
	}
	plain := append(style.Order(), DefinedTypes(f)...)
	packs := LoadedPacks(f)
	text := "unknown type %q; types: " + strings.Join(plain, " ")
	if len(packs) > 0 {
		text += "; packs: " + strings.Join(packs, " ")
	}
	err := pdk.Errorf(text, v)
	near := pdk.Nearest(v, plain)
	want, search := v, packs
	if p, short, ok := pack.Split(v); ok && slices.Contains(packs, p) {
		want, search = short, []string{p}
	}
	for _, p := range search {
		near = append(near, similarIcons(want, pack.Words(p))...)
	}
	if len(near) == 0 {
		near = style.NearSynonyms(v)
	}
	if len(near) > 0 {
		err.Message += "; nearest: " + strings.Join(near, " ")
		return err.Instead(v, near...)
	}
	for _, p := range pack.Names() {
		if near := similarIcons(want, pack.Words(p)); len(near) > 0 && !slices.Contains(packs, p) {
			err.Message += fmt.Sprintf("; nearest: %s of the pack %s", near[0], p)
			return err.Instead(v, p+"."+near[0])
		}
	}
	return err
}

// similarIcons returns up to three icons whose names are similar to a word that may be a
// typing error. It ignores icons that begin with the word: there are many icons, and labels
// may begin like some of them.
func similarIcons(word string, names []string) (out []string) {
	limit := len([]rune(word)) / 4
	for d := 1; d <= limit && len(out) == 0; d++ {
		for _, n := range names {
			if len(out) < 3 && pdk.Distance(strings.ToLower(word), n, d) == d {
				out = append(out, n)
			}
		}
	}
	return out
}

// minPrefix is the minimum number of letters that are read as the beginning of a type's
// name. A shorter word is more likely the first word of a label.
const minPrefix = 3

// typesWithPrefix returns the built-in and defined types whose names begin with a word. It
// returns none if the word names an icon.
func typesWithPrefix(f *file, word string) (out []string) {
	if len(word) < minPrefix || len(Stencils(f, word, true)) > 0 {
		return nil
	}
	for _, n := range append(style.Order(), DefinedTypes(f)...) {
		if strings.HasPrefix(n, strings.ToLower(word)) {
			out = append(out, n)
		}
	}
	return out
}

// DefinedTypes lists the names of the types that the document defines.
func DefinedTypes(f *file) []string {
	var out []string
	for _, kv := range Remembered(f, TypeKey) {
		if _, ok := ReadDefinition(kv[0], kv[1]); ok {
			out = append(out, kv[0])
		}
	}
	return out
}

type file = mxfile.File

// libraryShape finds a shape of draw.io's own libraries by LIBRARY.NAME, such as
// flowchart.merge. Libraries need not be loaded: their names contain a dot, which the first
// word of a label hardly ever does.
func libraryShape(word string) (style.Shape, bool) {
	if !strings.Contains(word, ".") {
		return style.Shape{}, false
	}
	full := stencil.Full(word)
	if full == "" {
		return style.Shape{}, false
	}
	look := style.Style("shape=" + full + ";whiteSpace=wrap;html=1;")
	s := style.Shape{Name: look.Kind(), W: 80, H: 80}
	if drawn, ok := stencil.Find(full); ok && drawn.W > 0 && drawn.H > 0 {
		scale := 80 / math.Max(drawn.W, drawn.H)
		s.W, s.H = math.Max(10, math.Round(drawn.W*scale)), math.Max(10, math.Round(drawn.H*scale))
		if drawn.Fixed {
			look = look.Set("aspect", "fixed")
		}
	}
	if !slices.Contains(holdLabels(), strings.Split(full, ".")[1]) {
		look = look.Set("verticalLabelPosition", "bottom").Set("verticalAlign", "top").Set("align", "center")
	}
	s.Style = look
	return s, true
}

// holdLabels lists the libraries whose shapes have their label inside. Shapes of other
// libraries have it below.
func holdLabels() []string {
	return []string{"flowchart", "basic", "arrows", "arrows2", "bootstrap", "dfd", "er", "archimate", "archimate3", "uml25", "sysml", "bpmn", "mockup", "infographic", "eip"}
}

// packSets lists the libraries that are packs; their shapes are found under the pack's
// name.
func packSets() []string {
	return []string{"aws4", "azure2", "gcp2", "kubernetes", "cisco19", "ibm"}
}

// FindLibraryShapes lists at most most shapes of draw.io's libraries where the name of the
// shape or of the library contains a word.
func FindLibraryShapes(word string, most int) (out []string) {
	if word = style.StencilName(word); word == "" {
		return nil
	}
	n := 0
	for _, set := range stencil.Sets() {
		if slices.Contains(packSets(), set) {
			continue
		}
		var hits []string
		all := strings.Contains(style.StencilName(set), word)
		for _, name := range stencil.Names(set) {
			if all || strings.Contains(style.StencilName(name), word) {
				hits = append(hits, name)
			}
		}
		if len(hits) == 0 {
			continue
		}
		shown := hits[:min(len(hits), max(0, most-n))]
		n += len(hits)
		if len(shown) > 0 {
			out = append(out, set+": "+strings.Join(shown, " "))
		}
	}
	if n == 0 {
		return nil
	}
	out = append([]string{fmt.Sprintf("draw.io's libraries (add LIBRARY.NAME LABEL): %s", pdk.Count(n, "shape"))}, out...)
	if n > most {
		out = append(out, fmt.Sprintf("… %d more", n-most))
	}
	return out
}
