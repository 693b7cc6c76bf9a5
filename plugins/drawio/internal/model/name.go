package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// ID returns the name of a cell in events and @recent: its key, after the key of the page
// on all pages but the first.
func ID(c *cell) string { return EventID(c.Page.Key, c.Key) }

// EventID is ID for a cell that does not exist yet.
func EventID(page, key string) string {
	if page != "1" || strings.Contains(key, "/") {
		key = page + "/" + key
	}
	if len(key) > abi.MaxID {
		key = key[:abi.MaxID]
	}
	return key
}

// ByID finds the cell that ID named, nil if it no longer exists.
func ByID(f *file, id string) *cell {
	page, key, qualified := strings.Cut(id, "/")
	if !qualified {
		page, key = "1", id
	}
	p := f.Page(page)
	if p == nil {
		return nil
	}
	return p.Cell(key)
}

// Reference prints a reference that resolves to c: its label, qualified if that is
// ambiguous, for a cell of a table its place in its row, or its id.
func Reference(c *cell) string {
	if ref, ok := labelReference(c); ok {
		return ref
	}
	if row := RowOf(c); row != nil && c != row {
		for _, x := range RowCells(row) {
			if ref, ok := labelReference(x); ok {
				return pdk.Quote(fmt.Sprintf("%s/%d", pdk.Unquote(ref), Column(c)+1))
			}
		}
	}
	return quotedID(c)
}

// labelReference prints a reference by label that resolves to c, if there is one.
func labelReference(c *cell) (string, bool) {
	if !c.Shape() || c.Name() == "" {
		return "", false
	}
	names := c.Page.Names()
	n := names.Name(c)
	if hits, m := names.Find(pdk.Unquote(n), true); m == pdk.MatchExact && len(hits) == 1 && hits[0] == c {
		if o := WithID(c.Page, pdk.Unquote(n)); o == nil || o == c {
			return n, true
		}
		kind := c.Kind() + ":" + c.Name()
		if hits, m := names.Find(kind, true); m == pdk.MatchExact && len(hits) == 1 && WithID(c.Page, kind) == nil {
			return pdk.Quote(kind), true
		}
	}
	return "", false
}

// quotedID prints the id of a cell, as #id if it is also the label of another shape.
func quotedID(c *cell) string {
	if hits, m := c.Page.Names().Find(c.Key, true); m != pdk.MatchNone && !slices.Equal(hits, []*cell{c}) {
		return pdk.Quote("#" + c.Key)
	}
	return pdk.Quote(c.Key)
}

// WithID finds a cell by its id. It returns nil if there is no such cell or references
// cannot name it.
func WithID(p *mxfile.Page, id string) *cell {
	if c := p.Cell(id); c != nil && !c.Opaque && (c.Vertex || c.Edge) {
		return c
	}
	return nil
}

// Short prints a cell in the form used in replies: its label on one line, for a row of cells their texts, or else its id.
func Short(c *cell) string {
	label := values.OneLine(c.Name())
	if label == "" && RowOf(c) == c {
		label = RowText(c)
	}
	switch {
	case label == "" && c.Edge:
		return ArrowText(c)
	case label == "":
		return c.Key
	}
	return label
}

// KindOf returns the type of a shape: the defined type that it was added as, or else the
// type of its style.
func KindOf(c *cell) string {
	if kind := c.Defined(); kind != "" && catalog.CheckName(kind) == nil {
		return kind
	}
	return c.Kind()
}

// References returns the Reference of each cell.
func References(cells []*cell) []string {
	return pdk.Map(cells, Reference)
}

// PageSwitch returns the op that switches to a page.
func PageSwitch(f *file, p *mxfile.Page) string {
	return fmt.Sprintf("page switch %d", f.Number(p))
}

// InOrder sorts cells into the order of the file and removes duplicates.
func InOrder(p *mxfile.Page, cells []*cell) []*cell {
	seen := make(map[*cell]bool, len(cells))
	out := cells[:0:0]
	for _, c := range cells {
		if !seen[c] {
			seen[c] = true
			out = append(out, c)
		}
	}
	p.Sort(out)
	return out
}

// List prints the names of up to most cells, or the number of cells if there are more.
func List(cells []*cell, most int) string {
	if len(cells) > most {
		edges := 0
		for _, c := range cells {
			if c.Edge {
				edges++
			}
		}
		switch edges {
		case 0:
			return pdk.Count(len(cells), "shape")
		case len(cells):
			return pdk.Count(len(cells), "edge")
		}
		return pdk.Count(len(cells)-edges, "shape") + " and " + pdk.Count(edges, "edge")
	}
	var out []string
	for _, c := range cells {
		switch {
		case c.Edge && HasFreeEnd(c): // its ends may be those of others, too
			out = append(out, ArrowText(c)+" "+c.Key)
		case c.Edge:
			out = append(out, ArrowText(c))
		default:
			out = append(out, Short(c))
		}
	}
	return strings.Join(out, ", ")
}

// All prints the names of cells, however many there are: for what happens to cells that an op
// does not name.
func All(cells []*cell) string { return List(cells, len(cells)) }

// Some prints the names of the first few cells and the number of the others.
func Some(cells []*cell) string {
	if n := len(cells) - MostExamples; n > 0 {
		return All(cells[:MostExamples]) + fmt.Sprintf(", … %d more", n)
	}
	return All(cells)
}

// ListFirst prints the name of a single cell, or the number of several.
func ListFirst(cells []*cell) string { return List(cells, 1) }

// Already says that cells are in a state: "A is already in that style: bold".
func Already(cells []*cell, so, detail string) string {
	verb := pdk.If(len(cells) > 1, "are", "is")
	if detail != "" {
		detail = ": " + detail
	}
	return fmt.Sprintf("%s %s already %s%s", ListFirst(cells), verb, so, detail)
}

// IDs returns the ID of each cell.
func IDs(cells []*cell) []string {
	return pdk.Map(cells, ID)
}

// PageTitle prints a page with its number and name.
func PageTitle(f *file, p *mxfile.Page) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", f.Number(p), values.OneLine(p.Name)))
}

// LayerLabel returns the name of a layer as draw.io shows it: the first one often has none
// in the file.
func LayerLabel(l *cell) string {
	if l.Label() == "" {
		return "Background"
	}
	return l.Label()
}

// LayerTitle prints a layer with its number and name.
func LayerTitle(l *cell) string {
	for i, x := range l.Page.Layers() {
		if x == l {
			return fmt.Sprintf("%d %s", i+1, values.OneLine(LayerLabel(l)))
		}
	}
	return values.OneLine(LayerLabel(l))
}
