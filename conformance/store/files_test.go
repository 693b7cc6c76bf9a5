package store

import (
	"path/filepath"
	"testing"

	"github.com/fcp-host/fcp-host/host/journal"
)

func TestPlainFilesKeepThePromisesOfAStore(t *testing.T) {
	Test(t, func(t testing.TB) System {
		dir := filepath.Join(t.TempDir(), "journal")
		return System{Open: func(t testing.TB, limits journal.Limits) journal.Store {
			s, err := journal.Open(dir, limits)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}}
	})
}
