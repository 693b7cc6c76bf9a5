package diagram

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/layout/arrange"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
)

// brief is a diagram as a model would write it: ops, the last of which lays it out. The
// line before the ops bounds the faults of its drawing.
type brief struct {
	name  string
	ops   []string
	bound map[string]int // crossings, labels; narrow and wide: width to height in per cent
}

func briefs(t testing.TB) []brief {
	t.Helper()
	files, err := filepath.Glob("../../testdata/briefs/*.ops")
	if err != nil || len(files) == 0 {
		t.Fatal("no briefs", err)
	}
	var out []brief
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		head, rest, _ := strings.Cut(strings.TrimSpace(string(data)), "\n")
		b := brief{name: strings.TrimSuffix(filepath.Base(f), ".ops"), ops: strings.Split(rest, "\n"),
			bound: map[string]int{"crossings": 0, "labels": 0, "narrow": 40, "wide": 260}}
		for _, w := range strings.Fields(head) {
			if k, v, ok := strings.Cut(w, ":"); ok {
				if b.bound[k], err = strconv.Atoi(v); err != nil {
					t.Fatalf("%s: %s", f, w)
				}
			}
		}
		out = append(out, b)
	}
	return out
}

// The first line of each brief bounds the faults of its layout.
func TestBriefsAreLaidOutWithoutFaults(t *testing.T) {
	for _, b := range briefs(t) {
		t.Run(b.name, func(t *testing.T) {
			d := newDoc(t)
			d.run(b.ops...)
			r := openDoc(t, []byte(d.bytes()))
			page := r.in.Model().Current
			s, ok := arranger.Score(page)
			if !ok {
				t.Fatal("not scored")
			}
			t.Log(s)
			for _, p := range []arrange.Part{arrange.Overlaps, arrange.Strays, arrange.Through, arrange.OwnEnd, arrange.OnTitle} {
				if s.Counts[p] > 0 {
					t.Errorf("%s: %d", p, s.Counts[p])
				}
			}
			if n := s.Counts[arrange.Crossings] + s.Counts[arrange.Forks]; n > b.bound["crossings"] {
				t.Errorf("%d crossings", n)
			}
			if n := s.Counts[arrange.Labels]; n > b.bound["labels"] {
				t.Errorf("%d labels without a clear place", n)
			}
			whole := model.Count(page).Bounds
			if form := int(100 * whole.W / whole.H); form < b.bound["narrow"] || form > b.bound["wide"] {
				t.Errorf("the page is %gx%g", whole.W, whole.H)
			}
			if text := r.query("lint"); strings.Contains(text, "overlap") || strings.Contains(text, "through a shape") {
				t.Error(text)
			}
			apart(t, r, b.name)
		})
	}
}

// One undo reverses the layout.
func TestGroupsAreColumnsInTheOrderOfTheFlow(t *testing.T) {
	for _, b := range briefs(t) {
		if b.name != "shop" {
			continue
		}
		d := newDoc(t)
		d.run(b.ops[:len(b.ops)-1]...)
		before := d.bytes()
		reply := d.run(b.ops[len(b.ops)-1])
		if !strings.Contains(reply, "score ") {
			t.Errorf("no score: %s", reply)
		}
		right := 0.0
		for _, name := range []string{"Clients", "Edge", "Services", "Data"} {
			r := at(t, d, name).Abs()
			if r.X < right {
				t.Errorf("%s at %v does not lie behind the group before it", name, r)
			}
			right = r.Right()
		}
		whole := model.Count(d.in.Model().Current).Bounds
		if f := whole.W / whole.H; f < 1.2 || f > 2.4 {
			t.Errorf("the page is %gx%g", whole.W, whole.H)
		}
		after := d.bytes()
		d.undo()
		if d.bytes() != before {
			t.Error("undo does not bring the bytes back")
		}
		d.run(b.ops[len(b.ops)-1])
		if d.bytes() != after {
			t.Error("the same layout gives other bytes")
		}
	}
}

func TestLintPrintsTheScoreOfLayout(t *testing.T) {
	d := newDoc(t)
	d.run(briefs(t)[0].ops...)
	reply := d.log[len(d.log)-1].Text
	_, after, ok := strings.Cut(reply, "→ ")
	if !ok {
		t.Fatalf("no score: %s", reply)
	}
	if text := d.query("lint"); !strings.Contains(text, "score (less is better): "+strings.TrimSpace(after)+" ") {
		t.Errorf("layout says %s, lint %s", reply, text)
	}
}

// by: says what decides the columns.
func TestLayoutTakesColumnsFromGroupsOrFromTheFlow(t *testing.T) {
	ops := []string{"add box A", "add box B", "add box C", "add box D", "group A D as:Outer", "group B C as:Inner", "connect A -> B -> C -> D"}
	d := newDoc(t)
	d.run(ops...)
	d.run("layout dir:LR by:groups")
	if a, o := at(t, d, "Outer").Abs(), at(t, d, "Inner").Abs(); a.Right() > o.X && o.Right() > a.X {
		t.Errorf("by:groups: %v and %v share a column", a, o)
	}
	d.run("layout dir:LR by:flow")
	x := -1000.0
	for _, n := range []string{"A", "B", "C", "D"} {
		if r := at(t, d, n).Abs(); r.X <= x {
			t.Errorf("by:flow: %s at %v is not right of what leads to it", n, r)
		} else {
			x = r.Right()
		}
	}
	d.refused("layout by:flow algo:tree", "algo:layered")
	d.refused("layout by:flwo", "not one of")
}

// The longest path runs straight down although the op names another branch first.
func TestTheLongestPathOfAFlowchartIsStraight(t *testing.T) {
	d := newDoc(t)
	d.run("mermaid\nflowchart TB\nStart --> Check --> Stock{In stock?}\nStock -- no --> Offer --> End\nStock -- yes --> Pay --> Paid{Paid?}\nPaid -- no --> Retry --> Pay\nPaid -- yes --> Order --> Mail --> End\nend mermaid")
	at := spots(d)
	for _, n := range []string{"Check", "In stock?", "Pay", "Paid?", "Order", "Mail"} {
		if at[n].Center().X != at["Start"].Center().X {
			t.Errorf("%s lies beside the way: %v, Start at %v", n, at[n], at["Start"])
		}
	}
}
