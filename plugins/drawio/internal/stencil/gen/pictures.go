package main

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// libraries lists the libraries whose icons are pictures.
var libraries = []string{"atlassian", "azure2", "cumulus", "ibm", "mscae"}

// maxPicture is the size limit of a picture in bytes. Larger ones contain photographs.
const maxPicture = 12_000

// pictures writes the pictures of each library to a file, one per line.
func (g *generator) pictures() error {
	for _, library := range libraries {
		var lines []string
		folder := filepath.Join("img", "lib", library)
		err := g.each(folder, ".svg", func(name string, data []byte) error {
			text, err := slim(string(data))
			if err != nil {
				return err
			}
			if len(text) > maxPicture {
				return nil
			}
			path, err := filepath.Rel(filepath.Join(g.from, folder), name)
			if err == nil {
				lines = append(lines, strings.TrimSuffix(filepath.ToSlash(path), ".svg")+"\t"+text)
			}
			return err
		})
		if err != nil {
			return err
		}
		slices.Sort(lines)
		if err := g.write("img."+library, strings.Join(lines, "\n")); err != nil {
			return err
		}
	}
	return nil
}

// slim returns a picture without the metadata of the editor that made it.
func slim(text string) (string, error) {
	root, err := xmltree.Parse(text)
	if err != nil {
		return "", err
	}
	s := &slimmer{ids: map[string]string{}}
	s.element(root, true)
	out := s.b.String()
	for id, short := range s.ids {
		if !strings.Contains(out, "#"+id) {
			out = strings.ReplaceAll(out, ` id="`+id+`"`, "")
			continue
		}
		out = regexp.MustCompile(`(#|id=")`+regexp.QuoteMeta(id)+`([")'])`).ReplaceAllString(out, "${1}"+short+"${2}")
	}
	return out, nil
}

type slimmer struct {
	b   strings.Builder
	ids map[string]string
}

var blanks = regexp.MustCompile(`\s+`)

func (s *slimmer) element(e *xmltree.Element, root bool) {
	name := xmltree.Local(e.Name)
	switch name {
	case "metadata", "namedview", "title", "desc", "sodipodi":
		return
	}
	if i := strings.IndexByte(e.Name, ':'); i >= 0 && e.Name[:i] != "svg" {
		return
	}
	s.b.WriteString("<" + name)
	if root {
		s.b.WriteString(` xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"`)
	}
	for _, a := range e.Attrs {
		prefix, own, ok := strings.Cut(a.Name, ":")
		if prefix == "xmlns" || ok && own != "href" && prefix != "xml" || root && (a.Name == "id" || a.Name == "version" || a.Name == "class") || strings.HasPrefix(a.Name, "data-") {
			continue
		}
		v, _ := e.Attr(a.Name)
		v = strings.TrimSpace(blanks.ReplaceAllString(v, " "))
		if a.Name == "id" {
			s.ids[v] = "i" + strconv.FormatInt(int64(len(s.ids)), 36)
		}
		if a.Name == "d" {
			v = path(v)
		}
		s.b.WriteString(fmt.Sprintf(` %s="%s"`, a.Name, xmltree.Escape(v, '"')))
	}
	s.b.WriteString(">")
	for n := range e.Nodes() {
		switch {
		case n.Kind == xmltree.Tag:
			s.element(n.Element, false)
		case name == "style" || name == "text" || name == "tspan":
			s.b.WriteString(xmltree.EscapeText(blanks.ReplaceAllString(e.TextOf(n), " ")))
		}
	}
	s.b.WriteString("</" + name + ">")
}

var (
	pieces = regexp.MustCompile(`[A-Za-z][^A-DF-Za-df-z]*`)
	number = regexp.MustCompile(`^[\s,]*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)`)
	flag   = regexp.MustCompile(`^[\s,]*([01])`)
)

// path returns path data with shortened numbers. The flags of arcs are one digit each, and a number may follow without a space.
func path(d string) string {
	return pieces.ReplaceAllStringFunc(d, func(piece string) string {
		out, rest, before := piece[:1], piece[1:], ""
		for i := 0; ; i++ {
			what := number
			if at := i % 7; piece[0]|32 == 'a' && (at == 3 || at == 4) {
				what = flag
			}
			m := what.FindStringSubmatch(rest)
			if m == nil {
				if strings.Trim(rest, ", ") != "" {
					return piece // malformed
				}
				return out
			}
			n := m[1]
			if what == number {
				n = shortest(n)
			}
			// Separate two numbers that would be read as one.
			if before != "" && n[0] != '-' && !(n[0] == '.' && strings.Contains(before, ".")) {
				out += " "
			}
			out += n
			before, rest = n, rest[len(m[0]):]
		}
	})
}

// shortest returns the shortest spelling of a number rounded to two decimals.
func shortest(n string) string {
	f, err := strconv.ParseFloat(n, 64)
	if err != nil {
		return n
	}
	s := strconv.FormatFloat(math.Round(f*100)/100, 'f', -1, 64)
	switch {
	case s == "-0":
		return "0"
	case strings.HasPrefix(s, "0."):
		return s[1:]
	case strings.HasPrefix(s, "-0."):
		return "-" + s[2:]
	}
	return s
}
