package deck

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/card"
)

// Create adds a card. The defaults are todo and medium. The dependencies of f are ids of cards.
func Create(c *ctx, f card.Fields) (*Card, error) {
	w := c.Model
	f.Title = strings.Join(strings.Fields(strings.ToValidUTF8(f.Title, "\ufffd")), " ")
	f.Text = strings.ToValidUTF8(f.Text, "\ufffd")
	if f.Title == "" {
		return nil, pdk.Errorf("a card needs a title")
	}
	if f.Status == "" {
		f.Status = "todo"
	}
	if f.Priority == "" {
		f.Priority = "medium"
	}
	f.Created = stamp(w.creationTime(c.Now()))
	id := w.unused(c.Now(), c.Nonce(), f.Title)
	name := Cards + id + ".md"
	if err := c.PutFile(name, []byte(card.New(f)), short("add card %s %s", id, quoted(pdk.Line(f.Title, 60))), id); err != nil {
		return nil, err
	}
	return w.byPath[name], nil
}

// creationTime returns now, or a millisecond after the last card of the same call, so that cards stay in the order of their
// creation.
func (w *Workspace) creationTime(now int) int {
	const call = 100_000 // milliseconds; no call creates more cards
	for _, c := range w.byPath {
		if at := int(c.createdAt.UnixMilli()); at >= now && at < now+call {
			now = at + 1
		}
	}
	return now
}

// unused returns an id that no card has.
func (w *Workspace) unused(now int, nonce []byte, title string) string {
	const digits = "abcdefghijklmnopqrstuvwxyz0123456789"
	for n := uint64(0); ; n++ {
		b := binary.BigEndian.AppendUint64(nil, uint64(now))
		b = append(append(binary.BigEndian.AppendUint64(b, n), nonce...), title...)
		sum := sha256.Sum256(b)
		x := binary.BigEndian.Uint64(sum[:])
		var id [6]byte
		for i := range id {
			id[i] = digits[x%uint64(len(digits))]
			x /= uint64(len(digits))
		}
		if w.byID[string(id[:])] == nil {
			return string(id[:])
		}
	}
}

// Put writes a changed card, with the time of the change.
func Put(c *ctx, k *Card, changed *card.Card, summary string) (*Card, error) {
	if changed.Text == k.Text {
		return k, nil
	}
	at := max(c.Now(), int(k.createdAt.UnixMilli())) // cards of one call are created a millisecond apart
	out, err := changed.Set("updated", stamp(at))
	if err != nil {
		return nil, pdk.Errorf("%s: %v", k.Path, err)
	}
	c.Model.justWritten = out
	err = c.PutFile(k.Path, []byte(out.Text), short("%s", summary), fileID(k.ID)...)
	c.Model.justWritten = nil
	if err != nil {
		return nil, err
	}
	return c.Model.byPath[k.Path], nil
}

// Update changes fields of a card's front matter. It touches only the keys of changes, and replaces whole lists.
func Update(c *ctx, k *Card, summary string, changes ...Change) (*Card, error) {
	if k.Broken != nil {
		return nil, k.unreadable()
	}
	next := k.Card
	for _, ch := range changes {
		var err error
		switch {
		case ch.Key == "title":
			next, err = next.SetTitle(ch.Text)
		case ch.Part:
			next, err = next.EditList(ch.Key, ch.List)
		case ch.List != nil:
			next, err = next.SetList(ch.Key, ch.List)
		default:
			next, err = next.Set(ch.Key, ch.Text)
		}
		if err != nil {
			return nil, pdk.Errorf("%s: %v", k.Path, err)
		}
	}
	return Put(c, k, next, summary)
}

// Change is the new value of a key.
type Change struct {
	Key, Text string
	List      []string // nil unless the value is a list
	Part      bool     // only some words of the list were named: items that are not text stay
}

// unreadable returns the error for work on a broken card.
func (k *Card) unreadable() error {
	return pdk.Errorf("%s cannot be read: %v", k.Path, k.Broken).Try("repair " + pdk.Quote(k.ID))
}

// short formats a summary or a warning, as one line of bounded length.
func short(format string, args ...any) string {
	const most = 500 // slightly less than abi.MaxSummary and abi.MaxWarning
	s := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// fileID returns the ids that an event records for a file: none if its name is too long.
func fileID(name string) []string {
	if len(name) > abi.MaxID {
		return nil
	}
	return []string{name}
}
