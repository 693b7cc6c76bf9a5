// Package model reads a drawing: its elements by their names and by selectors, how they look, and what is wrong with
// them.
package model

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
	"github.com/vmihailenco/msgpack/v5"
)

// Drawing is an open document.
type Drawing struct {
	*tree.Doc
	styles     scene.Styles
	faultCache faultCache
}

// Scene returns a scene of the current document.
func (f *Drawing) Scene() *scene.Scene { return scene.New(f.Doc, &f.styles) }

type node = tree.Node

// Edit is the domain's only kind of event.
type Edit struct{ tree.Edit }

func (e *Edit) Do(f *Drawing) error { return e.Edit.Do(f.Doc) }

func (e *Edit) Undo(f *Drawing) error { return e.Edit.Undo(f.Doc) }

// DecodeMsgpack reads what AppendMsgpack wrote.
func (e *Edit) DecodeMsgpack(dec *msgpack.Decoder) error { return dec.Decode(&e.Edit) }

// SheetTexts returns the texts of all style elements.
func (f *Drawing) SheetTexts() (out string) {
	sheets, _ := f.Sheets()
	for _, s := range sheets {
		out += s.Text() + "\n"
	}
	return out
}

// Line shortens a text to one line of at most size bytes, and a data: URI to its type and size.
func Line(s string, size int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > size {
		if kind, data, ok := strings.Cut(s, ","); ok && len(kind) < size && strings.HasPrefix(kind, "data:") {
			return fmt.Sprintf("%s, %d KB", strings.TrimSuffix(kind, ";base64"), max(1, (len(data)*3/4+500)/1000))
		}
		s = strings.ToValidUTF8(s[:size-4], "") + "…"
	}
	return s
}
