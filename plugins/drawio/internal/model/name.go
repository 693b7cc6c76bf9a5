package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// ID names a cell for events and @recent: its key, with the page's before it
// on all pages but the first.
func ID(c *cell) string { return EventID(c.Page.Key, c.Key) }

func EventID(page, key string) string {
	if page != "1" || strings.Contains(key, "/") {
		key = page + "/" + key
	}
	if len(key) > abi.MaxID {
		key = key[:abi.MaxID]
	}
	return key
}

// ByID finds what idOf named, nil when it is gone.
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

// Reference prints a reference that resolves to c: its label, qualified where that
// is needed, or its id.
func Reference(c *cell) string {
	if !c.Shape() || c.Name() == "" {
		return quotedID(c)
	}
	names := c.Page.Names()
	n := names.Name(c)
	if hits, m := names.Find(values.Unquote(n), true); m == pdk.MatchExact && len(hits) == 1 && hits[0] == c {
		if o := WithID(c.Page, values.Unquote(n)); o == nil || o == c {
			return n
		}
		kind := c.Kind() + ":" + c.Name()
		if hits, m := names.Find(kind, true); m == pdk.MatchExact && len(hits) == 1 && WithID(c.Page, kind) == nil {
			return pdk.Quote(kind)
		}
	}
	return quotedID(c)
}

// quotedID prints a cell's id, as #id where a shape is called like it.
func quotedID(c *cell) string {
	if hits, m := c.Page.Names().Find(c.Key, true); m != pdk.MatchNone && !slices.Equal(hits, []*cell{c}) {
		return pdk.Quote("#" + c.Key)
	}
	return pdk.Quote(c.Key)
}

// WithID is the cell with that id, nil where none is or a reference cannot mean it.
func WithID(p *mxfile.Page, id string) *cell {
	if c := p.Cell(id); c != nil && !c.Opaque && (c.Vertex || c.Edge) {
		return c
	}
	return nil
}

// Short is how a cell is called in replies: its label on one line, else its id.
func Short(c *cell) string {
	label := values.OneLine(c.Name())
	switch {
	case label == "" && c.Edge:
		return ArrowText(c)
	case label == "":
		return c.Key
	}
	return label
}

// KindOf names a shape's type: that of the document which it was added as, or
// what it looks like.
func KindOf(c *cell) string {
	if kind := c.Defined(); kind != "" && catalog.CheckName(kind) == nil {
		return kind
	}
	return c.Kind()
}

func KindOfStyle(s style.Style) string {
	if kind, _ := s.Get(mxfile.DefinedKey); kind != "" && catalog.CheckName(kind) == nil {
		return kind
	}
	return s.Kind()
}

func References(cells []*cell) []string {
	var out []string
	for _, c := range cells {
		out = append(out, Reference(c))
	}
	return out
}

// PageSwitch is the op that makes a page the current one.
func PageSwitch(f *file, p *mxfile.Page) string {
	return fmt.Sprintf("page switch %d", f.Number(p))
}

// InOrder brings cells into the file's order and drops repeats.
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

// List names a few cells, or counts many.
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
			return values.Plural(len(cells), "shape")
		case len(cells):
			return values.Plural(len(cells), "edge")
		}
		return values.Plural(len(cells)-edges, "shape") + " and " + values.Plural(edges, "edge")
	}
	var out []string
	for _, c := range cells {
		if c.Edge {
			out = append(out, ArrowText(c))
		} else {
			out = append(out, Short(c))
		}
	}
	return strings.Join(out, ", ")
}

// ListFirst names one cell, or counts several.
func ListFirst(cells []*cell) string { return List(cells, 1) }

// Already says that cells are so: "A is in that style already: bold".
func Already(cells []*cell, so, detail string) string {
	verb := "is"
	if len(cells) > 1 {
		verb = "are"
	}
	if detail != "" {
		detail = ": " + detail
	}
	return fmt.Sprintf("%s %s %s already%s", ListFirst(cells), verb, so, detail)
}

func IDs(cells []*cell) []string {
	var ids []string
	for _, x := range cells {
		ids = append(ids, ID(x))
	}
	return ids
}

func PageTitle(f *file, p *mxfile.Page) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", f.Number(p), values.OneLine(p.Name)))
}

// LayerLabel is a layer's name as draw.io shows it: the first one often has
// none.
func LayerLabel(l *cell) string {
	if l.Label() == "" {
		return "Background"
	}
	return l.Label()
}

func LayerTitle(l *cell) string {
	for i, x := range l.Page.Layers() {
		if x == l {
			return fmt.Sprintf("%d %s", i+1, values.OneLine(LayerLabel(l)))
		}
	}
	return values.OneLine(LayerLabel(l))
}
