package verbs

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/compound"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mindmap"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/rows"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/sequence"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// maxCount is the greatest count: of one op.
const maxCount = 1000

func addVerb() verb {
	return verb{Run: runAdd, Keys: addKeys, Verb: abi.Verb{
		Syntax:  "add [TYPE] LABEL [FLAG…] [theme:] [fill:] [near:REF] [dir:] [below:REF] [between:A,B] [at:X,Y|REGION] [size:WxH] [label:] [in:GROUP] [like:REF] [count:N] [id:] [strict:true] [fields:] [methods:] [cols:] [rows:] [lanes:] [flow:] [src:] [marker:] [tech:] [description:] [around:] [before:] [of:] [key:value…] | add row|field|method|column TEXT in:TABLE [after:ROW] [before:ROW] [at:first|last]",
		Brief:   `add [TYPE] LABEL [FLAG…] [theme: fill: near:REF dir: between:A,B at:X,Y|REGION size:WxH in:GROUP id: key:value…] · class: fields:"a; b" methods:, entity: fields:"PK id,name", table: cols:A,B rows:"1,2; 3,4", pool: lanes:A,B flow:, topic: of:REF · like:REF · add row "int, id"|field|method|column TEXT in:TABLE after:ROW`,
		Summary: "add a shape; without TYPE it is guessed from the label; colours and keys as for style", Category: "shapes",
		Examples: []string{"add svc AuthService theme:blue", `add db "User DB" near:AuthService dir:right`, "add box Worker count:3 at:top-left", "add decision Valid? at:400,300 size:120x80", "add note Later fill:lightyellow", `add task "Check quality" between:A,B`,
			`add pool Orders lanes:Customer,Shop`, `add class Invoice fields:"+ id: int; + total: float" methods:"pay()"`, `add entity Buyer fields:"PK id,FK shop,name"`,
			`add table Plans cols:Plan,Price rows:"Basic,9; Pro,29"`, `add task "Check stock" marker:user`, `add event Paid marker:end-message`, `add container "Web App" tech:"Go, React" description:"Serves pages"`,
			`add frame "loop until paid" around:order,receipt`, `add else declined before:receipt`, `add activation Shop around:order,receipt`, `add topic Growth of:AuthService`,
			`add svc Billing like:AuthService`, `add row "+ due: Date" in:Bill after:"+ id: int"`, `add method "pay()" in:Bill`, `add column Seats in:Prices after:Plan`, `add table Fees like:Prices rows:"Late,5; Lost,20"`},
	}}
}

// addition describes what an add creates.
type addition struct {
	kind, label string // name of the type, and the op's word for the shape
	id, text    string // "" for the next free id; the text shown
	look        style.Style
	badge       string
	tech, about string // of a C4 shape
	w, h        float64
	plan        compound.Plan
	like        *cell      // the shape of like:, nil for none
	rows        *rows.Like // of a class, a table or an entity like another one
	count       int
	where       placement.Spot
	layer       string
	grown       map[*cell]geom.Rect // containers that grew
	pushed      []*cell             // shapes that moved out of the way
}

func runAdd(c *ctx, a pdk.Args) error {
	f := c.Model
	a = pdk.Must(placement.AsNear(a))
	a = a.Listed(",", "around", "lanes", "cols", "between").Listed(";", "fields", "methods", "rows")
	if word := rows.Word(f, a); word != "" {
		return rows.Add(c, a, word)
	}
	if sequence.IsPart(f, a) {
		return sequence.AddPart(c, a)
	}
	if mindmap.IsTopic(f, a) {
		return mindmap.AddTopic(c, a)
	}
	n := pdk.Must(readAddition(f, a))
	pdk.Check(n.takeLook(f, a))
	into, err := n.into(f, a)
	if err != nil {
		return err
	}
	n.look = pdk.Must(withStyleParams(f, a, n.look))
	pdk.Check(n.build(a))
	n.count = copies.Of(a)
	if n.kind == "lane" && a.Has("in") {
		if pool, err := selector.Group(f.Current, a.String("in", ""), false); err == nil && pool.Kind() == "pool" {
			return runAddLane(c, a, pool, n.label, n.look)
		}
	}
	for _, key := range []string{"around", "before"} {
		if a.Has(key) {
			return pdk.Errorf("%s: is for parts of a sequence: a frame, an activation, else", key).Try(a.Mended(pdk.Without(key)))
		}
	}
	n.where = pdk.Must(placement.ReadSpot(f, a, placement.At))
	if n.kind == "participant" && n.count == 1 && !a.Has("at") && !a.Has("near") && !a.Has("in") {
		n.besideLast(f.Current, !a.Has("size"))
	}
	n.id, n.text = pdk.Must2(edit.NewNames(f, a, n.label, n.count))
	n.layer = pdk.Must(edit.EnsureLayer(c))
	n.where.Remark = n.kind == "note"
	if n.count > 1 && n.where.Strict {
		return pdk.Errorf("strict: and count: do not go together: the shapes would lie on each other").Try(a.Mended(pdk.Without("strict")))
	}
	n.grown = map[*cell]geom.Rect{}
	if err := into.place(c, &n, a); err != nil {
		return err
	}
	made := make([]*cell, 0, n.count)
	for i := range n.count {
		text := n.labelOf(i)
		x, moved, err := n.add(c, text)
		if err != nil {
			return err
		}
		if moved && a.Has("at") {
			c.Warn("%s was taken, so %s moved to the nearest free place; strict:true forces it", a.String("at", ""), text)
		}
		made = append(made, x)
	}
	if err := into.insert(c, made[0]); err != nil {
		return err
	}
	n.report(c, made)
	return nil
}

// readAddition reads TYPE, LABEL and the flags after them. The style is that of the type.
func readAddition(f *file, a pdk.Args) (addition, error) {
	label, kind := a.Text(0), ""
	if len(a.Positionals) > 1 {
		kind, label = a.Text(0), a.Text(1)
	} else {
		kind = style.Guess(label)
	}
	t, own, ok := catalog.TypeNamed(f, kind)
	if !ok {
		return addition{}, noTypeToAdd(f, a, kind, label)
	}
	for i := 2; i < len(a.Positionals); i++ {
		if (&style.Changes{}).Flag(a.Text(i)) != nil {
			return addition{}, noFlagToAdd(a, i)
		}
	}
	if strings.TrimSpace(label) == "" {
		return addition{}, pdk.Errorf("add needs a label")
	}
	return addition{kind: t.Name, label: label, look: t.Style, badge: own.Badge, w: t.W, h: t.H}, nil
}

// noTypeToAdd returns the error for an unknown type.
func noTypeToAdd(f *file, a pdk.Args, kind, label string) error {
	err := catalog.UnknownType(f, kind)
	if _, _, swapped := catalog.TypeNamed(f, label); swapped && len(a.Positionals) == 2 {
		return pdk.Errorf("the type goes before the label: %q is one, %q is none", label, kind).Try(a.Mended(pdk.WithWords(0, 2, label, kind)))
	}
	if strings.HasPrefix(err.Message, "unknown type") && style.Synonym(kind) == "" && !strings.Contains(err.Message, "nearest:") {
		err.Try(a.Mended(pdk.WithJoined(0)))
	}
	return err
}

// noFlagToAdd returns the error for word i, which follows the label and is not a flag.
func noFlagToAdd(a pdk.Args, i int) error {
	err := pdk.Errorf("add takes a type, a label and flags; quote a label with spaces; %q is not a flag", a.Text(i))
	if _, none := value.Direction.Parse(a.Text(i)); none == nil && len(a.Positionals) == i+2 {
		return err.Try(a.Mended(pdk.WithWords(i, 2), pdk.WithParam("near", a.Text(i+1)), pdk.WithParam("dir", a.Text(i))))
	}
	if !a.Has("label") && len(a.Arrows) == 0 {
		err.Try(a.Mended(pdk.WithJoined(1)))
	}
	return err
}

// build plans the content of the shape and sets its size.
func (n *addition) build(a pdk.Args) error {
	if size, ok := values.Size.Lookup(a); ok {
		n.w, n.h = size.W, size.H
	}
	if n.like != nil && model.HasRows(n.like) {
		n.rows = pdk.Must(rows.ReadLike(a, n.like))
		n.plan.MinW, n.plan.H = n.rows.Size()
	} else if err := compound.Check(a, n.kind); err != nil {
		return err
	} else if n.plan, err = compound.ReadPlan(a, n.kind); err != nil {
		return err
	}
	switch {
	case a.Has("size"):
		if n.w < n.plan.MinW || n.h < n.plan.H {
			least := mxfile.Num(math.Max(n.w, math.Max(n.plan.MinW, values.MinSize))) + "x" + mxfile.Num(math.Max(n.h, n.plan.H))
			return pdk.Errorf("%s needs at least %sx%s for what is in it", n.kind, mxfile.Num(max(n.plan.MinW, values.MinSize)), mxfile.Num(n.plan.H)).Try(a.Mended(pdk.WithParam("size", least)))
		}
	case n.kind == "pool":
		n.w, n.h = compound.PoolSize(n.plan.Columns, len(n.plan.Fields))
	case n.rows != nil:
		n.w, n.h = n.rows.Size()
	default:
		n.w, n.h = max(n.w, n.plan.MinW, n.plan.Wide), max(n.h, n.plan.H)
	}
	if n.plan.Columns {
		n.look = n.look.Drop("horizontal").Drop("horizontalStack")
	}
	n.look = pdk.Must(withMarker(a, n.kind, n.look))
	if n.kind == "participant" && !a.Has("size") {
		if n.w = max(n.w, math.Ceil((model.LabelWidth(a.String("label", n.label))+16)/10)*10); n.look.Is("participant", "umlActor") {
			n.w = sequence.ActorWide
		}
	}
	n.tech, n.about = a.String("tech", ""), a.String("description", "")
	if v, ok := a.Param("src"); ok {
		pdk.Check(checkImage(v))
		n.look = n.look.Set("image", v)
	}
	return nil
}

// add adds one shape with a text and returns it. moved reports that its position was occupied.
func (n *addition) add(c *ctx, text string) (made *cell, moved bool, err error) {
	where, r, moved := n.place(c, text)
	d := c.Model.Draft()
	id := n.id
	if id == "" {
		id = d.NewID()
	}
	parent := n.layer
	if where.In != nil {
		parent = where.In.ID
		if r.X < 0 || r.Y < 0 {
			return nil, false, pdk.Errorf("that place lies outside %s", model.Short(where.In))
		}
	}
	page := where.Page
	shown := mxfile.LabelValue(text, true)
	if n.like != nil {
		shown = likeLabel(n.like, text)
	}
	vertex := mxfile.NewVertex(id, shown, n.look, parent, r)
	if c4Type(n.kind) != "" {
		vertex = asC4(vertex, n.kind, text, n.tech, n.about)
	}
	d.Append(page, id, vertex)
	if n.rows != nil {
		n.rows.Build(d, page, id, n.w)
	} else {
		n.plan.Build(d, page, id, n.w, n.h)
	}
	if n.badge != "" {
		badge := d.NewID()
		d.Append(page, badge, newBadge(badge, id, n.badge, badgeBox(n.badge, badgeCorner.Default), badgeStyle))
	}
	var pushed []*cell
	if where.In != nil {
		grown := map[*cell]geom.Rect{}
		placement.Fit(d, grown, where.In, r)
		pushed = placement.MakeWay(d, grown, nil)
		maps.Copy(n.grown, grown)
	}
	if math.Abs(r.X) > values.MaxCoord || math.Abs(r.Y) > values.MaxCoord {
		return nil, false, pdk.Errorf("there is no room left on the page")
	}
	if err := c.Do(d.Edit(), "add "+n.kind+" "+text, model.EventID(page.Key, id)); err != nil {
		return nil, false, err
	}
	for _, x := range pushed {
		if !slices.Contains(n.pushed, x) {
			n.pushed = append(n.pushed, x)
		}
	}
	return page.Cell(id), moved, nil
}

// place finds room for the next shape. If the group of the shape that near: names has none, the
// shape goes beside that group.
func (n *addition) place(c *ctx, text string) (where placement.Spot, r geom.Rect, moved bool) {
	where = n.where
	r, moved = where.Find(n.w, n.h, nil)
	for where.Joined && placement.IsOutside(where.In, r) {
		c.Warn("%s has no room there in %s, so %s is beside %s", model.Short(where.Near), model.Short(where.In), values.OneLine(text), model.Short(where.In))
		where.Near, where.In = where.In, where.In.Owner()
		if where.In != nil && where.In.Kind() == "pool" {
			where.Near, where.In = where.In, where.In.Owner()
		}
		where.Joined = where.In != nil && model.IsGroup(where.In)
		r, moved = where.Find(n.w, n.h, nil)
	}
	return where, r, moved
}

// maxShown is the greatest number of shapes of one op that a reply lists.
const maxShown = 8

// report reports what was added.
func (n *addition) report(c *ctx, made []*cell) {
	bounds := geom.Rect{}
	var shown []string
	for i, x := range made {
		at := x.Abs()
		bounds = bounds.Union(at)
		if len(made) <= maxShown || i < maxShown-1 {
			shown = append(shown, n.kind+" "+values.OneLine(n.labelOf(i))+" "+values.Box(at)+model.ThemeSuffix(x))
		}
	}
	if n.count == 1 {
		edit.WarnTight(c, made[0])
		ref := ""
		if n.id != "" && n.id != values.OneLine(n.text) {
			ref = " id:" + n.id
		}
		c.Created("%s", shown[0]+ref+placement.Growth(n.grown, n.pushed))
		return
	}
	if more := len(made) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("… %d more", more))
	}
	c.Created("%d %s %s%s\n%s%s", n.count, n.kind, values.Box(bounds), model.ThemeSuffix(made[0]), strings.Join(shown, "\n"), placement.Growth(n.grown, n.pushed))
}

// labelOf returns the label of shape i.
func (n *addition) labelOf(i int) string {
	if n.count == 1 {
		return n.text
	}
	return fmt.Sprintf("%s%d", n.text, i+1)
}

// checkImage refuses pictures that a viewer cannot load or a style cannot hold.
func checkImage(s string) error {
	if strings.ContainsAny(s, ";\n\r\" <>") || len(s) > 100_000 {
		return pdk.Errorf("src: a style cannot hold spaces or ; in a URL; write data:image/png,BASE64 without ;base64")
	}
	if strings.HasPrefix(s, "data:image/") {
		return nil
	}
	if err := checkURL(s); err != nil {
		return pdk.Errorf("src: %s", err.Message)
	}
	return nil
}

// withStyleParams applies the theme of the op to the style of a type, then its other style keys.
func withStyleParams(f *file, a pdk.Args, s style.Style) (style.Style, error) {
	s, err := edit.WithTheme(f, a, s)
	if err != nil || len(a.Positionals) < 3 && !slices.ContainsFunc(a.Params, func(kv abi.KeyValue) bool { return !ownKeys[kv.Key] }) {
		return s, err
	}
	changes := pdk.Must(edit.ReadChanges(f, a, 2, ownKeys))
	s, err = changes.Apply(s, style.Vertex)
	return s, edit.Refuse(err)
}

// besideLast places a participant to the right of the last one. With asLong its lifeline
// gets the same length.
func (n *addition) besideLast(page *mxfile.Page, asLong bool) {
	t := model.SequenceOn(page)
	if len(t.Participants) == 0 {
		return
	}
	last := t.Participants[len(t.Participants)-1].Abs()
	if asLong {
		n.h = last.H
	}
	n.where.At, n.where.Strict = &geom.Point{X: last.Right() + placement.Beside + math.Max(0, 50-last.W/2), Y: last.Y}, true
}
