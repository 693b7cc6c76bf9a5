package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/host/timing"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// HTTPPath is where MCP is served.
const HTTPPath = "/mcp"

// Defaults of HTTPConfig.
const (
	DefaultSessions = 64
	defaultIdle     = 30 * time.Minute
	// defaultGrace is how long a session is idle before it makes room for another:
	// between initialize and the first call there is a moment in any client.
	defaultGrace = 10 * time.Second
)

// Bodies of messages that belong to no session are smaller than others, in bytes.
const (
	maxStranger    = 64 << 10 // initialize
	maxSessionless = 8 << 20  // a request of protocol version 2026-07-28
)

// HTTPConfig says what is served over HTTP.
type HTTPConfig struct {
	Version    string
	Unified    bool
	Structured bool
	Typed      bool // sessions offer typed tools
	Log        *slog.Logger

	// Gate is what the requests come through. It knows whose they are.
	Gate *gate.Gate
	// NewSession makes the session of one client of a principal that sends
	// initialize. It is closed when the client ends it, or after Idle.
	NewSession func(principal string) *session.Session
	// NewShared makes the session, by session.NewShared, that serves a principal's
	// requests of protocol version 2026-07-28, which belong to no session. It is
	// closed with the server, its documents after Idle.
	NewShared func(principal string) *session.Session
	// Peers are the other hosts of the sessions' store, nil for none.
	Peers    *Peers
	Idle     time.Duration // 0 means 30 minutes
	Sessions int           // of one principal; 0 means DefaultSessions

	grace time.Duration // 0 means defaultGrace
}

// HTTP serves MCP as Streamable HTTP, behind a gate. Each client that sends
// initialize has documents of its own; requests without a session name theirs by
// handle. Nobody reaches the sessions, documents and journals of another principal.
//
// # Notes
//
//   - mcp-go takes any well-formed session id for a session; which there are is known here.
//   - Calls to one document run one after the other, in the order in which they arrive.
type HTTP struct {
	c     HTTPConfig
	stop  chan struct{}
	swept chan struct{} // closed when the sweeper ended

	mu      sync.Mutex
	clients map[string]*client // by session id
	shared  map[string]*client // by principal
	opened  int                // sessions so far
}

// client is one MCP session.
type client struct {
	principal string
	name      string // in the audit log
	handler   *server.StreamableHTTPServer
	session   *session.Session
	version   string    // of the protocol, as initialize negotiated it, guarded by HTTP.mu
	used      time.Time // guarded by HTTP.mu
	active    int       // requests and streams that are open, guarded by HTTP.mu
}

// NewHTTP makes the handler. Close ends it.
func NewHTTP(c HTTPConfig) *HTTP {
	if c.Idle <= 0 {
		c.Idle = defaultIdle
	}
	if c.Sessions <= 0 {
		c.Sessions = DefaultSessions
	}
	if c.Peers != nil && c.Peers.Wait <= 0 {
		c.Peers.Wait = 10 * time.Second
	}
	if c.grace == 0 {
		c.grace = defaultGrace
	}
	h := &HTTP{c: c, stop: make(chan struct{}), swept: make(chan struct{}), clients: map[string]*client{}, shared: map[string]*client{}}
	c.Gate.Gauge("fcp_sessions", "Open sessions.", func() int { return len(h.list(h.clients)) })
	c.Gate.Gauge("fcp_documents", "Open documents.", func() int {
		n := 0
		for _, c := range append(h.list(h.clients), h.list(h.shared)...) {
			n += len(c.session.Documents())
		}
		return n
	})
	go h.sweep()
	return h
}

// list gives the clients of one of the two maps.
func (h *HTTP) list(of map[string]*client) []*client {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(of))
}

// server makes the MCP server of a session.
func (h *HTTP) server(s *session.Session, hooks *server.Hooks) *Server {
	return New(Config{Version: h.c.Version, Session: s, Unified: h.c.Unified, Structured: h.c.Structured, Log: h.c.Log, hooks: hooks})
}

func (h *HTTP) streamable(s *Server, options ...server.StreamableHTTPOption) *server.StreamableHTTPServer {
	return server.NewStreamableHTTPServer(s.mcp, append(options,
		server.WithStreamableHTTPLogger(h.c.Log),
		server.WithDisableLocalhostProtection(true), // the gate does it for Host and Origin alike
	)...)
}

// Close ends every session and closes the documents. With peers, it leaves those without a session to them.
func (h *HTTP) Close() {
	close(h.stop)
	<-h.swept
	h.EndStreams()
	h.mu.Lock()
	all := slices.AppendSeq(slices.Collect(maps.Values(h.clients)), maps.Values(h.shared))
	clear(h.clients)
	clear(h.shared)
	h.mu.Unlock()
	var ends sync.WaitGroup
	for _, c := range all {
		ends.Go(func() {
			if h.c.Peers != nil && c.session.Shared() {
				c.session.Leave()
				return
			}
			c.session.Close()
		})
	}
	ends.Wait()
}

// EndStreams ends what would otherwise last until the client goes.
func (h *HTTP) EndStreams() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.clients {
		c.handler.CloseSessions(context.Background())
	}
}

// ServeHTTP answers one request.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != HTTPPath {
		http.Error(w, "MCP is served at "+HTTPPath, http.StatusNotFound)
		return
	}
	if !slices.Contains([]string{http.MethodPost, http.MethodGet, http.MethodDelete, http.MethodHead}, r.Method) {
		w.Header().Set("Allow", "POST, GET, DELETE")
		http.Error(w, "POST a JSON-RPC message, GET a stream, DELETE the session", http.StatusMethodNotAllowed)
		return
	}
	principal := gate.Of(r.Context()).Principal
	modern := mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))
	limit := int64(maxStranger)
	var c *client
	if id := r.Header.Get(server.HeaderKeySessionID); modern {
		limit = maxSessionless
	} else if id != "" {
		if c = h.enter(principal, id); c == nil && h.toSession(w, r, id) {
			return
		} else if c == nil {
			gate.Refuse(w, http.StatusNotFound, "the session is unknown or has ended: send initialize again")
			return
		}
		defer h.leave(c)
		gate.Of(r.Context()).In(c.name)
		limit = maxLine
	}
	if r.Method != http.MethodPost {
		ctx, end := gate.Of(r.Context()).While(r.Context())
		defer end()
		h.answer(w, r.WithContext(ctx), principal, c, &head{})
		return
	}
	body, ok := gate.ReadBody(w, r, limit)
	if !ok {
		return
	}
	whole := len(body)
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte(bom)))
	if len(body) == 0 || body[0] != '[' {
		w, r, end := h.measured(w, r, whole)
		defer end()
		if c == nil && h.elsewhere(w, r, principal, body) {
			return
		}
		h.post(w, r, principal, c, body)
		return
	}
	version := r.Header.Get(mcp.HeaderProtocolVersion)
	if c == nil || h.versionOf(c) != mcp.ProtocolVersion20250326 || version != "" && version != mcp.ProtocolVersion20250326 {
		gate.Refuse(w, http.StatusBadRequest, "only sessions of protocol version "+mcp.ProtocolVersion20250326+" have batches: POST one message at a time")
		return
	}
	h.batch(w, r, c, body)
}

// head is what HTTP has to know of a message.
type head struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"`
		Meta      struct {
			Version string          `json:"io.modelcontextprotocol/protocolVersion"`
			Token   json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
}

// post answers one message, of the session c if that is not nil.
func (h *HTTP) post(w http.ResponseWriter, r *http.Request, principal string, c *client, body []byte) {
	if _, ok := unnamed(body); ok {
		gate.Refuse(w, http.StatusBadRequest, paramsText)
		return
	}
	var m head
	// What is no JSON is for mcp-go to say; here it has no method.
	_ = json.Unmarshal(body, &m)
	gate.Of(r.Context()).Means(m.Method)
	if in := standIn(m.ID); in != nil {
		body = withStandIn(body, "id", in)
		w = restored{w, in, m.ID}
	}
	if in := standIn(m.Params.RequestID); in != nil {
		var whole struct{ Params json.RawMessage }
		_ = json.Unmarshal(body, &whole) // it went well before
		body = withStandIn(body, "params", withStandIn(whole.Params, "requestId", in))
	}
	ctx := withToken(r.Context(), m.Params.Meta.Token)
	if m.Method == string(mcp.MethodSubscriptionsListen) { // a stream
		var end context.CancelFunc
		ctx, end = gate.Of(ctx).While(ctx)
		defer end()
	}
	if h.c.Typed && m.Method == string(mcp.MethodToolsCall) {
		var x *exchange
		ctx, x = withExchange(ctx, body)
		w = failing{w, x}
	}
	r = r.WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	h.answer(w, r, principal, c, &m)
}

// answer has mcp-go answer a request, of the session c if that is not nil.
func (h *HTTP) answer(w http.ResponseWriter, r *http.Request, principal string, c *client, m *head) {
	switch {
	case c == nil && (mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)) || mcp.IsModernProtocol(m.Params.Meta.Version)):
		c := h.sharedOf(principal)
		defer h.leave(c)
		gate.Of(r.Context()).In(c.name)
		c.handler.ServeHTTP(w, r)
	case c != nil:
		c.handler.ServeHTTP(w, r)
		if r.Method == http.MethodDelete {
			h.end(r.Header.Get(server.HeaderKeySessionID))
		}
	case m.Method == string(mcp.MethodInitialize):
		h.initialize(w, r, principal)
	case r.Method == http.MethodHead:
		w.WriteHeader(http.StatusOK)
	default:
		gate.Refuse(w, http.StatusBadRequest, "no session: send initialize first and its "+server.HeaderKeySessionID+
			" header from then on, or use protocol version "+mcp.ProtocolVersion20260728)
	}
}

// sharedOf is where a principal's requests without a session go, for one of them.
func (h *HTTP) sharedOf(principal string) *client {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.shared[principal]
	if c == nil {
		s := h.c.NewShared(principal)
		c = &client{principal: principal, name: "none", session: s, handler: h.streamable(h.server(s, nil), server.WithStateLess(true))}
		h.shared[principal] = c
	}
	c.active++
	return c
}

// measured starts the stopwatch of a message of so many bytes. end is called when
// it has been answered.
func (h *HTTP) measured(w http.ResponseWriter, r *http.Request, bytes int) (out http.ResponseWriter, with *http.Request, end func()) {
	call := timing.Start(h.c.Log, bytes)
	if call == nil {
		return w, r, func() {}
	}
	call.Carried(timing.Trace{Parent: r.Header.Get("traceparent"), State: r.Header.Get("tracestate")})
	return timed{w, call}, r.WithContext(timing.With(r.Context(), call)), func() { call.Log(h.c.Log) }
}

// timed is the response to a call whose time is measured.
type timed struct {
	http.ResponseWriter
	call *timing.Call
}

// Write sends b. What came before was encoding it.
func (t timed) Write(b []byte) (int, error) {
	t.call.Lap(timing.Encode)
	n, err := t.ResponseWriter.Write(b)
	t.call.Sent(n)
	return n, err
}

// Flush lets a response be a stream.
func (t timed) Flush() {
	// Where it cannot be one, what was written goes out at its end.
	_ = http.NewResponseController(t.ResponseWriter).Flush()
}

// initialize opens a session and lets it answer.
func (h *HTTP) initialize(w http.ResponseWriter, r *http.Request, principal string) {
	refuse := func() {
		gate.Busy(w, http.StatusTooManyRequests, fmt.Sprintf("you have %d sessions open, the most there may be: end one", h.c.Sessions))
	}
	h.mu.Lock()
	out, full := h.dispensable(principal)
	h.mu.Unlock()
	if full && out == "" { // before anything is made: a flood should cost little
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
	gate.Of(r.Context()).In(c.name)
	c.handler.ServeHTTP(w, r)
}

// admit adds a client. Where its principal has as many sessions as it may, the
// one that was idle for longest makes room, as clients often leave without a
// word: one without a document, else one that holds nothing unsaved.
func (h *HTTP) admit(id string, c *client) bool {
	h.mu.Lock()
	out, full := h.dispensable(c.principal)
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

// dispensable gives the session that a principal can best do without, if it has
// as many as it may. The caller holds mu.
func (h *HTTP) dispensable(principal string) (id string, full bool) {
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

// What a session holds.
const (
	nothing = iota
	clean   // documents that would lose nothing
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

// enter gives the principal's session with this id, for one request, or nil.
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

// sweep ends what was idle for too long, and what belongs to a principal that
// is not let in any more.
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
			h.c.Log.Info("a session was idle, or its principal is let in no more, and is ended", "idle", h.c.Idle)
			h.end(id)
		}
		for _, c := range h.list(h.shared) {
			if n := c.session.Expire(h.c.Idle); n > 0 {
				h.c.Log.Info("documents without a session were idle and are closed", "documents", n, "idle", h.c.Idle)
			}
			h.mu.Lock()
			// An issuer may name any number of principals: those who hold nothing take nothing.
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

// sessionID makes mcp-go use an id that HTTP chose. HTTP knows which exist.
type sessionID string

var errOtherSession = errors.New("the id of another session")

// Generate gives the id.
func (s sessionID) Generate() string { return string(s) }

// Validate accepts the one id.
func (s sessionID) Validate(id string) (ended bool, err error) {
	if id != string(s) {
		return false, errOtherSession
	}
	return false, nil
}

// Terminate lets the client end its session.
func (s sessionID) Terminate(string) (notAllowed bool, err error) { return false, nil }

// subscriptions are the resources that a client wants to hear of, which
// mcp-go's HTTP sessions do not keep.
type subscriptions struct {
	mu   sync.Mutex
	uris map[string]bool
}

func (s *subscriptions) hooks() *server.Hooks {
	h := &server.Hooks{}
	h.AddAfterSubscribe(func(ctx context.Context, _ any, m *mcp.SubscribeRequest, _ *mcp.EmptyResult) {
		if dom, _, _, err := parse(m.Params.URI); err == nil && gate.Of(ctx).Needs(dom, false) != "" {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.uris) < 1000 && strings.HasPrefix(m.Params.URI, "fcp://") {
			s.uris[m.Params.URI] = true
		}
	})
	h.AddAfterUnsubscribe(func(_ context.Context, _ any, m *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.uris, m.Params.URI)
	})
	return h
}

func (s *subscriptions) has(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.uris[uri]
}
