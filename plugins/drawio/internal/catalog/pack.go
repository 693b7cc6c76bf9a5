package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pack"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// PackKey marks a pack as loaded, beside the definitions and kept as they
// are. Shapes of a pack are drawn and known without it: only add and modify
// ask for it, so that a name means the same however many packs there are.
const PackKey = "fcpPack-"

// LoadedPacks lists the document's packs in the order they were loaded.
func LoadedPacks(f *file) []string {
	var out []string
	for _, kv := range Remembered(f, PackKey) {
		if name, ok := pack.Named(kv[0]); ok && name == kv[0] {
			out = append(out, name)
		}
	}
	return out
}

// Stencils are the shapes of packs that a name means: of the pack that it
// says, or of all that are loaded, or of all there are.
func Stencils(f *file, name string, all bool) []pack.Shape {
	packs := LoadedPacks(f)
	if all {
		packs = pack.Names()
	}
	if p, short, ok := pack.Split(name); ok {
		if slices.Contains(packs, p) {
			packs = []string{p}
		} else {
			packs = nil
		}
		name = short
	}
	var out []pack.Shape
	for _, p := range packs {
		if s, ok := pack.Find(p, name); ok {
			out = append(out, s)
		}
	}
	return out
}

// StencilKind is the type of a pack's shape, as Cell.Kind has it.
func StencilKind(s pack.Shape) string {
	if IsType(s.Name) || s.Name == "group" || s.Name == "line" {
		return s.Qualified()
	}
	return s.Name
}

// UnknownType refuses a type that add, modify and define do not take in this document.
func UnknownType(f *file, v string) *pdk.Error {
	if hits := Stencils(f, v, false); len(hits) > 1 {
		var names []string
		for _, s := range hits {
			names = append(names, s.Qualified())
		}
		return pdk.Errorf("%q is a shape of several packs: %s", v, strings.Join(names, ", ")).Instead(v, names...)
	}
	if several := beginnings(f, v); len(several) > 1 {
		return pdk.Errorf("type %q is the beginning of several: %s", v, strings.Join(several, " ")).Instead(v, several...)
	}
	kind := style.Synonym(v)
	var names []string
	for _, s := range Stencils(f, v, true) {
		names = append(names, s.Pack)
	}
	switch {
	case kind != "":
		err := pdk.Errorf("unknown type %q; it is called %s here", v, kind).Instead(v, kind)
		if kind == "frame" {
			err.Message += ", and `group A B as:NAME` makes one of shapes that are there"
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
		for _, n := range names {
			err.Tryf("load %s", n)
		}
		return err
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
		near = append(near, misspelt(want, pack.Words(p))...)
	}
	if len(near) == 0 {
		near = style.NearSynonyms(v)
	}
	if len(near) > 0 {
		err.Message += "; nearest: " + strings.Join(near, " ")
		return err.Instead(v, near...)
	}
	for _, p := range pack.Names() {
		if near := misspelt(want, pack.Words(p)); len(near) > 0 && !slices.Contains(packs, p) {
			err.Message += fmt.Sprintf("; nearest: %s of the pack %s", near[0], p)
			return err.Tryf("load %s", p)
		}
	}
	return err
}

// misspelt are up to three names of icons that a word may be a misspelling of.
// Beginnings are none: icons are many, and a label begins like some of them.
func misspelt(word string, names []string) (out []string) {
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

// shortest is how many letters of a type's name are taken for it: fewer are
// easily the first word of a label.
const shortest = 3

// beginnings are the types, of this domain and of the document, that a word is
// the beginning of. A word that names an icon is none.
func beginnings(f *file, word string) (out []string) {
	if len(word) < shortest || len(Stencils(f, word, true)) > 0 {
		return nil
	}
	for _, n := range append(style.Order(), DefinedTypes(f)...) {
		if strings.HasPrefix(n, strings.ToLower(word)) {
			out = append(out, n)
		}
	}
	return out
}

// DefinedTypes lists the types that the document adds.
func DefinedTypes(f *file) []string {
	var out []string
	for _, kv := range Remembered(f, TypeKey) {
		if _, ok := ReadDefinition(kv[0], kv[1]); ok {
			out = append(out, kv[0])
		}
	}
	return out
}
