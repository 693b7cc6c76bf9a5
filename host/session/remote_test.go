package session

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/journal"
)

// shop is a server of decks.
func shop(decks map[string]string) *world {
	moves := 0
	return &world{can: []string{"http:api"}, do: func(_ context.Context, r abi.Request) abi.Outcome {
		name := r.HTTP.Path[0]
		body, there := decks[name]
		status := 200
		switch {
		case r.HTTP.Method == "PUT":
			moves++
			decks[name] = string(r.HTTP.Body)
		case !there:
			status = 404
		}
		return abi.Outcome{HTTP: &abi.HTTPResponse{Status: status, Body: []byte(body), Headers: []abi.KeyValue{{Key: "ETag", Value: fmt.Sprint("r", moves)}}}}
	}}
}

func TestAReferenceIsOpenedByItsScheme(t *testing.T) {
	decks := map[string]string{"Support": "a.md=A\n", "Two Words": "b.md=B\n"}
	for _, dom := range []string{"deck", ""} {
		c := newClient(t, dom, list(t), deck(t, shop(decks), nil))
		c.says(c.ok(c.act("open deck:Support")), "+ opened deck:Support as \"Support\" (deck), revision \"r0\"\n  a.md\n[1 texts 0 broken]")
		c.contains(c.ok(c.act(`open deck:"Two Words" as:t`)), `+ opened "deck:Two Words" as "t" (deck)`)
		c.contains(c.ok(c.act(`open "deck:Two Words"`)), `as "Two Words" (deck)`)
		c.contains(c.ok(c.act(`open path:deck:Support`)), `as "Support`)
		c.contains(c.act("documents"), `"t" (deck) "deck:Two Words"`)
		c.bad(c.act("open deck:None"), "! cannot open deck:None: deck| the server answers 404")
		c.bad(c.act("open dock:Support"), "open takes no dock:")
		c.bad(c.act("open deck:Support ./x"), "double quotes")
	}
}

func TestPullIsAnActionOnlyOfDomainsWithSchemes(t *testing.T) {
	decks := map[string]string{"a": "a.md=A\n"}
	c := newClient(t, "", deck(t, shop(decks), nil), list(t))
	c.ok(c.act(`new list "L"`))
	c.bad(c.act("pull"), `! unknown action "pull"`)
	c.ok(c.act("open deck:a"))
	c.contains(c.ok(c.act("pull")), `* deck:a is as it was (revision "r0")`)
	c.ok(c.edit("put b.md B"))
	c.bad(c.act("pull"), "try: save", "try: pull force")
	c.bad(c.act("pull now"), "pull takes nothing but force")
	c.contains(c.ok(c.act("save")), `* stored deck:a (14 bytes, revision "r1"`)
	c.contains(c.ok(c.act("save as:deck:other")), "* stored deck:other")
	c.contains(c.ok(c.act("save deck:third")), "* stored deck:third")
	c.contains(c.ok(c.act("save as:./copy.deck")), "a copy; the document stays deck:third")
	c.ok(c.act(`new deck "File"`))
	c.bad(c.act("pull"), "is not a remote document")
}

// A domain with remote documents may answer diff of these; with a checkpoint, and of a file, it is the host's.
func TestTheDomainAnswersDiffOfARemoteDocument(t *testing.T) {
	differs := func(m *abi.Manifest) {
		m.Queries = append(m.Queries, abi.Query{Name: "diff", Syntax: "diff", Summary: "what differs there"})
	}
	decks := map[string]string{"a": "a.md=A\n"}
	c := newClient(t, "deck", deck(t, shop(decks), differs))
	c.ok(c.act("open deck:a"))
	c.ok(c.act("checkpoint p"))
	c.says(c.ask("diff"), "a.md") // this plugin answers any query so
	c.says(c.ask("diff checkpoint:p"), `nothing changed since "p"`)
	c.bad(c.ask("diff checkpoint:q"), "no checkpoint")
	plain := newClient(t, "deck", deck(t, shop(decks), nil))
	plain.ok(plain.act("open deck:a"))
	plain.says(plain.ask("diff"), "nothing changed since the last save or open")
	c.ok(c.act(`new "File"`))
	c.says(c.ask("diff"), "nothing changed since the last save or open")
}

func TestARemoteLeftoverIsOfferedIfItsWantIsGranted(t *testing.T) {
	decks := map[string]string{"a": "a.md=A\n"}
	world := shop(decks)
	dir, err := journal.Open(filepath.Join(t.TempDir(), "j"), journal.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	d := deck(t, world, nil)
	first := newClient(t, "deck", d)
	first.Keep(document.NewShelf(dir), nil)
	first.ok(first.act("open deck:a"))
	first.ok(first.edit("put b.md B"))
	first.Close()

	world.can = nil
	c := newClient(t, "deck", d)
	c.Keep(document.NewShelf(dir), nil)
	c.bad(c.act("recover"), "nothing to recover here, but 1 document of earlier sessions on a server: recover needs the grants http:api")
	world.can = []string{"http:api"}
	c.contains(c.ok(c.act("recover")), `+ recovered "a" (deck): 1 op to undo, unsaved changes`)
	c.ok(c.act("save"))
	if decks["a"] != "a.md=A\nb.md=B\n" {
		t.Errorf("the server has %q", decks["a"])
	}
}

func TestCloseSaysThatACallWaitsForTheWorld(t *testing.T) {
	came, done := make(chan struct{}), make(chan string)
	c := newClient(t, "deck", deck(t, &world{can: []string{"http:api"}, do: func(ctx context.Context, _ abi.Request) abi.Outcome {
		came <- struct{}{}
		<-ctx.Done()
		return abi.Outcome{Failure: &abi.Failure{Kind: abi.FailedTimeout, Message: "cancelled", Sent: true}}
	}}, nil))
	c.ok(c.act(`new "T"`))
	go func() { done <- c.Session.Query(ctx, "deck", "", "ping").String() }()
	<-came
	r := c.Session.Session(ctx, "deck", "", "close")
	if want := "! a call on \"T\" waits for an answer from outside; close force ends it\n  try: close force\n[1 texts 0 broken]"; !r.Failed || r.String() != want {
		t.Errorf("got %q", r)
	}
	c.says(c.ok(c.Session.Session(ctx, "deck", "", "close force")), "- closed \"T\"")
	if said := <-done; !strings.Contains(said, "whether it took effect is not known") {
		t.Errorf("the call says %q", said)
	}
}
