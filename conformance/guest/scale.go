package guest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

const (
	manyElements = 3000 // a common size of real files
	// perCall is how many ops a call has while a document grows.
	perCall = 100
	// tooExpensive is the processor time up to which a figure is measured; beyond, it is estimated from smaller documents.
	tooExpensive = 4 * time.Second
	// patience is the elapsed time that a call may take.
	patience = time.Minute
	// quadratic is the exponent above which work counts as quadratic rather than linear: ten times the elements take fifty
	// times as long. Linear work stays below it on a busy machine as well.
	quadratic = 1.7
	// slow is the processor time up to which quadratic work is acceptable.
	slow = time.Second
)

// Measure is the most time that one thing took in growing documents.
type Measure struct {
	What     string  `json:"what"`
	Elements int     `json:"elements"`        // of the largest document in which it was tried
	MS       float64 `json:"ms"`              // of processor time there
	Growth   float64 `json:"growth"`          // exponent: 1 is linear, 2 quadratic; 0 if too little was measured
	Estimate float64 `json:"estimate_ms"`     // for the requested number of elements; equals MS if that was measured
	Fault    string  `json:"fault,omitempty"` // why the estimate is too much
}

// took is a time for each size.
type took struct {
	what  string
	sizes []int
	times []time.Duration
}

// scaling is the state of the check with growing documents.
type scaling struct {
	j     *judge
	taken []*took
	limit time.Duration // for a call
	wall  bool          // only elapsed time is known on this OS, which is never a fault
}

// checkScale lets a document grow tenfold twice with an op of the domain. It measures saving, opening, queries, undo, and
// ops on all elements, and checks their results.
func (j *judge) checkScale(pool []abi.Op) {
	// Slow calls are measured, not stopped.
	defer func(limit time.Duration) { j.limit = limit }(j.limit)
	j.limit = 0
	if patient := j.config; patient.Limits.Call < patience {
		patient.Limits.Call = patience
		box, err := sandbox.NewPlugin(patient)
		if err != nil {
			return // the check "manifest" reports it
		}
		was := j.box
		j.box = box
		defer func() { j.box = was; box.Close() }()
	}
	op, ok := j.findGrower(pool)
	if !ok || j.over() {
		return
	}
	s := &scaling{j: j, limit: j.o.Limits.Call}
	largest := cmp.Or(j.o.Scale, manyElements)
	all := j.onAllElements(pool)
	for _, n := range []int{largest / 100, largest / 10, largest} {
		if n < 1 || s.estimateGrowth(n) > tooExpensive && n > 1 || !s.checkSize(op, n, all, pool) || j.over() {
			break
		}
	}
	for _, t := range s.taken {
		s.report(t, op, largest)
	}
}

// grows is an op with one word that differs each time; -1 for none.
type grows struct {
	op    grammar.Op
	place int
}

func (g *grows) nth(j *judge, n int) (abi.Op, error) {
	op := g.op
	if g.place >= 0 {
		op.Positionals = slices.Clone(op.Positionals)
		op.Positionals[g.place] = abi.Positional{Text: fmt.Sprint("zq", n)}
	}
	return j.printAndParse(op)
}

// findGrower finds an example that creates something new each time.
func (j *judge) findGrower(pool []abi.Op) (*grows, bool) {
	doc := j.restart(nil, j.script)
	if doc == nil {
		return nil, false
	}
	defer doc.close()
	for _, op := range pool {
		for _, parsed := range j.reparse(op) {
			places := []int{-1}
			for i := range parsed.Positionals {
				if !slices.Contains(parsed.Arrows, i) {
					places = append(places, i)
				}
			}
			for _, place := range slices.Backward(places) {
				g := &grows{parsed, place}
				switch ok, err := j.growsDocument(doc, g); {
				case err != nil:
					return nil, false // other checks report it
				case ok:
					return g, true
				}
			}
		}
	}
	return nil, false
}

// growsDocument reports whether an op works several times and adds bytes each time. The document is unchanged afterwards.
func (j *judge) growsDocument(doc *instance, g *grows) (ok bool, err error) {
	const times = 4
	var ops []abi.Op
	for n := range times {
		op, err := g.nth(j, n)
		if err != nil {
			return false, nil
		}
		ops = append(ops, op)
	}
	var events []abi.Event
	last, err := doc.save(false)
	for _, op := range ops {
		var out *abi.ApplyResponse
		if err == nil {
			out, err = doc.apply(false, nil, op)
		}
		if err != nil {
			return false, err
		}
		r := &out.Results[0]
		events = append(events, r.Events...)
		now, err := doc.save(false)
		if err != nil {
			return false, err
		}
		if r.Error != nil || r.Kind != abi.Created || len(now) <= len(last) {
			return false, doc.reverse(events)
		}
		last = now
	}
	return true, doc.reverse(events)
}

// estimateGrowth estimates the time to grow to n elements if it is quadratic.
func (s *scaling) estimateGrowth(n int) time.Duration {
	if len(s.taken) == 0 {
		return 0
	}
	t := s.taken[0]
	last := len(t.sizes) - 1
	ratio := float64(n) / float64(t.sizes[last])
	return time.Duration(float64(t.times[last]) * math.Pow(ratio, max(1, min(2, t.growth()))))
}

// growth returns the exponent between the two largest sizes; 0 if one of them took too little time.
func (t *took) growth() float64 {
	k := len(t.times)
	if k < 2 || t.times[k-1] < 20*time.Millisecond {
		return 0
	}
	ratio := float64(t.times[k-1]) / float64(max(t.times[k-2], time.Millisecond/2))
	return max(0, math.Log(ratio)/math.Log(float64(t.sizes[k-1])/float64(t.sizes[k-2])))
}

// measure runs and measures something at a size.
func (s *scaling) measure(what string, size int, run func() error) error {
	spent, err := s.clock(run)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(s.taken, func(t *took) bool { return t.what == what })
	if i < 0 {
		i, s.taken = len(s.taken), append(s.taken, &took{what: what})
	}
	s.taken[i].sizes, s.taken[i].times = append(s.taken[i].sizes, size), append(s.taken[i].times, spent)
	return nil
}

// clock runs something and returns the processor time that it took.
func (s *scaling) clock(run func() error) (time.Duration, error) {
	pid := s.j.box.Stats().PID
	before, known := processorTime(pid)
	began := time.Now()
	err := run()
	spent := time.Since(began)
	if after, ok := processorTime(pid); ok && known {
		spent = after - before
	} else {
		s.wall = true
	}
	return spent, err
}

// tooSlow reports whether something took so long at the previous size that it is skipped at this one.
func (s *scaling) tooSlow(what string, size int) bool {
	for _, t := range s.taken {
		if last := len(t.sizes) - 1; t.what == what {
			return float64(t.times[last])*math.Pow(float64(size)/float64(t.sizes[last]), max(1, min(2, t.growth()))) > float64(s.limit)
		}
	}
	return false
}

// checkSize makes a document of n elements and checks it. It reports whether it could.
func (s *scaling) checkSize(g *grows, n int, all, pool []abi.Op) bool {
	j := s.j
	doc := j.restart(nil, j.script)
	if doc == nil {
		return false
	}
	defer doc.close()
	first, err := doc.moment()
	if err != nil {
		return false
	}
	var events []abi.Event
	made := 0
	err = s.measure("growing by "+g.op.Raw, n, func() error {
		for made < n {
			var ops []abi.Op
			for range min(perCall, n-made) {
				op, err := g.nth(j, made+len(ops))
				if err != nil {
					return err
				}
				ops = append(ops, op)
			}
			done, err := doc.applyAll(ops)
			if events = append(events, done...); err != nil {
				return err
			}
			made += len(ops)
		}
		return nil
	})
	var no *refusal
	if errors.As(err, &no) { // a domain may refuse so large a document
		j.advise("no document of %d elements was made: %q is refused: %s", n, g.op.Raw, firstLine(no.text))
		return false
	}
	what := fmt.Sprintf("making a document of %d elements by %q", n, g.op.Raw)
	if !j.countFault(what, err) {
		return false
	}
	was, err := doc.moment()
	if !j.countFault("save and state of a document of "+fmt.Sprint(n)+" elements", err) {
		return false
	}
	s.askAll(doc, n, &was)
	if !s.runOnAll(doc, n, all, &was) || !s.growAfterEach(doc, g, n, pool, &was) {
		return false
	}
	fault, ok := doc.against(first, s.measure("undo of that growth", n, func() error { return doc.reverse(events) }))
	if !j.expect("reverse", fault == "", "in a document of %d elements (%d bytes), after reversing all of %d %q: %s", n, len(was.data), n, g.op.Raw, fault) {
		return ok
	}
	fault, ok = doc.against(was, s.measure("redo of that growth", n, func() error {
		half := len(events) / 2
		return cmp.Or(doc.replay(events[:half]), doc.replay(events[half:])) // as one that is long already, too
	}))
	j.expect("replay", fault == "", "in a document of %d elements (%d bytes), after replaying all of %d %q: %s", n, len(was.data), n, g.op.Raw, fault)
	return ok
}

// askAll asks all questions.
func (s *scaling) askAll(doc *instance, n int, was *moment) {
	j := s.j
	err := s.measure("save", n, func() error { _, err := doc.save(false); return err })
	j.countFault("saving a large document", err)
	err = s.measure("open", n, func() error {
		again, err := j.openFile(was.data, false)
		if err != nil {
			return err
		}
		defer again.close()
		saved, err := again.save(false)
		j.expect("save", err != nil || bytes.Equal(saved, was.data), "a document of %d elements is opened and saved as other bytes", n)
		return err
	})
	j.expect("save", err == nil, "what was saved of %d elements cannot be opened: %s", n, problem(err))
	for _, q := range j.m.Queries {
		op := abi.Op{Verb: q.Name, Raw: q.Name}
		if s.tooSlow(q.Name, n) {
			continue
		}
		if parsed, err := grammar.ParseQuery(q.Name); err != nil || j.d.CheckQuery(&parsed) != nil {
			continue
		}
		err := s.measure(q.Name, n, func() error {
			err := doc.call(abi.ExportQuery, &abi.QueryRequest{Query: op, Lines: 100, First: 1}, &abi.QueryResponse{})
			return nonRefusal(err)
		})
		j.countFault(fmt.Sprintf("the query %q of %d elements", q.Name, n), err)
	}
}

// runOnAll runs one op of each verb on all elements, and reverses it. It reports whether the document is unchanged.
func (s *scaling) runOnAll(doc *instance, n int, all []abi.Op, was *moment) bool {
	j := s.j
	worked := map[string]bool{}
	for _, op := range all {
		if worked[op.Verb] = worked[op.Verb] || s.tooSlow(op.Raw, n); worked[op.Verb] || j.over() {
			continue
		}
		var out *abi.ApplyResponse
		err := s.measure(op.Raw, n, func() (err error) {
			if out, err = doc.apply(false, nil, op); err == nil && out.Results[0].Error != nil {
				return &refusal{out.Results[0].Error.Message} // only successful ops are measured
			}
			return err
		})
		if !j.countFault(fmt.Sprintf("%q on %d elements", op.Raw, n), err) {
			return false
		}
		if err != nil {
			continue
		}
		r := &out.Results[0]
		worked[op.Verb] = true
		fault, _ := doc.against(*was, s.measure("undo of "+op.Raw, n, func() error { return doc.reverse(r.Events) }))
		if !j.expect("reverse", fault == "", "in a document of %d elements, after %q: %s", n, op.Raw, fault) {
			return false
		}
	}
	return true
}

// report compares a measurement with the limit of a call.
func (s *scaling) report(t *took, g *grows, largest int) {
	last := len(t.sizes) - 1
	growth := t.growth()
	est := float64(t.times[last])
	if t.sizes[last] < largest && growth > 0 {
		est *= math.Pow(float64(largest)/float64(t.sizes[last]), min(growth, 2))
	}
	ms := func(f float64) float64 { return math.Round(f/1e4) / 100 }
	m := Measure{What: t.what, Elements: t.sizes[last], MS: ms(float64(t.times[last])), Growth: math.Round(growth*10) / 10, Estimate: ms(est)}
	switch {
	case s.wall:
	case est > float64(s.limit):
		m.Fault = fmt.Sprintf("a call may take %v", s.limit)
	case growth >= quadratic && est > float64(slow):
		m.Fault = "it grows with the square of the number of elements"
	}
	said := fmt.Sprintf("%s took %v of processor time with %d elements", t.what, t.times[last].Round(time.Millisecond), t.sizes[last])
	if last > 0 {
		said += fmt.Sprintf(" and %v with %d", t.times[last-1].Round(time.Millisecond), t.sizes[last-1])
	}
	if t.sizes[last] < largest {
		said += fmt.Sprintf(", so %d would take about %v", largest, time.Duration(est).Round(100*time.Millisecond))
	}
	s.j.expect("scale", m.Fault == "", "%s: %s", said, m.Fault)
	s.j.report.Measures = append(s.j.report.Measures, m)
}
