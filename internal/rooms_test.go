package internal

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// module is the prefix of our own packages.
const module = "github.com/fcp-host/fcp-host/"

// allowed lists for each room which of our rooms it may import. A room is a path prefix; the
// longest match counts. Test files may import anything.
var allowed = map[string][]string{
	"abi":             {},
	"printable":       {},
	"grammar":         {"printable", "abi"},
	"host/eventlog":   {},
	"host/budget":     {},
	"host/filelock":   {},
	"host/files":      {"printable", "host/filelock"},
	"host/journal":    {"host/filelock", "host/files"},
	"host/reply":      {"printable", "abi"},
	"host/timing":     {},
	"host/gate":       {"host/files"},
	"host/confine":    {},
	"host/clients":    {},
	"host/signature":  {},
	"host/added":      {"printable", "host/filelock"},
	"host/oauth":      {"host/gate"},
	"host/source":     {"printable", "host/gate", "host/plugin", "host/signature"},
	"host/sandbox":    {"printable", "host/confine", "host/timing"},
	"host/schema":     {"printable"},
	"host/picture":    {"printable"},
	"host/domain":     {"printable", "abi", "grammar", "host/files", "host/reply", "host/sandbox", "host/schema", "host/timing"},
	"host/plugin":     {"printable", "abi", "host/domain", "host/files", "host/reply", "host/sandbox"},
	"host/resource":   {"abi", "grammar", "host/domain", "host/files"},
	"host/document":   {"abi", "grammar", "host/budget", "host/capability/folder", "host/capability/program", "host/domain", "host/eventlog", "host/filelock", "host/files", "host/journal", "host/picture", "host/reply", "host/resource", "host/sandbox", "host/timing"},
	"host/session":    {"printable", "abi", "grammar", "host/budget", "host/capability/folder", "host/capability/program", "host/document", "host/domain", "host/files", "host/journal", "host/reply", "host/resource", "host/sandbox", "host/timing"},
	"host/view":       {"printable", "abi", "grammar", "host/document", "host/picture", "host/reply", "host/session"},
	"host/mcpserver":  {"printable", "abi", "grammar", "host/domain", "host/files", "host/gate", "host/reply", "host/session", "host/timing", "host/view"},
	"conformance":     {"printable", "abi", "grammar", "host", "pdk"}, // it tests each of them with the fixtures
	"cmd":             {"printable", "abi", "grammar", "host", "conformance", "sdk", "evals"},
	"pdk":             {"printable", "abi", "grammar"},
	"pdk/csscolor":    {},
	"pdk/geom":        {},
	"pdk/layout":      {"pdk/geom"},
	"pdk/splice":      {},
	"pdk/xmltree":     {"pdk/splice"},
	"pdk/jsontree":    {"pdk/splice"},
	"pdk/vector":      {},
	"pdk/svgdom":      {"pdk/csscolor", "pdk/vector", "pdk/xmltree"},
	"pdk/picture":     {"pdk/csscolor", "pdk/svgdom", "pdk/vector", "pdk/xmltree"},
	"pdk/pdktest":     {"abi", "grammar", "pdk"},
	"pdk/timecode":    {"pdk"},
	"pdk/value":       {"abi", "pdk"},
	"plugins/cuedeck": {"abi", "pdk", "plugins/cuedeck"},
	"plugins/svg":     {"abi", "pdk", "plugins/svg"},
	"plugins/drawio":  {"abi", "pdk", "plugins/drawio"},
	"plugins/flowise": {"abi", "pdk", "plugins/flowise"},
	"plugins/midi":    {"abi", "pdk", "plugins/midi"},
	"plugins/video":   {"abi", "pdk", "plugins/video"},
	"examples":        {"abi", "pdk"},
	"demo":            {},
	"evals":           {}, // its judges share no code with domains
	"docs":            {},
	"sdk":             {"docs"},
	"internal":        {"abi", "docs", "internal"}, // for tests and tools; never imported by programs
	"internal/pack":   {"host"},                    // a step of the build

	// Each room of midi's verbs knows those before it.
	"plugins/midi/internal/verbs/args":    {"abi", "pdk", "plugins/midi/internal/near", "plugins/midi/internal/selector", "plugins/midi/internal/smf", "plugins/midi/internal/song", "plugins/midi/internal/theory"},
	"plugins/midi/internal/verbs/mixing":  {"abi", "pdk", "plugins/midi/internal/near", "plugins/midi/internal/selector", "plugins/midi/internal/smf", "plugins/midi/internal/song", "plugins/midi/internal/theory", "plugins/midi/internal/verbs/args"},
	"plugins/midi/internal/verbs/writing": {"abi", "pdk", "plugins/midi/internal/near", "plugins/midi/internal/selector", "plugins/midi/internal/smf", "plugins/midi/internal/song", "plugins/midi/internal/theory", "plugins/midi/internal/tracker", "plugins/midi/internal/verbs/args", "plugins/midi/internal/verbs/mixing"},
	"plugins/midi/internal/verbs/timing":  {"abi", "pdk", "plugins/midi/internal/near", "plugins/midi/internal/selector", "plugins/midi/internal/smf", "plugins/midi/internal/song", "plugins/midi/internal/theory", "plugins/midi/internal/notation", "plugins/midi/internal/verbs/args", "plugins/midi/internal/verbs/mixing", "plugins/midi/internal/verbs/writing"},
	"plugins/midi/internal/verbs/editing": {"abi", "pdk", "plugins/midi/internal/near", "plugins/midi/internal/selector", "plugins/midi/internal/smf", "plugins/midi/internal/song", "plugins/midi/internal/theory", "plugins/midi/internal/verbs/args", "plugins/midi/internal/verbs/mixing", "plugins/midi/internal/verbs/writing", "plugins/midi/internal/verbs/timing"},

	"pdk/layout/arrange": {"pdk/layout/simplex"},
	"pdk/layout/simplex": {},

	"pdk/pdktest/damage": {},

	"pdk/picture/draw": {"abi", "pdk"},

	"host/broker": {"printable", "abi", "host/capability", "host/domain", "host/filelock", "host/files"},

	"host/capability/folder": {"host/filelock", "host/files"},

	"host/capability/program": {"printable", "host/confine", "host/filelock", "host/files"},

	"host/capability/web": {},
}

func TestEachRoomImportsOnlyWhatItMay(t *testing.T) {
	for _, goos := range []string{"linux", "wasip1"} {
		cmd := exec.Command("go", "list", "-e", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, module+"...")
		cmd.Env = append(cmd.Environ(), "GOOS="+goos)
		if goos == "wasip1" {
			cmd.Env = append(cmd.Env, "GOARCH=wasm")
		}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			words := strings.Fields(line)
			pkg := strings.TrimPrefix(words[0], module)
			room := longest(pkg, allowed)
			if room == "" {
				t.Errorf("%s is in no room: add it to the table, or put it where it belongs", pkg)
				continue
			}
			for _, imp := range words[1:] {
				own, ok := strings.CutPrefix(imp, module)
				if !ok || below(own, room) && room != "pdk" {
					continue
				}
				if !slices.ContainsFunc(allowed[room], func(r string) bool { return below(own, r) }) {
					t.Errorf("%s (%s) imports %s, which its room may not", pkg, goos, own)
				}
			}
		}
	}
}

func longest(pkg string, rooms map[string][]string) string {
	best := ""
	for r := range rooms {
		if below(pkg, r) && len(r) > len(best) {
			best = r
		}
	}
	return best
}

func below(pkg, room string) bool { return pkg == room || strings.HasPrefix(pkg, room+"/") }

// fcp-host does not link what only fcp-hostd needs.
func TestFcpHostLinksNoSharedStore(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module+"cmd/fcp-host").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		for _, not := range []string{"github.com/jackc/", "github.com/minio/", "go.opentelemetry.io/"} {
			if strings.HasPrefix(line, not) {
				t.Errorf("fcp-host links %s", line)
			}
		}
	}
}
