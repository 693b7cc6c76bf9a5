package flow

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/splice"
	"pgregory.net/rapid"
)

// dump prints everything that a flow has read from its text.
func (f *Flow) dump() string {
	var out []string
	for _, n := range f.nodes {
		out = append(out, fmt.Sprintln(n.ID, n.Label, n.Name, n.Kind, n.Category, n.Parent, n.index, n.box(), n.v.Start, n.v.Raw(), n.data.Raw()))
	}
	for _, e := range f.edges {
		out = append(out, fmt.Sprintln(e.ID, e.Source, e.Target, e.SourceHandle, e.TargetHandle, e.Label, e.v.Start, e.v.Raw()))
	}
	for id, n := range f.byID {
		out = append(out, fmt.Sprintln(id, "is", n.index, f.nodes[n.index] == n))
	}
	slices.Sort(out)
	return fmt.Sprintln(f.text, f.root.Raw(), f.duplicateIDs, out, state(f), f.overview(f.nodes))
}

// A flow that reads only what changed must equal one parsed from the whole text, also
// with duplicate ids, and after changes in several places and their inverses. A change
// that would not leave a valid flow must change nothing.
func TestIncrementalReadingMatchesAFullParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(of ...string) string { return rapid.SampledFrom(of).Draw(t, "pick") }
		id := func() string { return pick("a_0", "a_1", "a_2", "a_03", "b", "") }
		node := func() string {
			return fmt.Sprintf(`{"id":%q,"type":%q,"width":%s,"parentNode":%q,"data":{"label":%q,"inputs":{"x":%q},"inputParams":[{"name":"x"}],"inputAnchors":[{"id":"in","name":"y"}],"outputAnchors":[{"id":"out"}]}}`,
				id(), pick("agentFlow", "stickyNote", "customNode"), pick("10", "20.5"), pick("", "a_0"), pick("A", "A 1", "A 2", "B"), pick("", "{{ a_0 }}"))
		}
		edge := func() string {
			return fmt.Sprintf(`{"source":%q,"target":%q,"sourceHandle":"out","targetHandle":%q,"data":{"label":"x"}}`, id(), id(), pick("in", "a_0"))
		}
		f, err := parse(pick(`{"nodes":[],"edges":[],"type":"AGENTFLOW"}`, `{"edges":[`+edge()+`],"nodes":[`+node()+","+node()+"]}\n"))
		if err != nil {
			t.Fatal(err)
		}
		one := func() splice.All {
			list, item := f.root.Get("nodes"), node()
			if pick("nodes", "edges") == "edges" {
				list, item = f.root.Get("edges"), edge()
			}
			which := func() int { return rapid.IntRange(0, len(list.Items)-1).Draw(t, "which") }
			switch what := pick("append", "remove", "set", "put", "put", "spoil"); {
			case what == "append" || len(list.Items) == 0:
				return list.Append(item)
			case what == "remove":
				return list.Remove(which(), which())
			case what == "set":
				return list.Items[which()].Set(item)
			case what == "put":
				return list.Items[which()].Put(pick("id", "width", "new"), pick(`"a_0"`, `"c"`, "7"))
			}
			return rapid.SampledFrom([]splice.All{f.root.Drop("nodes"), f.root.Put("flowData", `""`), f.root.Get("edges").Set("{}"), {{At: 1, New: "]"}}}).Draw(t, "spoilt")
		}
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			var all splice.All
			for range rapid.IntRange(1, 2).Draw(t, "at once") {
				if more := append(slices.Clone(all), one()...); fits(f, more) {
					all = more
				}
			}
			for _, s := range []splice.All{all, all.Inverse(), all} {
				before := f.dump()
				changed, ok := s.Apply(f.text)
				want, wrong := parse(changed)
				err := f.applySplices(s)
				switch {
				case !ok || wrong != nil:
					if err == nil || f.dump() != before || ok && err.Error() != wrong.Error() {
						t.Fatalf("%+v makes %v, not %v, and\n%s of\n%s", s, err, wrong, f.dump(), before)
					}
				case err != nil || f.dump() != want.dump():
					t.Fatalf("%+v of %s: %v\n%s, and parsed anew\n%s", s, before, err, f.dump(), want.dump())
				}
			}
			numbers(t, f)
			edges(t, f)
		}
	})
}

func fits(f *Flow, s splice.All) bool {
	_, ok := s.Apply(f.text)
	return ok
}

// numbers compares new ids and labels with the first free ones, found one by one.
func numbers(t *rapid.T, f *Flow) {
	var ids, labels []string
	for _, n := range f.nodes {
		ids, labels = append(ids, n.ID), append(labels, n.Label)
	}
	i := 0
	for slices.Contains(ids, "a_"+strconv.Itoa(i)) {
		i++
	}
	label := "A"
	for k := 1; slices.Contains(labels, label); k++ {
		label = "A " + strconv.Itoa(k)
	}
	if id, free := f.unusedID("a"), f.unusedLabel("A 7"); id != fmt.Sprint("a_", i) || free != label {
		t.Fatalf("after ids %q and labels %q come %s and %s", ids, labels, id, free)
	}
}

// edges compares what is cached about the ends of edges with the edges themselves.
func edges(t *rapid.T, f *Flow) {
	for _, n := range f.nodes {
		alone := !n.note() && f.byID[n.Parent] == nil && !slices.ContainsFunc(f.nodes, func(k *Node) bool { return k.Parent == n.ID })
		filled := n.note() || n.anchors() == nil
		for _, e := range f.edges {
			alone = alone && e.Source != n.ID && e.Target != n.ID
			filled = filled || e.Target == n.ID && e.TargetHandle == "in"
		}
		if f.orphan(n) != alone || slices.Contains(f.unset(n), "y") == filled {
			t.Fatalf("node %d of %s: orphan %v, unset %q", n.index, f.text, f.orphan(n), f.unset(n))
		}
	}
}

// A change of one node must keep the others, and what was computed from them.
func TestOnlyChangedNodesAreReadAgain(t *testing.T) {
	f, err := parse(`{"nodes":[{"id":"a"},{"id":"b","data":{"label":"B"}},{"id":"c"}],"edges":[{"source":"a","target":"b"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	a, b, c, e := f.nodes[0], f.nodes[1], f.nodes[2], f.edges[0]
	if err := f.applySplices(append(b.data.Put("label", jsontree.Quote("Longer")), f.root.Get("nodes").Append(`{"id":"d"}`)...)); err != nil {
		t.Fatal(err)
	}
	if f.nodes[0] != a || f.nodes[1] == b || f.nodes[2] != c || f.edges[0] != e || f.byID["b"].Label != "Longer" || f.byID["d"].index != 3 {
		t.Errorf("it holds %s", f.dump())
	}
}
