package verbs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/compound"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/sequence"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

func copyVerb() verb {
	return verb{Run: runCopy, Keys: append(placement.Keys(placement.To),
		values.Text("page", "P: to that page"), values.Text("as", "NAME of the copy"),
		values.Text("after", "TEXT of the message or frame of a sequence that messages and frames go below"), values.Text("before", "TEXT of the one that they go above"), whichMessage,
	), Verb: abi.Verb{
		Syntax: "copy REF|SEL [to:X,Y|REGION | near:REF [dir:] | below:REF] [in:GROUP] [page:P] [as:NAME] [strict:true] | copy REF ARROW REF after:MESSAGE|before:MESSAGE [label:TEXT]", Max: 3, Summary: "copy shapes with what is in them and the edges between them, also to or from another page", Category: "shapes",
		Brief:    "copy REF|SEL [to:X,Y|REGION or near:REF dir:] [in:GROUP page:P as:] · @page:P copies from P",
		Examples: []string{"copy AuthService as:AuthService2", "copy @group:Backend to:600,200", "copy UserDB near:UserDB dir:below", "copy UserDB page:Second", "copy receipt after:order"},
	}}
}

func runCopy(c *ctx, a pdk.Args) error {
	if a.Has("after") || a.Has("before") {
		return sequence.Retime(c, a)
	}
	a = pdk.Must(placement.AsNear(a))
	cells, used := pdk.Must2(selector.Target(c, a, false))
	if len(a.Positionals) > used {
		err := pdk.Errorf("copy takes one reference or a selector; %q is one too many", a.Text(used))
		if len(a.Positionals) == used+1 && !a.Has("as") && !a.IsArrow(used) {
			err.Try(a.Mended(pdk.WithoutWord(used), pdk.WithParam("as", a.Text(used))))
		}
		return err
	}
	as, named := a.Param("as")
	if len(cells) == 1 && model.IsPoolLane(cells[0]) {
		return copyLane(c, a, cells[0], 1, func(int) string { return as })
	}
	if row := model.WholeRow(cells[0]); row != nil && len(cells) == 1 {
		if !named {
			as = model.RowText(row)
		}
		return pdk.Errorf("%s is a row of %s, which places its rows; add another one", model.Short(row), model.Short(row.Owner())).
			Tryf("add row %s in:%s after:%s", pdk.Quote(as), model.Reference(row.Owner()), model.Reference(cells[0]))
	}
	cells = pdk.Must(copyable(cells))
	cells = model.InOrder(cells[0].Page, cells)
	if named && (len(cells) > 1 || strings.TrimSpace(as) == "") {
		return pdk.Errorf("as: names one copy, and with a text; this would copy %s", pdk.Count(len(cells), "shape")).Try(a.Mended(pdk.Without("as")))
	}
	page := c.Model.Current
	if v, ok := a.Param("page"); ok {
		page = pdk.Must(selector.Page(c.Model, v, false))
	}
	if page != cells[0].Page {
		return copyOver(c, a, cells, page, as)
	}
	if page != c.Model.Current {
		return pdk.Errorf("the shapes are on page %s", model.PageTitle(c.Model, page)).Try(model.PageSwitch(c.Model, page))
	}
	where := pdk.Must(placement.ReadSpot(c.Model, a, placement.To))
	whole := placement.Bounds(cells)
	if where.Anywhere() {
		where.Near, where.DX, where.DY = cells[0], 1, 0
		if len(cells) > 1 { // below all of them
			where.Near, where.At = nil, &geom.Point{X: whole.X, Y: whole.Bottom() + placement.Beside}
		}
	}
	if where.Near != nil && !a.Has("in") {
		where.In = where.Near.Owner()
		if where.In != nil && !model.IsGroup(where.In) {
			where.In = nil
		}
	}
	r, moved := where.Find(whole.W, whole.H, nil)
	if moved && a.Has("to") {
		c.Warn("%s was taken, so the copy lies at the nearest free place; strict:true forces it", a.String("to", ""))
	}
	d, p := c.Model.Draft(), pasting{cells: cells, page: page, what: "copy", rename: func(*cell, int) string { return as }, grown: map[*cell]geom.Rect{}}
	p.into(d, where.In, r)
	return p.paste(c, d)
}

// Keys of repeat: the number of copies, and the step between them.
var (
	copies = value.Key[int]{Name: "count", Type: value.Int(1, maxCount), Default: 1}
	stepX  = value.Key[float64]{Name: "dx", Type: value.Number(-values.MaxCoord/maxCount, values.MaxCoord/maxCount), About: "; without dx: and dy: side by side"}
	stepY  = value.Key[float64]{Name: "dy", Type: stepX.Type}
)

func repeatVerb() verb {
	return verb{Run: runRepeat, Keys: []pdk.Parameter{copies, stepX, stepY}, Verb: abi.Verb{
		Syntax: "repeat REF|SEL count:N [dx:N] [dy:N]", Max: 3, Summary: "copy shapes N times, each dx,dy from the last", Category: "shapes",
		Brief:    "repeat REF|SEL count:N [dx: dy:]",
		Examples: []string{"repeat UserDB count:3", "repeat UserDB count:4 dx:0 dy:100"},
	}}
}

func runRepeat(c *ctx, a pdk.Args) error {
	cells, used := pdk.Must2(selector.Target(c, a, false))
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
	n := copies.Of(a)
	if len(cells) == 1 && model.IsPoolLane(cells[0]) {
		return copyLane(c, a, cells[0], n, func(i int) string { return numberedLabel(cells[0].Name(), i+1) })
	}
	cells = pdk.Must(copyable(cells))
	cells = model.InOrder(cells[0].Page, cells)
	if n*len(cells) > 10*maxCount {
		return pdk.Errorf("that would be %d shapes; %d at most", n*len(cells), 10*maxCount)
	}
	whole := placement.Bounds(cells)
	dx, dy := stepX.Of(a), stepY.Of(a)
	if !a.Has("dx") && !a.Has("dy") {
		dx, dy = stepBeside(cells, whole, n)
	}
	if dx == 0 && dy == 0 {
		return pdk.Errorf("dx:0 dy:0 would put every copy on the original").Try(a.Mended(pdk.Without("dx", "dy")))
	}
	var by []geom.Point
	for i := 1; i <= n; i++ {
		by = append(by, geom.Point{X: dx * float64(i), Y: dy * float64(i)})
	}
	d, p := c.Model.Draft(), pasting{cells: cells, page: cells[0].Page, by: by, what: "repeat", grown: map[*cell]geom.Rect{}}
	if o := cells[0].Owner(); o != nil {
		same := true
		for _, x := range cells {
			same = same && x.Owner() == o
		}
		if same && model.IsGroup(o) && o.Kind() != "pool" {
			p.parent = o.ID
			at := o.Abs()
			p.origin = geom.Point{X: at.X, Y: at.Y}
			for _, by := range by {
				placement.Fit(d, p.grown, o, moved(whole, by, p.origin))
			}
		}
	}
	p.rename = func(x *cell, i int) string {
		if len(cells) == 1 {
			return numberedLabel(x.Name(), i+1)
		}
		return ""
	}
	return p.paste(c, d)
}

// stepBeside returns the step between copies side by side: to the right, or down if only
// there is room.
func stepBeside(cells []*cell, whole geom.Rect, n int) (dx, dy float64) {
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
	right, down := whole.W+placement.Beside, whole.H+placement.Beside
	if !free(right, 0) && free(0, down) {
		return 0, down
	}
	return right, 0
}

// copyable is placement.Movable for shapes to be copied.
func copyable(cells []*cell) ([]*cell, error) {
	for _, x := range cells {
		if x.Vertex && model.IsPoolLane(x) && !slices.Contains(cells, x.Owner()) {
			return nil, pdk.Errorf("%s is a lane; lanes are copied one at a time, or with their pool", model.Short(x))
		}
	}
	return placement.Movable(cells)
}

// copyLane adds copies of a lane after the last one of its pool, which grows.
func copyLane(c *ctx, a pdk.Args, lane *cell, n int, label func(i int) string) error {
	pool := lane.Owner()
	places := []string{"to", "near", "dir", "in", "page", "strict", "dx", "dy"}
	for _, key := range places {
		if a.Has(key) {
			return pdk.Errorf("%s: does not go with a lane; its copies come after the last one of %s", key, model.Short(pool)).Try(a.Mended(pdk.Without(places...)))
		}
	}
	if have := len(model.Lanes(pool)); have+n > compound.MaxParts {
		return pdk.Errorf("%s would have %d lanes; %d at most", model.Short(pool), have+n, compound.MaxParts)
	}
	d, grown := c.Model.Draft(), map[*cell]geom.Rect{}
	size := placement.Restack(d, grown, pool, nil)
	at, now, home := lane.Abs(), grown[lane], pool.Abs()
	var by []geom.Point
	for range n {
		to := geom.Point{X: home.X + now.X, Y: home.Y + size.H}
		if model.LanesAreColumns(pool) {
			to = geom.Point{X: home.X + size.W, Y: home.Y + now.Y}
			size.W += now.W
		} else {
			size.H += now.H
		}
		by = append(by, geom.Point{X: to.X - at.X, Y: to.Y - at.Y})
	}
	grown[pool] = size
	d.Change(pool, func(t mxfile.Text) mxfile.Text { return t.WithGeo(size) })
	if g := pool.Owner(); g != nil && model.Expands(g) {
		placement.Fit(d, grown, g, size)
	}
	p := pasting{cells: []*cell{lane}, page: pool.Page, parent: pool.ID, origin: geom.Point{X: home.X, Y: home.Y}, by: by, what: a.Verb,
		rename: func(_ *cell, i int) string { return label(i) }, grown: grown}
	return p.paste(c, d)
}

// numberedLabel numbers the label of a copy: Worker becomes Worker2 for the first copy,
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
