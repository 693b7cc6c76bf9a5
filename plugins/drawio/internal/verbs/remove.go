package verbs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/rows"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/sequence"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

func removeVerb() verb {
	return verb{Run: runRemove, Keys: []pdk.Parameter{values.Text("label", "TEXT: which of several edges"), values.Text("in", "the class, table or entity of a row or column")}, Verb: abi.Verb{
		Syntax: "remove REF…|REF ARROW REF|SEL [label:TEXT] | remove row|column TEXT in:TABLE", Summary: "remove shapes with their edges, groups with their content, or edges; @not: also keeps the groups that contain the kept shapes", Category: "shapes",
		Brief:    "remove REF… | REF ARROW REF [label:] | SEL",
		Examples: []string{"remove AuthService", "remove A B", "remove A -> B", "remove @type:note", "remove @recent:2", `remove row Pro in:Prices`, `remove column Price in:Prices`},
	}}
}

func runRemove(c *ctx, a pdk.Args) error {
	if rows.Word(c.Model, a) == "column" {
		return rows.RemoveColumn(c, a)
	}
	if row, err := rows.Named(c.Model, a, true); row != nil || err != nil {
		if err != nil {
			return err
		}
		return removeCells(c, []*cell{row}, "", "remove")
	}
	if a.Has("in") {
		return pdk.Errorf("in: goes with a row or a column: remove row TEXT in:NAME").Try(a.Mended(pdk.WithWords(0, 0, "row")))
	}
	cells, used := pdk.Must2(selector.Targets(c, a, true))
	if len(a.Positionals) > used {
		_, _, bad := selector.Target(c, pdk.Args{Op: &abi.Op{Verb: a.Verb, Positionals: a.Positionals[used : used+1]}}, true)
		err := pdk.Errorf("%q names nothing to remove", a.Text(used))
		if bad != nil {
			err.Message = bad.Error()
		}
		if len(a.Arrows) == 0 {
			whole := strings.Join(a.Texts(0), " ")
			if _, bad := selector.Shape(c.Model, whole, true); bad == nil {
				return err.Try(a.Mended(pdk.WithJoined(0)))
			}
			for _, p := range a.Positionals {
				if _, bad := selector.Shape(c.Model, p.Text, true); bad == nil {
					err.Try(a.Mended(pdk.WithWords(0, len(a.Positionals), p.Text)))
				}
			}
		}
		return err
	}
	if _, ok := a.Param("label"); ok && used != 3 {
		return pdk.Errorf("label: tells edges apart; it goes with REF ARROW REF").TryQuery("connections *")
	}
	if cells = withoutContainers(cells, a.Selectors); len(cells) == 0 {
		return pdk.Errorf("%s selects only containers of shapes that stay", pdk.SelectorText(a.Selectors)).TryQuery("map")
	}
	return removeCells(c, cells, model.List(cells, 3), "remove")
}

// withoutContainers takes the cells that selectors with @not select, and drops the containers of
// shapes that the selectors leave out.
func withoutContainers(cells []*cell, sels []abi.Select) []*cell {
	if !slices.ContainsFunc(sels, func(s abi.Select) bool { return s.Negated }) {
		return cells
	}
	selected := pdk.Set(cells)
	holds := map[*cell]bool{}
	for x := cells[0].Page.First(); x != nil; x = x.Next() {
		if !x.Shape() || selected[x] || model.InCompound(x) {
			continue
		}
		for o := x.Owner(); o != nil && !holds[o]; o = o.Owner() {
			holds[o] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(cells), func(x *cell) bool { return holds[x] })
}

// removeCells removes cells with everything that depends on them: their content, and the edges that
// would lose an end. The reply calls the cells named.
func removeCells(c *ctx, cells []*cell, named, what string) error {
	page := cells[0].Page
	if rows := wholeRows(cells); rows != "" {
		named = rows
	}
	gone := map[*cell]bool{}
	queue := append([]*cell(nil), cells...)
	for len(queue) > 0 {
		x := queue[0]
		queue = queue[1:]
		if gone[x] {
			continue
		}
		gone[x] = true
		if x.ID == "" {
			continue
		}
		queue = append(queue, page.Children(x.ID)...)
		if x.Vertex && (x.Kind() != "activation" || gone[model.Participant(x)]) { // a message stays without its activation
			queue = append(queue, page.Out(x.ID)...)
			queue = append(queue, page.In(x.ID)...)
		}
	}
	d := c.Model.Draft()
	more := sequence.CloseUp(d, page, gone)
	for _, x := range more {
		gone[x] = true
	}
	all := slices.Collect(maps.Keys(gone))
	page.Sort(all)
	for _, x := range cells {
		delete(gone, x)
	}
	var inner, lost []*cell
	for _, x := range all {
		switch {
		case !gone[x]:
		case x.Edge:
			lost = append(lost, x)
		case x.Shape() && !model.IsFolded(x):
			inner = append(inner, x)
		}
	}
	text := named
	if len(inner) > 0 {
		text += fmt.Sprintf(" with %s inside: %s", pdk.Count(len(inner), "shape"), model.All(inner))
	}
	if len(lost) > 0 {
		text += fmt.Sprintf(" and %s: %s", pdk.Count(len(lost), "edge"), model.All(lost))
	}
	gone = map[*cell]bool{}
	for _, x := range all {
		gone[x] = true
	}
	grown := map[*cell]geom.Rect{}
	for _, x := range cells {
		if x.Vertex && model.IsPoolLane(x) && !gone[x.Owner()] {
			placement.Restack(d, grown, x.Owner(), gone)
		}
	}
	boxes := closeRows(d, grown, cells, gone)
	d.Remove(all...)
	ids := pdk.Map(all, model.ID)
	pdk.Check(c.Do(d.Edit(), what+" "+text, ids...))
	c.Deleted("%s", text)
	for _, box := range boxes {
		c.Also("%s %s: %s", model.Short(box), values.Box(box.Abs()), model.RowTexts(box))
	}
	return nil
}

// wholeRows replaces cells of rows by their rows. If all of the cells are such, it says which.
func wholeRows(cells []*cell) string {
	var names []string
	for i, x := range cells {
		if row := model.WholeRow(x); row != nil {
			cells[i] = row
			names = append(names, "row "+model.RowText(row)+" of "+model.Short(row.Owner()))
		}
	}
	if len(names) < len(cells) {
		return ""
	}
	return strings.Join(slices.Compact(names), ", ")
}

// closeRows moves up the rows below those that go, and returns the boxes that stay.
func closeRows(d *mxfile.Draft, grown map[*cell]geom.Rect, cells []*cell, gone map[*cell]bool) (boxes []*cell) {
	stacks := map[*cell]*rows.Stack{}
	done := map[*cell]bool{}
	for _, x := range cells {
		if box := x.Owner(); box != nil && model.RowOf(x) == x && !gone[box] && !done[x] {
			if done[x] = true; stacks[box] == nil {
				stacks[box] = rows.NewStack(box)
				boxes = append(boxes, box)
			}
			stacks[box].Close(x)
		}
	}
	for _, box := range boxes {
		stacks[box].Draft(d, grown, gone)
	}
	return boxes
}
