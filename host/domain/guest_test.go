package domain

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// guest starts an instance of the plugin testdata/world with a document. Its world answers each request with the request's
// method, path and query.
func guest(t testing.TB) (*Instance, *world) {
	t.Helper()
	in := startFile(t, testwasm.World(t))
	w := &world{do: echoes}
	in.d.World = w
	in.d.Stamp = func() (int, []byte) { return 1_700_000_000_000, []byte("0123456789abcdef") }
	if _, err := in.New(ctx, &abi.NewRequest{Title: "T"}); err != nil {
		t.Fatal(err)
	}
	return in, w
}

// startFile starts an instance of a plugin without a world.
func startFile(t testing.TB, file string) *Instance {
	t.Helper()
	wasm, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := sandbox.NewPlugin(sandbox.Config{Name: filepath.Base(file), Wasm: wasm, CacheDir: testwasm.Modules(t), Command: testwasm.Worker(t), Limits: sandbox.Limits{Call: 20 * time.Second, Memory: 256 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	m, err := Describe(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(m, p)
	if err != nil {
		t.Fatal(err)
	}
	in, err := d.Start(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.Close)
	return in
}

func echoes(_ context.Context, _ Asker, requests []abi.Request) []abi.Outcome {
	out := make([]abi.Outcome, len(requests))
	for i, r := range requests {
		if h := r.HTTP; h != nil {
			said := h.Method + " /" + strings.Join(h.Path, "/")
			for _, q := range h.Query {
				said += " " + q.Key + "=" + q.Value
			}
			out[i].HTTP = &abi.HTTPResponse{Status: 200, Body: []byte(said)}
		}
	}
	return out
}

func command(t testing.TB, text string) abi.Op {
	t.Helper()
	op, err := grammar.ParseAction(text)
	if err != nil {
		t.Fatal(err)
	}
	return op.Op
}

// runQuery returns a query's answer, or its error.
func runQuery(t testing.TB, in *Instance, text string) string {
	t.Helper()
	out, err := in.Query(ctx, &abi.QueryRequest{Query: command(t, text)})
	if err != nil {
		return err.Error()
	}
	return out.Text
}

// runAction returns the answer of a session action, or its error.
func runAction(t testing.TB, in *Instance, text string) string {
	t.Helper()
	out, err := in.Session(ctx, &abi.SessionRequest{Command: command(t, text)})
	if err != nil {
		return err.Error()
	}
	if e := out.Results[0].Error; e != nil {
		return e.Message
	}
	return out.Results[0].Text
}

func TestAGuestOfTheSDKAsksInTheMiddleOfACall(t *testing.T) {
	in, w := guest(t)
	for _, tt := range []struct{ name, got, want string }{
		{"a query", runQuery(t, in, "get a b"), "200 GET /a/b"},
		{"side by side", runQuery(t, in, "all 3 x"), "200 GET /x n=0\n200 GET /x n=1\n200 GET /x n=2"},
		{"more than a round holds", fmt.Sprint(strings.Count(runQuery(t, in, "all 40 x"), "GET /x")), "40"},
		{"one after another", runQuery(t, in, "many 100 x"), "200 GET /x n=99"},
		{"a query that asks nothing", runQuery(t, in, "map"), "#world T"},
		{"a session action", runAction(t, in, "push a"), "world| pushed 200 POST /a"},
		{"its edit", runQuery(t, in, "map"), "#world T\npushed 200 POST /a"},
		{"after an edit", runAction(t, in, "late"), "world| nothing can be asked for after an edit: ask first, edit afterwards"},
		{"what is granted", runQuery(t, in, "can"), "http:api"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, tt.got, tt.want)
		}
	}
	if got := len(w.asked[1]); got != 3 {
		t.Errorf("side by side, a round has %d requests", got)
	}
	out, err := in.Apply(ctx, &abi.ApplyRequest{Ops: []abi.Op{{Verb: "ask", Raw: "ask"}}})
	if err != nil || out.Results[0].Error == nil || !strings.Contains(out.Results[0].Error.Message, "nothing can be asked for here") {
		t.Errorf("an op that asks: %+v, %v", out, err)
	}
	if _, err := in.Query(ctx, &abi.QueryRequest{Query: command(t, "forever")}); !Sent(err) || !strings.Contains(err.Error(), "made 201 requests") {
		t.Errorf("without end: %v", err)
	}
}

func TestAGuestOfTheSDKAnswersToolsExportsAndRemoteDocuments(t *testing.T) {
	in, w := guest(t)
	tool := func(name, arguments string) (*abi.ToolResponse, error) {
		for i := range in.d.Manifest.Tools {
			if in.d.Manifest.Tools[i].Name == name {
				return in.Tool(ctx, &in.d.Manifest.Tools[i], []byte(arguments))
			}
		}
		t.Fatalf("no tool %s", name)
		return nil, nil
	}
	for _, tt := range []struct{ name, arguments, structured, failure string }{
		{"thing_echo", `{"text":"a","n":12345678901234567890.5}`, `{"n":12345678901234567890.5,"text":"a"}`, ""},
		{"thing_get", `{"path":["a"]}`, `{"text":"200 GET /a"}`, ""},
		{"thing_add", `{"text":"b"}`, `{"text":"b"}`, ""},
		{"thing_lines", `{"text":"b"}`, `["b"]`, ""},
		{"thing_push", `{"path":["c"]}`, `{"text":"200 POST /c"}`, ""},
		{"thing_cheat", `{}`, ``, "this tool only reads: it cannot edit"},
		{"thing_undone", `{}`, ``, "failed in the end"},
		{"thing_fail", `{"text":"so","code":1404}`, ``, "failed: so"},
		{"thing_wait", `{"ms":1}`, ``, ""},
		{"thing_id", `{}`, `{"text":"1pjyyr1rye 4wdj5nn5pk"}`, ""},
	} {
		out, err := tool(tt.name, tt.arguments)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		failure := ""
		if out.Error != nil {
			failure = out.Error.Message
		}
		if string(out.Structured) != tt.structured || failure != tt.failure {
			t.Errorf("%s: got %s %q %+v", tt.name, out.Structured, out.Text, out.Error)
		}
	}
	if got := runQuery(t, in, "map"); got != "#world T\nb\n200 POST /c" {
		t.Errorf("the tools left %q", got)
	}
	if out, err := in.Export(ctx, &abi.ExportRequest{Format: "mp4"}); err != nil || out.Run == nil || out.Run.Program != "ffmpeg" || out.Run.Duration != 500 {
		t.Errorf("export mp4: %+v, %v", out, err)
	}
	if out, err := in.Export(ctx, &abi.ExportRequest{Format: "printed"}); err != nil || string(out.Data) != "POST /print" || out.MIME != "text/plain" {
		t.Errorf("export printed: %+v, %v", out, err)
	}
	if out, err := in.Session(ctx, &abi.SessionRequest{Command: command(t, "render")}); err != nil || out.Run == nil || len(out.Results[0].Events) != 1 {
		t.Errorf("render: %+v, %v", out, err)
	}
	w.do = func(context.Context, Asker, []abi.Request) []abi.Outcome {
		return []abi.Outcome{{HTTP: &abi.HTTPResponse{Status: 200, Body: []byte(`{"text":"#world a","revision":"7"}`)}}}
	}
	if out, err := in.Fetch(ctx, "thing:a"); err != nil || string(out.Data) != "#world a" || out.Revision != "7" || out.Name != "a.world" {
		t.Errorf("fetch: %+v, %v", out, err)
	}
	if out, err := in.Store(ctx, &abi.StoreRequest{Ref: "thing:a", Data: []byte("#world b"), Revision: "7"}); err != nil || out.Revision != "7" || out.Moved {
		t.Errorf("store: %+v, %v", out, err)
	}
	w.do = func(context.Context, Asker, []abi.Request) []abi.Outcome {
		return []abi.Outcome{{Failure: &abi.Failure{Kind: abi.FailedDial, Message: "no connection"}}}
	}
	if got := runQuery(t, in, "get a"); got != "world| no connection (dial)" {
		t.Errorf("a failure: %q", got)
	}
}

func TestAnOpOfTheSDKIsSuppliedItsResourcesAndStamps(t *testing.T) {
	in, _ := guest(t)
	op := func(text string) abi.Op { return command(t, text) }
	out, err := in.Apply(ctx, &abi.ApplyRequest{
		Ops: []abi.Op{op("place ./a.txt"), op("place ./a.txt other"), op("stamp"), op("stamp"), op("clip ./no.mp4")},
		Resources: []abi.Supply{
			{Op: 0, Word: "./a.txt", Kind: abi.ResourceBytes, Name: "a.txt", Data: []byte("one")},
			{Op: 1, Word: "./a.txt", Kind: abi.ResourceBytes, Name: "a.txt", Data: []byte("two")},
			{Op: 4, Word: "./no.mp4", Kind: abi.ResourceProbe, Failure: &abi.Failure{Kind: abi.FailedNotFound, Message: "no such file"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := out.Results[4].Error; got == nil || got.Message != "no such file" {
		t.Errorf("a resource that failed: %+v", out.Results[4])
	}
	lines := strings.Split(runQuery(t, in, "map"), "\n")[1:]
	want := []string{`bytes ./a.txt a.txt "one"`, `bytes ./a.txt a.txt "two"`, "nothing outside: other"}
	for i, w := range want {
		if lines[i] != w {
			t.Errorf("line %d is %q, want %q", i, lines[i], w)
		}
	}
	const stamp = "1700000000000 30313233343536373839616263646566 "
	if !strings.HasPrefix(lines[3], stamp) || !strings.HasPrefix(lines[4], stamp) || lines[3] == lines[4] || len(lines[3]) != len(stamp)+10 {
		t.Errorf("stamps: %q, %q", lines[3], lines[4])
	}
}

func BenchmarkARoundOfTheSDK(b *testing.B) {
	in, _ := guest(b)
	for b.Loop() {
		if got := runQuery(b, in, "many 100 x"); got != "200 GET /x n=99" {
			b.Fatal(got)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/100, "µs/round")
}

// Saving a folder returns only the files that changed, whoever changed them. Undo reverses changes by others like those of
// the domain.
func TestAFolderOfTheSDKSavesChangedFilesOnly(t *testing.T) {
	in := startFile(t, testwasm.Shelf(t))
	files := []abi.File{{Name: "a.txt", Data: []byte("# A\n")}, {Name: "b/c.txt", Data: []byte("# C\n")}, {Name: "broken.txt"}}
	opened, err := in.Open(ctx, &abi.OpenRequest{Name: "shelf", Folder: true, Files: files})
	if err != nil || opened.State.Digest != "3 texts" || len(opened.Warnings) != 1 {
		t.Fatalf("open: %+v, %v", opened, err)
	}
	saved := func(in *Instance, whole bool) string {
		t.Helper()
		out, err := in.Save(ctx, &abi.SaveRequest{Whole: whole})
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, f := range out.Files {
			text += fmt.Sprintf("%s %q %v\n", f.Name, f.Data, f.Removed)
		}
		return text
	}
	if got := saved(in, false); got != "" {
		t.Errorf("without a change, it saves %s", got)
	}
	out, err := in.Apply(ctx, &abi.ApplyRequest{Ops: []abi.Op{command(t, "append a.txt x"), command(t, "move b/c.txt d.txt"), command(t, "put e.txt '# E'")}})
	if err != nil || len(out.Results) != 3 {
		t.Fatalf("%+v, %v", out, err)
	}
	var events []abi.Event
	for _, r := range out.Results {
		events = append(events, r.Events...)
	}
	data, err := msgpack.Marshal(&abi.Outside{Name: "a.txt", Before: []byte("# A\nx\n"), After: []byte{0xff, 0}, Was: true, Is: true})
	if err != nil {
		t.Fatal(err)
	}
	outside := []abi.Event{{Type: abi.EventOutside, Data: data}}
	if _, err := in.Replay(ctx, outside); err != nil {
		t.Fatal(err)
	}
	const all = `a.txt "\xff\x00" false
b/c.txt "" true
d.txt "# C\n" false
e.txt "# E\n" false
`
	if got := saved(in, false); got != all {
		t.Errorf("it saves\n%s", got)
	}
	if got := saved(in, true); got != strings.Replace(all, "b/c.txt \"\" true\n", "broken.txt \"\" false\n", 1) {
		// sorted: broken.txt comes where b/c.txt was
		t.Errorf("the whole is\n%s", got)
	}
	snapshot, err := in.Save(ctx, &abi.SaveRequest{Snapshot: true})
	if err != nil {
		t.Fatal(err)
	}
	other := startFile(t, testwasm.Shelf(t))
	if _, err := other.Open(ctx, &abi.OpenRequest{Name: "shelf", Data: snapshot.Data, Snapshot: true, Folder: true}); err != nil {
		t.Fatal(err)
	}
	for _, in := range []*Instance{in, other} {
		if got := saved(in, false); got != all {
			t.Errorf("before it is reversed, it saves\n%s", got)
		}
		slices.Reverse(events)
		for _, list := range [][]abi.Event{outside, events} {
			if _, err := in.Reverse(ctx, list); err != nil {
				t.Fatal(err)
			}
		}
		if got := saved(in, false); got != "" {
			t.Errorf("reversed, it saves\n%s", got)
		}
		slices.Reverse(events)
	}
}
