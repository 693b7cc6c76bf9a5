package document

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/journal"
)

// server stores remote decks: a body and a revision by name.
type server struct {
	world
	mu    sync.Mutex
	decks map[string]string
	moves map[string]int
	puts  int
	lose  bool          // requests take effect, but their answers are lost
	down  bool          // no request arrives
	slow  chan struct{} // answers wait until it is closed
	came  chan struct{} // gets a value for each request that waits
}

func newServer() *server {
	s := &server{decks: map[string]string{}, moves: map[string]int{}, came: make(chan struct{}, 1)}
	s.can, s.do = []string{"http:api"}, s.answer
	return s
}

// put stores a deck on behalf of somebody else.
func (s *server) put(name, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.decks[name] = text
	s.moves[name]++
}

func (s *server) answer(ctx context.Context, r abi.Request) abi.Outcome {
	if s.slow != nil {
		s.came <- struct{}{}
		select {
		case <-s.slow:
		case <-ctx.Done():
			return abi.Outcome{Failure: &abi.Failure{Kind: abi.FailedCancelled, Message: "cancelled", Sent: true}}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return abi.Outcome{Failure: &abi.Failure{Kind: abi.FailedDial, Message: "no connection"}}
	}
	name := r.HTTP.Path[0]
	tag := func() string { return fmt.Sprintf("r%d", s.moves[name]) }
	body, there := s.decks[name]
	out := &abi.HTTPResponse{Status: 200}
	switch {
	case r.HTTP.Method == "GET" && !there:
		out.Status = 404
	case r.HTTP.Method == "GET":
		out.Body = []byte(body)
	default:
		for _, h := range r.HTTP.Headers {
			if h.Key == "If-Match" && h.Value != tag() {
				out.Status = 412
			}
		}
		if out.Status == 200 {
			s.puts++
			s.decks[name] = string(r.HTTP.Body)
			s.moves[name]++
		}
		if s.lose {
			return abi.Outcome{Failure: &abi.Failure{Kind: abi.FailedTimeout, Message: "no answer in time", Sent: true}}
		}
	}
	out.Headers = []abi.KeyValue{{Key: "Etag", Value: tag()}}
	return abi.Outcome{HTTP: out}
}

// openRemoteDeck opens deck:d of a server in a folder of its own.
func openRemoteDeck(t testing.TB, s *server) *shelf {
	t.Helper()
	d := deck(t, s, nil)
	dir := t.TempDir()
	roots, err := files.NewRoots(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Fetch(ctx, d, t, "deck:d")
	if err != nil {
		t.Fatal(err)
	}
	doc, _, err := OpenRemote(ctx, d, roots, "D", got)
	if err != nil {
		t.Fatal(err)
	}
	out := &shelf{desk{t, doc, dir}, roots, d}
	t.Cleanup(func() { out.Close() })
	return out
}

func (s *shelf) there(srv *server, want string) {
	s.t.Helper()
	srv.mu.Lock()
	defer srv.mu.Unlock()
	if got := srv.decks["d"]; got != want {
		s.t.Errorf("the server has %q, want %q", got, want)
	}
}

func TestARemoteDocumentIsFetchedAndStored(t *testing.T) {
	srv := newServer()
	srv.put("d", "a.md=A\n")
	s := openRemoteDeck(t, srv)
	s.reads("a.md", "A")
	s.says(s.Status(ctx), `remote: deck:d (revision "r1")`, "unsaved changes: no")
	s.do("put b.md B")
	s.there(srv, "a.md=A\n") // autosave does not apply to remote documents
	if !s.Summary().Dirty {
		t.Error("clean with unsaved changes")
	}
	s.says(s.ok(s.Save(ctx, "", false)), `* stored deck:d (14 bytes, revision "r2"; others can still change it)`)
	s.there(srv, "a.md=A\nb.md=B\n")
	if s.Summary().Dirty {
		t.Error("dirty after it was stored")
	}
	s.do("put c.md C")
	srv.put("d", "theirs=T\n")
	s.says(s.bad(s.Save(ctx, "", false)), `! deck:d was changed by somebody else (revision "r3", this document is made from "r2"); nothing was stored`, "try: save force", "try: pull force", "try: save as:")
	s.there(srv, "theirs=T\n")
	s.says(s.ok(s.Save(ctx, "./copy.deck", false)), "* saved copy.deck (21 bytes), a copy; the document stays deck:d")
	if data, _ := os.ReadFile(filepath.Join(s.dir, "copy.deck")); string(data) != "a.md=A\nb.md=B\nc.md=C\n" || !s.Summary().Dirty {
		t.Errorf("the copy holds %q", data)
	}
	s.says(s.bad(s.Pull(ctx, false)), `! "D" has unsaved changes, which pull force drops`)
	s.ok(s.Save(ctx, "", true))
	s.there(srv, "a.md=A\nb.md=B\nc.md=C\n")
}

func TestPullReplacesTheDocumentByTheServersContent(t *testing.T) {
	srv := newServer()
	srv.put("d", "a.md=A\n")
	s := openRemoteDeck(t, srv)
	s.keep(journalDir(t, journal.Limits{}))
	s.says(s.ok(s.Pull(ctx, false)), `* deck:d is as it was (revision "r1")`)
	s.do("put b.md B")
	s.ok(s.Checkpoint(ctx, "here"))
	srv.put("d", "theirs=T\n")
	s.says(s.ok(s.Pull(ctx, true)), `* pulled deck:d (9 bytes, revision "r2")`, "? the history starts anew: 1 op can no longer be undone, and the checkpoints are gone")
	s.reads("theirs", "T")
	s.bad(s.Undo(ctx, 1, false))
	s.do("put b.md B")
	s.die()
	s.reads("b.md", "B")
	s.ok(s.Undo(ctx, 1, false))
	s.do("put c.md C")
	s.ok(s.Save(ctx, "", false))
	s.there(srv, "c.md=C\ntheirs=T\n")
	srv.put("d", "{")
	s.says(s.bad(s.Pull(ctx, false)), "cannot open what was pulled; the document is as it was")
	s.reads("c.md", "C")
}

// If the answer to a store is lost, or the host dies, the stored content is recognized, and nothing is stored twice.
func TestAStoreWithoutAnAnswerIsNotRepeated(t *testing.T) {
	for _, dies := range []bool{false, true} {
		t.Run(fmt.Sprint("the host dies ", dies), func(t *testing.T) {
			srv := newServer()
			srv.put("d", "a.md=A\n")
			s := openRemoteDeck(t, srv)
			s.keep(journalDir(t, journal.Limits{}))
			s.do("put b.md B")
			srv.lose = true
			s.says(s.bad(s.Save(ctx, "", false)), "! ", "the next save first finds out whether it was stored anyway")
			srv.lose = false
			if srv.puts != 1 || !s.Summary().Dirty {
				t.Fatalf("%d stores", srv.puts)
			}
			if dies {
				s.die()
			}
			s.says(s.ok(s.Save(ctx, "", false)), "it was already there")
			if srv.puts != 1 || s.Summary().Dirty {
				t.Fatalf("%d stores", srv.puts)
			}

			// After more changes it is still recognized as this document's.
			s.do("put c.md C")
			srv.lose = true
			s.bad(s.Save(ctx, "", false))
			srv.lose = false
			if dies {
				s.die()
			}
			s.do("put d.md D")
			s.says(s.ok(s.Save(ctx, "", false)), "* stored deck:d")
			s.there(srv, "a.md=A\nb.md=B\nc.md=C\nd.md=D\n")
			if srv.puts != 3 {
				t.Errorf("%d stores", srv.puts)
			}
		})
	}
}

func TestADocumentIsStoredUnderAnotherName(t *testing.T) {
	srv := newServer()
	srv.put("d", "a.md=A\n")
	srv.put("taken", "t=T\n")
	s := openRemoteDeck(t, srv)
	s.do("put b.md B")
	s.says(s.bad(s.Save(ctx, "deck:taken", false)), "! deck:taken already exists", "save as:\"deck:taken\" force replaces it")
	s.says(s.ok(s.Save(ctx, "deck:fresh", false)), "* stored deck:fresh")
	s.says(s.Status(ctx), "remote: deck:fresh")
	s.there(srv, "a.md=A\n")
	if srv.decks["fresh"] != "a.md=A\nb.md=B\n" || srv.decks["taken"] != "t=T\n" {
		t.Errorf("the server has %q", srv.decks)
	}
	s.ok(s.Save(ctx, "deck:taken", true))
	if srv.decks["taken"] != "a.md=A\nb.md=B\n" {
		t.Errorf("the server has %q", srv.decks)
	}
	// A file becomes one that lies elsewhere.
	f := blank(t, s.Domain())
	f.ok(f.Save(ctx, "./t.deck", false))
	f.ok(f.Save(ctx, "deck:t", false))
	if sum := f.Summary(); sum.Ref != "deck:t" || sum.Path != "" || srv.decks["t"] == "" {
		t.Errorf("it stands at %+v", sum)
	}
}

func TestAServerThatIsNotGrantedIsNotAsked(t *testing.T) {
	srv := newServer()
	srv.put("d", "a.md=A\n")
	s := openRemoteDeck(t, srv)
	s.keep(journalDir(t, journal.Limits{}))
	s.do("put b.md B")
	srv.can = nil
	s.says(s.bad(s.Save(ctx, "", false)), "! cannot save: it needs http:api, which is not granted")
	s.says(s.bad(s.Pull(ctx, true)), "! cannot pull: it needs http:api")
	if _, err := Fetch(ctx, s.Domain(), t, "deck:d"); err == nil {
		t.Error("fetched without a grant")
	}
	dir, id := s.abandon()
	if _, _, err := Recover(ctx, s.Domain(), s.roots, "D", Left{Shelf: NewShelf(dir), ID: id}); err == nil || !strings.Contains(err.Error(), "it needs http:api") {
		t.Errorf("recovered without a grant: %v", err)
	}
	srv.can = []string{"http:api"}
	s.revive(dir, id)
	srv.down = true
	s.says(s.bad(s.Save(ctx, "", false)), "! cannot save: deck| no connection; the next save first finds out")
	srv.down = false
	s.ok(s.Save(ctx, "", false))
}

func TestADocumentThatIsStoredCanBeLookedAt(t *testing.T) {
	srv := newServer()
	srv.put("d", "a.md=A\n")
	s := openRemoteDeck(t, srv)
	s.do("put b.md B")
	srv.slow = make(chan struct{})
	done := make(chan string)
	go func() { done <- s.Save(ctx, "", false).String() }()
	<-srv.came
	if sum := s.Summary(); !sum.Waits || !sum.Dirty {
		t.Errorf("it stands at %+v", sum)
	}
	s.says(s.Status(ctx), "waits for an answer from outside")
	if s.CloseClean() {
		t.Error("closed")
	}
	srv.slow <- struct{}{}
	contains(t, <-done, "* stored deck:d")
	s.do("put c.md C")
	go func() { done <- s.Save(ctx, "", false).String() }()
	<-srv.came
	s.Suspend()
	contains(t, <-done, "not known")
}
