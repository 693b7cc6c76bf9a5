package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Defaults of Config.
const (
	DefaultRequests = 128
	DefaultBodies   = 256 << 20
	defaultHeader   = 10 * time.Second
	defaultBody     = 10 * time.Second
)

const (
	maxHeader = 32 << 10 // bytes of a request's header
	stall     = 30 * time.Second
)

// Config says who is let in, and to how much. Tokens, OAuth, Open or a unix
// socket says who a caller is; without any, nobody is let in.
type Config struct {
	Tokens *Tokens
	OAuth  *OAuth // beside Tokens, if there are any
	Open   bool   // everybody is let in, as Anyone
	// Users are the uids that may use a unix socket, beside this process's own and root.
	Users []int
	// Hosts are the names, beside those of this machine's loopback, by which
	// clients may reach the server, and from whose pages browsers may.
	Hosts []string

	Requests int   // of one principal at a time; 0 means DefaultRequests
	Bodies   int64 // bytes of all requests that are held at a time; 0 means DefaultBodies

	Header time.Duration // how long a request's header may take; 0 means 10 s
	Body   time.Duration // how long a MiB of its body may take; 0 means 10 s

	Ready func() error  // why callers are not to be sent here now, in words that anybody may read; nil for never
	Drain time.Duration // how long callers are still answered when Serve is to end, while /readyz sends them elsewhere

	Log   *slog.Logger
	Audit *slog.Logger // gets a line a call; nil means Log
}

// Gate lets requests in. Make it with New.
type Gate struct {
	c        Config
	conns    conns
	bodies   bodies
	metrics  *metrics
	draining atomic.Bool

	mu   sync.Mutex
	busy map[string]int // requests at this moment, by principal
}

// New makes a gate.
func New(c Config) *Gate {
	if c.Requests <= 0 {
		c.Requests = DefaultRequests
	}
	if c.Bodies <= 0 {
		c.Bodies = DefaultBodies
	}
	if c.Header <= 0 {
		c.Header = defaultHeader
	}
	if c.Body <= 0 {
		c.Body = defaultBody
	}
	if c.Audit == nil {
		c.Audit = c.Log
	}
	g := &Gate{c: c, bodies: bodies{max: c.Bodies}, metrics: newMetrics(), busy: map[string]int{}}
	g.Gauge("fcp_http_connections", "Open connections.", g.conns.count)
	g.Gauge("fcp_http_requests", "Requests and streams at this moment.", g.requests)
	g.Gauge("fcp_http_body_bytes", "Bytes of requests that are held.", func() int { return int(g.bodies.bytes()) })
	return g
}

// Gauge adds a value to the metrics.
func (g *Gate) Gauge(name, help string, value func() int) {
	g.metrics.mu.Lock()
	defer g.metrics.mu.Unlock()
	g.metrics.gauges = append(g.metrics.gauges, Gauge{name, help, value})
}

// Gauges lists the values that were added.
func (g *Gate) Gauges() []Gauge {
	g.metrics.mu.Lock()
	defer g.metrics.mu.Unlock()
	return slices.Clone(g.metrics.gauges)
}

// Knows reports whether the principal may still be let in.
func (g *Gate) Knows(principal string) bool {
	if g.c.OAuth != nil && strings.Contains(principal, "#") {
		return true // each of its requests says so, or not
	}
	return g.c.Tokens == nil || g.c.Tokens.knows(principal)
}

// Serve lets the requests of l through to next until ctx is done, then answers
// what has begun for at most a few seconds. It closes l. ending is called
// before that wait, to end streams.
func (g *Gate) Serve(ctx context.Context, l net.Listener, next http.Handler, ending func()) error {
	srv := &http.Server{Handler: g.Handler(next), ReadHeaderTimeout: g.c.Header, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader,
		ConnContext: g.conns.open, ConnState: g.conns.changed, Protocols: new(http.Protocols),
		ErrorLog: slog.NewLogLogger(g.c.Log.Handler(), slog.LevelDebug)} // its lines are what strangers send
	srv.Protocols.SetHTTP1(true) // HTTP/2 would only add ways to attack
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	g.draining.Store(true)
	if g.c.Drain > 0 {
		select {
		case err := <-ended:
			return err
		case <-time.After(g.c.Drain):
		}
	}
	late, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	ending()
	if srv.Shutdown(late) != nil {
		srv.Close()
	}
	return nil
}

// Handler lets requests through to next. Without Serve there are no connections
// to count, and no unix socket.
func (g *Gate) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &answer{ResponseWriter: w}
		g.serve(a, r, next)
		a.extend(0)
		g.metrics.answered(r.Method, a.status())
	})
}

func (g *Gate) serve(w *answer, r *http.Request, next http.Handler) {
	g.unread(w, r)
	// Whoever watches the server has no token, and knows it by any name.
	switch r.URL.Path {
	case "/healthz":
		fmt.Fprintln(w, "ok")
		return
	case "/readyz":
		g.ready(w)
		return
	}
	if reason := g.stray(r); reason != "" {
		g.metrics.refuse("host")
		Refuse(w, http.StatusForbidden, reason)
		return
	}
	if g.c.OAuth.describes(w, r) {
		return
	}
	c, _ := r.Context().Value(connKey{}).(*conn)
	call := &Call{g: g, method: r.Method, began: time.Now()}
	if no := g.caller(r, c, call); no != nil {
		g.metrics.refuse("caller")
		if no.challenge != "" {
			w.Header().Set("WWW-Authenticate", no.challenge)
		}
		if no.later {
			Busy(w, no.status, no.text)
			return
		}
		Refuse(w, no.status, no.text)
		return
	}
	who := call.Principal
	if c != nil {
		g.conns.busy(c)
		defer g.conns.wait(c, &g.conns.idle)
	}
	if r.URL.Path == "/metrics" {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = g.metrics.WriteTo(w) // the client is gone
		return
	}
	w.call = call
	defer call.end(w)
	if !g.enter(who) {
		g.metrics.refuse("requests")
		Busy(w, http.StatusTooManyRequests, fmt.Sprintf("you have %d requests at a time, the most there may be", g.c.Requests))
		return
	}
	defer g.leave(who)
	next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callKey{}, call)))
}

// ready says whether callers can be let in.
func (g *Gate) ready(w http.ResponseWriter) {
	// The log has why: anybody may ask here.
	if g.c.Tokens != nil && g.c.Tokens.err() != nil {
		http.Error(w, "the token file cannot be used", http.StatusServiceUnavailable)
		return
	}
	if g.c.OAuth != nil && g.c.OAuth.Checker.Err() != nil {
		http.Error(w, "the keys of no issuer can be had", http.StatusServiceUnavailable)
		return
	}
	if g.draining.Load() {
		http.Error(w, "the server ends", http.StatusServiceUnavailable)
		return
	}
	if g.c.Ready != nil {
		if err := g.c.Ready(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
	}
	fmt.Fprintln(w, "ready")
}

const needToken = "a token is needed: send the header Authorization: Bearer TOKEN"

// caller finds out whose the call is and what it may do, or why it is not answered.
func (g *Gate) caller(r *http.Request, c *conn, call *Call) *denial {
	unix := c != nil && c.unix
	if unix {
		no := ""
		if c.err != nil {
			no = "it is not known who you are"
		} else if c.uid != os.Getuid() && c.uid != 0 && !slices.Contains(g.c.Users, c.uid) {
			no = fmt.Sprintf("the user %d may not use this socket", c.uid)
		}
		if no != "" && g.c.Tokens == nil && g.c.OAuth == nil {
			return &denial{status: http.StatusForbidden, text: no}
		} else if no != "" {
			return g.unnamed(no)
		}
		call.Principal = "uid-" + strconv.Itoa(c.uid)
	}
	switch {
	case g.c.Tokens != nil || g.c.OAuth != nil:
		if text, ok := bearer(r); ok && g.c.Tokens != nil {
			if call.Principal, ok = g.c.Tokens.principal(text); ok {
				return nil
			}
		}
		if g.c.OAuth == nil {
			return g.unnamed(needToken)
		}
		claims, no := g.c.OAuth.check(r)
		if no != nil {
			return no
		}
		call.Principal, call.until, call.scopes = claims.Principal, claims.Until, scopesOf(claims.Scopes)
		if len(call.scopes.names) == 0 {
			const why = "the token has no scope of this server"
			return &denial{status: http.StatusForbidden, text: why, challenge: g.c.OAuth.challenge("insufficient_scope", why, scopeAll)}
		}
	case g.c.Open && !unix:
		call.Principal = Anyone
	}
	if call.Principal == "" {
		return g.unnamed("nobody is let in")
	}
	return nil
}

// unnamed is the denial of a caller without a token that is known.
func (g *Gate) unnamed(text string) *denial {
	no := &denial{status: http.StatusUnauthorized, text: text, challenge: `Bearer realm="fcp-host"`}
	if g.c.OAuth != nil {
		no.challenge = g.c.OAuth.challenge("", "", scopeAll)
	}
	return no
}

// bearer is the token of a request.
func bearer(r *http.Request) (string, bool) {
	all := r.Header.Values("Authorization")
	if len(all) != 1 {
		return "", false
	}
	scheme, text, ok := strings.Cut(all[0], " ")
	return strings.TrimSpace(text), ok && strings.EqualFold(scheme, "Bearer")
}

// stray says why a request is not answered, "" for one that may be. A page of
// some other site that a browser was lured to must not reach this server: such
// a request carries that site's name as its Origin, or, with a name that was
// bound anew to this machine, as its Host.
func (g *Gate) stray(r *http.Request) string {
	if !g.allowed(r.Host) {
		return fmt.Sprintf("the Host %q is none of this server's names", r.Host)
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !g.allowed(u.Host) {
			return fmt.Sprintf("requests from pages of %q are not answered", origin)
		}
	}
	return ""
}

// allowed reports whether host, with or without a port, is the loopback or one
// of the names in the configuration.
func (g *Gate) allowed(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	return Loopback(host) || slices.ContainsFunc(g.c.Hosts, func(name string) bool { return strings.EqualFold(name, host) })
}

// enter counts a request of a principal.
func (g *Gate) enter(who string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.busy[who] >= g.c.Requests {
		return false
	}
	g.busy[who]++
	return true
}

func (g *Gate) leave(who string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.busy[who]--; g.busy[who] == 0 {
		delete(g.busy, who)
	}
}

func (g *Gate) requests() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := 0
	for _, k := range g.busy {
		n += k
	}
	return n
}

// Refuse answers with a JSON-RPC error that belongs to no request.
func Refuse(w http.ResponseWriter, status int, text string) {
	const invalidRequest = -32600
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// An error of the connection: nobody is left to tell.
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": nil,
		"error": map[string]any{"code": invalidRequest, "message": text}})
}

// Busy refuses a request that may succeed a little later.
func Busy(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Retry-After", "1")
	Refuse(w, status, text+"; try again later")
}

// answer is a response that knows its status, and whose client must not stop
// reading.
type answer struct {
	http.ResponseWriter
	call *Call // nil before it is known whose it is
	code int
}

// WriteHeader sends the status, which is 403 for a call that lacks a scope.
func (a *answer) WriteHeader(status int) {
	if a.code == 0 && a.call.short(a.Header()) {
		status = http.StatusForbidden
	}
	if a.code == 0 {
		a.code = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// extend gives the client time to take the next n bytes. One that reads nothing
// holds up its own call alone, and not for ever.
func (a *answer) extend(n int) {
	// Where there are no deadlines, there is no connection either.
	_ = http.NewResponseController(a.ResponseWriter).SetWriteDeadline(time.Now().Add(stall * time.Duration(1+n>>20)))
}

// Write sends b.
func (a *answer) Write(b []byte) (int, error) {
	a.extend(len(b))
	if a.code == 0 {
		a.WriteHeader(http.StatusOK)
	}
	return a.ResponseWriter.Write(b)
}

// Flush lets a response be a stream.
func (a *answer) Flush() {
	a.extend(0)
	if a.code == 0 {
		a.WriteHeader(http.StatusOK)
	}
	// Where it cannot be one, what was written goes out at its end.
	_ = http.NewResponseController(a.ResponseWriter).Flush()
}

// Unwrap is the response below, for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) status() int {
	if a.code == 0 {
		return http.StatusOK
	}
	return a.code
}
