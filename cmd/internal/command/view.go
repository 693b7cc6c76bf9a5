package command

import (
	"context"
	"fmt"
	stdlog "log"
	"os"
	"path/filepath"
	"strings"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/view"
	"github.com/fcp-host/fcp-host/printable"
)

// viewFiles shows files in a browser until ctx ends. The named files may be opened wherever they
// are.
func viewFiles(ctx context.Context, args []string, io stdio) int {
	s, files, code := flags("view", args, io)
	if s == nil {
		return code
	}
	io.err = &lockedWriter{w: s.broker.Writer(io.err)} // plugins' problems are written concurrently
	stdlog.SetOutput(io.err)
	defer context.AfterFunc(ctx, s.broker.End)()
	if len(files) == 0 {
		io.complain("no file given; usage: fcp-host view FILE…")
		return exitUsage
	}
	for i, name := range files {
		at, err := filepath.Abs(name)
		if err != nil {
			continue // open reports the error
		}
		info, err := os.Stat(at)
		if err != nil {
			continue
		}
		files[i] = at
		if !info.IsDir() {
			at = filepath.Dir(at)
		}
		s.roots = append(s.roots, at)
	}
	log := s.log(io)
	stop, ok := s.profile(io)
	if !ok {
		return exitUsage
	}
	defer stop()
	o, ok := s.once(ctx, io, log)
	if !ok {
		return exitFailed
	}
	defer o.close()
	shown := view.New(o.session)
	for i, name := range files {
		open := "open " + grammar.Quote(name) + " as:" + grammar.Quote(documentName(files[:i], name)) // a named document stays open when the next one is opened
		if r := o.session.Session(ctx, "", "", open); r.Failed {
			fmt.Fprintln(io.err, r.Print(scriptLine))
			return exitFailed
		}
	}
	page, err := view.Listen(shown, log)
	if err != nil {
		io.complain("view: %v", err)
		return exitFailed
	}
	defer page.Close()
	fmt.Fprintf(io.out, "shown at %s until Ctrl-C\n", page.Address())
	<-ctx.Done()
	return exitOK
}

// documentName returns a document name for a file: the file's name, with a number if an earlier file has
// it.
func documentName(before []string, file string) string {
	name, n := printable.Cut(printable.Line(filepath.Base(file)), 100), 1
	for _, b := range before {
		if strings.EqualFold(filepath.Base(b), filepath.Base(file)) {
			n++
		}
	}
	if n > 1 {
		return fmt.Sprintf("%s (%d)", name, n)
	}
	return name
}
