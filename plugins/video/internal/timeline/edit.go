package timeline

import (
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// edit is the domain's only type of event: one step of the document.
type edit struct {
	Step otio.Step `msgpack:"s"`
}

// AppendMsgpack implements pdk.Appender.
func (e *edit) AppendMsgpack(b []byte) []byte {
	b = slices.Grow(b, len(e.Step.Old)+len(e.Step.New)+128)
	return e.Step.AppendMsgpack(abi.AppendString(abi.AppendMap(b, 1), "s"))
}

// Type implements pdk.Edit.
func (e *edit) Type() string { return "edit" }

// Do implements pdk.Edit.
func (e *edit) Do(f *Film) error { return f.doc.Do(&e.Step) }

// Undo implements pdk.Edit.
func (e *edit) Undo(f *Film) error {
	back := e.Step.Inverse()
	return f.doc.Do(&back)
}

// change records and does one step.
func change(c *ctx, s otio.Step, summary string, ids ...string) error {
	return c.Do(&edit{s}, pdk.Line(summary, 200), ids...)
}

// noteRecent tells the host what @recent means after an op. It leaves out names that are too long for an id, which files may
// contain.
func noteRecent(c *ctx, ids ...string) {
	c.Touch(slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return len(id) > abi.MaxID })...)
}
