package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// A call on the fast path, which decodes it once, is answered as by mcp-go. A revision in _meta, which clients of these
// revisions do not send, disables the fast path.
func TestACallOnTheFastPathIsAnsweredLikeAnyOther(t *testing.T) {
	params := []string{
		`{"name":"list_session","arguments":{"action":"new \"A\""}%s}`,
		`{"name":"list","arguments":{"ops":["add one","add two <&> é \u2028"]}%s}`,
		`{"name":"list","arguments":{"ops":["add three","nonsense"]}%s}`,
		`{"name":"list","arguments":{"ops":["add four"],"then":["map"]}%s}`,
		`{"name":"list","arguments":{"ops":"add five"}%s}`,
		`{"name":"list_query","arguments":{"q":"map"}%s}`,
		`{"name":"list_query","arguments":{"q":7}%s}`,
		`{"name":"list_query","arguments":null%s}`,
		`{"name":"list_query","arguments":[]%s}`,
		`{"name":"list_query","arguments":"map"%s}`,
		`{"name":"list_query"%s}`,
		`{"name":"list_help","arguments":{}%s}`,
		`{"name":"none","arguments":{}%s}`,
		`{"name":7%s}`,
		`{"arguments":{}%s}`,
	}
	talk := func(meta string) map[string]string { // answers by id; notifications come at any time
		lines := []string{initialize}
		for i, p := range params {
			lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":`+p+`}`, i, meta))
		}
		answers := map[string]string{}
		for _, line := range raw(t, start(t, t.TempDir(), false), strings.Join(lines, "\n")) {
			if id := decode(t, []byte(line))[0].ID; id != nil {
				answers[string(id)] = line
			}
		}
		return answers
	}
	want := talk(`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-06-18"}`)
	for _, meta := range []string{"", `,"_meta":{}`, `,"_meta":null`, `,"_meta":{"progressToken":1,"x":{"y":[]}}`} {
		got := talk(meta)
		for i, p := range params {
			if id := fmt.Sprint(i); got[id] != want[id] || got[id] == "" {
				t.Errorf("with %q, %s:\n%s\nwant\n%s", meta, p, got[id], want[id])
			}
		}
	}
}

func TestOnlyPlainCallsTakeTheFastPath(t *testing.T) {
	const call = `"method":"tools/call","params":{"name":"list_query","arguments":{"q":"map"}`
	for line, want := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,` + call + `}}`:                                                         true,
		`{"jsonrpc":"2.0","id":-1,` + call + `}}`:                                                        true,
		`{"jsonrpc":"2.0","id":"a",` + call + `,"_meta":{"progressToken":"p"}}}`:                         true,
		`{"id":1,` + call + `}}`:                                                                         false,
		`{"jsonrpc":"1.0","id":1,` + call + `}}`:                                                         false,
		`{"jsonrpc":"2.0",` + call + `}}`:                                                                false,
		`{"jsonrpc":"2.0","id":null,` + call + `}}`:                                                      false,
		`{"jsonrpc":"2.0","id":{},` + call + `}}`:                                                        false,
		`{"jsonrpc":"2.0","id":true,` + call + `}}`:                                                      false,
		`{"jsonrpc":"2.0","id":1,"result":{},` + call + `}}`:                                             false,
		`{"jsonrpc":"2.0","id":1,` + call + `,"task":{}}}`:                                               false,
		`{"jsonrpc":"2.0","id":1,` + call + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"x"}}}`: false,
	} {
		var e envelope
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.plain() != want {
			t.Errorf("%s: %v, %v", line, e.plain(), err)
		}
	}
}

func TestARunningCallCanBeCancelledAndOthersAreRead(t *testing.T) {
	s := startEmpty(t)
	started, ended := make(chan string), make(chan error)
	s.toolByName.Store(&map[string]tool{"slow": {queue: "slow", call: func(ctx context.Context, args any, _ *mcp.Meta) *mcp.CallToolResult {
		started <- fmt.Sprint(args)
		<-ctx.Done()
		ended <- ctx.Err()
		return mcp.NewToolResultText("over")
	}}})
	in, feed := io.Pipe()
	out, written := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- s.ServeStdio(t.Context(), in, written) }()
	answers := newLineReader(out, nil)
	read := func() string {
		line, err := answers.next()
		if err != nil {
			t.Fatal(err)
		}
		return string(line)
	}
	send := func(id, args string) {
		fmt.Fprintf(feed, `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"slow","arguments":%s}}`+"\n", id, args)
	}
	cancel := func(id string) {
		fmt.Fprintf(feed, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`+"\n", id)
	}
	send("1.0", "1")
	if got := <-started; got != "1" {
		t.Errorf("started %s", got)
	}
	send(`"b"`, "2") // waits for the first
	send("3", "3")   // is cancelled before it starts
	cancel("3")
	fmt.Fprintln(feed, `{"jsonrpc":"2.0","id":4,"method":"ping"}`)
	if got := read(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":4,`) {
		t.Errorf("beside a running call, ping is answered %s", got)
	}
	cancel("1.0")
	if err := <-ended; err != context.Canceled {
		t.Error(err)
	}
	if got := read(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1.0,`) {
		t.Errorf("answered %s", got)
	}
	if got := <-started; got != "2" {
		t.Errorf("then started %s", got)
	}
	cancel(`"b"`)
	<-ended
	read()
	feed.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
