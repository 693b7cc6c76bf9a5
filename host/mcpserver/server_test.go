package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

var discard = slog.New(slog.DiscardHandler)

// pixel is a PNG of one pixel.
var pixel = func() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err)
	}
	return b.Bytes()
}()

const initialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}`

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
	// Hints that are left out have MCP's defaults; a read-only tool destroys nothing, whatever its hint.
	hint := func(given *bool, byDefault bool) bool {
		if given != nil {
			return *given
		}
		return byDefault
	}
	want := map[string]string{"list": "false false false false", "list_query": "true false true false",
		"list_session": "false true false false", "list_help": "true false true false"}
	if len(res.Tools) != len(want) {
		t.Fatalf("%d tools, want 4", len(res.Tools))
	}
	for _, tool := range res.Tools {
		a := tool.Annotations
		readOnly := hint(a.ReadOnlyHint, false)
		if got := fmt.Sprint(readOnly, hint(a.DestructiveHint, !readOnly), hint(a.IdempotentHint, false), hint(a.OpenWorldHint, true)); got != want[tool.Name] {
			t.Errorf("%s: read-only, destructive, idempotent, open world = %s, want %s", tool.Name, got, want[tool.Name])
		}
		if tool.Name == "list" {
			for _, part := range []string{"add TEXT", "@recent[:N]", "list_session", "! error", "list_help"} {
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

func TestStructuredContentCarriesTheSameFacts(t *testing.T) {
	all := talk(t, serve(t, t.TempDir(), Config{Structured: true}, testwasm.List(t)), initialize, action(1, `new "S"`), edit(2, "add a", "add warn"), ask(3, "map"), edit(4, "add b", "remove nothing"))
	two := answer(t, all, 2)
	f := two.Structured
	if f.Document != "S" || !f.Dirty || f.Revision != 1 || f.Digest != "3 lines" || len(f.Results) != 2 || f.Results[0].Prefix != "+" || f.Results[0].IDs[0] != "a" || len(f.Warnings) != 1 {
		t.Errorf("structured: %+v", f)
	}
	if want := "+ a\n+ warn\n? list| line warn\n[3 lines *unsaved]"; two.text() != want {
		t.Errorf("text %q, want %q", two.text(), want)
	}
	if three := answer(t, all, 3); three.Structured.Text != three.text() {
		t.Errorf("a query's text is not in its structured content")
	}
	four := answer(t, all, 4)
	want := "+ b\n! op 2 (remove nothing): no line \"nothing\"\n  try: add nothing\n! rolled back: 1 op undone, 0 not run\n[3 lines *unsaved]"
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

func TestArgumentsOfTheWrongTypeAreRefusedWithAReason(t *testing.T) {
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
		call(12, "list", []string{"add y"}),
		call(14, "list", map[string]any{"ops": []any{[]string{"add y"}}}),
		ask(15, "map"))
	for id, want := range map[int]string{
		2: "must be a list of strings", 3: "must be a string", 4: "ops is missing", 5: "must be a string",
		6: "action is missing", 7: "ops is empty", 8: "the limit is 65536", 9: `no open document is named "other"`,
		10: `no open document is named "other"`, 12: "the arguments of list must be an object, not an array", 14: "each must be a string, not an array",
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

func TestResourcesFollowTheDocuments(t *testing.T) {
	s := start(t, t.TempDir(), false)
	pr, pw := pipe(t)
	outR, outW := pipe(t)
	done := make(chan error, 1)
	go func() { done <- s.ServeStdio(t.Context(), pr, outW); outW.Close() }()
	lines := bufio.NewScanner(outR)
	lines.Buffer(nil, 1<<20)
	send := func(l string) { fmt.Fprintln(pw, l) }
	// next reads until the message with this id, or this notification, and returns it with those before.
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

func TestARefusedActionShowsTheStateOfTheDocument(t *testing.T) {
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
			for id, digest := range map[int]string{100 + i: "[A: 3 lines *unsaved]", 200 + i: "[1 lines]"} {
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
