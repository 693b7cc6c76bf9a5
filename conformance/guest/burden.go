package guest

import (
	"cmp"
	"errors"
	"time"

	"github.com/fcp-host/fcp-host/abi"
)

// burden is how many times as long as usual ops may take because of an earlier one.
const burden = 4

// growAfterEach measures how a document of n elements grows after an example of each verb: what an op sets for the whole document, such
// as a palette, must not make each later op walk through all of it. It reports whether the document is unchanged.
func (s *scaling) growAfterEach(doc *instance, g *grows, n int, pool []abi.Op, was *moment) bool {
	j := s.j
	more := make([]abi.Op, min(perCall, n))
	for i := range more {
		var err error
		if more[i], err = g.nth(j, n+i); err != nil {
			return true
		}
	}
	grow := func(after ...abi.Op) (took time.Duration, err error) {
		var events []abi.Event
		apply := func(ops []abi.Op) error {
			made, err := doc.applyAll(ops)
			events = append(events, made...)
			return err
		}
		if len(after) > 0 {
			err = apply(after)
		}
		if err == nil {
			took, err = s.clock(func() error { return apply(more) })
		}
		return took, cmp.Or(doc.reverse(events), err)
	}
	usual, err := grow()
	worked := map[string]bool{}
	for _, op := range pool {
		if err != nil || s.wall || worked[op.Verb] || j.over() {
			continue
		}
		var took time.Duration
		heavy := func() bool { return took > burden*usual && float64(took)*float64(n)/float64(len(more)) > float64(slow) }
		for range 3 { // a figure that is too high by chance is not too high again
			if took, err = grow(op); err != nil || !heavy() {
				break
			}
		}
		var no *refusal
		if errors.As(err, &no) {
			err = nil
			continue
		}
		worked[op.Verb] = true
		j.expect("scale", !heavy(), "after %q, %d more ops like %q take %v of processor time in a document of %d elements, and %v without it",
			clip(op.Raw), len(more), g.op.Raw, took.Round(time.Millisecond), n, usual.Round(time.Millisecond))
	}
	if !j.countFault("growing by "+g.op.Raw+" after other ops", err) {
		return false
	}
	fault, _ := doc.against(*was, nil)
	return j.expect("reverse", fault == "", "in a document of %d elements, after it grew and shrank again %d times: %s", n, len(worked)+1, fault)
}
