package diagram

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pack"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// packData marks a pack as loaded, beside the definitions and kept as they
// are. Shapes of a pack are drawn and known without it: only add and modify
// ask for it, so that a name means the same however many packs there are.
const packData = "fcpPack-"

func loadVerb() verb {
	return verb{Run: runLoad, Verb: abi.Verb{
		Name: "load", Syntax: "load PACK…", Summary: "let add use the icons of a pack: " + strings.Join(pack.Names(), " "), Category: "looks",
		Brief: "load PACK… · icons for add: " + strings.Join(pack.Names(), " "),
		Min:   1, Max: len(pack.Names()),
		Examples: []string{"load aws", "load k8s gcp"},
	}}
}

func runLoad(c *ctx, a pdk.Args) error {
	p := c.Model.Pages[0]
	var packs, had []string
	for i := range a.Positionals {
		name, ok := pack.Named(a.Text(i))
		switch {
		case !ok:
			err := pdk.Errorf("unknown pack %q; packs: %s", a.Text(i), strings.Join(pack.Names(), " "))
			near := pdk.Nearest(name, pack.Names())
			for _, n := range near {
				err.Try(a.Mended(pdk.WithWords(i, 1, n)))
			}
			if len(near) == 0 {
				err.TryQuery("types " + pdk.Quote(a.Text(i)))
			}
			return err
		case slices.Contains(loaded(c.Model), name) || slices.Contains(packs, name):
			had = append(had, name)
		default:
			packs = append(packs, name)
		}
	}
	if len(packs) == 0 {
		return pdk.Unchanged("%s loaded already; `types %s` lists what is in it", strings.Join(had, " "), had[0])
	}
	if err := ensureRoot(c, p); err != nil {
		return err
	}
	d := c.Model.Draft()
	d.Change(p.Root(), func(t mxfile.Text) mxfile.Text {
		for _, name := range packs {
			t = t.WithData(packData+name, "1")
		}
		return t
	})
	if err := commit(c, d, "load "+strings.Join(packs, " "), strings.Join(packs, " ")+" loaded already"); err != nil {
		return err
	}
	var lines []string
	for _, name := range packs {
		line := fmt.Sprintf("pack %s: %s, such as %s; query `types %s` or `types WORD` to find others",
			name, plural(len(pack.Shapes(name)), "shape"), packSample(name), name)
		var own []string
		for _, t := range style.Order() {
			if _, ok := pack.Find(name, t); ok {
				own = append(own, t)
			}
		}
		if len(own) > 0 {
			line += fmt.Sprintf("\nplain %s as ever; the pack's own: %s.%s", strings.Join(own, " "), name, strings.Join(own, " "+name+"."))
		}
		lines = append(lines, line)
	}
	c.Created("%s", strings.Join(lines, "\n"))
	return nil
}

// packSample names some shapes of a pack that most diagrams have.
func packSample(name string) string {
	switch name {
	case "aws":
		return "ec2 lambda s3 rds dynamodb api_gateway group_vpc"
	case "azure":
		return "virtual_machine function_apps app_services sql_database storage_accounts key_vaults"
	case "gcp":
		return "compute_engine cloud_functions bigquery cloud_pubsub cloud_storage cloud_sql"
	case "k8s":
		return "pod deploy svc ing cm secret sts ns"
	case "cisco":
		return "router l3_switch firewall server wireless_access_point workstation"
	}
	return "vpc subnet instance loadbalancer objectstorage user"
}

// loaded lists the document's packs in the order they were loaded.
func loaded(f *file) []string {
	var out []string
	for _, kv := range remembered(f, packData) {
		if name, ok := pack.Named(kv[0]); ok && name == kv[0] {
			out = append(out, name)
		}
	}
	return out
}

// stencils are the shapes of packs that a name means: of the pack that it
// says, or of all that are loaded, or of all there are.
func stencils(f *file, name string, all bool) []pack.Shape {
	packs := loaded(f)
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

// stencilKind is the type of a pack's shape, as Cell.Kind has it.
func stencilKind(s pack.Shape) string {
	if isType(s.Name) || s.Name == "group" || s.Name == "line" {
		return s.Qualified()
	}
	return s.Name
}

// noType refuses a type that add, modify and define do not take in this document.
func noType(f *file, v string) *pdk.Error {
	if hits := stencils(f, v, false); len(hits) > 1 {
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
	for _, s := range stencils(f, v, true) {
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
	plain := append(style.Order(), ownTypes(f)...)
	packs := loaded(f)
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
	if len(word) < shortest || len(stencils(f, word, true)) > 0 {
		return nil
	}
	for _, n := range append(style.Order(), ownTypes(f)...) {
		if strings.HasPrefix(n, strings.ToLower(word)) {
			out = append(out, n)
		}
	}
	return out
}

// ownTypes lists the types that the document adds.
func ownTypes(f *file) []string {
	var out []string
	for _, kv := range remembered(f, typeData) {
		if _, ok := readDefinition(kv[0], kv[1]); ok {
			out = append(out, kv[0])
		}
	}
	return out
}
