package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/mcptest"
	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// page returns a page of the documentation, by its path from the root of the sources.
func page(t *testing.T, name string) string {
	t.Helper()
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The entries for clients in the README and in docs/clients.md start a working server from an empty folder, with an almost empty home
// folder and with only the binary installed.
func TestTheEntriesForClientsWorkAsPrinted(t *testing.T) {
	host, err := os.ReadFile(testwasm.Host(t))
	if err != nil {
		t.Fatal(err)
	}
	bin, caches := t.TempDir(), t.TempDir()
	// A first start compiles the domains, which takes longer than the rest of this test.
	if !soak.On() {
		if err := os.Symlink(testwasm.CacheDir(t), filepath.Join(caches, "fcp-host")); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(bin, "fcp-host"), host, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	lines := clientLines(t, page(t, "README.md"), page(t, "docs/clients.md"))
	if len(lines) < 7 {
		t.Fatalf("there are %d entries", len(lines))
	}
	for _, l := range lines {
		t.Run(l.name, func(t *testing.T) {
			home, folder := t.TempDir(), t.TempDir()
			if err := os.Mkdir(filepath.Join(home, "Documents"), 0o755); err != nil {
				t.Fatal(err)
			}
			// Replacements that a shell or the client makes.
			put := strings.NewReplacer("$PWD/bin", bin, "${workspaceFolder}", folder)
			argv := slices.Clone(l.argv)
			for i := range argv {
				argv[i] = put.Replace(argv[i])
			}
			saves := folder
			if k := slices.Index(argv, "--root"); k > 0 {
				saves = strings.Replace(argv[k+1], "~", home, 1)
			}
			// The first start fills the cache for the next rows.
			env := []string{"HOME=" + home, "PATH=" + bin, "XDG_CACHE_HOME=" + caches}
			firstMinute(t, folder, saves, env, argv)
		})
	}
}

// clientLine is one entry for a client: the command that starts a server.
type clientLine struct {
	name string
	argv []string
}

// clientLines parses the README's first commands and the table of docs/clients.md.
func clientLines(t *testing.T, readme, clients string) []clientLine {
	t.Helper()
	var out []clientLine
	add := func(name, how string) {
		var argv []string
		if strings.HasPrefix(how, "{") {
			type server struct {
				Command string
				Args    []string
			}
			var file struct{ Servers, McpServers map[string]server }
			if err := json.Unmarshal([]byte(how), &file); err != nil {
				t.Fatalf("%s: %v: %s", name, err, how)
			}
			s, ok := file.Servers["fcp"]
			if !ok {
				s = file.McpServers["fcp"]
			}
			argv = append([]string{s.Command}, s.Args...)
		} else {
			_, line, _ := strings.Cut(how, " -- ")
			line, _, _ = strings.Cut(line, " #")
			argv = strings.Fields(strings.ReplaceAll(line, `"`, ""))
		}
		if len(argv) == 0 || argv[0] == "" {
			t.Fatalf("%s: there is no command in %s", name, how)
		}
		out = append(out, clientLine{name, argv})
	}
	for line := range strings.Lines(readme) {
		if strings.HasPrefix(line, "claude mcp add ") {
			add("first commands", line)
		}
	}
	_, table, _ := strings.Cut(clients, "\n| client | how |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for row := range strings.Lines(table) {
		m := regexp.MustCompile("^\\| ([^|]+) \\| .*`([^`]+)` \\|\n?$").FindStringSubmatch(row)
		if m == nil {
			t.Fatalf("the row ends in no code: %s", row)
		}
		add(m[1], m[2])
	}
	return out
}

// firstMinute starts a server as a client does, lists its tools, and makes, edits and saves a document of each format in the
// folder saves.
func firstMinute(t *testing.T, folder, saves string, env, argv []string) {
	t.Helper()
	c := mcptest.Starts(t, folder, env, argv...)
	defer func() {
		said := c.Ends()
		if slices.Contains(argv, "--view") {
			said = regexp.MustCompile(`^fcp-host: view at http://127\.0\.0\.1:\S+\n`).ReplaceAllString(said, "")
		}
		if said != "" {
			t.Errorf("it said on stderr: %s", said)
		}
	}()
	for _, x := range [][2]string{{"midi", "track add Piano"}, {"drawio", "add svc Orders"}, {"svg", "add circle dot r:5"}} {
		domain, op := x[0], x[1]
		c.Call(domain+"_session", "action", `new "First"`)
		c.Call(domain, "ops", []string{op})
		c.Call(domain+"_session", "action", "save as:./first."+domain)
		if data, err := os.ReadFile(filepath.Join(saves, "first."+domain)); err != nil || len(data) == 0 {
			t.Errorf("saved %d bytes, %v", len(data), err)
		}
	}
}
