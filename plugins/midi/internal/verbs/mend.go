package verbs

import (
	"errors"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// wrong is a refusal with ops that the client may have meant.
type wrong struct {
	why *pdk.Error
	ops []*abi.Op
}

func (w *wrong) Error() string { return w.why.Message }
func (w *wrong) Unwrap() error { return w.why }

// suggest adds ops to a refusal. They are tried before they are shown; if none of them
// works, the refusal's own suggestions are shown.
func suggest(err error, ops ...*abi.Op) error {
	if len(ops) == 0 {
		return refusal(err)
	}
	return &wrong{refusal(err), ops}
}

// maxMends is how many mistakes of one op are corrected for a suggestion.
const maxMends = 8

// mended makes a verb whose suggestions work: it tries each op that a refusal suggests,
// and corrects it again if it is refused for another mistake. It drops an op that
// cannot be made to work.
func mended(v verb) verb {
	run := v.Run
	v.Run = func(c *ctx, a pdk.Args) error {
		err := run(c, a)
		var w *wrong
		if !errors.As(err, &w) {
			return err
		}
		c.Reset()
		return mend(w, func(op *abi.Op) error {
			return c.Trial(func(c *ctx) error { return run(c, pdk.Args{Op: op}) })
		})
	}
	return v
}

// mend returns a refusal that suggests the ops that pass the trial. It drops ops with a
// block, because suggestions are one line.
func mend(w *wrong, trial func(*abi.Op) error) error {
	refused := &pdk.Error{Message: w.why.Message}
	for _, op := range w.ops {
		if op = working(op, trial); op != nil && op.Block == nil {
			refused.Try(printOp(op))
		}
	}
	if len(refused.Tries) == 0 {
		return w.why
	}
	return refused
}

// working returns an op with its other mistakes corrected, or nil.
func working(op *abi.Op, trial func(*abi.Op) error) *abi.Op {
	for range maxMends {
		err := trial(op)
		if err == nil {
			return op
		}
		var w *wrong
		if !errors.As(err, &w) {
			return nil
		}
		op = w.ops[0]
	}
	return nil
}
