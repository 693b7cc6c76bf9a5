package view

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/picture"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/printable"
)

// Picture is a picture with the part of the plane that it shows, in the picture's own units.
type Picture struct {
	URL    string  `json:"url"` // a data: URL
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Limits of what a page gets, in bytes.
const (
	maxPicture = 32 << 20
	maxText    = 1 << 20
)

func (v *View) show(ctx context.Context, d *document.Document, r *Request) (*Show, error) {
	q, at := d.Domain().ShowQuery(), -1
	if r.At != nil {
		at = max(0, *r.At)
	}
	text := q == ""
	if text {
		q = "map"
	}
	if r.Page > 0 {
		q += fmt.Sprintf(" page:%d", r.Page)
	}
	seen, err := v.session.See(ctx, d, q, at, r.Revision)
	problem := ""
	if err != nil {
		if errors.Is(err, document.ErrMoved) || errors.Is(err, document.ErrClosed) {
			return nil, err
		}
		problem = reply.Line(err.Error())
		if seen, err = v.session.See(ctx, d, "", at, r.Revision); err != nil {
			return nil, err
		}
	}
	out := &Show{Domain: seen.Domain, Name: seen.Name, Title: reply.Line(seen.Title), Digest: reply.Line(seen.Digest), Dirty: seen.Dirty, Revision: seen.Record.Revision,
		At: seen.At, Of: seen.At, Page: max(1, r.Page), Pages: []string{}, Problem: problem, Areas: []Area{}, Calls: []Call{}, Marks: []Mark{},
		Before: seen.Before, Save: seen.Path != "" || seen.Ref != "", Plays: d.Domain().HearQuery() != ""}
	if at >= 0 {
		out.Of = at
	}
	for _, name := range seen.Pages {
		out.Pages = append(out.Pages, reply.Line(name))
	}
	for _, c := range seen.Calls {
		out.Calls = append(out.Calls, Call(c))
	}
	for _, c := range seen.Checkpoints {
		out.Marks = append(out.Marks, Mark{c.Name, seen.At - c.Ago})
	}
	v.mu.Lock()
	out.Said = v.said[d]
	v.mu.Unlock()
	if problem != "" {
		return out, nil
	}
	if text {
		out.Text = printable.Text(seen.Text)
		if len(out.Text) > maxText {
			out.Text = strings.ToValidUTF8(out.Text[:maxText], "") + "\n…"
		}
		return out, nil
	}
	out.Picture, out.Problem = firstShown(seen.Content)
	if seen.Page > 0 {
		out.Page = seen.Page
	}
	for _, m := range seen.Times {
		out.Times = append(out.Times, [2]float64{float64(m.At), units(m.X)})
	}
	for i := range seen.Areas {
		a := &seen.Areas[i]
		out.Areas = append(out.Areas, Area{reply.Line(a.Name), a.IDs, units(a.X), units(a.Y), units(a.Width), units(a.Height)})
	}
	return out, nil
}

func units(hundredths int) float64 { return float64(hundredths) / 100 }

// firstShown returns the first picture that may be shown, or why there is none.
func firstShown(list []abi.Content) (*Picture, string) {
	problem := "the domain draws no picture of this document"
	for _, c := range list {
		if len(c.Data) > maxPicture {
			problem = fmt.Sprintf("the picture has %s, too many to show", reply.Count(len(c.Data), "byte"))
			continue
		}
		if s, err := picture.Inspect(c.Data); err != nil {
			problem = err.Error()
		} else {
			data := c.Data
			if s.MIME == picture.SVG {
				data = picture.Legible(data)
			}
			return &Picture{URL: "data:" + s.MIME + ";base64," + base64.StdEncoding.EncodeToString(data), X: s.X, Y: s.Y, Width: s.Width, Height: s.Height}, ""
		}
	}
	return nil, problem
}
