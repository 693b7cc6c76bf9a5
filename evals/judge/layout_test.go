package judge

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// at is a box at a place.
func at(id, label, style, parent string, a area) string {
	return fmt.Sprintf(`<mxCell id="%s" value="%s" style="%s" vertex="1" parent="%s"><mxGeometry x="%g" y="%g" width="%g" height="%g"/></mxCell>`, id, label, style, parent, a.x, a.y, a.width, a.height)
}

func TestALayoutIsWhatAPersonSees(t *testing.T) {
	label := func(id, text string, x float64) string {
		return fmt.Sprintf(`<mxCell id="%s" value="%s" style="edgeLabel" vertex="1" parent="e"><mxGeometry x="%g" relative="1"/></mxCell>`, id, text, x)
	}
	row := at("r1", "", "shape=tableRow", "t", area{0, 20, 50, 20}) + at("c2", "id", "shape=partialRectangle", "r1", area{10, 0, 40, 20}) + at("c1", "int", "shape=partialRectangle", "r1", area{0, 0, 10, 20})
	for _, c := range []struct {
		name, cells string
		want        []string
	}{
		{"boxes apart", at("a", "A", "", "1", area{0, 0, 10, 10}) + at("b", "B", "", "1", area{10, 0, 10, 10}), nil},
		{"boxes that cover each other", at("a", "A", "", "1", area{0, 0, 10, 10}) + at("b", "B", "", "1", area{5, 5, 10, 10}), []string{`"B" over "A"`}},
		{"a box on top of another one", at("a", "A", "", "1", area{0, 0, 10, 10}) + at("b", "B", "", "1", area{0, 0, 10, 10}), []string{`"B" over "A"`}},
		{"a text over a box", at("a", "A", "", "1", area{0, 0, 10, 10}) + at("b", "B", "text;html=1", "1", area{5, 5, 10, 10}), nil},
		{"a box in a lane", at("l", "Lane", "swimlane", "1", area{100, 0, 50, 50}) + at("a", "A", "", "l", area{5, 5, 10, 10}), []string{`"A" within "Lane"`}},
		{"a box that is only drawn in a lane", at("l", "Lane", "swimlane", "1", area{100, 0, 50, 50}) + at("a", "A", "", "1", area{105, 5, 10, 10}), []string{`"A" within "Lane"`}},
		{"a table", at("t", "T", "shape=table;childLayout=tableLayout", "1", area{0, 0, 50, 40}) + row, []string{`rows of "T": "int" "id"`}},
		{"a class with a line", at("k", "K", "swimlane;childLayout=stackLayout", "1", area{0, 0, 50, 40}) + at("x", "second", "", "k", area{0, 28, 50, 12}) + at("y", "", "line", "k", area{0, 20, 50, 8}), []string{`rows of "K": - "second"`}},
		{"a class that is too small", class(30, 20), []string{`rows of "Class": "row 0"`, `rows of "Class" are outside of it`}},
		{"labels of a line", at("a", "A", "", "1", area{0, 0, 9, 9}) + at("b", "B", "", "1", area{99, 0, 9, 9}) + line("e", "a", "b") + label("1", "0..1", -0.9) + label("2", "owns", 0) + label("3", "1..*", 0.9),
			[]string{`end "A" of "A" -> "B": "0..1"`, `end "B" of "A" -> "B": "1..*"`}},
	} {
		got, err := Facts("layout", []byte(page(c.cells)))
		for i := range got {
			got[i] = strings.TrimPrefix(got[i], "Page_1 ")
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v %q, want %q", c.name, err, got, c.want)
		}
	}
}
