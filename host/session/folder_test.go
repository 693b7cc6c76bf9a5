package session

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// world grants wants, and answers requests with do.
type world struct {
	can []string
	do  func(context.Context, abi.Request) abi.Outcome
}

func (w *world) Can() []string { return w.can }

func (w *world) Settings() []abi.KeyValue { return nil }

func (w *world) Missing(_ context.Context, want string) *domain.Refusal {
	if slices.Contains(w.can, want) {
		return nil
	}
	return &domain.Refusal{Message: "it needs " + want + ", which is not granted"}
}

func (w *world) Do(ctx context.Context, _ domain.Asker, requests []abi.Request) []abi.Outcome {
	out := make([]abi.Outcome, len(requests))
	for i, r := range requests {
		out[i] = w.do(ctx, r)
	}
	return out
}

// deck is the deck plugin with the world w. change changes its manifest.
func deck(t testing.TB, w domain.World, change func(*abi.Manifest)) *domain.Domain {
	t.Helper()
	path := testwasm.Deck(t)
	shared := loadOnce(t, "deck", func() ([]byte, error) { return os.ReadFile(path) })
	m, err := domain.Describe(ctx, shared.Plugin())
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(m)
	}
	d, err := domain.New(m, shared.Plugin())
	if err != nil {
		t.Fatal(err)
	}
	d.World = w
	return d
}

var folders = &world{can: []string{abi.WantFolder}}

func (c *client) folder(name string) {
	c.t.Helper()
	if err := os.MkdirAll(filepath.Join(c.dir, name), 0o777); err != nil {
		c.t.Fatal(err)
	}
}

// untried is act without trying suggestions, which would create what the test itself is to create.
func (c *client) untried(action string) *reply.Reply {
	return c.Session.Session(ctx, c.dom, "", action)
}

func TestAFolderIsOpenedAndMadeByItsPath(t *testing.T) {
	c := newClient(t, "deck", deck(t, folders, nil))
	c.folder("plain")
	c.bad(c.untried("open ./plain"), "! cannot open plain: not a folder of this kind: it holds no folder .deck", `try: new "./plain"`)
	c.says(c.ok(c.act("new ./plain")), "+ new deck document \"plain\" in plain\n[1 texts 0 broken]")
	if got := c.file("plain/readme.md"); got != "# plain" {
		t.Errorf("it holds %q", got)
	}
	c.bad(c.act("new ./plain"), "plain is a folder of this kind already", `try: open "./plain"`)
	c.ok(c.edit("put a.md A"))
	c.contains(c.act("status"), "folder: plain (2 files)", "wants: folder, which is granted\n", "wants: http:api, which is not granted")
	c.ok(c.act("close"))
	c.says(c.ok(c.act("open plain as:p")), "+ opened plain as \"p\" (deck), 2 files\n  a.md\n  readme.md\n[2 texts 0 broken]")
	c.contains(c.act("documents"), "\"p\" (deck) plain [2 texts 0 broken]")
	c.bad(c.act("save as:./other"), "a folder is saved where it is", "try: save")
	c.ok(c.act("new Titled"))
	c.contains(c.ok(c.act(`new "./with blanks"`)), `new deck document "with blanks" in with blanks`)
	c.contains(c.ok(c.act("new ./fresh/ as:f")), "+ new deck document \"f\" in fresh")
	c.bad(c.act("open ../"), "outside the allowed folders")
	c.bad(c.act("new ../x"), "outside the allowed folders")
	c.bad(c.act("new ./no/such"), "there is no folder")
}

func TestADomainWithOnlyFoldersTakesAnyWordForAFolder(t *testing.T) {
	c := newClient(t, "deck", deck(t, folders, func(m *abi.Manifest) { m.Extensions = nil }))
	c.bad(c.untried("new"), "! new needs a folder", "try: new .")
	c.says(c.ok(c.act("new notes")), "+ new deck document \"notes\" in notes\n[1 texts 0 broken]")
	c = newClient(t, "deck", c.Domains()...)
	c.contains(c.ok(c.act("new .")), "+ new deck document \""+filepath.Base(c.dir)+"\" in .")
}

func TestUnifiedToolsFindTheDomainOfAFolderByItsMarker(t *testing.T) {
	other := func(marker string) *domain.Domain {
		return deck(t, folders, func(m *abi.Manifest) { m.Domain, m.Folder.Marker, m.Tools = "rack", marker, nil })
	}
	c := newClient(t, "", list(t), deck(t, folders, nil), other(".rack"))
	c.folder("d/.deck")
	c.folder("r/.rack")
	c.folder("both/.rack")
	c.folder("both/.deck")
	c.folder("none")
	c.contains(c.ok(c.act("open ./d")), "as \"d\" (deck)")
	c.contains(c.ok(c.act("open ./r")), "as \"r\" (rack)")
	c.bad(c.act("open ./both"), "several domains open", "deck, rack; say which", "try: open ./both with:deck")
	c.contains(c.ok(c.act("open ./both with:rack")), "as \"both\" (rack)")
	c.bad(c.untried("open ./none"), "it is a folder of no domain; those that have folders are deck, rack", `try: new deck "./none"`)
	c.contains(c.ok(c.act("new deck ./none")), "new deck document \"none\" in none")

	// Without a marker, the files in the folder decide.
	c = newClient(t, "", list(t), deck(t, folders, nil), other(""))
	c.folder("docs")
	c.put("docs/x.md", "X")
	c.folder("d/.deck")
	c.contains(c.ok(c.act("open ./docs")), "as \"docs\" (rack), 1 file")
	c.contains(c.ok(c.act("open ./d")), "as \"d\" (deck), 0 files")
}

func TestAFolderThatIsNotGrantedIsNotOpened(t *testing.T) {
	c := newClient(t, "deck", deck(t, &world{}, nil))
	c.folder("d/.deck")
	c.bad(c.act("open ./d"), "! cannot open d: it needs folder, which is not granted")
	c.bad(c.act("new ./n"), "! cannot make a new document: it needs folder, which is not granted")
}

func TestUndoOfWhatOthersChangedTakesForce(t *testing.T) {
	c := newClient(t, "deck", deck(t, folders, nil))
	c.ok(c.act("new ./d"))
	c.ok(c.edit("put a.md A", "put b.md B"))
	c.put("d/a.md", "theirs")
	c.bad(c.act("undo"), "changes that others made in a.md; nothing was undone", "try: undo force")
	c.bad(c.act("undo 2"), "try: undo 2 force")
	c.contains(c.ok(c.act("undo 2 force")), "* undid (changed outside) a.md\n* undid put b.md B")
	if got := c.file("d/a.md"); got != "A" {
		t.Errorf("a.md holds %q", got)
	}
	c.ok(c.act("redo 2"))
	if got := c.file("d/a.md") + c.file("d/b.md"); got != "theirsB" {
		t.Errorf("they hold %q", got)
	}
	c.bad(c.act("undo force 2"), "double quotes")
}

func TestAToolOnAFolderFindsItByItsMarker(t *testing.T) {
	none := newClient(t, "deck", deck(t, &world{}, nil))
	_, err := none.Folder(ctx, none.Domains()[0])
	if no := document.Failure(err); strings.Contains(no.String(), "try:") || !strings.Contains(no.String(), "to make one, it needs folder, which is not granted") {
		t.Errorf("got %v", no)
	}
	d := deck(t, folders, nil)
	c := newClient(t, "deck", d)
	if doc, no := c.Folder(ctx, d); doc != nil {
		t.Error("found")
	} else {
		c.bad(document.Failure(no), "! no folder with .deck is at or above "+".", "try: new .")
	}
	c.folder(".deck")
	c.put("a.md", "A")
	var wg sync.WaitGroup
	found := make([]*document.Document, 8)
	for i := range found {
		wg.Go(func() {
			doc, no := c.Folder(ctx, d)
			if no != nil {
				t.Error(no)
			}
			found[i] = doc
		})
	}
	wg.Wait()
	if len(slices.Compact(found)) != 1 || len(c.Documents()) != 1 {
		t.Errorf("%d documents are open", len(c.Documents()))
	}
	// One that was opened by hand is as good.
	c.ok(c.act("close"))
	c.ok(c.act("open ."))
	if doc, _ := c.Folder(ctx, d); doc != c.Current("deck") {
		t.Error("opened again")
	}
	// The open documents and the current one stay the same.
	c.ok(c.act("close"))
	c.ok(c.act("new Titled"))
	doc, no := c.Folder(ctx, d)
	if no != nil || c.Current("deck") == doc || len(c.Documents()) != 2 {
		t.Errorf("%d documents are open, %v", len(c.Documents()), no)
	}
	refused := newClient(t, "deck", deck(t, &world{}, nil))
	refused.folder(".deck")
	if _, no := refused.Folder(ctx, refused.Domains()[0]); no == nil {
		t.Error("found without a grant")
	} else {
		refused.bad(document.Failure(no), "it needs folder, which is not granted")
	}
}

func TestAToolOnAFolderLooksNoHigherThanTheRoots(t *testing.T) {
	d := deck(t, folders, nil)
	c := newClient(t, "deck", d)
	if err := os.Mkdir(filepath.Join(filepath.Dir(c.dir), ".deck"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, no := c.Folder(ctx, d); no == nil {
		t.Error("found outside")
	}
}
