package vector_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// task is a task for PathKit or Paper.js.
type task struct {
	Do        string      `json:"do"`
	A         string      `json:"a"`
	B         string      `json:"b"`
	AOdd      bool        `json:"aOdd"`
	BOdd      bool        `json:"bOdd"`
	Width     float64     `json:"width"`
	Miter     float64     `json:"miter"`
	Cap       vector.Cap  `json:"cap"`
	Join      vector.Join `json:"join"`
	Dash      []float64   `json:"dash"`
	Tolerance float64     `json:"tolerance"`
}

// plain is path data without what PathKit cannot read: flags without a space between them.
func plain(p vector.Path) string { return p.Cubics().Round(5).String() }

// theirs returns the areas that the judges make.
func theirs(t *testing.T, tasks []task) (out []vector.Region) {
	t.Helper()
	node, modules := judge.Npm(t, "pathkit-wasm", "paper")
	in, err := json.Marshal(tasks)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, filepath.Join("testdata", "areas.cjs"))
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	cmd.Stdin = bytes.NewReader(in)
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v %s", err, err.(*exec.ExitError).Stderr)
	}
	var list []struct {
		Path    string
		EvenOdd bool
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatalf("%v: %.200s", err, text)
	}
	for _, l := range list {
		out = append(out, vector.Region{Path: parsed(t, l.Path), EvenOdd: l.EvenOdd})
	}
	return out
}

// differ is the fraction of the points in either of two areas that are in only one of them,
// for points on a fine grid. If has is not nil, it defines the first area.
func differ(p, q vector.Region, has func(vector.Point) bool) float64 {
	b := vector.Empty()
	for _, r := range []vector.Region{p, q} {
		if c, ok := r.Path.Box(vector.Identity()); ok {
			b = b.Union(c)
		}
	}
	if b.IsEmpty() {
		return 0
	}
	if has == nil {
		has = holds(p)
	}
	const rows = 200
	one, both := 0, 0
	also := holds(q)
	for y := range rows {
		for x := range rows {
			at := vector.Point{X: b.X0 + b.Width()*(float64(x)+0.37)/rows, Y: b.Y0 + b.Height()*(float64(y)+0.52)/rows}
			i, j := has(at), also(at)
			if i || j {
				both++
			}
			if i != j {
				one++
			}
		}
	}
	return float64(one) / float64(max(1, both))
}

// holds returns a function that reports whether a point lies in a region.
func holds(r vector.Region) func(vector.Point) bool {
	lines := r.Path.Flatten(1e-3)
	return func(at vector.Point) bool {
		n := winding(lines, at)
		return n != 0 && (!r.EvenOdd || n%2 != 0)
	}
}

// pairs are shapes that are combined in all four ways.
var pairs = []struct{ name, a, b string }{
	{"two circles", "M90 50A40 40 0 1 1 10 50A40 40 0 1 1 90 50Z", "M120 50A40 40 0 1 1 40 50A40 40 0 1 1 120 50Z"},
	{"a plate and a hole", "M0 0H100V60H0Z", "M70 30A20 20 0 1 0 30 30A20 20 0 1 0 70 30Z"},
	{"a star and an ellipse", "M50 0L79 90L2 35H98L21 90Z", "M5 50A45 20 30 1 0 95 50A45 20 30 1 0 5 50Z"},
	{"curves that cross often", "M0 0C50 100 100 -100 150 0L150 60C100 160 50 -40 0 60Z", "M0 30C50 -70 100 130 150 30L150 90H0Z"},
	{"shared edges", "M0 0H40V40H0Z", "M40 10H80V50H40Z"},
	{"a shared corner", "M0 0H40V40H0Z", "M40 40H80V80H40Z"},
	{"a ring and a bar", "M0 50A50 50 0 1 1 100 50A50 50 0 1 1 0 50ZM20 50A30 30 0 1 0 80 50A30 30 0 1 0 20 50Z", "M-10 40H110V60H-10Z"},
	{"one inside the other", "M0 0H100V100H0Z", "M20 20Q50 0 80 20Q100 50 80 80Q50 100 20 80Z"},
	{"open paths", "M0 0C0 80 100 80 100 0", "M0 50L50 0L100 50"},
	{"a bow-tie", "M0 0L100 100V0L0 100Z", "M30 30H70V70H30Z"},
	{"letters of two parts", "M0 0H20V80H0ZM40 0H60V80H40Z", "M-10 30C20 20 40 50 70 40V55C40 65 20 35 -10 45Z"},
	{"quarter circles", "M0 0H50A50 50 0 0 1 0 50Z", "M0 0V50A50 50 0 0 0 50 0Z"},
}

func TestJudgePathKitCombinesTheSameAreas(t *testing.T) {
	var tasks []task
	var names []string
	add := func(name string, a, b string, aOdd, bOdd bool) {
		for _, op := range operations {
			tasks = append(tasks, task{Do: op.name, A: plain(parsed(t, a)), B: plain(parsed(t, b)), AOdd: aOdd, BOdd: bOdd})
			names = append(names, op.name+" of "+name)
		}
	}
	for _, p := range pairs {
		add(p.name, p.a, p.b, false, false)
	}
	add("a star by the even-odd rule and an ellipse", pairs[2].a, pairs[2].b, true, false)
	add("a ring and a bow-tie by the even-odd rule", pairs[6].a, pairs[9].a, true, true)
	for seed := range trials(20) {
		r := rand.New(rand.NewPCG(seed, 5))
		a, b := blob(r), blob(r)
		add(fmt.Sprintf("random shapes %d: %s and %s", seed, a, b), a.String(), b.String(), seed%2 == 0, seed%3 == 0)
	}
	worst, wrong := 0.0, 0
	for i, their := range theirs(t, tasks) {
		c, in := tasks[i], operations[i%4].in
		regions := []vector.Region{{Path: parsed(t, c.A), EvenOdd: c.AOdd}, {Path: parsed(t, c.B), EvenOdd: c.BOdd}}
		ours := vector.Region{Path: combined(t, regions, in)}
		d := differ(ours, their, nil)
		if d <= 0.004 {
			worst = max(worst, d)
			continue
		}
		// The shapes themselves decide which of the two is right, point by point.
		a, b := holds(regions[0]), holds(regions[1])
		truth := func(at vector.Point) bool { return in([]bool{a(at), b(at)}) }
		t.Logf("%s: %.2f %% differ; of theirs %.2f %% are wrong", names[i], 100*d, 100*differ(ours, their, truth))
		wrong++
		if d := differ(their, ours, truth); d > 0.004 {
			t.Errorf("%s: %.2f %% of ours are wrong: %s\ntheirs %s", names[i], 100*d, ours.Path, their.Path)
		}
	}
	t.Logf("%d cases; at most %.3f %% differ, except in %d, in which theirs is wrong", len(tasks), 100*worst, wrong)
	if wrong > len(tasks)/20 {
		t.Errorf("%d of %d cases differ", wrong, len(tasks))
	}
}

func TestJudgePathKitOutlinesTheSameStrokes(t *testing.T) {
	var tasks []task
	// PathKit's strokes are only as exact as pixels, so everything is scaled by 100.
	const scale = 100
	for _, d := range []string{
		"M10 10H90V60", "M10 10L90 30L15 45", "M10 10H90V60H10Z", "M10 60C20 -20 80 -20 90 60", "M10 60C110 -20 -10 -20 90 60", "M50 10A40 40 0 1 1 49 10", "M10 10Q50 90 90 10T170 10",
		"M90 50A40 20 20 1 1 10 50A40 20 20 1 1 90 50Z", "M10 10L50 12L90 10L52 60Z", "M0 0L80 80M0 80L80 0",
	} {
		for i := range 6 {
			c := task{Do: "stroke", Width: []float64{3, 12, 30}[i%3] * scale, Miter: 4, Cap: vector.Cap(i % 3), Join: vector.Join((i / 2) % 3)}
			if i >= 4 {
				c.Dash = []float64{17 * scale, 9 * scale, 4 * scale}
			}
			c.A = plain(parsed(t, d).Transform(vector.Scale(scale, scale)))
			tasks = append(tasks, c)
		}
	}
	worst := 0.0
	for i, their := range theirs(t, tasks) {
		c := tasks[i]
		s := vector.Stroke{Width: c.Width, Miter: c.Miter, Cap: c.Cap, Join: c.Join}
		if c.Dash != nil {
			s.Dashes, s.Offset = c.Dash[:2], c.Dash[2]
		}
		ours := outlined(t, s, parsed(t, c.A))
		small := vector.Scale(1.0/scale, 1.0/scale)
		d := differ(vector.Region{Path: ours.Transform(small)}, vector.Region{Path: their.Path.Transform(small), EvenOdd: their.EvenOdd}, nil)
		worst = max(worst, d)
		if d > 0.004 {
			t.Errorf("%s, %+v: %.2f %% differ", c.A, s, 100*d)
		}
	}
	t.Logf("%d cases; at most %.3f %% differ", len(tasks), 100*worst)
}

// Paper.js fits a curve to the points of a path, and ignores the curves between them.
func TestJudgePaperSimplifiesToNoFewerCurves(t *testing.T) {
	var tasks []task
	for _, d := range []string{"wave", "spiral", "noise"} {
		tasks = append(tasks, task{Do: "simplify", A: drawnByHand(d).String(), Tolerance: 0.5})
	}
	for i, their := range theirs(t, tasks) {
		p := parsed(t, tasks[i].A)
		ours := p.Simplify(0.5)
		far := max(deviation(p, ours), deviation(ours, p))
		t.Logf("%d segments: %d of ours, which deviate from the path by %.2f; %d of theirs, which deviate by %.2f", len(p), len(ours), far, len(their.Path), max(deviation(p, their.Path), deviation(their.Path, p)))
		if far > 0.55 || len(ours) > len(their.Path)*3/2+1 {
			t.Errorf("%s is simplified to %s, theirs %s", p, ours, their.Path)
		}
	}
}
