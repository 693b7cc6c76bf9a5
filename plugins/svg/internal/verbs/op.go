package verbs

import (
	"slices"
	"strconv"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// op is an op that is being run.
type op struct {
	*ctx
	*tree.Draft
	a         pdk.Args
	f         *drawing
	touched   []*node
	unchanged string            // reply if nothing had to change
	shows     map[*node][]*node // the uses that show an element; nil until needed

	looked  *scene.Scene
	version int
	clones  []cloned       // whose rules keepRules still has to look after
	later   map[string]int // for nextID: the number to try after an id that is used
}

// running converts a function that drafts an edit to the function of a verb. It must not be inlined: there would be a
// copy for each verb.
//
//go:noinline
func running(run func(o *op) error) func(*ctx, pdk.Args) error {
	return func(c *ctx, a pdk.Args) error {
		o := &op{ctx: c, Draft: c.Model.Draft(), a: a, f: c.Model, unchanged: "nothing to change"}
		placed := o.scene().Placed()
		sheets := ""
		if placed != nil {
			sheets = o.f.SheetTexts()
		}
		if err := run(o); err != nil {
			o.Draft.Drop()
			return err
		}
		o.settle()
		if placed != nil && o.f.SheetTexts() == sheets {
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
		return c.Do(&model.Edit{Edit: *e}, model.Line(a.Raw, abi.MaxSummary), ids...)
	}
}

// warnPlaced names the elements, other than those that the op is about, for which rules hold or no longer hold because
// their siblings have changed.
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
		o.Warn("rules for a place among others, such as :first-child, now hold otherwise for %s", o.f.Refs(some))
	}
}

// touch records the nodes that the op is about.
func (o *op) touch(list ...*node) { o.touched = append(o.touched, list...) }

// scene returns a scene of the document with the op's changes so far.
func (o *op) scene() *scene.Scene {
	if o.looked == nil || o.version != o.f.Version() {
		o.looked, o.version = o.f.Scene(), o.f.Version()
	}
	return o.looked
}

// warnTouched warns of faults of the elements that an op created or changed, if the
// document is too large to be examined as a whole.
func (o *op) warnTouched() {
	if o.f.IsWatched() {
		return
	}
	said := 0
	for _, n := range o.touched {
		if o.f.Node(n.Key) != n || said == model.MaxNamed {
			continue
		}
		if one, ok := o.f.Invisible(o.scene(), n); ok {
			said++
			o.Warn("%s %s", o.f.Ref(n), one.Text)
		}
	}
}
