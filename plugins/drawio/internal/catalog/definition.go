package catalog

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// Limits of an imported library. Its types are stored in the document.
const (
	MaxItems = 500
	MaxStyle = 200_000 // bytes of a style; pictures are the largest part
)

// Definitions are stored where draw.io's own Edit Data stores data of a whole page: as
// properties of the root cell, here of the first page. draw.io keeps them when it saves the
// file, and shows them in that dialog.
const (
	TypeKey  = "fcpType-"
	ThemeKey = "fcpTheme-"
)

// Definition is a type that a document adds.
type Definition struct {
	Name, Base, Theme, Badge string
	W, H                     float64     // 0 for those of the base
	Style                    style.Style // replaces that of the base unless ""
}

// CheckName refuses names that a defined type or theme cannot have.
func CheckName(s string) error {
	ok := s != "" && len(s) <= 40 && s[0] >= 'a' && s[0] <= 'z'
	for i := 0; i < len(s); i++ {
		ok = ok && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= '0' && s[i] <= '9' || s[i] == '-' || s[i] == '_')
	}
	if !ok {
		return pdk.Errorf("%q cannot be a name here: a lower-case letter, then lower-case letters, digits, - and _, 40 characters at most", s)
	}
	return nil
}

// PlainType finds a built-in type by its name or by an unambiguous beginning of it.
func PlainType(word string) (string, bool) {
	if kind, ok := pdk.OneOf(word, style.Order()); ok {
		return kind, true
	}
	kinds := typesWithPrefix(nil, word)
	if len(kinds) != 1 {
		return "", false
	}
	return kinds[0], true
}

// Text writes a definition as the value of a property: its base type, then the differences
// from it.
func (d Definition) Text() string {
	out := "base=" + d.Base
	if d.Theme != "" {
		out += " theme=" + d.Theme
	}
	if d.W > 0 {
		out += " size=" + mxfile.Num(d.W) + "x" + mxfile.Num(d.H)
	}
	if d.Badge != "" {
		out += " badge=" + strconv.Quote(d.Badge)
	}
	if d.Style != "" {
		out += " style=" + strconv.Quote(string(d.Style))
	}
	return out
}

// Brief describes a definition for people. It leaves out the style, which may hold a
// picture.
func (d Definition) Brief() string {
	if d.Style == "" {
		return values.OneLine(d.Text())
	}
	d.Style = ""
	return values.OneLine(d.Text()) + " with a style of its own"
}

// ReadDefinition reads what Text wrote. ok is false for any other text; a file may hold
// anything.
func ReadDefinition(name, text string) (Definition, bool) {
	d := Definition{Name: name}
	if fields, look, ok := strings.Cut(text, ` style="`); ok { // quotes inside are escaped
		plain, err := strconv.Unquote(`"` + look)
		if err != nil {
			return d, false
		}
		d.Style, text = style.Style(plain), fields
	}
	if text, badge, ok := strings.Cut(text, " badge="); ok {
		b, err := strconv.Unquote(badge)
		if err != nil {
			return d, false
		}
		d.Badge = b
		return d.rest(text)
	}
	return d.rest(text)
}

func (d Definition) rest(text string) (Definition, bool) {
	for _, field := range strings.Fields(text) {
		key, is, _ := strings.Cut(field, "=")
		switch key {
		case "base":
			d.Base = is
		case "theme":
			d.Theme = is
		case "size":
			size, err := values.Size.Type.Parse(is)
			if err != nil {
				return d, false
			}
			d.W, d.H = size.W, size.H
		}
	}
	_, ok := style.ShapeNamed(d.Base)
	return d, ok && !style.Built(d.Base) && CheckName(d.Name) == nil
}

// Remembered lists the properties of the pages' root cells whose names begin with prefix,
// with the prefix removed. If several pages have one, that of the first page counts.
func Remembered(f *file, prefix string) [][2]string {
	if f == nil {
		return nil
	}
	var out [][2]string
	seen := map[string]bool{}
	for _, p := range f.Pages {
		r := p.Root()
		if r == nil || r.Wrapper == "" {
			continue
		}
		for _, kv := range r.Data() {
			if name, ok := strings.CutPrefix(kv[0], prefix); ok && !seen[name] {
				seen[name] = true
				out = append(out, [2]string{name, kv[1]})
			}
		}
	}
	return out
}

// DefinedType finds a type that the document defines.
func DefinedType(f *file, name string) (Definition, bool) {
	for _, kv := range Remembered(f, TypeKey) {
		if strings.EqualFold(kv[0], name) {
			return ReadDefinition(kv[0], kv[1])
		}
	}
	return Definition{}, false
}

// Themes lists the themes that the document defines.
func Themes(f *file) []style.Theme {
	var out []style.Theme
	for _, kv := range Remembered(f, ThemeKey) {
		v := strings.Fields(kv[1])
		if len(v) < 2 || len(v) > 3 || CheckName(kv[0]) != nil {
			continue
		}
		t := style.Theme{Name: kv[0], Fill: v[0], Stroke: v[1]}
		if len(v) == 3 {
			t.Font = v[2]
		}
		good := true
		for _, colour := range v {
			_, ok := style.Color(colour)
			good = good && ok
		}
		if good {
			out = append(out, t)
		}
	}
	return out
}

// ThemeNamed finds a built-in theme or one that the document defines.
func ThemeNamed(f *file, name string) (style.Theme, bool) {
	if t, ok := style.ThemeNamed(name); ok {
		return t, true
	}
	for _, t := range Themes(f) {
		if strings.EqualFold(t.Name, name) {
			return t, true
		}
	}
	return style.Theme{}, false
}

// TypeNamed finds a built-in type, one that the document defines, or one of a pack that it
// has loaded. A defined type comes with its definition; its theme, size and name are
// already in the shape.
func TypeNamed(f *file, word string) (style.Shape, Definition, bool) {
	name := strings.ToLower(word)
	if t, ok := style.ShapeNamed(name); ok { // the most frequent case
		return t, Definition{}, true
	}
	d, ok := DefinedType(f, name)
	if kinds := typesWithPrefix(f, name); !ok && len(kinds) == 1 {
		return TypeNamed(f, kinds[0])
	}
	if !ok {
		if hits := Stencils(f, name, false); len(hits) == 1 {
			s := hits[0]
			return style.Shape{Name: StencilKind(s), W: s.W, H: s.H, Style: s.Style}, d, true
		}
		if s, ok := libraryShape(word); ok {
			return s, d, true
		}
		return style.Shape{}, d, false
	}
	t, _ := style.ShapeNamed(d.Base)
	if d.Style != "" {
		t.Style = d.Style
	}
	if theme, ok := ThemeNamed(f, d.Theme); ok {
		t.Style = theme.Paint(t.Style)
	}
	if d.W > 0 {
		t.W, t.H = d.W, d.H
	}
	t.Name, t.Style = d.Name, t.Style.Set(mxfile.DefinedKey, d.Name)
	return t, d, true
}

// IsType reports whether add accepts the type in every document.
func IsType(name string) bool {
	_, ok := style.ShapeNamed(name)
	return ok
}

// UnknownTheme returns the error for a theme that does not exist. It suggests near ones.
func UnknownTheme(f *file, v string) error {
	names := style.ThemeNames()
	for _, t := range Themes(f) {
		names = append(names, t.Name)
	}
	return pdk.Errorf("unknown theme %q; themes: %s", v, strings.Join(names, " ")).Instead(v, pdk.Nearest(v, names)...)
}
