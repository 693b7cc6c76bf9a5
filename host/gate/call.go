package gate

import (
	"net/http"
	"time"
)

// maxNoted bounds what a caller can put into a line of the audit log.
const maxNoted = 128

// Call is one request of a known caller. It ends in a line of the audit log,
// which says who did what to which document, and never what with: arguments
// and contents are not in it. A nil Call notes nothing.
type Call struct {
	Principal string

	g              *Gate
	began          time.Time
	held           int64  // bytes of its body
	answer         int64  // bytes that its answer holds
	session        string // by a number of ours: its id is a secret
	method         string
	tool, document string
	failed         bool

	scopes  *scopes   // what the caller may do, nil for everything
	until   time.Time // when its token ends, zero for never
	lacks   string    // scopes that the call needs
	several bool      // the request has more messages than this call
}

// In notes which session the call belongs to.
func (c *Call) In(session string) {
	if c != nil {
		c.session = session
	}
}

// Means notes the protocol's method that the call names.
func (c *Call) Means(method string) {
	if c != nil && method != "" {
		c.method = cut(method)
	}
}

// Did notes the tool that ran, one that there is, the document it reached, and
// whether it failed.
func (c *Call) Did(tool, document string, failed bool) {
	if c != nil {
		c.tool, c.document, c.failed = tool, cut(document), failed
	}
}

// Fail notes that the call was answered with an error.
func (c *Call) Fail() {
	if c != nil {
		c.failed = true
	}
}

func cut(s string) string {
	if len(s) > maxNoted {
		return s[:maxNoted] + "…"
	}
	return s
}

// Hold counts n more bytes that the answer holds in memory until it is sent, with
// those of requests, and reports whether there is room for them.
func (c *Call) Hold(n int64) bool {
	if c == nil {
		return true
	}
	if !c.g.bodies.take(c.Principal, n) {
		return false
	}
	c.answer += n
	return true
}

// Next ends one message of a request that has several, and begins the next: each
// has its own line.
func (c *Call) Next() {
	if c != nil {
		c.note(http.StatusOK)
		c.sent()
		c.began, c.method, c.tool, c.document, c.failed = time.Now(), "", "", "", false
	}
}

// end gives back what the call held and notes how it ended.
func (c *Call) end(a *answer) {
	if c.held > 0 {
		c.g.bodies.give(c.Principal, c.held)
	}
	c.sent()
	c.note(a.status())
}

// sent gives back what the answer held.
func (c *Call) sent() {
	if c.answer > 0 {
		c.g.bodies.give(c.Principal, c.answer)
		c.answer = 0
	}
}

// note counts the call and writes its line.
func (c *Call) note(status int) {
	outcome := "ok"
	switch {
	case status >= 400:
		outcome = "refused"
	case c.failed:
		outcome = "failed"
	}
	took := time.Since(c.began)
	if c.tool != "" {
		c.g.metrics.called(c.tool, outcome, took)
	}
	c.g.c.Audit.Info("call", "who", c.Principal, "session", c.session, "method", c.method, "tool", c.tool, "document", c.document,
		"outcome", outcome, "status", status, "ms", took.Milliseconds())
}
