package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// raw sends all lines at once and returns the lines that come back.
func raw(t *testing.T, s *Server, input string) (lines []string) {
	t.Helper()
	var out bytes.Buffer
	if err := s.ServeStdio(t.Context(), strings.NewReader(input), &out); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestAnIDComesBackByteForByte(t *testing.T) {
	for _, id := range []string{`0`, `-0`, `1.0`, `1e3`, `9007199254740993`, `123456789012345678901234567890`, `0.10`, `"a"`, `""`, `"\u0041\/<>&"`, `"\\\"é"`, `" "`} {
		for _, request := range []string{
			`"method":"ping"`,
			`"method":"no/such"`,
			`"method":"tools/list","params":[]`,
			`"method":"tools/call","params":{"name":"list_query","arguments":{"q":"map"}}`,
			`"method":"tools/call","params":{"name":"none"}`,
			`"method":"resources/read","params":{"uri":"fcp://list/none/model"}`,
		} {
			got := raw(t, startEmpty(t), fmt.Sprintf(`{"jsonrpc":"2.0","id": %s ,%s}`, id, request))
			if want := `{"jsonrpc":"2.0","id":` + id + `,"`; len(got) != 1 || !strings.HasPrefix(got[0], want) {
				t.Errorf("%s %s: answered %.80q", id, request, got)
			}
		}
	}
}

func TestAnIDComesBackByteForByteOverHTTP(t *testing.T) {
	w := startHTTP(t, 0)
	session := map[string]string{"Mcp-Session-Id": w.join()}
	modernPing := map[string]string{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
	for _, id := range []string{`7`, `1.0`, `9007199254740993`, `"\u0041\/<>&"`, `"a"`} {
		for _, c := range []struct {
			head    map[string]string
			request string
		}{
			{session, `"method":"tools/call","params":{"name":"list_session","arguments":{"action":"new \"A\""}}`},
			{session, `"method":"no/such"`},
			{modernPing, `"method":"tools/list","params":{` + modern + `}`},
		} {
			_, m := w.send("POST", `{"jsonrpc":"2.0","id":`+id+`,`+c.request+`}`, c.head)
			if string(m.ID) != id || m.Result == nil && m.Error == nil {
				t.Errorf("%s %s: answered %s %s %v", id, c.request, m.ID, m.Result, m.Error)
			}
		}
	}
}

func TestACancellationMeansTheCallWhoseIDItNames(t *testing.T) {
	for _, id := range []string{`7`, `1.0`, `9007199254740993`} {
		call := standIn(json.RawMessage(id))
		cancel := standIn(json.RawMessage(id))
		if !bytes.Equal(call, cancel) || (call == nil) != (id == "7") {
			t.Errorf("%s is %s and %s", id, call, cancel)
		}
	}
	if bytes.Equal(standIn(json.RawMessage("1.0")), standIn(json.RawMessage("1.00"))) {
		t.Error("two ids have one stand-in")
	}
}

// startEmpty starts a server without domains.
func startEmpty(t *testing.T) *Server {
	t.Helper()
	return New(Config{Version: "1", Session: emptySession(t), Log: discard})
}

func TestAByteOrderMarkIsNoPartOfAMessage(t *testing.T) {
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, input := range []string{"\ufeff" + ping, "\ufeff\n" + ping, "\ufeff " + ping + "\r\n"} {
		if got := raw(t, startEmpty(t), input); len(got) != 1 || strings.Contains(got[0], "error") {
			t.Errorf("%q is answered %q", input, got)
		}
	}
	if got := raw(t, startEmpty(t), ping+"\n\ufeff"+ping); len(got) != 2 || strings.Contains(got[1], "error") {
		t.Errorf("a mark before a later message is answered %q", got)
	}
}

func TestParamsThatAreNotAnObjectAreRefusedByTheHost(t *testing.T) {
	for _, params := range []string{"[]", `"x"`, "3"} {
		got := raw(t, startEmpty(t), `{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":`+params+`}`)
		want := `{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-32602,"message":"params must be an object"}}`
		if len(got) != 1 || strings.TrimSpace(got[0]) != want {
			t.Errorf("%s is answered %q", params, got)
		}
	}
}

func TestANumberThatNothingCanHoldIsRefusedByTheHost(t *testing.T) {
	for arguments, huge := range map[string]bool{
		`{"x":` + strings.Repeat("1", 400) + `}`: true, `{"x":[-1e999]}`: true, `{"x":1E+400}`: true,
		`{"x":"` + strings.Repeat("1", 400) + `"}`: false, `{"x":"\"1e999"}`: false, `{"x":0.` + strings.Repeat("1", 400) + `}`: false, `{"x":1e-999}`: false, `{"1e999":1e308}`: false,
	} {
		message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":` + arguments + `}}`
		got := raw(t, startEmpty(t), message)
		want := `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params hold a number that is too large"}}`
		if len(got) != 1 || (strings.TrimSpace(got[0]) == want) != huge || strings.Contains(got[0], "unmarshal") {
			t.Errorf("%.60s is answered %.300q", arguments, got)
		}
		w := startHTTP(t, 0)
		if res, _ := w.send("POST", message, map[string]string{"Mcp-Session-Id": w.join()}); (res.StatusCode == http.StatusBadRequest) != huge {
			t.Errorf("over HTTP %.60s is answered %s", arguments, res.Status)
		}
	}
}

func TestALargeProgressTokenStaysExact(t *testing.T) {
	const line = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":9007199254740993}}}`
	seen := make(chan string, 1)
	tell := func(ctx context.Context, meta *mcp.Meta) {
		exactToken(ctx, meta)
		token, _ := json.Marshal(meta.ProgressToken)
		seen <- string(token)
	}
	t.Run("over stdio", func(t *testing.T) {
		meta := &mcp.Meta{ProgressToken: float64(9007199254740993)}
		tell(withToken(t.Context(), tokenOf(meta, []byte(line))), meta)
		if got := <-seen; got != "9007199254740993" {
			t.Errorf("the token is %s", got)
		}
	})
	t.Run("over HTTP", func(t *testing.T) {
		s := server.NewMCPServer("slow", "1")
		s.AddTool(mcp.NewTool("slow"), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			tell(ctx, req.Params.Meta)
			return mcp.NewToolResultText("done"), nil
		})
		r := httptest.NewRequest("POST", HTTPPath, nil)
		r.Header.Set("Content-Type", "application/json")
		(&HTTP{}).post(httptest.NewRecorder(), r, "", &client{handler: server.NewStreamableHTTPServer(s, server.WithStateLess(true))}, []byte(line), readMessage([]byte(line)))
		if got := <-seen; got != "9007199254740993" {
			t.Errorf("the token is %s", got)
		}
	})
}

func TestABatchIsAnsweredByOneMessageWhereTheRevisionHasThem(t *testing.T) {
	hello := func(version string) string {
		return strings.Replace(initialize, "2025-06-18", version, 1) + "\n"
	}
	batch := "[" + strings.Join([]string{
		action(1, `new "A"`), edit(2, "add x"), `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`,
		edit(3, "add y"), `{"jsonrpc":"2.0","id":4,"method":"ping"}`, `7`, `[]`, ask(5, "map"),
	}, ",") + "]"
	got := raw(t, start(t, t.TempDir(), false), hello("2025-03-26")+batch+"\n"+`{"jsonrpc":"2.0","id":6,"method":"ping"}`)
	var answers []message
	for _, line := range got {
		if line[0] == '[' {
			if err := json.Unmarshal([]byte(line), &answers); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
		} else if strings.Contains(line, `"id":5`) {
			t.Errorf("an answer of the batch came by itself: %q", line)
		}
	}
	var ids []string
	for _, a := range answers {
		ids = append(ids, string(a.ID))
	}
	slices.Sort(ids)
	if want := []string{"1", "2", "3", "4", "5", "null", "null"}; !slices.Equal(ids, want) {
		t.Fatalf("the batch has answers to %v, want %v: %q", ids, want, got)
	}
	if text := answer(t, answers, 5).text(); text != "#list A\nx\ny" {
		t.Errorf("after the batch the document is %q", text)
	}

	notifications := `[{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]`
	if got := raw(t, startEmpty(t), hello("2025-03-26")+notifications); len(got) != 1 {
		t.Errorf("a batch of notifications is answered %q", got[1:])
	}
	cancelled := "[" + edit(8, "add z") + `,{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}},` + ask(9, "history") + "]"
	if got := raw(t, start(t, t.TempDir(), false), hello("2025-03-26")+cancelled); got[len(got)-1][0] != '[' {
		t.Errorf("a batch in which a call is cancelled is answered %q", got)
	}
	for _, other := range []string{hello("2025-06-18") + batch, hello("2025-03-26") + "[]"} {
		if got := raw(t, startEmpty(t), other); len(got) != 2 || !strings.Contains(got[1], `"error":{"code":-32`) {
			t.Errorf("answered %q", got)
		}
	}
}

func TestReadingAMissingResourceHasTheErrorCodeOfTheRevision(t *testing.T) {
	old := func(id int, uri string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":%q}}`, id, uri)
	}
	all := []string{action(1, `new "A"`), action(2, `new "B" as:b`), action(3, "close")}
	var want []int
	for _, uri := range []string{"fcp://list/b/model", "fcp://list/none/session", "fcp://none/A/model", "fcp://list/A/preview", "fcp://list/A/other", "fcp://list", "file:///etc/passwd"} {
		all = append(all, old(100+len(want), uri), strings.Replace(old(200+len(want), uri), `{"uri"`, "{"+modern+`,"uri"`, 1))
		want = append(want, len(want))
	}
	got := talk(t, start(t, t.TempDir(), false), append([]string{initialize}, all...)...)
	seen := 0
	for _, m := range got {
		var id int
		if json.Unmarshal(m.ID, &id) != nil || id < 100 {
			continue
		}
		seen++
		if code := map[int]int{1: -32002, 2: -32602}[id/100]; m.Error == nil || m.Error.Code != code {
			t.Errorf("request %d: %+v %s, want error %d", id, m.Error, m.Result, code)
		}
	}
	if seen != 2*len(want) {
		t.Errorf("%d answers", seen)
	}
}

func TestACallOfAToolThatIsNotThereSaysSoOnce(t *testing.T) {
	all := talk(t, start(t, t.TempDir(), false), initialize, call(1, "none", nil))
	w := startHTTP(t, 0)
	_, m := w.send("POST", call(1, "none", nil), map[string]string{"Mcp-Session-Id": w.join()})
	for _, m := range []message{all[len(all)-1], m} {
		if m.Error == nil || m.Error.Code != -32602 || m.Error.Message != "tool 'none' not found" {
			t.Errorf("the answer is %+v", m.Error)
		}
	}
}
