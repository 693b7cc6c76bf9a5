package command

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// desk is one of the host's interfaces, as its user sees it.
type desk interface {
	// send returns the reply as text, and whether it is an error.
	send(kind, text string) (string, bool)
	// read splits a printed suggestion in the answer to something of kind into its own kind and the text to send.
	read(kind, line string) (string, string)
}

// helpKind is the kind of suggestions that only the host makes.
const helpKind = reply.TryHelp

// toolDesk is the desk of an MCP client: four tools with this prefix.
type toolDesk struct {
	c                         *client
	edit, query, action, help string
}

func newToolDesk(c *client, domain string) *toolDesk {
	if domain == "" {
		return &toolDesk{c, "fcp_edit", "fcp_query", "fcp_session", "fcp_help"}
	}
	return &toolDesk{c, domain, domain + "_query", domain + "_session", domain + "_help"}
}

func (d *toolDesk) send(kind, text string) (string, bool) {
	switch kind {
	case abi.TryOp:
		return d.c.call(d.edit, map[string]any{"ops": []string{text}})
	case abi.TryQuery:
		return d.c.call(d.query, map[string]any{"q": text})
	case helpKind:
		if text == "" {
			return d.c.call(d.help, map[string]any{})
		}
		return d.c.call(d.help, map[string]any{"topic": text})
	}
	return d.c.call(d.action, map[string]any{"action": text})
}

func (d *toolDesk) read(kind, line string) (string, string) {
	for _, tool := range [][2]string{{d.query, abi.TryQuery}, {d.action, abi.TryAction}, {d.help, helpKind}, {d.edit, abi.TryOp}} {
		if rest, ok := strings.CutPrefix(line+" ", tool[0]+" "); ok {
			return tool[1], strings.TrimSpace(rest)
		}
	}
	return kind, line
}

// scriptDesk is the desk of a script.
type scriptDesk struct {
	x   *script
	out *bytes.Buffer
}

func newScriptDesk(t *testing.T, dir, wasm string) *scriptDesk {
	set, err := plugin.Load(t.Context(), plugin.Options{Files: []string{wasm}, CacheDir: testwasm.CacheDir(t), Limits: sandbox.DefaultLimits()})
	if err != nil || len(set.Problems()) > 0 {
		t.Fatal(err, set.Problems())
	}
	t.Cleanup(set.Close)
	roots, err := files.NewRoots(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(set, roots)
	t.Cleanup(s.Close)
	out := new(bytes.Buffer)
	return &scriptDesk{&script{ctx: t.Context(), s: s, out: stdio{out: out, err: out}, keepGoing: true, log: slog.New(slog.DiscardHandler)}, out}
}

func (d *scriptDesk) send(kind, text string) (string, bool) {
	d.x.failed = false
	d.out.Reset()
	d.x.line(map[string]string{abi.TryOp: "", abi.TryQuery: "?", helpKind: "?", abi.TryAction: ":"}[kind] + text)
	d.x.flush()
	return strings.TrimSuffix(d.out.String(), "\n"), d.x.failed
}

func (d *scriptDesk) read(kind, line string) (string, string) {
	if rest, ok := strings.CutPrefix(line, ":"); ok {
		return abi.TryAction, rest
	}
	if rest, ok := strings.CutPrefix(line, "?"); ok {
		if rest == "help" || strings.HasPrefix(rest, "help ") {
			return helpKind, rest
		}
		return abi.TryQuery, rest
	}
	return abi.TryOp, line
}

// suggestions returns the texts after try: in a reply.
func suggestions(text string) []string {
	var out []string
	open := false
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		if rest, ok := strings.CutPrefix(l, "  try: "); ok {
			out, open = append(out, rest), true
		} else if rest, ok := strings.CutPrefix(l, "       "); ok && open {
			out[len(out)-1] += "\n" + rest
		} else {
			open = false
		}
	}
	return out
}
