// Package edit holds what the verbs have in common: committing a draft, reporting it, reading
// style parameters.
package edit

import (
	"fmt"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

type (
	file = mxfile.File
	cell = mxfile.Cell
	ctx  = pdk.Ctx[*mxfile.File]
)

// Commit applies a draft as one event and routes the edges that it made stale. If the draft
// changes nothing, already is the reply.
func Commit(c *ctx, d *mxfile.Draft, summary, already string, touched ...*cell) error {
	e := d.Edit()
	if e == nil {
		return pdk.Unchanged("%s", already)
	}
	ids := pdk.Map(touched, model.ID)
	s := arranger.Watch(d)
	if err := c.Do(e, summary, ids...); err != nil {
		return err
	}
	return s.Reroute(c)
}

// NewNames returns the cell id (empty for the next free one) and the text of new shapes.
// With label: the positional becomes the id, so that it still works as a reference.
func NewNames(f *file, a pdk.Args, label string, count int) (id, text string, err error) {
	text = label
	id, given := a.Param("id")
	if shown, ok := a.Param("label"); ok {
		text = shown
		if !given {
			id = label
		}
	}
	if given && id == "" {
		return "", "", pdk.Errorf("id: needs a text")
	}
	if id == "" {
		return "", text, nil
	}
	switch {
	case count > 1:
		err := pdk.Errorf("%d shapes cannot share the id %q", count, id)
		if given {
			err.Try(a.Mended(pdk.Without("id")))
		}
		return "", "", err
	case len(id) > 100:
		return "", "", pdk.Errorf("the id is longer than 100 bytes")
	case f.HasID(id):
		return "", "", pdk.Errorf("the id %q is taken", id).Instead(id, pdk.Quote(freeID(f, id)))
	}
	return id, text, nil
}

// freeID returns the first free id that is id with a number after it.
func freeID(f *file, id string) string {
	for i := 2; ; i++ {
		if next := fmt.Sprintf("%s-%d", id, i); !f.HasID(next) {
			return next
		}
	}
}

// EnsureLayer returns the id of the layer that new cells go to. It first creates the root
// and a layer on a page without cells.
func EnsureLayer(c *ctx) (string, error) { return layerOn(c, c.Model.Current) }

// layerOn is EnsureLayer for any page.
func layerOn(c *ctx, p *mxfile.Page) (string, error) {
	if l := p.DefaultLayer(); l != nil {
		return l.ID, nil
	}
	d := c.Model.Draft()
	d.EnsureRoot(p)
	if err := c.Do(d.Edit(), "start the page"); err != nil {
		return "", err
	}
	if l := p.DefaultLayer(); l != nil {
		return l.ID, nil
	}
	return "", pdk.Errorf("the page has no layer for a shape")
}

// Remember stores a definition in the document as one event.
func Remember(c *ctx, key, value, what string) error {
	p := c.Model.Pages[0]
	pdk.Check(EnsureRoot(c, p))
	was := ""
	for _, kv := range catalog.Remembered(c.Model, key) {
		if kv[0] == "" {
			was = kv[1]
		}
	}
	d := c.Model.Draft()
	d.Change(p.Root(), func(t mxfile.Text) mxfile.Text { return t.WithData(key, value) })
	pdk.Check(Commit(c, d, "define "+what, fmt.Sprintf("%s is already defined like that: %s", what, value)))
	if was != "" {
		c.Changed("%s: %s (was %s); shapes that already have it do not change", what, value, was)
		return nil
	}
	c.Created("%s: %s", what, value)
	return nil
}

// EnsureRoot creates the root cell of a page that has none.
func EnsureRoot(c *ctx, p *mxfile.Page) error {
	if p.Root() != nil {
		return nil
	}
	d := c.Model.Draft()
	d.EnsureRoot(p)
	pdk.Check(c.Do(d.Edit(), "start the page"))
	if p.Root() == nil {
		return pdk.Errorf("page %s cannot hold cells", model.PageTitle(c.Model, p))
	}
	return nil
}

// SayLost says of which cells a new label lost formats.
func SayLost(c *ctx, lost []*cell) {
	if len(lost) > 0 {
		c.Also("formats of parts of the old text are gone: %s", model.All(lost))
	}
}

// MaxText is the greatest length of a property, link or tooltip, in bytes.
const MaxText = 4000
