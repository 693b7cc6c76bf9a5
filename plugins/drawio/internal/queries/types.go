package queries

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pack"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// maxTypes is the greatest number of names of shapes in one reply.
const maxTypes = 250

func typesQuery() query {
	return query{Run: runTypes, Query: abi.Query{Syntax: "types [PACK] [WORD]",
		Brief:   "types [PACK] [WORD] · what add knows",
		Summary: "the shape types with their sizes, the themes and the palettes of look; of a pack (" + strings.Join(pack.Names(), " ") + ") its shapes; those whose name contains WORD, in the packs and all of draw.io's libraries"}}
}

func runTypes(v *view, a pdk.Args) (abi.QueryResponse, error) {
	if len(a.Positionals) == 0 {
		return answer(allTypes(v.Model))
	}
	packs, word := pack.Names(), ""
	if p, ok := pack.Named(a.Text(0)); ok {
		packs = []string{p}
		if len(a.Positionals) == 2 {
			word = a.Text(1)
		}
	} else {
		word = a.Text(0)
		if len(a.Positionals) == 2 {
			err := pdk.Errorf("unknown pack %q; packs: %s", a.Text(0), strings.Join(pack.Names(), " "))
			for _, n := range pdk.Nearest(word, pack.Names()) {
				err.Try(a.Mended(pdk.WithWords(0, 1, n)))
			}
			return abi.QueryResponse{}, err.Try(a.Mended(pdk.WithoutWord(0)))
		}
	}
	return answer(findTypes(v.Model, packs, word))
}

// allTypes lists the built-in types and themes, and those that the document defines.
func allTypes(f *file) []string {
	var out []string
	for _, n := range style.Order() {
		s, _ := style.ShapeNamed(n)
		out = append(out, fmt.Sprintf("%s %sx%s", n, mxfile.Num(s.W), mxfile.Num(s.H)))
	}
	for _, kv := range catalog.Remembered(f, catalog.TypeKey) {
		if d, ok := catalog.ReadDefinition(kv[0], kv[1]); ok {
			out = append(out, fmt.Sprintf("%s (defined) %s", d.Name, d.Brief()))
		}
	}
	for _, t := range append(style.Themes(), catalog.Themes(f)...) {
		out = append(out, fmt.Sprintf("theme %s: fill %s stroke %s", t.Name, t.Fill, t.Stroke))
	}
	for _, p := range style.Palettes() {
		line := "palette " + p.Name + ": fills"
		for _, t := range p.Light.Tints {
			line += " " + t.Fill
		}
		out = append(out, line+", asynchronous edges "+p.Light.Async)
	}
	have := catalog.LoadedPacks(f)
	for _, p := range pack.Names() {
		state := pdk.If(slices.Contains(have, p), "loaded", "not loaded")
		out = append(out, fmt.Sprintf("pack %s: %s, %s; `types %s` lists them", p, pdk.Count(len(pack.Shapes(p)), "shape"), state, p))
	}
	return out
}

// findTypes lists the shapes of packs whose name, short name or section matches a word.
func findTypes(f *file, packs []string, word string) []string {
	var out, none []string
	have := catalog.LoadedPacks(f)
	n := 0
	if word != "" {
		for _, t := range append(style.Order(), catalog.DefinedTypes(f)...) {
			if strings.Contains(t, strings.ToLower(word)) {
				out = append(out, t)
			}
		}
		if len(out) > 0 && len(packs) > 1 {
			out = []string{"plain types: " + strings.Join(out, " ")}
		} else {
			out = nil
		}
	}
	for _, p := range packs {
		head := p
		if !slices.Contains(have, p) {
			head += " (add " + p + ".NAME)"
		}
		section, names := "", []string(nil)
		var lines []string
		flush := func() {
			if len(names) > 0 {
				lines = append(lines, strings.TrimPrefix(section+": ", ": ")+strings.Join(names, " "))
			}
			names = nil
		}
		alias, short := pack.Find(p, word)
		count := 0
		for _, s := range pack.Shapes(p) {
			if word != "" && !s.Matches(word) && (!short || s.Name != alias.Name) {
				continue
			}
			if s.Section != section {
				flush()
				section = s.Section
			}
			count++
			if n++; n <= maxTypes {
				names = append(names, s.Name)
			}
		}
		flush()
		if count == 0 {
			none = append(none, p)
			continue
		}
		out = append(out, fmt.Sprintf("%s: %s", head, pdk.Count(count, "shape")))
		out = append(out, lines...)
	}
	if len(packs) > 1 && word != "" {
		out = append(out, catalog.FindLibraryShapes(word, max(50, maxTypes-n))...)
	}
	if n > maxTypes {
		out = append(out, fmt.Sprintf("… %d more; types %s WORD finds those with WORD in their name or heading", n-maxTypes, packs[0]))
	}
	if len(out) == 0 {
		text := fmt.Sprintf("no shape of %s has %q in its name", strings.Join(none, " "), word)
		var words []string
		for _, p := range packs {
			words = append(words, pack.Words(p)...)
		}
		if near := pdk.Nearest(word, words); len(near) > 0 {
			text += "; nearest: " + strings.Join(near, " ")
		}
		out = []string{text}
	}
	return out
}
