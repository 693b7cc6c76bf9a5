package gate

import (
	"net/http"
	"time"
)

// maxNoted is the maximum length, in bytes, of a caller's text in a line of the audit log.
const maxNoted = 128

// Call is one request of a known caller. It ends in a line of the audit log, which says who did what to which document,
// but has neither arguments nor content. A nil Call notes nothing.
type Call struct {
	Principal string

	g              *Gate
	began          time.Time
	held           int64  // bytes of its body that are held
	answer         int64  // bytes of its answer that are held
	session        string // a name of ours, since the session's id is a secret
	method         string
	tool, document string
	failed         bool

	scopes  *scopes   // what the caller may do; nil for everything
	until   time.Time // when the token expires; zero for never
	lacks   string    // scopes that the call would need
	several bool      // the request has other messages, too

	site   string // how the caller reaches this server from another machine; "" if it is on this one
	target any    // of the link that the request has
}

// SetSession notes the session that the call belongs to.
func (c *Call) SetSession(session string) {
	if c != nil {
		c.session = session
	}
}

// SetMethod notes the MCP method of the call.
func (c *Call) SetMethod(method string) {
	if c != nil && method != "" {
		c.method = cut(method)
	}
}

// SetResult notes the tool that ran, which must exist, or "" for a link, the document or file it worked on, and whether
// it failed.
func (c *Call) SetResult(tool, document string, failed bool) {
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

// Hold counts n more bytes of the answer as held until it is sent, and reports whether there is room for them.
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

// Next ends one message of a request with several, and begins the next. Each gets its own line in the audit log.
func (c *Call) Next() {
	if c != nil {
		c.logCall(http.StatusOK)
		c.releaseAnswer()
		c.began, c.method, c.tool, c.document, c.failed = time.Now(), "", "", "", false
	}
}

// end releases what the call held and logs it.
func (c *Call) end(a *response) {
	if c.held > 0 {
		c.g.bodies.release(c.Principal, c.held)
	}
	c.releaseAnswer()
	c.logCall(a.status())
}

// releaseAnswer releases what the answer held.
func (c *Call) releaseAnswer() {
	if c.answer > 0 {
		c.g.bodies.release(c.Principal, c.answer)
		c.answer = 0
	}
}

// logCall counts the call and writes its line.
func (c *Call) logCall(status int) {
	outcome := "ok"
	switch {
	case status >= 400:
		outcome = "refused"
	case c.failed:
		outcome = "failed"
	}
	took := time.Since(c.began)
	if c.tool != "" {
		c.g.metrics.countCall(c.tool, outcome, took)
	}
	c.g.c.Audit.Info("call", "who", c.Principal, "session", c.session, "method", c.method, "tool", c.tool, "document", c.document,
		"outcome", outcome, "status", status, "ms", took.Milliseconds())
}
