package edit

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/compound"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/outline"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// StyleKeys are the style keys of a verb. Changes checks their values.
func StyleKeys() (list []pdk.Parameter) {
	heads := strings.Join(style.HeadNames(), "|")
	for _, k := range [][2]string{
		{"theme", "THEME"}, {"fill", "COLOUR"}, {"stroke", "COLOUR"}, {"font-color", "COLOUR"}, {"font", "FAMILY"}, {"font-size", "1-400"}, {"opacity", "0-100"},
		{"align", "left|center|right"}, {"valign", "top|middle|bottom"}, {"stroke-width", "N"}, {"source-arrow", heads}, {"target-arrow", heads},
		{"exit", "FACE[@0-1]|none"}, {"entry", "FACE[@0-1]|none"}, {"unset", "KEY,KEY… to remove from the style"}, {"KEY", "any style key of draw.io"},
	} {
		list = append(list, values.Text(k[0], k[1]))
	}
	return list
}

// Report reports the change of one cell, or of several in one line.
func Report(c *ctx, cells []*cell, format string, args ...any) {
	if len(cells) > 1 {
		c.Bulk(format, args...)
		return
	}
	c.Changed(format, args...)
}

// ReadChanges reads the flags from positional from on, and all parameters whose keys are
// not in skip.
func ReadChanges(f *file, a pdk.Args, from int, skip map[string]bool) (*style.Changes, error) {
	changes := style.Changes{More: catalog.Themes(f)}
	for i := min(from, len(a.Positionals)); i < len(a.Positionals); i++ {
		if err := changes.Flag(a.Text(i)); err != nil {
			return nil, noFlag(f, a, from, i, err)
		}
	}
	return &changes, addParams(f, &changes, a, skip)
}

// addParams adds the changes that the parameters of an op name, except those whose keys are in skip.
func addParams(f *file, changes *style.Changes, a pdk.Args, skip map[string]bool) error {
	for _, kv := range a.Params {
		if skip[kv.Key] {
			continue
		}
		key := ownKey(kv.Key, kv.Value)
		if err := addChange(f, changes, key, kv.Value); err != nil {
			if slices.Contains(style.KeyNames(), style.Key(key)) || slices.Contains(style.Flags(), style.Key(key)) {
				return err
			}
			return noKey(f, a, kv, skip, err.Error())
		}
	}
	return nil
}

// noFlag returns the error for word i, which is not a flag. The words before from name the
// targets of the op.
func noFlag(f *file, a pdk.Args, from, i int, why error) error {
	word := a.Text(i)
	if a.IsArrow(i) {
		err := pdk.Errorf("%s takes one of: a reference, REF ARROW REF, a selector", a.Verb)
		if _, none := selector.Shape(f, a.Text(i+1), true); none == nil {
			err.TryQuery("connections " + pdk.Quote(a.Text(i+1)))
		}
		return err
	}
	if x, none := selector.Shape(f, word, true); none == nil {
		err := pdk.Errorf("%s takes one reference or a selector; %s is one too many", a.Verb, model.Short(x))
		if from == 1 {
			err.Try(a.Mended(pdk.WithoutWord(i)), a.Mended(pdk.WithWords(0, 1, word), pdk.WithoutWord(i)))
		}
		return err
	}
	if _, ok := style.Color(word); ok {
		return pdk.Errorf("%s; a colour goes after fill: or stroke:", why.Error()).Try(a.Mended(pdk.WithoutWord(i), pdk.WithParam("fill", word)))
	}
	err := pdk.Errorf("%s", why.Error())
	if key, value, ok := strings.Cut(word, ":"); ok && key == "text" && a.Verb == "modify" { // text is also a type, so the word reads as TYPE:LABEL
		return err.Try(a.Mended(pdk.WithoutWord(i), pdk.WithParam("label", value)))
	}
	near := pdk.Nearest(word, style.Flags())
	if len(near) == 0 {
		err.Message += "; styles: " + strings.Join(append(style.LineFlags(), "underline"), " ")
	}
	for _, n := range near {
		err.Try(a.Mended(pdk.WithWords(i, 1, n)))
	}
	return err
}

// noKey returns the error for a key that is neither one of the verb's own nor a style key.
// It suggests similar keys that accept the value.
func noKey(f *file, a pdk.Args, kv abi.KeyValue, own map[string]bool, why string) error {
	err := pdk.Errorf("%s", why)
	if key := endKey(kv); key != "" && own[model.SourceLabel] && !a.Has(key) {
		return err.Try(a.Mended(pdk.WithKey(kv.Key, key)))
	}
	if _, none := value.Direction.Parse(strings.TrimSuffix(kv.Key, "-of")); none == nil && own["near"] && !a.Has("near") && !a.Has("dir") {
		return err.Try(a.Mended(pdk.Without(kv.Key), pdk.WithParam("near", kv.Value), pdk.WithParam("dir", strings.TrimSuffix(kv.Key, "-of"))))
	}
	flag := slices.Contains(style.Flags(), strings.ToLower(kv.Value)) // fontWeight:bold
	if flag && own["style"] && !a.Has("style") {
		return err.Try(a.Mended(pdk.Without(kv.Key), pdk.WithParam("style", strings.ToLower(kv.Value))))
	}
	if flag && !own["style"] {
		return err.Try(a.Mended(pdk.Without(kv.Key), pdk.WithWords(len(a.Positionals), 0, strings.ToLower(kv.Value))))
	}
	for _, near := range pdk.Nearest(kv.Key, slices.Sorted(maps.Keys(own))) {
		if !a.Has(near) && compound.Takes(a, near) {
			err.Try(a.Mended(pdk.WithKey(kv.Key, near)))
		}
	}
	if len(kv.Key) < 2 { // too short to suggest anything
		return err
	}
	for _, near := range pdk.Nearest(kv.Key, append(style.KeyNames(), "color", "colour", "background", "border")) {
		if !a.Has(near) && !own[near] && addChange(f, &style.Changes{More: catalog.Themes(f)}, ownKey(near, kv.Value), kv.Value) == nil {
			err.Try(a.Mended(pdk.WithKey(kv.Key, near))) // one suggestion: several are often synonyms
			break
		}
	}
	if len(err.Tries) == 0 {
		err.Try(a.Mended(pdk.Without(kv.Key)))
	}
	return err
}

// endKey returns the key for the end of an edge that other words for it mean: that of a head, or else that of a label. It returns "" for
// other keys.
func endKey(kv abi.KeyValue) string {
	end := ""
	switch word, _ := strings.CutSuffix(strings.TrimPrefix(strings.ToLower(kv.Key), "label-"), "-label"); word {
	case "start", "from", "source", "tail":
		end = "source"
	case "end", "to", "target", "head", "multiplicity", "cardinality", "role":
		end = "target"
	default:
		return ""
	}
	if _, ok := style.Head(kv.Value); ok {
		return end + "-arrow"
	}
	return end + "-label"
}

var plainKey = strings.NewReplacer("-", "", "_", "")

// ownKey returns this domain's name for a key that other tools spell differently. It
// returns the key itself if this domain or draw.io has it.
func ownKey(key, value string) string {
	switch plainKey.Replace(strings.ToLower(key)) {
	case "color", "colour", "backgroundcolor", "backgroundcolour", "bg", "bgcolor", "fillcolour":
		return "fill"
	case "background": // for BPMN symbols its value is a word
		if _, ok := style.Color(value); ok {
			return "fill"
		}
	case "border", "bordercolor", "bordercolour", "linecolor", "linecolour", "line", "strokecolour":
		return "stroke"
	case "textcolor", "textcolour", "fontcolour":
		return "font-color"
	case "textsize":
		return "font-size"
	case "linewidth", "borderwidth", "thickness":
		return "stroke-width"
	case "alpha", "transparency":
		return "opacity"
	}
	return style.Key(key)
}

// addChange adds a change given as key and value.
func addChange(f *file, changes *style.Changes, key, value string) error {
	if _, ok := catalog.ThemeNamed(f, value); key == "theme" && !ok {
		return catalog.UnknownTheme(f, value)
	}
	if err := changes.Set(key, value); err != nil {
		return pdk.Errorf("%s", err.Error()).Instead(value, suggestValues(key, value)...)
	}
	return nil
}

// suggestValues returns values to suggest for a style key with a wrong value: the nearest
// words or the nearest number.
func suggestValues(key, written string) []string {
	if lo, hi, ok := style.NumberRange(key); ok {
		if n, ok := value.ParseNumber(written); ok {
			return []string{mxfile.Num(math.Max(lo, math.Min(hi, n)))}
		}
		return nil
	}
	word, place, placed := strings.Cut(written, "@")
	var out []string
	words := slices.Concat(style.ColorNames(), style.HeadNames(), values.Sides(), []string{"auto", "true", "false"})
	for _, w := range pdk.Nearest(word, words) {
		if placed {
			w += "@" + place
		}
		if new(style.Changes).Set(key, w) == nil && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// Theme is the parameter theme; a document may define other themes.
var Theme = value.Key[string]{Name: "theme", Type: value.Text(strings.Join(style.ThemeNames(), "|"))}

// WithTheme applies the theme: of the op, if there is one, to a style.
func WithTheme(f *file, a pdk.Args, s style.Style) (style.Style, error) {
	v, ok := a.Param("theme")
	if !ok {
		return s, nil
	}
	t, ok := catalog.ThemeNamed(f, v)
	if !ok {
		return s, catalog.UnknownTheme(f, v)
	}
	return t.Paint(s), nil
}

// PlainEdge is the style of a new edge, without its heads.
const PlainEdge = style.Style("edgeStyle=orthogonalEdgeStyle;rounded=0;orthogonalLoop=1;jettySize=auto;html=1;")

// IsRelation reports whether a word between two shapes names a relation, such as inherits.
func IsRelation(word string) bool {
	_, ok := style.WithRelation("", word)
	return ok
}

// edgeKeys are the parameters of a new edge that are not style keys. It is never written to.
var edgeKeys = map[string]bool{"label": true, model.SourceLabel: true, model.TargetLabel: true, "style": true, "like": true, "via": true, "after": true, "before": true}

// EdgeStyle returns the style of a new edge: a plain one or that of like:, with the flags of style: and the style keys of the op. WithHeads
// adds the heads.
func EdgeStyle(f *file, a pdk.Args, plain style.Style) (style.Style, error) {
	if ref, ok := a.Param("like"); ok {
		e, err := selector.EdgeLike(f, ref)
		if err != nil {
			return "", err
		}
		plain = arranger.WithoutPorts(e.Style, "exit", "entry")
	}
	changes := style.Changes{More: catalog.Themes(f)}
	if v, ok := a.Param("style"); ok {
		flags := strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
		for i, flag := range flags {
			if err := changes.Flag(flag); err != nil {
				bad := pdk.Errorf("%s; styles: %s", err.Error(), strings.Join(style.LineFlags(), " "))
				for _, near := range pdk.Nearest(flag, style.LineFlags()) {
					bad.Try(a.Mended(pdk.WithParam("style", strings.Join(slices.Replace(slices.Clone(flags), i, i+1, near), ","))))
				}
				return "", bad
			}
		}
	}
	if err := addParams(f, &changes, a, edgeKeys); err != nil {
		return "", err
	}
	s, err := changes.Apply(plain, style.Edge)
	return s, Refuse(err)
}

// WithHeads gives an edge the heads of its arrow, unless the op names them or another edge whose heads it has.
func WithHeads(a pdk.Args, s style.Style, arrow string) style.Style {
	for _, end := range []struct {
		key, own string
		headed   bool
	}{{"start", "source-arrow", arrow == "<->"}, {"end", "target-arrow", arrow == "->" || arrow == "<->"}} {
		if a.Has("like") || a.Has(end.own) || a.Has(end.key+"Arrow") {
			continue
		}
		if end.headed {
			s = style.SetHead(s, end.key, "classic")
		} else if end.key == "end" {
			s = style.SetHead(s, end.key, "none")
		}
	}
	return s
}

// Via has the waypoints of an edge.
var Via = value.Key[[]geom.Point]{Name: "via", About: " waypoints, or none", Type: value.Type[[]geom.Point]{Takes: "X,Y;X,Y", Parse: func(s string) (out []geom.Point, err error) {
	if strings.EqualFold(s, "none") {
		return nil, nil
	}
	for part := range strings.SplitSeq(s, ";") {
		p, err := values.Point.Parse(part)
		var no *value.Invalid
		if errors.As(err, &no) {
			for i, near := range no.Near {
				no.Near[i] = strings.Replace(s, part, near, 1)
			}
			return nil, no
		}
		out = append(out, p)
	}
	return out, nil
}}}

// Refuse converts an error of package style into one of the SDK.
func Refuse(err error) error {
	if err == nil {
		return nil
	}
	return pdk.Errorf("%s", err.Error())
}

// GroupStyle is the style of a new group: a frame with its label at the top, into which one
// can drop shapes in draw.io.
const GroupStyle = style.Style("rounded=1;arcSize=4;whiteSpace=wrap;html=1;container=1;collapsible=0;recursiveResize=0;" +
	"verticalAlign=top;align=left;spacingLeft=10;spacingTop=4;fontStyle=1;fillColor=none;strokeColor=#999999;dashed=1;")

// WithPorts rotates the ports that exit: and entry: name, which refer to the box as seen,
// for shapes that have a direction: draw.io stores ports unrotated.
func WithPorts(a pdk.Args, s style.Style, from, to *cell) style.Style {
	for _, end := range []struct {
		which string
		at    *cell
	}{{"exit", from}, {"entry", to}} {
		x, okX := s.Get(end.which + "X")
		y, okY := s.Get(end.which + "Y")
		if end.at == nil || !a.Has(end.which) || !okX || !okY {
			continue
		}
		fx, fy := values.Number(x), values.Number(y)
		p, _ := outline.Port(end.at.Style.Resolve(""), geom.Point{X: fx, Y: fy}, geom.Point{}, false)
		s = style.Port(s, end.which, arranger.RoundPort(p.X), arranger.RoundPort(p.Y))
		if end.at.Style.Is("perimeter", "none") { // draw.io would attach the edge to the middle of the shape
			s = s.Set(end.which+"Perimeter", "0")
		}
		if fy == 1 && placement.LabelHangs(end.at) { // below its label
			s = arranger.BelowLabel(s, end.which, end.at)
		}
	}
	return s
}
