package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// version returns a plugin of a domain in some version.
func version(name, number string) []byte {
	m := testwasm.MinimalManifest()
	m.Domain, m.Version = name, number
	return with(name, map[string]testwasm.Act{abi.ExportManifest: testwasm.Answers(m)})
}

// versions lists what is served, with versions.
func versions(now *state) string {
	var out []string
	for _, d := range now.catalog.Domains {
		out = append(out, d.Name()+" "+d.Manifest.Version)
	}
	return strings.Join(out, ", ")
}

func says(now *state) string {
	var b strings.Builder
	for _, p := range now.problems {
		fmt.Fprintln(&b, p)
	}
	return b.String()
}

// until waits for a state that is accepted.
func until(t *testing.T, s *Set, is func(now *state) bool) *state {
	t.Helper()
	late := time.After(time.Minute)
	for {
		now := s.state.Load()
		if is(now) {
			return now
		}
		select {
		case <-now.next:
		case <-late:
			t.Fatalf("it never came; served %s, problems %s, %+v", versions(now), says(now), now.catalog)
		}
	}
}

// serves waits until the set serves want.
func serves(t *testing.T, s *Set, want string) *state {
	t.Helper()
	return until(t, s, func(now *state) bool { return versions(now) == want && now.settled })
}

// move puts a file in place as a whole.
func (f *folder) move(name string, data []byte) {
	f.t.Helper()
	tmp := f.put(name+".tmp", data)
	if err := os.Rename(tmp, filepath.Join(f.dir, name)); err != nil {
		f.t.Fatal(err)
	}
}

func (f *folder) remove(names ...string) {
	f.t.Helper()
	for _, name := range names {
		if err := os.Remove(filepath.Join(f.dir, name)); err != nil {
			f.t.Fatal(err)
		}
	}
}

// live returns a set that watches the folder.
func (f *folder) live(change func(*Options)) *Set {
	f.t.Helper()
	o := f.options()
	o.Watch = true
	if change != nil {
		change(&o)
	}
	return f.load(o)
}

// age makes the doubts of the last look old enough for the next look to read their files.
func (s *Set) age() {
	for path, d := range s.doubts {
		s.doubts[path] = doubt{d.is, d.since.Add(-time.Hour)}
	}
}
