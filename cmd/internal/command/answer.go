package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/reply"
)

// A command that is a query has its answer printed, copied, watched, or picked from.

// answer runs a query and handles the answer as the command declares.
func (x *script) answer(c domainCommand, text string, dry bool) {
	ask := func() *reply.Reply { return x.s.Print(x.ctx, c.d.Name(), text) }
	if c.Answer == "" || dry {
		x.call(abi.TryQuery, len(text), 0, func(context.Context) *reply.Reply { return ask() })
		return
	}
	if c.Answer == abi.AnswerWatch {
		ticks := time.NewTicker(debounce)
		defer ticks.Stop()
		x.watch(ticks.C, ask, func(answer string) { x.copyAnswer(c, answer) })
		return
	}
	r := ask()
	if r.Failed {
		x.call(abi.TryQuery, len(text), 0, func(context.Context) *reply.Reply { return r })
		return
	}
	x.warn(r.Warnings)
	if c.Answer == abi.AnswerCopy {
		x.copyAnswer(c, r.Text)
		return
	}
	x.pick(c, r.Text)
}

// warn prints warnings on stderr, because stdout and the clipboard get only the answer.
func (x *script) warn(list []string) {
	for _, w := range list {
		fmt.Fprintf(x.out.err, "? %s\n", reply.Line(w))
	}
}

// fail prints an error and makes the command fail.
func (x *script) fail(err error) {
	x.failed = true
	x.out.complain("%v", err)
}

// copyAnswer writes an answer to the command's file and to the clipboard. If it wrote the file, a
// missing clipboard is no error.
func (x *script) copyAnswer(c domainCommand, answer string) {
	where := "nowhere"
	if doc := x.s.Current(c.d.Name()); c.Into != "" && doc != nil {
		at, err := doc.WriteMarkerFile(x.ctx, c.Into, []byte(answer))
		if err != nil {
			x.fail(err)
			return
		}
		where = at
	}
	how, err := copyText(answer, x.out.out)
	switch {
	case err == nil:
		how = "in the clipboard by " + how
	case c.Into != "" && errors.Is(err, errNoClipboard):
		how = "not in the clipboard: " + err.Error()
	default:
		x.fail(err)
		return
	}
	fmt.Fprintf(x.out.out, "%s: %s, about %d tokens; %s\n", c.Name, where, (len(answer)+3)/4, how)
}

// debounce is how long an answer must stay the same before it is copied.
const debounce = 500 * time.Millisecond

// watch runs the query at each tick. It copies an answer that differs from the last copied one and
// is the same at two ticks in a row.
func (x *script) watch(ticks <-chan time.Time, ask func() *reply.Reply, took func(answer string)) {
	var effective, seen string
	first, said := true, ""
	for {
		r := ask()
		switch {
		case r.Failed && first, x.ctx.Err() != nil:
			if r.Failed && x.ctx.Err() == nil {
				x.fail(errors.New(strings.TrimPrefix(r.Print(x.suggestionText), "! ")))
			}
			return
		case r.Failed: // a card may be half written, or the folder is being moved
			if text := r.Print(x.suggestionText); text != said {
				said = text
				fmt.Fprintln(x.out.err, text)
			}
		default:
			x.warn(r.Warnings)
			if r.Text != effective && (first || r.Text == seen) {
				took(r.Text)
				effective = r.Text
			}
			seen, first, said = r.Text, false, ""
		}
		select {
		case <-ticks:
		case <-x.ctx.Done():
			return
		}
	}
}

// pick lets the user choose one of the answer's lines in a terminal, and opens its file. Without a
// terminal it prints the lines.
func (x *script) pick(c domainCommand, answer string) {
	in, isIn := x.out.in.(*os.File)
	out, isOut := x.out.out.(*os.File)
	if !isIn || !isOut || !isTerminal(in) || !isTerminal(out) {
		fmt.Fprintln(x.out.out, strings.TrimSuffix(answer, "\n"))
		return
	}
	lines := strings.Split(strings.TrimSuffix(answer, "\n"), "\n")
	n, err := pickLine(x.ctx, lines, in, out)
	if err != nil {
		x.fail(err)
		return
	}
	name, _, _ := strings.Cut(lines[n], "  ")
	doc := x.s.Current(c.d.Name())
	if doc == nil {
		x.fail(errors.New("no document is open"))
		return
	}
	if x.open, err = doc.PathOf(x.ctx, name); err != nil {
		x.fail(err)
	}
}

// clean removes the folder .cache in the marker's folder.
func (x *script) clean(dom string) {
	doc := x.s.Current(dom)
	if doc == nil {
		x.fail(errors.New("no document is open"))
		return
	}
	path, there, err := doc.CleanMarkerCache(x.ctx)
	switch {
	case err != nil:
		x.fail(err)
	case !there:
		fmt.Fprintf(x.out.out, "there is no %s\n", path)
	default:
		fmt.Fprintf(x.out.out, "removed %s\n", path)
	}
}
