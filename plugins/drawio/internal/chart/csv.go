package chart

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// CSV reads a table. Its first row names the columns: for edges from (or source) and to (or target), with label; for
// nodes id, with label, type and group. A row with a from is an edge, any other row is a node; one table may hold
// both.
func CSV(text string) (*Chart, error) {
	c := newChart()
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	r.FieldsPerRecord = -1
	r.TrimLeadingSpace = true
	if first, _, _ := strings.Cut(text, "\n"); strings.Count(first, ";") > strings.Count(first, ",") {
		r.Comma = ';'
	}
	head, err := r.Read()
	if err != nil {
		return nil, &Error{1, "the table is empty; its first row names the columns: id,label,type,group or from,to,label"}
	}
	columns, err := csvColumns(head)
	if err != nil {
		return nil, err
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
		if err := c.addRow(csvRow{columns, row}, line); err != nil {
			return nil, err
		}
		if err := c.check(line); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// csvColumns finds the index of each column by its name.
func csvColumns(head []string) (map[string]int, error) {
	columns := map[string]int{}
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
			return nil, &Error{1, "unknown column " + quote(h) + "; columns: id label type group from to"}
		}
		if _, twice := columns[h]; twice {
			return nil, &Error{1, "two columns are called " + h}
		}
		columns[h] = i
	}
	_, hasFrom := columns["from"]
	_, hasTo := columns["to"]
	_, hasID := columns["id"]
	if hasFrom != hasTo || !hasFrom && !hasID {
		return nil, &Error{1, "the first row needs the column id, or from and to"}
	}
	return columns, nil
}

// csvRow is a row of a table.
type csvRow struct {
	columns map[string]int
	fields  []string
}

// get returns the field of a column, "" if the row has none.
func (r csvRow) get(column string) string {
	if i, ok := r.columns[column]; ok && i < len(r.fields) {
		return strings.TrimSpace(r.fields[i])
	}
	return ""
}

// addRow adds the edge or node of a row.
func (c *Chart) addRow(row csvRow, line int) error {
	from, to, id := row.get("from"), row.get("to"), row.get("id")
	switch {
	case from != "" && to != "":
		c.touch(from, -1)
		c.touch(to, -1)
		c.Edges = append(c.Edges, Edge{From: from, To: to, Label: row.get("label"), Tail: "none", Head: "classic", line: line})
	case from != "" || to != "":
		return &Error{line, "an edge needs both from and to"}
	case id != "":
		n := c.touch(id, -1)
		if n.Line != 0 {
			return &Error{line, fmt.Sprintf("line %d already describes the node %q", n.Line, id)}
		}
		n.Line = line
		if l := row.get("label"); l != "" {
			n.Label = l
		}
		n.Shape = strings.ToLower(row.get("type"))
		if g := row.get("group"); g != "" {
			i, ok := c.group[g]
			if !ok {
				i = len(c.Groups)
				c.group[g] = i
				c.Groups = append(c.Groups, Group{ID: g, Label: g, Parent: -1})
			}
			n.Group = i
		}
	default:
		return &Error{line, "the row names neither a node nor an edge"}
	}
	return nil
}

func quote(s string) string { return `"` + s + `"` }
