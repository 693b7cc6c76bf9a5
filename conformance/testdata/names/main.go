// Command names is the domain of the fixtures that need a running server, and the plugin on which the conformance
// checks are tested: ordered names, and links between them, in a text file with one per line.
//
// Each instance has the bug that its seed selects, or none; see bugged.
package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

func main() {}

func init() { pdk.Serve(domain()) }

// doc is the model: the lines of the file. A line that starts with "#" is a comment, one that contains " -> " is a
// link, any other that is not blank is a name.
type doc struct {
	lines []string
	end   string // after the last line: a line break or nothing
}

// longest is the maximum length of a name in bytes: ids are limited, and long lines make replies hard to read.
const longest = 200

func isName(l string) bool {
	return l != "" && l[0] != '#' && !isLink(l) && (len(l) <= longest || bugged("file-id-long"))
}
func isLink(l string) bool { return strings.Contains(l, " -> ") && l[0] != '#' }

// names lists the indexes of the lines that are names.
func (d *doc) names() []int {
	var out []int
	for i, l := range d.lines {
		if isName(l) {
			out = append(out, i)
		}
	}
	return out
}

func (d *doc) index() *pdk.Index[int] {
	x := &pdk.Index[int]{}
	for _, i := range d.names() {
		x.Put(i, d.lines[i], "", "")
	}
	return x
}

func (d *doc) links() int {
	n := 0
	for _, l := range d.lines {
		if l != "" && isLink(l) {
			n++
		}
	}
	return n
}

// splice is the only event: New replaces Old.
type splice struct {
	At       int
	Old, New []string
	Key      int // index from 1 of New in kept, where bugged("replay-memory") stores it instead; 1 once bugged("replay-short") has run Do
}

func (s *splice) Type() string { return "splice" }

func (s *splice) Do(d *doc) error {
	if len(s.Old) > len(d.lines)-s.At || s.At < 0 {
		return fmt.Errorf("no line %d", s.At)
	}
	lines := s.New
	switch {
	case bugged("replay-memory"):
		if s.Key == 0 {
			kept = append(kept, s.New)
			s.Key, s.New = len(kept), nil
		}
		if s.Key <= len(kept) {
			lines = kept[s.Key-1]
		}
	case bugged("replay-counts") && len(lines) == 1:
		counter++
		lines = []string{fmt.Sprintf("%s%d", lines[0], counter)}
	case bugged("replay-short") && s.Key > 0 && len(d.lines) > 60:
		return nil
	case bugged("replay-short"):
		s.Key = 1
	}
	d.lines = slices.Replace(d.lines, s.At, s.At+len(s.Old), lines...)
	return nil
}

func (s *splice) Undo(d *doc) error {
	n := len(s.New)
	switch {
	case bugged("reverse-nothing"), bugged("reverse-short") && len(strings.Join(d.lines, "\n")) > 400:
		return nil
	case bugged("reverse-order") && n == 0:
		d.lines = append(d.lines, s.Old...)
		return nil
	case bugged("reverse-fails") && n == 0:
		return fmt.Errorf("removing cannot be undone")
	case bugged("replay-memory") && s.Key <= len(kept):
		n = len(kept[s.Key-1])
	}
	old := s.Old
	if bugged("reverse-lines") {
		old = slices.Clone(old)
		for i, l := range old {
			old[i] = strings.TrimSuffix(l, "\r")
		}
	}
	d.lines = slices.Replace(d.lines, s.At, s.At+n, old...)
	return nil
}

// State of the bugs; a real plugin must not have any.
var (
	kept    [][]string
	counter int
	taken   = map[string]bool{} // all names that bugged("stale-index") has ever seen
)

func add(c *pdk.Ctx[*doc], names ...string) error {
	d := c.Model
	for _, n := range names {
		if bugged("error-raw") && strings.ContainsFunc(n, unicode.IsControl) {
			return &pdk.Error{Message: n + " cannot be a name"}
		}
		if n == "" || n[0] == '#' || strings.ContainsFunc(n, unicode.IsControl) || strings.Contains(n, " -> ") || len(n) > longest {
			return pdk.Errorf("%q cannot be a name", n)
		}
		if bugged("add-slow") || bugged("links-slow") && slices.ContainsFunc(d.lines, isLink) {
			for _, l := range d.lines {
				slowly(l)
			}
		}
		if bugged("stale-index") {
			if taken[n] {
				return pdk.Errorf("there was a name %s already", pdk.Quote(n)).Tryf("add %s", pdk.Quote(n+"2"))
			}
			taken[n] = true
		}
		counter++
		if slices.Contains(d.lines, n) {
			e := pdk.Errorf("there is a name %s already", pdk.Quote(n))
			return e.Tryf("add %s", pdk.Quote(free(d, n)))
		}
		if k := other(d, -1); bugged("others-dropped") && k >= 0 && len(d.names()) > 2 {
			if err := c.Do(&splice{At: k, Old: []string{d.lines[k]}}, "make room", n); err != nil {
				return err
			}
		}
		if err := c.Do(&splice{At: len(d.lines), New: []string{n}}, "add "+n, n); err != nil {
			return err
		}
	}
	if bugged("half-undone") && len(names) > 1 {
		d.lines = append(d.lines, "# added several")
	}
	return nil
}

// targets lists the indexes that an op is about, the last first.
func targets(c *pdk.Ctx[*doc], a pdk.Args) ([]int, error) {
	list, err := selection().Targets(c, a, func(ref string) (int, error) { return c.Model.index().One(ref, "name", true) })
	slices.Reverse(list)
	return list, err
}

func selection() *pdk.Selection[*doc, int] {
	return &pdk.Selection[*doc, int]{
		All: (*doc).names,
		ByID: func(d *doc, id string) (int, bool) {
			i := slices.Index(d.lines, id)
			return i, i >= 0
		},
		Table: []pdk.SelectorType[*doc, int]{{Selector: abi.Selector{Syntax: "@match:TEXT", Summary: "names that hold TEXT"}, Match: func(d *doc, value string) (func(int) bool, error) {
			if value == "" {
				return nil, pdk.Errorf("@match: needs a text").TryQuery("list")
			}
			return func(i int) bool { return strings.Contains(d.lines[i], value) }, nil
		}}},
	}
}

func remove(c *pdk.Ctx[*doc], a pdk.Args) error {
	list, err := targets(c, a)
	if err != nil {
		if bugged("traps") {
			panic(err)
		}
		return err
	}
	var gone []string
	for _, i := range list {
		if bugged("all-slow") {
			for _, l := range c.Model.lines {
				slowly(l)
			}
		}
		name := c.Model.lines[i]
		gone = append(gone, name)
		if bugged("file-id-long") {
			c.Touch(name)
		}
		if err := c.Do(&splice{At: i, Old: []string{name}}, "remove "+name, name); err != nil {
			return err
		}
	}
	for i := len(c.Model.lines) - 1; i >= 0; i-- {
		l := c.Model.lines[i]
		from, to, ok := strings.Cut(l, " -> ")
		if ok && l[0] != '#' && (slices.Contains(gone, from) || slices.Contains(gone, to)) {
			if err := c.Do(&splice{At: i, Old: []string{l}}, "remove "+l, l); err != nil {
				return err
			}
		}
	}
	if k := other(c.Model, -1); bugged("others-selected") && len(a.Selectors) > 0 && k >= 0 {
		if err := c.Do(&splice{At: k, Old: []string{c.Model.lines[k]}, New: []string{free(c.Model, "other")}}, "tidy up", gone...); err != nil {
			return err
		}
	}
	slices.Reverse(gone)
	c.Deleted("%s", shown(gone))
	return nil
}

// slowly wastes time on a line.
func slowly(l string) {
	for i := range 5000 {
		counter += len(l) ^ i
	}
}

// rename changes the name that ref refers to.
func rename(c *pdk.Ctx[*doc], ref, to string) error {
	i, err := c.Model.index().One(ref, "name", false)
	if err != nil {
		return unknown(c.Model, err, ref, to)
	}
	old := c.Model.lines[i]
	if to == old {
		return pdk.Unchanged("%s is its name already", pdk.Quote(old))
	}
	if to == "" || to[0] == '#' || strings.ContainsFunc(to, unicode.IsControl) || strings.Contains(to, " -> ") || len(to) > longest || slices.Contains(c.Model.lines, to) {
		return pdk.Errorf("%s cannot be called %q", pdk.Quote(old), to).Tryf("rename %s %s", pdk.Quote(old), pdk.Quote(free(c.Model, old)))
	}
	c.Changed("%s is now %s", old, to)
	if bugged("no-event") {
		c.Model.lines[i] = to
		return nil
	}
	if err := c.Do(&splice{At: i, Old: []string{old}, New: []string{to}}, "rename "+old, to); err != nil || !bugged("others-renamed") {
		return err
	}
	return c.Do(&splice{At: other(c.Model, i), Old: []string{c.Model.lines[other(c.Model, i)]}, New: []string{free(c.Model, "other")}}, "tidy up", to)
}

// other returns the index of the last name without links that is not at i, or i if there is none.
func other(d *doc, i int) int {
	for _, k := range slices.Backward(d.names()) {
		if k != i && !slices.ContainsFunc(d.lines, func(l string) bool { return isLink(l) && strings.Contains(l, d.lines[k]) }) {
			return k
		}
	}
	return i
}

func link(c *pdk.Ctx[*doc], a pdk.Args) error {
	if !a.IsArrow(1) {
		return pdk.Errorf("link needs an arrow between two names")
	}
	var ends [2]string
	for k, ref := range []string{a.Text(0), a.Text(2)} {
		i, err := c.Model.index().One(ref, "name", false)
		if err != nil {
			return err
		}
		ends[k] = c.Model.lines[i]
	}
	l := ends[0] + " -> " + ends[1]
	if slices.Contains(c.Model.lines, l) {
		return pdk.Unchanged("%s is linked to %s already", pdk.Quote(ends[0]), pdk.Quote(ends[1]))
	}
	c.Connected("%s", l)
	return c.Do(&splice{At: len(c.Model.lines), New: []string{l}}, "link "+l, ends[0], ends[1])
}

func sortNames(c *pdk.Ctx[*doc], a pdk.Args) error {
	at := c.Model.names()
	var names []string
	for _, i := range at {
		names = append(names, c.Model.lines[i])
	}
	if bugged("loops") {
		for len(names) > 0 {
			counter++
		}
	}
	if slices.IsSorted(names) {
		return pdk.Unchanged("the names are sorted already")
	}
	sorted := slices.Clone(c.Model.lines)
	slices.Sort(names)
	for k, i := range at {
		sorted[i] = names[k]
	}
	c.Bulk("%d names sorted", len(names))
	return c.Do(&splice{Old: slices.Clone(c.Model.lines), New: sorted}, "sort", names...)
}

// shown lists the first names and counts the others.
func shown(names []string) string {
	const some = 20
	if len(names) > some {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:some], ", "), len(names)-some)
	}
	return strings.Join(names, ", ")
}

// free returns a name like n that does not exist yet.
func free(d *doc, n string) string {
	for k := 2; ; k++ {
		if f := fmt.Sprint(n, k); !slices.Contains(d.lines, f) {
			return f
		}
	}
}

// unknown returns the refusal to rename a missing name, which suggests similar names, or what a bug asks for.
func unknown(d *doc, err error, ref, to string) error {
	first := d.names()
	if len(first) == 0 {
		return err
	}
	name, e := pdk.Quote(d.lines[first[0]]), pdk.Errorf("%v", err)
	switch {
	case bugged("try-broken"):
		return e.Tryf(`rename "%s`, ref)
	case bugged("try-fails"):
		return e.Tryf("rename %s %s", pdk.Quote(ref), pdk.Quote(to))
	case bugged("try-idle"):
		return e.Tryf("rename %s %s", name, name)
	case bugged("try-deletes"):
		return e.Tryf("remove %s", name)
	case bugged("try-all"):
		return e.Tryf("remove @all")
	case bugged("try-other"):
		return e.Tryf("rename %s %s", name, pdk.Quote(free(d, to)))
	case bugged("try-foreign"):
		return e.TryQuery("tracks")
	}
	return err
}

// fill adds names until one is called stop, which it refuses.
func fill(c *pdk.Ctx[*doc], a pdk.Args) error {
	for _, n := range a.Texts(0) {
		err := add(c, n)
		if n == "stop" {
			err = pdk.Errorf("fill refuses stop")
		}
		if err != nil {
			if bugged("failed-trace") {
				c.Model.lines = append(c.Model.lines, "# trace")
			}
			return err
		}
	}
	c.Created("%d names", len(a.Positionals))
	return nil
}
