package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/host/files"
)

func TestTwoHostsSeeEachOther(t *testing.T) {
	p := newPlace(t, map[string]string{"a.md": "A", "b.md": "B"})
	one, _ := p.open()
	two, _ := p.open()
	save := func(f *Folder, c ...Change) {
		t.Helper()
		if _, err := f.Save(c); err != nil {
			t.Error(err)
		}
	}
	save(one, change("a.md", "A", "A1"))
	save(two, change("b.md", "B", "B2"), change("n.md", "-", "N2"))
	if _, err := two.Save([]Change{change("a.md", "A", "A2")}); !errors.Is(err, files.ErrChanged) {
		t.Errorf("overwrote the other's: %v", err)
	}
	if a, b := p.changed(one), p.changed(two); a != "b.md: B > B2; n.md: - > N2" || b != "a.md: A > A1" {
		t.Errorf("one sees %s, two sees %s", a, b)
	}
	save(two, change("a.md", "A1", "A2"))
	p.is(map[string]string{"a.md": "A2", "b.md": "B2", "n.md": "N2"})
}

func TestNoSaveOfTwoHostsIsLost(t *testing.T) {
	p := newPlace(t, map[string]string{"count.md": "0", "copy.md": "0"})
	const hosts, saves = 4, 40
	var folders []*Folder
	for range hosts { // all of them before any saves, since none waits for long
		f, _ := p.open()
		folders = append(folders, f)
	}
	var all sync.WaitGroup
	for _, f := range folders {
		all.Go(func() {
			for done := 0; done < saves; {
				if _, _, err := f.Changed(); errors.Is(err, files.ErrBusy) {
					continue
				} else if err != nil {
					t.Error(err)
					return
				}
				n := string(f.known["count.md"].data)
				if copy := string(f.known["copy.md"].data); n != copy {
					t.Errorf("half of a save was seen: %s and %s", n, copy)
				}
				number, _ := strconv.Atoi(n)
				next := strconv.Itoa(number + 1)
				report, err := f.Save([]Change{change("count.md", n, next), change("copy.md", n, next)})
				switch {
				case err == nil && len(report.Conflicts) == 0:
					done++
				case !errors.Is(err, files.ErrChanged) && !errors.Is(err, files.ErrBusy):
					t.Errorf("%+v, %v", report, err)
					return
				}
			}
		})
	}
	all.Wait()
	want := fmt.Sprint(hosts * saves)
	p.is(map[string]string{"count.md": want, "copy.md": want})
}

// After the save the document has its own version; Changed then returns the other one.
func TestAnEditDuringASaveIsAConflictAndAChange(t *testing.T) {
	p := newPlace(t, map[string]string{"a.md": "A", "b.md": "B"})
	f, _ := p.open()
	f.exchange = func(at *os.Root, from, to string) error {
		if p.text("a.md") == "A" {
			p.swap("a.md", "theirs")
		}
		return exchange(at, from, to)
	}
	report, err := f.Save([]Change{change("a.md", "A", "mine"), change("b.md", "B", "B2")})
	if err != nil || len(report.Conflicts) != 1 {
		t.Fatalf("%+v, %v", report, err)
	}
	c := report.Conflicts[0]
	if c.Path != "a.md" || c.Why != "it was changed during the save" || filepath.Dir(c.Kept) != ".deck" || filepath.Ext(c.Kept) != ".md" {
		t.Errorf("got %+v", c)
	}
	p.is(map[string]string{"a.md": "theirs", "b.md": "B2", c.Kept: "mine"})
	if got := p.changed(f); got != "a.md: mine > theirs" {
		t.Errorf("then %s", got)
	}
}

func TestAnEditOfWhatWasSavedIsNoConflict(t *testing.T) {
	for _, text := range []string{"theirs", "A"} { // A: as it was before
		p := newPlace(t, map[string]string{"a.md": "A"})
		f, _ := p.open()
		f.exchange = func(at *os.Root, from, to string) error {
			defer p.put("a.md", text)
			return exchange(at, from, to)
		}
		report, err := f.Save([]Change{change("a.md", "A", "mine")})
		if err != nil || len(report.Conflicts) > 0 {
			t.Errorf("%+v, %v", report, err)
		}
		p.is(map[string]string{"a.md": text})
		if got := p.changed(f); got != "a.md: mine > "+text {
			t.Errorf("then %s", got)
		}
	}
}

// One edit comes right before the exchange with our version, which moves it away, and one right after.
func TestOfTwoConcurrentEditsNoneIsLost(t *testing.T) {
	for _, dies := range []bool{false, true} {
		p := newPlace(t, map[string]string{"a.md": "A", "b.md": "B"})
		f, _ := p.open()
		f.exchange = func(at *os.Root, from, to string) error {
			if to == "a.md" {
				p.swap("a.md", "first")
				defer p.swap("a.md", "second")
			}
			return exchange(at, from, to)
		}
		f.between = func() {
			if matches, _ := filepath.Glob(p.path(conflictPrefix + "*")); dies && len(matches) > 0 {
				panic(errDied)
			}
		}
		var report Report
		var err error
		if dying(t, func() { report, err = f.Save([]Change{change("a.md", "A", "mine"), change("b.md", "B", "B2")}) }) {
			g, _ := p.open()
			report, err = g.Finish()
		}
		if err != nil || len(report.Conflicts) != 1 || report.Conflicts[0].Path != "a.md" {
			t.Fatalf("dies: %v: %+v, %v", dies, report, err)
		}
		p.is(map[string]string{"a.md": "second", "b.md": "B2", report.Conflicts[0].Kept: "first"})
	}
}
