// Package soak sets how long randomized tests run: seconds in make test, minutes in make soak, which sets FCP_SOAK. It
// also draws random words for them.
package soak

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// On reports whether this is make soak.
func On() bool { return os.Getenv("FCP_SOAK") != "" }

// Times returns the number of attempts: often in make test, long in make soak.
func Times(often, long int) int {
	if On() {
		return long
	}
	return often
}

// Seed returns the seed of a randomized test: FCP_SEED, or a new one each time in make soak, otherwise a constant. It
// logs the seed.
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

// Whole reports whether to run all cases of a table or folder: in make soak, and in make judge, which sets FCP_WHOLE
// and repeats each test that calls Whole or Some.
func Whole() bool { return On() || os.Getenv("FCP_WHOLE") != "" }

// Some returns every step-th element of all, starting where the seed says; or all of them if Whole is true.
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
