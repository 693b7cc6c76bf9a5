package command

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/printable"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // a call, a plugin or the server failed
	exitUsage  = 2
	exitHost   = 3 // exec: no call failed, but the script could not be run to its end
)

type stdio struct {
	in       io.Reader
	out, err io.Writer
}

// complain prints a line on stderr.
func (o stdio) complain(format string, args ...any) {
	fmt.Fprintf(o.err, "%s: %s\n", self.Name, printable.Text(fmt.Sprintf(format, args...)))
}

// shown makes what is printed on both outputs safe to show: it may name files and hold words of modules.
func (o stdio) shown() stdio {
	o.out, o.err = shownWriter{o.out}, shownWriter{o.err}
	return o
}

// shownWriter makes text safe to show. Each write is a text of its own.
type shownWriter struct{ io.Writer }

func (w shownWriter) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, printable.Text(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// lockedWriter is a writer that several goroutines may use.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements io.Writer.
func (s *lockedWriter) Write(p []byte) (int, error) {
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
		{"doctor", "[flags]", "show and test how plugins are isolated on this machine", doctor},
		{"inspect", "PLUGIN…", "show a module's identity, imports, exports and manifest", inspect},
		{"setup", "[CLIENT]", "add this server to an MCP client: claude-code, claude-desktop, cursor, vscode, codex, …", setup},
		{"skill", "[DOMAIN…] [--install CLIENT]", "write skills for agents that have a shell: claude-code, codex, gemini, opencode, …", writeSkills},
		{"plugin", "add | list | info | …", "add, update and remove plugins from files, https and registries", plugins},
		{"grants", "[list | add | revoke] …", "list and change the grants of plugins", grants},
		{"parse", "'OP'", "print how an op is parsed, as JSON", parse},
		{"new", "NAME [--lang L]", "write a domain to start from, in Go or another language", newDomain},
		{"dev", "[DIR] [--serve]", "rebuild a domain at each save, check its module, and serve it", dev},
		{"conform", "[PLUGIN…]", "run the conformance checks on this host, a plugin or any FCP server", conform},
		{"eval", "CARD… --model M", "measure what tasks cost a language model, with the tools or with plain files", eval},
		{"version", "[--json]", "print the version, the commit and the built-in domains", printVersion},
		{"completion", "SHELL", "print the completion script for bash, zsh or fish", completion},
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
