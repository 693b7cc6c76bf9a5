package edit

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// EndTexts are the texts that an op gives to the ends of an edge, nil for an end that it does not mention.
type EndTexts struct{ Source, Target *string }

// ReadEndTexts reads source-label: and target-label:.
func ReadEndTexts(a pdk.Args) (t EndTexts) {
	if v, ok := a.Param(model.SourceLabel); ok {
		t.Source = &v
	}
	if v, ok := a.Param(model.TargetLabel); ok {
		t.Target = &v
	}
	return t
}

// Any reports whether the op gives a text.
func (t EndTexts) Any() bool { return t.Source != nil || t.Target != nil }

// For returns the texts for an edge that the op names.
func (t EndTexts) For(a pdk.Args, e *cell) EndTexts {
	if Reversed(a, e) {
		return EndTexts{t.Target, t.Source}
	}
	return t
}

// Reversed reports whether an op names an edge without a direction, A -- B or A <-> B, from its target to its source. The source of the
// op is A.
func Reversed(a pdk.Args, e *cell) bool {
	if !a.IsArrow(1) || a.Text(1) != "--" && a.Text(1) != "<->" {
		return false
	}
	first, _ := e.Page.Names().Find(a.Text(0), false)
	from, to := model.Ends(e)
	return from != to && to != nil && (slices.Contains(first, to) || model.WithID(e.Page, a.Text(0)) == to)
}

// DraftNew drafts the labels of a new edge.
func (t EndTexts) DraftNew(d *mxfile.Draft, page *mxfile.Page, edge string) {
	for _, target := range []bool{false, true} {
		if v := t.end(target); v != nil && *v != "" {
			id := d.NewID()
			d.Append(page, id, arranger.NewEndLabel(id, *v, edge, target))
		}
	}
}

// Draft drafts the labels of an edge: an existing one keeps its place and its look, and "" removes it. It reports whether formats of
// parts of an old text are gone.
func (t EndTexts) Draft(d *mxfile.Draft, e *cell) (lost bool) {
	labels := model.LabelsOf(e)
	for _, target := range []bool{false, true} {
		v, k := t.end(target), labels.End(target)
		switch {
		case v == nil:
		case k == nil && *v != "":
			id := d.NewID()
			d.Append(e.Page, id, arranger.NewEndLabel(id, *v, e.ID, target))
		case k != nil && *v == "":
			d.Remove(k)
		case k != nil:
			lost = Relabel(d, k, *v) || lost
		}
	}
	return lost
}

func (t EndTexts) end(target bool) *string {
	if target {
		return t.Target
	}
	return t.Source
}
