package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/asm"
)

// nested returns a function body of nested blocks, just within the limit of the scan. Compiling takes time quadratic in the
// depth.
func nested(depth int) asm.Func {
	return asm.Func{Code: asm.Join(bytes.Repeat([]byte{0x02, 0x40}, depth), bytes.Repeat([]byte{0x0b}, depth))}
}

// limited returns arguments that load the plugin with limits of its own, so that a busy machine cannot fail the honest
// plugin.
func limited(t *testing.T, e evil, limits ...string) []string {
	t.Helper()
	path := e.file(t)
	config := filepath.Join(t.TempDir(), "fcp-host.toml")
	text := fmt.Sprintf("[[plugin]]\nfile = %q\n[plugin.limits]\n%s\n", path, strings.Join(limits, "\n"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--config", config, "--plugin", path}
}

// A plugin that takes long or much memory before it has returned its manifest does not delay the honest domain, and is not
// served.
func TestABombAtTheStartDelaysNobody(t *testing.T) {
	t.Parallel()
	grow := asm.Join(asm.I32(1), []byte{0x40, 0})
	taking := trapping([]byte{0x03, 0x40}, grow, asm.I32(-1), []byte{0x47, 0x0d, 0, 0x0b}) // until no more memory is granted
	filling := looping(asm.I32(0), asm.I32(1), asm.I32(16<<20), []byte{0xfc, 11, 0})
	initialize := func(code []byte) []asm.Func { return []asm.Func{{Export: "_initialize", Code: code}} }
	const late = "took more than 300ms of processor time and was stopped"
	for i, tt := range []struct {
		name   string
		plugin evil
		want   string
	}{
		{"a start section that loops", evil{start: asm.Forever()}, late},
		{"a start section that takes memory", evil{start: taking}, "out of memory in "},
		{"a start section that fills memory over and over", evil{pages: 300, start: asm.Join(filling, asm.Drop())}, late},
		{"an _initialize that loops", evil{funcs: initialize(asm.Forever())}, late},
		{"an _initialize that takes memory", evil{funcs: initialize(taking)}, "out of memory in "},
		{"a manifest that loops", code(abi.ExportManifest, looping()), late},
		{"a manifest of 64 MiB", evil{pages: 1025, code: map[string][]byte{abi.ExportManifest: asm.Join(asm.I32(0), asm.I32(64<<20), asm.Call(outputWrite), asm.I32(0))}}, "of memory; the limit is 64"},
		{"a manifest of a block of 64 MiB", code(abi.ExportManifest, asm.Join(asm.I64(64<<20), asm.Call(alloc), asm.I64(64<<20), asm.Call(outputSet), asm.I32(0))), "manifest"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			skipMostCases(t, i)
			limit := "1m" // longer than any machine needs to fill the memory
			if tt.want == late {
				limit = "300ms"
			}
			a := startArena(t, limited(t, tt.plugin, fmt.Sprintf("call = %q", limit), fmt.Sprintf("start = %q", limit))...)
			a.editHonest()
			a.waitForPlugins()
			if got := a.tools(); strings.Join(got, " ") != "list list_help list_query list_session" {
				t.Errorf("the tools are %v", got)
			}
			a.editHonest()
			a.checkUnharmed()
			said := a.stop()
			checkPrintable(t, said)
			if !strings.Contains(said, tt.want) || len(said) > 4096 {
				t.Errorf("stderr is %.1000q, want %q", said, tt.want)
			}
		})
	}
}

// A module that passes the scan but compiles too slowly is interpreted, and status says so; others are served meanwhile.
func TestACompileBombIsStoppedAndInterpreted(t *testing.T) {
	t.Parallel()
	// The module is different in each run, so that none is known to be broken.
	anew := func(m *abi.Manifest) { m.Conventions = []string{fmt.Sprint(time.Now().UnixNano())} }
	a := startArena(t, limited(t, evil{manifest: anew, funcs: repeated(600, nested(3900))}, "compile = \"1s\"")...)
	a.waitForPlugins()
	a.editHonest()
	a.session("evil", `new "E" as:e`)
	for text := ""; !strings.Contains(text, "evil is interpreted"); { // until compiling in the background was stopped
		text = a.session("evil", "status")
		if strings.Contains(text, "evil is interpreted") && !strings.Contains(text, "the module does not compile in time: its start took more than 1s of processor time and was stopped") {
			t.Fatal(text)
		}
	}
	a.session("evil", `new "F" as:f`)
	a.editHonest()
	a.checkUnharmed()
	checkPrintable(t, a.stop())
}

// A plugin logs without end, with lines that imitate the host's or never end: each line is marked as the guest's and has a
// bounded length, excess lines are dropped and counted, and other calls are answered.
func TestALogFloodIsMarkedAndBounded(t *testing.T) {
	t.Parallel()
	const host = "time=2026-01-01T00:00:00Z level=ERROR msg=\"a plugin is disabled\" plugin=list\nfcp-host: plugin list: removed\n"
	for i, tt := range []struct {
		name string
		code []byte
		ends bool
	}{
		{"without end", looping(asm.I64(1000), asm.Call(alloc), asm.Call(logError)), false},
		{"to stderr without end", asm.Join(write(2, host, -1), asm.I32(7)), false},
		{"a line of 60 MiB", asm.Join(asm.I64(60<<20), asm.Call(alloc), asm.Call(logError), asm.I32(7)), true},
		{"lines of the host's", asm.Join(says(logError, host, len(host)), asm.I32(7)), true},
		{"lines of the host's to stderr", asm.Join(write(2, host, 1), asm.I32(7)), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			skipMostCases(t, i)
			limit, want := "10s", "code 7"
			if !tt.ends {
				limit, want = "300ms", "took more than 300ms of processor time"
			}
			a := startArena(t, "--timeout", limit, "--plugin", code(abi.ExportApply, tt.code).file(t))
			a.session("evil", `new "E"`)
			if got, _ := a.attack("evil", map[string]any{"ops": []string{"do it"}}); !got.failed || !strings.Contains(got.text, want) {
				t.Errorf("%q", got.text)
			}
			a.checkUnharmed()
			said := a.stop()
			checkPrintable(t, said)
			if len(said) > 4<<20 { // as many lines a second as are kept; of a minute if the machine is slow
				t.Errorf("%d bytes on stderr", len(said))
			}
			for l := range strings.Lines(said) {
				if len(l) > 8<<10 || !strings.HasPrefix(l, "time=") || strings.Contains(l, "plugin=list\n") || strings.HasPrefix(l, "time=2026-01-01T00:00:00Z") ||
					!strings.Contains(l, " plugin=evil") {
					t.Fatalf("stderr has a line of %d bytes: %.300q", len(l), l)
				}
			}
		})
	}
}
