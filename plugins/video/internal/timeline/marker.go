package timeline

import (
	"strconv"

	"github.com/fcp-host/fcp-host/pdk"
)

// markersPath is the path of the film's markers.
const markersPath = "tracks/markers"

// marker is a named time.
type marker struct {
	name  string
	at    int
	index int
}

// markers returns the film's markers in the order of the file.
func (f *Film) markers() (out []marker) {
	n := f.doc.At(markersPath)
	for i := range n.Len() {
		v := n.Item(i).Value()
		it := Item{rate: f.rate()}
		out = append(out, marker{v.Get("name").Text(), max(0, it.frames("start", v.Get("marked_range", "start_time"))), i})
	}
	return out
}

// marker finds a marker by its name.
func (f *Film) marker(ref string) (*marker, error) {
	var names []string
	for _, m := range f.markers() {
		if equal(m.name, ref) {
			return &m, nil
		}
		names = append(names, pdk.Quote(m.name))
	}
	if len(names) == 0 {
		return nil, pdk.Errorf("no marker %s: the film has none yet", pdk.Quote(ref))
	}
	return nil, pdk.Errorf("no marker %s: there are %s", pdk.Quote(ref), pdk.List(names, 8)).Instead(ref, pdk.Nearest(ref, names)...)
}

// num prints a number with as few digits as possible.
func num(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
