package film

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// MarkersPath is the path of the film's markers.
const MarkersPath = "tracks/markers"

// Marker is a named time.
type Marker struct {
	Name  string
	At    int
	Index int
}

// Markers returns the film's markers in the order of the file.
func (f *Film) Markers() (out []Marker) {
	n := f.Doc.At(MarkersPath)
	for i := range n.Len() {
		v := n.Item(i).Value()
		it := Item{Rate: f.Rate()}
		out = append(out, Marker{v.Get("name").Text(), max(0, it.frames("start", v.Get("marked_range", "start_time"))), i})
	}
	return out
}

// Marker finds a marker by its name.
func (f *Film) Marker(ref string) (*Marker, error) {
	var names []string
	for _, m := range f.Markers() {
		if strings.EqualFold(m.Name, ref) {
			return &m, nil
		}
		names = append(names, pdk.Quote(m.Name))
	}
	if len(names) == 0 {
		return nil, pdk.Errorf("no marker %s: the film has none yet", pdk.Quote(ref))
	}
	return nil, pdk.Errorf("no marker %s: there are %s", pdk.Quote(ref), pdk.List(names, 8)).Instead(ref, pdk.Nearest(ref, names)...)
}
