package evals

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fcp-host/fcp-host/evals/judge"
	"github.com/fcp-host/fcp-host/evals/model"
	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// script is a model that gives these answers, and the last one again and again. Without answers it fails.
type script []model.Answer

func (s *script) Answer(context.Context, model.Request) (model.Answer, error) {
	if len(*s) == 0 {
		return model.Answer{}, errors.New("no answer")
	}
	next := (*s)[0]
	if len(*s) > 1 {
		*s = (*s)[1:]
	}
	return next, nil
}

// runner returns a runner with the real server of a domain.
func runner(t *testing.T, m model.Model) Runner {
	return Runner{Model: m, Stderr: io.Discard, MaxCalls: 60, MaxRead: 100_000, Server: func(domain string, unified bool) []string {
		argv := []string{testwasm.Host(t), "serve", "--config", "off", "--no-journal", "--cache", testwasm.CacheDir(t), "--plugin", domain}
		if unified {
			argv = append(argv, "--unified")
		}
		return argv
	}}
}

func calls(pairs ...string) (a model.Answer) {
	for i := 0; i < len(pairs); i += 2 {
		a.Calls = append(a.Calls, model.Call{Name: pairs[i], Arguments: json.RawMessage(pairs[i+1])})
	}
	return a
}

// todo is a card without a domain: b is to be x, and a to stay.
var todo = Card{Name: "test/todo", Wish: "Make b x.", Files: map[string][]byte{"f": []byte("a\nb\n")}, Judge: judge.Judge{
	Done: []judge.Done{{File: "f", Kind: "text", Was: "^b$", Becomes: "x"}}, Same: []judge.Same{{File: "f", Kind: "text"}},
}}

func TestWhatARunCostsIsCounted(t *testing.T) {
	m := script{
		calls("read_file", `{"path":"f"}`, "read", `{}`),
		calls("replace", `"{path:"`, "replace", `{"path":"f","old":"b","new":"é"}`, "list_files", ``),
		calls("replace", `{"path":"f","old":"é","new":"x"}`),
		{Text: "done", TokensIn: 7, TokensOut: 5},
	}
	got := runner(t, &m).Play(t.Context(), todo, "files", 3)
	r := got.Run
	written := len(`{"path":"f"}`+`{}`+`"{path:"`+`{"path":"f","old":"b","new":"e"}`+`{}`) + len(`{"path":"f","old":"e","new":"x"}`)
	read := len("a\nb\n" + `there is no tool "read"` + "the arguments are not a JSON object" + "replaced 1" + "f 5\n" + "replaced 1")
	if r.Calls != 6 || r.Errors != 2 || r.Written != written || r.Read != read || r.Pictures != 0 || r.TokensIn != 7 || r.TokensOut != 5 || r.Number != 3 || r.Error != "" || r.Why != nil || !r.Done || !r.Faithful {
		t.Errorf("%+v; written %d, read %d", r, written, read)
	}
	n := 0
	for _, tool := range got.Tools {
		n += len(tool.Name) + len(tool.Description) + len(tool.Schema)
	}
	if r.Descriptions != n || n < 500 {
		t.Errorf("descriptions: %d, not %d", r.Descriptions, n)
	}
	if len(got.Messages) != 8 || got.Messages[0].Text != todo.Wish || !strings.HasSuffix(got.System, "The working folder contains f.") {
		t.Errorf("the conversation is %+v", got.Request)
	}
	ids := map[string]bool{}
	for _, msg := range got.Messages {
		for i, c := range msg.Calls {
			ids[c.ID] = true
			if msg := got.Messages[slices.IndexFunc(got.Messages, func(m model.Message) bool { return len(m.Results) > i && m.Results[i].ID == c.ID })]; msg.Role != "tool" {
				t.Errorf("%s is answered by %+v", c.ID, msg)
			}
		}
	}
	if len(ids) != 6 {
		t.Errorf("the calls have the ids %v", slices.Sorted(maps.Keys(ids)))
	}
}

func TestARunEndsAtItsBounds(t *testing.T) {
	loop := func() *script { return &script{calls("read_file", `{"path":"f"}`, "list_files", `{}`)} }
	for _, c := range []struct {
		name string
		r    Runner
		want string
		n    int // calls
	}{
		{"calls", Runner{Model: loop(), MaxCalls: 5, MaxRead: 1000}, "ended after 5 calls", 5},
		{"reading", Runner{Model: loop(), MaxCalls: 60, MaxRead: 10}, "ended after reading more than 10 characters", 3},
		{"no answer", Runner{Model: &script{}, MaxCalls: 60, MaxRead: 1000}, "no answer", 0},
	} {
		r := c.r.Play(t.Context(), todo, "files", 1).Run
		if r.Error != c.want || r.Calls != c.n || r.Done || !r.Faithful || len(r.Why) != 1 {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
	missing := Runner{Model: loop(), MaxCalls: 5, MaxRead: 10, Stderr: io.Discard, Server: func(string, bool) []string { return []string{filepath.Join(t.TempDir(), "no")} }}
	if r := missing.Play(t.Context(), todo, "tools", 1).Run; r.Error == "" || r.Calls != 0 {
		t.Errorf("without a server: %+v", r)
	}
}

// The unified tools take the same ops, and a model that looks at a preview gets a picture, which is counted apart.
func TestTheUnifiedToolsAreAnArm(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "secret")
	card, err := ReadCard("svg/squares.toml")
	if err != nil {
		t.Fatal(err)
	}
	m := script{calls("fcp_session", `{"action":"open ./pattern.svg"}`, "fcp_edit", `{"ops":["style rect2 fill:#f59e0b"]}`, "fcp_query", `{"q":"preview"}`, "fcp_session", `{"action":"save"}`), {Text: "done"}}
	got := runner(t, &m).Play(t.Context(), card, "unified", 1)
	if r := got.Run; !r.Done || !r.Faithful || r.Pictures != 1 || r.Errors != 0 || r.Error != "" || len(got.Tools) != 4 {
		t.Errorf("%+v, tools %d", r, len(got.Tools))
	}
	if len(got.Messages) < 3 || len(got.Messages[2].Results) < 3 || !strings.HasPrefix(got.Messages[2].Results[2].Images[0].Data, "iVBOR") {
		t.Error("the model does not see the picture")
	}
}

func allCards(t *testing.T) []Card {
	t.Helper()
	cards, err := ReadCards(testwasm.Plugins(t)...)
	if err != nil {
		t.Fatal(err)
	}
	return cards
}

// Each domain has six cards, and each is not done, but faithful, before anything is changed.
func TestUntouchedCardsAreNotDoneButFaithful(t *testing.T) {
	count := map[string]int{}
	for _, c := range allCards(t) {
		count[c.Domain]++
		r := Runner{Model: &script{{Text: "done"}}, MaxCalls: 1, MaxRead: 1}.Play(t.Context(), c, "files", 1).Run
		if r.Done || !r.Faithful || r.Error != "" {
			t.Errorf("%s: %+v", c.Name, r)
		}
	}
	for _, domain := range testwasm.Plugins(t) {
		if count[domain] != 6 {
			t.Errorf("%s has %d cards", domain, count[domain])
		}
	}
}

// The jobs on real files are not done, but faithful, before anything is changed.
func TestUntouchedRealCardsAreNotDoneButFaithful(t *testing.T) {
	paths, err := filepath.Glob("real/*/*.toml")
	if err != nil || len(paths) != 14 {
		t.Fatalf("there are %d cards, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			c, err := ReadCard(path)
			if errors.Is(err, fs.ErrNotExist) {
				t.Skip("its file is not here: it belongs into ../shared/data: ", err)
			}
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(testwasm.Plugins(t), c.Domain) {
				t.Errorf("there is no domain %s", c.Domain)
			}
			v := c.Judge.Verdict(c.Files, c.Files)
			if v.Done || !v.Faithful {
				t.Errorf("%+v", v)
			}
		})
	}
}

// Plays the calls of testdata/solved.txtar.
func TestEachCardCanBeSolved(t *testing.T) {
	solved, err := txtar.ParseFile("testdata/solved.txtar")
	if err != nil {
		t.Fatal(err)
	}
	cards := allCards(t)
	if len(solved.Files) != len(cards) {
		t.Errorf("there are %d cards and %d solutions", len(cards), len(solved.Files))
	}
	for _, file := range soak.Some(t, solved.Files, 5) {
		t.Run(file.Name, func(t *testing.T) {
			t.Parallel()
			i := slices.IndexFunc(cards, func(c Card) bool { return c.Name == file.Name })
			if i < 0 {
				t.Fatal("there is no such card")
			}
			arm, answer := solution(t, cards[i].Domain, string(file.Data))
			got := runner(t, &script{answer, {Text: "done"}}).Play(t.Context(), cards[i], arm, 1)
			if r := got.Run; !r.Done || !r.Faithful || r.Errors > 0 || r.Error != "" {
				t.Errorf("%+v\n%+v", r, got.Messages)
			}
		})
	}
}

// solution returns the calls of a solution, and the arm that they are for.
func solution(t *testing.T, domain, text string) (arm string, a model.Answer) {
	t.Helper()
	arm = "tools"
	var ops []string
	add := func(tool, argument string, value any) {
		data, err := json.Marshal(map[string]any{argument: value})
		if err != nil {
			t.Fatal(err)
		}
		a.Calls = append(a.Calls, model.Call{Name: tool, Arguments: data})
	}
	end := func() {
		if ops != nil {
			add(domain, "ops", ops)
		}
		ops = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch line[0] {
		case '{':
			var c model.Call
			if err := json.Unmarshal([]byte(line), &c); err != nil {
				t.Fatal(err)
			}
			arm, a.Calls = "files", append(a.Calls, c)
		case ':':
			end()
			add(domain+"_session", "action", line[1:])
		case '?':
			end()
			add(domain+"_query", "q", line[1:])
		default:
			ops = append(ops, line)
		}
	}
	end()
	return arm, a
}

func TestMistakesInCardFilesAreNamed(t *testing.T) {
	dir := t.TempDir()
	const done = "\n[[done]]\nfile='a'\nkind='text'\nhas=['a']\n"
	for text, want := range map[string]string{
		"wish='a'" + done:                      "",
		done:                                   "it has no wish",
		"wish='a'":                             "it has no [[done]]",
		"wish='a'\nwhish='b'" + done:           "unknown setting whish",
		"wish='a'\n[files]\n'../a'='a'" + done: `the file "../a" would be outside of the folder`,
		"wish='a'\n[files]\n'a'='missing'" + done: "missing: no such file or directory",
		"wish=": "expected value",
	} {
		path := filepath.Join(dir, "card.toml")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadCards(dir); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := ReadCards(t.TempDir()); err == nil || !strings.HasSuffix(err.Error(), "contains no cards") {
		t.Errorf("an empty folder: %v", err)
	}
}
