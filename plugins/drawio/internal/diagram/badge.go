package diagram

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// badgeStyle is what a badge looks like. fcpBadge is a key that draw.io keeps
// and does not use; by it a badge is told from a shape.
const badgeStyle = style.Style("rounded=1;arcSize=50;whiteSpace=wrap;html=1;fontSize=10;fontStyle=1;align=center;verticalAlign=middle;" +
	"spacing=0;connectable=0;fcpBadge=1;fillColor=#f8cecc;strokeColor=#b85450;")

// badgeSize is a badge's height, and its width for one letter, in units.
const badgeSize = 20

// corners of a shape where a badge can sit, the usual one first.
func corners() []string { return []string{"top-right", "top-left", "bottom-right", "bottom-left"} }

func badgeVerb() verb {
	return verb{Run: runBadge, Verb: abi.Verb{
		Name: "badge", Syntax: `badge REF|SEL TEXT [at:CORNER] [theme:THEME]`, Summary: `put a small mark on a shape's corner; "" removes it`, Category: "looks",
		Brief:  `badge REF|SEL TEXT [at:CORNER theme:] · a small mark; "" removes it`,
		Params: []abi.Param{{Key: "at", Value: strings.Join(corners(), "|")}, {Key: "theme", Value: strings.Join(style.ThemeNames(), "|")}},
		Select: true, Min: 1, Max: 2,
		Examples: []string{"badge AuthService v2", "badge UserDB 3 at:top-left theme:green"},
	}}
}

func runBadge(c *ctx, a pdk.Args) error {
	cells, used, err := target(c, a, false)
	if err != nil {
		return err
	}
	if len(a.Positionals) != used+1 {
		return pdk.Errorf("badge takes one text").Tryf("badge %s 1", targetText(a, cells))
	}
	text := strings.TrimSpace(a.Text(used))
	if len([]rune(text)) > 20 {
		return pdk.Errorf("a badge holds at most 20 letters").Tryf("badge %s %s", targetText(a, cells), pdk.Quote(string([]rune(text)[:20])))
	}
	at := a.String("at", corners()[0])
	if !contains(corners(), at) {
		return pdk.Errorf("at:%s is no corner: %s", at, strings.Join(corners(), " "))
	}
	look, err := themed(c.Model, a, badgeStyle)
	if err != nil {
		return err
	}
	d := c.Model.Draft()
	var done, old []*cell
	for _, x := range cells {
		if !x.Vertex || x.Badge {
			continue
		}
		done = append(done, x)
		old = append(old, badges(x)...)
		if text != "" {
			id := d.NewID()
			d.Append(x.Page, id, newBadge(id, x.ID, text, at, look))
		}
	}
	if len(done) == 0 {
		return pdk.Errorf("badges go on shapes, not on edges; label an edge instead")
	}
	// Behind the new ones, which may be placed behind one of these.
	if len(old) > 0 {
		d.Remove(inOrder(done[0].Page, old)...)
	}
	if err := commit(c, d, fmt.Sprintf("badge %s %s", named(done), text), done...); err != nil {
		return err
	}
	if text == "" {
		say(c, done, "%s: no badge", named(done))
		return nil
	}
	say(c, done, "%s badge: %s", named(done), pdk.Quote(text))
	return nil
}

// badges are the badges on a shape.
func badges(x *cell) []*cell {
	if x.ID == "" {
		return nil
	}
	var out []*cell
	for _, k := range x.Page.Children(x.ID) {
		if k.Badge {
			out = append(out, k)
		}
	}
	return out
}

// newBadge is the text of a badge that straddles a corner of its parent.
func newBadge(id, parent, text, at string, look style.Style) mxfile.Text {
	w := float64(max(badgeSize, 8+7*len([]rune(text))))
	var place, offset geom.Point
	offset = geom.Point{X: -w / 2, Y: -badgeSize / 2}
	if strings.HasSuffix(at, "right") {
		place.X = 1
	}
	if strings.HasPrefix(at, "bottom") {
		place.Y = 1
	}
	t := mxfile.NewVertex(id, mxfile.LabelValue(text, true), look, parent, geom.Rect{X: place.X, Y: place.Y, W: w, H: badgeSize})
	return t.Fastened(offset)
}

// themed paints a style with the op's theme:, if any.
func themed(f *file, a pdk.Args, s style.Style) (style.Style, error) {
	v, ok := a.Param("theme")
	if !ok {
		return s, nil
	}
	t, ok := themeNamed(f, v)
	if !ok {
		return s, unknownTheme(f, v)
	}
	return t.Paint(s), nil
}
