package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pack"
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
