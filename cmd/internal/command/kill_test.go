package command

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/conformance"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/mcpserver"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// step is one call: a session action, or, if that is empty, ops.
type step struct {
	action string
	ops    []string
}

func (s step) String() string {
	if s.action != "" {
		return s.action
	}
	return strings.Join(s.ops, " | ")
}

// randomStep returns a random call of the list domain. It covers everything that a journal records, and some calls fail.
func randomStep(r *rand.Rand, n int) step {
	switch r.IntN(16) {
	case 0:
		return step{action: fmt.Sprintf("undo %d", 1+r.IntN(4))}
	case 1:
		return step{action: fmt.Sprintf("redo %d", 1+r.IntN(4))}
	case 2:
		return step{action: "undo batch"}
	case 3:
		return step{action: "checkpoint " + string(rune('a'+r.IntN(3)))}
	case 4:
		return step{action: "undo to:" + string(rune('a'+r.IntN(3)))}
	case 5:
		return step{action: []string{"batch each", "batch atomic"}[r.IntN(2)]}
	case 6:
		return step{action: []string{"save as:./a.list force", "save as:./b.list force", "save"}[r.IntN(3)]}
	case 7:
		return step{ops: []string{fmt.Sprintf("add x%d", n), "half", fmt.Sprintf("add y%d", n)}}
	case 8:
		return step{ops: []string{"remove @recent"}}
	}
	ops := make([]string, 1+r.IntN(5))
	for i := range ops {
		ops[i] = fmt.Sprintf("add line%d.%d n:%d", n, i, 1+r.IntN(3))
	}
	return step{ops: ops}
}

// oracle runs the same session in this process, where nothing is killed.
type oracle struct {
	t    *testing.T
	sess *session.Session
}

func newOracle(t *testing.T) *oracle {
	set, err := plugin.Load(t.Context(), plugin.Options{Files: []string{testwasm.List(t)}, CacheDir: testwasm.CacheDir(t), Limits: sandbox.DefaultLimits()})
	if err != nil || len(set.Problems()) > 0 {
		t.Fatal(err, set.Problems())
	}
	t.Cleanup(set.Close)
	roots, err := files.NewRoots(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sess := session.New(set, roots)
	t.Cleanup(sess.Close)
	return &oracle{t, sess}
}

func (o *oracle) do(s step) string {
	if s.action != "" {
		return comparable(o.sess.Session(o.t.Context(), "list", "", s.action).Print(mcpserver.Face("list", abi.TryAction)))
	}
	return comparable(o.sess.Edit(o.t.Context(), "list", "", s.ops, nil).Print(mcpserver.Face("list", abi.TryOp)))
}

// comparable removes lines that depend on the file system, where a killed save may have left a file, or on the whole host.
func comparable(text string) string {
	var out []string
	for line := range strings.Lines(conformance.WithoutState(text)) {
		if !strings.Contains(line, "existed and was replaced") && !strings.HasPrefix(strings.TrimSpace(line), "memory: ") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return strings.Join(out, "\n")
}

var viewQueries = []string{"status", "history 100000", "checkpoints", "map"}

func (o *oracle) view() string {
	var b strings.Builder
	for _, q := range viewQueries {
		fmt.Fprintf(&b, "%s\n", comparable(o.sess.Query(o.t.Context(), "list", "", q).String()))
	}
	return b.String()
}

func (c *client) view() string {
	var b strings.Builder
	for _, q := range viewQueries {
		fmt.Fprintf(&b, "%s\n", comparable(c.must("list_query", map[string]any{"q": q})))
	}
	return b.String()
}

// send sends calls without waiting for answers.
func (c *client) send(steps []step) { c.sendTo("list", steps) }

// sendTo is send for any domain.
func (c *client) sendTo(domain string, steps []step) {
	var b strings.Builder
	for _, s := range steps {
		c.id++
		tool, args := domain, map[string]any{"ops": s.ops}
		if s.action != "" {
			tool, args = domain+"_session", map[string]any{"action": s.action}
		}
		data, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args}})
		b.Write(append(data, '\n'))
	}
	c.in.Write([]byte(b.String())) // fails if the server is dead
}

// answers returns the texts of answered calls in order, until there are n or the server is dead.
func (c *client) answers(n int) []string {
	var out []string
	for len(out) < n {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			return out
		}
		var m struct {
			ID     *int
			Result struct{ Content []struct{ Text string } }
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil || len(m.Result.Content) == 0 {
			continue // a notification, or a line that the kill truncated
		}
		out = append(out, comparable(m.Result.Content[0].Text))
	}
	return out
}

func (c *client) kill() {
	c.cmd.Process.Kill()
}

func (c *client) waitForExit() {
	c.cmd.Wait()
	c.cmd = nil
}

// The next host recovers everything that was answered, whenever the previous one was killed: text, history, redo tail,
// checkpoints, mode, file and revision. An unanswered call is recovered completely or not at all.
func TestWhatWasAnsweredSurvivesAKill(t *testing.T) {
	t.Parallel()
	kills := soak.Times(8, 1000)
	rnd := rand.New(rand.NewPCG(soak.Seed(t), 6))

	o := newOracle(t)
	dir, journals := t.TempDir(), filepath.Join(t.TempDir(), "journal")
	start := func() *client {
		return serveProcess(t, dir, "--plugin", testwasm.List(t), "--journal-dir", journals)
	}
	o.do(step{action: `new "Doc"`})
	c := start()
	c.session("list", `new "Doc"`)
	calls, lost, inFlight := 0, 0, 0
	k, pace := 0, 700*time.Microsecond // estimated time of one call, so that the kill comes during the calls
	for ; k < kills; k++ {
		// Sends bursts of calls and kills the host at a random moment.
		var pending []step
		for range 1 + rnd.IntN(3) {
			burst := make([]step, 1+rnd.IntN(10))
			for i := range burst {
				calls++
				burst[i] = randomStep(rnd, calls)
			}
			pending = append(pending, burst...)
		}
		c.send(pending)
		victim, after := c, time.Duration(rnd.Int64N(int64(time.Duration(len(pending))*pace)))
		timer := time.AfterFunc(after, victim.kill)
		answers := c.answers(len(pending))
		if pace = pace * 6 / 5; len(answers) > len(pending)/2 {
			pace = pace * 25 / 36
		}
		for _, got := range answers {
			s := pending[0]
			pending = pending[1:]
			if want := o.do(s); got != want {
				t.Fatalf("kill %d: %s\nanswered %q\nand would %q", k, s, got, want)
			}
		}
		if timer.Stop() {
			victim.kill()
		}
		c.waitForExit()

		// The next host may be killed while it recovers.
		for c = start(); rnd.IntN(8) == 0; c = start() {
			c.send([]step{{action: "recover 1"}})
			time.AfterFunc(time.Duration(rnd.IntN(20))*time.Millisecond, c.kill)
			c.answers(1)
			c.waitForExit()
		}
		text := c.session("list", "recover 1")
		if !strings.HasPrefix(text, `+ recovered "Doc" (list): `) {
			t.Fatalf("kill %d: %s", k, text)
		}
		got, want := c.view(), o.view()
		first := want
		lost += len(pending)
		for got != want && len(pending) > 0 {
			inFlight++
			o.do(pending[0])
			pending = pending[1:]
			want = o.view()
		}
		if got != want {
			t.Fatalf("kill %d: recovered\n%s\nwhich is none of the states from\n%s\nto\n%s", k, got, first, want)
		}
	}
	t.Logf("%d kills in %d calls; %d were not answered when the host died, and %d of those had happened", k, calls, lost, inFlight)
	c.session("list", "save as:./end.list")
	c.session("list", "close")
	if left, _ := filepath.Glob(filepath.Join(journals, "*")); len(left) > 0 {
		t.Errorf("after save and close the journal folder holds %v", left)
	}
}
