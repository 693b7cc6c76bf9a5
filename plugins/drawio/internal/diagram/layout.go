package diagram

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/layout"
	"github.com/fcp-host/fcp-host/pdk/layout/arrange"
)

// algorithms are the layouts by name, the default first.
func algorithms() []string { return []string{"layered", "tree", "force", "grid", "radial"} }

func layoutDirs() []string { return []string{"TB", "LR", "BT", "RL"} }

// nearFlow are the directions of a layout, and the further words, that somebody
// may have meant who wrote a word.
func nearFlow(word string, more ...string) []string {
	switch strings.ToLower(word) {
	case "down", "vertical", "vertically", "south", "downwards", "td", "top-to-bottom", "top-down":
		return []string{"TB"}
	case "up", "north", "upwards":
		return []string{"BT"}
	case "right", "horizontal", "horizontally", "east", "left-to-right":
		return []string{"LR"}
	case "left", "west":
		return []string{"RL"}
	}
	return pdk.Nearest(word, append(layoutDirs(), more...))
}

func layoutVerb() verb {
	algos := strings.Join(algorithms(), "|")
	return verb{Run: runLayout, Verb: abi.Verb{
		Name: "layout", Syntax: "layout [SEL] [algo:" + algos + "] [dir:TB|LR|BT|RL] [spacing:N] [by:groups|flow] | layout [SEL] keep:true", Summary: "arrange the page, or only what is selected; groups keep what is in them", Category: "place",
		Brief:  "layout [SEL] [algo:layered|tree|force|grid|radial dir:TB|LR|BT|RL spacing:N by:groups|flow | keep:true] · the whole page, unless SEL",
		Params: []abi.Param{{Key: "algo", Value: algos}, {Key: "dir", Value: strings.Join(layoutDirs(), "|")}, {Key: "spacing", Value: "10-1000"}, {Key: "by", Value: "groups|flow"}, {Key: "keep", Value: "true: place what is new, leave the rest"}},
		Select: true, Min: 0, Max: -1,
		Examples: []string{"layout", "layout dir:LR spacing:80", "layout algo:tree", "layout algo:force", "layout @group:Backend algo:grid", "layout keep:true"},
	}}
}

// layoutWords refuses words, and says how what they may mean is given.
func layoutWords(f *file, a pdk.Args) error {
	word := a.Text(0)
	other := map[string]string{"hierarchical": "layered", "hierarchy": "layered", "flow": "layered", "circular": "radial", "circle": "radial", "organic": "force"}
	err := pdk.Errorf("layout takes no word, so not %q: algo: dir: spacing: or a selector", word)
	if algo, ok := pdk.OneOf(word, algorithms()); ok || other[strings.ToLower(word)] != "" {
		if !ok {
			algo = other[strings.ToLower(word)]
		}
		return err.Try(a.Mended(pdk.WithoutWord(0), pdk.WithParam("algo", algo)))
	}
	if _, none := groupRef(f.Current, word, true); none == nil {
		return err.Try(a.Mended(pdk.WithoutWord(0), pdk.WithSelector("group", word)))
	}
	for _, dir := range nearFlow(word) {
		err.Try(a.Mended(pdk.WithoutWord(0), pdk.WithParam("dir", dir)))
	}
	return err
}

func runLayout(c *ctx, a pdk.Args) error {
	if len(a.Positionals) > 0 {
		return layoutWords(c.Model, a)
	}
	word := a.String("algo", "layered")
	algo, ok := pdk.OneOf(word, algorithms())
	if !ok {
		return pdk.Errorf("unknown algo %q: %s", word, strings.Join(algorithms(), " ")).Instead(word, pdk.Nearest(word, algorithms())...)
	}
	dir := -1
	for i, d := range layoutDirs() {
		if strings.EqualFold(d, a.String("dir", "TB")) {
			dir = i
		}
	}
	if dir < 0 {
		word := a.String("dir", "")
		return pdk.Errorf("dir:%s is not one of %s", word, strings.Join(layoutDirs(), " ")).Instead(word, nearFlow(word)...)
	}
	if a.Has("dir") && (algo == "force" || algo == "grid") {
		return pdk.Errorf("algo:%s has no direction", algo).Try(a.Mended(pdk.Without("dir")))
	}
	spacing, err := a.Float("spacing", 0, 10, 1000)
	if err != nil {
		return err
	}
	by, err := layoutBy(a, algo)
	if err != nil {
		return err
	}
	if t := sequenceOf(c.Model.Current, a); t != nil {
		return layoutTalk(c, t)
	}
	keep, err := a.Bool("keep", false)
	if err != nil {
		return err
	}
	if keep {
		for _, key := range []string{"dir", "by", "spacing", "algo"} {
			if a.Has(key) {
				return pdk.Errorf("keep:true leaves the layout as it is, so %s: says nothing", key).Try(a.Mended(pdk.Without(key)), a.Mended(pdk.Without("keep")))
			}
		}
		return runKeep(c, a)
	}
	sets, err := layoutSets(c, a)
	if err != nil {
		return err
	}
	if way, ok := mindDir(a, sets); ok {
		algo = way
	}
	if !a.Has("dir") && algo == "layered" {
		dir = int(lanesDir(sets))
	}
	o := layout.Options{Dir: layout.Dir(dir), Spacing: spacing}
	before, rated := score(c.Model.Current)
	way := arranger{algo: algo, o: o, by: by, partial: len(a.Selectors) > 0}
	if algo == "layered" && by == arrange.Both {
		way.method = betterMethod(c, way, sets)
	}
	l, what, err := way.lay(c, sets)
	if err != nil {
		return err
	}
	if err := placeFurniture(c); err != nil {
		return err
	}
	if algo != "force" && algo != "grid" && algo != "mind" {
		algo += " " + layoutDirs()[l.o.Dir]
	}
	told := ""
	if algo == "mind" {
		algo, rated = "of a mind map", false
	}
	if rated {
		after, _ := score(c.Model.Current)
		told = fmt.Sprintf(", score %s → %s", points(before), points(after))
	}
	c.Bulk("layout %s: %s, now %s%s", algo, what, box(boundsOf(outer(l.touched))), told)
	return nil
}

// lay lays sets of shapes out as an arranger does that has done nothing yet, and tells
// of what.
func (way arranger) lay(c *ctx, sets [][]*cell) (l *arranger, what string, err error) {
	d := c.Model.Draft()
	l = &way
	l.d, l.grown = d, map[*cell]geom.Rect{}
	for _, set := range sets {
		l.arrange(set)
	}
	what = plural(l.shapes, "shape")
	if l.edges > 0 {
		what += " and " + plural(l.edges, "edge")
	}
	if err := commit(c, d, "layout "+what, "laid out like that already: "+what, l.touched...); err != nil {
		return l, what, err
	}
	if len(l.aligned) > led {
		l.aligned = nil
	}
	for _, lines := range [2][]*cell{l.again, l.aligned} {
		if len(lines) == 0 {
			continue
		}
		d := c.Model.Draft()
		rerouteLines(d, c.Model.Current, lines, false)
		if e := d.Edit(); e != nil {
			if err := c.Do(e, "lead "+plural(len(lines), "edge")); err != nil {
				return l, what, err
			}
		}
	}
	return l, what, nil
}

// betterMethod tries both methods on a page without groups for which either may do
// better.
func betterMethod(c *ctx, way arranger, sets [][]*cell) method {
	n := 0
	for _, set := range sets {
		n += len(set)
		if slices.ContainsFunc(set, isGroup) {
			return usual
		}
	}
	if n <= composedPlain || n > triedPlain {
		return usual
	}
	best, least := usual, math.MaxInt
	for _, m := range []method{columnwise, rowwise} {
		way.method = m
		_ = c.Trial(func(c *ctx) error { // an error says that all lies so already
			_, _, err := way.lay(c, sets)
			if s, ok := score(c.Model.Current); ok && s.Total < least {
				best, least = m, s.Total
			}
			return err
		})
	}
	return best
}

// layoutBy is what decides the columns.
func layoutBy(a pdk.Args, algo string) (arrange.By, error) {
	word, ok := a.Param("by")
	if !ok {
		return arrange.Both, nil
	}
	if algo != "layered" {
		return 0, pdk.Errorf("by: is for algo:layered").Try(a.Mended(pdk.Without("by")))
	}
	way, ok := pdk.OneOf(word, []string{"groups", "flow"})
	if !ok {
		return 0, pdk.Errorf("by:%s is not one of groups, flow", word).Instead(word, pdk.Nearest(word, []string{"groups", "flow"})...)
	}
	if way == "flow" {
		return arrange.Flow, nil
	}
	return arrange.Groups, nil
}

// points prints a score's total.
func points(s arrange.Score) string { return strconv.Itoa((s.Total + 500) / 1000) }

// outer are the cells that lie in none of the others.
func outer(cells []*cell) []*cell {
	out, err := movable(cells)
	if err != nil {
		return nil
	}
	return out
}

// inTime is why nothing moves on a page that shows a sequence.
func inTime() error {
	return pdk.Unchanged("the page shows a sequence, which lies in the order of time: there is nothing to lay out")
}

// layoutSets are the shapes to arrange, by the container they lie in.
func layoutSets(c *ctx, a pdk.Args) ([][]*cell, error) {
	page := c.Model.Current
	if len(a.Selectors) == 0 {
		if timed(page) {
			return nil, inTime()
		}
		all := outermostOf(page)
		if len(all) == 0 {
			return nil, pdk.Unchanged("there is nothing to lay out on this page")
		}
		return [][]*cell{all}, nil
	}
	cells, err := selected(c.Model, c.Recent, a.Selectors, false)
	if err != nil {
		return nil, err
	}
	var shapes []*cell
	lanes := map[*cell]int{} // of a pool, selected
	for _, x := range cells {
		if x.Vertex && stacked(x) && free(x) {
			pool := x.Owner()
			if lanes[pool]++; lanes[pool] == len(lanesOf(pool)) {
				shapes = append(shapes, pool) // all of them: the pool itself
			}
		}
		if x.Vertex && !x.Relative && !part(x) && free(x) && !stacked(x) && !lifeline(x) {
			shapes = append(shapes, x)
		}
	}
	if len(shapes) == 0 {
		return nil, pdk.Errorf("%s selects no shape that can be laid out", pdk.SelectorText(a.Selectors)).TryQuery("list " + pdk.SelectorText(a.Selectors))
	}
	shapes = outer(shapes)
	at := map[*cell]int{}
	var sets [][]*cell
	for _, x := range shapes {
		o := x.Owner()
		i, ok := at[o]
		if !ok {
			i = len(sets)
			at[o] = i
			sets = append(sets, nil)
		}
		sets[i] = append(sets[i], x)
	}
	return sets, nil
}

// lanesDir is the direction that the first pool's lanes suggest: a flow runs
// along them.
func lanesDir(sets [][]*cell) layout.Dir {
	for _, set := range sets {
		for _, x := range set {
			if x.Kind() == "pool" && !laneColumns(x) {
				return layout.LR
			} else if x.Kind() == "pool" {
				return layout.TB
			}
		}
	}
	return layout.TB
}

// free reports whether c's layer may be changed.
func free(c *cell) bool {
	l := c.Layer()
	return l == nil || !l.Locked
}
