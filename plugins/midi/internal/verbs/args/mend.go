package args

import (
	"errors"

	"github.com/fcp-host/fcp-host/pdk"
)

// Correctable is a refusal, and ops that the client may have meant instead.
type Correctable struct {
	why *pdk.Error
	ops []pdk.Args
}

func (w *Correctable) Error() string { return w.why.Message }
func (w *Correctable) Unwrap() error { return w.why }

// Suggest adds ops to a refusal. They are tried before they are shown; if none of them
// works, the refusal's own suggestions are shown.
func Suggest(err error, ops ...pdk.Args) error {
	if len(ops) == 0 {
		return Refusal(err)
	}
	return &Correctable{Refusal(err), ops}
}

// maxMends is how many mistakes of one op are corrected for a suggestion.
const maxMends = 8

// Suggesting wraps a verb so that its suggestions work: it tries each op that a
// refusal suggests, and corrects it again if it is refused for another mistake. It
// drops an op that cannot be made to work.
func Suggesting(v verb) verb {
	keys, verb := v.Keys, v.Run
	run := func(c *ctx, a pdk.Args) error {
		for _, k := range keys {
			if err := k.Check(a); err != nil {
				return suggestMeant(err, a, k.Param().Key)
			}
		}
		return verb(c, a)
	}
	v.Keys = nil // checked by run
	v.Run = func(c *ctx, a pdk.Args) error {
		err := pdk.Catch(func() error { return run(c, a) })
		if err == nil {
			warnTicks(c, a)
		}
		var w *Correctable
		if !errors.As(err, &w) {
			return err
		}
		c.Reset()
		return TrySuggestions(w, func(op pdk.Args) error {
			return c.Trial(func(c *ctx) error { return run(c, op) })
		})
	}
	return v
}

// TrySuggestions returns a refusal that suggests the ops that pass the trial. It drops
// ops with a block, because suggestions are one line.
func TrySuggestions(w *Correctable, trial func(pdk.Args) error) error {
	refused := &pdk.Error{Message: w.why.Message}
	for _, op := range w.ops {
		if op, ok := correctOp(op, trial); ok && op.Block == nil {
			refused.Try(op.Mended())
		}
	}
	if len(refused.Tries) == 0 {
		return w.why
	}
	return refused
}

// correctOp tries an op and corrects its mistakes. It returns the op that works, if
// there is one.
func correctOp(op pdk.Args, trial func(pdk.Args) error) (works pdk.Args, ok bool) {
	for range maxMends {
		err := trial(op)
		if err == nil {
			return op, true
		}
		var w *Correctable
		if !errors.As(err, &w) {
			return op, false
		}
		op = w.ops[0]
	}
	return op, false
}
