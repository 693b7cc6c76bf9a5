package verbs

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/rows"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

func labelVerb() verb {
	return verb{Run: runLabel, Keys: []pdk.Parameter{sourceLabel, targetLabel}, Verb: abi.Verb{
		Syntax: `label REF|SEL TEXT | label REF ARROW REF [TEXT] [source-label:] [target-label:]`, Summary: `set the text of shapes, groups or edges, and those at the ends of edges; "" removes it`, Category: "looks",
		Brief:    `label REF|SEL|REF ARROW REF TEXT [target-label:]`,
		Examples: []string{`label AuthService "Auth Service"`, `label A -> B "reads\nwrites"`, `label A -> B target-label:"1..*"`, `label A ""`, `label @type:note Draft`, `label Prices/Pro/Price 39`},
	}}
}

func runLabel(c *ctx, a pdk.Args) error {
	cells, used := pdk.Must2(selector.Target(c, a, false))
	ends := edit.ReadEndTexts(a)
	if n := len(a.Positionals); n > used+1 || n == used && !ends.Any() {
		err := pdk.Errorf("label takes what to label and one text; quote a text with spaces")
		if n := nameWords(c.Model, a); n > 1 && n < len(a.Positionals) {
			return err.Try(a.Mended(pdk.WithJoined(n), pdk.WithWords(0, n, strings.Join(a.Texts(0)[:n], " "))))
		}
		if len(a.Positionals) > used {
			err.Try(a.Mended(pdk.WithJoined(used)))
		}
		return err
	}
	before := model.ListFirst(cells)
	d := c.Model.Draft()
	var lost []*cell
	var words, state []string
	say := func(key, text string) {
		words, state = append(words, key+": "+values.Quoted(text)), append(state, key+" "+values.Quoted(text))
	}
	texted := len(a.Positionals) > used
	text := a.Text(used)
	var broken *cell
	if texted && len(cells) == 1 {
		text, broken = edit.Broken(cells[0], text)
	}
	if texted {
		say("label", text)
	}
	for _, key := range []string{model.SourceLabel, model.TargetLabel} {
		if v, ok := a.Param(key); ok {
			say(key, v)
		}
	}
	for _, x := range cells {
		if ends.Any() && !x.Edge {
			return pdk.Errorf("%s is a shape; the labels at the ends are those of edges", model.Short(x)).TryQuery("connections " + model.Reference(x))
		}
		if ends.Any() && ends.For(a, x).Draft(d, x) {
			lost = append(lost, x)
		}
		if !texted {
			continue
		}
		cut := pdk.Must(rows.Relabel(d, x, text))
		lost = append(lost, cut...)
	}
	has := pdk.If(len(cells) > 1, "have", "has")
	so := fmt.Sprintf("%s already %s the %s", before, has, strings.Join(state, ", "))
	if texted && text == "" && len(words) == 1 {
		so = fmt.Sprintf("%s already %s no label", before, has)
	}
	pdk.Check(edit.Commit(c, d, "label "+before+" "+text, so, cells...))
	if ends.Any() {
		pdk.Check(arranger.SettleEnds(c, cells))
	}
	edit.WarnTight(c, cells...)
	edit.Report(c, cells, "%s %s", before, strings.Join(words, ", "))
	if broken != nil {
		c.Also("the lines are broken to fit, like those of %s", model.Short(broken))
	}
	edit.SayLost(c, lost)
	return nil
}

// nameWords returns how many of the first words make up the longest name of a shape, 0 if
// none do.
func nameWords(f *file, a pdk.Args) int {
	for n := len(a.Positionals); n > 0; n-- {
		if _, none := selector.Shape(f, strings.Join(a.Texts(0)[:n], " "), true); none == nil {
			return n
		}
	}
	return 0
}

func replaceVerb() verb {
	return verb{Run: runReplace, Verb: abi.Verb{
		Syntax: `replace OLD NEW [SEL]`, Summary: "replace a text in all labels of the file, or of what is selected", Category: "looks",
		Brief:    `replace OLD NEW [SEL] · on all pages without SEL`,
		Examples: []string{`replace Auth Login`, `replace UserDB "User DB" @type:db`, `replace A Z @page:1`},
	}}
}

func runReplace(c *ctx, a pdk.Args) error {
	if len(a.Positionals) != 2 || a.IsArrow(0) || a.IsArrow(1) || a.Text(0) == "" {
		err := pdk.Errorf("replace takes the text to look for and the one to put there; quote texts with spaces")
		if a.Text(0) == "" {
			return err.TryQuery("map")
		}
		return err.TryQuery("find " + pdk.Quote(a.Text(0)))
	}
	old, text := a.Text(0), a.Text(1)
	cells := pdk.Must(labelledCells(c, a))
	d := c.Model.Draft()
	var done, split, cased []*cell
	count := 0
	pages := map[*mxfile.Page]bool{}
	for _, x := range cells {
		before := count
		d.Change(x, func(t mxfile.Text) mxfile.Text {
			t, n := t.Replace(x, old, text)
			count += n
			return t
		})
		switch label := x.Label(); {
		case count > before:
			done = append(done, x)
			pages[x.Page] = true
		case strings.Contains(label, old):
			split = append(split, x)
		case strings.Contains(strings.ToLower(label), strings.ToLower(old)):
			cased = append(cased, x)
		}
	}
	if len(done) == 0 {
		return noSuchText(a, split, cased)
	}
	pdk.Check(edit.Commit(c, d, "replace "+old+" by "+text, fmt.Sprintf("the text is already %q", values.OneLine(text)), done...))
	if len(split) > 0 {
		c.Warn("%s it in pieces of different format, which stay: %s", labelsHave(len(split)), strings.Join(firstNames(split), ", "))
	}
	edit.WarnTight(c, done...)
	where := ""
	if len(c.Model.Pages) > 1 {
		where = " on " + pdk.Count(len(pages), "page")
	}
	c.Bulk("%q is now %q in %s%s: %s", values.OneLine(old), values.OneLine(text), pdk.Count(len(done), "label"), where, strings.Join(firstNames(done), ", "))
	return nil
}

// labelledCells returns the cells whose labels an op changes: the selected cells, with the
// labels of selected edges, or all cells of the file.
func labelledCells(c *ctx, a pdk.Args) ([]*cell, error) {
	var out []*cell
	if len(a.Selectors) > 0 {
		cells, err := selector.Select(c.Model, c.Recent, a.Selectors, false)
		for _, x := range cells {
			out = append(out, x)
			if x.Edge && x.ID != "" {
				out = append(out, x.Page.Children(x.ID)...)
			}
		}
		return out, err
	}
	for _, p := range c.Model.Pages {
		for x := p.First(); x != nil; x = x.Next() {
			if !x.Opaque && (x.Vertex || x.Edge) && x.Label() != "" {
				out = append(out, x)
			}
		}
	}
	return out, nil
}

// noSuchText returns the error for a text that no label contains. It names labels that nearly
// contain it.
func noSuchText(a pdk.Args, split, cased []*cell) error {
	old := a.Text(0)
	switch {
	case len(split) > 0:
		return pdk.Errorf("%s %q, in pieces of different format: %s; the verb label sets a whole label", labelsHave(len(split)), values.OneLine(old), strings.Join(firstNames(split), ", ")).TryQuery("find " + pdk.Quote(old))
	case len(cased) > 0:
		label := cased[0].Label()
		i := strings.Index(strings.ToLower(label), strings.ToLower(old))
		err := pdk.Errorf("no label contains %q; case matters, and %s it in another case: %s", values.OneLine(old), labelsHave(len(cased)), strings.Join(firstNames(cased), ", "))
		if i+len(old) <= len(label) {
			err.Try(a.Mended(pdk.WithWords(0, 1, label[i:i+len(old)])))
		}
		return err
	}
	return pdk.Errorf("no label contains %q", values.OneLine(old)).TryQuery("map")
}

func labelsHave(labels int) string {
	if labels == 1 {
		return "1 label has"
	}
	return pdk.Count(labels, "label") + " have"
}

// firstNames returns the names of the first few cells, and "…" if there are more.
func firstNames(cells []*cell) []string {
	if len(cells) > maxShown {
		return append(allNames(cells[:maxShown]), "…")
	}
	return allNames(cells)
}

// allNames returns the names of cells, those of edges with their labels.
func allNames(cells []*cell) []string {
	var out []string
	for _, x := range cells {
		call := model.Short(x)
		if x.Edge {
			call = fmt.Sprintf("%s %q", model.ArrowText(x), values.OneLine(model.EdgeLabel(x)))
		}
		out = append(out, call)
	}
	return out
}
