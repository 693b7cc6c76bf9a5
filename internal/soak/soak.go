// Package soak says how long tests of chance last: seconds in make test, minutes in make soak, which sets FCP_SOAK; and draws words for them.
package soak

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// On reports whether the tests are to last.
func On() bool { return os.Getenv("FCP_SOAK") != "" }

// Times is how often something is tried: often in make test, long in make soak.
func Times(often, long int) int {
	if On() {
		return long
	}
	return often
}

// Seed is what a test of chance starts from: FCP_SEED, or another one each time in make soak, else always the same. The test's log names it.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := uint64(1)
	if n, err := strconv.ParseUint(os.Getenv("FCP_SEED"), 10, 64); err == nil {
		seed = n
	} else if On() {
		seed = uint64(time.Now().UnixNano() & 0xffffff)
	}
	t.Logf("FCP_SEED=%d", seed)
	return seed
}

// Whole reports whether all of a table or of a folder of files is gone through: in make soak, and in make judge, which sets FCP_WHOLE
// and runs each test again that asks for either.
func Whole() bool { return On() || os.Getenv("FCP_WHOLE") != "" }

// Some is every step-th of all, from where the seed says, or all of it where Whole is true.
func Some[E any](t testing.TB, all []E, step int) (some []E) {
	t.Helper()
	if Whole() {
		return all
	}
	for i := int(Seed(t) % uint64(step)); i < len(all); i += step {
		some = append(some, all[i])
	}
	return some
}
