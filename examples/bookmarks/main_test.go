package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// fake is a server for bookmarks; it refuses those of example.org.
func fake(links ...Link) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /bookmarks", func(w http.ResponseWriter, r *http.Request) {
		found := slices.DeleteFunc(slices.Clone(links), func(l Link) bool { return !strings.Contains(l.URL+l.Title, r.FormValue("q")) })
		json.NewEncoder(w).Encode(found)
	})
	mux.HandleFunc("POST /bookmarks", func(w http.ResponseWriter, r *http.Request) {
		var l Link
		if err := json.NewDecoder(r.Body).Decode(&l); err != nil || strings.Contains(l.URL, "example.org") {
			http.Error(w, "not here", http.StatusForbidden)
			return
		}
		links = append(links, l)
	})
	return mux
}

func TestBookmarksArePulledAndPushed(t *testing.T) {
	w := &pdktest.World{HTTP: map[string]http.Handler{"server": fake(Link{"https://go.dev", "Go"}, Link{"no url", ""})}}
	doc := pdktest.New(t, domain, "", w)
	doc.Do("add https://example.com Example", "add https://example.org")
	if got, want := doc.Session("pull", nil), "@ pulled 1 bookmarks\n? left out: \"no url\" is not a URL"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := string(doc.Save()); !strings.HasSuffix(got, "\nhttps://go.dev Go") {
		t.Errorf("the list is %q", got)
	}
	doc.Undo(1)
	doc.Redo(1)
	if len(w.Asked) != 1 {
		t.Errorf("undo and redo asked: %+v", w.Asked)
	}
	if got := doc.Session("push", nil); !strings.Contains(got, "sent 2 bookmarks") || !strings.Contains(got, "? https://example.org: the server answered 403: not here") {
		t.Errorf("push: %q", got)
	}
	if got, want := doc.Query("search .com"), "https://example.com Example\non the server: https://example.com Example"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got, err := pdktest.Tool(t, domain, "find_bookmarks", `{"text":"Go"}`, w)
	if want := `{"bookmarks":[{"url":"https://go.dev","title":"Go"}]}`; got != want || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestTheRestWorksWithoutTheServer(t *testing.T) {
	doc := pdktest.New(t, domain, "")
	doc.Do("add https://example.com Example")
	if got := doc.Query("search com"); got != "https://example.com Example\n(not asked: the server, which needs http:server)" {
		t.Errorf("got %q", got)
	}
	w := &pdktest.World{HTTP: map[string]http.Handler{"server": fake()}, Fail: func(*abi.Request) *abi.Failure {
		return &abi.Failure{Kind: abi.FailedTimeout, Message: "the server took too long", Sent: true}
	}}
	pdktest.New(t, domain, "", w).SessionFails("push", "the server took too long")
}

func TestTheLaws(t *testing.T) {
	pdktest.Laws(t, domain, "add https://a.b One", "add https://c.d", "add nonsense", "remove https://a.b", "remove https://a.b")
}
