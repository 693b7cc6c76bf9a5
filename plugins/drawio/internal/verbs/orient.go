package verbs

import (
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

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
