package pdk_test

import (
	"errors"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

func TestAQueryThatDrawsGivesPixelsUnlessSVGIsNamed(t *testing.T) {
	for value, want := range map[string]bool{"": false, "png": false, "PNG": false, "svg": true, "Svg": true} {
		op := &abi.Op{Verb: "preview"}
		if value != "" {
			op.Params = []abi.KeyValue{{Key: "format", Value: value}}
		}
		if got, err := (pdk.Args{Op: op}).WantsSVG(); err != nil || got != want {
			t.Errorf("%q: %v, %v", value, got, err)
		}
	}
	op := &abi.Op{Verb: "preview", Positionals: []abi.Positional{{Text: "A"}}, Params: []abi.KeyValue{{Key: "format", Value: "gif"}, {Key: "width", Value: "300"}}}
	_, err := (pdk.Args{Op: op}).WantsSVG()
	var e *pdk.Error
	if !errors.As(err, &e) || e.Error() != "preview draws format:png and format:svg, not gif" {
		t.Errorf("gif is refused with %v", err)
	}
}
