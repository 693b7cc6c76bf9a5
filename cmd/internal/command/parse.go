package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

// parseForm prints an op as the grammar reads it.
func parseForm() form {
	return form{
		usage: "usage: fcp-host parse 'note Piano C4 at:1.1'\n",
		run: func(_ context.Context, in input, io stdio) int {
			if len(in.words) == 0 {
				return wrongUsage
			}
			op, err := grammar.Parse(strings.Join(in.words, " "), grammar.Rules{})
			if err == nil {
				err = writeJSON(io.out, printedOp(op))
			}
			if err != nil {
				io.complain("%v", err)
				return exitFailed
			}
			for _, w := range op.Warnings {
				fmt.Fprintf(io.err, "? %s\n", w)
			}
			return exitOK
		},
	}
}

// parsedOp is the form of an op in the conformance fixtures: params in the order written, quoted the indexes of quoted positionals.
type parsedOp struct {
	Verb        string           `json:"verb"`
	Positionals []string         `json:"positionals"`
	Params      orderedParams    `json:"params"`
	Selectors   []parsedSelector `json:"selectors"`
	Arrows      []int            `json:"arrows"`
	Quoted      []int            `json:"quoted"`
	Raw         string           `json:"raw"`
	Warnings    []string         `json:"warnings"`
}

type parsedSelector struct {
	Raw     string `json:"raw"`
	Type    string `json:"type"`
	Value   string `json:"value"`
	Negated bool   `json:"negated"`
}

// printedOp returns an op of one line in the form that is printed.
func printedOp(op grammar.Op) parsedOp {
	out := parsedOp{Verb: op.Verb, Positionals: []string{}, Params: op.Params, Selectors: []parsedSelector{}, Arrows: append([]int{}, op.Arrows...),
		Quoted: []int{}, Raw: op.Raw, Warnings: append([]string{}, op.Warnings...)}
	for i, p := range op.Positionals {
		if out.Positionals = append(out.Positionals, p.Text); p.Quoted {
			out.Quoted = append(out.Quoted, i)
		}
	}
	for _, s := range op.Selectors {
		out.Selectors = append(out.Selectors, parsedSelector(s))
	}
	return out
}

// orderedParams marshals as an object whose members keep their order.
type orderedParams []abi.KeyValue

func (ps orderedParams) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, p := range ps {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := enc.Encode(p.Key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := enc.Encode(p.Value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
