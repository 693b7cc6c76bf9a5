// Package deck is the cuedeck domain: a folder of cards and docs as a document, its verbs, queries and selectors.
package deck

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/card"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/markdown"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/search"
)

// Places in a workspace.
const (
	Marker = ".cuedeck"
	Cards  = Marker + "/cards/"
	Config = Marker + "/config.toml"
	Scene  = Marker + "/SCENE.md" // what `cue scene` writes; no doc
)

// Workspace is an open folder: its files, and what stands in them. Only edits of files change it.
type Workspace struct {
	Files *pdk.Files

	byPath      map[string]*Card
	byID        map[string]*Card // of several files with one id the first by path
	idCounts    map[string]int   // how many files there are of an id
	justWritten *card.Card       // what is written to a file this moment, which need not be read again
	titles      pdk.Index[*Card]
	settings    *Settings // nil where it has to be read again

	// What is made when it is asked for, and again after a change.
	cards    []*Card
	docs     []string
	texts    map[string]*markdown.Text
	refs     map[string][]ref
	sketches map[string]*linkScan
	index    search.Index

	// Files whose bytes changed since they were last indexed, hashed and read.
	unindexed map[string]bool
	hashes    map[string]string
	served    map[string]bool

	now int // of the call, for selectors
}

// Card is one card.
type Card struct {
	*card.Card        // nil where the file is broken
	ID         string // the file's name without its ending
	Path       string
	Broken     error // why it cannot be read, nil where it can
	createdAt  time.Time
}

// The domain's own names for the SDK's generic ones.
type (
	ctx   = pdk.Ctx[*Workspace]
	view  = pdk.View[*Workspace]
	verb  = pdk.Verb[*Workspace]
	query = pdk.Query[*Workspace]
)

func open(f *pdk.Files) (*Workspace, []string, error) {
	w := &Workspace{Files: f, byPath: map[string]*Card{}, byID: map[string]*Card{}, idCounts: map[string]int{}, texts: map[string]*markdown.Text{}, refs: map[string][]ref{}, sketches: map[string]*linkScan{},
		unindexed: map[string]bool{}, hashes: map[string]string{}, served: map[string]bool{}}
	for _, name := range f.Names() {
		w.parse(name)
	}
	f.Changed = w.parse // by whomever: an op, undo, or an editor beside us
	return w, nil, nil
}

// isCard reports whether a file is that of a card, by its name.
func isCard(name string) bool {
	return strings.HasPrefix(name, Cards) && strings.EqualFold(path.Ext(name), ".md")
}

// IsDoc reports whether a file is a doc, by its name. Settings may leave out more.
func IsDoc(name string) bool {
	return strings.EqualFold(path.Ext(name), ".md") && !isCard(name) && name != Scene
}

// idOf is the id of a card by its file's name.
func idOf(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

// parse reads a file that changed.
func (w *Workspace) parse(name string) {
	delete(w.texts, name)
	delete(w.refs, name)
	delete(w.sketches, name)
	delete(w.hashes, name)
	delete(w.served, name)
	w.unindexed[name] = true
	w.docs = nil
	if name == Config {
		w.settings = nil
		w.reindex() // what is a doc may be another
	}
	if !isCard(name) {
		return
	}
	w.cards = nil
	if old := w.byPath[name]; old != nil {
		w.dropCard(old)
	}
	if !w.Files.Has(name) {
		return
	}
	k := &Card{ID: idOf(name), Path: name}
	text, parsed, err := w.Files.Get(name), w.justWritten, error(nil)
	if parsed == nil || parsed.Text != string(text) {
		parsed, err = card.Parse(string(text))
	}
	if err != nil {
		k.Broken = err
	} else {
		k.Card = parsed
		k.createdAt, _ = Instant(parsed.Created)
		w.titles.Put(k, parsed.Title, "", "")
	}
	w.byPath[name] = k
	w.idCounts[k.ID]++
	if first := w.byID[k.ID]; first == nil || name < first.Path {
		w.byID[k.ID] = k
	}
}

// dropCard takes a card out of what finds it.
func (w *Workspace) dropCard(old *Card) {
	w.titles.Delete(old)
	delete(w.byPath, old.Path)
	left := w.idCounts[old.ID] - 1
	if w.idCounts[old.ID] = left; left == 0 {
		delete(w.idCounts, old.ID)
	}
	if w.byID[old.ID] != old {
		return
	}
	delete(w.byID, old.ID)
	if left == 0 {
		return
	}
	for _, k := range w.byPath { // a file of the same name in another folder, if there is one
		if k.ID == old.ID && (w.byID[k.ID] == nil || k.Path < w.byID[k.ID].Path) {
			w.byID[k.ID] = k
		}
	}
}

// Cards lists all cards, the oldest first; those without a time come last, by their paths. The slice is the workspace's.
func (w *Workspace) Cards() []*Card {
	if w.cards == nil {
		w.cards = make([]*Card, 0, len(w.byPath))
		for _, k := range w.byPath {
			w.cards = append(w.cards, k)
		}
		slices.SortFunc(w.cards, func(a, b *Card) int {
			switch {
			case a.createdAt.IsZero() == b.createdAt.IsZero():
				return cmp.Or(a.createdAt.Compare(b.createdAt), cmp.Compare(a.Path, b.Path))
			case a.createdAt.IsZero():
				return 1
			}
			return -1
		})
	}
	return w.cards
}

// Card is the card of an id, nil where there is none.
func (w *Workspace) Card(id string) *Card { return w.byID[id] }

// Docs lists the docs by their paths, sorted. The slice is the workspace's.
func (w *Workspace) Docs() []string {
	if w.docs == nil {
		w.docs = []string{}
		for _, name := range w.Files.Names() {
			if IsDoc(name) && !w.Settings().ignores(name) {
				w.docs = append(w.docs, name)
			}
		}
	}
	return w.docs
}

// Others lists the other files by their paths, sorted: sources and texts, which search looks into.
func (w *Workspace) Others() (out []string) {
	for _, name := range w.Files.Names() {
		if isOther(name) && !w.Settings().ignores(name) {
			out = append(out, name)
		}
	}
	return out
}

func isOther(name string) bool {
	return !strings.EqualFold(path.Ext(name), ".md") && !strings.HasPrefix(name, Marker+"/") && path.Base(name)[0] != '.'
}

// Text is what stands in a card's body or in a doc.
func (w *Workspace) Text(name string) *markdown.Text {
	t := w.texts[name]
	if t == nil {
		t = markdown.Parse(string(w.Files.Get(name)), w.front(name))
		w.texts[name] = t
	}
	return t
}

// front is how long the front matter of a card or a doc is.
func (w *Workspace) front(name string) int {
	if k := w.byPath[name]; k != nil && k.Card != nil {
		return k.Body
	}
	if c, err := card.Parse(string(w.Files.Get(name))); err == nil { // docs may have one, too
		return c.Body
	}
	return 0
}

// Hash is the SHA-256 of a file's bytes.
func (w *Workspace) Hash(name string) string {
	h, known := w.hashes[name]
	if !known {
		sum := sha256.Sum256(w.Files.Get(name))
		h = hex.EncodeToString(sum[:])
		w.hashes[name] = h
	}
	return h
}

// Tokens is about how many tokens a text of so many bytes has.
func Tokens(bytes int) int { return (bytes + 3) / 4 }

// Instant reads a time as cards have it.
func Instant(s string) (time.Time, bool) {
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.Parse(form, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// stamp writes a time as cards have it.
func stamp(ms int) string { return time.UnixMilli(int64(ms)).UTC().Format("2006-01-02T15:04:05.000Z") }
