package reply

import "fmt"

// Refusal is an error with what its reply says beside it.
type Refusal struct {
	Text  string
	Try   []Suggestion
	After []Result // lines below
	Cause error    // for callers that must know; usually nil
}

// Refuse returns a Refusal of one line.
func Refuse(try []Suggestion, format string, args ...any) *Refusal {
	return &Refusal{Text: fmt.Sprintf(format, args...), Try: try}
}

func (r *Refusal) Error() string { return r.Text }

func (r *Refusal) Unwrap() error { return r.Cause }
