package domain

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/schema"
)

// Tool is a typed tool of a domain, with compiled schemas.
type Tool struct {
	*abi.Tool
	Domain *Domain

	Input  json.RawMessage // the schema of its arguments, as clients see it
	Output json.RawMessage // the schema of its structured result; nil for none

	takes, gives *schema.Schema // compiled from the domain's schemas; gives is nil for none
	published    *schema.Schema // compiled from Output; nil for none
	wrapped      bool           // the result is wrapped as {"result": VALUE}
	bucket       *bucket
}

// typed caches the typed tools of a domain for all sessions.
type typed struct {
	mu      sync.Mutex
	tools   map[string]*Tool // by name; a suffix marks those with literal schemas
	buckets map[string]*bucket
}

// bucket is a token bucket that limits the calls of a tool.
type bucket struct {
	mu     sync.Mutex
	tokens float64 // calls allowed now
	filled time.Time
	now    func() time.Time
}

// TypedTool returns the typed tool of that name. With literal, clients see the domain's own schemas. The error is one
// line.
func (d *Domain) TypedTool(name string, literal bool) (*Tool, error) {
	i := slices.IndexFunc(d.Manifest.Tools, func(t abi.Tool) bool { return t.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("the domain %s has no typed tool %s", d.Name(), quote(name))
	}
	key := name
	if literal {
		key += "!"
	}
	d.typed.mu.Lock()
	defer d.typed.mu.Unlock()
	if t := d.typed.tools[key]; t != nil {
		return t, nil
	}
	if d.typed.tools == nil {
		d.typed.tools, d.typed.buckets = map[string]*Tool{}, map[string]*bucket{}
	}
	t, err := d.compile(&d.Manifest.Tools[i], literal)
	if err != nil {
		return nil, err
	}
	if t.bucket = d.typed.buckets[name]; t.bucket == nil {
		t.bucket = &bucket{now: time.Now}
		d.typed.buckets[name] = t.bucket
	}
	d.typed.tools[key] = t
	return t, nil
}

// CheckTool returns an error if a schema of the tool is unusable.
func CheckTool(t *abi.Tool) error {
	_, err := (&Domain{Manifest: &abi.Manifest{}}).compile(t, false)
	return err
}

func (d *Domain) compile(m *abi.Tool, literal bool) (*Tool, error) {
	t := &Tool{Tool: m, Domain: d}
	wrong := func(what string, err error) error {
		return fmt.Errorf("its %s schema cannot be used: %w", what, err)
	}
	var err error
	if t.takes, err = schema.Compile(t.InputSchema); err != nil {
		return nil, wrong("input", err)
	}
	if t.Input, err = schema.Input(t.InputSchema); err != nil {
		return nil, wrong("input", err)
	}
	if len(t.OutputSchema) > 0 {
		if t.gives, err = schema.Compile(t.OutputSchema); err != nil {
			return nil, wrong("output", err)
		}
		if t.Output, t.wrapped, err = schema.Output(t.OutputSchema); err != nil {
			return nil, wrong("output", err)
		}
	}
	if literal {
		t.Input, t.Output, t.wrapped = schema.Clean(t.InputSchema), schema.Clean(t.OutputSchema), false
	}
	if len(t.Output) > 0 {
		if t.published, err = schema.Compile(t.Output); err != nil {
			return nil, wrong("output", err)
		}
	}
	mark := func(text string) string {
		return prefixToolLines(t.Domain.Name(), reply.Mark(t.Domain.Name(), text))
	}
	t.Input, t.Output = schema.Visible(t.Input, mark), schema.Visible(t.Output, mark)
	return t, nil
}

// OpenWorld reports whether the tool can reach beyond this machine.
func (t *Tool) OpenWorld() bool { return t.Domain.OpenWorld() }

// OpenWorld reports whether the domain has a want for a server.
func (d *Domain) OpenWorld() bool {
	return slices.ContainsFunc(d.Manifest.Wants, func(w abi.Want) bool { return w.Kind == abi.WantHTTP })
}

// Answer is the result of a call of a typed tool.
type Answer struct {
	Structured json.RawMessage // what clients get; nil for none: see Tool.Structure
	Text       string          // for clients that do not read structured results
	Warnings   []string
	Failed     bool
	Error      *ToolError // if set, the call ends in this JSON-RPC error instead of a result

	misfit  string // if set, why the arguments do not satisfy the schema
	partial bool   // Structured lacks something that Text says
}

// ToolError is a JSON-RPC error.
type ToolError struct {
	Code    int
	Message string
	Data    json.RawMessage // nil for none
}

// invalidParams is the only code in JSON-RPC's reserved range that a tool may list.
const invalidParams = -32602

// Refuse returns a failed answer in the host's words: a JSON-RPC error with message and data if the tool lists the
// code, otherwise a result with text.
func (t *Tool) Refuse(code int, message, text string, data any) *Answer {
	if code == 0 || !slices.Contains(t.Codes, code) {
		return &Answer{Failed: true, Text: text}
	}
	encoded, err := json.Marshal(data)
	if err != nil {
		panic(err) // only the host's own values are encoded
	}
	return &Answer{Failed: true, Text: text, Error: &ToolError{code, message, encoded}}
}

// Admit validates the arguments of a call against the tool's schema and then counts the call against its rate. It
// returns the arguments as the domain gets them, or the answer that refuses the call: see Explain.
func (t *Tool) Admit(arguments []byte, rated bool) ([]byte, *Answer) {
	wrong := func(err error) ([]byte, *Answer) {
		why := line(err.Error(), abi.MaxError)
		text := fmt.Sprintf("the arguments of %s do not fit: %s", t.Name, why)
		return nil, t.Refuse(invalidParams, text, text, map[string]string{"tool": t.Name, "reason": why})
	}
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = []byte("{}")
	}
	if len(arguments) > abi.MaxJSON {
		return wrong(fmt.Errorf("they have %d bytes, the limit is %d", len(arguments), abi.MaxJSON))
	}
	v, err := schema.Decode(arguments)
	if err != nil {
		return wrong(err)
	}
	if err := t.takes.Check(v); err != nil {
		_, no := wrong(err)
		no.misfit = line(err.Error(), abi.MaxError)
		return arguments, no
	}
	if !rated {
		return arguments, nil
	}
	if wait, used := t.bucket.take(t.Rate); wait > 0 {
		seconds := int(math.Ceil(wait.Seconds()))
		return nil, t.Refuse(429, "Rate Limit Exceeded", fmt.Sprintf("Rate Limit Exceeded: %s may be called %d times a minute; try again in %d s", t.Name, t.Rate.PerMinute, seconds),
			map[string]int{"retry_after_seconds": seconds, "limit": t.Rate.PerMinute, "window_seconds": 60, "current_count": used})
	}
	return arguments, nil
}

// maxKey is the longest key that Without drops, in bytes: matching a longer one with the patterns of a schema is work.
const maxKey = 128

// Without returns arguments without the keys that drop reports and that the tool's schema does not declare.
func (t *Tool) Without(arguments []byte, drop func(key string) bool) []byte {
	return schema.Without(arguments, func(key string) bool { return len(key) <= maxKey && drop(key) && !t.takes.Declares(key) })
}

// Undeclared lists the keys of arguments that mean nothing to the tool, since its schema lists others. A guest may still
// take one for a declared key, if it compares them without case.
func (t *Tool) Undeclared(arguments []byte) (keys []string) {
	schema.Without(arguments, func(key string) bool {
		if len(key) <= maxKey && !slices.Contains(keys, key) && t.takes.Ignores(key) {
			keys = append(keys, key)
		}
		return false
	})
	return keys
}

// take counts a call against a rate (nil for none). wait is the time until the call would be allowed, 0 if it is; used
// is the burst that was exhausted.
func (b *bucket) take(rate *abi.Rate) (wait time.Duration, used int) {
	if rate == nil {
		return 0, 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	burst, now, perMinute := float64(rate.Burst), b.now(), float64(rate.PerMinute)
	if burst == 0 {
		burst = perMinute
	}
	if b.filled.IsZero() {
		b.tokens = burst
	} else {
		b.tokens = min(burst, b.tokens+now.Sub(b.filled).Minutes()*perMinute)
	}
	b.filled = now
	if b.tokens < 1 {
		return time.Duration((1 - b.tokens) / perMinute * float64(time.Minute)), int(burst)
	}
	b.tokens--
	return 0, 0
}

// Call runs the tool on an instance with arguments that Admit returned.
func (t *Tool) Call(ctx context.Context, in *Instance, arguments []byte) (*abi.ToolResponse, error) {
	out, err := in.Tool(ctx, t.Tool, arguments)
	if err == nil && len(out.Events) > 0 && (t.On == "" || t.ReadOnly) {
		return nil, in.malformed(abi.ExportTool, fmt.Errorf("%s changes a document, which its manifest does not say", t.Name))
	}
	return out, err
}

// Explain returns the domain's own answer to arguments that do not satisfy the schema, or no, the host's answer, if the
// domain has none. Requests that the domain makes meanwhile are refused.
func (t *Tool) Explain(ctx context.Context, owner any, arguments []byte, no *Answer) *Answer {
	if !t.Explains || t.On != "" || no.misfit == "" {
		return no
	}
	ctx = WithoutWorld(ctx)
	var said *abi.ToolResponse
	err := t.Domain.Free(ctx, owner, func(in *Instance) (err error) {
		said, err = in.tool(ctx, t.Tool, &abi.ToolRequest{Name: t.Name, Arguments: arguments, Misfit: no.misfit})
		return err
	})
	if err != nil || said.Error == nil {
		return no
	}
	return t.Answer(said)
}

// Answer converts the domain's response to what the client gets.
func (t *Tool) Answer(r *abi.ToolResponse) *Answer {
	if r.Error != nil {
		return t.refusal(r.Error, r.Warnings)
	}
	a := &Answer{Text: r.Text, Warnings: r.Warnings}
	if !json.Valid([]byte(a.Text)) { // what is for programs stays as it is
		a.Text = reply.Mark(t.Domain.Name(), a.Text)
	}
	if len(r.Structured) == 0 {
		if t.gives == nil {
			return a
		}
		return t.schemaViolation(a, "it gave none")
	}
	v, err := schema.Decode(r.Structured)
	if err != nil {
		return t.schemaViolation(a, err.Error())
	}
	own := schema.Clean(r.Structured)
	if a.Text == "" {
		a.Text = string(own)
	}
	if t.gives != nil {
		if err := t.gives.Check(v); err != nil {
			a.Text = string(own)
			return t.schemaViolation(a, err.Error())
		}
	}
	if _, object := v.(map[string]any); t.wrapped || !object && t.gives == nil {
		own = slices.Concat([]byte(`{"result":`), own, []byte("}"))
	}
	a.Structured = own
	return a
}

// Structure completes the structured result of an answer, since clients that get one may show their model nothing else.
// It adds the answer's warnings. The result of a refusal is dropped if it says less than the text, or does not fit the
// published schema: clients discard one that does not, even if it is an error. A JSON-RPC error has the warnings in its
// data.
//
// Warnings for which the published schema has no place stay in the text.
func (t *Tool) Structure(a *Answer) {
	fits := func(data []byte) bool {
		v, err := schema.Decode(data)
		return err == nil && (t.published == nil || t.published.Check(v) == nil)
	}
	if e := a.Error; e != nil && len(a.Warnings) > 0 {
		if e.Data == nil {
			e.Data = json.RawMessage("{}")
		}
		if whole, ok := schema.AddWarnings(e.Data, a.Warnings); ok {
			e.Data = whole
		}
	}
	if a.Structured == nil {
		return
	}
	if a.Failed && (a.partial || !fits(a.Structured)) {
		a.Structured = nil
		return
	}
	if len(a.Warnings) == 0 {
		return
	}
	whole, ok := schema.AddWarnings(a.Structured, a.Warnings)
	switch {
	case ok && fits(whole):
		a.Structured = whole
	case a.Failed:
		a.Structured = nil
	}
}

// schemaViolation is the answer of a tool whose structured result violates its schema. The tool did its work. The answer is an
// error, since clients validate results without an error themselves and show their model nothing of an invalid one.
func (t *Tool) schemaViolation(a *Answer, why string) *Answer {
	note := fmt.Sprintf("%s was carried out: do not repeat it. Its structured result does not fit the tool's output schema (%s)", t.Name, line(why, abi.MaxError))
	if a.Text == "" {
		return &Answer{Failed: true, Text: note, Warnings: a.Warnings}
	}
	return &Answer{Failed: true, Text: note + "; it said:\n  " + strings.ReplaceAll(a.Text, "\n", "\n  "), Warnings: a.Warnings}
}

// refusal is the answer of a tool that refuses.
func (t *Tool) refusal(e *abi.ToolError, warnings []string) *Answer {
	a := &Answer{Failed: true, Text: reply.Mark(t.Domain.Name(), e.Message), Warnings: warnings}
	v, err := schema.Decode(e.Data)
	if err != nil {
		v = nil
		if len(e.Data) > 0 {
			a.Warnings = append(a.Warnings, "what the plugin added to its error is left out: "+line(err.Error(), abi.MaxWarning))
		}
	}
	var data json.RawMessage
	if err == nil {
		data = schema.Clean(e.Data)
	}
	if e.Code != 0 && slices.Contains(t.Codes, e.Code) {
		a.Error = &ToolError{e.Code, reply.Mark(t.Domain.Name(), e.Message), data}
	}
	if data != nil {
		if e.Message != "" && !within(v, e.Message) {
			a.Text, a.partial = a.Text+"\n"+string(data), true
		} else {
			a.Text = string(data)
		}
	}
	if _, object := v.(map[string]any); object {
		a.Structured = data
	}
	if a.Text == "" {
		a.Text = "the plugin gave no reason"
	}
	return a
}

// within reports whether text is a string anywhere in v.
func within(v any, text string) bool {
	switch v := v.(type) {
	case string:
		return v == text
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return within(e, text) })
	case map[string]any:
		for _, e := range v {
			if within(e, text) {
				return true
			}
		}
	}
	return false
}
