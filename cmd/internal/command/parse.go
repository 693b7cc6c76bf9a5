package command

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/grammar"
)

func parse(_ context.Context, args []string, io stdio) int {
	const usage = `usage: fcp-host parse 'note Piano C4 at:1.1'`
	if len(args) == 1 && (args[0] == "-h" || args[0] == "--help") {
		fmt.Fprintln(io.out, usage)
		return exitOK
	}
	if len(args) == 0 {
		fmt.Fprintln(io.err, usage)
		return exitUsage
	}
	op, err := grammar.Parse(strings.Join(args, " "), grammar.Rules{})
	if err != nil {
		io.complain("%v", err)
		return exitFailed
	}
	enc := json.NewEncoder(io.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(op); err != nil {
		io.complain("%v", err)
		return exitFailed
	}
	for _, w := range op.Warnings {
		fmt.Fprintf(io.err, "? %s\n", w)
	}
	return exitOK
}
