package command

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/reply"
)

// fakeClipboard is a program for scripts that stores its input.
func fakeClipboard() {
	data, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = os.WriteFile(os.Getenv("CLIPBOARD"), data, 0o600)
	}
	if err != nil {
		os.Exit(1)
	}
}

// A change takes effect once two successive looks see the same content.
func TestAWatchedChangeTakesEffectOnceItIsStable(t *testing.T) {
	answers := []*reply.Reply{
		{Text: "a"}, {Text: "a"}, {Text: "b"}, {Text: "c", Warnings: []string{"changed outside"}}, {Text: "c"}, {Text: "c"},
		reply.Errorf(nil, "half written"), reply.Errorf(nil, "half written"), {Text: "d"}, {Text: "c"}, {Text: "c"}, {Text: "e"}, {Text: "e"},
	}
	ctx, cancel := context.WithCancel(t.Context())
	ticks := make(chan time.Time, len(answers))
	var out strings.Builder
	x := &script{ctx: ctx, out: stdio{err: &out}}
	var took []string
	x.watch(ticks, func() *reply.Reply {
		r := answers[0]
		if answers = answers[1:]; len(answers) == 0 {
			cancel()
			return r
		}
		ticks <- time.Time{}
		return r
	}, func(answer string) { took = append(took, answer) })
	if want := []string{"a", "c"}; !slices.Equal(took, want) {
		t.Errorf("took %q, want %q", took, want)
	}
	if got := out.String(); got != "? changed outside\n! half written\n" || x.failed {
		t.Errorf("said %q", got)
	}
	// A watch is not started if its first run fails.
	x = &script{ctx: t.Context(), out: stdio{err: &out}}
	x.watch(nil, func() *reply.Reply { return reply.Errorf(nil, "no such query") }, nil)
	if !x.failed || !strings.HasSuffix(out.String(), "fcp-host: no such query\n") {
		t.Errorf("said %q", out.String())
	}
}
