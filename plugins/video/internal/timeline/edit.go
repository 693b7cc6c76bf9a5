package timeline

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// edit is the one kind of event: a step of the document.
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

// change makes one step.
func change(c *ctx, s otio.Step, summary string, ids ...string) error {
	return c.Do(&edit{s}, line(summary, 200), ids...)
}

// noteRecent names what @recent means by an op, but for what has a name that is no id
// for its length: a file may hold such.
func noteRecent(c *ctx, ids ...string) {
	c.Touch(slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return len(id) > abi.MaxID })...)
}

// line cuts a text to one line of at most n letters.
func line(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
