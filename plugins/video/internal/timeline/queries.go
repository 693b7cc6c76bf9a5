package timeline

import (
	"fmt"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// answer is a query of the document alone.
func answer(name, syntax, summary string, run func(v *view, a pdk.Args) (string, error)) query {
	return query{Query: abi.Query{Name: name, Syntax: syntax, Summary: summary}, Run: func(v *view, a pdk.Args) (abi.QueryResponse, error) {
		text, err := run(v, a)
		return abi.QueryResponse{Text: text}, err
	}}
}

func queries() []query {
	return []query{
		answer("duration", "duration", "how long the film is", func(v *view, _ pdk.Args) (string, error) {
			f := v.Model
			return fmt.Sprintf("duration: %s (%d frames at %s fps)", f.text(f.Frames()), f.Frames(), f.rate()), nil
		}),
	}
}
