package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// A host with built-in domains, of which few are served.
func TestADomainThatIsNotServedIsNamedWithWhatWouldServeIt(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"x.mid", "x.odd"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const midi = "midi opens .mid, .midi, .rmi, .kar files and is not served here: "
	for _, tt := range []struct {
		args []string
		tool string
		says []string
	}{
		{[]string{"--plugin", "svg"}, "svg_session", []string{midi + "start fcp-host with --plugin midi, too, or without --plugin"}},
		{[]string{"--plugin", "svg", "--unified"}, "fcp_session", []string{midi + "start fcp-host with --plugin midi, too, or without --plugin"}},
	} {
		cmd := exec.Command(testwasm.Host(t), append([]string{"--config", "off", "--no-journal", "--cache", testwasm.CacheDir(t)}, tt.args...)...)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		s := speaker{start(t, cmd)}
		s.initialize(map[string]any{})
		s.say(`{"jsonrpc":"2.0","id":"gone","method":"tools/call","params":{"name":"midi_query","arguments":{"q":"map"}}}`)
		if m := s.hears(); m.Error.Code != -32602 || !strings.Contains(m.Error.Message, `there is no tool "midi_query": `+tt.says[0]) {
			t.Errorf("%v: a tool of midi: %+v", tt.args, m)
		}
		s.say(`{"jsonrpc":"2.0","id":"none","method":"tools/call","params":{"name":"nonsense","arguments":{}}}`)
		if m := s.hears(); m.Error.Code != -32602 || m.Error.Message != "tool 'nonsense' not found" {
			t.Errorf("%v: a tool of nothing: %+v", tt.args, m)
		}
		for path, named := range map[string]bool{"x.mid": true, "x.odd": false} {
			got, failed := s.call(tt.tool, map[string]any{"action": "open ./" + path})
			if !failed || strings.Contains(got, "\n? "+tt.says[0]) != named {
				t.Errorf("%v: open %s: %s", tt.args, path, got)
			}
		}
		s.end()
	}
}
