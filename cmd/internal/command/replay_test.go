package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// Each file of testdata/replay holds the calls of a session with a built-in domain and their whole replies, so that a change of how verbs
// are declared or values are read shows what it changes. A line "> OP", "> ?QUERY", "> ?help TOPIC", "> :ACTION" or "> !TOOL {ARGUMENTS}" is
// a call, lines ">> " continue it, and the lines below are its reply. Of a picture, only the type is kept. To be short, (=) is the op itself,
// and [=] the line about the document's state of the reply before. The files that the session needs follow, as in a txtar archive.
func TestReplay(t *testing.T) {
	t.Parallel()
	for _, domain := range []string{"drawio", "midi", "svg", "flowise", "cuedeck", "video"} {
		t.Run(domain, func(t *testing.T) {
			t.Parallel()
			golden := filepath.Join("testdata", "replay", domain+".txt")
			archive, err := txtar.ParseFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for _, f := range archive.Files {
				inWorkspace(t, dir, map[string]string{f.Name: string(f.Data)})
			}
			wasm := testwasm.Build(t, "plugins/"+domain)
			flags := []string{"--no-journal", "--now", "2026-03-02T09:00:00Z"}
			switch domain {
			case "flowise":
				flags = append(flags, withFlowise(t)...)
			case "cuedeck":
				flags = append(flags, "--plugin", wasm, "--tools", domain, "--grant", "cuedeck=folder")
			default:
				flags = append(flags, "--plugin", wasm)
			}
			r := &replayed{newToolDesk(serveProcess(t, dir, flags...), domain), domain, strings.Builder{}, "", nil, nil}
			r.callEach(string(archive.Comment))
			for _, verb := range verbsOf(t, wasm) {
				if !slices.Contains(r.worked, verb) {
					t.Errorf("no call with %s works", verb)
				}
			}
			got, want := r.text.String(), string(archive.Comment)
			if *update {
				archive.Comment = []byte(got)
				if err := os.WriteFile(golden, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("%s differs; run go test ./cmd/internal/command -run Replay -update and read the difference. First:\n%s", golden, firstDifference(want, got))
			}
		})
	}
}

// replayed is a session whose calls are made again.
type replayed struct {
	*toolDesk
	domain string
	text   strings.Builder // the calls and their replies
	state  string          // last line of the last reply that has one about the document's state
	worked []string        // first words of the ops that worked
	ids    []string        // of new cards, each followed by what stands for it: they count the calls, and a trial that was repeated counts
}

// createdCard finds the ids of cards in a line about new ones.
var createdCard = regexp.MustCompile(`\b([0-9a-z]{6}) "`)

// withoutIDs replaces the ids of new cards in a reply.
func (r *replayed) withoutIDs(reply string) string {
	for line := range strings.Lines(reply) {
		if !strings.HasPrefix(line, "+ ") || r.domain != "cuedeck" {
			continue
		}
		for _, m := range createdCard.FindAllStringSubmatch(line, -1) {
			if !slices.Contains(r.ids, m[1]) {
				r.ids = append(r.ids, m[1], fmt.Sprintf("card%02d", len(r.ids)/2+1))
			}
		}
	}
	return strings.NewReplacer(r.ids...).Replace(reply)
}

// callEach makes the calls in a text.
func (r *replayed) callEach(text string) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		call, ok := strings.CutPrefix(lines[i], "> ")
		if !ok {
			continue
		}
		fmt.Fprintln(&r.text, lines[i])
		for ; i+1 < len(lines) && strings.HasPrefix(lines[i+1], ">> "); i++ {
			fmt.Fprintln(&r.text, lines[i+1])
			call += "\n" + lines[i+1][len(">> "):]
		}
		r.call(call)
	}
}

// call makes a call and appends its reply to the text.
func (r *replayed) call(call string) {
	rest := strings.TrimLeft(call, "?:!")
	tool, args := r.edit, map[string]any{"ops": []string{call}}
	switch {
	case strings.HasPrefix(call, "?help"):
		tool, args = r.help, map[string]any{"topic": strings.TrimSpace(call[len("?help"):])}
	case strings.HasPrefix(call, "?"):
		tool, args = r.query, map[string]any{"q": rest}
	case strings.HasPrefix(call, ":"):
		tool, args = r.action, map[string]any{"action": rest}
	case strings.HasPrefix(call, "!"):
		tool, rest, _ = strings.Cut(rest, " ")
		clear(args)
		if err := json.Unmarshal([]byte(rest), &args); err != nil {
			r.c.t.Fatalf("%s: %v", call, err)
		}
	}
	refused, result := r.c.attempt(tool, args)
	if refused != nil {
		fmt.Fprintf(&r.text, "error %d: %s\n", refused.Code, refused.Message)
		return
	}
	var reply struct {
		Content []struct{ Type, Text, MIMEType string }
		IsError bool
	}
	if err := json.Unmarshal(result, &reply); err != nil {
		r.c.t.Fatalf("%s: %v", call, err)
	}
	for _, part := range reply.Content {
		if part.Type != "text" {
			part.Text = part.Type + " " + part.MIMEType
		}
		body, state := strings.Replace(part.Text, "op 1 ("+call+")", "op 1 (=)", 1), part.Text[strings.LastIndexByte(part.Text, '\n')+1:]
		if strings.HasPrefix(state, "[") && strings.HasSuffix(state, "]") {
			if state == r.state {
				body = strings.TrimSuffix(body, state) + "[=]"
			}
			r.state = state
		}
		fmt.Fprintln(&r.text, r.withoutIDs(body))
	}
	if tool == r.edit && !reply.IsError {
		r.worked = append(r.worked, strings.Fields(call)[0])
	}
}

// verbsOf returns the names of a plugin's verbs.
func verbsOf(t *testing.T, wasm string) (names []string) {
	t.Helper()
	set, err := plugin.Load(t.Context(), plugin.Options{Files: []string{wasm}, CacheDir: testwasm.CacheDir(t), Limits: sandbox.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	for _, p := range set.Plugins() {
		for _, v := range p.Domain.Manifest.Verbs {
			names = append(names, v.Name)
		}
	}
	if len(names) == 0 {
		t.Fatalf("%s has no verbs: %v", wasm, set.Problems())
	}
	return names
}

// firstDifference returns the first lines that differ, below the call that they belong to.
func firstDifference(want, got string) string {
	wants, gots, call := strings.Split(want, "\n"), strings.Split(got, "\n"), ""
	for i := range min(len(wants), len(gots)) {
		if wants[i] != gots[i] {
			return fmt.Sprintf("%s\n--- file\n%s\n--- server\n%s", call, strings.Join(wants[i:min(i+8, len(wants))], "\n"), strings.Join(gots[i:min(i+8, len(gots))], "\n"))
		}
		if strings.HasPrefix(gots[i], "> ") {
			call = gots[i]
		}
	}
	return "one of them is longer"
}
