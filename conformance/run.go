package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Adapter returns what an implementation makes of a test's input: a value that marshals to the suite's JSON, or an
// error if it refuses the input. An error that marshals to an object is compared with the expected error; otherwise its
// text is. [ErrNotApplicable] skips the test.
type Adapter func(c *Case) (any, error)

// ErrNotApplicable says that the test does not apply to the implementation.
var ErrNotApplicable = errors.New("not applicable")

// unreadable means that the fixture's input is invalid for its suite. It is a mistake of the fixture, so it never
// counts as an expected error.
type unreadable struct{ error }

// Failure is a failed test or, without a Test, a file that is not a fixture.
type Failure struct {
	File     string `json:"file,omitempty"`
	Suite    string `json:"suite"`
	Test     string `json:"test"`
	Input    string `json:"input,omitempty"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
	Where    string `json:"where,omitempty"` // the first difference
}

func (f Failure) String() string {
	if f.Test == "" {
		return "FAIL " + f.Got
	}
	s := fmt.Sprintf("FAIL %s: %s: input %s: expected %s, got %s", f.Suite, f.Test, f.Input, f.Expected, f.Got)
	if f.Where != "" {
		s += " (" + f.Where + ")"
	}
	return s
}

// Report counts the results of tests.
type Report struct {
	Passed   int       `json:"passed"`
	Skipped  int       `json:"skipped"` // not applicable, or without an adapter
	Failures []Failure `json:"failures"`
	// Without lists the suites without an adapter.
	Without []string `json:"without,omitempty"`
}

// OK reports whether nothing failed.
func (r *Report) OK() bool { return len(r.Failures) == 0 }

// Total is the number of tests that ran.
func (r *Report) Total() int { return r.Passed + len(r.Failures) }

// Run runs fixtures, each with the adapter of its suite.
func Run(fixtures []Fixture, adapters map[string]Adapter) *Report {
	r := &Report{Failures: []Failure{}}
	for i := range fixtures {
		f := &fixtures[i]
		if f.Err != nil {
			r.Failures = append(r.Failures, Failure{File: f.File, Expected: "a fixture", Got: f.Err.Error()})
			continue
		}
		adapt := adapters[f.Suite]
		if adapt == nil {
			r.Without = append(r.Without, f.Suite)
			r.Skipped += len(f.Tests) + len(f.ErrorTests)
			continue
		}
		f.Each(func(c *Case, mustFail bool) {
			failure, err := c.Check(adapt, mustFail)
			switch {
			case errors.Is(err, ErrNotApplicable):
				r.Skipped++
			case failure == nil:
				r.Passed++
			default:
				failure.File, failure.Suite = f.File, f.Suite
				r.Failures = append(r.Failures, *failure)
			}
		})
	}
	return r
}

// Each calls do with every test and whether its input must be refused.
func (f *Fixture) Each(do func(c *Case, mustFail bool)) {
	for i := range f.Tests {
		do(&f.Tests[i], isError(f.Tests[i].ExpectedError))
	}
	for i := range f.ErrorTests {
		do(&f.ErrorTests[i], true)
	}
}

// isError reports whether expected_error requires an error.
func isError(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", "false":
		return false
	}
	return true
}

// Check runs one test. The error is [ErrNotApplicable] or nil.
func (c *Case) Check(adapt Adapter, mustFail bool) (*Failure, error) {
	got, err := adapt(c)
	if errors.Is(err, ErrNotApplicable) {
		return nil, ErrNotApplicable
	}
	fail := &Failure{Test: c.Name, Input: compact(c.input()), Expected: compact(c.expected()), Got: "an error: " + fmt.Sprint(err)}
	var wrong unreadable
	switch {
	case c.input() == nil:
		fail.Got, fail.Where = "nothing", "the fixture has no input"
		return fail, nil
	case errors.As(err, &wrong):
		fail.Got, fail.Where = "nothing", "the fixture is wrong: "+wrong.Error()
		return fail, nil
	}
	if mustFail {
		fail.Expected = "an error"
		if err == nil {
			value, _ := generic(got)
			fail.Got = show(value)
			return fail, nil
		}
		fail.Expected = "an error, " + compact(c.errorSaid())
		if fail.Where = c.wrongError(err); fail.Where == "" {
			return nil, nil
		}
		return fail, nil
	}
	if err != nil {
		return fail, nil
	}
	var want any
	if err := json.Unmarshal(c.expected(), &want); err != nil {
		fail.Got, fail.Where = "nothing", "the fixture has no expected result"
		return fail, nil
	}
	have, err := generic(got)
	if err != nil {
		fail.Got = err.Error()
		return fail, nil
	}
	if fail.Where = mismatch(want, have); fail.Where == "" {
		return nil, nil
	}
	fail.Got = show(have)
	return fail, nil
}

// errorSaid returns what the test expects of the error.
func (c *Case) errorSaid() json.RawMessage {
	if c.ExpectedError != nil {
		return c.ExpectedError
	}
	return c.Expected
}

// wrongError compares an error with the expected one.
func (c *Case) wrongError(err error) string {
	var want any
	if json.Unmarshal(c.errorSaid(), &want) != nil {
		return ""
	}
	switch w := want.(type) {
	case string:
		return mismatch(map[string]any{"contains": w}, err.Error())
	case map[string]any:
		if _, ok := w["contains"]; ok {
			return mismatch(w, err.Error())
		}
		// Implementations name the message differently: "error" holds it in one format and true in another.
		w = clone(w, "error", "message")
		have, e := generic(err)
		if _, ok := have.(map[string]any); !ok || e != nil {
			have = map[string]any{}
		}
		return mismatch(w, have)
	}
	return ""
}

func clone(m map[string]any, without ...string) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}
	for _, k := range without {
		delete(out, k)
	}
	return out
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return "nothing"
	}
	return b.String()
}

// Write prints a line for each failure, and the count.
func (r *Report) Write(w io.Writer) {
	for _, f := range r.Failures {
		fmt.Fprintln(w, f)
	}
	if len(r.Without) > 0 {
		fmt.Fprintf(w, "not run: %s; they need a server that serves the domain \"names\"\n", strings.Join(r.Without, ", "))
	}
	fmt.Fprintf(w, "%d of %d tests passed", r.Passed, r.Total())
	if r.Skipped > 0 {
		fmt.Fprintf(w, ", %d not run", r.Skipped)
	}
	fmt.Fprintln(w)
}
