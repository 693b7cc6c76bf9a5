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

	byPath map[string]*Card
	byID   map[string]*Card // of several files with one id the first by path
	titles pdk.Index[*Card]
	cards  []*Card // Cards, nil where it has to be made again
	now    int     // of the call, for selectors
}

// Card is one card.
type Card struct {
	*card.Card        // nil where the file is broken
	ID         string // the file's name without its ending
	Path       string
	Broken     error // why it cannot be read, nil where it can
	born       time.Time
}

// The domain's own names for the SDK's generic ones.
type (
	ctx   = pdk.Ctx[*Workspace]
	view  = pdk.View[*Workspace]
	verb  = pdk.Verb[*Workspace]
	query = pdk.Query[*Workspace]
)

func open(f *pdk.Files) (*Workspace, []string, error) {
	w := &Workspace{Files: f, byPath: map[string]*Card{}, byID: map[string]*Card{}}
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

// isDoc reports whether a file is a doc.
func isDoc(name string) bool {
	return strings.EqualFold(path.Ext(name), ".md") && !isCard(name) && name != Scene
}

// idOf is the id of a card by its file's name.
func idOf(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

// parse reads a file that changed.
func (w *Workspace) parse(name string) {
	if !isCard(name) {
		return
	}
	if old := w.byPath[name]; old != nil {
		w.titles.Delete(old)
		delete(w.byPath, name)
		if w.byID[old.ID] == old {
			delete(w.byID, old.ID)
			for _, c := range w.byPath { // a twin in another folder, if there is one
				if c.ID == old.ID && (w.byID[c.ID] == nil || c.Path < w.byID[c.ID].Path) {
					w.byID[c.ID] = c
				}
			}
		}
	}
	w.cards = nil
	if !w.Files.Has(name) {
		return
	}
	c := &Card{ID: idOf(name), Path: name}
	parsed, err := card.Parse(string(w.Files.Get(name)))
	if err != nil {
		c.Broken = err
	} else {
		c.Card = parsed
		c.born, _ = instant(parsed.Created)
		w.titles.Put(c, parsed.Title, "", "")
	}
	w.byPath[name] = c
	if first := w.byID[c.ID]; first == nil || name < first.Path {
		w.byID[c.ID] = c
	}
}

// Cards lists all cards, the oldest first; those without a time come last, by their ids. The slice is the workspace's.
func (w *Workspace) Cards() []*Card {
	if w.cards == nil {
		w.cards = make([]*Card, 0, len(w.byPath))
		for _, c := range w.byPath {
			w.cards = append(w.cards, c)
		}
		slices.SortFunc(w.cards, func(a, b *Card) int {
			if a.born.IsZero() != b.born.IsZero() {
				return cmp.Compare(bit(a.born.IsZero()), bit(b.born.IsZero()))
			}
			return cmp.Or(a.born.Compare(b.born), cmp.Compare(a.Path, b.Path))
		})
	}
	return w.cards
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Card is the card of an id, nil where there is none.
func (w *Workspace) Card(id string) *Card { return w.byID[id] }

// Docs lists the docs by their paths, sorted.
func (w *Workspace) Docs() []string {
	return slices.DeleteFunc(w.Files.Names(), func(name string) bool { return !isDoc(name) })
}

// Others lists the other files by their paths, sorted: sources and texts, which search looks into.
func (w *Workspace) Others() []string {
	return slices.DeleteFunc(w.Files.Names(), func(name string) bool {
		return strings.EqualFold(path.Ext(name), ".md") || strings.HasPrefix(name, Marker+"/") || path.Base(name)[0] == '.'
	})
}

// Hash is the SHA-256 of a file's bytes.
func (w *Workspace) Hash(name string) string { return hash(w.Files.Get(name)) }

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Tokens is about how many tokens a text of so many bytes has.
func Tokens(bytes int) int { return (bytes + 3) / 4 }

// instant reads a time as cards have it.
func instant(s string) (time.Time, bool) {
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.Parse(form, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// stamp writes a time as cards have it.
func stamp(ms int) string { return time.UnixMilli(int64(ms)).UTC().Format("2006-01-02T15:04:05.000Z") }
