package verbs

import (
	"errors"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// wrong is a refusal with the op that might have been meant.
type wrong struct {
	why *pdk.Error
	op  *abi.Op
}

func (w *wrong) Error() string { return w.why.Message }
func (w *wrong) Unwrap() error { return w.why }

// suggest adds an op to a refusal. It is tried out before the user sees it.
func suggest(err error, op *abi.Op) error { return &wrong{refusal(err), op} }

// maxMends is how many mistakes of one op are mended for its suggestion.
const maxMends = 8

// mended makes a verb whose suggestions work: an op that a refusal suggests is
// run on trial, and where it is refused for another mistake, that one is mended
// too. What cannot be made to work is not suggested.
func mended(v verb) verb {
	run := v.Run
	v.Run = func(c *ctx, a pdk.Args) error {
		err := run(c, a)
		var w *wrong
		if err == nil {
			return nil
		}
		if !errors.As(err, &w) {
			return illustrated(c, &v, a.Raw, err)
		}
		c.Reset()
		return mend(w, func(op *abi.Op) error {
			if asksRecent(op) && !asksRecent(a.Op) {
				return nil // what was touched last is only known to an op that asks for it
			}
			return c.Trial(func(c *ctx) error { return run(c, pdk.Args{Op: op}) })
		})
	}
	return v
}

// mend turns a refusal into one whose suggestion passes the trial.
func mend(w *wrong, trial func(*abi.Op) error) error {
	refused := &pdk.Error{Message: w.why.Message, Tries: w.why.Tries}
	for range maxMends {
		op := w.op
		again := trial(op)
		var same idleError
		if again == nil || errors.As(again, &same) {
			return refused.Tryf("%s", printOp(op))
		}
		if !errors.As(again, &w) {
			refused.Tries = append(refused.Tries, refusal(again).Tries...)
			break
		}
	}
	return refused
}

// illustrated adds an example to a refusal that has nothing better to suggest,
// because nothing is there or nothing would change: the first but the refused
// op itself, on a track that there is. What takes things away is not
// illustrated with other things.
func illustrated(c *ctx, v *verb, raw string, err error) error {
	music := c.Model.Music()
	e := refusal(err)
	var same idleError
	if !errors.As(err, &same) && !strings.HasPrefix(e.Message, "nothing matches") || len(e.Tries) > 0 {
		return err
	}
	if v.Name == "remove" || len(music) == 0 {
		return err
	}
	if _, missing := c.Model.FindTrack("Piano", true); missing == nil {
		return err
	}
	name := c.Model.Names().Name(music[0])
	for _, x := range v.Examples {
		there := strings.ReplaceAll(x, "@track:Piano", "@track:"+name)
		if rest, ok := strings.CutPrefix(there, v.Name+" Piano"); ok {
			there = v.Name + " " + name + rest
		}
		if there != x && there != raw {
			return e.Tryf("%s", there)
		}
	}
	return err
}

func asksRecent(op *abi.Op) bool {
	for i := range op.Selectors {
		if op.Selectors[i].Type == "recent" {
			return true
		}
	}
	return false
}
