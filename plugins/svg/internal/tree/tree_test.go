package tree

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/vmihailenco/msgpack/v5"
)

func TestAnEditIsWrittenAsThePackageMsgpackWould(t *testing.T) {
	for _, e := range []*Edit{
		{}, {Steps: []Step{}, Next: 300},
		{Next: 7, Steps: []Step{{Action: Patch, Key: 70_000, Part: Tail, At: 200, Old: "é", New: string(bytes.Repeat([]byte("x"), 70_000))}, {Action: Insert, Key: 1, At: 2, Old: "\n", New: "<a/>", Keys: []int{5, 6, 1 << 20}}, {Action: Move, Key: 9, Keys: []int{}}}},
	} {
		var want bytes.Buffer
		enc := msgpack.NewEncoder(&want)
		enc.UseCompactInts(true)
		if err := enc.Encode(e); err != nil {
			t.Fatal(err)
		}
		got := e.AppendMsgpack(nil)
		if !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%+v\n got % x\nwant % x", e, got[:min(len(got), 80)], want.Bytes()[:min(want.Len(), 80)])
		}
		var back Edit
		if err := msgpack.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, *e) && e.Steps != nil {
			t.Errorf("%+v came back as %+v (%v)", e, back, err)
		}
	}
}

func parse(t *testing.T, text string) *Doc {
	t.Helper()
	d, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Text(); got != text {
		t.Fatalf("read as %s", got)
	}
	return d
}

// runDraft runs changes and returns the text, after checking that they can be undone
// and redone.
func runDraft(t *testing.T, text string, change func(d *Doc, w *Draft)) string {
	t.Helper()
	d := parse(t, text)
	w := d.Draft()
	change(d, w)
	got := d.Text()
	e := w.Edit()
	if e == nil {
		return got
	}
	if err := e.Do(d); err != nil || d.Text() != got {
		t.Fatalf("what was drafted is done twice (%v): %s", err, d.Text())
	}
	if err := e.Undo(d); err != nil || d.Text() != text {
		t.Fatalf("undone (%v) to %s", err, d.Text())
	}
	if err := e.Do(d); err != nil || d.Text() != got {
		t.Fatalf("done again (%v): %s", err, d.Text())
	}
	return got
}

func rect(string) string { return "<rect/>" }

func TestAnElementIsWrittenAsItsSiblingsAre(t *testing.T) {
	for _, c := range [][3]string{
		{"on its line", "<svg>\n    <g/>\n</svg>", "<svg>\n    <g/>\n    <rect/>\n</svg>"},
		{"with the file's line ends", "<svg>\r\n\t<g/>\r\n</svg>", "<svg>\r\n\t<g/>\r\n\t<rect/>\r\n</svg>"},
		{"on one line", "<svg><g/></svg>", "<svg><g/><rect/></svg>"},
		{"in an empty file", "<svg/>", "<svg>\n  <rect/>\n</svg>"},
		{"in one that is open", "<svg></svg>", "<svg>\n  <rect/>\n</svg>"},
		{"behind a comment", "<svg>\n  <g/>\n  <!-- end -->\n</svg>", "<svg>\n  <g/>\n  <rect/>\n  <!-- end -->\n</svg>"},
	} {
		if got := runDraft(t, c[1], func(d *Doc, w *Draft) { w.Append(d.Root, rect) }); got != c[2] {
			t.Errorf("%s: %q, want %q", c[0], got, c[2])
		}
	}
	for _, c := range [][2]string{
		{"<svg>\n  <g/>\n</svg>", "<svg>\n  <g>\n    <rect/>\n  </g>\n</svg>"},
		{"<svg>\n  <g>\n  </g>\n</svg>", "<svg>\n  <g>\n    <rect/>\n  </g>\n</svg>"},
		{"<svg>\n  <g ></g>\n</svg>", "<svg>\n  <g >\n    <rect/>\n  </g>\n</svg>"},
		{"<svg><g/></svg>", "<svg><g><rect/></g></svg>"},
	} {
		if got := runDraft(t, c[0], func(d *Doc, w *Draft) { w.Append(d.Root.First, rect) }); got != c[1] {
			t.Errorf("%q, want %q", got, c[1])
		}
	}
}

func TestRemovingAnElementKeepsTheTextAroundIt(t *testing.T) {
	for _, c := range [][2]string{
		{"<svg>\n  <a/>\n  <b/>\n</svg>", "<svg>\n  <b/>\n</svg>"},
		{"<svg>\n  <!-- kept -->\n  <a/>\n  <b/>\n</svg>", "<svg>\n  <!-- kept -->\n  <b/>\n</svg>"},
		{"<svg>\n  <!-- kept --><a/>\n</svg>", "<svg>\n  <!-- kept -->\n</svg>"},
		{"<text>one <a/> two</text>", "<text>one  two</text>"},
	} {
		if got := runDraft(t, c[0], func(d *Doc, w *Draft) { w.Remove(d.Root.First) }); got != c[1] {
			t.Errorf("%q, want %q", got, c[1])
		}
	}
}

func TestAMovedElementTakesTheIndentationOfItsPlace(t *testing.T) {
	text := "<svg>\n  <g>\n    <a>\n      <b/>\n    </a>\n  </g>\n  <c/>\n</svg>"
	got := runDraft(t, text, func(d *Doc, w *Draft) { w.Move(d.Root.First.First, d.Root, d.Root.Last) })
	if want := "<svg>\n  <g>\n  </g>\n  <c/>\n  <a>\n    <b/>\n  </a>\n</svg>"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestAttributesAreChangedInPlace(t *testing.T) {
	for _, c := range []struct {
		text, want string
		change     func(w *Draft, n *Node)
	}{
		{`<svg a='1'  b = "2" />`, `<svg a='&apos;"'  b = "2" />`, func(w *Draft, n *Node) { w.SetAttr(n, "a", `'"`) }},
		{`<svg a='1'  b = "2" />`, `<svg a='1'  b = "2" c="&lt;" />`, func(w *Draft, n *Node) { w.SetAttr(n, "c", "<") }},
		{`<svg a='1'  b = "2" />`, `<svg a='1' />`, func(w *Draft, n *Node) { w.DropAttr(n, "b") }},
		{"<svg\n a='1'\n b='2'>x</svg>", "<svg\n b='2'>x</svg>", func(w *Draft, n *Node) { w.DropAttr(n, "a") }},
		{`<svg/>`, `<svg x:a="1"/>`, func(w *Draft, n *Node) { w.SetAttr(n, "x:a", "1") }},
		{`<svg a="&amp;"/>`, `<svg a="&amp;"/>`, func(w *Draft, n *Node) { w.SetAttr(n, "a", "&") }},
		{`<text>a<b/>c<!-- d --></text>`, `<text>&lt;new></text>`, func(w *Draft, n *Node) { w.SetText(n, "<new>") }},
	} {
		c.want = string(bytes.ReplaceAll([]byte(c.want), []byte("new>"), []byte("new&gt;")))
		if got := runDraft(t, c.text, func(d *Doc, w *Draft) { c.change(w, d.Root) }); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

func TestIDsAreFoundWhoeverHasThem(t *testing.T) {
	d := parse(t, `<svg><a id="x"/><b id="x"/><c id="y"/></svg>`)
	a, b := d.Root.First, d.Root.First.Next
	if d.ByID("x") != a || d.ByID("y") != d.Root.Last || d.ByID("z") != nil || len(d.Twins()) != 1 {
		t.Error("read wrongly")
	}
	w := d.Draft()
	w.Remove(a)
	if d.ByID("x") != b || len(d.Twins()) != 0 {
		t.Error("removed wrongly")
	}
	w.SetAttr(b, "id", "w")
	if d.ByID("x") != nil || d.ByID("w") != b {
		t.Error("renamed wrongly")
	}
	w.Drop()
	if got := d.ByID("x"); got == nil || got.Name != "a" || len(d.Twins()) != 1 || d.ByID("w") != nil {
		t.Error("taken back wrongly")
	}
}

func TestEventsThatDoNotFitAreRefusedAndChangeNothing(t *testing.T) {
	text := `<svg><g><a/></g></svg>`
	for _, s := range []Step{
		{Action: Patch, Key: 99}, {Action: Patch, Key: 2, Part: Tag, Old: "nothing"}, {Action: Patch, Key: 2, Part: Tag, At: 1, Old: "g", New: "<"}, {Action: Patch, Key: 2, Part: 9}, {Action: Patch, Part: Tag},
		{Action: Insert, Key: 2, New: "<b/>"}, {Action: Insert, Key: 2, New: "<b/>", Keys: []int{1}}, {Action: Insert, Key: 2, New: "<b/><c/>", Keys: []int{4}}, {Action: Insert, Key: 2, New: "<b/>", Keys: []int{1 << 40}}, {Action: Insert, Key: 2, At: 1, New: "<b/>", Keys: []int{4}},
		{Action: Remove, Key: 2, Keys: []int{1}}, {Action: Remove, Key: 3}, {Action: Move, Key: 2, Keys: []int{1, 0, 3, 0}}, {Action: Move, Key: 1, Keys: []int{1, 0, 2, 0}}, {Action: Move, Key: 3}, {Action: 9},
	} {
		d := parse(t, text)
		e := &Edit{Steps: []Step{{Action: Patch, Key: 3, Part: Tag, At: 2, New: ` x="1"`}, s}}
		if err := e.Do(d); err == nil || d.Text() != text {
			t.Errorf("%+v: %v: %s", s, err, d.Text())
		}
	}
}
