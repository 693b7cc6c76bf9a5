package mxfile

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/vmihailenco/msgpack/v5"
)

// blob holds a whole page for events and snapshots. It restores the page exactly, including its compressed text and
// the keys of its cells.
type blob struct {
	Before, Open, Close string
	Body                string // "" if Packed contains it
	Packed              string
	Sum                 uint64
	Intact              bool
	Odd                 map[int]string // keys that are not ids, by the index of the cell
	Active              string
}

// Blob encodes the page for an InsertPage or RemovePage step.
func (p *Page) Blob() ([]byte, error) {
	b := blob{Before: p.text[BeforeText], Open: p.text[OpenText], Close: p.text[CloseText], Packed: p.packed, Intact: p.intact, Sum: p.sum, Active: p.active}
	if !p.intact {
		b.Body = p.body()
	}
	if p.odd > 0 {
		b.Odd = map[int]string{}
		n := 0
		for c := p.first; c != nil; c = c.next {
			if c.Key != c.ID {
				b.Odd[n] = c.Key
			}
			n++
		}
	}
	return encode(b)
}

// encode encodes MessagePack with sorted map keys, so that equal values give equal bytes.
func encode(v any) ([]byte, error) {
	var buf sliceWriter
	enc := msgpack.NewEncoder(&buf)
	enc.SetSortMapKeys(true)
	err := enc.Encode(v)
	return buf, err
}

type sliceWriter []byte

func (w *sliceWriter) Write(p []byte) (int, error) {
	*w = append(*w, p...)
	return len(p), nil
}

// NewPageBlob encodes a page from the text of a whole diagram element and the text before it.
func NewPageBlob(before, open, body, close string) ([]byte, error) {
	return encode(blob{Before: before, Open: open, Body: body, Close: close})
}

func decodePage(key string, data []byte) (*Page, error) {
	var b blob
	if err := msgpack.Unmarshal(data, &b); err != nil {
		return nil, err
	}
	p := &Page{Key: key, packed: b.Packed, sum: b.Sum, intact: b.Intact, active: b.Active}
	p.text[BeforeText], p.text[OpenText], p.text[CloseText] = b.Before, b.Open, b.Close
	body := b.Body
	if b.Intact {
		var err error
		if body, err = unpack(b.Packed); err != nil {
			return nil, err
		}
	}
	if err := p.readText(body); err != nil {
		return nil, err
	}
	if len(b.Odd) > 0 {
		p.rekey(b.Odd)
	}
	return p, nil
}

// rekey restores the keys of cells by their indices.
func (p *Page) rekey(odd map[int]string) {
	p.byKey, p.odd = make(map[string]*Cell, p.count), 0
	n := 0
	for c := p.first; c != nil; c = c.next {
		c.Key = c.ID
		if key, ok := odd[n]; ok {
			c.Key = key
			p.odd++
		}
		p.byKey[c.Key] = c
		n++
	}
}

func (f *File) insertPage(s *Step) error {
	if f.Page(s.Page) != nil {
		return fmt.Errorf("page %q is already there", s.Page)
	}
	p, err := decodePage(s.Page, s.Blob)
	if err != nil {
		return err
	}
	at, err := f.behind(s.Place)
	if err != nil {
		return err
	}
	f.Pages = slices.Insert(f.Pages, at, p)
	for c := p.first; c != nil; c = c.next {
		f.next = max(f.next, idNumber(c.ID)+1)
	}
	return nil
}

func (f *File) removePage(s *Step) error {
	p := f.Page(s.Page)
	switch {
	case p == nil:
		return fmt.Errorf("no page %q", s.Page)
	case p == f.Current:
		return fmt.Errorf("page %q is the current one", s.Page)
	}
	f.Pages = slices.Delete(f.Pages, f.Number(p)-1, f.Number(p))
	return nil
}

func (f *File) movePage(s *Step) error {
	p := f.Page(s.Page)
	if p == nil {
		return fmt.Errorf("no page %q", s.Page)
	}
	rest := slices.DeleteFunc(slices.Clone(f.Pages), func(q *Page) bool { return q == p })
	at := 0
	if s.New != "" {
		i := slices.IndexFunc(rest, func(q *Page) bool { return q.Key == s.New })
		if i < 0 {
			return fmt.Errorf("no page %q", s.New)
		}
		at = i + 1
	}
	f.Pages = slices.Insert(rest, at, p)
	return nil
}

// behind returns the index after the page with a key, 0 for "".
func (f *File) behind(key string) (int, error) {
	if key == "" {
		return 0, nil
	}
	p := f.Page(key)
	if p == nil {
		return 0, fmt.Errorf("no page %q", key)
	}
	return f.Number(p), nil
}

// NewPageKey returns an unused page key.
func (f *File) NewPageKey() string {
	top := 0
	for _, p := range f.Pages {
		if n, err := strconv.Atoi(p.Key); err == nil {
			top = max(top, n)
		}
	}
	return strconv.Itoa(top + 1)
}

// snapshot holds a File with everything that its saved bytes do not contain.
type snapshot struct {
	Head, Tail, Title string
	Keys              []string
	Pages             [][]byte
	Current           string
	Next              int
	Picture           string
	Held              string
	Packs             []string
}

// Snapshot encodes the whole model. Restore returns a file that behaves exactly like f.
func (f *File) Snapshot() ([]byte, error) {
	s := snapshot{Head: f.head, Tail: f.tail, Title: f.title, Current: f.Current.Key, Next: f.next, Picture: f.picture, Held: f.held, Packs: f.packs}
	for _, p := range f.Pages {
		b, err := p.Blob()
		if err != nil {
			return nil, err
		}
		s.Keys, s.Pages = append(s.Keys, p.Key), append(s.Pages, b)
	}
	return encode(s)
}

// Restore reads a Snapshot.
func Restore(data []byte) (*File, error) {
	var s snapshot
	if err := msgpack.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("not a snapshot: %w", err)
	}
	if len(s.Keys) != len(s.Pages) || len(s.Pages) == 0 {
		return nil, fmt.Errorf("not a snapshot: %d keys for %d pages", len(s.Keys), len(s.Pages))
	}
	f := &File{head: s.Head, tail: s.Tail, title: s.Title, next: s.Next, picture: s.Picture, held: s.Held, packs: s.Packs}
	for i, b := range s.Pages {
		p, err := decodePage(s.Keys[i], b)
		if err != nil {
			return nil, fmt.Errorf("page %d of the snapshot: %w", i+1, err)
		}
		f.Pages = append(f.Pages, p)
	}
	if f.Current = f.Page(s.Current); f.Current == nil {
		return nil, fmt.Errorf("not a snapshot: no page %q", s.Current)
	}
	return f, nil
}
