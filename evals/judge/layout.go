package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// layoutFacts returns what a person sees of the arrangement of a draw.io file, however its cells are nested: the rows of a class or a table
// from top to bottom, the labels near the ends of a line, the boxes with labels that are within others, and those that cover each other:
//
//	Page-1 rows of "Person": "Name" "Phone Number" - "Purchase Parking Pass"
//	Page-1 end "Person" of "Person" -> "Address": "0..1"
//	Page-1 "Pack items" within "Warehouse"
//	Page-1 "Student" over "Professor"
func layoutFacts(data []byte) (facts []string, err error) {
	pages, err := readPages(data)
	for _, p := range pages {
		for _, f := range p.layout() {
			facts = append(facts, strings.TrimSpace(p.name+" "+f))
		}
	}
	return facts, err
}

// area is a rectangle of a page, in pixels.
type area struct{ x, y, width, height float64 }

// holds reports whether b is within a, give or take a pixel.
func (a area) holds(b area) bool {
	return b.x >= a.x-1 && b.y >= a.y-1 && b.x+b.width <= a.x+a.width+1 && b.y+b.height <= a.y+a.height+1
}

// meets reports whether a and b have more than a pixel in common.
func (a area) meets(b area) bool {
	return min(a.x+a.width, b.x+b.width)-max(a.x, b.x) > 1 && min(a.y+a.height, b.y+b.height)-max(a.y, b.y) > 1
}

// placed is a box with its place on the page.
type placed struct {
	cell
	area
}

func (p diagramPage) layout() (facts []string) {
	cells := p.cells()
	byID := map[string]cell{}
	for _, c := range cells {
		byID[c.id] = c
	}
	var boxes []placed
	for _, c := range cells {
		if line := byID[c.parent]; line.edge {
			if end := nearEnd(number(c.geometry, "x"), line); end != "" {
				facts = append(facts, fmt.Sprintf("end %q of %q -> %q: %q", byID[end].label, byID[line.from].label, byID[line.to].label, c.label))
			}
		} else if !c.edge && c.geometry.XMLName.Local != "" && c.geometry.attr("relative") != "1" {
			boxes = append(boxes, placed{c, place(c, byID)})
		}
	}
	for i, a := range boxes {
		if rows, bottom := rowsOf(a.id, boxes); stacked(a.cell) && a.label != "" && len(rows) > 0 {
			facts = append(facts, fmt.Sprintf("rows of %q: %s", a.label, strings.Join(rows, " ")))
			if bottom > a.y+a.height+1 {
				facts = append(facts, fmt.Sprintf("rows of %q are outside of it", a.label))
			}
		}
		for j, b := range boxes {
			switch {
			case i == j || a.label == "" || b.label == "" || isText(a.cell) || isRow(a.cell, byID) || isRow(b.cell, byID):
			case b.holds(a.area) && !a.holds(b.area) && !isText(b.cell):
				facts = append(facts, fmt.Sprintf("%q within %q", a.label, b.label))
			case i > j && a.meets(b.area) && a.holds(b.area) == b.holds(a.area) && !isText(b.cell):
				facts = append(facts, fmt.Sprintf("%q over %q", a.label, b.label))
			}
		}
	}
	return facts
}

// nearEnd returns the id of the shape that a label at x, from -1 to 1, of a line is near, or "".
func nearEnd(x float64, line cell) string {
	switch {
	case x < -0.3:
		return line.from
	case x > 0.3:
		return line.to
	}
	return ""
}

// place returns where a box is on its page. The places of boxes in it are relative to it.
func place(c cell, byID map[string]cell) area {
	a := area{number(c.geometry, "x"), number(c.geometry, "y"), number(c.geometry, "width"), number(c.geometry, "height")}
	for range len(byID) {
		if c = byID[c.parent]; c.id == "" {
			break
		}
		a.x, a.y = a.x+number(c.geometry, "x"), a.y+number(c.geometry, "y")
	}
	return a
}

func number(n node, attribute string) float64 {
	v, _ := strconv.ParseFloat(n.attr(attribute), 64)
	return v
}

// stacked reports whether the boxes in a box are its rows, or the cells of a row.
func stacked(c cell) bool {
	return strings.Contains(c.style, "stackLayout") || strings.Contains(c.style, "shape=table") || strings.Contains(c.style, "shape=partialRectangle")
}

// isRow reports whether a box is a row, or a cell of one, and not a lane.
func isRow(c cell, byID map[string]cell) bool {
	return stacked(byID[c.parent]) && !strings.HasPrefix(c.style, "swimlane")
}

func isText(c cell) bool { return strings.HasPrefix(c.style, "text;") }

// rowsOf returns the labels of the boxes in a box, from top to bottom and from left to right, in quotes, and where the last one ends. Those
// without a label have the labels of what is in them, or else a dash.
func rowsOf(parent string, boxes []placed) (rows []string, bottom float64) {
	var in []placed
	for _, b := range boxes {
		if b.parent == parent {
			in = append(in, b)
		}
	}
	slices.SortStableFunc(in, func(a, b placed) int { return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x)) })
	for _, b := range in {
		bottom = max(bottom, b.y+b.height)
		cells, _ := rowsOf(b.id, boxes)
		switch {
		case b.label != "":
			rows = append(rows, strconv.Quote(b.label))
		case len(cells) > 0:
			rows = append(rows, strings.Join(cells, " "))
		default:
			rows = append(rows, "-")
		}
	}
	return rows, bottom
}
