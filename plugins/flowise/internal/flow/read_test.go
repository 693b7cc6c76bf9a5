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

// held prints all that a flow holds of its text.
func (f *Flow) held() string {
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
	return fmt.Sprintln(f.text, f.root.Raw(), f.twins, out, state(f), f.overview(f.nodes))
}

// A flow that reads only what changes holds the same as one that is opened anew: with
// nodes of the same id, after changes in several places and their inverses. A change
// that makes no flow leaves it as it was.
func TestChangesAreReadAsAWholeFileIs(t *testing.T) {
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
				before := f.held()
				changed, ok := s.Apply(f.text)
				want, wrong := parse(changed)
				err := f.become(s)
				switch {
				case !ok || wrong != nil:
					if err == nil || f.held() != before || ok && err.Error() != wrong.Error() {
						t.Fatalf("%+v makes %v, not %v, and\n%s of\n%s", s, err, wrong, f.held(), before)
					}
				case err != nil || f.held() != want.held():
					t.Fatalf("%+v of %s: %v\n%s, and parsed anew\n%s", s, before, err, f.held(), want.held())
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

// numbers holds new ids and labels against the first that is free when one is tried
// after the other.
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
	if id, free := f.unused("a"), f.fresh("A 7"); id != fmt.Sprint("a_", i) || free != label {
		t.Fatalf("after ids %q and labels %q come %s and %s", ids, labels, id, free)
	}
}

// edges holds what is known of the ends of edges against the edges themselves.
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

// A change of one node leaves the others, and what was computed of them.
func TestOnlyWhatChangesIsReadAgain(t *testing.T) {
	f, err := parse(`{"nodes":[{"id":"a"},{"id":"b","data":{"label":"B"}},{"id":"c"}],"edges":[{"source":"a","target":"b"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	a, b, c, e := f.nodes[0], f.nodes[1], f.nodes[2], f.edges[0]
	if err := f.become(append(b.data.Put("label", jsontree.Quote("Longer")), f.root.Get("nodes").Append(`{"id":"d"}`)...)); err != nil {
		t.Fatal(err)
	}
	if f.nodes[0] != a || f.nodes[1] == b || f.nodes[2] != c || f.edges[0] != e || f.byID["b"].Label != "Longer" || f.byID["d"].index != 3 {
		t.Errorf("it holds %s", f.held())
	}
}
