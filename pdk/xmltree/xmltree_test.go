package xmltree

import (
	"errors"
	"strings"
	"testing"
)

func TestElementsHaveTheirOffsets(t *testing.T) {
	const src = "\uFEFF<?xml version='1.0'?>\r\n<!DOCTYPE a [<!ENTITY x \"]>\">]>\n<a  one = '1'\n two=\"&lt;2&#xa;\" ><!-- <b> --><b/><c d=''>t<![CDATA[</c>]]></c ></a>\n<!--end-->"
	root, err := Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	if root.Name != "a" || len(root.Children) != 2 || root.Children[1].Inner() != "t<![CDATA[</c>]]>" {
		t.Fatalf("read %+v", root)
	}
	if v, _ := root.Attr("two"); v != "<2\n" {
		t.Errorf("two = %q", v)
	}
	if !root.Children[0].SelfClosing() || root.Children[1].SelfClosing() {
		t.Error("self-closing is wrong")
	}
	if root.Raw() != src[root.Start:root.End] || !strings.HasSuffix(root.Raw(), "</a>") {
		t.Errorf("raw %q", root.Raw())
	}
}

func TestErrorsContainTheOffset(t *testing.T) {
	for _, c := range []struct {
		src    string
		offset int
		reason string
	}{
		{"", 0, "no element"},
		{"  x<a/>", 2, "text outside"},
		{"<a>", 3, "ends inside <a>"},
		{"<a></b>", 3, "</b> where </a> is expected"},
		{"<a/><b/>", 4, "second element"},
		{"<a b=1/>", 5, "not quoted"},
		{"<a b/>", 4, "no value"},
		{"<a b='1' b='2'/>", 9, "twice"},
		{"<a b='1'c='2'/>", 8, "not an attribute"},
		{"<a b='<'/>", 6, "< inside"},
		{"<a b='1/>", 5, "no closing quote"},
		{"<a><!-- </a>", 3, "comment without"},
		{"<a>\xff</a>", 3, "not UTF-8"},
		{"</a>", 0, "closes nothing"},
		{"<!DOCTYPE a [", 0, "document type without"},
		{"< a/>", 0, "does not start a tag"},
		{strings.Repeat("<a>", MaxDepth+1), 3 * MaxDepth, "nest deeper"},
	} {
		_, err := Parse(c.src)
		var e *Error
		if !errors.As(err, &e) || e.Offset != c.offset || !strings.Contains(e.Reason, c.reason) {
			t.Errorf("%.40q: got %v, want byte %d: %s", c.src, err, c.offset, c.reason)
		}
	}
}

func TestEntitiesOfADocumentTypeAreNotExpanded(t *testing.T) {
	root, err := Parse(`<!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;">]><a v="&c;&amp;c;"/>`)
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := root.Attr("v"); v != "&c;&c;" {
		t.Errorf("v = %q", v)
	}
}

func TestSplicesChangeOnlyWhatTheyName(t *testing.T) {
	text := func(text string) func(*Element) Splice {
		return func(e *Element) Splice { return e.SetText(text) }
	}
	set := func(name, value string) func(*Element) Splice {
		return func(e *Element) Splice { return e.SetAttr(name, value) }
	}
	for _, c := range []struct {
		name, src, want string
		do              func(*Element) Splice
	}{
		{"a value keeps its quotes", `<a  x = 'old'   y="1"/>`, `<a  x = 'a"&apos;b'   y="1"/>`, set("x", `a"'b`)},
		{"an equal value is left as it was written", `<a x="&#65;"/>`, `<a x="&#65;"/>`, set("x", "A")},
		{"a new attribute goes behind the last", `<a x="1" />`, `<a x="1" z="&lt;&amp;&#xa;" />`, set("z", "<&\n")},
		{"the first attribute goes behind the name", `<a>t</a>`, `<a z="1">t</a>`, set("z", "1")},
		{"an attribute goes with its space", `<a x="1"  y='2'>t</a>`, `<a x="1">t</a>`, func(e *Element) Splice { return e.DropAttr("y") }},
		{"dropping what is not there does nothing", `<a/>`, `<a/>`, func(e *Element) Splice { return e.DropAttr("y") }},
		{"a self-closing element is opened", `<a x="1" />`, `<a x="1"><b/></a>`, func(e *Element) Splice { return e.Append("<b/>") }},
		{"a child is appended before the last white space", "<a>\n  <c/>\n</a>", "<a>\n  <c/><b/>\n</a>", func(e *Element) Splice { return e.Append("<b/>") }},
		{"a child goes with the space before it", "<a>\n  <c/>\n</a>", "<a>\n</a>", func(e *Element) Splice { return e.Children[0].Drop() }},
		{"text replaces all between the tags", "<a>x<b/><!-- c --></a>", "<a>1 &lt; 2\n</a>", text("1 < 2\n")},
		{"text opens a self-closing element", "<a />", "<a>t</a>", text("t")},
		{"an equal text is left as it was written", "<a>&#65;<![CDATA[B]]></a>", "<a>&#65;<![CDATA[B]]></a>", text("AB")},
		{"a prefix is part of the name", `<a x:b="1" b="2"/>`, `<a x:b="3" b="2"/>`, set("x:b", "3")},
		{"a child is replaced", "<a> <c/> </a>", "<a> <d/> </a>", func(e *Element) Splice { return e.Children[0].Replace("<d/>") }},
	} {
		e, err := Parse(c.src)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		s := c.do(e)
		got, ok := s.Apply(c.src)
		if !ok || got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if back, ok := s.Inverse().Apply(got); !ok || back != c.src {
			t.Errorf("%s: undone to %q", c.name, back)
		}
	}
}

func TestDiffIsMinimalAndCutsBetweenRunes(t *testing.T) {
	for _, c := range []struct{ from, to, old, new string }{
		{"abc", "abc", "", ""},
		{"abc", "aXc", "b", "X"},
		{"aa", "aaa", "", "a"},
		{"é", "è", "é", "è"},
		{"aéb", "aèb", "é", "è"},
		{"", "x", "", "x"},
		{"x", "", "x", ""},
	} {
		s := Diff(c.from, c.to)
		if s.Old != c.old || s.New != c.new {
			t.Errorf("%q → %q: %+v", c.from, c.to, s)
		}
		if got, ok := s.Apply(c.from); !ok || got != c.to {
			t.Errorf("%q → %q: applied to %q", c.from, c.to, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`<a b="c">d<e/></a>`, "<?xml?><a/>", "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "<a b='&#1;&lt;'/>",
		"<x:a xmlns:x='u'  y = \"1\"\r\n><!-- -- --><?p i?><![CDATA[]]]]><x:b /> t &amp; u</x:a >\n<!--e-->", "<a>\n  <b/>\n  <c>t</c>\n</a>"} {
		f.Add(s, "k", "v")
	}
	f.Fuzz(func(t *testing.T, src, key, value string) {
		e, err := Parse(src)
		if err != nil {
			var x *Error
			if !errors.As(err, &x) || x.Offset < 0 || x.Offset > len(src) {
				t.Fatalf("error %v for %q", err, src)
			}
			return
		}
		// Printing the tree node by node gives the original text.
		var b strings.Builder
		print(&b, e)
		if got := src[:e.Start] + b.String() + src[e.End:]; got != src {
			t.Fatalf("printed %q, read %q", got, src)
		}
		clean := Unescape(Escape(value, '"'))
		for _, a := range e.Attrs {
			again := edited(t, src, e.SetAttr(a.Name, value))
			if v, _ := again.Attr(a.Name); v != clean {
				t.Fatalf("set %s to %q in %q: reads back %q", a.Name, value, src, v)
			}
			edited(t, src, e.DropAttr(a.Name))
		}
		if got := edited(t, src, e.SetText(value)).Text(); got != UnescapeText(EscapeText(value)) {
			t.Fatalf("text %q in %q: reads back %q", value, src, got)
		}
		if got := edited(t, src, e.Append("<n/>")); len(got.Children) != len(e.Children)+1 {
			t.Fatalf("appended to %q: %q", src, got.Raw())
		}
		for _, c := range e.Children {
			if got := edited(t, src, c.Drop()); len(got.Children) != len(e.Children)-1 {
				t.Fatalf("dropped %q of %q: %q", c.Raw(), src, got.Raw())
			}
			edited(t, src, c.Replace("<n/>"))
		}
	})
}

// edited returns src after a splice. The result has to be well-formed, and the splice
// to have an inverse.
func edited(t *testing.T, src string, s Splice) *Element {
	t.Helper()
	text, ok := s.Apply(src)
	if !ok {
		t.Fatalf("%+v: no place in %q", s, src)
	}
	if back, ok := s.Inverse().Apply(text); !ok || back != src {
		t.Fatalf("undo of %+v gives %q", s, back)
	}
	e, err := Parse(text)
	if err != nil {
		t.Fatalf("%+v in %q: %v in %q", s, src, err, text)
	}
	return e
}

func print(b *strings.Builder, e *Element) {
	b.WriteString(e.src[e.Start:e.OpenEnd])
	for n := range e.Nodes() {
		if n.Kind == Tag {
			print(b, n.Element)
			continue
		}
		b.WriteString(e.src[n.Start:n.End])
	}
	b.WriteString(e.src[e.CloseStart:e.End])
}
