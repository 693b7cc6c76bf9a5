package diagram

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/layout"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// mindHelp is what the help says of mind maps.
func mindHelp() []string {
	return []string{
		"root, topic, branch: add topic Launch · add topic Market of:Launch · add topic Prices of:Market before:Rivals · each has the colour of its branch and stands in the order of its siblings; any shape may have topics",
		"order, parent: move Prices before:Rivals · move Prices after:Segments · move Prices of:Risks · with all that hangs on it",
		"layout of a mind map keeps the order: the first branches at the right, the others at the left; dir:LR all at the right. A map of up to 60 topics that is laid out stays so when some come and move. mermaid draws a whole map from text, and export mermaid writes one",
	}
}

// limb reports whether an edge is a branch of a mind map: a curve without heads and a label.
func limb(e *cell) bool {
	bare := func(key string) bool {
		v, ok := e.Style.Get(key)
		return ok && v == "none" || !ok && key == "startArrow"
	}
	return e.Edge && e.Style.Is("curved", "1") && bare("startArrow") && bare("endArrow") && e.Source != "" && e.Target != "" && edgeLabel(e) == ""
}

// limbs are the branches that lead from a shape, in their order.
func limbs(x *cell) (out []*cell) {
	for _, e := range x.Page.Out(x.ID) {
		if limb(e) {
			out = append(out, e)
		}
	}
	return out
}

// stem is the branch that leads to a shape, nil for a root.
func stem(x *cell) *cell {
	for _, e := range x.Page.In(x.ID) {
		if limb(e) {
			return e
		}
	}
	return nil
}

// above are what a shape hangs on, the nearest first.
func above(x *cell) (out []*cell) {
	for e := stem(x); e != nil; e = stem(x) {
		if x = x.Page.Cell(e.Source); x == nil || slices.Contains(out, x) {
			break
		}
		out = append(out, x)
	}
	return out
}

// under appends what hangs on a shape.
func under(x *cell, out []*cell) []*cell {
	for _, e := range limbs(x) {
		if k := x.Page.Cell(e.Target); k != nil && !slices.Contains(out, k) {
			out = under(k, append(out, k))
		}
	}
	return out
}

// mindMap reports whether shapes are one mind map: branches lead from one of them to each other once.
func mindMap(shapes []*cell) bool {
	if len(shapes) < 3 {
		return false
	}
	roots := 0
	var root *cell
	for _, x := range shapes {
		into := x.Page.In(x.ID)
		switch {
		case expands(x) || len(into) > 1 || len(into) == 1 && !limb(into[0]):
			return false
		case len(into) == 0:
			root, roots = x, roots+1
		}
	}
	return roots == 1 && len(under(root, nil)) == len(shapes)-1
}

// regrown is up to how many shapes a mind map is laid out with each topic that comes or moves.
const regrown = 60

// grows reports whether a page shows a mind map, or its root alone, as its layout has it.
func grows(f *file) bool {
	all := outermostOf(f.Current)
	if len(all) > regrown {
		return false
	}
	return len(all) == 1 || len(all) == 2 && stem(all[0]) != stem(all[1]) || mindMap(all) && layMind(f, all).Edit() == nil
}

// layMind drafts the layout of a mind map.
func layMind(f *file, all []*cell) *mxfile.Draft {
	l := &arranger{d: f.Draft(), algo: "mind", grown: map[*cell]geom.Rect{}}
	l.arrange(all)
	return l.d
}

// regrow lays out the mind map that a page shows.
func regrow(c *ctx) error {
	all := outermostOf(c.Model.Current)
	if !mindMap(all) {
		return nil
	}
	if e := layMind(c.Model, all).Edit(); e != nil {
		if err := c.Do(e, "layout of the mind map"); err != nil {
			return err
		}
		return placeFurniture(c)
	}
	return nil
}

// topicWord reports whether add makes a topic of a mind map.
func topicWord(f *file, a pdk.Args) bool {
	if len(a.Positionals) < 2 || !strings.EqualFold(a.Text(0), "topic") {
		return a.Has("of")
	}
	_, _, defined := typeNamed(f, "topic")
	return !defined
}

// addTopic is add topic LABEL of:REF: a shape in the colour of its branch, and the branch to it.
func addTopic(c *ctx, a pdk.Args) error {
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
	f := c.Model
	parent, next, err := hangOn(f, a)
	if err != nil {
		return err
	}
	id, text, err := addNames(f, a, a.Text(len(a.Positionals)-1), 1)
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return pdk.Errorf("add needs a label")
	}
	t, _ := style.ShapeNamed("svc")
	level, theme, like := 0, "", t.Style
	if parent != nil {
		level = len(above(parent)) + 1
		theme = branches()[len(limbs(parent))%len(branches())]
	}
	if level > 1 { // in the colours of its branch
		theme, like = "", tinted(like, parent.Style)
	}
	look, r := thought(level, text, theme, like)
	if look, err = themed(f, a, look); err != nil {
		return err
	}
	layer, err := ensureLayer(c)
	if err != nil {
		return err
	}
	where := spot{page: f.Current, dx: 1, near: parent}
	if parent != nil {
		if kids := limbs(parent); len(kids) > 0 {
			where.near, where.dx, where.dy = f.Current.Cell(kids[len(kids)-1].Target), 0, 1
		}
		if o := parent.Owner(); o != nil && isGroup(o) {
			where.in, layer = o, o.ID
		} else if parent.Layer() != nil {
			layer = parent.Layer().ID
		}
	}
	laid := grows(f)
	d := f.Draft()
	if id == "" {
		id = d.NewID()
	}
	at, _ := where.find(r.W, r.H, nil)
	d.Append(f.Current, id, mxfile.NewVertex(id, mxfile.LabelValue(text, true), look, layer, at))
	grown := map[*cell]geom.Rect{}
	if where.in != nil {
		fit(d, grown, where.in, at)
	}
	pushed := makeWay(d, grown, nil)
	line := ""
	if parent != nil {
		line = d.NewID()
		d.Append(f.Current, line, mxfile.NewEdge(line, "", limbStyle(), layer, parent.ID, id))
	}
	if err := c.Do(d.Edit(), "add topic "+oneLine(text), eventID(f.Current.Key, id)); err != nil {
		return err
	}
	if err := inTurn(c, f.Current.Cell(line), next); err != nil {
		return err
	}
	if laid {
		if err := regrow(c); err != nil {
			return err
		}
	}
	told := ""
	if parent != nil {
		told = " of " + name(parent)
	}
	c.Created("topic %s%s %s%s%s", oneLine(text), told, box(f.Current.Cell(id).Abs()), themeSuffix(f.Current.Cell(id)), aftermath(grown, pushed))
	return nil
}

// hangOn is what of:, before: and after: say of a topic: what it hangs on, and the branch that its own comes before, nil
// for the end.
func hangOn(f *file, a pdk.Args) (parent, next *cell, err error) {
	if ref, ok := a.Param("of"); ok {
		if parent, err = vertex(f, ref); err != nil {
			return nil, nil, err
		}
		if compound(outermost(parent)) || expands(parent) {
			return nil, nil, pdk.Errorf("%s is %s, which has no topics", short(parent), article(parent.Kind()))
		}
	}
	for _, key := range []string{"before", "after"} {
		ref, ok := a.Param(key)
		if !ok {
			continue
		}
		other, err := vertex(f, ref)
		if err != nil {
			return nil, nil, err
		}
		e := stem(other)
		if e == nil {
			return nil, nil, pdk.Errorf("%s hangs on nothing, so nothing goes %s it", short(other), key).TryQuery("map")
		}
		if on := f.Current.Cell(e.Source); parent == nil {
			parent = on
		} else if on != parent {
			return nil, nil, pdk.Errorf("%s does not hang on %s", short(other), short(parent)).Try(a.Mended(pdk.Without("of")), a.Mended(pdk.Without(key)))
		}
		if next = e; key == "after" {
			all := limbs(parent)
			next = nil
			if i := slices.Index(all, e) + 1; i < len(all) {
				next = all[i]
			}
		}
	}
	return parent, next, nil
}

// inTurn puts a branch before another, or behind all.
func inTurn(c *ctx, e, next *cell) error {
	if e == nil || e == next {
		return nil
	}
	all := limbs(e.Page.Cell(e.Source))
	if i := slices.Index(all, e); next == nil && i == len(all)-1 || next != nil && i+1 < len(all) && all[i+1] == next {
		return nil
	}
	d := c.Model.Draft()
	d.Reorder([]*cell{e}, next)
	return c.Do(d.Edit(), "put "+short(e)+" in its turn", idOf(e))
}

// moveTopic is move REF of:, before: or after: another topic.
func moveTopic(c *ctx, a pdk.Args) error {
	f := c.Model
	for _, kv := range a.Params {
		if key := kv.Key; key != "of" && key != "after" && key != "before" {
			return pdk.Errorf("of:, after: and before: say where in a mind map; %s: does not go with them", key).Try(a.Mended(pdk.Without(key)), a.Mended(pdk.Without("of", "after", "before")))
		}
	}
	cells, used, err := target(c, a, false)
	if err != nil {
		return err
	}
	if len(cells) != 1 || len(a.Texts(used)) > 0 || !cells[0].Vertex {
		return pdk.Errorf("move takes one topic at a time").TryQuery("map")
	}
	x := cells[0]
	parent, next, err := hangOn(f, a)
	if err != nil {
		return err
	}
	if parent == x || slices.Contains(above(parent), x) {
		return pdk.Errorf("%s hangs on %s", short(parent), short(x))
	}
	e := stem(x)
	if next != nil && next == e {
		return pdk.Unchanged("%s is already there", short(x))
	}
	laid, was := grows(f), f.Current.Version()
	switch {
	case e == nil:
		d := f.Draft()
		id := d.NewID()
		d.Append(f.Current, id, mxfile.NewEdge(id, "", limbStyle(), x.Parent, parent.ID, x.ID))
		if err := c.Do(d.Edit(), "hang "+name(x)+" on "+name(parent), eventID(f.Current.Key, id)); err != nil {
			return err
		}
		e = f.Current.Cell(id)
	case e.Source != parent.ID:
		d := f.Draft()
		d.Change(e, func(t mxfile.Text) mxfile.Text { return t.WithAttr("source", parent.ID).WithPoints(nil) })
		if from := above(parent); len(from) > 0 || len(above(x)) > 1 { // it takes the colours of its new branch
			for _, k := range under(x, []*cell{x}) {
				if len(from) > 0 && tinted(k.Style, x.Style) == k.Style {
					d.Change(k, func(t mxfile.Text) mxfile.Text { return t.WithStyle(tinted(k.Style, parent.Style)) })
				}
			}
		}
		if err := c.Do(d.Edit(), "hang "+name(x)+" on "+name(parent), idOf(x)); err != nil {
			return err
		}
		x, e = f.Current.Cell(x.Key), f.Current.Cell(e.Key)
	}
	if err := inTurn(c, e, next); err != nil {
		return err
	}
	if f.Current.Version() == was {
		return pdk.Unchanged("%s is already there", short(x))
	}
	if laid {
		if err := regrow(c); err != nil {
			return err
		}
	}
	told := ""
	if next != nil {
		told = " before " + name(f.Current.Cell(next.Target))
	}
	c.Changed("topic %s of %s%s", name(x), name(parent), told)
	return nil
}

// limbStyle is what a branch looks like.
func limbStyle() style.Style {
	return style.SetHead(edgeStyle, "end", "none").Set("curved", "1").Set("strokeWidth", "2").Set("strokeColor", "#999999")
}

// tinted is a style with the colours of another.
func tinted(s, like style.Style) style.Style {
	for _, key := range []string{"fillColor", "strokeColor", "fontColor"} {
		if v, ok := like.Get(key); ok {
			s = s.Set(key, v)
		} else {
			s = s.Drop(key)
		}
	}
	return s
}

// thought is what a topic of a mind map looks like, and its size: the root is large, what hangs on it smaller and in
// the colour of its branch, "" for that which it has.
func thought(level int, label, theme string, look style.Style) (style.Style, geom.Rect) {
	wide := math.Ceil(widest(label)/10) * 10
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
	high := 24 + textLine*lineCount(label)
	if level == 1 {
		return look.Set("fontStyle", "1"), geom.Rect{W: math.Max(100, wide+30), H: high + 6}
	}
	return look, geom.Rect{W: math.Max(60, wide+24), H: high}
}

// mindDir is how a layout that names no algorithm draws a mind map: to both sides, or as a tree in the direction that it says.
func mindDir(a pdk.Args, sets [][]*cell) (algo string, ok bool) {
	if a.Has("algo") || a.Has("by") || len(sets) != 1 || !mindMap(sets[0]) {
		return "", false
	}
	if a.Has("dir") {
		return "tree", true
	}
	return "mind", true
}

// mindOptions are a mind map's own: its topics stand closer than other shapes.
func mindOptions(o layout.Options) layout.Options {
	if o.Spacing <= 0 {
		o.Spacing = 44
	}
	return o
}
