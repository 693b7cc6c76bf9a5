package diagram

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

func copyVerb() verb {
	return verb{Run: runCopy, Verb: abi.Verb{
		Name: "copy", Syntax: "copy REF|SEL [to:X,Y|REGION | near:REF [dir:]] [as:NAME] [strict:true]", Summary: "copy shapes with what is in them and the edges between them", Category: "shapes",
		Brief:  "copy REF|SEL [to:X,Y|REGION or near:REF dir:] [as: strict:true]",
		Params: []abi.Param{{Key: "to", Value: "X,Y|REGION"}, {Key: "near", Value: "REF"}, {Key: "dir", Value: "DIRECTION"}, {Key: "as", Value: "NAME of the copy"}, {Key: "strict", Value: "true"}},
		Select: true, Min: 0, Max: 3,
		Examples: []string{"copy AuthService as:AuthService2", "copy @group:Backend to:600,200", "copy UserDB near:UserDB dir:below"},
	}}
}

func runCopy(c *ctx, a pdk.Args) error {
	cells, used, err := target(c, a, false)
	if err != nil {
		return err
	}
	if len(a.Positionals) > used {
		err := pdk.Errorf("copy takes one reference or a selector; %q is one too many", a.Text(used))
		if len(a.Positionals) == used+1 && !a.Has("as") && !a.IsArrow(used) {
			err.Try(a.Mended(pdk.WithoutWord(used), pdk.WithParam("as", a.Text(used))))
		}
		return err
	}
	as, named := a.Param("as")
	if len(cells) == 1 && stacked(cells[0]) {
		return copyLane(c, a, cells[0], 1, func(int) string { return as })
	}
	if cells, err = copied(cells); err != nil {
		return err
	}
	cells = inOrder(cells[0].Page, cells)
	if named && (len(cells) > 1 || strings.TrimSpace(as) == "") {
		return pdk.Errorf("as: names one copy, and with a text; this would copy %s", plural(len(cells), "shape")).Try(a.Mended(pdk.Without("as")))
	}
	where, err := readSpot(c.Model, a, "to")
	if err != nil {
		return err
	}
	if cells[0].Page != where.page {
		return pdk.Errorf("the shapes are on another page").Try(pageSwitchTo(c.Model, cells[0].Page))
	}
	whole := boundsOf(cells)
	if where.near == nil && where.at == nil && where.region == "" {
		where.near, where.dx, where.dy = cells[0], 1, 0
		if len(cells) > 1 { // below all of them, where the room is
			where.near, where.at = nil, &geom.Point{X: whole.X, Y: whole.Bottom() + beside}
			where.in = nil
		}
	}
	if where.near != nil {
		where.in = where.near.Owner()
		if where.in != nil && !isGroup(where.in) {
			where.in = nil
		}
	}
	r, moved := where.find(whole.W, whole.H, nil)
	if moved && a.Has("to") {
		c.Warn("%s was taken, so the copy lies at the nearest free place; strict:true forces it", a.String("to", ""))
	}
	var origin geom.Point
	d := c.Model.Draft()
	parent := ""
	if where.in != nil {
		at := where.in.Abs()
		origin, parent = geom.Point{X: at.X, Y: at.Y}, where.in.ID
		fit(d, map[*cell]geom.Rect{}, where.in, r)
	}
	by := geom.Point{X: r.X + origin.X - whole.X, Y: r.Y + origin.Y - whole.Y}
	return paste(c, d, cells, parent, origin, []geom.Point{by}, func(x *cell, _ int) string {
		if named {
			return as
		}
		return ""
	}, "copy")
}

func repeatVerb() verb {
	return verb{Run: runRepeat, Verb: abi.Verb{
		Name: "repeat", Syntax: "repeat REF|SEL count:N [dx:] [dy:]", Summary: "copy shapes N times, each dx,dy from the last", Category: "shapes",
		Brief:  "repeat REF|SEL count:N [dx: dy:] · copies side by side, or each dx,dy on",
		Params: []abi.Param{{Key: "count", Value: "1-1000"}, {Key: "dx", Value: "units; without dx: and dy: side by side"}, {Key: "dy", Value: "units"}},
		Select: true, Min: 0, Max: 3,
		Examples: []string{"repeat UserDB count:3", "repeat UserDB count:4 dx:0 dy:100"},
	}}
}

func runRepeat(c *ctx, a pdk.Args) error {
	cells, used, err := target(c, a, false)
	if err != nil {
		return err
	}
	if len(a.Positionals) > used {
		err := pdk.Errorf("repeat takes one reference or a selector; %q is one too many", a.Text(used))
		if _, bad := strconv.Atoi(a.Text(used)); bad == nil && len(a.Positionals) == used+1 && !a.Has("count") {
			err.Try(a.Mended(pdk.WithoutWord(used), pdk.WithParam("count", a.Text(used))))
		}
		return err
	}
	if !a.Has("count") {
		return pdk.Errorf("repeat needs count:N")
	}
	n, err := a.Int("count", 1, 1, maxCount)
	if err != nil {
		return err
	}
	if len(cells) == 1 && stacked(cells[0]) {
		return copyLane(c, a, cells[0], n, func(i int) string { return numberedLabel(cells[0].Name(), i+1) })
	}
	if cells, err = copied(cells); err != nil {
		return err
	}
	cells = inOrder(cells[0].Page, cells)
	if n*len(cells) > 10*maxCount {
		return pdk.Errorf("that would be %d shapes; %d at most", n*len(cells), 10*maxCount)
	}
	whole := boundsOf(cells)
	dx, err := a.Float("dx", 0, -maxCoord/maxCount, maxCoord/maxCount)
	if err != nil {
		return err
	}
	dy, err := a.Float("dy", 0, -maxCoord/maxCount, maxCoord/maxCount)
	if err != nil {
		return err
	}
	if !a.Has("dx") && !a.Has("dy") {
		dx, dy = besides(cells, whole, n)
	}
	if dx == 0 && dy == 0 {
		return pdk.Errorf("dx:0 dy:0 would put every copy on the original").Try(a.Mended(pdk.Without("dx", "dy")))
	}
	var by []geom.Point
	for i := 1; i <= n; i++ {
		by = append(by, geom.Point{X: dx * float64(i), Y: dy * float64(i)})
	}
	d := c.Model.Draft()
	parent := ""
	var origin geom.Point
	if o := cells[0].Owner(); o != nil {
		same := true
		for _, x := range cells {
			same = same && x.Owner() == o
		}
		if same && isGroup(o) && o.Kind() != "pool" {
			parent = o.ID
			at := o.Abs()
			origin = geom.Point{X: at.X, Y: at.Y}
			grown := map[*cell]geom.Rect{}
			for _, p := range by {
				fit(d, grown, o, geom.Rect{X: whole.X - at.X + p.X, Y: whole.Y - at.Y + p.Y, W: whole.W, H: whole.H})
			}
		}
	}
	return paste(c, d, cells, parent, origin, by, func(x *cell, i int) string {
		if len(cells) == 1 {
			return numberedLabel(x.Name(), i+1)
		}
		return ""
	}, "repeat")
}

// besides is the step of copies side by side: to the right, or below where
// only there is room.
func besides(cells []*cell, whole geom.Rect, n int) (dx, dy float64) {
	id, o := "", geom.Point{}
	if owner := cells[0].Owner(); owner != nil {
		at := owner.Abs()
		id, o = owner.ID, geom.Point{X: at.X, Y: at.Y}
	}
	space := cells[0].Page.Space(id)
	free := func(dx, dy float64) bool {
		row := geom.Rect{X: whole.X - o.X + dx, Y: whole.Y - o.Y + dy, W: whole.W + dx*float64(n-1), H: whole.H + dy*float64(n-1)}
		return space.Empty(row, nil)
	}
	right, down := whole.W+beside, whole.H+beside
	if !free(right, 0) && free(0, down) {
		return 0, down
	}
	return right, 0
}

// copied is movable for shapes of which copies are made.
func copied(cells []*cell) ([]*cell, error) {
	for _, x := range cells {
		if x.Vertex && stacked(x) && !slices.Contains(cells, x.Owner()) {
			return nil, pdk.Errorf("%s is a lane; lanes are copied one at a time, or with their pool", short(x))
		}
	}
	return movable(cells)
}

// copyLane puts copies of a lane behind the last one of its pool, which grows.
func copyLane(c *ctx, a pdk.Args, lane *cell, n int, label func(i int) string) error {
	pool := lane.Owner()
	places := []string{"to", "near", "dir", "strict", "dx", "dy"}
	for _, key := range places {
		if a.Has(key) {
			return pdk.Errorf("%s: does not go with a lane; its copies stand behind the last one of %s", key, short(pool)).Try(a.Mended(pdk.Without(places...)))
		}
	}
	if have := len(lanesOf(pool)); have+n > maxParts {
		return pdk.Errorf("%s would have %d lanes; %d at most", short(pool), have+n, maxParts)
	}
	d, grown := c.Model.Draft(), map[*cell]geom.Rect{}
	size := restack(d, grown, pool, nil)
	at, now, home := lane.Abs(), grown[lane], pool.Abs()
	var by []geom.Point
	for range n {
		to := geom.Point{X: home.X + now.X, Y: home.Y + size.H}
		if laneColumns(pool) {
			to = geom.Point{X: home.X + size.W, Y: home.Y + now.Y}
			size.W += now.W
		} else {
			size.H += now.H
		}
		by = append(by, geom.Point{X: to.X - at.X, Y: to.Y - at.Y})
	}
	grown[pool] = size
	d.Change(pool, func(t mxfile.Text) mxfile.Text { return t.WithGeo(size) })
	if g := pool.Owner(); g != nil && expands(g) {
		fit(d, grown, g, size)
	}
	return paste(c, d, []*cell{lane}, pool.ID, geom.Point{X: home.X, Y: home.Y}, by, func(_ *cell, i int) string { return label(i) }, a.Verb)
}

// numberedLabel counts a label on: Worker becomes Worker2 for the first copy,
// Node 1 becomes Node 2.
func numberedLabel(label string, i int) string {
	end := len(label)
	for end > 0 && label[end-1] >= '0' && label[end-1] <= '9' {
		end--
	}
	if label == "" || strings.Contains(label, "\n") {
		return ""
	}
	n := 1
	if digits := label[end:]; digits != "" && len(digits) < 9 {
		if _, err := fmt.Sscanf(digits, "%d", &n); err != nil {
			n = 1
		}
	}
	return fmt.Sprintf("%s%d", label[:end], n+i)
}

// paste drafts copies of cells, with what lies in them and the edges among
// them, once for each offset, and runs the edit. parent is the id of the
// container that the copies go to, with its origin; "" is the layer of each.
// rename gives a copy's label, "" for the same.
func paste(c *ctx, d *mxfile.Draft, cells []*cell, parent string, origin geom.Point, by []geom.Point, rename func(x *cell, i int) string, what string) error {
	f, page := c.Model, cells[0].Page
	inside := map[*cell]bool{}
	top := map[*cell]bool{}
	var marked []*cell
	mark := func(x *cell) {
		if !inside[x] {
			inside[x] = true
			marked = append(marked, x)
		}
	}
	for _, x := range cells {
		top[x] = true
		mark(x)
	}
	for i := 0; i < len(marked); i++ {
		x := marked[i]
		if x.ID == "" {
			continue
		}
		for _, k := range page.Children(x.ID) {
			mark(k)
		}
		for _, e := range append(page.Out(x.ID), page.In(x.ID)...) {
			if from, to := ends(e); from != nil && to != nil && inside[from] && inside[to] {
				mark(e)
			}
		}
	}
	all := marked
	page.Sort(all)
	var ids, tops []string
	for i, p := range by {
		fresh := map[string]string{}
		for _, x := range all {
			if x.ID != "" {
				fresh[x.ID] = d.NewID()
			}
		}
		for _, x := range all {
			id, ok := fresh[x.ID]
			if !ok {
				id = d.NewID()
			}
			text := mxfile.Text(x.Raw()).WithID(id)
			for _, attr := range []struct{ name, value string }{{"parent", x.Parent}, {"source", x.Source}, {"target", x.Target}} {
				if to, ok := fresh[attr.value]; ok && attr.value != "" {
					text = text.WithAttr(attr.name, to)
				}
			}
			switch {
			case top[x]:
				r := x.Abs()
				r.X, r.Y = r.X+p.X-origin.X, r.Y+p.Y-origin.Y
				home := parent
				if home == "" {
					home = x.Parent
					if l := x.Layer(); l != nil {
						home = l.ID
					}
				}
				text = text.WithAttr("parent", home).WithGeo(r)
				if label := rename(x, i); label != "" {
					text = entitled(text, x, label)
				}
				tops = append(tops, id)
			case x.Edge && x.Routed && fresh[x.Parent] == "":
				points := x.Route().Points
				for j := range points {
					points[j].X, points[j].Y = points[j].X+p.X, points[j].Y+p.Y
				}
				text = text.WithPoints(points)
			}
			d.Append(page, id, text)
			ids = append(ids, eventID(page.Key, id))
		}
	}
	if err := c.Do(d.Edit(), line(what+" "+list(cells, 3)), ids...); err != nil {
		return err
	}
	var made []*cell
	for _, id := range tops {
		made = append(made, f.Current.Cell(id))
	}
	var recent []string
	for _, m := range made {
		recent = append(recent, idOf(m))
	}
	c.Touch(recent...)
	if len(made) == 1 {
		c.Created("%s %s %s%s", kindOf(made[0]), short(made[0]), box(made[0].Abs()), themeSuffix(made[0]))
		return nil
	}
	c.Created("%d copies %s: %s", len(made), box(boundsOf(made)), list(made, 6))
	return nil
}
