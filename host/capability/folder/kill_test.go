package folder

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"

	"github.com/fcp-host/fcp-host/host/files"
)

// The save in these tests has each kind of change, in existing and new folders.
var (
	before = map[string]string{"a.md": "A", "d/b.md": "B", "keep.md": "K", ".deck/deck.toml": "T"}
	after  = map[string]string{"a.md": "A2", "new/n.md": "N", "keep.md": "K", ".deck/deck.toml": "T2"}
	save   = []Change{change("a.md", "A", "A2"), change("d/b.md", "B", "-"), change("new/n.md", "-", "N"), change(".deck/deck.toml", "T", "T2")}
)

// TestMain also runs the host that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("FOLDER_TEST_DIR"); dir != "" {
		os.Exit(host(dir, os.Getenv("FOLDER_TEST_DO")))
	}
	os.Exit(m.Run())
}

// host opens the folder, saves if do is "save", and kills itself before step
// number FOLDER_TEST_DIE.
func host(dir, do string) int {
	die, _ := strconv.Atoi(os.Getenv("FOLDER_TEST_DIE"))
	n := 0
	root, err := os.OpenRoot(dir)
	if err == nil {
		var f *Folder
		if f, err = newFolder(root, deck, userKey, Limits{}); err == nil {
			f.between = func() {
				if n++; n == die {
					syscall.Kill(os.Getpid(), syscall.SIGKILL)
					select {}
				}
			}
			if _, err = f.open(); err == nil && do == "save" {
				_, err = f.Save(save)
			} else if err == nil {
				_, err = f.Finish()
			}
		}
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// runUntilStep runs a host and reports whether it died at step die. If it did not, it has fewer steps.
func runUntilStep(t *testing.T, dir, do string, die int) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FOLDER_TEST_DIR="+dir, "FOLDER_TEST_DO="+do, "FOLDER_TEST_DIE="+strconv.Itoa(die))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if status := exit.Sys().(syscall.WaitStatus); status.Signaled() && status.Signal() == syscall.SIGKILL {
			return true
		}
	}
	t.Fatalf("step %d: %v\n%s", die, err, out)
	return false
}

// reopenAfterDeath opens the folder after a death and reports whether the save is in it:
// all or nothing.
func (p *place) reopenAfterDeath(when string) (saved bool) {
	p.t.Helper()
	f, s, err := Open(p.root(), deck, userKey, Limits{})
	if err != nil {
		p.t.Fatalf("%s: %v", when, err)
	}
	defer f.Close()
	got := contents(s)
	if saved = maps.Equal(got, after); !saved && !maps.Equal(got, before) {
		p.t.Fatalf("%s: half a save:\n%s", when, show(got))
	}
	// A read has changed nothing, and says what the next call that writes does.
	report, err := f.Finish()
	if err != nil || len(report.Conflicts) > 0 || !slices.Equal(report.Recovered, s.Unfinished) {
		p.t.Fatalf("%s: %+v of %v, %v", when, report, s.Unfinished, err)
	}
	if changed := p.changed(f); changed != "" {
		p.t.Errorf("%s: it was read as it is not now: %s", when, changed)
	}
	p.is(got) // no file of the host's own is left
	// Now a lost save can be repeated, and a completed one undone.
	changes := save
	if saved {
		changes = undone(save)
	}
	if _, err := f.Save(changes); err != nil {
		p.t.Fatalf("%s, and then: %v", when, err)
	}
	return saved
}

func undone(changes []Change) (back []Change) {
	for _, c := range changes {
		back = append(back, Change{c.Path, c.After, c.Before})
	}
	return back
}

func TestAHostKilledBetweenAnyTwoStepsSavedAllOrNothing(t *testing.T) {
	inMemory(t)
	stood, steps := 0, 0
	for die := 1; ; die++ {
		p := newPlace(t, before)
		if !runUntilStep(t, p.dir, "save", die) {
			break
		}
		steps++
		if saved := p.reopenAfterDeath(fmt.Sprintf("killed at step %d", die)); saved {
			stood++
		} else if stood > 0 {
			t.Errorf("killed at step %d: the save is lost, although it was complete when killed at an earlier step", die)
		}
	}
	if stood < 8 || steps-stood < 6 {
		t.Errorf("of %d deaths %d were after the record", steps, stood)
	}
}

func TestUnracedAHostKilledDuringRecoveryLosesNothing(t *testing.T) {
	testwasm.Unraced(t)
	inMemory(t)
	again := 0
	for die := 1; ; die++ {
		p := newPlace(t, before)
		if !runUntilStep(t, p.dir, "save", die) {
			break
		}
		if _, err := os.Stat(p.path(userRecord())); err != nil {
			continue
		}
		for second := 1; ; second++ {
			p := newPlace(t, before)
			runUntilStep(t, p.dir, "save", die)
			if !runUntilStep(t, p.dir, "open", second) {
				break
			}
			again++
			p.reopenAfterDeath(fmt.Sprintf("killed at step %d, and then at step %d", die, second))
		}
	}
	if again < 20 {
		t.Errorf("only %d deaths in a recovery", again)
	}
}

// errDied is the panic value that simulates the death of a host in this process.
var errDied = errors.New("died")

// dying calls do and reports whether it died. Deferred calls close its files, as
// the system would.
func dying(t testing.TB, do func()) (dead bool) {
	defer func() {
		if r := recover(); r != nil {
			if r != errDied {
				panic(r)
			}
			dead = true
		}
	}()
	do()
	return false
}

// edits are the ways in which an editor changes a file. Each reports whether it did, and returns a function that
// reports whether the change is still there.
var edits = map[string]func(p *place, name string) (stands func() bool, did bool){
	"writes": func(p *place, name string) (func() bool, bool) {
		p.put(name, "theirs")
		return func() bool { return p.all()[name] == "theirs" }, true
	},
	"replaces": func(p *place, name string) (func() bool, bool) {
		p.swap(name, "theirs")
		return func() bool { return p.all()[name] == "theirs" }, true
	},
	"removes": func(p *place, name string) (func() bool, bool) {
		err := os.Remove(p.path(name))
		return func() bool { _, there := p.all()[name]; return !there }, err == nil
	},
	"makes a folder of": func(p *place, name string) (func() bool, bool) {
		os.Remove(p.path(name))
		p.put(name+"/inside.txt", "theirs")
		return func() bool { return p.all()[name+"/inside.txt"] == "theirs" }, true
	},
	"moves the folder of": func(p *place, name string) (func() bool, bool) {
		dir := p.path(path.Dir(name))
		if dir == p.dir || path.Dir(name) == deck.Marker {
			return nil, false
		}
		err := os.Rename(dir, p.path("moved"))
		return func() bool { _, err := os.Stat(dir); return err != nil }, err == nil
	},
}

// An editor changes each file of a save at each of its steps. The host continues,
// or dies there and another one opens the folder.
func TestUnracedNoEditIsLost(t *testing.T) {
	testwasm.Unraced(t)
	inMemory(t)
	for _, system := range soak.Some(t, []string{"between renames", "before and after each", "plain renames"}, 3) {
		for kind, edit := range edits {
			for _, c := range save {
				for _, dies := range []bool{false, true} {
					for step := 1; ; step++ {
						what := fmt.Sprintf("%s: an editor %s %s at step %d (the host dies: %v)", system, kind, c.Path, step, dies)
						p := newPlace(t, before)
						f, _ := p.open()
						n, did := 0, false
						var stands func() bool
						f.between = func() {
							if n++; n == step {
								stands, did = edit(p, c.Path)
								if dies {
									panic(errDied)
								}
							}
						}
						around := func(do rename) rename {
							return func(at *os.Root, from, to string) error {
								f.between()
								defer f.between()
								return do(at, from, to)
							}
						}
						switch system {
						case "before and after each":
							f.exchange, f.publish, f.replace = around(exchange), around(publish), around(replace)
						case "plain renames": // an edit right before one would be lost
							f.exchange, f.publish = replace, link
						}
						var report Report
						var err error
						dying(t, func() { report, err = f.Save(save) })
						if n < step {
							break
						}
						if !dies && err != nil && !errors.Is(err, files.ErrChanged) && !strings.Contains(err.Error(), "as it was") {
							t.Errorf("%s: %v", what, err)
						}
						if dies {
							g, s, openErr := Open(p.root(), deck, userKey, Limits{})
							if openErr != nil {
								t.Fatalf("%s: %v", what, openErr)
							}
							defer g.Close()
							f = g
							if report, openErr = g.Finish(); openErr != nil || !slices.Equal(report.Recovered, s.Unfinished) {
								t.Fatalf("%s: %+v of %v, %v", what, report, s.Unfinished, openErr)
							}
						}
						(&interruptedSave{what, p, f, c, !did || stands(), report, err, dies}).check(t)
						if t.Failed() {
							return
						}
					}
				}
			}
		}
	}
}

// interruptedSave is a save during which one of its files was edited.
type interruptedSave struct {
	what   string
	place  *place
	folder *Folder
	edited Change
	stands bool // whether the edit is still there, or none was made
	report Report
	err    error
	dies   bool // whether the process died during the save
}

// check judges the folder after the save.
func (s *interruptedSave) check(t *testing.T) {
	t.Helper()
	what, p, f, edited, stands, report, err, dies := s.what, s.place, s.folder, s.edited, s.stands, s.report, s.err, s.dies
	all := p.all()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s: %s; %v, %+v\n%s", what, fmt.Sprintf(format, args...), err, report, show(all))
	}
	if !stands {
		fail("the edit is lost")
	}
	olds, news := 0, 0
	for _, c := range save {
		if c.Path == edited.Path || strings.HasPrefix(edited.Path, "new/") && strings.HasPrefix(c.Path, "new/") {
			continue
		}
		switch text, ok := all[c.Path]; {
		case ok == (c.After != nil) && text == string(c.After):
			news++
		case ok == (c.Before != nil) && text == string(c.Before):
			olds++
		}
	}
	if olds > 0 && news > 0 || olds+news != len(save)-1 {
		fail("half of the rest is saved")
	}
	if all["keep.md"] != "K" {
		fail("keep.md is changed")
	}
	if !dies && (err == nil) != (news > 0) {
		fail("it says the wrong thing")
	}
	// A conflict keeps the version of the save beside that of the editor.
	for _, c := range report.Conflicts {
		if c.Path != edited.Path {
			fail("a conflict of %s", c.Path)
		}
		if edited.After != nil && (c.Kept == "" || all[c.Kept] != string(edited.After)) {
			fail("nothing is kept")
		}
	}
	// The document takes over the content of the folder.
	if _, _, err := f.Changed(); err != nil {
		fail("then %v", err)
	}
	view := map[string]string{}
	for name, k := range f.known {
		view[name] = string(k.data)
	}
	for name := range all {
		if !f.pattern.includes(name) || strings.HasPrefix(name, ours) {
			delete(all, name)
		}
	}
	if !maps.Equal(view, all) {
		fail("the document is\n%s", show(view))
	}
	if name := leftOver(p); name != "" && !strings.Contains(name, conflictPrefix) {
		fail("left %s", name)
	}
}
