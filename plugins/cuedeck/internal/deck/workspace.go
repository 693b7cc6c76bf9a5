// Package deck is the cuedeck domain: its documents are folders of cards and docs, and this package has their verbs, queries and
// selectors.
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

// Paths in a workspace.
const (
	Marker = ".cuedeck"
	Cards  = Marker + "/cards/"
	Config = Marker + "/config.toml"
	Scene  = Marker + "/SCENE.md" // what `cue scene` writes; not a doc
)

// Workspace is an open folder with its parsed files. Only edits of files change it.
type Workspace struct {
	Files *pdk.Files

	byPath      map[string]*Card
	byID        map[string]*Card // the first file with each id, by path
	idCounts    map[string]int   // number of files with an id
	justWritten *card.Card       // the card being written, which need not be parsed again
	titles      pdk.Index[*Card]
	settings    *Settings // nil if it must be read again

	// Caches, filled on demand and cleared by changes.
	cards    []*Card
	docs     []string
	texts    map[string]*markdown.Text
	refs     map[string][]ref
	sketches map[string]*linkScan
	index    search.Index

	// Files that changed since they were last indexed, hashed and read.
	unindexed map[string]bool
	hashes    map[string]string
	served    map[string]bool

	now int // time of the call, for selectors
}

// Card is one card.
type Card struct {
	*card.Card        // nil if the file is broken
	ID         string // file name without its extension
	Path       string
	Broken     error // why the file cannot be read, or nil
	createdAt  time.Time
}

// Short names for the SDK's generic types.
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
	f.Changed = w.parse // by an op, undo, or another program
	return w, nil, nil
}

// isCard reports whether a file is a card, by its name.
func isCard(name string) bool {
	return strings.HasPrefix(name, Cards) && strings.EqualFold(path.Ext(name), ".md")
}

// IsDoc reports whether a file is a doc, by its name. Settings may exclude further files.
func IsDoc(name string) bool {
	return strings.EqualFold(path.Ext(name), ".md") && !isCard(name) && name != Scene
}

// idOf returns the id of a card, from its file's name.
func idOf(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

// parse reads a changed file.
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
		w.reindex() // the set of docs may have changed
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

// dropCard removes a card from all indexes.
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
	for _, k := range w.byPath { // another file with the same id takes its place
		if k.ID == old.ID && (w.byID[k.ID] == nil || k.Path < w.byID[k.ID].Path) {
			w.byID[k.ID] = k
		}
	}
}

// Cards returns all cards, the oldest first. Cards without a time come last, by path. Callers must not change the slice.
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

// Card returns the card with an id, nil if there is none.
func (w *Workspace) Card(id string) *Card { return w.byID[id] }

// Docs returns the paths of the docs, sorted. Callers must not change the slice.
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

// Others returns the paths of the other files, sorted: the sources and texts that search reads.
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

// Text returns the parsed Markdown of a card or a doc.
func (w *Workspace) Text(name string) *markdown.Text {
	t := w.texts[name]
	if t == nil {
		t = markdown.Parse(string(w.Files.Get(name)), w.front(name))
		w.texts[name] = t
	}
	return t
}

// front returns the length of the front matter of a card or a doc.
func (w *Workspace) front(name string) int {
	if k := w.byPath[name]; k != nil && k.Card != nil {
		return k.Body
	}
	if c, err := card.Parse(string(w.Files.Get(name))); err == nil { // docs may have one, too
		return c.Body
	}
	return 0
}

// Hash returns the SHA-256 of a file.
func (w *Workspace) Hash(name string) string {
	h, known := w.hashes[name]
	if !known {
		sum := sha256.Sum256(w.Files.Get(name))
		h = hex.EncodeToString(sum[:])
		w.hashes[name] = h
	}
	return h
}

// Tokens estimates the number of tokens in a text of a size in bytes.
func Tokens(bytes int) int { return (bytes + 3) / 4 }

// Instant parses a time of a card.
func Instant(s string) (time.Time, bool) {
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.Parse(form, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// stamp prints a time for a card. ms is in milliseconds since 1970.
func stamp(ms int) string { return time.UnixMilli(int64(ms)).UTC().Format("2006-01-02T15:04:05.000Z") }
