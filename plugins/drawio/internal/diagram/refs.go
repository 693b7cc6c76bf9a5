package diagram

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pack"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// idOf names a cell for events and @recent: its key, with the page's before it
// on all pages but the first.
func idOf(c *cell) string { return eventID(c.Page.Key, c.Key) }

func eventID(page, key string) string {
	if page != "1" || strings.Contains(key, "/") {
		key = page + "/" + key
	}
	if len(key) > abi.MaxID {
		key = key[:abi.MaxID]
	}
	return key
}

// byID finds what idOf named, nil when it is gone.
func byID(f *file, id string) *cell {
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

// name prints a reference that resolves to c: its label, qualified where that
// is needed, or its id.
func name(c *cell) string {
	if !c.Shape() || c.Name() == "" {
		return byKey(c)
	}
	names := c.Page.Names()
	n := names.Name(c)
	if hits, m := names.Find(unquote(n), true); m == pdk.MatchExact && len(hits) == 1 && hits[0] == c {
		if o := keyed(c.Page, unquote(n)); o == nil || o == c {
			return n
		}
		kind := c.Kind() + ":" + c.Name()
		if hits, m := names.Find(kind, true); m == pdk.MatchExact && len(hits) == 1 && keyed(c.Page, kind) == nil {
			return pdk.Quote(kind)
		}
	}
	return byKey(c)
}

// byKey prints a cell's id, as #id where a shape is called like it.
func byKey(c *cell) string {
	if hits, m := c.Page.Names().Find(c.Key, true); m != pdk.MatchNone && !slices.Equal(hits, []*cell{c}) {
		return pdk.Quote("#" + c.Key)
	}
	return pdk.Quote(c.Key)
}

// keyed is the cell with that id, nil where none is or a reference cannot mean it.
func keyed(p *mxfile.Page, id string) *cell {
	if c := p.Cell(id); c != nil && !c.Opaque && (c.Vertex || c.Edge) {
		return c
	}
	return nil
}

func unquote(s string) string {
	if len(s) < 2 || s[0] != '"' {
		return s
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\t`, "\t").Replace(s[1 : len(s)-1])
}

// short is how a cell is called in replies: its label on one line, else its id.
func short(c *cell) string {
	label := oneLine(c.Name())
	switch {
	case label == "" && c.Edge:
		return arrowText(c)
	case label == "":
		return c.Key
	}
	return label
}

func oneLine(s string) string {
	if tidy(s) {
		return s
	}
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:77], "") + "…"
	}
	return s
}

// tidy reports whether s is what oneLine makes of it, for most that are.
func tidy(s string) bool {
	blank := true
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] >= utf8.RuneSelf || blank && s[i] == ' ' {
			return false
		}
		blank = s[i] == ' '
	}
	return len(s) <= 80 && !blank
}

// shape resolves a reference to one shape of the current page, or to any
// cell by its id. exactish keeps to full names, for verbs that destroy.
func shape(f *file, ref string, exactish bool) (*cell, error) {
	p := f.Current
	names := p.Names()
	hits, level := names.Find(ref, exactish)
	if level == pdk.MatchNone {
		if own := ofDefined(f, ref, exactish); len(own) > 0 {
			hits, level = own, pdk.MatchExact
		}
		// A pack's name tells no more than its shape's type alone.
		if _, short, ok := pack.Split(ref); ok && strings.Contains(short, ":") {
			hits, level = names.Find(short, exactish)
		}
	}
	hits = wholes(hits)
	own := keyed(p, ref)
	switch {
	case own != nil && (level == pdk.MatchNone || level == pdk.MatchPrefix):
		return own, nil
	case own != nil && !slices.Contains(hits, own):
		hits = append(slices.Clone(hits), own)
		p.Sort(hits)
		return nil, unclear(fmt.Sprintf("%q is the label of one and the id of another", ref), ref, hits)
	case level == pdk.MatchNone && strings.HasPrefix(ref, "#"):
		if own = keyed(p, ref[1:]); own != nil {
			return own, nil
		}
	}
	switch {
	case len(hits) == 1:
		return hits[0], nil
	case len(hits) == 0:
		return nil, notFound(f, ref, exactish)
	}
	hits = append([]*cell(nil), hits...)
	p.Sort(hits)
	what := "ambiguous"
	if level == pdk.MatchPrefix {
		what = "the beginning of several"
	}
	return nil, unclear(fmt.Sprintf("%q is %s", ref, what), ref, hits)
}

// ofDefined reads a reference as TYPE:LABEL with a type that the document
// defines.
func ofDefined(f *file, ref string, exactish bool) []*cell {
	kind, label, ok := strings.Cut(ref, ":")
	if !ok || label == "" {
		return nil
	}
	if _, ok := defined(f, kind); !ok {
		return nil
	}
	hits, _ := f.Current.Names().Find(label, exactish)
	var out []*cell
	for _, h := range hits {
		if h.Style.Is(mxfile.DefinedKey, kind) {
			out = append(out, h)
		}
	}
	return out
}

// kindOf names a shape's type: that of the document which it was added as, or
// what it looks like.
func kindOf(c *cell) string {
	if kind := c.Defined(); kind != "" && definedName(kind) == nil {
		return kind
	}
	return c.Kind()
}

func kindOfStyle(s style.Style) string {
	if kind, _ := s.Get(mxfile.DefinedKey); kind != "" && definedName(kind) == nil {
		return kind
	}
	return s.Kind()
}

// unclear refuses a reference that means several shapes, and names them.
func unclear(what, ref string, hits []*cell) *pdk.Error {
	list := nameList(hits[:min(8, len(hits))])
	text := strings.Join(list, ", ")
	if len(hits) > 8 {
		text += ", …"
	}
	return pdk.Errorf("%s: %s", what, text).Instead(ref, list...)
}

func nameList(cells []*cell) []string {
	var out []string
	for _, c := range cells {
		out = append(out, name(c))
	}
	return out
}

// wholes leaves the parts of classes and tables out of what a name may mean
// where it may mean a shape that stands for itself.
func wholes(hits []*cell) []*cell {
	if len(hits) < 2 {
		return hits
	}
	var out []*cell
	for _, h := range hits {
		if !inCompound(h) {
			out = append(out, h)
		}
	}
	if len(out) == 0 {
		return hits
	}
	return out
}

func notFound(f *file, ref string, exactish bool) error {
	p := f.Current
	_, err := p.Names().One(ref, "shape", exactish)
	if err == nil { // a name the index knows under several, sorted out above
		err = pdk.Errorf("shape %q not found", ref)
	}
	e, ok := err.(*pdk.Error)
	if !ok {
		return err
	}
	for i, q := range f.Pages {
		if q == p {
			continue
		}
		if hits, level := q.Names().Find(ref, true); level != pdk.MatchNone && len(hits) > 0 {
			e.Message += fmt.Sprintf("; page %d (%s) has it", i+1, q.Name)
			return e.Try(pageSwitchTo(f, q))
		}
	}
	if _, level := p.Names().Find(ref, false); level == pdk.MatchPrefix {
		return e // which names what it is the beginning of
	}
	near := nearShapes(p, ref)
	if len(near) == 0 {
		e.Message += "; the query map shows what there is"
		return e.TryQuery("map")
	}
	return e.Instead(ref, nameList(near)...)
}

// nearShapes are the shapes whose labels are close to a reference, of labels
// that one shape has.
func nearShapes(p *mxfile.Page, ref string) (out []*cell) {
	for _, label := range p.Names().Nearest(ref) {
		hits, _ := p.Names().Find(unquote(label), true)
		if hits = wholes(hits); len(hits) == 1 {
			out = append(out, hits[0])
		}
	}
	return out
}

// vertex is shape for references that must be a shape, a text or a group.
func vertex(f *file, ref string) (*cell, error) {
	c, err := shape(f, ref, false)
	if err == nil && !c.Vertex {
		return nil, pdk.Errorf("%q is an edge; a shape or a group is needed here", ref)
	}
	return c, err
}

// target is what a verb works on: the selection, `A -> B`, or one reference.
// It says how many positionals it used.
func target(c *ctx, a pdk.Args, exactish bool) (cells []*cell, used int, err error) {
	if len(a.Selectors) > 0 {
		cells, err = selected(c.Model, c.Recent, a.Selectors, exactish)
		return cells, 0, err
	}
	if len(a.Positionals) == 0 {
		return nil, 0, pdk.Errorf("%s needs a shape, an edge A -> B, or a selector", a.Verb).TryQuery("map")
	}
	if a.IsArrow(1) {
		if len(a.Positionals) < 3 {
			return nil, 0, pdk.Errorf("%s has nothing behind it", a.Text(1))
		}
		label := ""
		if a.Verb == "disconnect" || a.Verb == "remove" || a.Has("after") || a.Has("before") {
			label = a.String("label", "")
		}
		list, err := edges(c.Model, a, label)
		if err == nil && len(list) > 1 {
			err = severalEdges(a, list)
		}
		return list, 3, err
	}
	one, err := shape(c.Model, a.Text(0), exactish)
	if err != nil {
		if e, several := oneMessage(c.Model, a.Text(0), exactish); e != nil || several != nil {
			one, err = e, several
		}
	}
	return []*cell{one}, 1, err
}

// pageSwitchTo is the op that makes a page the current one.
func pageSwitchTo(f *file, p *mxfile.Page) string {
	return fmt.Sprintf("page switch %d", f.Number(p))
}

// inOrder brings cells into the file's order and drops repeats.
func inOrder(p *mxfile.Page, cells []*cell) []*cell {
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
