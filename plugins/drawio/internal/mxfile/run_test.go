package mxfile

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// classify classifies cells by their style alone.
func classify(c *Cell) Class {
	if c.Edge || !c.Shape() {
		return 0
	}
	as := ClassShape | ClassTitled | ClassListed
	if c.Owner() == nil {
		as |= ClassOuter
	}
	if c.Style.Is("solid", "1") {
		as |= ClassSolid
	}
	if c.Style.Is("orphan", "1") {
		as |= ClassOrphan
	}
	return as
}

// sums prints all counts that a page maintains.
func sums(p *Page) string {
	out := fmt.Sprintf("%+v\n", p.Tally(classify))
	keys := func(cells []*Cell) (keys []string) {
		for _, c := range cells {
			keys = append(keys, c.Key)
		}
		return keys
	}
	out += fmt.Sprintln("orphans", keys(p.Orphans(5)), len(p.Orphans(1_000_000)))
	out += fmt.Sprintln("upper", keys(slices.Collect(p.Upper())))
	titles, shapes := p.Repeated(4)
	out += fmt.Sprintln("repeated", titles, shapes)
	out += fmt.Sprintln("ninths", p.Ninths())
	looks := map[style.Style]int{}
	p.Styles(func(like *Cell, shapes int) { looks[like.Style] += shapes })
	out += fmt.Sprintln("looks", looks)
	return out
}

// The counts that a large page maintains for each run equal new counts, after
// any changes and after undoing them.
func TestTotalsOfRunsEqualThoseOfThePage(t *testing.T) {
	const cells, rounds = 5 * maxRun, 60
	rnd := rand.New(rand.NewPCG(1, 2))
	f := New("T")
	made := 0
	vertex := func(parent string) (string, Text) {
		made++
		id := fmt.Sprint("v", made)
		s := style.Style(fmt.Sprintf("solid=%d;orphan=%d;", rnd.IntN(2), rnd.IntN(3)))
		at := geom.Rect{X: float64(rnd.IntN(4000)), Y: float64(rnd.IntN(4000)), W: float64(rnd.IntN(60)), H: 30}
		return id, NewVertex(id, fmt.Sprint("L", rnd.IntN(cells)), s, parent, at)
	}
	change := func(d *Draft, p *Page) {
		all := slices.Collect(maps.Values(p.byKey))
		slices.SortFunc(all, compare)
		all = slices.DeleteFunc(all, func(c *Cell) bool { return c.ID == "0" || c.ID == "1" })
		some := all[rnd.IntN(len(all))]
		switch rnd.IntN(6) {
		case 0:
			id, text := vertex("1")
			d.Append(p, id, text)
		case 1:
			id, text := vertex("1")
			if rnd.IntN(4) == 0 {
				some = p.first
			}
			d.InsertBefore(some, id, text)
		case 2:
			from := rnd.IntN(len(all))
			d.Remove(all[from:min(len(all), from+rnd.IntN(8))]...)
		case 3:
			from := rnd.IntN(len(all))
			if row := all[from:min(len(all), from+1+rnd.IntN(300))]; !slices.Contains(row, some) {
				d.Reorder(row, some)
			}
		case 4:
			d.Change(some, func(t Text) Text { return t.WithGeo(geom.Rect{X: float64(rnd.IntN(5000)), Y: -7, W: 50, H: 30}) })
		case 5:
			d.Change(some, func(t Text) Text { return t.WithStyle("solid=1;orphan=1;") })
		}
	}
	check := func(when string) {
		t.Helper()
		p := f.Current
		data, err := f.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := Restore(data)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := sums(p), sums(fresh.Current); got != want {
			t.Fatalf("%s:\n%s\nwant\n%s", when, got, want)
		}
		n := 0
		for i, r := range p.runs {
			if r.at != i || r.n == 0 || r.n > maxRun {
				t.Fatalf("%s: run %d is number %d and has %d cells", when, i, r.at, r.n)
			}
			n += r.n
		}
		for c := p.first; c != nil; c = c.next {
			if n--; c.next != nil && (!p.Before(c, c.next) || p.Before(c.next, c)) {
				t.Fatalf("%s: %s does not come before %s", when, c.Key, c.next.Key)
			}
		}
		if n != 0 {
			t.Fatalf("%s: the runs have %d cells too many", when, n)
		}
	}
	d := f.Draft()
	for range cells {
		id, text := vertex("1")
		d.Append(f.Current, id, text)
	}
	if err := d.Edit().Do(f); err != nil {
		t.Fatal(err)
	}
	check("at first")
	for round := range rounds {
		var done []*Edit
		for range 1 + rnd.IntN(20) {
			d := f.Draft()
			change(d, f.Current)
			e := d.Edit()
			if e == nil {
				continue
			}
			if err := e.Do(f); err != nil {
				t.Fatal(err)
			}
			done = append(done, e)
			if rnd.IntN(4) == 0 {
				f.Current.Tally(classify) // some changes are counted one by one
			}
		}
		check(fmt.Sprint("round ", round))
		if rnd.IntN(2) == 0 {
			for _, e := range slices.Backward(done) {
				if err := e.Undo(f); err != nil {
					t.Fatal(err)
				}
			}
			check(fmt.Sprint("round ", round, " undone"))
		}
	}
}
