package document

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/host/files"
)

// wrote records what the document and its jobs wrote, by path: each stamp may be what is there.
type wrote struct {
	mu     sync.Mutex
	stamps map[string][]files.Stamp
}

func (w *wrote) at(real string) []files.Stamp {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.stamps[real])
}

// note records a write to real, if it changed or may have changed the file.
func (w *wrote) note(real string, stamp files.Stamp, err error) {
	unsure := new(files.UnsureError)
	isUnsure := errors.As(err, &unsure)
	if stamp == (files.Stamp{}) && !isUnsure {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stamps == nil {
		w.stamps = map[string][]files.Stamp{}
	}
	if isUnsure {
		const most = 100 // unconfirmed writes in a row; older ones are forgotten
		all := append(w.stamps[real], unsure.Stamp)
		w.stamps[real] = all[max(0, len(all)-most):]
		return
	}
	w.stamps[real] = []files.Stamp{stamp}
}

// Target is where the user wants a file that an action makes.
type Target struct {
	Path  string // "" if the action names none
	Force bool   // replace any file there
}

// workFor makes the work of a session action whose program writes to t.
func (d *Document) workFor(run *abi.Run, t Target) (*program.Work, error) {
	if t.Path == "" {
		return nil, fmt.Errorf("%s is not run: the action must name the file that it makes, with as:PATH", run.Program)
	}
	real, err := d.roots.Resolve(t.Path)
	if err != nil {
		return nil, err
	}
	if real == d.place.where().Path {
		return nil, fmt.Errorf("%s is not run: %s is the document's own file", run.Program, d.roots.Show(real))
	}
	over := d.over(real, t.Force)
	err = d.roots.Check(real, over)
	if errors.Is(err, files.ErrThere) || errors.Is(err, files.ErrChanged) {
		return nil, fmt.Errorf("%s is not run: %s already exists, and this document did not write it; force at the end of the action replaces it", run.Program, d.roots.Show(real))
	}
	if err != nil {
		return nil, err
	}
	return d.work(run, real, over)
}

// work makes the work that runs the program which the domain asks for, and writes its output to real. Only the
// program's name is known of it.
func (d *Document) work(run *abi.Run, real string, over files.Over) (*program.Work, error) {
	title := d.roots.Show(real)
	switch {
	case len(run.Outputs) == 0:
		return nil, fmt.Errorf("%s is not run: the %s plugin asks it for no file", run.Program, d.Domain().Name())
	case len(run.Outputs) > 1:
		return nil, fmt.Errorf("%s is not run: the %s plugin asks it for %d files, and the action names one", run.Program, d.Domain().Name(), len(run.Outputs))
	case d.uses(real):
		return nil, fmt.Errorf("%s is not written: it is one of the files that the document is made of", title)
	}
	if err := d.roots.Writable(real); err != nil { // before it is made
		return nil, err
	}
	if err := d.roots.NoFolder(real); err != nil {
		return nil, fmt.Errorf("%s is not run: %w", run.Program, err)
	}
	w := &program.Work{Title: title, Roots: d.roots, Saves: []program.Save{{Path: real, Over: over}}, Wrote: func(path string, is files.Stamp) { d.wrote.note(path, is, nil) },
		Duration: time.Duration(run.Duration) * time.Millisecond,
		Run: program.Run{Program: program.Program{Name: run.Program}, Args: run.Args,
			Outputs: []program.Output{{Ext: extension(run.Outputs[0])}}}}
	if e := run.Expect; e != nil && run.Program == "ffmpeg" {
		w.Expect = &program.Streams{Pictures: e.Pictures, Sound: e.Sound}
	}
	for _, f := range run.Files {
		w.Run.Files = append(w.Run.Files, program.File(f))
	}
	for _, name := range run.Inputs {
		f, err := d.openInput(d.Domain(), name)
		if err != nil {
			w.Close()
			return nil, fmt.Errorf("%s is not run: %w", run.Program, err)
		}
		w.Run.Inputs = append(w.Run.Inputs, program.Input{File: f, Ext: extension(f.Name())})
	}
	return w, nil
}

// extension is the extension of a name in lower case, without its dot.
func extension(name string) string {
	return strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
}

// uses reports whether the document, or the running call, uses the file at a path.
func (e *external) uses(real string) bool {
	for i := range e.resolved {
		if t := &e.resolved[i]; t.Names() && t.Path == real {
			return true
		}
	}
	for _, path := range e.named {
		if path == real {
			return true
		}
	}
	return false
}
