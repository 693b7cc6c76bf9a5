package domain

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// Refusal is an error that leaves the instance usable, such as for a file that the domain cannot read or a query that it
// does not know.
type Refusal struct {
	Message string
	Try     []abi.Suggestion

	unsent bool // the host refused, before the domain saw the call
}

func (r *Refusal) Error() string { return r.Message }

// Fault means that the instance is gone or can no longer be trusted: a trap, a missed deadline, a malformed answer. The
// document builds a new instance.
type Fault struct {
	Domain  string
	Message string // one line, printable
	Err     error  // the sandbox's error, or nil
}

func (f *Fault) Error() string { return fmt.Sprintf("the %s plugin failed: %s", f.Domain, f.Message) }

func (f *Fault) Unwrap() error { return f.Err }

// Lost reports that err says only that the instance is gone: its worker died, perhaps long before the call or during a
// call on another document. The same call may succeed on a new instance.
func Lost(err error) bool {
	if err == nil {
		return false
	}
	var e *sandbox.Error
	return !Sent(err) && errors.As(err, &e) && e.Kind == sandbox.KindLost
}

// Disabled reports that the plugin failed too often and does not run until it is enabled again.
func Disabled(err error) bool {
	var e *sandbox.Error
	return errors.As(err, &e) && e.Kind == sandbox.KindDisabled
}

// convertError converts an error of the sandbox, from a call of export, to a Refusal or a Fault.
func (d *Domain) convertError(export string, err error) error {
	var e *sandbox.Error
	if errors.As(err, &e) {
		switch e.Kind {
		case sandbox.KindRefused:
			return d.refusal(e.Message, kindRefusedBy(export))
		case sandbox.KindInput:
			return &Refusal{Message: line(e.Message, abi.MaxError), unsent: true}
		}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	msg := err.Error()
	if e != nil {
		msg = e.Message
	}
	return &Fault{Domain: d.Name(), Message: line(msg, 600), Err: err}
}

// refusal parses the text of error_set: the message, then suggestions on lines that start with `try: ` or, with a kind,
// `try query: `.
func (d *Domain) refusal(s, asked string) *Refusal {
	first, rest, _ := strings.Cut(s, "\n")
	e := abi.Error{Message: first}
	for l := range strings.SplitSeq(rest, "\n") {
		l = strings.TrimSpace(l)
		if s, ok := suggestionLine(l); ok {
			e.Try = append(e.Try, s)
		} else if l != "" && len(e.Try) == 0 {
			e.Message += " " + l
		}
	}
	d.cleanError(&e, asked)
	return &Refusal{Message: reply.Said(d.Name(), e.Message), Try: e.Try}
}

func suggestionLine(l string) (s abi.Suggestion, ok bool) {
	for _, kind := range []string{"", abi.TryOp, abi.TryQuery, abi.TryAction} {
		if t, ok := strings.CutPrefix(l, strings.TrimSuffix("try "+kind, " ")+": "); ok {
			return abi.Suggestion{Kind: kind, Text: t}, true
		}
	}
	return s, false
}

// kindRefusedBy returns the kind of suggestion that fits what export refused.
func kindRefusedBy(export string) string {
	switch export {
	case abi.ExportApply:
		return abi.TryOp
	case abi.ExportQuery:
		return abi.TryQuery
	}
	return abi.TryAction
}

// Late reports that a call missed its deadline, or was not started because an earlier one did.
func Late(err error) bool {
	var e *sandbox.Error
	return errors.As(err, &e) && (e.Kind == sandbox.KindDeadline || e.Kind == sandbox.KindStalled)
}

// asFault converts a refusal of a call that changes documents to a Fault.
func asFault(domain, export string, err error) error {
	var r *Refusal
	if errors.As(err, &r) && !r.unsent {
		return &Fault{Domain: domain, Message: export + " refused the call: " + strings.TrimPrefix(r.Message, reply.Said(domain, "")), Err: err}
	}
	return err
}
