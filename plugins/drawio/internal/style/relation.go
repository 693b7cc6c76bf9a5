package style

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// relation is a kind of edge of class and entity diagrams: its marks and its line.
type relation struct {
	name        string
	start, end  string // draw.io's heads
	sFill, fill string // whether they are filled, "" for heads without a filled form
	size        string // of the heads; "" for the default
	dashed      bool
}

// relations lists the relations, read from the first end to the second: the child inherits
// from the parent, the whole is composed of the part, the one has many.
func relations() []relation {
	return []relation{
		{name: "inherits", start: "none", end: "block", fill: "0", size: "14"},
		{name: "implements", start: "none", end: "block", fill: "0", size: "14", dashed: true},
		{name: "composes", start: "diamondThin", sFill: "1", end: "none", size: "16"},
		{name: "aggregates", start: "diamondThin", sFill: "0", end: "none", size: "16"},
		{name: "associates", start: "none", end: "open", size: "10"},
		{name: "depends", start: "none", end: "open", size: "10", dashed: true},
		{name: "has-one", start: "ERmandOne", end: "ERmandOne", size: "10"},
		{name: "has-optional", start: "ERmandOne", end: "ERzeroToOne", size: "10"},
		{name: "has-many", start: "ERmandOne", end: "ERzeroToMany", size: "10"},
		{name: "many-to-many", start: "ERzeroToMany", end: "ERzeroToMany", size: "10"},
	}
}

// RelationNames lists the names of the relations.
func RelationNames() (out []string) {
	return pdk.Map(relations(), func(r relation) string { return r.name })
}

// WithRelation returns s with the marks and the line of a relation, which may be named in any
// case. ok is false for an unknown one.
func WithRelation(s Style, name string) (Style, bool) {
	for _, r := range relations() {
		if !strings.EqualFold(r.name, name) {
			continue
		}
		s = s.Set("startArrow", r.start).Set("endArrow", r.end)
		for _, kv := range [][2]string{{"startFill", r.sFill}, {"endFill", r.fill}, {"startSize", r.size}, {"endSize", r.size}} {
			if kv[1] == "" {
				s = s.Drop(kv[0])
			} else {
				s = s.Set(kv[0], kv[1])
			}
		}
		if s = s.Drop("dashed").Drop("dashPattern"); r.dashed {
			s = s.Set("dashed", "1")
		}
		return s, true
	}
	return s, false
}

// Relation names the relation with the marks and the line of s, or returns "".
func (s Style) Relation() string {
	start, _ := s.Get("startArrow")
	end, _ := s.Get("endArrow")
	if start == "" {
		start = "none"
	}
	if !isRelationHead(start) && !isRelationHead(end) {
		return ""
	}
	for _, r := range relations() {
		if end == "open" { // flows have this arrow too, in the default size
			if _, sized := s.Get("endSize"); !sized {
				continue
			}
		}
		if start == r.start && end == r.end && s.Is("dashed", "1") == r.dashed &&
			(r.sFill == "" || s.Is("startFill", "0") == (r.sFill == "0")) && (r.fill == "" || s.Is("endFill", "0") == (r.fill == "0")) {
			return r.name
		}
	}
	return ""
}

// isRelationHead reports whether relations use a head.
func isRelationHead(head string) bool {
	return strings.HasPrefix(head, "ER") || head == "diamondThin" || head == "block" || head == "open"
}

// Points reports whether a head only shows a direction, rather than the kind or the
// multiplicity of an end.
func Points(head string) bool {
	for _, mark := range []string{"ER", "diamond", "oval", "circle", "halfCircle", "dash", "baseDash", "cross", "box"} {
		if strings.HasPrefix(head, mark) {
			return false
		}
	}
	return head != "" && head != "none"
}
