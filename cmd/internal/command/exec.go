package command

import (
	"bufio"
	"context"
	"fmt"
	"io"
	stdlog "log"
	"log/slog"
	"os"
	"regexp"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/host/timing"
)

// runScript runs a script. A line that starts with ":" is a session action, with "?" a query
// ("?help TOPIC" prints the help), with "#" a comment; every other line is an op and a call of its
// own. With --batch, consecutive ops are one call, which a blank line ends. With several domains,
// the current document determines the domain.
func runScript(ctx context.Context, args []string, io stdio) int {
	s, rest, code := flags("exec", args, io)
	if s == nil {
		return code
	}
	if why := s.wrongExec(rest); why != "" {
		io.complain("%s", why)
		return exitUsage
	}
	if s.sessions {
		return s.listSessions(ctx, io)
	}
	io.err = s.broker.Writer(io.err)
	stdlog.SetOutput(io.err)
	defer context.AfterFunc(ctx, s.broker.End)()
	in := io.in
	switch {
	case len(s.lines) > 0:
		in = strings.NewReader(strings.Join(s.lines, "\n"))
	case len(rest) == 1 && rest[0] != "-":
		f, err := os.Open(expandHome(rest[0]))
		if err != nil {
			io.complain("%v", err)
			return exitUsage
		}
		defer f.Close()
		in = f
	}
	io.err = &lockedWriter{w: io.err} // plugins' problems and output are written concurrently
	log := slog.New(guestHandler{s.log(io).Handler(), io.err})
	stop, ok := s.profile(io)
	if !ok {
		return exitUsage
	}
	defer stop()
	o, ok := s.once(ctx, io, log)
	if !ok {
		return exitHost
	}
	defer o.close()
	x := &script{ctx: ctx, s: o.session, out: io, log: log, keepGoing: s.keepGoing, batch: s.batch, json: s.json, pictures: s.pictures}
	return x.run(in)
}

// wrongExec returns why the flags and words of exec contradict each other, or "".
func (s *settings) wrongExec(rest []string) string {
	switch {
	case s.sessions && len(rest)+len(s.lines) > 0:
		return "--sessions lists the sessions and takes no script"
	case len(rest) > 1:
		return fmt.Sprintf("exec takes one script, not also %q", rest[1])
	case len(rest) > 0 && len(s.lines) > 0:
		return fmt.Sprintf("-e gives the script's lines, so exec takes no script %q", rest[0])
	case s.session != "" && !sessionName.MatchString(s.session):
		return fmt.Sprintf("--session %q: a name has letters, digits, - and _, at most 64", s.session)
	case s.session != "" && s.noJournal:
		return "--session keeps documents in the journal, so --no-journal contradicts it"
	}
	return ""
}

// run runs the lines of a script and returns the exit code.
func (x *script) run(in io.Reader) int {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() && x.continues() && x.ctx.Err() == nil {
		x.line(lines.Text())
	}
	x.flush()
	switch err := lines.Err(); {
	case x.ctx.Err() != nil:
		x.out.complain("interrupted")
		return exitHost
	case err != nil:
		x.out.complain("reading the script: %v", err)
		return exitHost
	case x.failed:
		return exitFailed
	}
	return exitOK
}

// script is a running script.
type script struct {
	ctx    context.Context
	s      *session.Session
	out    stdio
	log    *slog.Logger
	ops    []string
	end    string // line that ends the current block
	failed bool

	keepGoing bool
	batch     bool   // neighbouring ops make one call
	json      bool   // print each reply as a line of JSON
	pictures  string // folder for the pictures of replies; "" for the system's temporary one
	open      string // file that the user picked, or ""

	commands []domainCommand // used to print suggestions as commands
}

// continues reports whether the script has another call to make.
func (x *script) continues() bool { return x.keepGoing || !x.failed }

func (x *script) line(l string) {
	if x.end != "" {
		x.ops = append(x.ops, l)
		if strings.TrimSpace(l) == x.end {
			x.end = ""
			x.endOp()
		}
		return
	}
	trimmed := strings.TrimSpace(l)
	switch {
	case trimmed == "":
		x.flush()
	case strings.HasPrefix(trimmed, "#"):
	case strings.HasPrefix(trimmed, ":"):
		if x.flush(); x.continues() {
			action := strings.TrimSpace(trimmed[1:])
			x.call("session", len(action), 0, func(ctx context.Context) *reply.Reply { return x.s.Session(ctx, "", "", action) })
		}
	case strings.HasPrefix(trimmed, "?"):
		if x.flush(); x.continues() {
			x.ask(strings.TrimSpace(trimmed[1:]))
		}
	default:
		x.ops = append(x.ops, l)
		if x.end = x.blockEnd(trimmed); x.end == "" {
			x.endOp()
		}
	}
}

// endOp runs a complete op, unless --batch collects it for a call with its neighbours.
func (x *script) endOp() {
	if !x.batch {
		x.flush()
	}
}

// ask prints the answer to a query.
func (x *script) ask(q string) {
	x.call("query", len(q), 0, func(ctx context.Context) *reply.Reply { return x.s.Query(ctx, "", "", q) })
}

// blockEnd returns the line that ends the block which an op starts, or "".
func (x *script) blockEnd(op string) string {
	doc := x.s.Current("")
	if doc == nil {
		return ""
	}
	verb, _, _ := strings.Cut(op, " ")
	return doc.Domain().Rules.Blocks[strings.ToLower(verb)]
}

func (x *script) flush() {
	if len(x.ops) == 0 {
		return
	}
	ops := x.ops
	x.ops, x.end = nil, ""
	size := 0
	for _, op := range ops {
		size += len(op)
	}
	x.call("edit", size, len(ops), func(ctx context.Context) *reply.Reply { return x.s.Edit(ctx, "", "", ops, nil) })
}

// call runs one call of a script and prints its reply, on stdout if it succeeded, else on stderr.
// size is the length of the call's text in bytes.
func (x *script) call(tool string, size, ops int, run func(context.Context) *reply.Reply) {
	call := timing.Start(x.log, size)
	r := run(timing.With(x.ctx, call))
	call.SetWhat(timing.What{Tool: tool, Document: r.Document, Ops: ops, Failed: r.Failed})
	call.Lap(timing.Other)
	to := x.out.out
	if r.Failed {
		x.failed = true
		if !x.json { // a program reads one stream
			to = x.out.err
		}
	}
	text := x.text(tool, r)
	call.Lap(timing.Encode)
	fmt.Fprint(to, text)
	call.EndWrite(len(text))
	call.Log(x.log)
}

// suggestionText prints a suggestion as a command if the domain has one for it, else as a line of
// a script.
func (x *script) suggestionText(s reply.Suggestion) string {
	for _, c := range x.commands {
		if rest, ok := strings.CutPrefix(s.Text+" ", c.Text+" "); ok && c.Kind == s.Kind && c.Text != "" && plainWords.MatchString(rest) {
			return strings.TrimSpace("fcp-host " + c.Name + " " + rest)
		}
	}
	return scriptLine(s)
}

// plainWords matches words that a shell and the grammar read the same way.
var plainWords = regexp.MustCompile(`^([A-Za-z0-9_./-]+ )*$`)

// scriptLine prints a suggestion as a line of a script.
func scriptLine(s reply.Suggestion) string {
	switch s.Kind {
	case abi.TryQuery:
		return "?" + s.Text
	case abi.TryAction:
		return ":" + s.Text
	case reply.TryHelp:
		return strings.TrimSpace("?help " + s.Text)
	}
	return s.Text
}
