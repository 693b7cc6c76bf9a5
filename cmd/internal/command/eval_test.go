package command

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/evals"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// modelCall is a call that a scripted model makes.
type modelCall struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// scriptedAPI answers in the format of the path that is asked: the first request with 429, then with these calls, one turn each, then with a
// text.
type scriptedAPI struct {
	mu     sync.Mutex
	calls  []modelCall
	asked  int
	bodies []string
}

func (s *scriptedAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked++; s.asked == 1 {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	var body json.RawMessage
	json.NewDecoder(r.Body).Decode(&body)
	s.bodies = append(s.bodies, string(body))
	turn := s.asked - 2
	var call *modelCall
	if turn < len(s.calls) {
		call = &s.calls[turn]
	}
	anthropic := r.URL.Path == "/v1/messages"
	switch {
	case anthropic && call != nil:
		fmt.Fprintf(w, `{"content":[{"type":"tool_use","id":"c%d","name":%q,"input":%s}],"usage":{"input_tokens":10,"output_tokens":1}}`, turn, call.Name, asJSON(call.Arguments))
	case anthropic:
		fmt.Fprint(w, `{"content":[{"type":"text","text":"It is saved."}],"usage":{"input_tokens":10,"output_tokens":1}}`)
	case call != nil:
		fmt.Fprintf(w, `{"choices":[{"message":{"tool_calls":[{"id":"c%d","type":"function","function":{"name":%q,"arguments":%q}}]}}],"usage":{"prompt_tokens":10,"completion_tokens":1}}`, turn, call.Name, asJSON(call.Arguments))
	default:
		fmt.Fprint(w, `{"choices":[{"message":{"content":"It is saved."}}],"usage":{"prompt_tokens":10,"completion_tokens":1}}`)
	}
}

func asJSON(v any) string {
	data, _ := json.Marshal(v)
	return string(data)
}

// runEval runs the whole program in an empty folder, and returns its output and exit code.
func runEval(t *testing.T, stdin string, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command(testwasm.Host(t), append([]string{"eval"}, args...)...)
	var out, errs strings.Builder
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = t.TempDir(), strings.NewReader(stdin), &out, &errs
	cmd.Env = append(os.Environ(), env...)
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// evalCard returns the path of a card.
func evalCard(t *testing.T, name string) string {
	t.Helper()
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "evals", name)
}

// A model behind either vendor's format plays one card with the real server: once well, once so that another track is transposed, too.
func TestEvalPlaysACardWithAModelsAPI(t *testing.T) {
	good := []modelCall{
		{"midi_session", map[string]any{"action": "open ./minuet.mid"}},
		{"midi", map[string]any{"ops": []string{"transpose -12 @tracks:Left @range:9-16"}}},
		{"midi", map[string]any{"ops": []string{`transpose -12 @track:"Left hand" @range:9-16`}}},
		{"midi_session", map[string]any{"action": "save"}},
	}
	bad := []modelCall{
		{"midi_session", map[string]any{"action": "open ./minuet.mid"}},
		{"midi", map[string]any{"ops": []string{`transpose -12 @range:9-16`}, "then": []string{"save"}}},
	}
	for _, c := range []struct {
		name, model    string
		calls          []modelCall
		errors         int
		done, faithful bool
	}{
		{"good", "anthropic:m", good, 1, true, true},
		{"bad", "openai:m", bad, 0, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			api := &scriptedAPI{calls: c.calls}
			server := httptest.NewServer(api)
			defer server.Close()
			dir := t.TempDir()
			env := []string{"ANTHROPIC_BASE_URL=" + server.URL, "OPENAI_BASE_URL=" + server.URL, "ANTHROPIC_API_KEY=k", "OPENAI_API_KEY=k"}
			out, errs, code := runEval(t, "", env, evalCard(t, "midi/octave.toml"), "--model", c.model, "--json", dir+"/runs.json", "--transcripts", dir+"/all", "--", "--cache", testwasm.CacheDir(t))
			if code != exitOK || errs != "" {
				t.Fatalf("exit code %d: %s%s", code, out, errs)
			}
			var report evals.Report
			var whole evals.Transcript
			for name, v := range map[string]any{"runs.json": &report, "all/midi-octave.tools.1.json": &whole} {
				data, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal(data, v); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			if report.Model != c.model || len(report.Runs) != 1 {
				t.Fatalf("it reports %+v", report)
			}
			r := report.Runs[0]
			written, read := 0, 0
			for _, call := range c.calls {
				written += len(asJSON(call.Arguments))
			}
			for _, m := range whole.Messages {
				for _, res := range m.Results {
					read += len([]rune(res.Text))
				}
			}
			if r.Calls != len(c.calls) || r.Errors != c.errors || r.Written != written || r.Read != read || read < 100 || r.TokensIn != 10*(len(c.calls)+1) || r.TokensOut != len(c.calls)+1 || r.Error != "" {
				t.Errorf("it reports %+v; written %d, read %d", r, written, read)
			}
			if r.Done != c.done || r.Faithful != c.faithful {
				t.Errorf("it reports %+v", r)
			}
			if (len(r.Why) == 0) != c.faithful || !c.faithful && !strings.Contains(out, "midi/octave tools 1: not faithful: minuet.mid lost ") {
				t.Errorf("it says %q and prints\n%s", r.Why, out)
			}
			if len(whole.Tools) != 4 || whole.Tools[0].Name != "midi" || len(whole.Messages) != 2*len(c.calls)+2 {
				t.Errorf("%d tools, %d messages", len(whole.Tools), len(whole.Messages))
			}
			if last := api.bodies[len(api.bodies)-1]; !strings.Contains(last, "minuet.mid") || !strings.Contains(last, "* saved minuet.mid") || strings.Count(last, whole.Tools[0].Name) < 4 {
				t.Errorf("the last request is %s", last)
			}
		})
	}
}

// The program says what is wrong with its arguments, and what went wrong with a run.
func TestEvalNamesMistakes(t *testing.T) {
	card := evalCard(t, "svg/squares.toml")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{card}, exitUsage, "usage:"},
		{[]string{"--model", "stdio"}, exitUsage, "usage:"},
		{[]string{card, "--model", "gpt"}, exitUsage, `--model: unknown model "gpt": it is anthropic:MODEL, openai:MODEL or stdio`},
		{[]string{card, "--model", "stdio", "--arm", "hands"}, exitUsage, `unknown arm "hands"; there are tools, unified, files`},
		{[]string{card, "--model", "stdio", "--runs", "0"}, exitUsage, "must be more than 0"},
		{[]string{"missing.toml", "--model", "stdio"}, exitUsage, "no such file"},
		{[]string{card, "--model", "stdio", "--arm", "files"}, exitFailed, "svg/squares files 1: ended early: stdin ended before the answer\n"},
		{[]string{card, "--model", "stdio", "--command", "go 'run"}, exitUsage, "--command: a quote ' has no end"},
		{[]string{card, "--model", "stdio", "--command", "no-such-program x"}, exitUsage, `--command: exec: "no-such-program": executable file not found`},
		{[]string{card, "--model", "stdio", "--command", "go version", "--arm", "files"}, exitUsage, "--command: it is for the arm tools"},
		{[]string{"--facts", "music", card}, exitUsage, `unknown kind "music"; there are diagram, json, `},
	} {
		out, errs, code := runEval(t, "", nil, c.args...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit code %d\n%s\n%s", c.args, code, out, errs)
		}
	}
}

// Another server is given as a command with quotes: here our own with the domain of another card.
func TestEvalPlaysWithTheToolsOfAnotherServer(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "the cache")
	command := fmt.Sprintf(`"%s" serve --config off --no-journal --cache '%s' --plugin midi`, testwasm.Host(t), folder)
	report := filepath.Join(t.TempDir(), "runs.json")
	out, errs, code := runEval(t, `{"text":"no"}`, nil, evalCard(t, "svg/squares.toml"), "--model", "stdio", "--command", command, "--json", report, "--", "--plugin", "drawio")
	var request struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal([]byte(out), &request); err != nil || code != exitOK || len(request.Tools) != 4 || request.Tools[0].Name != "midi" {
		t.Errorf("%d %v %s\n%s", code, err, out, errs)
	}
	if _, err := os.Stat(folder); err != nil {
		t.Error(err)
	}
	var r evals.Report
	if data, err := os.ReadFile(report); err != nil || json.Unmarshal(data, &r) != nil || r.Command != command || len(r.Runs) != 1 || r.Runs[0].Arm != "tools" {
		t.Errorf("%v %+v", err, r)
	}
}

// The examples of docs/evals.md: the card is one of ours, and the answers of its session by hand give its table.
func TestTheExamplesOfTheEvalsPageAreReal(t *testing.T) {
	text := page(t, "docs/evals.md")
	block := func(after string) string {
		_, rest, ok := strings.Cut(text, after)
		_, rest, _ = strings.Cut(rest, "\n```")
		_, rest, _ = strings.Cut(rest, "\n")
		rest, _, end := strings.Cut(rest, "```")
		if !ok || !end {
			t.Fatalf("the page has no block after %q", after)
		}
		return rest
	}
	card, err := os.ReadFile(evalCard(t, "midi/octave.toml"))
	if err != nil {
		t.Fatal(err)
	}
	if got := block("`evals/midi/octave.toml`:"); got != string(card) {
		t.Errorf("the page shows the card\n%s\nwhich is\n%s", got, card)
	}
	facts, errs, code := runEval(t, "", nil, "--facts", "notes", evalCard(t, "files/minuet.mid"))
	for line := range strings.Lines(block("fcp-host eval --facts notes")) {
		if !strings.Contains(facts, line) {
			t.Errorf("%d %s: there is no fact %s", code, errs, line)
		}
	}
	out, table, code := runEval(t, block("by hand:"), nil, evalCard(t, "midi/octave.toml"), "--model", "stdio", "--", "--cache", testwasm.CacheDir(t))
	odd := regexp.MustCompile(` +`)
	columns := func(text string) string {
		return regexp.MustCompile(`(?m)( \d+){2}\.\d( \w+ \w+)$`).ReplaceAllString(odd.ReplaceAllString(text, " "), "$2") // without the descriptions and the seconds
	}
	if want := block("The table is then:"); code != exitOK || columns(table) != columns(want) {
		t.Errorf("exit code %d\n%s\nThe page shows\n%s", code, table, want)
	}
	if lines := strings.Count(out, "\n"); lines != 2 || !strings.HasPrefix(out, `{"system":"You do a task`) {
		t.Errorf("it is asked with %d lines: %.300s", lines, out)
	}
}
