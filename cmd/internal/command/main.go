package command

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // a call, a plugin or the server failed
	exitUsage  = 2
)

type stdio struct {
	in       io.Reader
	out, err io.Writer
}

// complain writes a line for the person who started the program.
func (o stdio) complain(format string, args ...any) {
	fmt.Fprintf(o.err, self.Name+": "+format+"\n", args...)
}

// shared is a writer for several goroutines.
type shared struct {
	mu sync.Mutex
	w  io.Writer
}

// Write writes to the writer that is shared.
func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}

// command is one word of the command line.
type command struct {
	name, args, summary string
	run                 func(ctx context.Context, args []string, io stdio) int
}

func commands() []command {
	return []command{
		{"serve", "[flags]", "serve the domains to an MCP client over stdio (the default)", serve},
		{"exec", "[flags] [SCRIPT]", "run a script of ops, queries and session actions, from a file or stdin", runScript},
		{"view", "[flags] FILE…", "show files in a browser on this machine, until Ctrl-C", viewFiles},
		{"doctor", "[flags]", "show what protects from plugins, and try it", doctor},
		{"inspect", "PLUGIN…", "show what a module is and imports, exports and says of itself", inspect},
		{"setup", "[CLIENT]", "let an MCP client start this server: claude-code, claude-desktop, cursor, vscode, codex, …", setup},
		{"plugin", "add | list | info | …", "add plugins of others, update and remove them: files, https, registries", plugins},
		{"grants", "[list | add | revoke] …", "show and change what plugins may reach outside of their sandbox", grants},
		{"parse", "'OP'", "print how an op is read, as JSON", parse},
		{"new", "NAME [--lang L]", "write a domain to start from, in Go or another language", newDomain},
		{"dev", "[DIR] [--serve]", "build a domain at each save, look at its module, and serve it", dev},
		{"conform", "[PLUGIN…]", "hold this host, a plugin or any FCP server against the conformance checks", conform},
		{"version", "[--json]", "print the version, the commit and the domains that are built in", printVersion},
		{"completion", "SHELL", "print the completion for bash, zsh or fish", completion},
		{"man", "", "print the manual page", manual},
	}
}

func run(ctx context.Context, args []string, io stdio) int {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		if len(args) > 0 && (args[0] == "-h" || args[0] == "-help" || args[0] == "--help") {
			usage(io.out, knownCommands())
			return exitOK
		}
		if len(args) > 0 && (args[0] == "-version" || args[0] == "--version") {
			return printVersion(ctx, nil, io)
		}
		return serve(ctx, args, io)
	}
	if args[0] == "help" {
		usage(io.out, knownCommands())
		return exitOK
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(ctx, args[1:], io)
		}
	}
	return runDomain(ctx, args, io)
}
