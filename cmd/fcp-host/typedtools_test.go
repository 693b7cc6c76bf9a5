package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// Ten calls of a typed tool are at the server at once: it answers none before all are there.
func TestTypedToolsReachTheirServerSideBySide(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	all.Add(10)
	url, saw := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/n") {
			all.Done()
			all.Wait()
		}
		echoed(w, r)
	})
	ungranted := enter(t, append(worldConfig(t, url, worldKey, ""), "--tools", "world")...)
	if got := ungranted.wait(ungranted.send("thing_get", map[string]any{"path": []string{"a"}})); !got.failed || !strings.Contains(got.text, "thing_get: it needs http:api, which is not granted; start fcp-host with --grant world=http:api") {
		t.Errorf("without a grant: %+v", got)
	}
	if n := saw.all(); n != 0 {
		t.Errorf("the server saw %d requests", n)
	}
	a := enter(t, append(worldConfig(t, url, worldKey, `grant = ["http:api"]`), "--tools", "world")...)
	var ids []int
	for i := range 10 {
		ids = append(ids, a.send("thing_get", map[string]any{"path": []string{fmt.Sprint("n", i)}}))
	}
	for i, id := range ids {
		if got := a.wait(id); got.failed || !strings.Contains(got.text, fmt.Sprintf(`{"text":"200 GET /n%d"}`, i)) {
			t.Errorf("call %d: %+v", i, got)
		}
	}
	// What only reads may not send.
	if got := a.wait(a.send("thing_sneak", map[string]any{"path": []string{"a"}})); !got.failed && !strings.Contains(got.text, "only reads") || saw.count("POST /a") != 0 {
		t.Errorf("a tool that says it only reads: %+v", got)
	}
	if got := a.wait(a.send("thing_post", map[string]any{"path": []string{"a"}, "text": "b"})); got.failed || saw.count("POST /a") != 1 {
		t.Errorf("a tool that does not: %+v", got)
	}
	a.unharmed()
}
