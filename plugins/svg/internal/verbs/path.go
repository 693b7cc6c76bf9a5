package verbs

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// checkPath refuses invalid path data.
func checkPath(d string) error {
	if d == "" {
		return nil
	}
	if _, err := vector.Parse(d); err != nil {
		return pdk.Errorf("d: %v", err)
	}
	return nil
}

var tolerance = value.Key[float64]{Name: "tolerance", Type: value.Number(0, maxCoordinate), About: ": how far simplify may deviate from the path, in its own units"}

func pathVerb() verb {
	return verb{Run: running(runPath), Keys: []pdk.Parameter{tolerance}, Verb: abi.Verb{
		Name: "path", Category: "paths", Min: 2, Max: 3,
		Syntax:   "path REF append DATA | reverse | round [DIGITS] | simplify [tolerance:N] | shorten | close | open | convert",
		Brief:    "path REF append DATA | reverse | round [DIGITS] | simplify [TOLERANCE] | close | open | convert · simplify keeps corners; convert makes a path of a shape",
		Summary:  "change the data of a path; convert makes a path of another shape",
		Examples: []string{`path curve append "L 100 100"`, "path curve close", "path curve simplify tolerance:0.5", "path curve shorten", "path card convert"},
	}}
}

// runPath changes the data of a path.
func runPath(o *op) error {
	n, err := o.f.Find(o.a.Text(0), false)
	if err != nil {
		return err
	}
	word, err := value.OneOf("append", "reverse", "round", "simplify", "shorten", "close", "open", "convert").Word(o.a, 1, "the change")
	if err != nil {
		return err
	}
	if word == "convert" {
		return o.convert(n)
	}
	if t := n.Type; t != "path" {
		err := pdk.Errorf("%s is a %s, not a path", o.f.Ref(n), t)
		if _, shape := o.scene().Path(n); shape {
			err.Tryf("path %s convert", o.f.Ref(n))
		}
		return err
	}
	d := n.Get("d")
	p, err := vector.Parse(d)
	if err != nil {
		return pdk.Errorf("the data of %s is invalid: %v", o.f.Ref(n), err)
	}
	before := len(d)
	switch word {
	case "append":
		if o.a.Text(2) == "" {
			return pdk.Errorf(`append needs path data: path %s append "L 10 10"`, o.f.Ref(n))
		}
		d = strings.TrimRight(d, " ") + " " + o.a.Text(2)
		if err := checkPath(d); err != nil {
			return err
		}
	case "reverse":
		d = reversed(p).String()
	case "round":
		digits := 2
		if o.a.Text(2) != "" {
			if digits, err = value.Int(0, 6).Word(o.a, 2, "the number of digits"); err != nil {
				return err
			}
		}
		d = p.Round(digits).String()
	case "simplify":
		if d, err = o.simplifiedPath(p); err != nil {
			return err
		}
	case "shorten":
		d = p.Shortest().String()
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
	o.unchanged = o.f.Ref(n) + ": no change"
	o.touch(n)
	q, _ := vector.Parse(d)
	o.Changed("%s %s: %s, %d bytes, was %d", o.f.Ref(n), word, pdk.Count(len(q), "segment"), len(d), before)
	return nil
}

// simplifiedPath returns a path simplified with the tolerance that the op gives, or with a
// tolerance in proportion to its box.
func (o *op) simplifiedPath(p vector.Path) (string, error) {
	most, given := tolerance.Lookup(o.a)
	if o.a.Text(2) != "" && !given {
		var err error
		if most, err = tolerance.Type.Word(o.a, 2, "the tolerance"); err != nil {
			return "", err
		}
	} else if b, has := p.Box(vector.Identity()); has && !given {
		most = math.Hypot(b.Width(), b.Height()) / 500
	}
	// Digits finer than the tolerance have no meaning.
	digits := 6
	if most > 0 {
		digits = int(min(6, max(0, math.Ceil(1.3-math.Log10(most)))))
	}
	return p.Simplify(most).Round(digits).String(), nil
}

// convert makes a path from a shape.
func (o *op) convert(n *node) error {
	t := n.Type
	p, ok := o.scene().Path(n)
	if !ok {
		return pdk.Errorf("%s is a %s, which cannot be made a path", o.f.Ref(n), t)
	}
	if t == "path" {
		o.unchanged = o.f.Ref(n) + " is already a path"
		return nil
	}
	m := o.setOutline(n, p.Round(4))
	o.touch(m)
	o.Changed("%s is now a path: %s", o.f.Ref(m), pdk.Count(len(p), "segment"))
	return nil
}

// setOutline gives a shape another outline, which makes it a path.
func (o *op) setOutline(n *node, p vector.Path) *node {
	if n.Type == "path" {
		o.SetAttr(n, "d", p.String())
		return n
	}
	e := element{name: "path"}
	for k, v := range n.Attrs() {
		if _, geometric := geometry[k]; !geometric && k != "points" && k != "d" && !slices.Contains(liveKeys, k) {
			e.set(k, v)
		}
	}
	at := 0
	if len(e.attrs) > 0 && e.attrs[0][0] == "id" {
		at = 1
	}
	e.attrs = slices.Insert(e.attrs, at, [2]string{"d", p.String()})
	o.warnIdle(n)
	m := o.Insert(n.Parent, n, writer(o.f, e))
	for _, c := range slices.Collect(n.Kids()) {
		o.Move(c, m, m.Last)
	}
	o.Remove(n)
	return m
}

// reversed returns a path drawn in the opposite direction.
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
