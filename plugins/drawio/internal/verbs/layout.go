package verbs

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/layout"
	"github.com/fcp-host/fcp-host/pdk/layout/arrange"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/legend"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mindmap"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/sequence"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// algorithms are the values of algo:, the default first.
var algorithms = []string{"layered", "tree", "force", "grid", "radial"}

// Keys of layout.
var (
	algoKey = value.Key[string]{Name: "algo", Type: value.OneOf(algorithms...), Default: algorithms[0]}
	flowKey = value.Key[string]{Name: "dir", Type: flowType(), Default: "TB"}
	byKey   = value.Key[arrange.ColumnsBy]{Name: "by", Default: arrange.Both, Type: value.Named([]string{"groups", "flow"}, func(word string) arrange.ColumnsBy {
		return map[string]arrange.ColumnsBy{"groups": arrange.Groups, "flow": arrange.Flow}[word]
	})}
	layoutGap = value.Key[float64]{Name: "spacing", Type: value.Number(10, 1000), About: ": 10-1000"}
	keepKey   = value.Key[bool]{Name: "keep", Type: value.Bool, About: ": true places what is new, and leaves the rest"}
)

// flowType is one of the four directions, or a word in more.
func flowType(more ...string) value.Type[string] {
	t := value.OneOf(append(arranger.Dirs(), more...)...)
	return value.Type[string]{Takes: t.Takes, Parse: func(s string) (string, error) {
		v, err := t.Parse(s)
		var no *value.Invalid
		if errors.As(err, &no) {
			no.Near = nearFlow(s, more...)
		}
		return v, err
	}}
}

// nearFlow returns the directions, or the words in more, to suggest for an unknown word.
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
	return pdk.Nearest(word, append(arranger.Dirs(), more...))
}

func layoutVerb() verb {
	return verb{Run: runLayout, Keys: []pdk.Parameter{algoKey, flowKey, layoutGap, byKey, keepKey}, Verb: abi.Verb{
		Syntax: "layout [SEL] [algo:" + algoKey.Type.Takes + "] [dir:TB|LR|BT|RL] [spacing:N] [by:groups|flow] | layout [SEL] keep:true", Summary: "arrange the page, or only what is selected; groups keep what is in them", Category: "place", Max: -1,
		Brief:    "layout [SEL] [algo:layered|tree|force|grid|radial dir:TB|LR|BT|RL spacing:N by:groups|flow | keep:true]",
		Examples: []string{"layout", "layout dir:LR spacing:80", "layout algo:tree", "layout algo:force", "layout @group:Backend algo:grid", "layout keep:true"},
	}}
}

// layoutWords returns the error for words after layout. It suggests the parameters that
// they may mean.
func layoutWords(f *file, a pdk.Args) error {
	word := a.Text(0)
	other := map[string]string{"hierarchical": "layered", "hierarchy": "layered", "flow": "layered", "circular": "radial", "circle": "radial", "organic": "force"}
	err := pdk.Errorf("layout takes no word, so not %q: algo: dir: spacing: or a selector", word)
	if algo, ok := pdk.OneOf(word, algorithms); ok || other[strings.ToLower(word)] != "" {
		if !ok {
			algo = other[strings.ToLower(word)]
		}
		return err.Try(a.Mended(pdk.WithoutWord(0), pdk.WithParam("algo", algo)))
	}
	if _, none := selector.Group(f.Current, word, true); none == nil {
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
	algo, dir := algoKey.Of(a), slices.Index(arranger.Dirs(), flowKey.Of(a))
	if a.Has("dir") && (algo == "force" || algo == "grid") {
		return pdk.Errorf("algo:%s has no direction", algo).Try(a.Mended(pdk.Without("dir")))
	}
	by, columns := byKey.Lookup(a)
	if columns && algo != "layered" {
		return pdk.Errorf("by: is for algo:layered").Try(a.Mended(pdk.Without("by")))
	}
	if t := sequence.Of(c.Model.Current, a); t != nil {
		return sequence.Layout(c, t)
	}
	if keepKey.Of(a) {
		return runKeep(c, a)
	}
	sets := pdk.Must(layoutSets(c, a))
	if way, ok := mindmap.DirOf(a, sets); ok {
		algo = way
	}
	if !a.Has("dir") && algo == "layered" {
		dir = int(lanesDir(sets))
	}
	before, rated := arranger.Score(c.Model.Current)
	how := arranger.Order{Algo: algo, Options: layout.Options{Dir: layout.Dir(dir), Spacing: layoutGap.Of(a)}, ColumnsBy: by, Partial: len(a.Selectors) > 0}
	if algo == "layered" && by == arrange.Both {
		how.Method = betterMethod(c, how, sets)
	}
	done, what := pdk.Must2(layOut(c, how, sets))
	pdk.Check(legend.Place(c))
	if algo != "force" && algo != "grid" && algo != "mind" {
		algo += " " + arranger.Dirs()[dir]
	}
	told := ""
	if algo == "mind" {
		algo, rated = "of a mind map", false
	}
	if rated {
		after, _ := arranger.Score(c.Model.Current)
		told = fmt.Sprintf(", score %s → %s", arranger.Points(before), arranger.Points(after))
	}
	c.Bulk("layout %s: %s, now %s%s", algo, what, values.Box(placement.Bounds(arranger.Outer(done.Touched))), told)
	return nil
}

// layOut lays out sets of shapes and routes their edges again if necessary. what counts the
// shapes and edges.
func layOut(c *ctx, how arranger.Order, sets [][]*cell) (done arranger.Outcome, what string, err error) {
	d := c.Model.Draft()
	done = how.Arrange(d, sets...)
	what = pdk.Count(done.Shapes, "shape")
	if done.Edges > 0 {
		what += " and " + pdk.Count(done.Edges, "edge")
	}
	if err := edit.Commit(c, d, "layout "+what, "already laid out like that: "+what, slices.Concat(sets...)...); err != nil {
		return done, what, err
	}
	aligned := done.Aligned
	if len(aligned) > arranger.MaxRerouted {
		aligned = nil
	}
	for _, lines := range [2][]*cell{done.Again, aligned} {
		if len(lines) == 0 {
			continue
		}
		d := c.Model.Draft()
		arranger.Reroute(d, c.Model.Current, lines, arranger.WithLabels)
		if err := d.Do(c, "route "+pdk.Count(len(lines), "edge")); err != nil {
			return done, what, err
		}
	}
	return done, what, arranger.SettleEnds(c, arranger.EdgesOf(slices.Concat(sets...)))
}

// betterMethod returns the method with the better score. It tries both only on pages
// without groups, if they are of a size at which either may win.
func betterMethod(c *ctx, how arranger.Order, sets [][]*cell) arranger.Method {
	n := 0
	for _, set := range sets {
		n += len(set)
		if slices.ContainsFunc(set, model.IsGroup) {
			return arranger.Usual
		}
	}
	if n <= arranger.ComposedPlain || n > arranger.TriedPlain {
		return arranger.Usual
	}
	best, least := arranger.Usual, math.MaxInt
	for _, m := range []arranger.Method{arranger.Columnwise, arranger.Rowwise} {
		how.Method = m
		_ = c.Trial(func(c *ctx) error { // an error means that nothing would move
			_, _, err := layOut(c, how, sets)
			if s, ok := arranger.Score(c.Model.Current); ok && s.Total < least {
				best, least = m, s.Total
			}
			return err
		})
	}
	return best
}

// layoutSets returns the shapes to arrange, one set for each container.
func layoutSets(c *ctx, a pdk.Args) ([][]*cell, error) {
	page := c.Model.Current
	if len(a.Selectors) == 0 {
		if arranger.ShowsSequence(page) {
			return nil, arranger.RefuseSequence()
		}
		all := arranger.Outermost(page)
		if len(all) == 0 {
			return nil, pdk.Unchanged("there is nothing to lay out on this page")
		}
		return [][]*cell{all}, nil
	}
	cells := pdk.Must(selector.Select(c.Model, c.Recent, a.Selectors, false))
	var shapes []*cell
	lanes := map[*cell]int{} // by pool: number of selected lanes
	for _, x := range cells {
		if x.Vertex && model.IsPoolLane(x) && arranger.IsUnlocked(x) {
			pool := x.Owner()
			if lanes[pool]++; lanes[pool] == len(model.Lanes(pool)) {
				shapes = append(shapes, pool) // all lanes: the pool itself
			}
		}
		if x.Vertex && !x.Relative && !model.IsPart(x) && arranger.IsUnlocked(x) && !model.IsPoolLane(x) && !model.IsLifeline(x) {
			shapes = append(shapes, x)
		}
	}
	if len(shapes) == 0 {
		return nil, pdk.Errorf("%s selects no shape that can be laid out", pdk.SelectorText(a.Selectors)).TryQuery("list " + pdk.SelectorText(a.Selectors))
	}
	shapes = arranger.Outer(shapes)
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

// lanesDir returns the direction that the lanes of the first pool suggest: a flow runs
// along them.
func lanesDir(sets [][]*cell) layout.Dir {
	for _, set := range sets {
		for _, x := range set {
			if x.Kind() == "pool" && !model.LanesAreColumns(x) {
				return layout.LR
			} else if x.Kind() == "pool" {
				return layout.TB
			}
		}
	}
	return layout.TB
}

func orientVerb() verb {
	return verb{Run: runOrient, Verb: abi.Verb{
		Syntax: "orient TB|LR|BT|RL|landscape|portrait", Summary: "lay the page out again in a direction, or turn its paper", Category: "place",
		Brief:    "orient TB|LR|BT|RL | landscape|portrait",
		Examples: []string{"orient LR", "orient landscape"},
	}}
}

func runOrient(c *ctx, a pdk.Args) error {
	way, err := flowType("landscape", "portrait").Word(a, 0, "the direction")
	switch {
	case err != nil:
		return err
	case slices.Contains(arranger.Dirs(), way):
		return runLayout(c, pdk.Args{Op: &abi.Op{Verb: "layout", Params: []abi.KeyValue{{Key: "dir", Value: way}}}})
	}
	return turnPaper(c, way)
}

// turnPaper runs orient with landscape or portrait.
func turnPaper(c *ctx, way string) error {
	p := c.Model.Current
	pdk.Check(edit.EnsureRoot(c, p))
	if wide := p.Width > p.Height; p.Width == p.Height || wide == (way == "landscape") {
		return pdk.Unchanged("the paper is already %sx%s", mxfile.Num(p.Width), mxfile.Num(p.Height))
	}
	d := c.Model.Draft()
	d.Paper(p, p.Height, p.Width)
	pdk.Check(edit.Commit(c, d, "turn the paper: "+way, "the paper is "+way+" already"))
	c.Changed("page %s: paper %sx%s", model.PageTitle(c.Model, p), mxfile.Num(p.Width), mxfile.Num(p.Height))
	return nil
}

// runKeep runs layout with keep:true.
func runKeep(c *ctx, a pdk.Args) error {
	for _, key := range []string{"dir", "by", "spacing", "algo"} {
		if a.Has(key) {
			return pdk.Errorf("keep:true keeps the layout, so %s: has no effect", key).Try(a.Mended(pdk.Without(key)), a.Mended(pdk.Without("keep")))
		}
	}
	page := c.Model.Current
	if arranger.ShowsSequence(page) {
		return arranger.RefuseSequence()
	}
	before, known := arranger.Score(page)
	if !known {
		return pdk.Errorf("keep:true is for pages of up to %d shapes and edges", arranger.MaxScored).Try(a.Mended(pdk.Without("keep")))
	}
	var fresh []*cell
	if len(a.Selectors) > 0 {
		cells := pdk.Must(selector.Select(c.Model, c.Recent, a.Selectors, false))
		fresh = arranger.Placeable(cells)
	} else {
		fresh = arranger.Unplaced(page)
	}
	fresh = slices.DeleteFunc(fresh, model.IsPinned)
	k := arranger.NewKeeper(page, fresh)
	grown, pushed, changed, err := k.PlaceAll(c, fresh)
	if err != nil {
		return err
	}
	lines := k.EdgesToRoute(append(slices.Clone(fresh), pushed...))
	n := 0
	if len(lines) > 0 {
		d := c.Model.Draft()
		n = arranger.Reroute(d, page, lines, arranger.WithLabels)
		if e := d.Edit(); e != nil {
			pdk.Check(c.Do(e, "route "+pdk.Count(n, "edge")))
			changed = true
		}
	}
	if !changed {
		return pdk.Unchanged("nothing is new on this page, and no edge runs through a shape")
	}
	pdk.Check(legend.Place(c))
	after, _ := arranger.Score(page)
	summary := "no shape is new"
	if len(fresh) > 0 {
		summary = model.List(fresh, 3) + " placed"
		if len(fresh) > 3 {
			c.Also("placed: %s", model.All(fresh))
		}
	}
	if n > 0 {
		summary += fmt.Sprintf(", %s routed", pdk.Count(n, "edge"))
	}
	c.Bulk("layout keep: %s, score %s → %s%s", summary, arranger.Points(before), arranger.Points(after), placement.Growth(grown, pushed))
	return nil
}
