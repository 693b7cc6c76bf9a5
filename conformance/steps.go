package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fcp-host/fcp-host/grammar"
)

// Answer is a tool's answer.
type Answer struct {
	Text   string
	Failed bool // isError
}

// WithoutState returns a reply without what a host may say of the document in its last line beside the digest: its name, if several are open,
// and the mark of unsaved changes.
func WithoutState(text string) string {
	at := strings.LastIndexByte(text, '\n') + 1
	state, ok := strings.CutPrefix(text[at:], "[")
	if !ok || !strings.HasSuffix(state, "]") {
		return text
	}
	if strings.HasPrefix(state, "document: ") {
		return text[:max(at-1, 0)]
	}
	if _, digest, named := strings.Cut(state, ": "); named {
		state = digest
	}
	return text[:at] + "[" + strings.TrimSuffix(strings.TrimSuffix(state, "]"), " *unsaved") + "]"
}

// Tools are the four tools of one domain on a server. An error means that the server did not answer.
type Tools interface {
	Edit(ctx context.Context, ops, then []string) (Answer, error)
	Query(ctx context.Context, q string) (Answer, error)
	Session(ctx context.Context, action string) (Answer, error)
	Help(ctx context.Context) (Answer, error)
}

// Starter starts a server of the domain "names" whose working directory is
// dir, with no document open. stop ends it.
type Starter func(ctx context.Context, dir string) (tools Tools, stop func(), err error)

// Steps returns the adapter for suites that need a running server. Each test gets its own server and an empty folder,
// which is removed afterwards.
func Steps(ctx context.Context, start Starter) Adapter {
	return func(c *Case) (any, error) {
		var steps []step
		var want []json.RawMessage
		if err := json.Unmarshal(c.Input, &steps); err != nil {
			return nil, unreadable{fmt.Errorf("the steps cannot be read: %w", err)}
		}
		if err := json.Unmarshal(c.Expected, &want); err != nil || len(want) != len(steps) {
			return nil, unreadable{fmt.Errorf("there are %d steps and %d expectations", len(steps), len(want))}
		}
		dir, err := os.MkdirTemp("", "fcp-conformance-*")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		tools, stop, err := start(ctx, dir)
		if err != nil {
			return nil, err
		}
		defer stop()
		got := make([]any, len(steps))
		for i := range steps {
			facts, err := steps[i].run(ctx, tools, dir)
			if err != nil {
				return nil, fmt.Errorf("step %d: %w", i+1, err)
			}
			if got[i], err = facts.answer(want[i]); err != nil {
				return nil, fmt.Errorf("step %d: %w", i+1, err)
			}
		}
		return got, nil
	}
}

// step is a call of a tool, or a file to write or read.
type step struct {
	Session *string  `json:"session"`
	Ops     []string `json:"ops"`
	Then    []string `json:"then"`
	Query   *string  `json:"query"`
	Help    bool     `json:"help"`
	Write   string   `json:"write"`
	Text    string   `json:"text"`
	Read    string   `json:"read"`
}

func (s *step) run(ctx context.Context, tools Tools, dir string) (*outcome, error) {
	var a Answer
	var err error
	switch {
	case s.Session != nil:
		a, err = tools.Session(ctx, *s.Session)
	case s.Query != nil:
		a, err = tools.Query(ctx, *s.Query)
	case s.Ops != nil:
		a, err = tools.Edit(ctx, s.Ops, s.Then)
	case s.Help:
		a, err = tools.Help(ctx)
	case s.Write != "":
		err = os.WriteFile(filepath.Join(dir, filepath.Base(s.Write)), []byte(s.Text), 0o644)
	case s.Read != "":
		data, readErr := os.ReadFile(filepath.Join(dir, filepath.Base(s.Read)))
		a = Answer{Text: string(data), Failed: readErr != nil}
	default:
		err = fmt.Errorf("it has no call, file to write or file to read")
	}
	return &outcome{a}, err
}

// outcome is the result of a step.
type outcome struct{ Answer }

// answer returns the facts that want asks for, in its form: a text for which want has "contains" is only returned if it
// does not match.
func (o *outcome) answer(want json.RawMessage) (any, error) {
	var w map[string]any
	if err := json.Unmarshal(want, &w); err != nil {
		return nil, err
	}
	facts := map[string]any{"ok": !o.Failed}
	lines := strings.Split(o.Text, "\n")
	last := lines[len(lines)-1]
	digest := strings.HasPrefix(last, "[") && strings.HasSuffix(last, "]")
	for key, v := range w {
		switch key {
		case "ok":
		case "text":
			facts[key] = o.Text
		case "prefixes":
			facts[key] = leads(lines)
		case "digest":
			facts[key] = digest
		case "digest_text":
			facts[key] = last
		case "try":
			facts[key] = suggests(lines)
		case "contains", "absent":
			facts[key] = v
			for _, part := range texts(v) {
				if strings.Contains(o.Text, part) != (key == "contains") {
					facts[key] = o.Text
				}
			}
		default:
			return nil, fmt.Errorf("unknown expectation %q", key)
		}
	}
	// Add the answer's text to a failure.
	if facts["ok"] != w["ok"] {
		facts["text"] = o.Text
	}
	return facts, nil
}

// texts reads a string or a list of them.
func texts(v any) []string {
	if s, ok := v.(string); ok {
		return []string{s}
	}
	var out []string
	list, _ := v.([]any)
	for _, x := range list {
		out = append(out, fmt.Sprint(x))
	}
	return out
}

// leads returns the prefixes of a reply: the first character of each line except continuations and the digest.
func leads(lines []string) string {
	var b strings.Builder
	for i, l := range lines {
		if l == "" || l[0] == ' ' || i == len(lines)-1 && l[0] == '[' {
			continue
		}
		b.WriteByte(l[0])
	}
	return b.String()
}

// suggests reports whether there is a suggestion, and whether all of them parse.
func suggests(lines []string) bool {
	found := false
	for _, l := range lines {
		if s, ok := strings.CutPrefix(strings.TrimSpace(l), "try: "); ok {
			if _, err := grammar.Parse(s, grammar.Rules{}); err != nil {
				return false
			}
			found = true
		}
	}
	return found
}
