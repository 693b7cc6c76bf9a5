package reply

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Fold shortens an answer to about that many characters, so that what it says is kept as far as possible: values of data: URIs are named
// by their size; of lines of the same form, with equal forms below them, the first are shown and the others counted and named, unless lines
// are below them, which are counted; if that does not suffice, of all lines of a group; then all are counted alike; then the lowest levels
// are counted; then the last lines are. Deeper levels are folded first. folded is how many lines are not shown.
func Fold(text string, room int) (out string, folded int) {
	text = ShortenData(text)
	if utf8.RuneCountInString(text) <= room {
		return text, 0
	}
	f := newFolding(strings.Split(strings.TrimRight(text, "\n"), "\n"))
	for kinds := range 4 {
		for level := f.depth; level >= 0; level-- {
			for _, places := range placesRooms(kinds%2 == 1) {
				for _, n := range []int{100, 50, 30, 20, 12, 8, 5, 3, 2, 1} {
					if out := f.print(view{level: level, shown: n, heads: kinds < 2, unlike: kinds%2 == 1, places: places, bottom: f.depth, room: room}); out != "" {
						return out, f.hidden
					}
				}
			}
		}
	}
	for bottom := f.depth - 1; bottom >= 0; bottom-- {
		if out := f.print(view{shown: 1, bottom: bottom, room: room}); out != "" {
			return out, f.hidden
		}
	}
	return f.print(view{shown: 1, cut: true, room: room}), f.hidden
}

// dataRoom is the length above which a data: URI is named by its size.
const dataRoom = 200

// ShortenData replaces long data: URIs by their type and size: "data:image/png, 38 KB".
func ShortenData(text string) string {
	const scheme = "data:"
	var b strings.Builder
	for {
		at := strings.Index(text, scheme)
		if at < 0 {
			break
		}
		end := at + len(scheme)
		for end < len(text) && !strings.ContainsRune(" \t\n\"'<>)", rune(text[end])) && !(text[end] == ';' && !strings.HasPrefix(text[end:], ";base64") && !strings.HasPrefix(text[end:], ";charset")) {
			end++
		}
		uri := text[at:end]
		b.WriteString(text[:at])
		if kind, data, ok := strings.Cut(uri, ","); ok && len(uri) > dataRoom {
			size := int64(len(data))
			kind, base64 := strings.CutSuffix(kind, ";base64")
			if base64 || !strings.Contains(data, "%") { // some programs leave ";base64" out
				size = size / 4 * 3
			}
			fmt.Fprintf(&b, "%s, %s", kind, Size(size))
		} else {
			b.WriteString(uri)
		}
		text = text[end:]
	}
	if b.Len() == 0 {
		return text
	}
	return b.String() + text
}

// node is a line with the lines that are indented below it.
type node struct {
	line  string
	form  string // of the line and those below
	name  string
	kids  []*node
	lines int // with those below
}

// folding is an answer that is being folded.
type folding struct {
	top    []*node
	depth  int // of the lowest level, from 0
	hidden int // lines that the last print did not show
}

func newFolding(lines []string) *folding {
	f := &folding{}
	known := forms{}
	type open struct {
		indent int
		node   *node
	}
	var path []open
	for _, l := range lines {
		known.add(l)
		indent := len(l) - len(strings.TrimLeft(l, " "))
		for len(path) > 0 && path[len(path)-1].indent >= indent {
			path = path[:len(path)-1]
		}
		n := &node{line: l}
		if len(path) == 0 {
			f.top = append(f.top, n)
		} else {
			above := path[len(path)-1].node
			above.kids = append(above.kids, n)
		}
		f.depth = max(f.depth, len(path))
		path = append(path, open{indent, n})
	}
	for _, n := range f.top {
		n.measure(known)
	}
	return f
}

// measure sets the forms and counts of a line and those below.
func (n *node) measure(known forms) {
	form, lead, name := known.of(n.line, false)
	n.form, n.name = form, name
	if name != "" {
		n.name = lead + name
	}
	n.lines = 1
	forms := map[string]bool{}
	for _, k := range n.kids {
		k.measure(known)
		n.lines += k.lines
		forms[k.form] = true
	}
	below := slices.Sorted(maps.Keys(forms))
	n.form += "\n" + strings.Join(below, "\n")
}

// view is what of an answer is printed.
type view struct {
	level  int  // above it all lines are, below it one of each form
	shown  int  // how many lines of one form are at that level
	heads  bool // lines with others below are all printed, at least alone
	unlike bool // lines of a group are treated alike, whatever their form
	places int  // the room in a line for names of lines that are not shown with their places; without them if that does not suffice
	bottom int  // lines below that level are counted
	cut    bool // what has no room is cut off
	room   int  // characters
}

// namesRoom is the room for the names of lines that are not shown, of one form.
const namesRoom = 160

// placesRooms lists how much room names with their places may take in a line. Of lines that are unlike, the place alone says little.
func placesRooms(unlike bool) []int {
	if unlike {
		return []int{0}
	}
	return []int{400, 150, 50, 0}
}

// print prints the view, or returns "" if it has no room.
func (f *folding) print(v view) string {
	f.hidden = 0
	p := &printer{f: f, view: v}
	p.siblings(f.top, 0)
	if p.full && !v.cut {
		return ""
	}
	return p.b.String()
}

type printer struct {
	f *folding
	view
	b    strings.Builder
	used int // characters
	full bool
}

// siblings prints lines of one level with those below.
func (p *printer) siblings(list []*node, level int) {
	limit := len(list)
	if level == p.level {
		limit = p.shown
	} else if level > p.level {
		limit = 1
	}
	count := map[string]int{}
	for _, n := range list {
		count[p.kind(n)]++
	}
	seen := map[string]int{}
	for i, n := range list {
		if p.full {
			p.f.hidden += n.lines
			continue
		}
		seen[p.kind(n)]++
		nth, of := seen[p.kind(n)], count[p.kind(n)]
		if nth > limit && (of > limit+1 || n.lines > 1) {
			if p.heads && n.lines > 1 && p.write(n.head()) {
				p.f.hidden--
			}
			p.f.hidden += n.lines
			continue
		}
		p.node(n, level)
		if nth == limit && nth < of && (of > limit+1 || n.lines > 1) {
			p.note(n, list[i+1:])
		}
	}
}

// kind is equal for lines of which some may stand for all.
func (p *printer) kind(n *node) string {
	if p.unlike {
		return ""
	}
	return n.form
}

// node prints a line with those below.
func (p *printer) node(n *node, level int) {
	below := n.lines - 1
	line := n.line
	if level == p.bottom && below > 0 {
		line = n.head()
	}
	if !p.write(line) && !(p.cut && p.start(n.line)) {
		p.f.hidden += n.lines
		return
	}
	if level == p.bottom {
		p.f.hidden += below
		return
	}
	p.siblings(n.kids, level+1)
}

// head is a line that stands for those below it, too.
func (n *node) head() string { return n.line + " (" + Count(n.lines-1, "line") + " below)" }

// note counts and names those of the rest that are of the kind of the last line that was shown.
func (p *printer) note(last *node, rest []*node) {
	var names, places []string
	listed := map[string]bool{"": true}
	n := 0
	for _, m := range rest {
		if p.kind(m) != p.kind(last) || p.heads && m.lines > 1 {
			continue
		}
		n++
		if !listed[m.name] {
			listed[m.name] = true
			names = append(names, m.name)
			places = append(places, m.name+placeIn(m.line))
		}
	}
	if n == 0 {
		return
	}
	line := fmt.Sprintf("%s… %d more", last.line[:len(last.line)-len(strings.TrimLeft(last.line, " "))], n)
	if !p.unlike {
		line += " like it"
	}
	if text := strings.Join(places, ", "); text != strings.Join(names, ", ") && utf8.RuneCountInString(text) <= p.places {
		line += ": " + text
	} else if text, left := list(names, namesRoom); text != "" {
		line += ": " + text
		if left > 0 {
			line += ", …"
		}
	}
	p.write(line)
}

// start appends a line, or as much of it as there is room for if it is the first.
func (p *printer) start(line string) bool {
	if p.used == 0 && utf8.RuneCountInString(line) >= p.room {
		line = string([]rune(line)[:max(0, p.room-2)]) + "…"
	}
	p.full = false
	return p.write(line)
}

// write appends a line if there is room.
func (p *printer) write(line string) bool {
	n := utf8.RuneCountInString(line) + 1
	if p.used+n > p.room {
		p.full = true
		return false
	}
	p.used += n
	p.b.WriteString(line)
	p.b.WriteByte('\n')
	return true
}
