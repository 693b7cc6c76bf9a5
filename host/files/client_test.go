package files

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// uri returns the URI of a folder as a program that encodes it writes it.
func uri(path string) string {
	return "file://" + strings.NewReplacer("%", "%25", " ", "%20", "#", "%23", ":", "%3A").Replace(path)
}

func TestRootsOfAClientReplaceTheWorkingDirectory(t *testing.T) {
	p := newPlace(t)
	odd := filepath.Join(p.out, "100% c# é: d")
	if err := os.Mkdir(odd, 0o755); err != nil {
		t.Fatal(err)
	}
	file := p.put(filepath.Join(p.out, "f"), "")
	p.put("a.txt", "")
	t.Chdir(p.in)
	for _, tt := range []struct {
		name    string
		uris    []string
		allowed []string
		missing []string
		folder  string // where paths start, if not in the first
	}{
		{name: "another folder", uris: []string{uri(p.out)}, allowed: []string{p.out}},
		{name: "the working directory among others", uris: []string{uri(p.out), uri(p.in)}, allowed: []string{p.out, p.in}, folder: p.in},
		{name: "encoded", uris: []string{uri(odd)}, allowed: []string{odd}},
		{name: "not encoded", uris: []string{"file://" + odd}, allowed: []string{odd}},
		{name: "one that is gone", uris: []string{"file:///no/such", uri(p.out)}, allowed: []string{p.out},
			missing: []string{"the client's root file:///no/such grants nothing: there is no folder /no/such"}},
		{name: "none", missing: []string{"the client has no roots: it has no folder open"}},
		{name: "no folders", uris: []string{"https://example.com/", uri(file), "file://host/x", "file:///"}, missing: []string{
			"the client's root https://example.com/ grants nothing: it is not a file URI",
			"the client's root " + uri(file) + " grants nothing: there is no folder " + file,
			"the client's root file://host/x grants nothing: file://host/x names a file of the computer host; a file of this one is file:///PATH, or PATH alone",
			"the client's root file:/// grants nothing: it is the root of the file system; start fcp-host with --root / to allow that"}},
	} {
		r, err := NewRoots()
		if err != nil {
			t.Fatal(err)
		}
		kept := r.ReadOnly()
		r.AskClient().Answer(tt.uris)
		for _, r := range []*Roots{r, kept} {
			if !slices.Equal(r.Dirs(), tt.allowed) || !slices.Equal(r.Missing(), tt.missing) {
				t.Errorf("%s: allowed %q, missing %q", tt.name, r.Dirs(), r.Missing())
			}
		}
		if tt.folder == "" && len(tt.allowed) > 0 {
			tt.folder = tt.allowed[0]
		}
		if tt.folder != "" && r.Folder() != tt.folder {
			t.Errorf("%s: paths start at %s", tt.name, r.Folder())
		}
		_, err = r.Resolve(filepath.Join(p.in, "a.txt"))
		if inside := slices.Contains(tt.allowed, p.in); inside != (err == nil) || !inside && (!errors.Is(err, ErrOutside) ||
			!strings.HasSuffix(err.Error(), "; open its folder in the client, or start fcp-host with --root DIR")) {
			t.Errorf("%s: in the working directory: %v", tt.name, err)
		}
	}
}

func TestRootsOfTheUserAreNotReplacedByThoseOfAClient(t *testing.T) {
	p := newPlace(t)
	for _, dir := range []string{p.in, filepath.Join(p.in, "gone"), "${workspaceFolder}", ""} {
		r, err := NewRoots(dir)
		if err != nil {
			t.Fatal(err)
		}
		if q := r.AskClient(); q != nil {
			t.Errorf("--root %q leaves the choice to the client", dir)
		}
	}
}

func TestTheNewestAnswerOfAClientCounts(t *testing.T) {
	p := newPlace(t)
	t.Chdir(p.in)
	r, err := NewRoots()
	if err != nil {
		t.Fatal(err)
	}
	first, second := r.AskClient(), r.AskClient()
	second.Answer([]string{uri(p.out)})
	first.Answer([]string{uri(p.in)})
	if !slices.Equal(r.Dirs(), []string{p.out}) {
		t.Errorf("allowed %q", r.Dirs())
	}
	third := r.AskClient()
	third.Fail("the client is lost")
	third.Answer([]string{uri(p.in)})
	if _, err := r.Resolve("a"); !errors.Is(err, ErrOutside) || !strings.Contains(err.Error(), "no folder is allowed, the client is lost; open") {
		t.Error(err)
	}
	r.AskClient().Withdraw()
	if real, err := r.Resolve("a"); err != nil || real != filepath.Join(p.in, "a") {
		t.Errorf("without roots of the client: %s, %v", real, err)
	}
}

func TestCallsWaitForTheRootsOfAClientButNotForever(t *testing.T) {
	p := newPlace(t)
	t.Chdir(p.in)
	synctest.Test(t, func(t *testing.T) {
		r, err := NewRoots()
		if err != nil {
			t.Fatal(err)
		}
		resolve := func() (time.Duration, error) {
			begun := time.Now()
			_, err := r.Resolve(filepath.Join(p.out, "a"))
			return time.Since(begun), err
		}
		q := r.AskClient()
		time.AfterFunc(29*time.Second, func() { q.Answer([]string{uri(p.out)}) })
		if took, err := resolve(); err != nil || took != 29*time.Second {
			t.Errorf("answered in time: %v, %v", took, err)
		}
		q = r.AskClient()
		if took, err := resolve(); took != 30*time.Second || !errors.Is(err, ErrOutside) || !strings.Contains(err.Error(), "no folder is allowed, the client has not answered which folders are its roots; ") {
			t.Errorf("not answered: %v, %v", took, err)
		}
		if took, err := resolve(); took != 0 || err == nil {
			t.Errorf("again: %v, %v", took, err)
		}
		again := r.AskClient()
		go func() {
			time.Sleep(time.Second)
			newest := r.AskClient()
			time.Sleep(time.Second)
			again.Fail("late")
			time.Sleep(time.Second)
			newest.Answer([]string{uri(p.out)})
		}()
		if took, err := resolve(); err != nil || took != 3*time.Second {
			t.Errorf("asked again meanwhile: %v, %v", took, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		q = r.AskClient()
		begun := time.Now()
		if _, err := r.In(ctx).Resolve("a"); err == nil || time.Since(begun) != 0 {
			t.Errorf("a cancelled call waits %v, %v", time.Since(begun), err)
		}
		q.Answer([]string{uri(p.out)}) // however late
		if took, err := resolve(); err != nil || took != 0 {
			t.Errorf("answered late: %v, %v", took, err)
		}
	})
}
