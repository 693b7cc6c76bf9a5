package program

import (
	"context"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/host/confine"
)

// namespaces names the kinds of namespaces that tests run cages in. The other layers must confine a program in each.
var namespaces = map[string]confine.Namespaces{"all": confine.OwnAll, "users, too": confine.OwnUser, "none": confine.Shared}

func newRunner(t *testing.T) *Runner {
	t.Helper()
	if err := Available(); err != nil {
		t.Skip(err)
	}
	r, err := NewRunner(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// each runs a test with cages in each kind of namespaces that this system has.
func each(t *testing.T, test func(*testing.T, *Runner)) {
	for name, kind := range namespaces {
		if !slices.Contains(confine.Kinds(), kind) {
			continue
		}
		t.Run("namespaces "+name, func(t *testing.T) {
			r := newRunner(t)
			r.kinds = []confine.Namespaces{kind}
			test(t, r)
		})
	}
}

// do runs a program to its end. The result's outputs exist until the test ends.
func do(t *testing.T, r *Runner, run Run) (*Result, error) {
	t.Helper()
	p, err := r.Start(context.Background(), run)
	if err != nil {
		return &Result{}, err
	}
	t.Cleanup(p.Close)
	return p.Wait()
}

func TestAProgramInItsCageCanDoNothingThatIsForbidden(t *testing.T) {
	each(t, func(t *testing.T, r *Runner) {
		report, err := r.SelfTest(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range report.Layers {
			t.Logf("%s %v: %s", l.Name, l.On, l.Detail)
		}
		if len(report.Attempts) < 40 {
			t.Errorf("it tried %d things", len(report.Attempts))
		}
		for _, a := range report.Attempts {
			t.Logf("%s: %s", a.What, a.Result)
			if !a.Blocked {
				t.Errorf("%s: %s", a.What, a.Result)
			}
		}
	})
}
