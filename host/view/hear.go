package view

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Heard is the answer to hear: what to play.
type Heard struct {
	Revision uint64   `json:"revision"`
	Notes    [][6]int `json:"notes"`  // at and length in milliseconds, key, velocity, channel, program; sorted by time
	Levels   [][3]int `json:"levels"` // at in milliseconds, channel, level; sorted by time
}

func (v *View) hear(ctx context.Context, d *document.Document) (*Heard, error) {
	q := d.Domain().HearQuery()
	if q == "" {
		return nil, errors.New("this document has nothing to play")
	}
	seen, err := v.session.See(ctx, d, q, -1, 0)
	if err != nil {
		return nil, err
	}
	out := &Heard{Revision: seen.Record.Revision, Notes: make([][6]int, 0, len(seen.Notes)), Levels: make([][3]int, 0, len(seen.Levels))}
	for _, n := range seen.Notes {
		out.Notes = append(out.Notes, [6]int{n.At, n.Length, n.Key, n.Velocity, n.Channel, n.Program})
	}
	for _, l := range seen.Levels {
		out.Levels = append(out.Levels, [3]int{l.At, l.Channel, l.Level})
	}
	slices.SortStableFunc(out.Notes, func(a, b [6]int) int { return a[0] - b[0] })
	return out, nil
}

// point records what a person selected, for the model's next reply.
func (v *View) point(d *document.Document, name string) *Done {
	const most = 256
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "")
	}
	name = reply.Line(name)
	d.Point(name)
	return &Done{Text: name}
}
