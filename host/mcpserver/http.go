package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
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
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// HTTPPath is the path at which MCP is served.
const HTTPPath = "/mcp"

// Defaults of HTTPConfig.
const (
	DefaultSessions = 64
	defaultIdle     = 30 * time.Minute
	// defaultGrace is how long a session must be idle before it may make room for another: every client pauses between
	// initialize and its first call.
	defaultGrace = 10 * time.Second
)

// Limits on bodies of messages without a session, in bytes.
const (
	maxStranger    = 64 << 10 // initialize
	maxSessionless = 8 << 20  // requests of protocol version 2026-07-28
)

// HTTPConfig configures NewHTTP.
type HTTPConfig struct {
	Version    string
	Unified    bool
	Structured bool
	Typed      bool // whether sessions offer typed tools
	Log        *slog.Logger

	// Gate admits the requests, and knows their principals.
	Gate *gate.Gate
	// NewSession makes the session of a client that sends initialize, for its principal. It is closed when the client
	// ends it, or after Idle.
	NewSession func(principal string) *session.Session
	// NewShared makes the session, by session.NewShared, for a principal's requests of protocol version 2026-07-28,
	// which have no MCP session. It is closed with the server, its documents after Idle.
	NewShared func(principal string) *session.Session
	// Peers are the other hosts with the same store, nil for none.
	Peers    *Peers
	Idle     time.Duration // 0 means 30 minutes
	Sessions int           // per principal; 0 means DefaultSessions

	grace time.Duration // 0 means defaultGrace
}

// HTTP serves MCP as Streamable HTTP, behind a gate. Each client that sends initialize has its own documents; requests
// without a session name theirs by handle. No principal can reach sessions, documents or journals of another.
//
// mcp-go accepts any well-formed session id; HTTP itself checks which sessions exist. Calls on one document run one
// after the other, in the order of arrival.
type HTTP struct {
	c     HTTPConfig
	stop  chan struct{}
	swept chan struct{} // closed when sweep has returned

	mu      sync.Mutex
	clients map[string]*client // by session id
	shared  map[string]*client // by principal
	opened  int                // number of sessions made so far
}

// NewHTTP makes the handler and starts its sweeper, which Close ends.
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

// list copies the clients of one of the two maps.
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
		server.WithDisableLocalhostProtection(true), // the gate checks Host and Origin
	)...)
}

// Close ends every session and closes its documents. With peers, documents without a session are left to them.
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

// EndStreams ends the streams that would otherwise stay open until the client disconnects.
func (h *HTTP) EndStreams() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.clients {
		c.handler.CloseSessions(context.Background())
	}
}

// ServeHTTP answers one request.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, gate.LinkPath) {
		h.serveLink(w, r)
		return
	}
	if r.URL.Path != HTTPPath {
		http.Error(w, "MCP is served at "+HTTPPath, http.StatusNotFound)
		return
	}
	if !slices.Contains([]string{http.MethodPost, http.MethodGet, http.MethodDelete, http.MethodHead}, r.Method) {
		w.Header().Set("Allow", "POST, GET, DELETE")
		http.Error(w, "POST a JSON-RPC message, GET a stream, DELETE the session", http.StatusMethodNotAllowed)
		return
	}
	if len(r.Header.Values(server.HeaderKeySessionID)) > 1 { // a proxy might go by the other one
		gate.Refuse(w, http.StatusBadRequest, "the request has several "+server.HeaderKeySessionID+" headers")
		return
	}
	call := gate.Of(r.Context())
	r = r.WithContext(session.WithLinker(r.Context(), h.linker(call)))
	principal := call.Principal
	modern := mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))
	limit := int64(maxStranger)
	var c *client
	if id := r.Header.Get(server.HeaderKeySessionID); modern {
		limit = maxSessionless
	} else if id != "" {
		if c = h.enter(principal, id); c == nil && h.forwardSession(w, r, id) {
			return
		} else if c == nil {
			gate.Refuse(w, http.StatusNotFound, "the session is unknown or has ended: send initialize again")
			return
		}
		defer h.leave(c)
		gate.Of(r.Context()).SetSession(c.name)
		limit = maxLine
	}
	if r.Method != http.MethodPost {
		ctx, end := gate.Of(r.Context()).UntilExpiry(r.Context())
		defer end()
		h.answer(w, r.WithContext(ctx), principal, c, &incoming{})
		return
	}
	body, ok := gate.ReadBody(w, r, limit)
	if !ok {
		return
	}
	whole := len(body)
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte(bom)))
	if len(body) == 0 || body[0] != '[' {
		w, r, end := h.startTiming(w, r, whole)
		defer end()
		m := readMessage(body)
		if c == nil && h.forwardDocument(w, r, principal, body, m) {
			return
		}
		h.post(w, r, principal, c, body, m)
		return
	}
	version := r.Header.Get(mcp.HeaderProtocolVersion)
	if c == nil || h.versionOf(c) != mcp.ProtocolVersion20250326 || version != "" && version != mcp.ProtocolVersion20250326 {
		gate.Refuse(w, http.StatusBadRequest, "only sessions of protocol version "+mcp.ProtocolVersion20250326+" have batches: POST one message at a time")
		return
	}
	h.batch(w, r, c, body)
}

// post answers one message, of session c unless that is nil.
func (h *HTTP) post(w http.ResponseWriter, r *http.Request, principal string, c *client, body []byte, m *incoming) {
	if why := m.badParams(); why != "" {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(rpcAnswer{JSONRPC: mcp.JSONRPC_VERSION, ID: m.ID, Error: &mcp.JSONRPCErrorDetails{Code: mcp.INVALID_PARAMS, Message: why}}) // an error means that the client has disconnected
		return
	}
	gate.Of(r.Context()).SetMethod(m.Method)
	if in := standIn(m.ID); in != nil {
		body = withStandIn(body, "id", in)
		w = replacingWriter{w, func() (standIn, real []byte, err error) { return in, m.ID, nil }}
	}
	if in := standIn(m.Params.RequestID); in != nil {
		body = withStandIn(body, "params", withStandIn(m.Params.raw, "requestId", in))
	}
	ctx := withToken(r.Context(), m.Params.Meta.Token)
	if m.Method == string(mcp.MethodSubscriptionsListen) { // a stream
		var end context.CancelFunc
		ctx, end = gate.Of(ctx).UntilExpiry(ctx)
		defer end()
	}
	if m.Method == string(mcp.MethodToolsCall) {
		w = withoutToldTwice(w)
	}
	if h.c.Typed && m.Method == string(mcp.MethodToolsCall) {
		var x *typedCall
		ctx, x = withTypedCall(ctx, m.Params.Arguments)
		w = replacingWriter{w, x.standInAndFailure}
	}
	r = r.WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	h.answer(w, r, principal, c, m)
}

// answer passes a request to mcp-go, of session c unless that is nil.
func (h *HTTP) answer(w http.ResponseWriter, r *http.Request, principal string, c *client, m *incoming) {
	switch {
	case c == nil && (mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)) || mcp.IsModernProtocol(m.Params.Meta.Version)):
		c := h.sharedOf(principal)
		defer h.leave(c)
		gate.Of(r.Context()).SetSession(c.name)
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

// sharedOf returns the client for a principal's requests without a session, and counts one request.
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
