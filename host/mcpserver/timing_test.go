package mcpserver

import (
	"bytes"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/host/timing"
)

// logged collects a debug log.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *logged) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// calls returns, for each log line about a call, what the call was and its times.
func (l *logged) calls(t *testing.T) (whats []string, times []map[string]int) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.buf.String()) {
		_, line, ok := strings.Cut(strings.TrimSpace(line), "level=DEBUG msg=call ")
		if !ok {
			continue
		}
		what, _, _ := strings.Cut(line, " total_us=")
		us := map[string]int{}
		for _, m := range regexp.MustCompile(` (\w+)_us=(\d+)`).FindAllStringSubmatch(line, -1) {
			us[m[1]], _ = strconv.Atoi(m[2])
		}
		whats, times = append(whats, what), append(times, us)
	}
	return whats, times
}

func TestEachCallLeavesALineThatSaysWhereItsTimeWent(t *testing.T) {
	s := start(t, t.TempDir(), false)
	log := &logged{}
	s.log = log.logger()
	lines := []string{action(1, `new "A"`), edit(2, "add one", "add two"), ask(3, "map"),
		`{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"fcp://list/A/model"}}`, call(5, "list", map[string]any{"x": "x"})}
	var out bytes.Buffer
	if err := s.ServeStdio(t.Context(), strings.NewReader(initialize+"\n"+strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	sent := map[string]int{} // bytes of the answers, by id
	for line := range bytes.Lines(out.Bytes()) {
		if m := decode(t, line)[0]; m.ID != nil {
			sent[string(m.ID)] = len(line)
		}
	}
	var want []string
	for i, what := range []string{"tool=list_session document=A ops=0", "tool=list document=A ops=2", "tool=list_query document=A ops=0",
		"tool=resources/read document=A ops=0"} {
		want = append(want, fmt.Sprintf("%s in=%d out=%d", what, len(lines[i]), sent[fmt.Sprint(i+1)]))
	}
	whats, times := log.calls(t)
	if strings.Join(whats[:4], "\n") != strings.Join(want, "\n") || len(whats) != 5 || !strings.HasPrefix(whats[4], `tool=list document=A ops=0 `) {
		t.Errorf("got\n%s\nwant\n%s\nand a refused call", strings.Join(whats, "\n"), strings.Join(want, "\n"))
	}
	for i, us := range times {
		sum := 0
		for phase, n := range us {
			if phase != "total" {
				sum += n
			}
		}
		if len(us) != 7 || sum > us["total"] || (us["guest"] == 0) == (i < 4) {
			t.Errorf("%s: %v", whats[i], us)
		}
	}
}

func TestCallsOverHTTPLeaveALineToo(t *testing.T) {
	log := &logged{}
	w := startLogged(t, log.logger())
	id := w.join()
	w.call(id, action(1, `new "A"`))
	w.call(id, edit(2, "add one", "add two"))
	whats, times := log.calls(t)
	want := fmt.Sprintf("tool=list document=A ops=2 in=%d out=", len(edit(2, "add one", "add two")))
	if len(whats) != 2 || !strings.HasPrefix(whats[1], want) || strings.HasSuffix(whats[1], "=0") || times[1]["guest"] == 0 {
		t.Errorf("got %q, %v", whats, times)
	}
}

func TestEachCallOfABatchLeavesALine(t *testing.T) {
	log := &logged{}
	w := startLogged(t, log.logger())
	res, _ := w.send("POST", strings.Replace(hello, "2025-11-25", "2025-03-26", 1), nil)
	var parents []string
	timing.Listen(func(m *timing.Measured) { parents = append(parents, m.Tool+" "+m.Carried.Parent+" "+m.Caused.Parent) })
	defer timing.Listen(nil)
	first, second := action(1, `new "A"`), strings.Replace(edit(2, "add one", "add two"), `"params":{`, `"params":{"_meta":{"traceparent":"of the message"},`, 1)
	w.send("POST", "["+first+","+second+"]", map[string]string{"Mcp-Session-Id": res.Header.Get("Mcp-Session-Id"), "traceparent": "of the request"})
	whats, _ := log.calls(t)
	if len(whats) != 2 || !strings.HasPrefix(whats[0], "tool=list_session document=A ops=0 in=") || !strings.HasPrefix(whats[1], fmt.Sprintf("tool=list document=A ops=2 in=%d out=", len(second))) || strings.HasSuffix(whats[1], "=0") {
		t.Errorf("got %q", whats)
	}
	if fmt.Sprint(parents) != "[list_session of the request  list of the request of the message]" {
		t.Errorf("told of %q", parents)
	}
}
