package main

import (
	"context"
	"fmt"

	"github.com/fcp-host/fcp-host/host/mcpserver"
	"github.com/fcp-host/fcp-host/host/session"
)

func serve(ctx context.Context, args []string, io stdio) int {
	s, rest, code := flags("serve", args, io)
	if s == nil {
		return code
	}
	if len(rest) > 0 {
		fmt.Fprintf(io.err, "fcp-host: serve takes no %q; name plugins with --plugin\n", rest[0])
		return exitUsage
	}
	log := s.log(io)
	set, roots := s.load(ctx, io, log)
	if set == nil {
		return exitFailed
	}
	defer set.Close()
	sess := session.New(set.Domains(), roots)
	defer sess.Close()
	if !s.bound(sess, set, roots, io) {
		return exitFailed
	}
	if !s.keep(sess, io, log) {
		return exitFailed
	}
	server := mcpserver.New(mcpserver.Config{Version: hostVersion(), Session: sess, Unified: s.unified, Log: log})
	if err := server.ServeStdio(ctx, io.in, io.out); err != nil {
		fmt.Fprintf(io.err, "fcp-host: %v\n", err)
		return exitFailed
	}
	return exitOK
}
