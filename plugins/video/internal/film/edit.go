package film

import (
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// Edit is the domain's only type of event: one step of the document.
type Edit struct {
	Step otio.Step `msgpack:"s"`
}

// AppendMsgpack implements pdk.Appender.
func (e *Edit) AppendMsgpack(b []byte) []byte {
	b = slices.Grow(b, len(e.Step.Old)+len(e.Step.New)+128)
	return e.Step.AppendMsgpack(abi.AppendString(abi.AppendMap(b, 1), "s"))
}

// Type implements pdk.Edit.
func (e *Edit) Type() string { return "edit" }

// Do implements pdk.Edit.
func (e *Edit) Do(f *Film) error { return f.Doc.Do(&e.Step) }

// Undo implements pdk.Edit.
func (e *Edit) Undo(f *Film) error {
	back := e.Step.Inverse()
	return f.Doc.Do(&back)
}

// Change records and does one step.
func Change(c *Ctx, s otio.Step, summary string, ids ...string) error {
	return c.Do(&Edit{s}, pdk.Line(summary, 200), ids...)
}

// NoteRecent tells the host what @recent means after an op. It leaves out names that are too long for an id, which
// files may contain.
func NoteRecent(c *Ctx, ids ...string) {
	c.Touch(slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return len(id) > abi.MaxID })...)
}
