package command

import (
	"context"
	"fmt"
	"strings"

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
				err = writeJSON(io.out, op)
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
