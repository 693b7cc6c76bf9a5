package diagram

import (
	"fmt"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

func labelVerb() verb {
	return verb{Run: runLabel, Verb: abi.Verb{
		Name: "label", Syntax: `label REF|SEL TEXT | label REF ARROW REF TEXT`, Summary: `set the text of shapes, groups or edges; "" removes it`, Category: "looks",
		Brief:  `label REF|SEL|REF ARROW REF TEXT · "" removes it`,
		Select: true, Min: 2, Max: 4,
		Examples: []string{`label AuthService "Auth Service"`, `label A -> B "reads\nwrites"`, `label A ""`, `label @type:note Draft`},
	}}
}

func runLabel(c *ctx, a pdk.Args) error {
	cells, used, err := target(c, a, false)
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
	before := named(cells)
	d := c.Model.Draft()
	for _, x := range cells {
		relabel(d, x, text)
	}
	has := "has"
	if len(cells) > 1 {
		has = "have"
	}
	so := fmt.Sprintf("%s %s the label %q already", before, has, oneLine(text))
	if text == "" {
		so = fmt.Sprintf("%s %s no label already", before, has)
	}
	if err := commit(c, d, "label "+before+" "+text, so, cells...); err != nil {
		return err
	}
	warnTight(c, cells...)
	say(c, cells, "%s label: %q", before, oneLine(text))
	return nil
}

// nameWords is how many of the first words are the longest name of a shape, 0
// for none.
func nameWords(f *file, a pdk.Args) int {
	for n := len(a.Positionals); n > 0; n-- {
		if _, none := shape(f, strings.Join(a.Texts(0)[:n], " "), true); none == nil {
			return n
		}
	}
	return 0
}

// warnTight says which shapes have no room for their label.
func warnTight(c *ctx, cells ...*cell) {
	for i, x := range cells {
		if i == shown {
			return
		}
		// Most labels are short; a letter is at most about 8 units wide.
		if !x.Shape() || float64(8*len(x.Label())) < x.Geo.W-16 && x.Geo.H >= 20 {
			continue
		}
		if w, h := svg.Overflow(x); w > 4 || h > 6 {
			c.Warn("the label of %s needs more room than %sx%s; about %sx%s holds it", short(x), mxfile.Num(x.Geo.W), mxfile.Num(x.Geo.H),
				mxfile.Num(math.Ceil((x.Geo.W+w)/10)*10), mxfile.Num(math.Ceil((x.Geo.H+h)/10)*10))
		}
	}
}

// relabel drafts a new text. An edge that is labelled by a cell of its own
// gets it there.
func relabel(d *mxfile.Draft, x *cell, text string) {
	if x.Edge && x.Label() == "" {
		for _, k := range x.Page.Children(x.ID) {
			if k.Vertex && k.Label() != "" {
				x = k
				break
			}
		}
	}
	if x.Name() == text {
		return
	}
	d.Change(x, func(t mxfile.Text) mxfile.Text { return entitled(t, x, text) })
}

// entitled is the text of x with another label. Where x is called as a custom
// property that its label shows, that changes and the rest of the label stays.
func entitled(t mxfile.Text, x *cell, label string) mxfile.Text {
	if shown := x.Shown(); len(shown) > 0 {
		if v, _ := x.DataValue(shown[0]); v == x.Name() {
			return t.WithData(shown[0], label)
		}
	}
	return t.WithValue(mxfile.LabelValue(label, x.HTML()))
}
