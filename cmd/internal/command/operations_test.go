package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/docs"
	"github.com/fcp-host/fcp-host/host/files"
)

// docs/operations.md names every limit with its default, and its example of a configuration file is valid.
func TestTheOperationsPageIsRight(t *testing.T) {
	l := defaultLimits()
	ofPlugins, rest := "", false // the last limit that can be set for one plugin
	for _, x := range limitTable() {
		if rest = rest || !x.plugin; !rest {
			ofPlugins = x.name
		} else if x.plugin {
			t.Errorf("%s can be set for one plugin, and must come before those that cannot", x.name)
		}
		var n int64
		switch at := x.at(&l).(type) {
		case *uint64:
			n = int64(*at)
		case *int64:
			n = *at
		case *int:
			n = int64(*at)
		case *time.Duration:
			n = int64(*at)
		}
		if row := fmt.Sprintf("\n| %s | %s | %s |\n", x.name, showLimit(n, x.unit), x.summary); !strings.Contains(docs.Operations, row) {
			t.Errorf("operations.md does not contain %q", row)
		}
		if n < x.min || n > x.max {
			t.Errorf("the default of %s is out of its range", x.name)
		}
		if err := l.set(x.name, showLimit(n, x.unit), false); err != nil {
			t.Errorf("%s: its default cannot be set: %v", x.name, err)
		}
	}
	if says := "The limits from `memory` to `" + ofPlugins + "` can be set for one plugin."; !strings.Contains(strings.Join(strings.Fields(docs.Operations), " "), says) {
		t.Errorf("operations.md does not contain %q", says)
	}
	file := filepath.Join(t.TempDir(), configName)
	if err := os.WriteFile(file, []byte(docs.Files(docs.Operations)[configName]), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &settings{limits: defaultLimits()}
	if err := s.configure(file); err != nil {
		t.Fatal(err)
	}
	if s.open[".svg"] != "drawio" {
		t.Errorf("files that several open: %v", s.open)
	}
	if err := os.WriteFile(file+".wrong", []byte("[open]\nsvg = \"drawio\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := new(settings).configure(file + ".wrong"); err == nil || !strings.HasSuffix(err.Error(), `open: "svg" = "drawio": write it as ".svg" = "drawio"`) {
		t.Errorf("an extension without its dot: %v", err)
	}
	if len(s.files) != 2 || len(s.roots) != 2 || s.limits.session.History != 64<<20 || s.limits.sandbox.Call != 20*time.Second {
		t.Errorf("read as %+v", s)
	}
	s.plugins[0].Roots = nil // these folders do not exist here
	roots, err := files.NewRoots(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	grants, err := s.pluginGrants(roots)
	if err != nil {
		t.Fatal(err)
	}
	if g := grants[s.files[0]]; g.Limits.Memory != 512<<20 || g.Limits.Call != 20*time.Second {
		t.Errorf("the plugin is granted %+v", g)
	}
	var help strings.Builder
	usage(&help, builtinCommands())
	for _, flag := range []string{"--config", "--limit", "--journal-dir", "--no-journal", "--plugin", "--plugins", "--no-builtin", "--root", "--unified", "--structured", "--cache", "--log-level", "--pprof", "--timeout", "--memory",
		"--http", "--http-token-file", "--http-open", "--http-user", "--http-cert", "--http-host", "--http-idle", "--http-drain", "--audit-log", "--oauth-issuer", "--oauth-resource", "--oauth-plain-jwt"} {
		if !strings.Contains(docs.Operations, "`"+flag) && !strings.Contains(docs.Operations, "# "+flag) {
			t.Errorf("operations.md does not hold %s", flag)
		}
		if !strings.Contains(help.String(), "  "+flag+" ") {
			t.Errorf("the help does not hold %s", flag)
		}
	}
}
