package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"time"
	"unicode"
)

// Kinds of failures.
const (
	Dial     = "dial"      // no connection to the server
	DNS      = "dns"       // its name has no address
	TLS      = "tls"       // its certificate or protocol is not accepted
	Timeout  = "timeout"   // the context's deadline passed
	Cancel   = "cancelled" // the context was cancelled
	TooLarge = "too-large" // the request or the response exceeds a limit
	Refused  = "refused"   // this package does not make such requests
	Protocol = "protocol"  // the connection broke, or the response was not HTTP
)

// Failure is why a request has no response.
type Failure struct {
	Kind string
	Text string // one printable line without secrets
	Sent bool   // the request was sent and may have taken effect
}

// Error returns the text, with what is known about the request's effect.
func (f *Failure) Error() string {
	if f.Sent {
		return f.Text + "; it was sent, and whether it took effect is not known"
	}
	return f.Text
}

func refusal(format string, args ...any) *Failure {
	return &Failure{Kind: Refused, Text: fmt.Sprintf(format, args...)}
}

// explain says why a request failed that the endpoint's rules allowed. It mentions if the response had started to
// stream events.
func (c *Client) explain(ctx context.Context, err error, t *trace, stream bool) *Failure {
	f := &Failure{Sent: t.sent.Load()}
	origin := c.endpoint.Origin
	if stream {
		origin += " streams events (text/event-stream), and"
	}
	var large tooLarge
	var address addressError
	var name *net.DNSError
	var op *net.OpError
	var number syscall.Errno
	switch {
	case errors.As(err, &address):
		f.Kind, f.Text = Refused, fmt.Sprintf("%s is not dialled: %v", origin, address)
	case errors.As(err, &large):
		f.Kind, f.Text = TooLarge, fmt.Sprintf("%s answered with %v", origin, large)
		if stream {
			f.Text = fmt.Sprintf("%s sent %v; ask for an answer that is not streamed", origin, large)
		}
	case errors.Is(ctx.Err(), context.Canceled):
		f.Kind, f.Text = Cancel, fmt.Sprintf("the request to %s was cancelled", c.endpoint.Origin)
	case expired(ctx):
		f.Kind, f.Text = Timeout, fmt.Sprintf("%s did not answer within the time of the call", origin)
		switch {
		case stream:
			f.Text = fmt.Sprintf("%s did not end within the time of the call; ask for an answer that is not streamed", origin)
		case !f.Sent:
			f.Text = fmt.Sprintf("%s could not be connected to within the time of the call", origin)
		}
	case errors.As(err, &name):
		f.Kind, f.Text = DNS, fmt.Sprintf("the name of %s was not resolved: %s", origin, lookup(name))
	case errors.As(err, &op) && op.Op == "dial":
		f.Kind, f.Text = Dial, fmt.Sprintf("no connection to %s: %s", origin, op.Err)
		if errors.As(err, &number) {
			f.Text = fmt.Sprintf("no connection to %s: %v", origin, number)
		}
	case errors.As(err, new(tls.RecordHeaderError)):
		f.Kind, f.Text = TLS, fmt.Sprintf("TLS with %s failed: the server does not speak it", origin)
	case t.tls.Load():
		f.Kind, f.Text = TLS, fmt.Sprintf("TLS with %s failed: %v", origin, withoutAddresses(err))
	default:
		f.Kind, f.Text = Protocol, fmt.Sprintf("%s broke off or sent something other than HTTP: %v", origin, withoutAddresses(err))
	}
	return f
}

// expired reports whether the deadline passed. A socket may notice before the context does.
func expired(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && !time.Now().Before(deadline)
}

// lookup says why a name was not resolved, without the resolver's address.
func lookup(err *net.DNSError) string {
	switch {
	case err.IsNotFound:
		return "no such host"
	case err.IsTimeout:
		return "the resolver did not answer"
	}
	return "the resolver failed"
}

// withoutAddresses removes "read tcp 10.0.0.1:40000->10.0.0.2:443" from an error: a guest knows origins, not addresses.
func withoutAddresses(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err
	}
	return err
}

// maxText is the longest text of a failure, in characters. Much of it may be the server's.
const maxText = 300

// line makes a text one printable line without secrets.
func (c *Client) line(s string) string {
	s = c.redactor.Text(s)
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
	return cut(s, maxText)
}

func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// quote quotes what a guest or a server sent.
func quote(s string) string { return fmt.Sprintf("%q", cut(s, 60)) }
