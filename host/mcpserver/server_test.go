package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sandbox.WorkerArg {
		os.Exit(sandbox.RunWorker())
	}
	os.Exit(m.Run())
}

var discard = slog.New(slog.DiscardHandler)

// emptySession is a session without a domain.
func emptySession(t *testing.T) *session.Session {
	t.Helper()
	roots, err := files.NewRoots(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return session.New(domain.List{}, roots)
}

// start serves the list plugin with its files in dir.
func start(t *testing.T, dir string, unified bool) *Server {
	t.Helper()
	return serve(t, dir, Config{Unified: unified}, testwasm.List(t))
}

// serve serves plugins with their files in dir.
func serve(t *testing.T, dir string, c Config, plugins ...string) *Server {
	t.Helper()
	set, err := plugin.Load(t.Context(), plugin.Options{Files: plugins,
		CacheDir: testwasm.CacheDir(t), Command: testwasm.Worker(t), Limits: sandbox.DefaultLimits()})
	if err != nil || len(set.Problems()) > 0 {
		t.Fatal(err, set.Problems())
	}
	t.Cleanup(set.Close)
	roots, err := files.NewRoots(dir)
	if err != nil {
		t.Fatal(err)
	}
	c.Version, c.Session, c.Log = "1.2.3", session.New(set, roots), discard
	t.Cleanup(c.Session.Close)
	return New(c)
}

// pixel is a PNG of one.
var pixel = func() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err)
	}
	return b.Bytes()
}()

// drawn is a plugin whose query preview gives a picture.
func drawn(t *testing.T) string {
	t.Helper()
	m := testwasm.MinimalManifest()
	m.Queries = append(m.Queries, abi.Query{Name: "preview", Syntax: "preview"})
	acts := testwasm.Minimal()
	acts[abi.ExportManifest] = testwasm.Answers(m)
	acts[abi.ExportQuery] = testwasm.Answers(&abi.QueryResponse{Text: "a picture", Content: []abi.Content{{MIME: "image/png", Data: pixel}}})
	file := filepath.Join(t.TempDir(), "thing.wasm")
	if err := os.WriteFile(file, testwasm.Scripted(acts), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// message is any JSON-RPC message from the server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// called is the result of a tools/call.
type called struct {
	Content []struct {
		Type, Text, Data, MIMEType, URI string
	} `json:"content"`
	Structured *facts `json:"structuredContent"`
	IsError    bool   `json:"isError"`
}

// talk sends all lines at once, ends the input, and returns every message the
// server wrote.
func talk(t *testing.T, s *Server, lines ...string) []message {
	t.Helper()
	var out bytes.Buffer
	if err := s.ServeStdio(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	return decode(t, out.Bytes())
}

func decode(t *testing.T, out []byte) []message {
	t.Helper()
	var all []message
	for line := range bytes.Lines(out) {
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("stdout holds something that is not JSON: %q", line)
		}
		all = append(all, m)
	}
	return all
}

const initialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}`

func call(id int, tool string, args any) string {
	data, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call",
		"params": map[string]any{"name": tool, "arguments": args}})
	return string(data)
}

func edit(id int, ops ...string) string { return call(id, "list", map[string]any{"ops": ops}) }
func action(id int, a string) string    { return call(id, "list_session", map[string]any{"action": a}) }
func ask(id int, q string) string       { return call(id, "list_query", map[string]any{"q": q}) }
func answer(t *testing.T, all []message, id int) called {
	t.Helper()
	for _, m := range all {
		if string(m.ID) == fmt.Sprint(id) {
			if m.Error != nil {
				t.Fatalf("call %d: protocol error %d %s", id, m.Error.Code, m.Error.Message)
			}
			var c called
			if err := json.Unmarshal(m.Result, &c); err != nil {
				t.Fatal(err)
			}
			return c
		}
	}
	t.Fatalf("call %d was not answered", id)
	return called{}
}

func (c called) text() string {
	if len(c.Content) == 0 {
		return ""
	}
	return c.Content[0].Text
}

func TestFourToolsADomainWithAnnotationsAndTheCard(t *testing.T) {
	all := talk(t, start(t, t.TempDir(), false), initialize, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var res struct {
		Tools []struct {
			Name, Description string
			InputSchema       struct {
				Properties map[string]any
				Required   []string
			}
			Annotations struct {
				ReadOnlyHint, DestructiveHint, IdempotentHint, OpenWorldHint *bool
			}
		}
	}
	if err := json.Unmarshal(all[1].Result, &res); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"list": "false false false false", "list_query": "true false true false",
		"list_session": "false true false false", "list_help": "true false true false"}
	if len(res.Tools) != len(want) {
		t.Fatalf("%d tools, want 4", len(res.Tools))
	}
	for _, tool := range res.Tools {
		a := tool.Annotations
		if got := fmt.Sprint(*a.ReadOnlyHint, *a.DestructiveHint, *a.IdempotentHint, *a.OpenWorldHint); got != want[tool.Name] {
			t.Errorf("%s: read-only, destructive, idempotent, open world = %s, want %s", tool.Name, got, want[tool.Name])
		}
		if tool.Name == "list" {
			for _, part := range []string{"add TEXT", "@recent[:N]", "list_session", "! error", "digest"} {
				if !strings.Contains(tool.Description, part) {
					t.Errorf("the description does not hold %q", part)
				}
			}
			if !slices.Equal(tool.InputSchema.Required, []string{"ops"}) {
				t.Errorf("required: %v", tool.InputSchema.Required)
			}
		}
	}
	again := talk(t, start(t, t.TempDir(), false), initialize, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if !bytes.Equal(all[1].Result, again[1].Result) {
		t.Error("tools/list is not the same text in two runs")
	}
}

func TestUnifiedServesFourToolsForAllDomains(t *testing.T) {
	s := start(t, t.TempDir(), true)
	all := talk(t, s, initialize,
		call(1, "fcp_session", map[string]any{"action": `new list "A"`}),
		call(2, "fcp_edit", map[string]any{"ops": []string{"add x"}}),
		call(3, "fcp_query", map[string]any{"q": "map"}),
		call(4, "fcp_help", map[string]any{}),
		`{"jsonrpc":"2.0","id":5,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"fcp://list/A/model"}}`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"fcp://list/B/model"}}`)
	for _, m := range all {
		if string(m.ID) == "6" && !strings.Contains(string(m.Result), `#list A\nx"`) {
			t.Errorf("the model: %s %v", m.Result, m.Error)
		}
		if string(m.ID) == "7" && (m.Error == nil || !strings.Contains(m.Error.Message, "no such document is open")) {
			t.Errorf("the model of a document that is not open: %s %v", m.Result, m.Error)
		}
	}
	if got := answer(t, all, 3).text(); got != "#list A\nx" {
		t.Errorf("map: %q", got)
	}
	if got := answer(t, all, 4).text(); !strings.Contains(got, "add TEXT") || !strings.Contains(got, `In "A"`) {
		t.Errorf("help: %q", got)
	}
	for _, m := range all {
		if string(m.ID) == "5" && strings.Count(string(m.Result), `"inputSchema"`) != 4 {
			t.Errorf("tools/list: %s", m.Result)
		}
	}
}

func TestInitializeNamesTheRealVersion(t *testing.T) {
	all := talk(t, start(t, t.TempDir(), false), initialize)
	if s := string(all[0].Result); !strings.Contains(s, `"version":"1.2.3"`) || !strings.Contains(s, "list_session") && !strings.Contains(s, "D_session") {
		t.Errorf("initialize: %s", s)
	}
}

func TestPipelinedCallsGiveTheBytesOfSequentialOnes(t *testing.T) {
	dir := t.TempDir()
	lines := []string{initialize, action(1, `new "Pipe"`)}
	want := "#list Pipe"
	for i := range 200 {
		lines = append(lines, edit(10+i, fmt.Sprintf("add %d", i)))
		want += fmt.Sprintf("\n%d", i)
	}
	lines = append(lines, action(2, "save as:./p.list"))
	all := talk(t, start(t, dir, false), lines...)
	if got, _ := os.ReadFile(filepath.Join(dir, "p.list")); string(got) != want {
		t.Errorf("saved %d bytes, want %d: the calls ran out of order", len(got), len(want))
	}
	if len(all) < 203 {
		t.Errorf("%d answers, want every queued call answered at the end of input", len(all))
	}
}

func TestStructuredContentCarriesTheSameFacts(t *testing.T) {
	all := talk(t, serve(t, t.TempDir(), Config{Structured: true}, testwasm.List(t)), initialize, action(1, `new "S"`), edit(2, "add a", "add warn"), ask(3, "map"), edit(4, "add b", "remove nothing"))
	two := answer(t, all, 2)
	f := two.Structured
	if f.Document != "S" || !f.Dirty || f.Revision != 1 || f.Digest != "3 lines" || len(f.Results) != 2 || f.Results[0].Prefix != "+" || f.Results[0].IDs[0] != "a" || len(f.Warnings) != 1 {
		t.Errorf("structured: %+v", f)
	}
	if want := "+ a\n+ warn\n? line warn\n[3 lines]"; two.text() != want {
		t.Errorf("text %q, want %q", two.text(), want)
	}
	if three := answer(t, all, 3); three.Structured.Text != three.text() {
		t.Errorf("a query's text is not in its structured content")
	}
	four := answer(t, all, 4)
	want := "+ b\n! op 2 (remove nothing): no line \"nothing\"\n  try: add nothing\n! rolled back: 1 op undone, 0 not run\n[3 lines]"
	if !four.IsError || four.text() != want {
		t.Errorf("failed call: isError %v, %q", four.IsError, four.text())
	}
	if r := four.Structured.Results; len(r) != 3 || r[1].Try[0] != "add nothing" {
		t.Errorf("failed call, structured: %+v", r)
	}
}

func TestEveryToolBeforeAnySessionSaysWhatToDo(t *testing.T) {
	all := talk(t, start(t, t.TempDir(), false), initialize, edit(1, "add x"), ask(2, "map"), action(3, "save"), action(4, "undo"), call(5, "list_help", map[string]any{}))
	for id := 1; id <= 4; id++ {
		c := answer(t, all, id)
		if !c.IsError || !strings.HasPrefix(c.text(), "! no document open\n  try: list_session new \"Title\"") {
			t.Errorf("call %d: %q", id, c.text())
		}
	}
	if c := answer(t, all, 5); c.IsError || !strings.Contains(c.text(), "reference card") {
		t.Errorf("help: %q", c.text())
	}
}

func TestArgumentsOfTheWrongKindGetWords(t *testing.T) {
	all := talk(t, start(t, t.TempDir(), false), initialize, action(1, `new "W"`),
		call(2, "list", map[string]any{"ops": map[string]any{"op": "add x"}}),
		call(3, "list", map[string]any{"ops": []any{1}}),
		call(4, "list", map[string]any{}),
		call(5, "list_query", map[string]any{"q": 7}),
		call(6, "list_session", nil),
		call(7, "list", map[string]any{"ops": []string{}}),
		call(8, "list", map[string]any{"ops": []string{strings.Repeat("x", 1<<20)}}),
		call(9, "list", map[string]any{"ops": []string{"add y"}, "document": "other"}),
		call(10, "list", map[string]any{"ops": []string{"add y"}, "doc": "other"}),
		call(11, "list_help", map[string]any{"about": "ops"}),
		call(12, "list", []string{"add y"}),
		call(13, "list_query", map[string]any{"Q": "map"}),
		call(14, "list", map[string]any{"ops": []any{[]string{"add y"}}}),
		ask(15, "map"))
	for id, want := range map[int]string{
		2: "must be a list of strings", 3: "must be a string", 4: "ops is missing", 5: "must be a string",
		6: "action is missing", 7: "ops is empty", 8: "the limit is 65536", 9: `no open document is named "other"`,
		10: `list takes no argument "doc"; it takes document, ops, then`, 11: `list_help takes no argument "about"; it takes topic`,
		12: "the arguments of list must be an object, not an array", 13: `takes no argument "Q"; it takes document, q`,
		14: "each must be a string, not an array",
	} {
		c := answer(t, all, id)
		if !c.IsError || !strings.Contains(c.text(), want) {
			t.Errorf("call %d: %.200q, want %q in it", id, c.text(), want)
		}
		if len(c.text()) > 2000 {
			t.Errorf("call %d: the error has %d bytes", id, len(c.text()))
		}
	}
	if c := answer(t, all, 15); c.text() != "#list W" {
		t.Errorf("after calls that were refused the document is %q", c.text())
	}
}

func TestWhatIsNotAMessageIsAnsweredAndTheServerLives(t *testing.T) {
	all := talk(t, start(t, t.TempDir(), false), initialize, `not json`, `[]`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":2,"method":"no/such"}`, call(3, "no_tool", nil), `{"jsonrpc":"2.0","id":4,"method":"ping"}`)
	errors := 0
	for _, m := range all {
		if m.Error != nil {
			errors++
		}
		if string(m.ID) == "4" && m.Error != nil {
			t.Error("ping failed after garbage")
		}
	}
	if errors != 5 {
		t.Errorf("%d protocol errors, want 5: %v", errors, all)
	}
}

func TestACancelledQueuedCallDoesNotRun(t *testing.T) {
	lines := []string{initialize, action(1, `new "C"`)}
	for i := range 50 {
		lines = append(lines, edit(100+i, "add x n:1000"))
	}
	lines = append(lines, edit(2, "add cancelled"), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, ask(3, "history 100"))
	all := talk(t, start(t, t.TempDir(), false), lines...)
	if strings.Contains(answer(t, all, 3).text(), "cancelled") {
		t.Error("the cancelled call left an op")
	}
}

// pipe is a pipe of the system, as a client has it: what is written waits in it
// for a reader.
func pipe(t *testing.T) (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

func TestResourcesFollowTheDocuments(t *testing.T) {
	s := start(t, t.TempDir(), false)
	pr, pw := pipe(t)
	outR, outW := pipe(t)
	done := make(chan error, 1)
	go func() { done <- s.ServeStdio(t.Context(), pr, outW); outW.Close() }()
	lines := bufio.NewScanner(outR)
	lines.Buffer(nil, 1<<20)
	send := func(l string) { fmt.Fprintln(pw, l) }
	// next reads until a message with the id, or the notification, and returns it with those before.
	next := func(id, method string) (message, []message) {
		var before []message
		for lines.Scan() {
			var m message
			if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
				t.Fatal(err)
			}
			if id != "" && string(m.ID) == id || method != "" && m.Method == method {
				return m, before
			}
			before = append(before, m)
		}
		t.Fatalf("the server ended before %s%s", id, method)
		return message{}, nil
	}
	for _, l := range strings.Split(initialize, "\n") {
		send(l)
	}
	next(`"init"`, "")
	send(action(1, `new "A B"`))
	next("", "notifications/resources/list_changed")
	send(`{"jsonrpc":"2.0","id":2,"method":"resources/list"}`)
	if m, _ := next("2", ""); !strings.Contains(string(m.Result), `fcp://list/A%20B/model`) || strings.Contains(string(m.Result), "preview") {
		t.Errorf("resources: %s", m.Result)
	}
	send(`{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"fcp://list/A%20B/model"}}`)
	next("3", "")
	send(edit(4, "add x"))
	if m, _ := next("", "notifications/resources/updated"); !strings.Contains(string(m.Params), "A%20B/model") {
		t.Errorf("update: %s", m.Params)
	}
	send(`{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"fcp://list/A%20B/model"}}`)
	if m, _ := next("5", ""); !strings.Contains(string(m.Result), `#list A B\nx`) {
		t.Errorf("model: %s", m.Result)
	}
	send(`{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"fcp://list/A%20B/session"}}`)
	if m, _ := next("6", ""); !strings.Contains(string(m.Result), `unsaved changes: yes`) {
		t.Errorf("session: %s", m.Result)
	}
	send(`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"fcp://list/A%20B/preview"}}`)
	if m, _ := next("7", ""); len(m.Result) > 0 {
		t.Errorf("a preview of a domain without: %s", m.Result)
	}
	pw.Close()
	for lines.Scan() {
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

func TestAModernClientHearsOnlyWhatItListensFor(t *testing.T) {
	callTool := func(id int, tool, args string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,%s}}`, id, tool, args, modern)
	}
	s := start(t, t.TempDir(), false)
	all := talk(t, s,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{`+modern+`}}`,
		callTool(2, "list_session", `{"action":"new \"A\""}`))
	for _, m := range all {
		if m.Method != "" {
			t.Errorf("%s reached a client that did not ask for it", m.Method)
		}
	}
	if !strings.Contains(string(all[0].Result), "2026-07-28") {
		t.Errorf("server/discover: %s", all[0].Result)
	}

	pr, pw := pipe(t)
	outR, outW := pipe(t)
	done := make(chan error, 1)
	go func() { done <- s.ServeStdio(t.Context(), pr, outW); outW.Close() }()
	lines := bufio.NewScanner(outR)
	fmt.Fprintln(pw, `{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["fcp://list/A/model"]},`+modern+`}}`)
	lines.Scan() // the acknowledgement
	fmt.Fprintln(pw, callTool(8, "list", `{"ops":["add x"]}`))
	var got []string
	for len(got) < 2 && lines.Scan() {
		got = append(got, lines.Text())
	}
	pw.Close()
	for lines.Scan() {
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if text := strings.Join(got, "\n"); strings.Contains(text, "list_changed") || !strings.Contains(text, "resources/updated") || !strings.Contains(text, `"io.modelcontextprotocol/subscriptionId":7`) {
		t.Errorf("the stream holds:\n%s", text)
	}
}

func TestADoneContextEndsTheServerCleanly(t *testing.T) {
	s := start(t, t.TempDir(), false)
	ctx, cancel := context.WithCancel(t.Context())
	pr, _ := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.ServeStdio(ctx, pr, io.Discard) }()
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestUnracedAnOverlongLineIsRefusedAndTheNextOneServed(t *testing.T) {
	testwasm.Unraced(t)
	var lines []string
	long := 0
	in := io.MultiReader(strings.NewReader("one\n"), io.LimitReader(zeros{}, maxLine+5), strings.NewReader("\ntwo"))
	r := newLineReader(in, func() { long++ })
	for {
		line, err := r.next()
		if line != nil {
			lines = append(lines, string(line))
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if long != 1 || !slices.Equal(lines, []string{"one", "two"}) {
		t.Errorf("%d long lines, %q", long, lines)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// stuck is a client that reads nothing until it is told to.
type stuck struct {
	entered, read chan struct{}
	got           bytes.Buffer
}

func (s *stuck) Write(b []byte) (int, error) {
	s.entered <- struct{}{}
	<-s.read
	return s.got.Write(b)
}

func TestAnAnswerThatWasBegunIsWholeWhenTheServerIsToldToEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	in, inW := io.Pipe()
	defer inW.Close()
	out := &stuck{entered: make(chan struct{}), read: make(chan struct{})}
	done := make(chan error, 1)
	go func() { done <- start(t, t.TempDir(), false).ServeStdio(ctx, in, out) }()
	fmt.Fprintln(inW, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	<-out.entered
	cancel()
	select {
	case <-done:
		close(out.read)
		t.Fatal("it ended in the middle of an answer")
	case <-time.After(50 * time.Millisecond): // long enough for one that does not wait
	}
	close(out.read)
	if err := <-done; err != nil || !strings.Contains(out.got.String(), `"id":1`) {
		t.Errorf("%v, answered %q", err, out.got.String())
	}
}

func TestARefusedActionShowsWhereTheDocumentStands(t *testing.T) {
	refused := []string{"undo 0", "undo x", "undo to:zz", "redo", "redo 0", "undo batch 3", "close", "save", "save as:", "save as:/etc/x", "use nope", "use", "batch zz", "batch",
		"checkpoint", "checkpoint a b", "export", "export pdf", "export upper", "export upper as:/etc/x", "open nope", "open", "open /etc/passwd", `new "x" y:1`, "new a b", "nonsense", "sve",
		"enable", "recover", "recover 7", "discard", "discard all", "include nope", "include", `save "open`, "", `"save"`, "status 1", "documents x:1"}
	for _, unified := range []bool{false, true} {
		edit, session, first, use := "list", "list_session", `new "A"`, "use A"
		if unified {
			edit, session, first = "fcp_edit", "fcp_session", `new list "A"`
		}
		lines := []string{initialize, call(1, session, map[string]any{"action": first}), call(2, edit, map[string]any{"ops": []string{"add x", "add y"}}),
			call(3, session, map[string]any{"action": strings.Replace(first, "A", "B", 1) + " as:b"}), call(4, session, map[string]any{"action": use})}
		for i, a := range refused {
			lines = append(lines, call(100+i, session, map[string]any{"action": a}))
			if a != "close" { // b has no changes
				lines = append(lines, call(200+i, session, map[string]any{"action": a, "document": "b"}))
			}
		}
		all := talk(t, start(t, t.TempDir(), unified), lines...)
		for i, a := range refused {
			for id, digest := range map[int]string{100 + i: "[3 lines]", 200 + i: "[1 lines]"} {
				if a == "close" && id >= 200 {
					continue
				}
				c := answer(t, all, id)
				lines := strings.Split(c.text(), "\n")
				if !c.IsError || !strings.HasPrefix(c.text(), "! ") || lines[len(lines)-1] != digest || strings.Count(c.text(), "\n[") != 1 {
					t.Errorf("%s %q (%d): isError %v\n%s", session, a, id/100, c.IsError, c.text())
				}
			}
		}
	}
}
