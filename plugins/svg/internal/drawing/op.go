package drawing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
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

// scene returns a scene of the current document.
func (f *Drawing) scene() *scene.Scene { return scene.New(f.Doc, &f.styles) }

// Aliases for the SDK's generic types.
type (
	node  = tree.Node
	ctx   = pdk.Ctx[*Drawing]
	view  = pdk.View[*Drawing]
	verb  = pdk.Verb[*Drawing]
	query = pdk.Query[*Drawing]
)

// edit is the domain's only kind of event.
type edit struct{ tree.Edit }

func (e *edit) Do(f *Drawing) error   { return e.Edit.Do(f.Doc) }
func (e *edit) Undo(f *Drawing) error { return e.Edit.Undo(f.Doc) }

// DecodeMsgpack reads what AppendMsgpack wrote.
func (e *edit) DecodeMsgpack(dec *msgpack.Decoder) error { return dec.Decode(&e.Edit) }

// op is an op that is being run.
type op struct {
	*ctx
	*tree.Draft
	a         pdk.Args
	f         *Drawing
	touched   []*node
	unchanged string            // reply if nothing had to change
	shows     map[*node][]*node // the uses that show an element; nil until needed

	looked  *scene.Scene
	version int
	clones  []cloned       // whose rules keepRules still has to look after
	later   map[string]int // for nextID: the number to try after an id that is used
}

// running converts a function that drafts an edit to the function of a verb. It must not be inlined: there would be a copy for each
// verb.
//
//go:noinline
func running(run func(o *op) error) func(*ctx, pdk.Args) error {
	return func(c *ctx, a pdk.Args) error {
		o := &op{ctx: c, Draft: c.Model.Draft(), a: a, f: c.Model, unchanged: "nothing to change"}
		placed := o.scene().Placed()
		sheets := ""
		if placed != nil {
			sheets = o.f.sheetTexts()
		}
		if err := run(o); err != nil {
			o.Draft.Drop()
			return err
		}
		o.settle()
		if placed != nil && o.f.sheetTexts() == sheets {
			o.warnPlaced(placed)
		}
		e := o.Draft.Edit()
		if e == nil {
			return pdk.Unchanged("%s", o.unchanged)
		}
		o.warnTouched()
		ids := make([]string, 0, len(o.touched))
		for _, n := range o.touched {
			ids = append(ids, strconv.Itoa(n.Key))
		}
		return c.Do(&edit{*e}, line(a.Raw, abi.MaxSummary), ids...)
	}
}

// warnPlaced names the elements, other than those that the op is about, for which rules hold or no longer hold because their siblings
// have changed.
func (o *op) warnPlaced(before map[int]string) {
	now := o.scene().Placed()
	var list []*node
	for n := range o.f.Root.All() {
		hold, known := now[n.Key]
		if was, old := before[n.Key]; old && known && was != hold && !slices.ContainsFunc(o.touched, func(t *node) bool { return n.Within(t) }) {
			list = append(list, n)
		}
	}
	for some := range slices.Chunk(list, maxListed) {
		o.Warn("rules for a place among others, such as :first-child, now hold otherwise for %s", o.f.names(some))
	}
}

// sheetTexts returns the texts of all style elements.
func (f *Drawing) sheetTexts() (out string) {
	sheets, _ := f.Sheets()
	for _, s := range sheets {
		out += s.Text() + "\n"
	}
	return out
}

// touch records the nodes that the op is about.
func (o *op) touch(list ...*node) { o.touched = append(o.touched, list...) }

// scene returns a scene of the document with the op's changes so far.
func (o *op) scene() *scene.Scene {
	if o.looked == nil || o.version != o.f.Version() {
		o.looked, o.version = o.f.scene(), o.f.Version()
	}
	return o.looked
}

// line shortens a text to one line of at most size bytes, and a data: URI to its type and size.
func line(s string, size int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > size {
		if kind, data, ok := strings.Cut(s, ","); ok && len(kind) < size && strings.HasPrefix(kind, "data:") {
			return fmt.Sprintf("%s, %d KB", strings.TrimSuffix(kind, ";base64"), max(1, (len(data)*3/4+500)/1000))
		}
		s = strings.ToValidUTF8(s[:size-4], "") + "…"
	}
	return s
}
