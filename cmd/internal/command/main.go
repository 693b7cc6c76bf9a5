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

// command is one word of the command line. It is run by its form, or by run, which parses its words itself. Without a form its help is
// the program's, and its flags are among the sections of settings.
type command struct {
	name, args, summary string
	form                func() form
	run                 func(ctx context.Context, args []string, io stdio) int
}

func commands() []command {
	return []command{
		{"serve", "[flags]", "serve the domains to an MCP client over stdio (the default)", nil, serve},
		{"exec", "[flags] [SCRIPT]", "run a script of ops, queries and session actions, from a file or stdin", nil, runScript},
		{"view", "[flags] FILE…", "show files in a browser on this machine, until Ctrl-C", nil, viewFiles},
		{"doctor", "[flags]", "show and test how plugins are isolated on this machine", nil, doctor},
		{"inspect", "PLUGIN…", "show a module's identity, imports, exports and manifest", inspectForm, nil},
		{"setup", "[CLIENT]", "add this server to an MCP client: claude-code, claude-desktop, cursor, vscode, codex, …", setupForm, nil},
		{"skill", "[DOMAIN…] [--install CLIENT]", "write skills for agents that have a shell: claude-code, codex, gemini, opencode, …", skillForm, nil},
		{"plugin", "add | list | info | …", "add, update and remove plugins from files, https and registries", pluginForm, plugins},
		{"grants", "[list | add | revoke] …", "list and change the grants of plugins", grantsForm, nil},
		{"parse", "'OP'", "print how an op is parsed, as JSON", parseForm, nil},
		{"new", "NAME [--lang L]", "write a domain to start from, in Go or another language", newForm, nil},
		{"dev", "[DIR] [--serve]", "rebuild a domain at each save, check its module, and serve it", devForm, nil},
		{"conform", "[PLUGIN…]", "run the conformance checks on this host, a plugin or any FCP server", conformForm, nil},
		{"eval", "CARD… --model M", "measure what tasks cost a language model, with the tools or with plain files", evalForm, nil},
		{"version", "[--json]", "print the version, the commit and the built-in domains", versionForm, nil},
		{"completion", "SHELL", "print the completion script for bash, zsh or fish", completionForm, nil},
		{"man", "", "print the manual page", manualForm, nil},
	}
}

// start runs the command.
func (c command) start(ctx context.Context, args []string, io stdio) int {
	if c.run != nil {
		return c.run(ctx, args, io)
	}
	return c.form().start(ctx, args, io)
}

// flags lists the flags of the command.
func (c command) flags() []option {
	if c.form != nil {
		return c.form().flags
	}
	return newSettings().flagsOf(c.name, &flagLists{})
}

func run(ctx context.Context, args []string, io stdio) int {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		if len(args) > 0 && (args[0] == "-h" || args[0] == "-help" || args[0] == "--help") {
			usage(io.out, knownCommands())
			return exitOK
		}
		if len(args) > 0 && (args[0] == "-version" || args[0] == "--version") {
			return versionForm().start(ctx, nil, io)
		}
		return serve(ctx, args, io)
	}
	if args[0] == "help" {
		usage(io.out, knownCommands())
		return exitOK
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.start(ctx, args[1:], io)
		}
	}
	return runDomain(ctx, args, io)
}
