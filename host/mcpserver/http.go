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
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/host/timing"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// HTTPPath is where MCP is served.
const HTTPPath = "/mcp"

// maxSessions bounds the clients that have a session at one time.
const maxSessions = 64

// HTTPConfig says what is served over HTTP, and to whom.
type HTTPConfig struct {
	Version    string
	Unified    bool
	Structured bool
	Log        *slog.Logger

	// NewSession makes the session of one client that sends initialize. It is
	// closed when the client ends it, or after Idle.
	NewSession func() *session.Session
	// Shared serves the requests of protocol version 2026-07-28, which belong
	// to no session. It is closed with the server, its documents after Idle.
	Shared *session.Session
	// Hosts are the names, beside those of this machine's loopback, by which
	// clients may reach the server, and from whose pages browsers may.
	Hosts []string
	Idle  time.Duration // 0 means 30 minutes
}

// HTTP serves MCP as Streamable HTTP. Each client that sends initialize has
// documents of its own; requests without a session name theirs by handle.
//
// # Notes
//
//   - mcp-go takes any well-formed session id for a session, and checks no Origin; both are done here.
//   - Calls to one document run one after the other, in the order in which they arrive.
type HTTP struct {
	c      HTTPConfig
	shared http.Handler
	stop   chan struct{}
	swept  chan struct{} // closed when the sweeper ended

	mu      sync.Mutex
	clients map[string]*client
}

// client is one MCP session.
type client struct {
	handler *server.StreamableHTTPServer
	session *session.Session
	used    time.Time // guarded by HTTP.mu
	active  int       // requests and streams that are open, guarded by HTTP.mu
}

// NewHTTP makes the handler. Close ends it.
func NewHTTP(c HTTPConfig) *HTTP {
	if c.Idle <= 0 {
		c.Idle = 30 * time.Minute
	}
	h := &HTTP{c: c, stop: make(chan struct{}), swept: make(chan struct{}), clients: map[string]*client{}}
	h.shared = h.streamable(New(Config{Version: c.Version, Session: c.Shared, Unified: c.Unified, Structured: c.Structured, Log: c.Log}),
		server.WithStateLess(true))
	go h.sweep()
	return h
}

func (h *HTTP) streamable(s *Server, options ...server.StreamableHTTPOption) *server.StreamableHTTPServer {
	return server.NewStreamableHTTPServer(s.mcp, append(options,
		server.WithStreamableHTTPLogger(h.c.Log),
		server.WithDisableLocalhostProtection(true), // allowed does it for Host and Origin alike
	)...)
}

// Serve serves on l until ctx is done, then answers what it has begun for at
// most a few seconds. It closes l.
func (h *HTTP) Serve(ctx context.Context, l net.Listener) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(h.c.Log.Handler(), slog.LevelWarn)}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	late, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	h.endStreams()
	if srv.Shutdown(late) != nil {
		srv.Close()
	}
	return nil
}

// Close ends every session and closes the documents.
func (h *HTTP) Close() {
	close(h.stop)
	<-h.swept
	h.endStreams()
	h.mu.Lock()
	clients := h.clients
	h.clients = map[string]*client{}
	h.mu.Unlock()
	for _, c := range clients {
		c.session.Close()
	}
	h.c.Shared.Close()
}

func (h *HTTP) endStreams() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.clients {
		c.handler.CloseSessions(context.Background())
	}
}

// ServeHTTP answers one request.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if reason := h.refuses(r); reason != "" {
		rpcError(w, http.StatusForbidden, reason)
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
	var head struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			RequestID json.RawMessage `json:"requestId"`
			Meta      struct {
				Version string `json:"io.modelcontextprotocol/protocolVersion"`
			} `json:"_meta"`
		} `json:"params"`
	}
	if r.Method == http.MethodPost {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLine))
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			rpcError(w, http.StatusRequestEntityTooLarge, "the message is longer than 80 MiB; split it up")
			return
		}
		if err != nil {
			return // the client is gone
		}
		if call := timing.Start(h.c.Log, len(body)); call != nil {
			w = timed{w, call}
			r = r.WithContext(timing.With(r.Context(), call))
			defer call.Log(h.c.Log)
		}
		// What is no JSON is for mcp-go to say; here it has no method.
		_ = json.Unmarshal(body, &head)
		if in := standIn(head.ID); in != nil {
			body = withStandIn(body, "id", in)
			w = restored{w, in, head.ID}
		}
		if in := standIn(head.Params.RequestID); in != nil {
			var whole struct{ Params json.RawMessage }
			_ = json.Unmarshal(body, &whole) // it went well before
			body = withStandIn(body, "params", withStandIn(whole.Params, "requestId", in))
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	id := r.Header.Get(server.HeaderKeySessionID)
	switch {
	case mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)), mcp.IsModernProtocol(head.Params.Meta.Version):
		h.shared.ServeHTTP(w, r)
	case id != "":
		h.serveClient(w, r, id)
	case head.Method == string(mcp.MethodInitialize):
		h.initialize(w, r)
	case r.Method == http.MethodHead:
		w.WriteHeader(http.StatusOK)
	default:
		rpcError(w, http.StatusBadRequest, "no session: send initialize first and its "+server.HeaderKeySessionID+
			" header from then on, or use protocol version "+mcp.ProtocolVersion20260728)
	}
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
func (h *HTTP) initialize(w http.ResponseWriter, r *http.Request) {
	id := rand.Text()
	s := h.c.NewSession()
	subs := &subscriptions{uris: map[string]bool{}}
	srv := New(Config{Version: h.c.Version, Session: s, Unified: h.c.Unified, Structured: h.c.Structured, Log: h.c.Log, hooks: subs.hooks()})
	srv.resources.updated = func(uri string) {
		if subs.has(uri) {
			srv.mcp.SendNotificationToAllClients("notifications/resources/updated", map[string]any{"uri": uri})
		}
	}
	c := &client{session: s, used: time.Now()}
	c.handler = h.streamable(srv, server.WithSessionIdManager(sessionID(id)))
	if !h.admit(id, c) {
		s.Close()
		rpcError(w, http.StatusServiceUnavailable, fmt.Sprintf("%d sessions are open, the most there may be; end one, or try again later", maxSessions))
		return
	}
	h.serveClient(w, r, id)
}

// admit adds a client. Where there is no room, it ends the session that was
// idle the longest among those without a document: clients often leave without
// a word.
func (h *HTTP) admit(id string, c *client) bool {
	h.mu.Lock()
	oldest := ""
	for other, o := range h.clients {
		if o.active == 0 && len(o.session.Documents()) == 0 && (oldest == "" || o.used.Before(h.clients[oldest].used)) {
			oldest = other
		}
	}
	full := len(h.clients) >= maxSessions
	if full && oldest == "" {
		h.mu.Unlock()
		return false
	}
	h.clients[id] = c
	h.mu.Unlock()
	if full {
		h.end(oldest)
	}
	return true
}

func (h *HTTP) serveClient(w http.ResponseWriter, r *http.Request, id string) {
	h.mu.Lock()
	c := h.clients[id]
	if c != nil {
		c.active++
	}
	h.mu.Unlock()
	if c == nil {
		rpcError(w, http.StatusNotFound, "the session is unknown or has ended: send initialize again")
		return
	}
	defer func() {
		h.mu.Lock()
		c.active--
		c.used = time.Now()
		h.mu.Unlock()
	}()
	c.handler.ServeHTTP(w, r)
	if r.Method == http.MethodDelete {
		h.end(id)
	}
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

// sweep ends what was idle for too long.
func (h *HTTP) sweep() {
	defer close(h.swept)
	tick := time.NewTicker(max(h.c.Idle/8, 10*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-h.stop:
			return
		case <-tick.C:
		}
		limit := time.Now().Add(-h.c.Idle)
		var idle []string
		h.mu.Lock()
		for id, c := range h.clients {
			if c.active == 0 && c.used.Before(limit) {
				idle = append(idle, id)
			}
		}
		h.mu.Unlock()
		for _, id := range idle {
			h.c.Log.Info("a session was idle and is ended", "idle", h.c.Idle)
			h.end(id)
		}
		if n := h.c.Shared.Expire(h.c.Idle); n > 0 {
			h.c.Log.Info("documents without a session were idle and are closed", "documents", n, "idle", h.c.Idle)
		}
	}
}

// refuses says why a request is not answered, "" for one that is. A page of
// some other site that a browser was lured to must not reach this server: such
// a request carries that site's name as its Origin, or, with a name that was
// bound anew to this machine, as its Host.
func (h *HTTP) refuses(r *http.Request) string {
	if !h.allowed(r.Host) {
		return fmt.Sprintf("the Host %q is none of this server's names", r.Host)
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !h.allowed(u.Host) {
			return fmt.Sprintf("requests from pages of %q are not answered", origin)
		}
	}
	return ""
}

// allowed reports whether host, with or without a port, is the loopback or one
// of the names in the configuration.
func (h *HTTP) allowed(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	return Loopback(host) || slices.ContainsFunc(h.c.Hosts, func(name string) bool { return strings.EqualFold(name, host) })
}

// Loopback reports whether a host's name or address means this machine alone.
func Loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// rpcError answers with a JSON-RPC error that belongs to no request.
func rpcError(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// An error of the connection: nobody is left to tell.
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": nil,
		"error": map[string]any{"code": mcp.INVALID_REQUEST, "message": text}})
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
	h.AddAfterSubscribe(func(_ context.Context, _ any, m *mcp.SubscribeRequest, _ *mcp.EmptyResult) {
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
