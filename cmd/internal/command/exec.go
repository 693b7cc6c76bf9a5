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
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/plugin"
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
	io.err = s.broker.Writer(io.err)
	stdlog.SetOutput(io.err)
	defer context.AfterFunc(ctx, s.broker.End)()
	if len(rest) > 1 {
		io.complain("exec takes one script, not also %q", rest[1])
		return exitUsage
	}
	in := io.in
	if len(rest) == 1 && rest[0] != "-" {
		f, err := os.Open(rest[0])
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
		return exitFailed
	}
	defer o.close()

	x := &script{ctx: ctx, s: o.session, out: io, log: log, keepGoing: s.keepGoing, batch: s.batch}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() && x.continues() && ctx.Err() == nil {
		x.line(lines.Text())
	}
	x.flush()
	if err := lines.Err(); err != nil {
		io.complain("reading the script: %v", err)
		return exitFailed
	}
	if ctx.Err() != nil {
		io.complain("interrupted")
		return exitFailed
	}
	if x.failed {
		return exitFailed
	}
	return exitOK
}

// once is the single session of a command that ends by itself.
type once struct {
	session *session.Session
	set     *plugin.Set
	close   func()
}

// once loads the plugins and opens the session.
func (s *settings) once(ctx context.Context, io stdio, log *slog.Logger) (o once, ok bool) {
	s.programs.After = forever // wait for jobs to finish
	s.brief = true
	set, roots := s.load(io, log)
	if set == nil {
		return o, false
	}
	sess := session.New(set, roots)
	o = once{sess, set, sync.OnceFunc(func() {
		sess.Close()
		s.programs.Close()
		set.Close()
	})}
	defer func() {
		if !ok {
			o.close()
		}
	}()
	select {
	case <-set.Opened():
	case <-ctx.Done():
	}
	s.reportStrayGrants(ctx, set, io)
	// A script need not name the domain if there is only one, so wait until one is served or none
	// can come, however busy the machine is.
	if set.Until(ctx, func() bool { return len(set.Catalog().Domains) > 0 }) != nil {
		return o, false
	}
	if c := set.Catalog(); len(c.Domains) == 0 && c.Pending == 0 {
		return o, false // the reason was printed
	}
	// Wait as long as loading a named domain may take.
	l := s.limits.sandbox
	s.configureSession(sess, l.Compile+l.Start+l.Call)
	// No journal: a script can be run again.
	s.noJournal = s.noJournal || s.journalDir == ""
	k, ok := s.keeper(io, log)
	if !ok {
		return o, false
	}
	k.keep(sess)
	return o, true
}

// forever is longer than any program runs.
const forever = 10_000 * time.Hour

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

// ask prints the answer to a query, or the help on a topic.
func (x *script) ask(q string) {
	if word, topic, _ := strings.Cut(q, " "); word == "help" {
		x.call("help", len(q), 0, func(ctx context.Context) *reply.Reply { return x.s.Help(ctx, "", "", topic) })
		return
	}
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
		to = x.out.err
	}
	text := r.Print(x.suggestionText) + "\n"
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

// guestHandler logs, but prints a plugin's stderr and log lines unchanged at any level: whoever
// runs a script is likely the plugin's author, and a panic's trace names the line.
type guestHandler struct {
	slog.Handler
	out io.Writer
}

// Enabled implements slog.Handler. Plugins' lines have level info or above.
func (h guestHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || h.Handler.Enabled(ctx, level)
}

// Handle implements slog.Handler: it prints a plugin's line unchanged, and logs everything else.
func (h guestHandler) Handle(ctx context.Context, r slog.Record) error {
	attrs := map[string]string{}
	r.Attrs(func(a slog.Attr) bool {
		attrs[a.Key] = a.Value.String()
		return true
	})
	if attrs["from"] == "guest" {
		_, err := fmt.Fprintf(h.out, "%s: %s\n", attrs["plugin"], r.Message)
		return err
	}
	if !h.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}
