package diagram

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// maxCount bounds count: of one op.
const maxCount = 1000

func addVerb() verb {
	return verb{Run: runAdd, Verb: abi.Verb{
		Name: "add", Syntax: "add [TYPE] LABEL [FLAG…] [theme:] [fill:] [near:REF] [dir:] [at:X,Y|REGION] [size:WxH] [label:] [in:GROUP] [count:N] [id:] [strict:true] [fields:] [methods:] [cols:] [rows:] [lanes:] [flow:] [src:] [key:value…]",
		Brief:   `add [TYPE] LABEL [FLAG…] [theme: fill: near:REF dir: at:X,Y|REGION size:WxH label: in:GROUP count: id: strict:true key:value…] · without TYPE guessed from the label; class: fields:"a; b" methods:, entity: fields:"PK id,name", table: cols:A,B rows:, pool: lanes:A,B flow:LR|TB, image: src:URL`,
		Summary: "add a shape; without TYPE it is guessed from the label; colours and keys as for style", Category: "shapes",
		Params:   addParams(),
		AnyParam: true, Min: 1, Max: -1,
		Examples: []string{"add svc AuthService theme:blue", `add db "User DB" near:AuthService dir:right`, "add box Worker count:3 at:top-left", "add decision Valid? at:400,300 size:120x80", "add note Later fill:lightyellow",
			`add pool Orders lanes:Customer,Shop`, `add class Invoice fields:"+ id: int; + total: float" methods:"pay()"`, `add entity Buyer fields:"PK id,FK shop,name"`},
	}}
}

func addParams() []abi.Param {
	return []abi.Param{
		{Key: "theme", Value: strings.Join(style.ThemeNames(), "|")}, {Key: "fill", Value: "COLOUR; stroke: font-color: and all other keys of style"},
		{Key: "near", Value: "REF"}, {Key: "dir", Value: strings.Join(directions(), "|")},
		{Key: "at", Value: "X,Y|REGION"}, {Key: "size", Value: "WxH"}, {Key: "label", Value: "TEXT shown in place of LABEL"},
		{Key: "in", Value: "GROUP"}, {Key: "count", Value: "1-1000"}, {Key: "id", Value: "ID"},
		{Key: "strict", Value: "true: at: even where taken"},
		{Key: "fields", Value: "A; B of a class, PK id, FK x, name of an entity"}, {Key: "methods", Value: "A(); B() of a class"},
		{Key: "cols", Value: "A,B of a table"}, {Key: "rows", Value: "0-100 of a table"},
		{Key: "lanes", Value: "A,B of a pool"}, {Key: "flow", Value: "LR|TB of a pool: lanes are rows or columns"}, {Key: "src", Value: "URL of an image"},
	}
}

// addKeys are the keys of add that are not those of a style. They are never
// written to.
var addKeys = func() map[string]bool {
	out := map[string]bool{}
	for _, p := range addParams() {
		out[p.Key] = true
	}
	delete(out, "fill")
	return out
}()

func runAdd(c *ctx, a pdk.Args) error {
	f := c.Model
	label, kind := a.Text(0), ""
	if len(a.Positionals) > 1 {
		kind, label = a.Text(0), a.Text(1)
	} else {
		kind = style.Guess(label)
	}
	t, own, ok := typeNamed(f, kind)
	if !ok {
		err := noType(f, kind)
		if _, _, swapped := typeNamed(f, label); swapped && len(a.Positionals) == 2 {
			return pdk.Errorf("the type goes before the label: %q is one, %q is none", label, kind).Try(mended(a, withWords(0, 2, label, kind)))
		}
		if strings.HasPrefix(err.Message, "unknown type") && style.Synonym(kind) == "" && !strings.Contains(err.Message, "nearest:") {
			err.Try(mended(a, joined(a, 0)))
		}
		return err
	}
	kind = t.Name
	for i := 2; i < len(a.Positionals); i++ {
		if (&style.Changes{}).Flag(a.Text(i)) != nil {
			err := pdk.Errorf("add takes a type, a label and flags; quote a label with spaces; %q is no flag", a.Text(i))
			if _, _, none := direction(a.Text(i)); none == nil && len(a.Positionals) == i+2 {
				return err.Try(mended(a, withWords(i, 2), withParam("near", a.Text(i+1)), withParam("dir", a.Text(i))))
			}
			if !slices.ContainsFunc(a.Params, func(kv abi.KeyValue) bool { return kv.Key == "label" }) && len(a.Arrows) == 0 {
				err.Try(mended(a, joined(a, 1)))
			}
			return err
		}
	}
	if strings.TrimSpace(label) == "" {
		return pdk.Errorf("add needs a label")
	}
	look, err := painted(f, a, t.Style)
	if err != nil {
		return err
	}
	w, h := t.W, t.H
	if v, ok := a.Param("size"); ok {
		if w, h, err = parseSize(v); err != nil {
			return err
		}
	}
	if err := checkBuild(a, kind); err != nil {
		return err
	}
	plan, err := planBuild(a, kind)
	if err != nil {
		return err
	}
	switch {
	case a.Has("size"):
		if w < plan.minW || h < plan.h {
			least := mxfile.Num(math.Max(w, math.Max(plan.minW, minSize))) + "x" + mxfile.Num(math.Max(h, plan.h))
			return pdk.Errorf("%s needs at least %sx%s for what is in it", kind, mxfile.Num(max(plan.minW, minSize)), mxfile.Num(plan.h)).Try(mended(a, withParam("size", least)))
		}
	case kind == "pool":
		w, h = poolSize(plan.columns, len(plan.fields))
	default:
		w, h = max(w, plan.minW), max(h, plan.h)
	}
	if plan.columns {
		look = look.Drop("horizontal").Drop("horizontalStack")
	}
	if v, ok := a.Param("src"); ok {
		if err := checkImage(v); err != nil {
			return err
		}
		look = look.Set("image", v)
	}
	count, err := a.Int("count", 1, 1, maxCount)
	if err != nil {
		return err
	}
	if kind == "lane" && a.Has("in") {
		if pool, err := groupRef(f.Current, a.String("in", ""), false); err == nil && pool.Kind() == "pool" {
			return runAddLane(c, a, pool, label, look)
		}
	}
	where, err := readSpot(f, a, "at")
	if err != nil {
		return err
	}
	id, text, err := addNames(f, a, label, count)
	if err != nil {
		return err
	}
	layer, err := ensureLayer(c)
	if err != nil {
		return err
	}
	if count > 1 && where.strict {
		return pdk.Errorf("strict: and count: do not go together: the shapes would lie on each other").Try(mended(a, without("strict")))
	}
	var first *cell
	var shown []string
	bounds := geom.Rect{}
	for i := range count {
		one := text
		if count > 1 {
			one = fmt.Sprintf("%s%d", text, i+1)
		}
		made, moved, err := addOne(c, where, layer, id, kind, one, look, w, h, own.badge, plan)
		if err != nil {
			return err
		}
		if moved {
			c.Warn("%s was taken, so %s moved to the nearest free place; strict:true forces it", a.String("at", ""), one)
		}
		at := made.Abs()
		bounds = bounds.Union(at)
		shown = append(shown, kind+" "+oneLine(one)+" "+box(at)+themeSuffix(made))
		if first == nil {
			first = made
		}
	}
	if count == 1 {
		warnTight(c, first)
		ref := ""
		if id != "" && id != oneLine(text) {
			ref = " id:" + id
		}
		c.Created("%s", shown[0]+ref)
		return nil
	}
	if len(shown) > 8 {
		shown = append(shown[:7], fmt.Sprintf("… %d more", count-7))
	}
	c.Created("%d %s %s%s\n%s", count, kind, box(bounds), themeSuffix(first), strings.Join(shown, "\n"))
	return nil
}

// runAddLane is add lane in:POOL.
func runAddLane(c *ctx, a pdk.Args, pool *cell, label string, look style.Style) error {
	for _, key := range []string{"near", "dir", "at", "count", "strict"} {
		if a.Has(key) {
			return pdk.Errorf("%s: does not go with a lane; its pool gives it its place", key).Try(mended(a, without("near", "dir", "at", "count", "strict")))
		}
	}
	id, text, err := addNames(c.Model, a, label, 1)
	if err != nil {
		return err
	}
	along := 0.0
	if v, ok := a.Param("size"); ok {
		w, h, err := parseSize(v)
		if err != nil {
			return err
		}
		if along = h; laneColumns(pool) {
			along = w
		}
	}
	_, err = addLane(c, pool, id, text, look, along)
	return err
}

// checkImage lets pictures through that a viewer can load and that a style
// can hold.
func checkImage(s string) error {
	if strings.ContainsAny(s, ";\n\r\" <>") || len(s) > 100_000 {
		return pdk.Errorf("src: a style cannot hold blanks or ; in it; write data:image/png,BASE64 without ;base64")
	}
	if strings.HasPrefix(s, "data:image/") {
		return nil
	}
	if err := checkURL(s); err != nil {
		return pdk.Errorf("src: %s", err.Message)
	}
	return nil
}

// addNames settles the cell id (empty: the next free one) and the text shown.
// With label: the positional stays usable as a reference by being the id.
func addNames(f *file, a pdk.Args, label string, count int) (id, text string, err error) {
	text = label
	id, given := a.Param("id")
	if shown, ok := a.Param("label"); ok {
		text = shown
		if !given {
			id = label
		}
	}
	if given && id == "" {
		return "", "", pdk.Errorf("id: needs a text")
	}
	if id == "" {
		return "", text, nil
	}
	switch {
	case count > 1:
		err := pdk.Errorf("%d shapes cannot share the id %q", count, id)
		if given {
			err.Try(mended(a, without("id")))
		}
		return "", "", err
	case len(id) > 100:
		return "", "", pdk.Errorf("the id is longer than 100 bytes")
	case f.HasID(id):
		return "", "", pdk.Errorf("the id %q is taken", id).Instead(id, pdk.Quote(freeID(f, id)))
	}
	return id, text, nil
}

// freeID counts an id on until it is free.
func freeID(f *file, id string) string {
	for i := 2; ; i++ {
		if next := fmt.Sprintf("%s-%d", id, i); !f.HasID(next) {
			return next
		}
	}
}

// painted gives a type's style the theme of the op, and over that its other keys.
func painted(f *file, a pdk.Args, s style.Style) (style.Style, error) {
	s, err := themed(f, a, s)
	if err != nil || len(a.Positionals) < 3 && !slices.ContainsFunc(a.Params, func(kv abi.KeyValue) bool { return !addKeys[kv.Key] }) {
		return s, err
	}
	changes, err := readChanges(f, a, 2, addKeys)
	if err != nil {
		return s, err
	}
	s, err = changes.Apply(s, style.Vertex)
	return s, refusal(err)
}

func themeSuffix(c *cell) string {
	if t := c.Theme(); t != "" {
		return " " + t
	}
	return ""
}

// addOne adds one shape and gives it back.
func addOne(c *ctx, where spot, layer, id, kind, label string, look style.Style, w, h float64, mark string, plan buildPlan) (made *cell, moved bool, err error) {
	f := c.Model
	r, moved := where.find(w, h, nil)
	for where.joined && offside(where.in, r) {
		// Beyond the edge of the group that near: lies in: beside the group.
		c.Warn("%s has no room there in %s, so %s lies beside %s", short(where.near), short(where.in), oneLine(label), short(where.in))
		where.near, where.in = where.in, where.in.Owner()
		if where.in != nil && where.in.Kind() == "pool" {
			where.near, where.in = where.in, where.in.Owner()
		}
		where.joined = where.in != nil && isGroup(where.in)
		r, moved = where.find(w, h, nil)
	}
	d := f.Draft()
	if id == "" {
		id = d.NewID()
	}
	parent := layer
	if where.in != nil {
		parent = where.in.ID
		if r.X < 0 || r.Y < 0 {
			return nil, false, pdk.Errorf("that place lies outside %s", short(where.in))
		}
	}
	page := where.page
	d.Append(page, id, mxfile.NewVertex(id, mxfile.LabelValue(label, true), look, parent, r))
	plan.build(d, page, id, w, h)
	if mark != "" {
		badge := d.NewID()
		d.Append(page, badge, newBadge(badge, id, mark, badgeBox(mark, corners()[0]), badgeStyle))
	}
	if where.in != nil {
		fit(d, map[*cell]geom.Rect{}, where.in, r)
	}
	if math.Abs(r.X) > maxCoord || math.Abs(r.Y) > maxCoord {
		return nil, false, pdk.Errorf("there is no room left on the page")
	}
	if err := c.Do(d.Edit(), line("add "+kind+" "+label), eventID(page.Key, id)); err != nil {
		return nil, false, err
	}
	return page.Cell(id), moved, nil
}

// ensureLayer is the id of the layer that new cells go to. A page that has no
// cells yet gets its root and a layer first.
func ensureLayer(c *ctx) (string, error) {
	p := c.Model.Current
	if l := p.DefaultLayer(); l != nil {
		return l.ID, nil
	}
	d := c.Model.Draft()
	d.Found(p)
	if err := c.Do(d.Edit(), "start the page"); err != nil {
		return "", err
	}
	if l := p.DefaultLayer(); l != nil {
		return l.ID, nil
	}
	return "", pdk.Errorf("the page has no layer that a shape could lie on")
}
