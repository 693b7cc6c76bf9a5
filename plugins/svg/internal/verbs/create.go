package verbs

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

var (
	newSize = value.Key[value.Dimensions]{Name: "size", Type: size, Default: value.Dimensions{W: scene.UsualWidth, H: scene.UsualHeight}}
	newView = value.Key[vector.Box]{Name: "viewbox", Type: viewBoxes}
)

// NewParams describes the parameters of a new drawing.
func NewParams() []abi.Param {
	return []abi.Param{newSize.Param(), newView.Param(), ground.Param()}
}

// Create creates an empty drawing.
func Create(r *abi.NewRequest) (*drawing, error) {
	a := pdk.Args{Op: &abi.Op{Params: r.Params}}
	for _, key := range []pdk.Parameter{newSize, newView, ground} {
		if err := key.Check(a); err != nil {
			return nil, err
		}
	}
	d := newSize.Of(a)
	view, given := newView.Lookup(a)
	if !given {
		view = vector.Box{X1: d.W, Y1: d.H}
	}
	root := element{name: "svg", attrs: [][2]string{{"xmlns", "http://www.w3.org/2000/svg"}, {"width", model.Num(d.W)}, {"height", model.Num(d.H)}, {"viewBox", model.ViewText(view, model.Num)}}}
	if r.Title != "" {
		root.kids = append(root.kids, element{name: "title", text: r.Title})
	}
	if c, ok := ground.Lookup(a); ok {
		root.kids = append(root.kids, element{name: "rect", attrs: [][2]string{{"id", "background"}, {"width", "100%"}, {"height", "100%"}, {"fill", c}}})
	}
	if len(root.kids) == 0 {
		root.text = "\n"
	}
	var b strings.Builder
	root.write(&b, "", "\n", "  ")
	doc, err := tree.Parse(b.String() + "\n")
	return &drawing{Doc: doc}, err
}
