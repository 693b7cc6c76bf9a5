package verbs

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// badgeStyle is the style of a badge. fcpBadge is a key that draw.io keeps and ignores; it
// marks badges.
const badgeStyle = style.Style("rounded=1;arcSize=50;whiteSpace=wrap;html=1;fontSize=10;fontStyle=1;align=center;verticalAlign=middle;" +
	"spacing=0;connectable=0;fcpBadge=1;fillColor=#f8cecc;strokeColor=#b85450;")

// badgeSize is the height of a badge, and its width for one letter, in units.
const badgeSize = 20

// badgeCorner is the corner of a shape that has the badge.
var badgeCorner = value.Key[string]{Name: "at", Type: value.OneOf("top-right", "top-left", "bottom-right", "bottom-left"), Default: "top-right"}

func badgeVerb() verb {
	return verb{Run: runBadge, Keys: []pdk.Parameter{badgeCorner, edit.Theme}, Verb: abi.Verb{
		Syntax: `badge REF|SEL TEXT [at:CORNER] [theme:THEME]`, Summary: `put a small mark on a shape's corner; "" removes it`, Category: "looks",
		Brief:    `badge REF|SEL TEXT [at:CORNER theme:] · "" removes it`,
		Examples: []string{"badge AuthService v2", "badge UserDB 3 at:top-left theme:green"},
	}}
}

func runBadge(c *ctx, a pdk.Args) error {
	cells, used := pdk.Must2(selector.Target(c, a, false))
	if len(a.Positionals) != used+1 {
		return pdk.Errorf("badge takes one text")
	}
	text := strings.TrimSpace(a.Text(used))
	if len([]rune(text)) > 20 {
		return pdk.Errorf("a badge holds at most 20 letters")
	}
	at := badgeCorner.Of(a)
	look := pdk.Must(edit.WithTheme(c.Model, a, badgeStyle))
	d := c.Model.Draft()
	var done, old []*cell
	for _, x := range cells {
		if !x.Vertex || x.Badge {
			continue
		}
		done = append(done, x)
		has := badges(x)
		if text != "" {
			r := badgeBox(text, at)
			if len(has) == 1 && has[0].Label() == text && has[0].Style == look && has[0].Geo == r {
				continue
			}
			id := d.NewID()
			d.Append(x.Page, id, newBadge(id, x.ID, text, r, look))
		}
		old = append(old, has...)
	}
	if len(done) == 0 {
		return pdk.Errorf("badges go on shapes, not on edges; label an edge instead")
	}
	// Remove the old badges after adding the new ones, which may be inserted after an old one.
	if len(old) > 0 {
		d.Remove(model.InOrder(done[0].Page, old)...)
	}
	so := pdk.If(text != "", "badged like that", "without a badge")
	pdk.Check(edit.Commit(c, d, fmt.Sprintf("badge %s %s", model.ListFirst(done), text), model.Already(done, so, text), done...))
	if text == "" {
		edit.Report(c, done, "%s: no badge", model.ListFirst(done))
		return nil
	}
	edit.Report(c, done, "%s badge: %s", model.ListFirst(done), pdk.Quote(text))
	return nil
}

// badges returns the badges of a shape.
func badges(x *cell) []*cell {
	if x.ID == "" {
		return nil
	}
	return pdk.Filter(x.Page.Children(x.ID), func(k *cell) bool { return k.Badge })
}

// badgeBox returns the rectangle of a badge that straddles a corner of its parent: X and Y
// as fractions of the parent, and its size.
func badgeBox(text, at string) geom.Rect {
	r := geom.Rect{W: float64(max(badgeSize, 8+7*len([]rune(text)))), H: badgeSize}
	if strings.HasSuffix(at, "right") {
		r.X = 1
	}
	if strings.HasPrefix(at, "bottom") {
		r.Y = 1
	}
	return r
}

// newBadge returns the text of a new badge.
func newBadge(id, parent, text string, r geom.Rect, look style.Style) mxfile.Text {
	t := mxfile.NewVertex(id, mxfile.LabelValue(text, true), look, parent, r)
	return t.Fasten(geom.Point{X: -r.W / 2, Y: -badgeSize / 2})
}
