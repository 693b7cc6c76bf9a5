package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"strings"
)

// maxDrawn is the number of elements that a picture may draw, counting an element each time it is referred to. A
// browser that draws more stops responding for a long time.
const maxDrawn = 1_000_000

var errHeavy = errors.New("the picture is not shown: it refers to parts of itself so often that a browser would take too long to draw it")

// checkDrawn refuses an SVG that draws too much by <use>, patterns, masks and other references to ids. References in style
// sheets are not followed.
func checkDrawn(data []byte) error {
	if countDrawn(data, 0) > maxDrawn {
		return errHeavy
	}
	return nil
}

const maxWithin = 3 // how deep pictures may be nested in pictures

// countDrawn counts the elements that an SVG draws; 0 if it has no references. within is the number of pictures around it.
func countDrawn(data []byte, within int) int {
	if !bytes.Contains(data, []byte("href")) && !bytes.Contains(data, []byte("url(")) {
		return 0
	}
	if within > maxWithin {
		return maxDrawn + 1
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // ids are compared as bytes
	d.Strict = false
	w := weights{within: within}
	for {
		t, err := d.RawToken()
		if err != nil {
			break // a browser shows what came before, or nothing
		}
		switch t := t.(type) {
		case xml.StartElement:
			w.begin(&t)
		case xml.EndElement:
			w.end()
		}
	}
	if len(w.all) == 0 {
		return 0
	}
	return w.drawCount(0)
}

// weights holds how many elements the parts of an SVG draw.
type weights struct {
	all    []element
	open   []int // open elements, outermost first
	ids    map[string]int
	within int
}

type element struct {
	parts   []int    // children
	refs    []string // ids that it refers to
	weight  int
	weighed bool
}

func (w *weights) begin(t *xml.StartElement) {
	n := len(w.all)
	var e element
	for _, a := range t.Attr {
		value := strings.TrimSpace(a.Value)
		switch {
		case a.Name.Local == "id":
			if w.ids == nil {
				w.ids = map[string]int{}
			}
			if _, ok := w.ids[value]; !ok {
				w.ids[value] = n
			}
		case a.Name.Local == "href" && strings.HasPrefix(value, "#"):
			e.refs = append(e.refs, value[1:])
		case a.Name.Local == "href" && strings.HasPrefix(value, "data:"):
			e.weight = countDrawn(inData(value), w.within+1)
		default:
			for _, rest := range strings.Split(value, "url(")[1:] {
				ref, _, _ := strings.Cut(rest, ")")
				e.refs = append(e.refs, strings.TrimPrefix(strings.Trim(ref, " '\"\t\n"), "#"))
			}
		}
	}
	w.all = append(w.all, e)
	if len(w.open) > 0 {
		parent := &w.all[w.open[len(w.open)-1]]
		parent.parts = append(parent.parts, n)
	}
	w.open = append(w.open, n)
}

// inData decodes the SVG in a data: URL; nil for anything else.
func inData(address string) []byte {
	head, text, _ := strings.Cut(address, ",")
	if !strings.Contains(head, "svg") {
		return nil
	}
	plain, err := url.PathUnescape(text)
	if err != nil {
		plain = text
	}
	if !strings.HasSuffix(strings.TrimSpace(head), "base64") {
		return []byte(plain)
	}
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.Join(strings.Fields(plain), ""), "="))
	if err != nil {
		return nil // a browser shows none of it
	}
	return data
}

func (w *weights) end() {
	if len(w.open) > 1 {
		w.open = w.open[:len(w.open)-1]
	}
}

// drawCount returns how many elements an element draws, cut off a little above maxDrawn. A browser does not draw a
// reference to an enclosing element.
func (w *weights) drawCount(n int) int {
	type step struct{ n, next int }
	w.all[n].weighed = true
	for stack := []step{{n: n}}; len(stack) > 0; {
		s := &stack[len(stack)-1]
		e := &w.all[s.n]
		i, below := s.next, -1
		s.next++
		switch {
		case i < len(e.parts):
			below = e.parts[i]
		case i < len(e.parts)+len(e.refs):
			if to, ok := w.ids[e.refs[i-len(e.parts)]]; ok {
				below = to
			}
		default:
			e.weight++
			stack = stack[:len(stack)-1]
			if len(stack) > 0 {
				up := &w.all[stack[len(stack)-1].n]
				up.weight = min(maxDrawn+1, up.weight+e.weight)
			}
			continue
		}
		if below < 0 {
			continue
		}
		if b := &w.all[below]; !b.weighed {
			b.weighed = true
			stack = append(stack, step{n: below})
		} else {
			e.weight = min(maxDrawn+1, e.weight+b.weight) // an element that is being weighed counts as far as it is known
		}
	}
	return w.all[n].weight
}
