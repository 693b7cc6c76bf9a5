package evals

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/evals/model"
)

// Arms lists the names of arms.
var Arms = []string{"tools", "unified", "files"}

// Runner plays cards.
type Runner struct {
	Model model.Model
	// Server is the command of the MCP server for a domain; unified asks for the four tools that serve all domains.
	Server func(domain string, unified bool) []string
	Stderr io.Writer // of servers

	MaxCalls int // of a run
	MaxRead  int // characters of results in a run
}

// Run is what a card cost in one run, and how it went. Characters are Unicode code points.
type Run struct {
	Card         string   `json:"card"`
	Arm          string   `json:"arm"`
	Number       int      `json:"run"` // from 1
	Calls        int      `json:"calls"`
	Errors       int      `json:"errors"`       // calls that failed
	Written      int      `json:"written"`      // characters of arguments
	Read         int      `json:"read"`         // characters of results
	Pictures     int      `json:"pictures"`     // in results
	Descriptions int      `json:"descriptions"` // characters of the tools' descriptions and schemas, and of the server's instructions
	TokensIn     int      `json:"tokens_in,omitempty"`
	TokensOut    int      `json:"tokens_out,omitempty"`
	Seconds      float64  `json:"seconds"`
	Done         bool     `json:"done"`            // what was asked for is there
	Faithful     bool     `json:"faithful"`        // all that was not asked for is unchanged
	Why          []string `json:"why,omitempty"`   // why it is not done or not faithful
	Error        string   `json:"error,omitempty"` // why the run ended early
}

// Transcript is a whole conversation.
type Transcript struct {
	Run Run `json:"run"`
	model.Request
}

const task = `You do a task for a person, with the tools that you have. Change only what the task asks for, and keep everything else as it is. Save the result in the same file, unless the task names another. When the result is saved, say so in one sentence, without calling a tool.
`

// Play plays a card once. Whatever stops the run is in the error of its Run; what the model has done by then is judged.
func (r Runner) Play(ctx context.Context, c Card, arm string, number int) Transcript {
	t := Transcript{Run: Run{Card: c.Name, Arm: arm, Number: number}}
	start := time.Now()
	dir, err := os.MkdirTemp("", "fcp-eval-*")
	if err == nil {
		defer os.RemoveAll(dir)
		err = c.writeFiles(dir)
	}
	if err == nil {
		err = r.converse(ctx, c, arm, dir, &t)
	}
	if err != nil {
		t.Run.Error = err.Error()
	}
	t.Run.Seconds = time.Since(start).Seconds()
	after, err := readFiles(dir)
	if err != nil {
		t.Run.Why = []string{err.Error()}
		return t
	}
	v := c.Judge.Verdict(c.Files, after)
	t.Run.Done, t.Run.Faithful, t.Run.Why = v.Done, v.Faithful, v.Why
	return t
}

// start starts an arm in the scratch folder.
func (r Runner) start(ctx context.Context, c Card, arm, dir string) (Arm, error) {
	if arm == "files" {
		return openScratch(dir)
	}
	return startServer(ctx, dir, r.Server(c.Domain, arm == "unified"), r.Stderr)
}

// converse lets the model work until it calls no more tools.
func (r Runner) converse(ctx context.Context, c Card, name, dir string, t *Transcript) (err error) {
	arm, err := r.start(ctx, c, name, dir)
	if err != nil {
		return err
	}
	defer func() {
		if closed := arm.Close(); err == nil {
			err = closed
		}
	}()
	t.System = strings.TrimSpace(task + c.names() + "\n\n" + arm.Instructions())
	t.Tools = arm.Tools()
	t.Messages = []model.Message{{Role: "user", Text: c.Wish}}
	t.Run.Descriptions = characters(arm.Instructions())
	for _, tool := range t.Tools {
		t.Run.Descriptions += characters(tool.Name) + characters(tool.Description) + characters(string(tool.Schema))
	}
	for {
		answer, err := r.Model.Answer(ctx, t.Request)
		if err != nil {
			return err
		}
		t.Run.TokensIn, t.Run.TokensOut = t.Run.TokensIn+answer.TokensIn, t.Run.TokensOut+answer.TokensOut
		for i := range answer.Calls {
			if answer.Calls[i].ID == "" {
				answer.Calls[i].ID = fmt.Sprintf("call-%d", t.Run.Calls+i+1)
			}
		}
		t.Messages = append(t.Messages, model.Message{Role: "assistant", Text: answer.Text, Calls: answer.Calls})
		if len(answer.Calls) == 0 {
			return nil
		}
		results, err := r.call(ctx, arm, t, answer.Calls)
		t.Messages = append(t.Messages, model.Message{Role: "tool", Results: results})
		if err != nil {
			return err
		}
	}
}

// call makes the calls of one answer, and counts them.
func (r Runner) call(ctx context.Context, arm Arm, t *Transcript, calls []model.Call) (results []model.Result, err error) {
	for _, c := range calls {
		if len(c.Arguments) == 0 {
			c.Arguments = json.RawMessage("{}")
		}
		if t.Run.Calls == r.MaxCalls {
			return results, fmt.Errorf("ended after %d calls", r.MaxCalls)
		}
		t.Run.Calls++
		t.Run.Written += characters(string(c.Arguments))
		var res model.Result
		switch {
		case !slices.ContainsFunc(t.Tools, func(tool model.Tool) bool { return tool.Name == c.Name }):
			res = model.Result{Text: fmt.Sprintf("there is no tool %q", c.Name), Error: true}
		case !c.IsValid():
			res = model.Result{Text: "the arguments are not a JSON object", Error: true}
		default:
			if res, err = arm.Call(ctx, c.Name, c.Arguments); err != nil {
				return results, err
			}
		}
		res.ID = c.ID
		results = append(results, res)
		t.Run.Read += characters(res.Text)
		t.Run.Pictures += len(res.Images)
		if res.Error {
			t.Run.Errors++
		}
		if t.Run.Read > r.MaxRead {
			return results, fmt.Errorf("ended after reading more than %d characters", r.MaxRead)
		}
	}
	return results, nil
}

func characters(s string) int { return utf8.RuneCountInString(s) }
