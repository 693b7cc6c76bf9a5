package queries

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

func lintQuery() query {
	return query{Run: runLint, Query: abi.Query{Syntax: "lint", Brief: "lint · what is likely wrong", Summary: "what is likely wrong: nothing to see, outside, broken references, weak contrast, text wider than its box, scripts and links, no title"}}
}

func runLint(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	list := append(f.Broken(10), f.ExternalContent(true)...)
	if f.Title() == "" {
		list = append(list, "no title for screen readers: title \"…\"")
	}
	if sc := f.Scene(); sc.MayAnimate() {
		for n := range f.Root.All() {
			if moves := model.AnimationsText(sc, n); moves != "" {
				list = append(list, f.Ref(n)+" is animated: "+moves)
			}
		}
	}
	for n := range f.Root.All() {
		if said := pdk.Hidden(n.Tag + n.Text()); said != "" {
			list = append(list, f.Ref(n)+" has "+said)
		}
	}
	for _, one := range f.Faults(f.Scene()) {
		list = append(list, f.Ref(one.Node)+" "+one.Text)
	}
	p := v.Page()
	for _, l := range list {
		p.Line(func(b []byte) []byte { return append(b, l...) })
	}
	return p.AnswerOr("lint: nothing found"), nil
}
