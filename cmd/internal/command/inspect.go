package command

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/broker"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/host/session"
)

// pluginWord explains the word PLUGIN.
const pluginWord = "a .wasm file, or the name of a plugin that is built in, was added or is in a plugin folder"

// inspectForm describes modules. It runs only their fcp_manifest, in the sandbox, and with --no-run not
// even that.
func inspectForm() form {
	var noRun, card bool
	return form{
		usage: "usage: fcp-host inspect [--no-run | --card] PLUGIN…\n",
		flags: []option{
			{"PLUGIN", "", nil, pluginWord},
			{"no-run", "", &noRun, "only read the file; do not run the module for its manifest"},
			{"card", "", &card, "also print the whole reference card"},
		},
		complete: func([]string) []candidate { return pluginNames() },
		run: func(ctx context.Context, in input, io stdio) int {
			if len(in.words) == 0 {
				return wrongUsage
			}
			io, code := io.shown(), exitOK
			for _, name := range in.words {
				if err := inspectOne(ctx, name, !noRun, card, io); err != nil {
					io.complain("%s: %v", name, err)
					code = exitFailed
				}
			}
			return code
		},
	}
}

func inspectOne(ctx context.Context, name string, run, card bool, io stdio) error {
	path, wasm, err := read(name)
	if err != nil {
		return err
	}
	info, err := sandbox.Scan(wasm)
	if err != nil {
		return err
	}
	fmt.Fprintf(io.out, "file:    %s\nsize:    %d bytes\nsha256:  %x\n", path, len(wasm), sha256.Sum256(wasm))
	fmt.Fprintf(io.out, "imports: %d\n", len(info.Imports))
	for _, i := range info.Imports {
		fmt.Fprintf(io.out, "  %s.%s %s\n", i.Module, i.Name, i.Signature)
	}
	fmt.Fprintf(io.out, "exports: %d\n", len(info.Exports))
	for _, e := range info.Exports {
		fmt.Fprintf(io.out, "  %s %s %s\n", e.Kind, e.Name, e.Signature)
	}
	var missing []string
	for _, name := range abi.Required() {
		if _, ok := info.Func(name); !ok {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("not an fcp plugin: it does not export %s", strings.Join(missing, ", "))
	}
	if !run {
		return nil
	}
	m, err := new(settings).describe(ctx, path, wasm)
	if err != nil {
		return err
	}
	fmt.Fprintf(io.out, "manifest:\n  domain:  %s %s (ABI %d)\n  title:   %s\n  summary: %s\n  files:   %s\n", m.Domain, m.Version, m.ABI, m.Title, m.Summary, domain.Opens(m))
	fmt.Fprintf(io.out, "  verbs:   %s\n  queries: %s\n", words(m.Verbs, func(v abi.Verb) string { return v.Name }), words(m.Queries, func(q abi.Query) string { return q.Name }))
	fmt.Fprintf(io.out, "  selectors: %s\n  session: %s\n  exports: %s\n", words(m.Selectors, func(s abi.Selector) string { return "@" + s.Type }), words(m.Session, func(s abi.Session) string { return s.Name }), words(m.Exports, func(f abi.Format) string { return f.Name }))
	if len(m.Wants) > 0 {
		wants(m, path, io)
	}
	typedTools(m, io)
	if card {
		fmt.Fprint(io.out, "\n"+session.Card(m, m.Domain))
	}
	return nil
}

// wants prints the wants of a domain.
func wants(m *abi.Manifest, path string, io stdio) {
	b := new(settings).newBroker()
	grantee := path // the argument for grants add
	switch {
	case plugin.IsBuiltin(path), plugin.IsAdded(path):
		_, grantee, _ = strings.Cut(path, ":")
	case !strings.ContainsRune(path, filepath.Separator):
		grantee = "." + string(filepath.Separator) + path
	}
	if strings.ContainsAny(grantee, " \t\"'$&;()*?`") {
		grantee = "'" + strings.ReplaceAll(grantee, "'", `'\''`) + "'"
	}
	fmt.Fprintf(io.out, "wants:     declared by the plugin; none is granted by this\n")
	http := false
	for i := range m.Wants {
		w := &m.Wants[i]
		fmt.Fprintf(io.out, "  %s\n    it says: %q\n", b.Words(m, w, nil), w.Reason)
		if isDefault(m, w.Key()) && plugin.IsBuiltin(path) {
			fmt.Fprintf(io.out, "    granted by default; to revoke it: fcp-host grants revoke %s %s\n", grantee, w.Key())
		} else if _, _, err := broker.ParseGrant(m.Domain + "=" + w.Key()); err == nil { // otherwise it cannot be granted
			fmt.Fprintf(io.out, "    grant it with --grant %s=%s, or: fcp-host grants add %s %s\n", m.Domain, broker.Naming(m.Domain, w), grantee, broker.Naming(m.Domain, w))
		}
		http = http || w.Kind == abi.WantHTTP
	}
	if http {
		fmt.Fprintf(io.out, "  %s\n", broker.CarriesAway)
	}
}

// typedTools prints the typed tools and the commands of a domain.
func typedTools(m *abi.Manifest, io stdio) {
	if len(m.Tools) > 0 {
		fmt.Fprintf(io.out, "typed tools, offered with --tools %s:\n", m.Domain)
	}
	for i := range m.Tools {
		t := &m.Tools[i]
		does := "changes what it works on"
		if t.ReadOnly {
			does = "says it only reads"
		}
		if t.On != "" {
			does += ", on the current " + t.On
		}
		if len(t.Wants) > 0 {
			does += ", needs " + strings.Join(t.Wants, " ")
		}
		if err := domain.CheckTool(t); err != nil {
			does += "; not offered: " + err.Error()
		}
		fmt.Fprintf(io.out, "  %s: %s\n", t.Name, does)
	}
	if len(m.Commands) > 0 {
		fmt.Fprintln(io.out, "commands of fcp-host, if it is built in, added, or named in the configuration:")
	}
	for _, c := range m.Commands {
		fmt.Fprintf(io.out, "  %s: %s\n", c.Syntax, c.Summary)
	}
}

func words[T any](items []T, name func(T) string) string {
	if len(items) == 0 {
		return "none"
	}
	out := make([]string, len(items))
	for i, it := range items {
		out[i] = name(it)
	}
	return strings.Join(out, " ")
}
