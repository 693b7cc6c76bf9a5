// Package mxfile reads and changes draw.io files: an mxfile with its pages, compressed or not, or a bare mxGraphModel.
// The text of the file is the model. Every cell keeps its bytes, a change is a splice of them, and saving joins the
// texts, so unchanged parts are saved as they were read.
//
// Any input is safe to read: entities are not expanded, a page inflates to at most MaxPage bytes, nesting is limited,
// and a damaged file is refused with the offset and the reason.
package mxfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// File is a draw.io file in memory. It changes only through Edit.
type File struct {
	Pages   []*Page // never empty in a usable file
	Current *Page   // the page that verbs work on

	head, tail string // the text before the first page and after the last
	next       int    // number of the next cell id; see NewID
	title      string
	Named      string   // the name of the file that it was read from, "" if unknown
	picture    string   // the SVG or PNG file that contained the file, "" for none
	held       string   // the diagram in that picture
	packs      []string // the icon packs that ops loaded; the bytes do not contain them
}

// Packs lists the icon packs that ops have loaded, in that order.
func (f *File) Packs() []string { return f.packs }

// New makes a file with one empty page.
func New(title string) *File {
	f, err := Open([]byte(`<mxfile host="fcp-host">` + "\n  <diagram id=\"page-1\" name=\"Page-1\">\n    " + modelText + "\n  </diagram>\n</mxfile>\n"))
	if err != nil {
		panic("mxfile: the empty file does not open: " + err.Error())
	}
	f.title = title
	return f
}

// Open reads a file. It does not keep data. The error contains the offset and the reason.
func Open(data []byte) (*File, error) {
	if len(data) == 0 {
		return nil, fmt.Errorf("the file is empty")
	}
	for bom, name := range map[string]string{"\xFF\xFE": "UTF-16", "\xFE\xFF": "UTF-16"} {
		if strings.HasPrefix(string(data[:min(len(data), 4)]), bom) {
			return nil, fmt.Errorf("byte 0: the file is %s; draw.io writes UTF-8", name)
		}
	}
	src := string(data)
	if strings.HasPrefix(src, pngMark) {
		return openPNG(src)
	}
	root, err := xmltree.Parse(src)
	if err != nil {
		return nil, fmt.Errorf("not a draw.io file: %w", err)
	}
	if err := checkEncoding(src[:root.Start], src); err != nil {
		return nil, err
	}
	f := &File{}
	switch root.Name {
	case "mxGraphModel":
		p, err := newPage("1", nil, root)
		if err != nil {
			return nil, fmt.Errorf("not a draw.io file: %w", err)
		}
		f.head, f.tail = src[:root.Start], src[root.End:]
		f.Pages = []*Page{p}
	case "mxfile":
		if err := f.readPages(root); err != nil {
			return nil, err
		}
	case "svg":
		return openPicture(root)
	case "mxlibrary":
		return nil, fmt.Errorf("not a diagram but a library of shapes: import library reads it into a document")
	default:
		return nil, fmt.Errorf("not a draw.io file: byte %d: the document is <%s>, not <mxfile> or <mxGraphModel>", root.Start, root.Name)
	}
	f.Current = f.Pages[0]
	f.next = f.firstFree()
	return f, nil
}

func (f *File) readPages(root *xmltree.Element) error {
	src := root.Source()
	at := root.OpenEnd
	for _, e := range root.Children {
		if e.Name != "diagram" {
			continue // kept as text between the pages
		}
		p, err := newPage(strconv.Itoa(len(f.Pages)+1), e, nil)
		if err != nil {
			return fmt.Errorf("page %d cannot be read: %w", len(f.Pages)+1, err)
		}
		p.text[BeforeText] = src[at:e.Start]
		at = e.End
		f.Pages = append(f.Pages, p)
	}
	if len(f.Pages) == 0 {
		return fmt.Errorf("not a draw.io file: byte %d: the mxfile holds no <diagram>", root.Start)
	}
	f.head, f.tail = src[:root.OpenEnd], src[at:]
	return nil
}

// checkEncoding refuses a file that declares an encoding different from that of its bytes.
func checkEncoding(prolog, src string) error {
	i := strings.Index(prolog, "<?xml")
	if i < 0 {
		return nil
	}
	decl, _, _ := strings.Cut(prolog[i:], "?>")
	j := strings.Index(decl, "encoding")
	if j < 0 {
		return nil
	}
	name := strings.ToLower(strings.Trim(strings.TrimLeft(decl[j+len("encoding"):], " \t\r\n="), " \t\r\n"))
	name = strings.FieldsFunc(name+" ", func(r rune) bool { return r == '"' || r == '\'' })[0]
	if name == "utf-8" || name == "utf8" || name == "us-ascii" || name == "ascii" {
		return nil
	}
	for i := 0; i < len(src); i++ {
		if src[i] >= utf8.RuneSelf {
			return fmt.Errorf("byte %d: the file declares the encoding %q; only UTF-8 is read", i, name)
		}
	}
	return nil
}

// Bytes returns the file as it is saved: a pure function of the model.
func (f *File) Bytes() ([]byte, error) {
	var b strings.Builder
	n := len(f.head) + len(f.tail)
	for _, p := range f.Pages {
		for c := p.first; c != nil; c = c.next {
			n += len(c.lead) + len(c.raw)
		}
		n += 1024
	}
	b.Grow(n)
	b.WriteString(f.head)
	for _, p := range f.Pages {
		if err := p.write(&b); err != nil {
			return nil, err
		}
	}
	b.WriteString(f.tail)
	return []byte(b.String()), nil
}

// TitleData is the property of the first page's root cell that holds a title.
const TitleData = "title"

// Title returns the title of the document: that of the first page's root, or else the name it was created with.
func (f *File) Title() string {
	if r := f.Pages[0].Root(); r != nil && r.Wrapper != "" {
		if v, ok := r.DataValue(TitleData); ok {
			return v
		}
	}
	return f.title
}

// Bare reports whether the file is an mxGraphModel without an mxfile.
func (f *File) Bare() bool { return len(f.Pages) == 1 && f.Pages[0].text[OpenText] == "" }

// Page returns the page with a key, or nil.
func (f *File) Page(key string) *Page {
	for _, p := range f.Pages {
		if p.Key == key {
			return p
		}
	}
	return nil
}

// Number returns the position of p among the pages, counted from 1.
func (f *File) Number(p *Page) int {
	for i, q := range f.Pages {
		if p == q {
			return i + 1
		}
	}
	return 0
}

// HasID reports whether any cell of any page has the id.
func (f *File) HasID(id string) bool {
	return slices.ContainsFunc(f.Pages, func(p *Page) bool { return p.byKey[id] != nil })
}

// prefix starts the ids this package makes: "n1", "n2", …
const prefix = "n"

// NewID returns the nth id, counted from 0, that no cell of the file has had since it was opened.
func (f *File) NewID(nth int) string { return prefix + strconv.Itoa(f.next+nth) }

// idNumber returns the number in an id that NewID could have made, 0 for other ids.
func idNumber(id string) int {
	if !strings.HasPrefix(id, prefix) || len(id) > len(prefix)+9 {
		return 0
	}
	n, err := strconv.Atoi(id[len(prefix):])
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func (f *File) firstFree() int {
	top := 0
	for _, p := range f.Pages {
		for c := p.first; c != nil; c = c.next {
			top = max(top, idNumber(c.ID), idNumber(c.Key))
		}
	}
	return top + 1
}
