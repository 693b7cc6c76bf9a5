package verbs

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/rows"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

func labelVerb() verb {
	return verb{Run: runLabel, Verb: abi.Verb{
		Name: "label", Syntax: `label REF|SEL TEXT | label REF ARROW REF TEXT`, Summary: `set the text of shapes, groups or edges; "" removes it`, Category: "looks",
		Brief:  `label REF|SEL|REF ARROW REF TEXT`,
		Select: true, Min: 2, Max: 4,
		Examples: []string{`label AuthService "Auth Service"`, `label A -> B "reads\nwrites"`, `label A ""`, `label @type:note Draft`, `label Prices/Pro/Price 39`},
	}}
}

func runLabel(c *ctx, a pdk.Args) error {
	cells, used, err := selector.Target(c, a, false)
	if err != nil {
		return err
	}
	if len(a.Positionals) != used+1 {
		err := pdk.Errorf("label takes what to label and one text; quote a text with spaces")
		if n := nameWords(c.Model, a); n > 1 && n < len(a.Positionals) {
			return err.Try(a.Mended(pdk.WithJoined(n), pdk.WithWords(0, n, strings.Join(a.Texts(0)[:n], " "))))
		}
		if len(a.Positionals) > used {
			err.Try(a.Mended(pdk.WithJoined(used)))
		}
		return err
	}
	text := a.Text(used)
	before := model.ListFirst(cells)
	d := c.Model.Draft()
	var lost []*cell
	for _, x := range cells {
		cut, err := rows.Relabel(d, x, text)
		if err != nil {
			return err
		}
		lost = append(lost, cut...)
	}
	has := "has"
	if len(cells) > 1 {
		has = "have"
	}
	so := fmt.Sprintf("%s already %s the label %q", before, has, values.OneLine(text))
	if text == "" {
		so = fmt.Sprintf("%s already %s no label", before, has)
	}
	if err := edit.Commit(c, d, "label "+before+" "+text, so, cells...); err != nil {
		return err
	}
	edit.WarnTight(c, cells...)
	edit.Report(c, cells, "%s label: %q", before, values.OneLine(text))
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
