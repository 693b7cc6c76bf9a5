package drawing

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

func classVerb() verb {
	return verb{Run: running(runClass), Verb: abi.Verb{
		Syntax: "class NAME [REF…|SEL] [fill:COLOUR] key:value… | class NAME off REF…|SEL", Brief: "class NAME [REF…|SEL] [properties] | class NAME off REF…|SEL", Category: "looks",
		Summary:  "set properties of a class in the style element, give the class to elements, or remove it from them",
		Examples: []string{"class accent fill:tomato stroke:none", "class accent dot card", "class muted @type:text opacity:0.6", "class muted off card"},
	}}
}

func runClass(o *op) error {
	name := strings.TrimPrefix(o.a.Text(0), ".")
	if name == "" || strings.ContainsAny(name, " .#>+~[]():{},;\"'<&") {
		return pdk.Errorf("%s is not a class name", pdk.Quote(name))
	}
	list, err := o.settings()
	if err != nil {
		return err
	}
	from, off := 1, false
	if strings.EqualFold(o.a.Text(1), "off") && !o.a.Positionals[1].Quoted {
		from, off = 2, true
	}
	var targets []*node
	if len(o.a.Positionals) > from || len(o.a.Selectors) > 0 {
		if targets, err = o.targets(from, len(o.a.Positionals), false); err != nil {
			return err
		}
	}
	switch {
	case off && (len(list) > 0 || len(targets) == 0):
		return pdk.Errorf("class %s off: name the elements that lose the class", name)
	case len(list) == 0 && len(targets) == 0:
		return pdk.Errorf("class needs properties, or elements to give the class to")
	}
	if len(list) > 0 {
		o.rule(name, list)
		var have []*node
		for n := range o.f.Root.All() {
			if len(targets) > 0 && css.HasClass(n, name) {
				have = append(have, n)
			}
		}
		o.warnOthers("class "+name+" is that of others as well", have, targets)
	}
	for _, n := range targets {
		o.setClass(n, name, off)
	}
	o.touch(targets...)
	o.unchanged = "class " + name + " is unchanged"
	text := "class " + name
	if len(list) > 0 {
		text += " " + settingsText(list)
	}
	if len(targets) > 0 {
		text += map[bool]string{false: " on ", true: " off "}[off] + o.f.names(targets)
	}
	o.Changed("%s", text)
	return nil
}

// setClass gives an element a class, or removes the class if off is set.
func (o *op) setClass(n *node, name string, off bool) {
	var words []string
	for w := range strings.FieldsSeq(n.Get("class")) {
		if w != name {
			words = append(words, w)
		}
	}
	switch has := css.HasClass(n, name); {
	case has && off && len(words) == 0:
		o.DropAttr(n, "class")
	case has && off:
		o.SetAttr(n, "class", strings.Join(words, " "))
	case !has && !off:
		o.SetAttr(n, "class", strings.Join(append(words, name), " "))
	}
}

// rule sets properties in the rule of a class, in the last style element. It makes a
// style element if there is none.
func (o *op) rule(name string, list []setting) {
	sheets, _ := o.f.Sheets()
	for i := len(sheets) - 1; i >= 0; i-- {
		n := sheets[i]
		if n.First != nil {
			continue
		}
		sheet, ok := inner(n.Tail)
		if !ok {
			continue
		}
		r, ok := css.Parse(sheet.text).Class(name)
		if !ok {
			continue
		}
		fresh := sheet.text[r.From:r.To]
		for _, s := range list {
			if s.value == "" {
				fresh = css.Drop(fresh, s.property.Name)
			} else {
				fresh = css.Set(fresh, s.property.Name, s.value)
			}
		}
		o.Set(n, tree.Tail, sheet.edited(css.Edit{From: r.From, To: r.To, Text: fresh}))
		return
	}
	var b strings.Builder
	for i, s := range list {
		if s.value == "" {
			continue
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(s.property.Name + ": " + s.value)
	}
	text := "." + name + " { " + b.String() + " }"
	for i := len(sheets) - 1; i >= 0; i-- {
		if sheet, ok := inner(sheets[i].Tail); ok && sheets[i].First == nil {
			o.Set(sheets[i], tree.Tail, sheet.withRule(text))
			return
		}
	}
	o.Insert(o.f.Root, o.defsAnchor(), o.f.writer(element{name: "style", text: text}))
}

// sheet is the text of a style element, and where it is in what the file has there.
type sheet struct {
	tail, text string
	offsets    []int // in tail, of each byte of text and of its end
	cdata      bool
}

// inner reads what is in a style element: text, perhaps with references such as &gt;, or just one CDATA section. ok is false for
// anything else.
func inner(tail string) (s sheet, ok bool) {
	s.tail = tail
	from, to := 0, len(tail)
	if i := strings.Index(tail, "<![CDATA["); i >= 0 {
		end := strings.Index(tail, "]]>")
		if end < i || strings.Contains(tail[end:], "<") || strings.TrimSpace(tail[:i]) != "" {
			return s, false
		}
		from, to, s.cdata = i+len("<![CDATA["), end, true
	} else if strings.Contains(tail, "<") {
		return s, false
	}
	var text []byte
	for i := from; i < to; {
		n, letters := 1, tail[i:i+1]
		if tail[i] == '&' && !s.cdata {
			n = strings.IndexByte(tail[i:], ';') + 1
			if letters = xmltree.Unescape(tail[i : i+n]); n == 0 || letters == tail[i:i+n] {
				return s, false // an entity of the document type
			}
		}
		for range len(letters) {
			s.offsets = append(s.offsets, i)
		}
		text = append(text, letters...)
		i += n
	}
	s.text, s.offsets = string(text), append(s.offsets, to)
	return s, true
}

// edited returns the tail with edits of the text. All else keeps its bytes.
func (s sheet) edited(edits ...css.Edit) string {
	var raw []css.Edit
	for _, e := range edits {
		if !s.cdata {
			e.Text = strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(e.Text)
		}
		raw = append(raw, css.Edit{From: s.offsets[e.From], To: s.offsets[e.To], Text: e.Text})
	}
	return css.Edited(s.tail, raw)
}

// withRule returns the tail with another rule at the end, with the indentation of the other rules.
func (s sheet) withRule(text string) string {
	body := strings.TrimRight(s.text, " \t\r\n")
	gap := " "
	if i := strings.IndexByte(s.text, '\n'); i >= 0 {
		gap = s.text[i:]
		gap = gap[:len(gap)-len(strings.TrimLeft(gap, " \t\r\n"))]
	}
	if body == "" {
		gap = ""
		if i := strings.IndexByte(s.text, '\n'); i >= 0 {
			gap = s.text[:len(s.text)-len(strings.TrimLeft(s.text, " \t\r\n"))]
		}
		return s.edited(css.Edit{To: len(s.text), Text: gap + text + s.text})
	}
	return s.edited(css.Edit{From: len(body), To: len(body), Text: gap + text})
}

// defsAnchor returns the element after which definitions are inserted, such as the
// document's title or description.
func (o *op) defsAnchor() *node {
	var after *node
	for c := range o.f.Root.Kids() {
		switch o.f.Type(c) {
		case "title", "desc", "metadata", "style":
			after = c
			continue
		}
		break
	}
	return after
}
