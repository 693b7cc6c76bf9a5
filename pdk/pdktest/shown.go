package pdktest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

// Shown returns what the view shows of the document; changed are the names of the areas that it outlines for the last op.
func (d *Doc) Shown() (answer *abi.QueryResponse, changed []string) {
	d.t.Helper()
	v := d.d.manifest.View
	if v == nil {
		d.t.Fatal("the domain has no View")
	}
	answer = d.Answer(v.Picture)
	var ids []string
	if d.done > 0 {
		for _, e := range d.log[d.done-1].events {
			ids = append(ids, e.IDs...)
		}
	}
	for _, a := range answer.Areas {
		if slices.ContainsFunc(a.IDs, func(id string) bool { return slices.Contains(ids, id) }) {
			changed = append(changed, a.Name)
		}
	}
	return answer, changed
}

// Areas prints the positions of elements on the view's picture, in whole units, and which are outlined for the last op:
// "A 10,20 100x50 | B 10,90 100x50; changed: B".
func (d *Doc) Areas() string {
	d.t.Helper()
	answer, changed := d.Shown()
	var out []string
	for _, a := range answer.Areas {
		out = append(out, fmt.Sprintf("%s %d,%d %dx%d", a.Name, a.X/100, a.Y/100, a.Width/100, a.Height/100))
	}
	return strings.Join(out, " | ") + "; changed: " + strings.Join(changed, " ")
}
