package verbs

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
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
	has := "has"
	if len(cells) > 1 {
		has = "have"
	}
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
