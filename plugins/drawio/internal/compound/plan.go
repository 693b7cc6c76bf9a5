package compound

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// The parts that draw.io builds classes, entities and tables from.
const (
	MemberStyle = style.Style("text;strokeColor=none;fillColor=none;align=left;verticalAlign=top;spacingLeft=4;spacingRight=4;overflow=hidden;" +
		"rotatable=0;points=[[0,0.5],[1,0.5]];portConstraint=eastwest;whiteSpace=wrap;html=1;")
	RuleStyle = style.Style("line;strokeWidth=1;fillColor=none;align=left;verticalAlign=middle;spacingTop=-1;spacingLeft=3;spacingRight=3;" +
		"rotatable=0;labelPosition=right;points=[];portConstraint=eastwest;strokeColor=inherit;")
	rowStyle = style.Style("shape=tableRow;horizontal=0;startSize=0;swimlaneHead=0;swimlaneBody=0;fillColor=none;collapsible=0;dropTarget=0;" +
		"points=[[0,0.5],[1,0.5]];portConstraint=eastwest;strokeColor=inherit;top=0;left=0;right=0;bottom=0;html=1;")
	fieldStyle = style.Style("shape=partialRectangle;connectable=0;fillColor=none;strokeColor=inherit;top=0;left=0;bottom=0;right=0;" +
		"overflow=hidden;whiteSpace=wrap;html=1;pointerEvents=1;")
)

// Heights of those parts, in units.
const (
	ClassHead  = 26
	MemberRow  = 26
	Rule       = 8
	entityHead = 30
	fieldRow   = 30
	KeyWidth   = 40
)

// buildKeys lists the parameters of add that only some types take, with the types of each.
func buildKeys() [][2]string {
	return [][2]string{{"fields", "class entity"}, {"methods", "class"}, {"cols", "table"}, {"rows", "table"}, {"lanes", "pool"}, {"flow", "pool"}, {"src", "image"},
		{"marker", "event gateway task participant"}, {"tech", "container component"}, {"description", "person system container component"}}
}

// Takes reports whether the type that an op names takes a parameter. It is true for
// parameters that every type takes.
func Takes(a pdk.Args, key string) bool {
	for _, k := range buildKeys() {
		if k[0] == key {
			kind, typed := catalog.PlainType(a.Text(0))
			return typed && slices.Contains(strings.Fields(k[1]), kind)
		}
	}
	return true
}

// Check refuses parameters that the type does not take.
func Check(a pdk.Args, kind string) error {
	for _, k := range buildKeys() {
		if a.Has(k[0]) && !slices.Contains(strings.Fields(k[1]), kind) {
			err := pdk.Errorf("%s: is for %s", k[0], strings.ReplaceAll(k[1], " ", " and "))
			_, typed := catalog.PlainType(a.Text(0))
			switch {
			case len(a.Positionals) == 2:
				err.Try(a.Mended(pdk.Without(k[0])))
			case !typed: // only a label
				for _, kind := range strings.Fields(k[1]) {
					err.Try(a.Mended(pdk.WithWords(0, 0, kind)))
				}
			}
			return err
		}
	}
	if v, ok := a.Param("src"); kind == "image" && (!ok || v == "") {
		return pdk.Errorf("an image needs src:URL")
	}
	return nil
}

// parts drafts the cells of a compound shape.
type parts struct {
	d    *mxfile.Draft
	page *mxfile.Page
}

func (b parts) cell(parent, label string, s style.Style, r geom.Rect) string {
	id := b.d.NewID()
	b.d.Append(b.page, id, mxfile.NewVertex(id, mxfile.LabelValue(label, true), s, parent, r))
	return id
}

// members splits a list of class members. It also splits at commas, if each part then has
// the mark of a member: "id: int, tags: Map<String, int>".
func members(v, mark string) []string {
	var out []string
	for _, item := range Items(v, false) {
		parts, closed := atCommas(item)
		if !closed || slices.ContainsFunc(parts, func(s string) bool { return !strings.Contains(s, mark) }) {
			parts = []string{item}
		}
		out = append(out, parts...)
	}
	return out
}

// MaxParts is the greatest number of parts of one shape.
const MaxParts = 200

// Plan describes the content of a compound shape, and the size that it needs.
type Plan struct {
	Kind            string
	Fields, Methods []string
	rows            int
	cells           [][]string // of a table: the texts by row
	Columns         bool       // of a pool: the lanes are columns
	Head            float64    // of a class: height of the name
	H               float64
	MinW            float64
	Wide            float64 // width at which class members fit on one line; used without size:
}

// Flow says which way a pool runs.
var Flow = value.Key[string]{Name: "flow", Type: value.OneOf("LR", "TB"), Default: "LR", About: " of a pool: lanes are rows or columns"}

// rowCount is the number of rows of a table.
var rowCount = value.Key[int]{Name: "rows", Type: value.Int(0, 100), Default: 2}

// ReadPlan reads the parameters of a type that is built from parts.
func ReadPlan(a pdk.Args, kind string) (p Plan, err error) {
	p.Kind = kind
	switch kind {
	case "class":
		p.Fields, p.Methods = members(a.String("fields", ""), ":"), members(a.String("methods", ""), "(")
		for _, m := range slices.Concat(p.Fields, p.Methods) {
			p.Wide = min(max(p.Wide, 10*math.Ceil((model.LabelWidth(m)+14)/10)), 400)
		}
		p.Measure()
	case "entity":
		p.Fields = Items(a.String("fields", "PK id"), true)
		p.Measure()
	case "table":
		p.Fields = Items(a.String("cols", "3"), true)
		if n, err := strconv.Atoi(strings.Join(p.Fields, ",")); err == nil && n > 0 && n <= MaxParts {
			p.Fields = nil // a count: number the columns
			for i := range n {
				p.Fields = append(p.Fields, fmt.Sprintf("Column %d", i+1))
			}
		}
		if v := a.String("rows", ""); strings.ContainsAny(v, ",;\n") {
			for _, row := range Items(v, false) {
				cells, _ := atCommas(row)
				if len(cells) > len(p.Fields) {
					return p, pdk.Errorf("the row %q has %s, and the table %s", row, pdk.Count(len(cells), "cell"), pdk.Count(len(p.Fields), "column"))
				}
				p.cells = append(p.cells, cells)
			}
			p.rows = len(p.cells)
		} else if p.rows, _, err = rowCount.Read(a); err != nil {
			return p, err
		}
		p.H = entityHead + fieldRow*float64(1+p.rows)
		p.MinW = 60 * float64(len(p.Fields))
	case "pool":
		p.Fields, p.Columns = Items(a.String("lanes", ""), true), Flow.Of(a) == "TB"
	}
	if len(p.Fields)*(p.rows+1)+len(p.Methods) > MaxParts {
		return p, pdk.Errorf("that is more than %d parts", MaxParts)
	}
	if (kind == "entity" || kind == "table") && len(p.Fields) == 0 {
		return p, pdk.Errorf("%s needs at least one column", kind)
	}
	return p, nil
}

// Measure sets the height of a class or an entity.
func (p *Plan) Measure() {
	if p.Kind == "entity" {
		p.H = entityHead + fieldRow*float64(len(p.Fields))
		return
	}
	p.Head = max(p.Head, ClassHead)
	p.H = p.Head + MemberRow*float64(len(p.Fields)+len(p.Methods))
	if len(p.Methods) > 0 || len(p.Fields) > 0 {
		p.H += Rule
	} else {
		p.H += MemberRow
	}
}

// Build drafts the parts of a shape of the size w x h.
func (p Plan) Build(d *mxfile.Draft, page *mxfile.Page, id string, w, h float64) {
	b := parts{d, page}
	switch p.Kind {
	case "class":
		p.members(b, id, w)
	case "entity":
		for i, f := range p.Fields {
			key, label := CutKeys(f)
			line, s := rowStyle, fieldStyle.Set("align", "left").Set("spacingLeft", "6")
			if strings.HasPrefix(key, "PK") {
				line, s = line.Set("bottom", "1"), s.Set("fontStyle", "5")
			}
			row := b.cell(id, "", line, geom.Rect{Y: entityHead + fieldRow*float64(i), W: w, H: fieldRow})
			b.cell(row, key, fieldStyle.Set("fontStyle", "1"), geom.Rect{W: KeyWidth, H: fieldRow})
			b.cell(row, label, s, geom.Rect{X: KeyWidth, W: w - KeyWidth, H: fieldRow})
		}
	case "table":
		for i := range p.rows + 1 {
			row := b.cell(id, "", rowStyle, geom.Rect{Y: entityHead + fieldRow*float64(i), W: w, H: fieldRow})
			for j, f := range p.Fields {
				s, text := fieldStyle, ""
				if i == 0 {
					s, text = s.Set("fontStyle", "1"), f
				} else if i <= len(p.cells) && j < len(p.cells[i-1]) {
					text = strings.TrimSpace(p.cells[i-1][j])
				}
				from, to := float64(j)*w/float64(len(p.Fields)), float64(j+1)*w/float64(len(p.Fields))
				b.cell(row, text, s, geom.Rect{X: from, W: to - from, H: fieldRow})
			}
		}
	case "pool":
		left, top := lanesOrigin(p.Columns)
		n := float64(len(p.Fields))
		for i, f := range p.Fields {
			r := geom.Rect{X: left, Y: (h - top) / n * float64(i), W: w - left, H: (h - top) / n}
			if p.Columns {
				r = geom.Rect{X: w / n * float64(i), Y: top, W: w / n, H: h - top}
			}
			b.cell(id, f, laneLook(p.Columns), r)
		}
	}
}

// members drafts the fields and methods of a class.
func (p Plan) members(b parts, id string, w float64) {
	y := p.Head
	for _, f := range p.Fields {
		b.cell(id, f, MemberStyle, geom.Rect{Y: y, W: w, H: MemberRow})
		y += MemberRow
	}
	if len(p.Fields)+len(p.Methods) > 0 {
		b.cell(id, "", RuleStyle, geom.Rect{Y: y, W: w, H: Rule})
		y += Rule
	}
	for _, f := range p.Methods {
		b.cell(id, f, MemberStyle, geom.Rect{Y: y, W: w, H: MemberRow})
		y += MemberRow
	}
}

// poolHead is the size of the title of a pool or a lane, in units.
const poolHead = 30

// lanesOrigin returns the position at which the lanes of a pool start.
func lanesOrigin(columns bool) (left, top float64) {
	if columns {
		return 0, poolHead
	}
	return poolHead, 0
}

// laneLook returns the style of a lane. A row has its title at the left, a column above.
func laneLook(columns bool) style.Style {
	t, _ := style.ShapeNamed("lane")
	if columns {
		return t.Style.Drop("horizontal")
	}
	return t.Style
}

// PoolSize returns the initial size of a pool with n lanes.
func PoolSize(columns bool, n int) (w, h float64) {
	along, across := 120*float64(max(n, 1)), 640.0
	if columns {
		return 180 * float64(max(n, 1)), 480
	}
	return across, along
}

// AddLane adds a lane to a pool, after its last one.
func AddLane(c *ctx, pool *cell, id, label string, look style.Style, along float64) (*cell, error) {
	f, page := c.Model, pool.Page
	d := f.Draft()
	if id == "" {
		id = d.NewID()
	}
	columns := model.LanesAreColumns(pool)
	if columns {
		look = look.Drop("horizontal")
	}
	look = likeSiblings(pool, look)
	grown := map[*cell]geom.Rect{}
	size := placement.Restack(d, grown, pool, nil)
	left, top := model.LaneOrigin(pool)
	var r geom.Rect
	if columns {
		if along == 0 {
			along = 180
		}
		r = geom.Rect{X: size.W, Y: top, W: along, H: size.H - top}
		if len(model.Lanes(pool)) == 0 {
			r.X = left
		}
		size.W = r.Right()
	} else {
		if along == 0 {
			along = 120
		}
		r = geom.Rect{X: left, Y: size.H, W: size.W - left, H: along}
		if len(model.Lanes(pool)) == 0 {
			r.Y = top
		}
		size.H = r.Bottom()
	}
	grown[pool] = size
	d.Change(pool, func(t mxfile.Text) mxfile.Text { return t.WithGeo(size) })
	d.Append(page, id, mxfile.NewVertex(id, mxfile.LabelValue(label, true), look, pool.ID, r))
	if g := pool.Owner(); g != nil && model.Expands(g) {
		placement.Fit(d, grown, g, size)
	}
	pushed := placement.MakeWay(d, grown, nil)
	if err := c.Do(d.Edit(), "add lane "+label, model.EventID(page.Key, id)); err != nil {
		return nil, err
	}
	made := page.Cell(id)
	c.Created("lane %s %s%s in %s%s", values.OneLine(label), values.Box(made.Abs()), model.ThemeSuffix(made), model.Short(pool), placement.Growth(grown, pushed))
	return made, nil
}

// likeSiblings gives the style of a new lane the title of the pool's last lane. If all
// lanes have the same colours and the style sets none, it takes those colours, too.
func likeSiblings(pool *cell, look style.Style) style.Style {
	lanes := model.Lanes(pool)
	if len(lanes) == 0 {
		return look
	}
	last := lanes[len(lanes)-1]
	plain, _ := style.ShapeNamed("lane")
	for _, key := range []string{"horizontal", "startSize", "swimlaneLine", "swimlaneHead", "swimlaneFillColor", "fontSize", "fontStyle", "fontFamily", "rounded", "collapsible"} {
		now, _ := look.Get(key)
		usual, _ := plain.Style.Get(key)
		switch v, ok := last.Style.Get(key); {
		case now != usual && key != "horizontal": // set by the op
		case ok:
			look = look.Set(key, v)
		default:
			look = look.Drop(key)
		}
	}
	for _, key := range []string{"fillColor", "strokeColor", "fontColor"} {
		_, own := look.Get(key)
		v, _ := last.Style.Get(key)
		alike := !slices.ContainsFunc(lanes, func(l *cell) bool { w, _ := l.Style.Get(key); return w != v })
		if !own && alike && v != "" {
			look = look.Set(key, v)
		}
	}
	return look
}
