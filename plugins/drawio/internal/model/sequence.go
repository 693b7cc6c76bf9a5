package model

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

// Participant returns the cell itself if it is a participant, the participant that it
// belongs to if it is an activation, and nil for other cells.
func Participant(c *cell) *cell {
	for n := 0; c != nil && n < 3; c, n = c.Owner(), n+1 {
		if c.Kind() == "participant" {
			return c
		}
	}
	return nil
}

// IsMessage reports whether an edge runs between participants.
func IsMessage(e *cell) bool {
	from, to := Ends(e)
	return from != nil && to != nil && Participant(from) != nil && Participant(to) != nil
}

// Sequence is the sequence diagram on a page.
type Sequence struct {
	Page         *mxfile.Page
	Participants []*cell                // from left to right
	Messages     []*cell                // from the top down
	End          float64                // y of the last message, or of the lowest participant's box
	routes       map[*cell][]geom.Point // as drawn, if a message has no waypoints
}

// SequenceOn reads the sequence on a page. It has no participants if there is none.
func SequenceOn(page *mxfile.Page) *Sequence {
	t := &Sequence{Page: page, End: math.Inf(-1)}
	for c := page.First(); c != nil; c = c.Next() {
		switch {
		case c.Shape() && c.Kind() == "participant":
			t.Participants = append(t.Participants, c)
			if t.End < c.Abs().Y+ParticipantHead+10 {
				t.End = c.Abs().Y + ParticipantHead + 10
			}
		case c.Edge && IsMessage(c):
			t.Messages = append(t.Messages, c)
		}
	}
	slices.SortStableFunc(t.Participants, func(a, b *cell) int { return int(a.Abs().X - b.Abs().X) })
	if slices.ContainsFunc(t.Messages, func(e *cell) bool { return len(FreePoints(e)) == 0 }) {
		t.routes = svg.Routes(page)
	}
	slices.SortStableFunc(t.Messages, func(a, b *cell) int { return int(t.Heights(a)[0] - t.Heights(b)[0]) })
	for _, e := range t.Messages {
		t.End = math.Max(t.End, t.Heights(e)[1])
	}
	return t
}

// Heights returns the y coordinates between which a message runs. If the message has no
// waypoints it follows the route that draw.io would draw.
func (t *Sequence) Heights(e *cell) [2]float64 {
	if len(FreePoints(e)) > 0 || len(t.routes[e]) == 0 {
		return MessageHeights(e)
	}
	out := [2]float64{math.Inf(1), math.Inf(-1)}
	for _, p := range t.routes[e] {
		out[0], out[1] = math.Min(out[0], math.Round(p.Y)), math.Max(out[1], math.Round(p.Y))
	}
	if from, to := Ends(e); Participant(from) != Participant(to) { // counts as one height even if it is slanted
		out[0] = out[1]
	}
	return out
}

// MessageHeights returns the y coordinates between which the points of a message lie, both
// 0 if it has no points.
func MessageHeights(e *cell) [2]float64 {
	from, to := math.Inf(1), math.Inf(-1)
	o := e.Origin()
	for _, p := range FreePoints(e) {
		from, to = math.Min(from, p.Y+o.Y), math.Max(to, p.Y+o.Y)
	}
	if from > to {
		return [2]float64{0, 0}
	}
	return [2]float64{from, to}
}

// AreParticipants reports whether both cells are participants.
func AreParticipants(from, to *cell) bool {
	return from.Kind() == "participant" && to.Kind() == "participant"
}

// FindMessages returns the messages with a text, or else those whose text begins with it,
// if all of these have the same text.
func (t *Sequence) FindMessages(text string) ([]*cell, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	var exact, begun []*cell
	var names, near []string
	for _, e := range t.Messages {
		name := EdgeLabel(e)
		switch low := strings.ToLower(name); {
		case name == "":
			continue
		case low == text:
			exact = append(exact, e)
		case text != "" && strings.HasPrefix(low, text):
			begun = append(begun, e)
			if !slices.Contains(near, name) {
				near = append(near, name)
			}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch {
	case len(exact) > 0:
		return exact, nil
	case len(near) == 1:
		return begun, nil
	}
	return nil, pdk.Errorf("no message %q; messages: %s", text, strings.Join(names, ", ")).Instead(text, append(near, pdk.Nearest(text, names)...)...)
}

// ActorLifeline is the style of a participant drawn as a stick figure.
const ActorLifeline = style.Style("shape=umlLifeline;participant=umlActor;perimeter=lifelinePerimeter;whiteSpace=wrap;html=1;container=1;dropTarget=0;collapsible=0;" +
	"recursiveResize=0;verticalAlign=top;spacingTop=36;labelBackgroundColor=default;outlineConnect=0;portConstraint=eastwest;size=40;")

// CaptionStyle is the style of a chart's title.
const CaptionStyle = style.Style("text;html=1;align=left;verticalAlign=middle;whiteSpace=wrap;fontSize=18;fontStyle=1;strokeColor=none;fillColor=none;")

// ParticipantHead is the height of the box at the top of a lifeline.
const ParticipantHead = 40

// LineHeight is the height of a line of text at draw.io's default font size.
const LineHeight = 15

// LineCount returns the number of lines of a text.
func LineCount(text string) float64 { return float64(strings.Count(text, "\n") + 1) }
