package domain

import (
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

// What people see of documents, in addition to what models see.

// ShowQuery returns the query for the picture that people see, or "".
func (d *Domain) ShowQuery() string {
	if v := d.Manifest.View; v != nil && v.Picture != "" {
		return v.Picture
	}
	if slices.ContainsFunc(d.Manifest.Queries, func(q abi.Query) bool { return q.Name == "preview" }) {
		return "preview"
	}
	return ""
}

// HearQuery returns the query for what the view plays, or "".
func (d *Domain) HearQuery() string {
	if v := d.Manifest.View; v != nil {
		return v.Audio
	}
	return ""
}

// checkView refuses a view whose queries the domain does not have.
func checkView(m *abi.Manifest) error {
	if m.View == nil {
		return nil
	}
	for _, text := range []string{m.View.Picture, m.View.Audio} {
		op, err := grammar.ParseQuery(text)
		if text != "" && (err != nil || !slices.ContainsFunc(m.Queries, func(q abi.Query) bool { return q.Name == op.Verb })) {
			return fmt.Errorf("its view asks %s, which is not one of its queries", quote(text))
		}
	}
	return nil
}

const (
	maxArea = 100_000_000 // hundredths of a unit: largest coordinate and size
	maxIDs  = 16          // of one area
	maxTime = 24 * 3600 * 1000
)

// cleanShown bounds the parts of a query's answer other than text and pictures.
func cleanShown(out *abi.QueryResponse) {
	out.Pages = out.Pages[:min(len(out.Pages), abi.MaxPages)]
	for i := range out.Pages {
		out.Pages[i] = line(out.Pages[i], 128)
	}
	in := func(n, from int) bool { return n >= from && n <= maxArea }
	out.Areas = slices.DeleteFunc(out.Areas[:min(len(out.Areas), abi.MaxAreas)], func(a abi.Area) bool {
		return !in(a.X, -maxArea) || !in(a.Y, -maxArea) || !in(a.Width, 0) || !in(a.Height, 0)
	})
	for i := range out.Areas {
		a := &out.Areas[i]
		a.Name, a.IDs = line(a.Name, 256), a.IDs[:min(len(a.IDs), maxIDs)]
	}
	if out.Page < 1 || out.Page > max(1, len(out.Pages)) {
		out.Page = 0
	}
	before := abi.Moment{At: -1, X: -maxArea - 1}
	out.Times = slices.DeleteFunc(out.Times[:min(len(out.Times), abi.MaxMoments)], func(m abi.Moment) bool {
		if m.At <= before.At || m.At > maxTime || m.X < before.X || m.X > maxArea {
			return true
		}
		before = m
		return false
	})
	out.Notes = slices.DeleteFunc(out.Notes[:min(len(out.Notes), abi.MaxNotes)], func(n abi.Note) bool {
		return n.At < 0 || n.At > maxTime || n.Length < 0 || n.Length > maxTime || n.Key < 0 || n.Key > 127 || n.Velocity < 1 || n.Velocity > 127 ||
			n.Channel < 1 || n.Channel > 16 || n.Program < 0 || n.Program > 127
	})
	now := 0
	out.Levels = slices.DeleteFunc(out.Levels[:min(len(out.Levels), abi.MaxNotes)], func(l abi.Level) bool {
		if l.At < now || l.At > maxTime || l.Channel < 1 || l.Channel > 16 || l.Level < 0 || l.Level > 127 {
			return true
		}
		now = l.At
		return false
	})
}
