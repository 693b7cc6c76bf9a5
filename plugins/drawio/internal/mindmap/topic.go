package mindmap

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// IsTopic reports whether an add makes a topic of a mind map.
func IsTopic(f *file, a pdk.Args) bool {
	if len(a.Positionals) < 2 || !strings.EqualFold(a.Text(0), "topic") {
		return a.Has("of")
	}
	_, _, defined := catalog.TypeNamed(f, "topic")
	return !defined
}

// AddTopic runs `add topic LABEL of:REF`: it draws a shape in the colour of its branch, and
// the branch to it.
func AddTopic(c *ctx, a pdk.Args) error {
	pdk.Check(checkTopic(a))
	f := c.Model
	parent, next := pdk.Must2(readPlace(f, a))
	id, text := pdk.Must2(edit.NewNames(f, a, a.Text(len(a.Positionals)-1), 1))
	if strings.TrimSpace(text) == "" {
		return pdk.Errorf("add needs a label")
	}
	t, _ := style.ShapeNamed("svc")
	level, theme, like := 0, "", t.Style
	if parent != nil {
		level = len(ancestors(parent)) + 1
		theme = BranchThemes()[len(branches(parent))%len(BranchThemes())]
	}
	if level > 1 { // in the colours of its branch
		theme, like = "", withColors(like, parent.Style)
	}
	look, r := TopicStyle(level, text, theme, like)
	look = pdk.Must(edit.WithTheme(f, a, look))
	layer := pdk.Must(edit.EnsureLayer(c))
	where := placement.Spot{Page: f.Current, DX: 1, Near: parent}
	if parent != nil {
		if kids := branches(parent); len(kids) > 0 {
			where.Near, where.DX, where.DY = f.Current.Cell(kids[len(kids)-1].Target), 0, 1
		}
		if o := parent.Owner(); o != nil && model.IsGroup(o) {
			where.In, layer = o, o.ID
		} else if parent.Layer() != nil {
			layer = parent.Layer().ID
		}
	}
	laid := isLaidOut(f)
	d := f.Draft()
	if id == "" {
		id = d.NewID()
	}
	at, _ := where.Find(r.W, r.H, nil)
	d.Append(f.Current, id, mxfile.NewVertex(id, mxfile.LabelValue(text, true), look, layer, at))
	grown := map[*cell]geom.Rect{}
	if where.In != nil {
		placement.Fit(d, grown, where.In, at)
	}
	pushed := placement.MakeWay(d, grown, nil)
	line := ""
	if parent != nil {
		line = d.NewID()
		d.Append(f.Current, line, mxfile.NewEdge(line, "", BranchStyle(), layer, parent.ID, id))
	}
	pdk.Check(c.Do(d.Edit(), "add topic "+values.OneLine(text), model.EventID(f.Current.Key, id)))
	pdk.Check(moveBranch(c, f.Current.Cell(line), next))
	if laid {
		pdk.Check(layOutAgain(c))
	}
	detail := ""
	if parent != nil {
		detail = " of " + model.Reference(parent)
	}
	c.Created("topic %s%s %s%s%s", values.OneLine(text), detail, values.Box(f.Current.Cell(id).Abs()), model.ThemeSuffix(f.Current.Cell(id)), placement.Growth(grown, pushed))
	return nil
}

// checkTopic refuses words and parameters that topics do not take.
func checkTopic(a pdk.Args) error {
	if len(a.Positionals) == 2 && !strings.EqualFold(a.Text(0), "topic") {
		return pdk.Errorf("of: is for a topic of a mind map").Try(a.Mended(pdk.WithWords(0, 1, "topic")), a.Mended(pdk.Without("of")))
	}
	if len(a.Positionals) > 2 {
		return pdk.Errorf("add topic takes one label; quote a label with spaces").Try(a.Mended(pdk.WithJoined(1)))
	}
	for _, kv := range a.Params {
		if !slices.Contains([]string{"of", "before", "after", "id", "label", "theme"}, kv.Key) {
			return pdk.Errorf("%s: does not go with a topic, which its map gives its place", kv.Key).Try(a.Mended(pdk.Without(kv.Key)))
		}
	}
	return nil
}

// readPlace reads of:, before: and after: of a topic. It returns the topic above it, and the
// branch that its own goes before, nil for the end.
func readPlace(f *file, a pdk.Args) (parent, next *cell, err error) {
	if ref, ok := a.Param("of"); ok {
		parent = pdk.Must(selector.Vertex(f, ref))
		if model.IsCompound(model.Outermost(parent)) || model.Expands(parent) {
			return nil, nil, pdk.Errorf("%s is %s, which has no topics", model.Short(parent), values.Article(parent.Kind()))
		}
	}
	for _, key := range []string{"before", "after"} {
		ref, ok := a.Param(key)
		if !ok {
			continue
		}
		other := pdk.Must(selector.Vertex(f, ref))
		e := branchTo(other)
		if e == nil {
			return nil, nil, pdk.Errorf("%s is not a subtopic, so nothing can go %s it", model.Short(other), key).TryQuery("map")
		}
		if on := f.Current.Cell(e.Source); parent == nil {
			parent = on
		} else if on != parent {
			return nil, nil, pdk.Errorf("%s is not a subtopic of %s", model.Short(other), model.Short(parent)).Try(a.Mended(pdk.Without("of")), a.Mended(pdk.Without(key)))
		}
		if next = e; key == "after" {
			all := branches(parent)
			next = nil
			if i := slices.Index(all, e) + 1; i < len(all) {
				next = all[i]
			}
		}
	}
	return parent, next, nil
}

// moveBranch moves a branch before another one, or behind all others.
func moveBranch(c *ctx, e, next *cell) error {
	if e == nil || e == next {
		return nil
	}
	all := branches(e.Page.Cell(e.Source))
	if i := slices.Index(all, e); next == nil && i == len(all)-1 || next != nil && i+1 < len(all) && all[i+1] == next {
		return nil
	}
	d := c.Model.Draft()
	d.Reorder([]*cell{e}, next)
	return c.Do(d.Edit(), "put "+model.Short(e)+" in its turn", model.ID(e))
}

// MoveTopic runs `move REF` with of:, before: or after: another topic.
func MoveTopic(c *ctx, a pdk.Args) error {
	f := c.Model
	for _, kv := range a.Params {
		if key := kv.Key; key != "of" && key != "after" && key != "before" {
			return pdk.Errorf("of:, after: and before: give the place in a mind map; %s: does not go with them", key).Try(a.Mended(pdk.Without(key)), a.Mended(pdk.Without("of", "after", "before")))
		}
	}
	cells, used := pdk.Must2(selector.Target(c, a, false))
	if len(cells) != 1 || len(a.Texts(used)) > 0 || !cells[0].Vertex {
		return pdk.Errorf("move takes one topic at a time").TryQuery("map")
	}
	x := cells[0]
	parent, next := pdk.Must2(readPlace(f, a))
	if parent == x || slices.Contains(ancestors(parent), x) {
		return pdk.Errorf("%s cannot become a subtopic of %s", model.Short(x), model.Short(parent))
	}
	e := branchTo(x)
	if next != nil && next == e {
		return pdk.Unchanged("%s is already there", model.Short(x))
	}
	laid, was := isLaidOut(f), f.Current.Version()
	switch {
	case e == nil:
		d := f.Draft()
		id := d.NewID()
		d.Append(f.Current, id, mxfile.NewEdge(id, "", BranchStyle(), x.Parent, parent.ID, x.ID))
		pdk.Check(c.Do(d.Edit(), "hang "+model.Reference(x)+" on "+model.Reference(parent), model.EventID(f.Current.Key, id)))
		e = f.Current.Cell(id)
	case e.Source != parent.ID:
		d := f.Draft()
		d.Change(e, func(t mxfile.Text) mxfile.Text { return t.WithAttr("source", parent.ID).WithPoints(nil) })
		if from := ancestors(parent); len(from) > 0 || len(ancestors(x)) > 1 { // repaint in the colours of the new branch
			for _, k := range descendants(x, []*cell{x}) {
				if len(from) > 0 && withColors(k.Style, x.Style) == k.Style {
					d.Change(k, func(t mxfile.Text) mxfile.Text { return t.WithStyle(withColors(k.Style, parent.Style)) })
				}
			}
		}
		pdk.Check(c.Do(d.Edit(), "hang "+model.Reference(x)+" on "+model.Reference(parent), model.ID(x)))
		x, e = f.Current.Cell(x.Key), f.Current.Cell(e.Key)
	}
	pdk.Check(moveBranch(c, e, next))
	if f.Current.Version() == was {
		return pdk.Unchanged("%s is already there", model.Short(x))
	}
	if laid {
		pdk.Check(layOutAgain(c))
	}
	detail := ""
	if next != nil {
		detail = " before " + model.Reference(f.Current.Cell(next.Target))
	}
	c.Changed("topic %s of %s%s", model.Reference(x), model.Reference(parent), detail)
	return nil
}

// withColors gives a style the colours of another.
func withColors(s, like style.Style) style.Style {
	for _, key := range []string{"fillColor", "strokeColor", "fontColor"} {
		if v, ok := like.Get(key); ok {
			s = s.Set(key, v)
		} else {
			s = s.Drop(key)
		}
	}
	return s
}

// TopicStyle returns the style and size of a topic. The root, level 0, is large; topics
// below it are smaller and painted with theme, if that is not empty.
func TopicStyle(level int, label, theme string, look style.Style) (style.Style, geom.Rect) {
	wide := math.Ceil(model.LabelWidth(label)/10) * 10
	if level == 0 {
		t, _ := style.ThemeNamed("dark")
		size := geom.Rect{W: math.Max(140, wide*1.4+40), H: 60}
		if look.Is("aspect", "fixed") {
			size.H, size.W = math.Max(100, wide*1.3+30), math.Max(100, wide*1.3+30)
		}
		return t.Paint(look).Set("fontSize", "16").Set("fontStyle", "1"), size
	}
	if t, ok := style.ThemeNamed(theme); ok {
		look = t.Paint(look)
	}
	high := 24 + model.LineHeight*model.LineCount(label)
	if level == 1 {
		return look.Set("fontStyle", "1"), geom.Rect{W: math.Max(100, wide+30), H: high + 6}
	}
	return look, geom.Rect{W: math.Max(60, wide+24), H: high}
}

// BranchThemes lists the themes of a mind map's branches in the order in which they are
// used.
func BranchThemes() []string { return []string{"blue", "green", "orange", "purple", "red", "yellow"} }
