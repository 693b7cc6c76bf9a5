package mcpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// client is one MCP session.
type client struct {
	principal string
	name      string // in the audit log
	handler   *server.StreamableHTTPServer
	session   *session.Session
	version   string    // of the protocol, as negotiated by initialize; guarded by HTTP.mu
	used      time.Time // guarded by HTTP.mu
	active    int       // open requests and streams; guarded by HTTP.mu
}

// initialize makes a session and passes the request to it.
func (h *HTTP) initialize(w http.ResponseWriter, r *http.Request, principal string) {
	refuse := func() {
		gate.Busy(w, http.StatusTooManyRequests, fmt.Sprintf("you have %d sessions open, which is the limit: end one", h.c.Sessions))
	}
	h.mu.Lock()
	out, full := h.leastNeeded(principal)
	h.mu.Unlock()
	if full && out == "" { // refuse before making anything, so that a flood costs little
		refuse()
		return
	}
	id := h.c.Peers.sessionID(rand.Text())
	subs := &subscriptions{uris: map[string]bool{}}
	c := &client{principal: principal, session: h.c.NewSession(principal), used: time.Now(), active: 1}
	hooks := subs.hooks()
	hooks.AddAfterInitialize(func(_ context.Context, _ any, _ *mcp.InitializeRequest, res *mcp.InitializeResult) {
		h.mu.Lock()
		defer h.mu.Unlock()
		c.version = res.ProtocolVersion
	})
	srv := h.server(c.session, hooks)
	srv.resources.updated = func(uri string) {
		if subs.has(uri) {
			srv.mcp.SendNotificationToAllClients("notifications/resources/updated", map[string]any{"uri": uri})
		}
	}
	c.handler = h.streamable(srv, server.WithSessionIdManager(sessionID(id)))
	if !h.admit(id, c) {
		c.session.Close()
		refuse()
		return
	}
	defer h.leave(c)
	gate.Of(r.Context()).SetSession(c.name)
	c.handler.ServeHTTP(w, r)
}

// admit adds a client. If its principal has as many sessions as allowed, an idle one is ended, since clients often
// leave without ending theirs; see leastNeeded.
func (h *HTTP) admit(id string, c *client) bool {
	h.mu.Lock()
	out, full := h.leastNeeded(c.principal)
	if full && out == "" {
		h.mu.Unlock()
		return false
	}
	h.opened++
	c.name = fmt.Sprint("s", h.opened)
	h.clients[id] = c
	h.mu.Unlock()
	if full {
		h.end(out)
	}
	return true
}

// leastNeeded returns the session that a principal needs least, if it has as many as allowed: one without documents
// before one without unsaved changes, and of these the one idle for longest. The id is "" if none may be ended. The
// caller holds mu.
func (h *HTTP) leastNeeded(principal string) (id string, full bool) {
	own := map[string]*client{}
	for id, c := range h.clients {
		if c.principal == principal {
			own[id] = c
		}
	}
	if len(own) < h.c.Sessions {
		return "", false
	}
	before, least := time.Now().Add(-h.c.grace), unsaved
	for other, c := range own {
		if c.active > 0 || c.used.After(before) {
			continue
		}
		if n := c.holds(); n < least || n == least && id != "" && c.used.Before(own[id].used) {
			id, least = other, n
		}
	}
	return id, true
}

// What a session would lose.
const (
	nothing = iota
	clean   // documents without unsaved changes
	unsaved
)

func (c *client) holds() int {
	holds := nothing
	for _, d := range c.session.Documents() {
		holds = clean
		if d.Summary().Dirty {
			return unsaved
		}
	}
	return holds
}

// enter returns the principal's session of this id and counts one request, or nil.
func (h *HTTP) enter(principal, id string) *client {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.clients[id]
	if c == nil || c.principal != principal {
		return nil
	}
	c.active++
	return c
}

func (h *HTTP) versionOf(c *client) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return c.version
}

func (h *HTTP) leave(c *client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c.active--
	c.used = time.Now()
}

// end closes a session and its documents.
func (h *HTTP) end(id string) {
	h.mu.Lock()
	c := h.clients[id]
	delete(h.clients, id)
	h.mu.Unlock()
	if c != nil {
		c.handler.CloseSessions(context.Background())
		c.session.Close()
	}
}

// sweep ends sessions and documents that were idle for too long, or whose principal is no longer admitted.
func (h *HTTP) sweep() {
	defer close(h.swept)
	tick := time.NewTicker(min(max(h.c.Idle/8, 10*time.Millisecond), 10*time.Second))
	defer tick.Stop()
	for {
		select {
		case <-h.stop:
			return
		case <-tick.C:
		}
		limit := time.Now().Add(-h.c.Idle)
		var over []string
		h.mu.Lock()
		for id, c := range h.clients {
			if c.active == 0 && c.used.Before(limit) || !h.c.Gate.Knows(c.principal) {
				over = append(over, id)
			}
		}
		h.mu.Unlock()
		for _, id := range over {
			h.c.Log.Info("a session is ended: it was idle, or its principal is no longer admitted", "idle", h.c.Idle)
			h.end(id)
		}
		for _, c := range h.list(h.shared) {
			if n := c.session.Expire(h.c.Idle); n > 0 {
				h.c.Log.Info("documents without a session were idle and are closed", "documents", n, "idle", h.c.Idle)
			}
			h.mu.Lock()
			// An issuer may name any number of principals, so the entry of one without documents is removed.
			over := !h.c.Gate.Knows(c.principal) || c.active == 0 && c.used.Before(limit) && len(c.session.Documents()) == 0
			if over {
				delete(h.shared, c.principal)
			}
			h.mu.Unlock()
			if over {
				c.session.Close()
			}
		}
	}
}

// sessionID makes mcp-go use the id that HTTP has chosen.
type sessionID string

var errOtherSession = errors.New("the id of another session")

// Generate returns the id.
func (s sessionID) Generate() string { return string(s) }

// Validate accepts only this id.
func (s sessionID) Validate(id string) (ended bool, err error) {
	if id != string(s) {
		return false, errOtherSession
	}
	return false, nil
}

// Terminate allows the client to end its session.
func (s sessionID) Terminate(string) (notAllowed bool, err error) { return false, nil }
