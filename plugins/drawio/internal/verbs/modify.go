package verbs

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/rows"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// newPlace is the place that modify gives a shape.
var newPlace = value.Key[geom.Point]{Name: "at", Type: values.Point}

func modifyVerb() verb {
	return verb{Run: runModify, Keys: append([]pdk.Parameter{
		values.Text("label", "TEXT"), sourceLabel, targetLabel, values.Text("type", strings.Join(style.Order(), "|")), values.Size, newPlace, edit.Via,
	}, edit.StyleKeys()...), Verb: abi.Verb{
		Syntax:  "modify REF|SEL|REF ARROW REF [label:] [source-label:] [target-label:] [type:T] [size:WxH] [at:X,Y] [via:X,Y;X,Y|none] [FLAG…] [key:value…]",
		Brief:   "modify REF|REF ARROW REF|SEL [label: type: size:WxH at:X,Y via:X,Y;…|none] [as style]",
		Summary: "change anything about shapes and edges at once", Category: "looks",
		Examples: []string{"modify AuthService label:Auth type:api theme:purple", "modify @type:box size:140x60 bold", `modify A -> B label:"reads" dashed`},
	}}
}

func runModify(c *ctx, a pdk.Args) error {
	cells, used := pdk.Must2(selector.Target(c, a, false))
	pdk.Check(rows.Refuse(a, cells[0]))
	changes := pdk.Must(edit.ReadChanges(c.Model, a, used, keySet(modifyKeys())))
	if changes.Len() == 0 && !slices.ContainsFunc(a.Params, func(kv abi.KeyValue) bool { return slices.Contains(modifyKeys(), kv.Key) }) {
		return pdk.Errorf("modify needs something to change")
	}
	d := c.Model.Draft()
	grown := map[*cell]geom.Rect{}
	was := model.List(cells, 1)
	size := map[*cell]geom.Rect{}
	var lost []*cell
	for _, x := range cells {
		size[x] = x.Geo
		cut := pdk.Must(draftCell(c.Model, d, grown, x, a, changes))
		if cut {
			lost = append(lost, x)
		}
	}
	if a.Has("at") && len(cells) > 1 {
		return pdk.Errorf("at: is for one shape, not for %s; the verb move takes several", pdk.Count(len(cells), "shape")).Try(a.Mended(pdk.Without("at")))
	}
	pushed := placement.MakeWay(d, grown, cells)
	var words []string
	for _, key := range modifyKeys() {
		if v, ok := a.Param(key); ok {
			words = append(words, key+":"+pdk.Quote(values.OneLine(v)))
		}
	}
	if changes.Len() > 0 {
		words = append(words, changes.Words())
	}
	pdk.Check(edit.Commit(c, d, "modify "+was, model.Already(cells, "like that", strings.Join(words, " ")), cells...))
	if edit.ReadEndTexts(a).Any() {
		pdk.Check(arranger.SettleEnds(c, cells))
	}
	edit.WarnTight(c, cells...)
	edit.Report(c, cells, "%s: %s%s", was, strings.Join(words, " "), placement.Growth(grown, pushed))
	edit.SayLost(c, lost)
	for _, x := range cells {
		if x.Vertex && !a.Has("size") && (x.Geo.W != size[x].W || x.Geo.H != size[x].H) {
			c.Also("%s is now %s", model.Short(x), values.Box(x.Abs()))
		}
	}
	return nil
}

// modifyKeys are the parameters of modify that are not style keys.
func modifyKeys() []string {
	return []string{"label", model.SourceLabel, model.TargetLabel, "type", "size", "at", "via"}
}

// keySet returns the set of keys.
func keySet(keys []string) map[string]bool {
	out := pdk.Set(keys)
	return out
}

// draftCell drafts what modify changes of one cell. It reports whether its old label had formats that the new one has not.
func draftCell(f *file, d *mxfile.Draft, grown map[*cell]geom.Rect, x *cell, a pdk.Args, changes *style.Changes) (cut bool, err error) {
	if x.Edge && (a.Has("type") || a.Has("size") || a.Has("at")) {
		return false, pdk.Errorf("%s is an edge: type:, size: and at: are for shapes", model.ArrowText(x))
	}
	if !x.Edge && a.Has("via") {
		return false, pdk.Errorf("%s is a shape: via: is for edges", model.Short(x)).Try(a.Mended(pdk.Without("via")))
	}
	ends := edit.ReadEndTexts(a)
	if !x.Edge && ends.Any() {
		return false, pdk.Errorf("%s is a shape: %s: and %s: are for edges", model.Short(x), model.SourceLabel, model.TargetLabel).Try(a.Mended(pdk.Without(model.SourceLabel, model.TargetLabel)))
	}
	if ends.Any() {
		cut = ends.For(a, x).Draft(d, x)
	}
	if v, ok := a.Param("label"); ok {
		cut = edit.Relabel(d, x, v) || cut
	}
	if a.Has("via") {
		draftWaypoints(d, x, edit.Via.Of(a))
	}
	s := x.Style
	if v, ok := a.Param("type"); ok {
		s = pdk.Must(withType(f, x, v))
	}
	kind := style.Vertex
	if x.Edge {
		kind = style.Edge
	}
	if s, err = changes.Apply(s, kind); err != nil {
		return false, pdk.Errorf("%s: %s", model.List([]*cell{x}, 1), err.Error())
	}
	if x.Edge {
		from, to := model.Ends(x)
		s = edit.WithPorts(a, s, from, to)
	}
	d.Restyle(x, s)
	return cut, draftShape(f, d, grown, x, a)
}

// draftShape drafts the size and position that modify gives a shape.
func draftShape(f *file, d *mxfile.Draft, grown map[*cell]geom.Rect, x *cell, a pdk.Args) error {
	r := x.Geo
	if size, ok := values.Size.Lookup(a); ok {
		r.W, r.H = size.W, size.H
	} else if v, ok := a.Param("type"); ok {
		// An icon has its own proportions; keep its middle.
		if t, _, ok := catalog.TypeNamed(f, v); ok && model.IsIconStyle(t.Style) != model.IsIconStyle(x.Style) || ok && model.IsIconStyle(t.Style) {
			r = geom.Rect{X: math.Round(r.Center().X - t.W/2), Y: math.Round(r.Center().Y - t.H/2), W: t.W, H: t.H}
		}
	}
	if p, ok := newPlace.Lookup(a); ok {
		if x.Relative {
			return pdk.Errorf("%s is fastened to its parent and cannot be moved alone", model.Short(x))
		}
		o := x.Origin()
		r.X, r.Y = p.X-o.X, p.Y-o.Y
		if x.Owner() != nil && (r.X < 0 || r.Y < 0) {
			return pdk.Errorf("that place lies outside %s", model.Short(x.Owner())).TryQuery("describe " + model.Reference(x.Owner()))
		}
		placement.Shift(d, []*cell{x}, func(*cell) geom.Point { return geom.Point{X: r.X - x.Geo.X, Y: r.Y - x.Geo.Y} })
	}
	if r == x.Geo {
		return nil
	}
	if model.IsPoolLane(x) || x.Kind() == "pool" {
		err := pdk.Errorf("modify does not change the place and size of %s", model.Short(x))
		if v, ok := a.Param("size"); ok && len(a.Params) == 1 && len(a.Positionals) == 1 {
			err.Tryf("resize %s %s", pdk.Quote(a.Text(0)), pdk.Quote(v))
		}
		return err
	}
	if need := placement.ContentBounds(x); model.Expands(x) && (r.W < need.Right() || r.H < need.Bottom()) {
		return pdk.Errorf("%s needs at least %sx%s for what is in it", model.Short(x), mxfile.Num(need.Right()), mxfile.Num(need.Bottom()))
	}
	if model.HasRows(x) {
		rows.Resize(d, x, r.W)
	}
	d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithGeo(r) })
	if o := x.Owner(); o != nil && model.Expands(o) && !x.Relative {
		placement.Fit(d, grown, o, r)
	}
	return nil
}

// The style keys that somebody may have set on a shape of any type, and those that mean the same on all but icons.
var (
	anyShape = []string{"rotation", "flipH", "flipV", "movable", "resizable", "rotatable", "editable", "deletable", "locked", "connectable",
		"textOpacity", "fillOpacity", "strokeOpacity", "textShadow", "sketch", "comic", "glass"}
	plainShape = []string{"gradientColor", "gradientDirection", "labelBackgroundColor", "labelBorderColor", "verticalAlign", "textDirection",
		"spacing", "spacingTop", "spacingLeft", "spacingBottom", "spacingRight"}
)

// withType returns the style of a shape that becomes another type: that of the type, with the
// colours, fonts, angle, pin and other looks that the shape had. Icons, and defined types with a
// theme, keep their own colours.
func withType(f *file, x *cell, kind string) (style.Style, error) {
	t, d, ok := catalog.TypeNamed(f, kind)
	if !ok {
		if k := style.Synonym(kind); style.Built(k) {
			return "", pdk.Errorf("unknown type %q; it is called %s here, and a shape cannot become one; add one", kind, k)
		}
		return "", catalog.UnknownType(f, kind)
	}
	if style.Built(t.Name) {
		return "", pdk.Errorf("a shape cannot become %s; add one", values.Article(t.Name))
	}
	if style.Built(x.Kind()) {
		return "", pdk.Errorf("%s is %s and stays one", model.Short(x), values.Article(x.Kind()))
	}
	if model.Expands(x) {
		return "", pdk.Errorf("%s is a group and has no type", model.Short(x))
	}
	s := t.Style
	keep := []string{"fontStyle", "fontSize", "fontFamily", "opacity", "dashed", "dashPattern", "shadow", "strokeWidth", "align"}
	own := anyShape // kept unless they are those of the old type
	if _, plain := style.ShapeNamed(t.Name); (plain || d.Name != "" && d.Theme == "") && !model.IsIcon(x) {
		keep = append(keep, "fillColor", "strokeColor", "fontColor")
		own = slices.Concat(own, plainShape)
	}
	was, _, _ := catalog.TypeNamed(f, x.Kind())
	for _, key := range slices.Concat(keep, own) {
		if v, ok := x.Style.Get(key); ok && (slices.Contains(keep, key) || !was.Style.Is(key, v)) {
			s = s.Set(key, v)
		}
	}
	if !x.HTML() {
		s = s.Set("html", "0")
	}
	return s, nil
}
