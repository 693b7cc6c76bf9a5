package diagram

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

func layoutVerb() verb {
	return verb{Run: runLayout, Verb: abi.Verb{
		Name: "layout", Syntax: "layout [SEL] [algo:layered|grid] [dir:TB|LR|BT|RL] [spacing:N]", Summary: "arrange the page, or what is selected", Category: "place",
		Params: []abi.Param{{Key: "algo", Value: "layered|grid"}, {Key: "dir", Value: "TB|LR|BT|RL"}, {Key: "spacing", Value: "10-1000"}},
		Select: true, Min: 0, Max: 0,
		Examples: []string{"layout", "layout dir:LR spacing:80", "layout @group:Backend algo:grid"},
	}}
}

func runLayout(c *ctx, a pdk.Args) error { return pdk.Errorf("not yet") }
