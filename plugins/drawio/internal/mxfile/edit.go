package mxfile

import (
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// Edit is a reversible change: steps that run in order. Files change only through edits.
type Edit struct {
	Steps pdk.Steps[Step] `msgpack:"s"`
	Next  int             `msgpack:"n"` // the id counter before the edit; set by Do
}

// Action is what a step does.
type Action int

// The actions. Cells and pages are named by their keys.
const (
	InsertCell  Action = iota // insert Cell with text New, and Old in front of it, after Place ("" for the start)
	RemoveCell                // the inverse of InsertCell
	PatchCell                 // replace Old by New at byte At of Cell's text
	PatchPage                 // the same in part Place[0]-'0' of Page
	PatchFile                 // the same in the file's head ("head") or tail
	InsertPage                // insert the page in Blob after the page Place ("" for the start)
	RemovePage                // the inverse of InsertPage
	MovePage                  // move Page from after Old to after New
	SwitchPage                // change the current page from Old to New
	SwitchLayer               // change the page's active layer from Old to New
	LoadPack                  // add New to the loaded packs, or remove Old
)

// Step is one part of an edit. The action determines which fields are used.
type Step struct {
	//lint:ignore U1000 msgpack reads the tag: steps are written without their fields' names
	_msgpack struct{} `msgpack:",as_array"`

	Action   Action
	Page     string
	Cell     string
	Place    string
	At       int
	Old, New string
	Blob     []byte
}

// Type names the event.
func (e *Edit) Type() string { return "edit" }

// AppendMsgpack appends the same bytes that the package msgpack would write.
func (e *Edit) AppendMsgpack(b []byte) []byte { return e.Steps.AppendMsgpack(b, e.Next) }

// Size returns the approximate size of the step in MessagePack, in bytes.
func (s Step) Size() int {
	return 48 + len(s.Page) + len(s.Cell) + len(s.Place) + len(s.Old) + len(s.New) + len(s.Blob)
}

// AppendMsgpack appends the same bytes that the package msgpack would write.
func (s Step) AppendMsgpack(b []byte) []byte {
	b = abi.AppendArray(b, 8)
	b = abi.AppendInt(b, int(s.Action))
	b = abi.AppendString(b, s.Page)
	b = abi.AppendString(b, s.Cell)
	b = abi.AppendString(b, s.Place)
	b = abi.AppendInt(b, s.At)
	b = abi.AppendString(b, s.Old)
	b = abi.AppendString(b, s.New)
	return abi.AppendBytes(b, s.Blob)
}

// Do applies the whole change, or none of it if it returns an error.
func (e *Edit) Do(f *File) error {
	e.Next = f.next
	err := e.Steps.Do(f.do)
	if err != nil {
		f.next = e.Next
	}
	return err
}

// Undo reverses Do.
func (e *Edit) Undo(f *File) error {
	if err := e.Steps.Undo(f.do); err != nil {
		return err
	}
	f.next = e.Next
	return nil
}

// Inverse returns the step that reverses this one.
func (s Step) Inverse() Step {
	switch s.Action {
	case InsertCell:
		s.Action = RemoveCell
	case RemoveCell:
		s.Action = InsertCell
	case InsertPage:
		s.Action = RemovePage
	case RemovePage:
		s.Action = InsertPage
	default:
		s.Old, s.New = s.New, s.Old
	}
	return s
}

func (f *File) do(s *Step) error {
	switch s.Action {
	case PatchFile:
		part := &f.tail
		if s.Place == "head" {
			part = &f.head
		}
		return s.splice().Patch(part)
	case InsertPage:
		return f.insertPage(s)
	case RemovePage:
		return f.removePage(s)
	case MovePage:
		return f.movePage(s)
	case LoadPack:
		if s.New != "" {
			f.packs = append(slices.Clone(f.packs), s.New)
			return nil
		}
		f.packs = slices.DeleteFunc(slices.Clone(f.packs), func(p string) bool { return p == s.Old })
		return nil
	case SwitchPage:
		p := f.Page(s.New)
		if p == nil {
			return fmt.Errorf("no page %q", s.New)
		}
		f.Current = p
		return nil
	}
	p := f.Page(s.Page)
	if p == nil {
		return fmt.Errorf("no page %q", s.Page)
	}
	if s.Action == SwitchLayer {
		return p.switchLayer(s)
	}
	p.intact = false
	switch s.Action {
	case InsertCell:
		return f.insertCell(p, s)
	case RemoveCell:
		c := p.byKey[s.Cell]
		if c == nil {
			return fmt.Errorf("no cell %q", s.Cell)
		}
		p.unlink(c)
		return nil
	case PatchCell:
		c := p.byKey[s.Cell]
		if c == nil {
			return fmt.Errorf("no cell %q", s.Cell)
		}
		return p.patchCell(c, s)
	case PatchPage:
		if len(s.Place) != 1 || s.Place[0] < '0' || s.Place[0] >= '0'+byte(parts) {
			return fmt.Errorf("no part %q of a page", s.Place)
		}
		if err := s.splice().Patch(&p.text[s.Place[0]-'0']); err != nil {
			return err
		}
		p.version++
		p.readOpen()
		p.readHead()
		return nil
	}
	return fmt.Errorf("unknown action %d", s.Action)
}

func (s *Step) splice() xmltree.Splice { return xmltree.Splice{At: s.At, Old: s.Old, New: s.New} }

func (f *File) insertCell(p *Page, s *Step) error {
	var after *Cell
	if s.Place != "" {
		if after = p.byKey[s.Place]; after == nil {
			return fmt.Errorf("no cell %q to insert after", s.Place)
		}
	}
	if p.byKey[s.Cell] != nil {
		return fmt.Errorf("cell %q is already there", s.Cell)
	}
	c := &Cell{Key: s.Cell, lead: s.Old}
	if err := c.setText(p, s.New); err != nil {
		return err
	}
	p.link(c, after)
	f.next = max(f.next, idNumber(c.ID)+1)
	return nil
}

// setText sets the cell's text and its view. If it returns an error the cell is unchanged.
func (c *Cell) setText(p *Page, raw string) error {
	c.Page = p
	if !c.quick(raw) {
		e, err := xmltree.Parse(raw)
		if err == nil && (e.Start != 0 || e.End != len(raw) || mxCell(e) == nil) {
			err = fmt.Errorf("the text is not one cell")
		}
		if err != nil {
			if c.raw != "" {
				_ = c.setText(p, c.raw) // it was parsed before
			}
			return err
		}
		c.view(e)
	}
	c.raw = raw
	return nil
}

func (p *Page) patchCell(c *Cell, s *Step) error {
	raw := c.raw
	if err := s.splice().Patch(&raw); err != nil {
		return err
	}
	was := *c
	p.unindex(c)
	err := c.setText(p, raw)
	turned := was.ID != c.ID || was.Vertex != c.Vertex || was.Edge != c.Edge
	p.index(c, turned || was.name != c.name || c.name == "" && was.Parent != c.Parent)
	if turned || was.Style != c.Style || was.Parent != c.Parent {
		p.noteBelow(was.ID, 0)
		p.noteBelow(c.ID, 0)
	}
	return err
}
