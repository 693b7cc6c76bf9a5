package legend

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pagestyle"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// item is a line of a legend.
type item struct {
	name string
	look style.Style
	w, h float64 // of the symbol
	head bool    // the symbol is a line with a head at its right end
}

// maxSymbols is the greatest number of types in a legend.
const maxSymbols = 24

// items returns the lines of a legend of the page: the types of shapes if there are
// several, and asynchronous edges if they look different from other edges. It names no other
// kind of edge: nothing on the page says what those stand for.
func (b *furniture) items() []item {
	var kinds []string
	of := map[string][]*cell{}
	var async, other *cell
	for x := b.page.First(); x != nil; x = x.Next() {
		if x.Edge {
			switch {
			case x.Style.Relation() != "":
			case async == nil && pagestyle.IsAsync(x):
				async = x
			case other == nil && !pagestyle.IsAsync(x):
				other = x
			}
			continue
		}
		if !x.Shape() || model.IsGroup(x) || model.IsPart(x) || model.InCompound(x) || x.Relative || pagestyle.IsRule(x) {
			continue
		}
		switch kind := model.KindOf(x); kind {
		case "text", "image", "note", "participant", "table":
		default:
			if of[kind] == nil {
				kinds = append(kinds, kind)
			}
			of[kind] = append(of[kind], x)
		}
	}
	var out []item
	if len(kinds) > 1 {
		for _, kind := range kinds[:min(len(kinds), maxSymbols)] {
			it := b.symbol(kind, of[kind])
			if name := stepName(kind); name != "" && of["decision"] != nil && !slices.ContainsFunc(of["svc"], hasInAndOut) {
				it.name = name
			}
			out = append(out, it)
		}
	}
	if async != nil && other != nil && b.lineLook(async) != b.lineLook(other) {
		out = append(out, item{name: "Asynchronous", look: b.lineLook(async), w: symbolWide, h: 10, head: model.ArrowOf(async) != "--"})
	}
	return out
}

// lineLook returns the style of the line that shows in a legend how an edge is drawn.
func (b *furniture) lineLook(e *cell) style.Style {
	look := "line;html=1;strokeWidth=1;connectable=0;" + mxfile.BadgeKey + "=" + partMark + ";strokeColor=" + style.Style(b.scheme.Line) + ";"
	for _, key := range []string{"strokeColor", "strokeWidth", "dashed", "dashPattern"} {
		if v, ok := b.look(e).Get(key); ok {
			look = look.Set(key, v)
		}
	}
	return look
}

// stepName returns the name of a type in the legend of a flowchart, "" for types that have
// no name of their own there.
func stepName(kind string) string {
	switch kind {
	case "svc":
		return "Start, end"
	case "box":
		return "Step"
	}
	return ""
}

// hasInAndOut reports whether a shape has both an incoming and an outgoing edge.
func hasInAndOut(x *cell) bool {
	in, out := false, false
	for _, e := range arranger.EdgesOf([]*cell{x}) {
		from, to := model.Ends(e)
		in, out = in || to == x, out || from == x
	}
	return in && out
}

// symbol returns the line of a type: a small shape of it, in the colours of the cells if
// they all have the same colours.
func (b *furniture) symbol(kind string, cells []*cell) item {
	x := cells[0]
	s := b.look(x)
	for _, key := range []string{"fillColor", "strokeColor", "gradientColor"} {
		v := model.StyleValue(s, key)
		for _, o := range cells {
			if model.StyleValue(b.look(o), key) != v {
				s = s.Set("fillColor", b.scheme.Neutral.Fill).Set("strokeColor", b.scheme.Neutral.Stroke).Drop("gradientColor")
			}
		}
	}
	for _, key := range []string{"rotation", "container", model.PinKey, "fontSize", "fontColor", "fontStyle", "shadow", "points", mxfile.DefinedKey} {
		s = s.Drop(key)
	}
	for _, key := range []string{"size", "arcSize"} { // in units, so scale them with the shape
		if n := s.Resolve("").Num(key, 0); n > 5 && (key == "size" || s.Is("absoluteArcSize", "1")) {
			s = s.Set(key, "5")
		}
	}
	scale := min(symbolWide/math.Max(x.Geo.W, 1), symbolHigh/math.Max(x.Geo.H, 1))
	it := item{name: title(kind), look: s.Set("connectable", "0").Set(mxfile.BadgeKey, partMark)}
	it.w, it.h = math.Max(6, math.Round(x.Geo.W*scale)), math.Max(6, math.Round(x.Geo.H*scale))
	return it
}

// title returns the name of a type in a legend.
func title(kind string) string {
	switch kind {
	case "svc":
		return "Service"
	case "db":
		return "Database"
	case "doc":
		return "Document"
	case "api":
		return "API"
	}
	_, own, packed := strings.Cut(kind, ".")
	if packed {
		kind = own
	}
	words := strings.FieldsFunc(kind, func(r rune) bool { return r == '_' || r == '-' })
	if len(words) == 0 {
		return kind
	}
	words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	return strings.Join(words, " ")
}
