package verbs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pack"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// colour is a colour of a theme, which is stored as #rrggbb.
var colour = value.Type[string]{Takes: "COLOUR", Parse: func(s string) (string, error) {
	c, ok := style.Color(s)
	if !ok {
		return "", &value.Invalid{Why: "is not a colour: #rgb, #rrggbb, a CSS name or none", Near: pdk.Nearest(s, style.ColorNames())}
	}
	return c, nil
}}

// themeKeys are the colours of a theme.
var themeKeys = []value.Key[string]{{Name: "fill", Type: colour}, {Name: "stroke", Type: colour}, {Name: "font-color", Type: colour}}

func defineVerb() verb {
	return verb{Run: runDefine, Keys: []pdk.Parameter{values.Text("base", "TYPE"), edit.Theme, values.Text("badge", "TEXT on each such shape"), values.Size, themeKeys[0], themeKeys[1], themeKeys[2]}, Verb: abi.Verb{
		Syntax:  "define NAME base:TYPE [theme:] [badge:] [size:WxH] | define theme NAME fill:COLOUR stroke:COLOUR [font-color:COLOUR]",
		Brief:   "define NAME base:TYPE [theme: badge: size:] | define theme NAME fill: stroke: [font-color:] · a type or theme of this document",
		Summary: "add a type or a theme to this document; it is saved with it", Category: "looks",
		Examples: []string{"define job base:svc theme:orange badge:fn size:100x50", "define theme brand fill:#e0f0ff stroke:#004080 font-color:navy"},
	}}
}

func runDefine(c *ctx, a pdk.Args) error {
	theme := strings.EqualFold(a.Text(0), "theme")
	switch {
	case len(a.Positionals) == 2 && !theme:
		return pdk.Errorf("define takes a NAME, or theme NAME").Instead(a.Text(0), pdk.Nearest(a.Text(0), []string{"theme"})...)
	case len(a.Positionals) == 2:
		return defineTheme(c, a)
	case theme:
		return pdk.Errorf("define theme needs a name")
	}
	return defineType(c, a)
}

func defineTheme(c *ctx, a pdk.Args) error {
	name := strings.ToLower(a.Text(1))
	pdk.Check(catalog.CheckName(name))
	if _, ok := style.ThemeNamed(name); ok {
		return pdk.Errorf("%s is a theme of every document; give yours another name", name)
	}
	for _, key := range []string{"base", "theme", "badge", "size"} {
		if a.Has(key) {
			return pdk.Errorf("%s: is for types; a theme has fill: stroke: font-color:", key).Try(a.Mended(pdk.Without(key)))
		}
	}
	var colours []string
	for _, key := range themeKeys {
		if v, ok := key.Lookup(a); ok {
			colours = append(colours, v)
		} else if key.Name != "font-color" {
			return pdk.Errorf("a theme needs fill: and stroke:")
		}
	}
	return edit.Remember(c, catalog.ThemeKey+name, strings.Join(colours, " "), "theme "+name)
}

func defineType(c *ctx, a pdk.Args) error {
	d := catalog.Definition{Name: strings.ToLower(a.Text(0)), Badge: a.String("badge", "")}
	pdk.Check(catalog.CheckName(d.Name))
	if catalog.IsType(d.Name) || d.Name == "group" {
		return pdk.Errorf("%s is a type of every document; give yours another name", d.Name)
	}
	for _, key := range []string{"fill", "stroke", "font-color"} {
		if a.Has(key) {
			return pdk.Errorf("%s: is for themes", key).Try(a.Mended(pdk.Without("fill", "stroke", "font-color")))
		}
	}
	base, ok := a.Param("base")
	if !ok {
		return pdk.Errorf("define needs base:TYPE")
	}
	if d.Base, ok = catalog.PlainType(base); !ok {
		err := pdk.Errorf("unknown type %q; types: %s", base, strings.Join(style.Order(), " "))
		if kind := style.Synonym(base); kind != "" {
			return err.Instead(base, kind)
		}
		return err.Instead(base, pdk.Nearest(base, style.Order())...)
	}
	if style.Built(d.Base) {
		return pdk.Errorf("%s is more than a style; base: takes simple types", values.Article(d.Base))
	}
	if v, ok := a.Param("theme"); ok && v != "" {
		t, ok := catalog.ThemeNamed(c.Model, v)
		if !ok {
			return catalog.UnknownTheme(c.Model, v)
		}
		d.Theme = t.Name
	}
	if len([]rune(d.Badge)) > 20 {
		return pdk.Errorf("a badge holds at most 20 letters")
	}
	size := values.Size.Of(a)
	d.W, d.H = size.W, size.H
	return edit.Remember(c, catalog.TypeKey+d.Name, d.Text(), "type "+d.Name)
}

func titleVerb() verb {
	return verb{Run: runTitle, Verb: abi.Verb{
		Syntax: "title TEXT", Summary: `name the document; "" removes the name`, Category: "pages",
		Brief:    "title TEXT",
		Examples: []string{`title "Order system"`},
	}}
}

func runTitle(c *ctx, a pdk.Args) error {
	text := strings.TrimSpace(a.Text(0))
	if len(text) > 200 {
		return pdk.Errorf("the title is longer than 200 bytes")
	}
	p := c.Model.Pages[0]
	pdk.Check(edit.EnsureRoot(c, p))
	d := c.Model.Draft()
	d.Change(p.Root(), func(t mxfile.Text) mxfile.Text {
		if text == "" {
			return t.WithoutData(mxfile.TitleData)
		}
		return t.WithData(mxfile.TitleData, text)
	})
	was := fmt.Sprintf("title %s is already set", pdk.Quote(values.OneLine(text)))
	if text == "" {
		was = "the document already has no title"
	}
	pdk.Check(edit.Commit(c, d, "title "+text, was))
	c.Changed("title: %s", pdk.Quote(values.OneLine(text)))
	return nil
}

func loadVerb() verb {
	return verb{Run: runLoad, Verb: abi.Verb{
		Syntax: "load PACK…", Summary: "let add use the icons of a pack: " + strings.Join(pack.Names(), " "), Category: "looks",
		Brief:    "load PACK… · icons for add: " + strings.Join(pack.Names(), " "),
		Examples: []string{"load aws", "load k8s gcp"},
	}}
}

func runLoad(c *ctx, a pdk.Args) error {
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
		case slices.Contains(catalog.LoadedPacks(c.Model), name) || slices.Contains(packs, name):
			had = append(had, name)
		default:
			packs = append(packs, name)
		}
	}
	if len(packs) == 0 {
		return pdk.Unchanged("already loaded: %s; `types %s` lists what is in it", strings.Join(had, " "), had[0])
	}
	d := c.Model.Draft()
	for _, name := range packs {
		d.Step(mxfile.Step{Action: mxfile.LoadPack, New: name})
	}
	pdk.Check(c.Do(d.Edit(), "load "+strings.Join(packs, " ")))
	var lines []string
	for _, name := range packs {
		line := fmt.Sprintf("pack %s: %s, such as %s; query `types %s` or `types WORD` to find others",
			name, pdk.Count(len(pack.Shapes(name)), "shape"), packSample(name), name)
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
	c.Changed("%s", strings.Join(lines, "\n"))
	return nil
}

// packSample names some common shapes of a pack.
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
