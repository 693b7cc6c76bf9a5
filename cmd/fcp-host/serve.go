package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/mcpserver"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/session"
)

func serve(ctx context.Context, args []string, io stdio) int {
	// A client that is gone is no reason to drop what it had asked for, and a
	// log that nobody reads none to end: unheard, the signal of a broken pipe
	// would kill. Ignored, it would be so in the workers, too.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	s, rest, code := flags("serve", args, io)
	if s == nil {
		return code
	}
	if len(rest) > 0 {
		fmt.Fprintf(io.err, "fcp-host: serve takes no %q; name plugins with --plugin\n", rest[0])
		return exitUsage
	}
	if no := s.reachable(); no != "" {
		fmt.Fprintf(io.err, "fcp-host: %s\n", no)
		return exitUsage
	}
	log := s.log(io)
	stop, ok := s.profile(io)
	if !ok {
		return exitUsage
	}
	defer stop()
	set, roots := s.load(ctx, io, log)
	if set == nil {
		if ctx.Err() != nil {
			return exitOK // told to end before it had begun
		}
		return exitFailed
	}
	defer set.Close()
	if s.http != "" {
		return s.serveHTTP(ctx, set, roots, log, io)
	}
	sess := session.New(set.Domains(), roots)
	defer sess.Close()
	if !s.bound(sess, set, roots, io) {
		return exitFailed
	}
	k, ok := s.keeper(io, log)
	if !ok {
		return exitFailed
	}
	k.keep(sess)
	server := mcpserver.New(mcpserver.Config{Version: hostVersion(), Session: sess, Unified: s.unified, Structured: s.structured, Local: true, Log: log})
	if err := server.ServeStdio(ctx, io.in, io.out); err != nil {
		fmt.Fprintf(io.err, "fcp-host: %v\n", err)
		return exitFailed
	}
	return exitOK
}

// reachable says why the address of --http is not served, "" for one that is.
func (s *settings) reachable() string {
	if s.http == "" {
		return ""
	}
	host, _, err := net.SplitHostPort(s.http)
	if err != nil {
		return fmt.Sprintf("--http %s: write it as 127.0.0.1:8080", s.http)
	}
	if !mcpserver.Loopback(host) && len(s.hosts) == 0 {
		return fmt.Sprintf("--http %s would let other machines in: use 127.0.0.1, or name the server to them with --http-host", s.http)
	}
	return ""
}

// serveHTTP keeps a journal only for clients on this machine, who are one user:
// what a client left unsaved is offered to the next one.
func (s *settings) serveHTTP(ctx context.Context, set *plugin.Set, roots *files.Roots, log *slog.Logger, io stdio) int {
	var k keeper
	if len(s.hosts) == 0 {
		var ok bool
		if k, ok = s.keeper(io, log); !ok {
			return exitFailed
		}
	} else if !s.noJournal {
		log.Warn("with --http-host no journal is kept, since clients would be offered each other's documents: what is not saved ends with its session")
	}
	l, err := net.Listen("tcp", s.http)
	if err != nil {
		fmt.Fprintf(io.err, "fcp-host: %v\n", err)
		return exitFailed
	}
	shared := session.NewShared(set.Domains(), roots)
	if !s.bound(shared, set, roots, io) {
		l.Close()
		return exitFailed
	}
	k.keep(shared)
	h := mcpserver.NewHTTP(mcpserver.HTTPConfig{Version: hostVersion(), Unified: s.unified, Structured: s.structured, Log: log,
		NewSession: func() *session.Session {
			own := session.New(set.Domains(), roots)
			s.bound(own, set, roots, io) // it went well for shared
			k.keep(own)
			return own
		},
		Shared: shared, Hosts: s.hosts, Idle: s.idle})
	defer h.Close()
	fmt.Fprintf(io.err, "fcp-host: serving http://%s%s\n", l.Addr(), mcpserver.HTTPPath)
	if err := h.Serve(ctx, l); err != nil {
		fmt.Fprintf(io.err, "fcp-host: %v\n", err)
		return exitFailed
	}
	return exitOK
}
