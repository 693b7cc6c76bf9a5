package mcpserver

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestWaitingCallsDelayNoOthers(t *testing.T) {
	w := newWorld()
	set := typedSet(t, w, testwasm.List(t))
	s := typedServer(t, set, Config{}, false, "world")
	c := connect(t, s)
	c.send(initialize)
	c.next()
	c.send(call(1, "world_session", map[string]any{"action": `new "A" as:A`}), call(2, "world_session", map[string]any{"action": `new "B" as:B`}), action(3, `new "L"`))
	for range 3 {
		c.next()
	}
	for i := range 64 {
		c.send(rawCall(100+i, "thing_get", `{"path":["hold"]}`))
	}
	for range 16 {
		<-w.held
	}
	// Sixteen calls and one on a document of the same domain wait for the world; other calls are served.
	c.send(rawCall(200, "thing_push", `{"path":["hold"]}`)) // works on B
	<-w.held
	c.send(call(201, "world", map[string]any{"ops": []string{"add behind"}, "document": "B"}), // waits for B
		call(202, "world", map[string]any{"ops": []string{"add x"}, "document": "A"}), edit(203, "add y"),
		call(204, "world_query", map[string]any{"q": "status", "document": "B"}))
	// The view says that B does not answer meanwhile; actions on A work.
	open := string(s.appView().Answer(t.Context(), []byte(`{"do":"state"}`)))
	if !strings.Contains(open, `"name":"B","title":"B","dirty":false,"waits":true}`) || strings.Count(open, "waits") != 1 {
		t.Errorf("a person is told that these are open: %s", open)
	}
	for _, what := range []string{`"do":"show"`, `"do":"act","action":"undo"`, `"do":"act","action":"checkpoint C"`, `"do":"hear"`} {
		if got := string(s.appView().Answer(t.Context(), []byte(`{"domain":"world","name":"B",`+what+`}`))); !strings.Contains(got, "a call waits") {
			t.Errorf("%s under a call that waits is answered %s", what, got)
		}
	}
	if got := string(s.appView().Answer(t.Context(), []byte(`{"domain":"world","name":"A","do":"act","action":"checkpoint C"}`))); !strings.Contains(got, `"failed":false`) {
		t.Errorf("a checkpoint beside it is answered %s", got)
	}
	seen := map[string]bool{}
	for range 3 {
		id, m := c.next()
		if seen[id] = true; m.Error != nil || strings.Contains(string(m.Result), `"isError":true`) {
			t.Errorf("%s: %s %v", id, m.Result, m.Error)
		}
	}
	if !seen["202"] || !seen["203"] || !seen["204"] {
		t.Errorf("answered first: %v", seen)
	}
	select {
	case <-w.held:
		t.Error("more than 16 calls are at work")
	default:
	}
	// Waiting calls are cancelled, running or still queued.
	for _, id := range []int{100, 163} {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
		got, m := c.next()
		if got != fmt.Sprint(id) || !strings.Contains(string(m.Result), "was cancelled") {
			t.Errorf("cancelling %d: %s %s", id, got, m.Result)
		}
	}
	<-w.held // the request of the cancelled call
	close(w.let)
	order := []string{}
	for range 62 + 2 {
		id, m := c.next()
		if m.Error != nil || strings.Contains(string(m.Result), `"isError":true`) {
			t.Errorf("%s: %s %v", id, m.Result, m.Error)
		}
		if id == "200" || id == "201" {
			order = append(order, id)
		}
	}
	if !slices.Equal(order, []string{"200", "201"}) {
		t.Errorf("on B, %v were done in this order", order)
	}
}

func TestNoWaitingCallIsRepeatedWhenTheWorkerDies(t *testing.T) {
	w := newWorld()
	set := typedSet(t, w)
	c := connect(t, typedServer(t, set, Config{}, false, "world"))
	c.send(initialize)
	c.next()
	for i := range 3 {
		c.send(rawCall(i, "thing_post", `{"path":["hold"]}`))
	}
	for range 3 {
		<-w.held
	}
	worker, err := os.FindProcess(set.Catalog().Domains[0].Plugin().Stats().PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Kill(); err != nil {
		t.Fatal(err)
	}
	close(w.let)
	for range 3 {
		id, m := c.next()
		if got := string(m.Result); !strings.Contains(got, "whether it took effect is not known, and it is not repeated") {
			t.Errorf("call %s: %s", id, got)
		}
	}
	if n := len(w.held); n != 0 {
		t.Errorf("%d requests were made again", n)
	}
	c.send(rawCall(9, "thing_echo", `{"text":"on"}`))
	if _, m := c.next(); !strings.Contains(string(m.Result), `"text":"on"`) {
		t.Errorf("afterwards: %s", m.Result)
	}
}

func TestTheEndOfTheServerEndsWaiting(t *testing.T) {
	w := newWorld()
	s := typedServer(t, typedSet(t, w), Config{}, false, "world")
	in, lines := io.Pipe()
	defer lines.Close()
	ctx, stop := context.WithCancel(t.Context())
	var out strings.Builder
	ended := make(chan error, 1)
	go func() { ended <- s.ServeStdio(ctx, in, &out) }()
	for _, line := range []string{initialize, rawCall(1, "thing_get", `{"path":["hold"]}`)} {
		if _, err := io.WriteString(lines, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	<-w.held
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := toolAnswer(t, decode(t, []byte(out.String())), 1); !strings.Contains(got, "was cancelled while it waited") {
		t.Errorf("got %s", got)
	}
}

func TestNoSessionGetsAnInstanceThatAnotherOneUsed(t *testing.T) {
	set := typedSet(t, newWorld())
	plug := set.Catalog().Domains[0].Plugin()
	a, b := typedServer(t, set, Config{}, false, "world"), typedServer(t, set, Config{}, false, "world")
	lines := []string{initialize}
	for i := range 3 {
		lines = append(lines, rawCall(i, "thing_echo", `{"text":"a"}`))
	}
	talk(t, a, lines...)
	mine := plug.Stats().Instances
	if mine == 0 || mine > 3 {
		t.Fatalf("%d instances", mine)
	}
	talk(t, b, initialize, rawCall(1, "thing_echo", `{"text":"a"}`))
	if n := plug.Stats().Instances; n != mine+1 {
		t.Errorf("the other session's call leaves %d instances, want %d", n, mine+1)
	}
	talk(t, b, initialize, rawCall(1, "thing_echo", `{"text":"a"}`))
	if n := plug.Stats().Instances; n != mine+1 {
		t.Errorf("its second call leaves %d instances, want %d", n, mine+1)
	}
	talk(t, b, initialize, rawCall(1, "thing_panic", `{}`))
	if n := plug.Stats().Instances; n != mine {
		t.Errorf("a call that failed leaves %d instances, want %d", n, mine)
	}
	a.session.Close()
	if n := plug.Stats().Instances; n != 0 {
		t.Errorf("a session that is closed leaves %d instances", n)
	}
}

func BenchmarkTenCallsOfTwoHundredMilliseconds(b *testing.B) {
	c := connect(b, typedServer(b, typedSet(b, newWorld()), Config{}, false, "world"))
	c.send(initialize)
	c.next()
	lines := make([]string, 10)
	for i := range lines {
		lines[i] = rawCall(i, "thing_wait", `{"ms":200}`)
	}
	for b.Loop() {
		c.send(lines...)
		for range lines {
			c.next()
		}
	}
}
