package drawing

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// checkPath refuses path data with a mistake.
func checkPath(d string) error {
	if d == "" {
		return nil
	}
	if _, err := vector.Parse(d); err != nil {
		return pdk.Errorf("d: %v", err)
	}
	return nil
}

var pathWords = []string{"append", "reverse", "round", "simplify", "close", "open", "convert"}

func pathVerb() verb {
	return verb{Run: running(runPath), Verb: abi.Verb{
		Name: "path", Category: "paths", Min: 2, Max: 3,
		Syntax:   "path REF append DATA | reverse | round [DIGITS] | simplify [TOLERANCE] | close | open | convert",
		Brief:    "path REF append DATA | reverse | round [DIGITS] | simplify [TOLERANCE] | close | open | convert · convert makes a path of a shape",
		Summary:  "change the data of a path; convert makes a path of another shape",
		Examples: []string{`path curve append "L 100 100"`, "path curve close", "path curve simplify 0.5", "path card convert"},
	}}
}

func runPath(o *op) error {
	n, err := o.f.find(o.a.Text(0), false)
	if err != nil {
		return err
	}
	word, ok := pdk.OneOf(o.a.Text(1), pathWords)
	if !ok {
		return pdk.Errorf("path does %s, not %s", strings.Join(pathWords, " "), pdk.Quote(o.a.Text(1))).Instead(o.a.Text(1), pdk.Nearest(o.a.Text(1), pathWords)...)
	}
	if word == "convert" {
		return o.convert(n)
	}
	if t := o.f.Type(n); t != "path" {
		err := pdk.Errorf("%s is a %s, not a path", o.f.name(n), t)
		if _, shape := o.scene().Path(n); shape {
			err.Tryf("path %s convert", o.f.name(n))
		}
		return err
	}
	d := n.Get("d")
	p, err := vector.Parse(d)
	if err != nil {
		return pdk.Errorf("the data of %s has a mistake: %v", o.f.name(n), err)
	}
	before := len(d)
	switch word {
	case "append":
		if o.a.Text(2) == "" {
			return pdk.Errorf(`append needs path data: path %s append "L 10 10"`, o.f.name(n))
		}
		d = strings.TrimRight(d, " ") + " " + o.a.Text(2)
		if err := checkPath(d); err != nil {
			return err
		}
	case "reverse":
		d = reversed(p).String()
	case "round":
		digits, ok := 2.0, true
		if v := o.a.Text(2); v != "" {
			digits, ok = number(v)
		}
		if !ok || digits < 0 || digits > 6 || digits != math.Trunc(digits) {
			return pdk.Errorf("%s is not a number of digits from 0 to 6", o.a.Text(2)).Instead(o.a.Text(2), "2")
		}
		d = rounded(p, int(digits)).String()
	case "simplify":
		tolerance, ok := 0.0, true
		if v := o.a.Text(2); v != "" {
			tolerance, ok = number(v)
		} else if b, has := p.Box(vector.Identity()); has {
			tolerance = math.Hypot(b.Width(), b.Height()) / 500
		}
		if !ok || tolerance < 0 {
			return pdk.Errorf("%s is not a distance", o.a.Text(2)).Instead(o.a.Text(2), "0.5")
		}
		d = simplified(p, tolerance).String()
	case "close":
		if k := len(p); k > 0 && p[k-1].Kind != vector.Close {
			d = strings.TrimRight(d, " ") + "Z"
		}
	case "open":
		for k := len(p); k > 0 && p[k-1].Kind == vector.Close; k-- {
			p = p[:k-1]
		}
		if trimmed := strings.TrimRight(d, " \t\r\nzZ"); trimmed != strings.TrimRight(d, " \t\r\n") {
			d = trimmed
		}
	}
	if d != n.Get("d") {
		o.SetAttr(n, "d", d)
	}
	o.already = o.f.name(n) + ": so already"
	o.touch(n)
	q, _ := vector.Parse(d)
	o.Changed("%s %s: %s, %d bytes, was %d", o.f.name(n), word, plural(len(q), "segment"), len(d), before)
	return nil
}

// convert makes a path of a shape.
func (o *op) convert(n *node) error {
	t := o.f.Type(n)
	p, ok := o.scene().Path(n)
	if !ok {
		return pdk.Errorf("%s is a %s, of which no path can be made", o.f.name(n), t)
	}
	if t == "path" {
		o.already = o.f.name(n) + " is a path already"
		return nil
	}
	e := element{name: "path"}
	for k, v := range n.Attrs() {
		if _, geometric := geometry[k]; !geometric && k != "points" {
			e.set(k, v)
		}
	}
	at := 0
	if len(e.attrs) > 0 && e.attrs[0][0] == "id" {
		at = 1
	}
	e.attrs = append(e.attrs[:at:at], append([][2]string{{"d", rounded(p, 4).String()}}, e.attrs[at:]...)...)
	var kids []*node
	for c := range n.Kids() {
		kids = append(kids, c)
	}
	m := o.Insert(n.Parent, n, o.f.writer(e))
	for _, c := range kids {
		o.Move(c, m, m.Last)
	}
	o.Remove(n)
	o.touch(m)
	o.Changed("%s is a path now: %s", o.f.name(m), plural(len(p), "segment"))
	return nil
}

// reversed is a path drawn the other way.
func reversed(p vector.Path) (out vector.Path) {
	for _, part := range p.Subpaths() {
		closed := len(part) > 0 && part[len(part)-1].Kind == vector.Close
		if closed {
			part = part[:len(part)-1]
		}
		if len(part) == 0 {
			continue
		}
		out.MoveTo(part[len(part)-1].To)
		for i := len(part) - 1; i > 0; i-- {
			s, to := part[i], part[i-1].To
			switch s.Kind {
			case vector.Line:
				out.LineTo(to)
			case vector.Quad:
				out.QuadTo(s.C1, to)
			case vector.Cubic:
				out.CubicTo(s.C2, s.C1, to)
			case vector.Arc:
				out.ArcTo(s.RX, s.RY, s.Turn, s.Large, !s.Sweep, to)
			}
		}
		if closed {
			out.ClosePath()
		}
	}
	return out
}

// simplified leaves out points of straight lines that lie closer than tolerance
// to what remains. Curves stay.
func simplified(p vector.Path, tolerance float64) (out vector.Path) {
	var run []vector.Segment
	flush := func() {
		if len(run) > 0 {
			out = append(out, thinned(run, tolerance)...)
			run = nil
		}
	}
	for _, s := range p {
		if s.Kind == vector.Line {
			if len(run) == 0 && len(out) > 0 {
				run = append(run, out[len(out)-1])
				out = out[:len(out)-1]
			}
			run = append(run, s)
			continue
		}
		flush()
		out = append(out, s)
	}
	flush()
	return out
}

// thinned is Douglas and Peucker's way with a run of lines.
func thinned(run []vector.Segment, tolerance float64) []vector.Segment {
	keep := make([]bool, len(run))
	keep[0], keep[len(run)-1] = true, true
	stack := [][2]int{{0, len(run) - 1}}
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		worst, at := tolerance, -1
		for i := r[0] + 1; i < r[1]; i++ {
			if d := offLine(run[i].To, run[r[0]].To, run[r[1]].To); d > worst {
				worst, at = d, i
			}
		}
		if at > 0 {
			keep[at] = true
			stack = append(stack, [2]int{r[0], at}, [2]int{at, r[1]})
		}
	}
	var out []vector.Segment
	for i, s := range run {
		if keep[i] {
			if i > 0 {
				s.Letter = 'L'
			}
			out = append(out, s)
		}
	}
	return out
}

// offLine is how far a point lies from a line from a to b.
func offLine(p, a, b vector.Point) float64 {
	dx, dy := b.X-a.X, b.Y-a.Y
	l := dx*dx + dy*dy
	if l == 0 {
		return p.Distance(a)
	}
	t := min(1, max(0, ((p.X-a.X)*dx+(p.Y-a.Y)*dy)/l))
	return p.Distance(a.Lerp(b, t))
}
