package command

import (
	"context"
	stdlog "log"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/mcpserver"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/host/view"
)

func serve(ctx context.Context, args []string, io stdio) int {
	orphaned := watchParent() // at once, since the parent may end while plugins are loaded
	// Calls that were made must finish even if the client is gone or nobody reads the log, so the
	// signal of a broken pipe must not end the process. It is handled instead of ignored, because
	// workers would inherit that.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	// A client that does not read stderr must not delay its own calls.
	if io.err == os.Stderr {
		io.err = ownStderr()
	}
	lines := newUnblocked(io.err)
	defer lines.close(time.Second)
	io.err = lines
	stdlog.SetOutput(lines) // for libraries that log
	s, rest, code := flags("serve", args, io)
	if s == nil {
		return code
	}
	io.err = s.broker.Writer(lines)
	stdlog.SetOutput(io.err)
	defer context.AfterFunc(ctx, s.broker.End)()
	if len(rest) > 0 {
		io.complain("serve takes no argument %q; name plugins with --plugin", rest[0])
		return exitUsage
	}
	if s.web.addr != "" {
		if no := s.web.problem(); no != "" {
			io.complain("%s", no)
			return exitUsage
		}
		if s.View {
			io.complain("--view works only over stdio, with one client; it cannot be combined with --http")
			return exitUsage
		}
		if s.WriteThrough {
			io.complain("--write-through works only over stdio, with one client; it cannot be combined with --http")
			return exitUsage
		}
	}
	if no := s.wrongStore(); no != "" {
		io.complain("%s", no)
		return exitUsage
	}
	audit, end, err := s.web.auditLog(io)
	if err != nil {
		io.complain("--audit-log: %v; name a regular file, /dev/stderr, /dev/stdout or /dev/null", err)
		return exitUsage
	}
	defer end()
	s.limits.setMemoryLimit()
	log := s.log(io)
	stop, ok := s.profile(io)
	if !ok {
		return exitUsage
	}
	defer stop()
	s.watch = true
	set, roots := s.load(io, log)
	if set == nil {
		return exitFailed
	}
	defer set.Close()
	defer s.programs.Close()
	if s.web.addr != "" {
		return s.serveHTTP(ctx, set, roots, log, audit, io)
	}
	return s.serveStdio(ctx, set, roots, log, io, orphaned)
}

// serveStdio serves the single client over stdio, at most until orphaned is closed.
func (s *settings) serveStdio(ctx context.Context, set *plugin.Set, roots *files.Roots, log *slog.Logger, io stdio, orphaned <-chan struct{}) int {
	k, ok := s.keeper(io, log)
	if !ok {
		return exitFailed
	}
	defer k.close()
	sess := session.New(set, roots)
	defer sess.Close()
	s.configureSession(sess)
	sess.WriteThrough = s.WriteThrough
	k.keep(sess)
	c := mcpserver.Config{Version: hostVersion(), Session: sess, Unified: s.Unified, Structured: s.Structured, Local: true, Orphaned: orphaned, Log: log}
	if s.View {
		c.View = view.New(sess)
		page, err := view.Listen(c.View, log)
		if err != nil {
			io.complain("--view: %v", err)
			return exitFailed
		}
		defer page.Close()
		sess.Page = page.Address()
		io.complain("view at %s", page.Address())
	}
	server := mcpserver.New(c)
	flush, ok := s.startTelemetry([]gate.Gauge{
		{Name: "fcp_documents", Help: "Open documents.", Value: func() int { return len(sess.Documents()) }},
		{Name: "fcp_workers", Help: "Workers of plugins that made a call.", Value: s.memory.Workers.Count},
	}, log, io)
	if !ok {
		return exitFailed
	}
	defer flush()
	if err := server.ServeStdio(ctx, io.in, io.out); err != nil {
		io.complain("%v", err)
		return exitFailed
	}
	return exitOK
}

// startTelemetry starts telemetry if the program has it and the settings ask for it. end sends the remaining
// data.
func (s *settings) startTelemetry(gauges []gate.Gauge, log *slog.Logger, io stdio) (end func(), ok bool) {
	if self.StartTelemetry == nil {
		return func() {}, true
	}
	end, err := self.StartTelemetry(TelemetryOptions{Version: hostVersion(), Asked: s.otel, Gauges: gauges, Log: log})
	if err != nil {
		io.complain("--otel: %v", err)
		return nil, false
	}
	if end == nil {
		end = func() {}
	}
	return end, true
}
