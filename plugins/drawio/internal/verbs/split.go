package verbs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

func splitVerb() verb {
	return verb{Run: runSplit, Keys: []pdk.Parameter{
		values.Text("as", "NAME,NAME…"), values.Text("in", "NAME: takes what comes in"), values.Text("out", "NAME: takes what goes out"),
		values.Text("with", "NAME=REF,REF;…: takes the edges to and from these"),
	}, Verb: abi.Verb{
		Syntax: "split REF as:A,B[,…] [in:NAME] [out:NAME] [with:NAME=REF,REF;NAME=REF]", Category: "shapes",
		Summary:  "split a shape into several; the first keeps its edges except those that in: and out: (all incoming or outgoing) and with: (those of given shapes) give to others",
		Brief:    "split REF as:A,B [in:NAME out:NAME with:NAME=REF,REF] · A keeps what these do not give away",
		Examples: []string{"split AuthService as:Login,Tokens out:Tokens", `split A as:"A1, A2" in:A1 out:A2 with:A1=B`},
	}}
}

func runSplit(c *ctx, a pdk.Args) error {
	f := c.Model
	if a = a.Listed(",", "as"); len(a.Positionals) > 1 {
		return pdk.Errorf("split takes one shape; quote a name with spaces").Try(a.Mended(pdk.WithJoined(0)))
	}
	x := pdk.Must(selector.Vertex(f, a.Text(0)))
	if model.IsGroup(x) || x.Relative || model.IsPart(x) || model.InCompound(x) || model.IsPoolLane(x) {
		return pdk.Errorf("%s is %s; split is for single shapes", model.Short(x), values.Article(x.Kind()))
	}
	names := pdk.Must(splitNames(a))
	takes := pdk.Must(readShares(f, a, x, names))
	d := f.Draft()
	page := x.Page
	var lost []*cell
	if edit.Relabel(d, x, names[0]) {
		lost = append(lost, x)
	}
	ids := []string{x.ID}
	var touched []string
	for i, n := range names[1:] {
		id := d.NewID()
		r := x.Geo
		r.Y += float64(i+1) * (r.H + arranger.KeepAcross)
		d.Append(page, id, edit.WithLabel(mxfile.Text(x.Raw()).WithID(id), x, n).WithGeo(r))
		ids, touched = append(ids, id), append(touched, model.EventID(page.Key, id))
	}
	count := dealEdges(d, x, takes, ids)
	pdk.Check(c.Do(d.Edit(), "split "+model.Short(x), append(touched, model.ID(x))...))
	fresh := pdk.Map(ids[1:], page.Cell)
	grown, pushed, _, err := arranger.NewKeeper(page, fresh).PlaceAll(c, fresh)
	if err != nil {
		return err
	}
	if lines := arranger.EdgesAround(fresh, append(pushed, x)); len(lines) > 0 && arranger.IsSmall(page) {
		d := f.Draft()
		arranger.Reroute(d, page, lines, arranger.OnlyEdges)
		pdk.Check(d.Do(c, "route "+pdk.Count(len(lines), "edge")))
	}
	var parts []string
	for i, id := range ids {
		parts = append(parts, fmt.Sprintf("%s %s with %s", model.Short(page.Cell(id)), values.Box(page.Cell(id).Abs()), pdk.Count(count[i], "edge")))
	}
	c.Created("split into %s%s", strings.Join(parts, ", "), placement.Growth(grown, pushed))
	edit.SayLost(c, lost)
	return nil
}

// dealEdges drafts the move of the edges of x to the shapes with the given ids, as takes says,
// and returns the number of edges that each gets. The first id is that of x.
func dealEdges(d *mxfile.Draft, x *cell, takes map[*cell]int, ids []string) []int {
	count := make([]int, len(ids))
	for _, e := range arranger.EdgesOf([]*cell{x}) {
		from, to := model.Ends(e)
		if from != x && to != x {
			continue
		}
		k := takes[e]
		count[k]++
		if k == 0 {
			continue
		}
		d.Change(e, func(t mxfile.Text) mxfile.Text {
			s := e.Style
			if from == x {
				t, s = t.WithAttr("source", ids[k]), arranger.WithoutPorts(s, "exit")
			}
			if to == x {
				t, s = t.WithAttr("target", ids[k]), arranger.WithoutPorts(s, "entry")
			}
			return t.WithStyle(s).WithPoints(nil).SealedLike(e)
		})
	}
	return count
}

// splitNames reads the names of as:.
func splitNames(a pdk.Args) ([]string, error) {
	var names []string
	for _, n := range strings.Split(a.String("as", ""), ",") {
		n = strings.TrimSpace(n)
		if n == "" || slices.ContainsFunc(names, func(o string) bool { return strings.EqualFold(o, n) }) {
			names = nil
			break
		}
		names = append(names, n)
	}
	if len(names) < 2 {
		return nil, pdk.Errorf("split needs as: with two names or more, such as as:A,B")
	}
	return names, nil
}

// readShares returns for each edge of x the index of the name whose shape takes it. Edges that
// the op does not mention stay with the first, 0.
func readShares(f *file, a pdk.Args, x *cell, names []string) (map[*cell]int, error) {
	index := func(key, word string) (int, error) {
		k := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(word)) })
		if k < 0 {
			return 0, pdk.Errorf("%s:%s is not one of the names that as: gives: %s", key, word, strings.Join(names, ", ")).Instead(word, pdk.Nearest(word, names)...)
		}
		return k, nil
	}
	takes := map[*cell]int{}
	for _, way := range []struct {
		key   string
		edges []*cell
	}{{"in", x.Page.In(x.ID)}, {"out", x.Page.Out(x.ID)}} {
		word, ok := a.Param(way.key)
		if !ok {
			continue
		}
		k := pdk.Must(index(way.key, word))
		for _, e := range way.edges {
			if e.Source != e.Target {
				takes[e] = k
			}
		}
	}
	for _, part := range strings.Split(a.String("with", ""), ";") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		word, refs, ok := strings.Cut(part, "=")
		if !ok {
			return nil, pdk.Errorf("with:%s does not say which name takes which edges: with:NAME=REF,REF", part)
		}
		k := pdk.Must(index("with", word))
		for _, ref := range strings.Split(refs, ",") {
			o := pdk.Must(selector.Vertex(f, strings.TrimSpace(ref)))
			some := false
			for _, e := range arranger.EdgesOf([]*cell{x}) {
				if from, to := model.Ends(e); from == x && to == o || from == o && to == x {
					takes[e], some = k, true
				}
			}
			if !some {
				return nil, pdk.Errorf("no edge joins %s and %s", model.Short(x), model.Short(o)).TryQuery("connections " + model.Reference(x))
			}
		}
	}
	return takes, nil
}
