package chart

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// CSV reads a table. Its first row names the columns: for edges from (or
// source) and to (or target), with label; for nodes id, with label, type and
// group. A row that has a from is an edge, any other is a node; both kinds
// may stand in one table.
func CSV(text string) (*Chart, error) {
	c := newChart()
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	r.FieldsPerRecord = -1
	r.TrimLeadingSpace = true
	if first, _, _ := strings.Cut(text, "\n"); strings.Count(first, ";") > strings.Count(first, ",") {
		r.Comma = ';'
	}
	col := map[string]int{}
	head, err := r.Read()
	if err != nil {
		return nil, &Error{1, "the table is empty; its first row names the columns: id,label,type,group or from,to,label"}
	}
	for i, h := range head {
		h = strings.ToLower(strings.TrimSpace(h))
		switch h {
		case "source":
			h = "from"
		case "target":
			h = "to"
		case "name":
			h = "id"
		case "from", "to", "id", "label", "type", "group":
		default:
			return nil, &Error{1, "unknown column " + quote(h) + "; there are id label type group from to"}
		}
		if _, twice := col[h]; twice {
			return nil, &Error{1, "two columns are called " + h}
		}
		col[h] = i
	}
	_, hasFrom := col["from"]
	_, hasTo := col["to"]
	_, hasID := col["id"]
	if hasFrom != hasTo || !hasFrom && !hasID {
		return nil, &Error{1, "the first row needs the column id, or from and to"}
	}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			line := 1
			if pe := new(csv.ParseError); errors.As(err, &pe) {
				line, err = pe.Line, pe.Err
			}
			return nil, &Error{line, err.Error()}
		}
		line, _ := r.FieldPos(0)
		get := func(name string) string {
			if i, ok := col[name]; ok && i < len(row) {
				return strings.TrimSpace(row[i])
			}
			return ""
		}
		from, to, id := get("from"), get("to"), get("id")
		switch {
		case from != "" && to != "":
			c.touch(from, -1)
			c.touch(to, -1)
			c.Edges = append(c.Edges, Edge{From: from, To: to, Label: get("label"), Tail: "none", Head: "classic", line: line})
		case from != "" || to != "":
			return nil, &Error{line, "an edge needs both from and to"}
		case id != "":
			n := c.touch(id, -1)
			if n.Line != 0 {
				return nil, &Error{line, fmt.Sprintf("line %d describes the node %q already", n.Line, id)}
			}
			n.Line = line
			if l := get("label"); l != "" {
				n.Label = l
			}
			n.Shape = strings.ToLower(get("type"))
			if g := get("group"); g != "" {
				i, ok := c.group[g]
				if !ok {
					i = len(c.Groups)
					c.group[g] = i
					c.Groups = append(c.Groups, Group{ID: g, Label: g, Parent: -1})
				}
				n.Group = i
			}
		default:
			return nil, &Error{line, "the row names neither a node nor an edge"}
		}
		if err := c.check(line); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func quote(s string) string { return `"` + s + `"` }
