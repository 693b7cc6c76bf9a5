package gate

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
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

// Config configures a gate. Tokens, OAuth, Open or a unix socket identify callers; without any of them nobody is
// admitted.
type Config struct {
	Tokens *Tokens
	OAuth  *OAuth // in addition to Tokens, if set
	Open   bool   // everybody is admitted, as Anyone
	// Users are the uids that may use a unix socket, besides this process's own and root.
	Users []int
	// Hosts are the names, besides those of the loopback interface, under which clients may reach the server, and whose
	// web pages may call it from a browser.
	Hosts []string

	Requests int   // of one principal at a time; 0 means DefaultRequests
	Bodies   int64 // bytes of all requests that are held at a time; 0 means DefaultBodies

	Header time.Duration // how long a request's header may take; 0 means 10 s
	Body   time.Duration // how long a MiB of its body may take; 0 means 10 s

	Ready func() error  // why no callers should be sent here now, in public words; nil for never
	Drain time.Duration // how long callers are still answered after the context of Serve is done, while /readyz fails

	Log   *slog.Logger
	Audit *slog.Logger // gets a line per call; nil means Log
}

// Gate admits requests. Make it with New.
type Gate struct {
	c        Config
	conns    conns
	bodies   bodies
	metrics  *metrics
	links    links
	draining atomic.Bool

	mu   sync.Mutex
	busy map[string]int // running requests, by principal
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

// Knows reports whether the principal may still be admitted.
func (g *Gate) Knows(principal string) bool {
	if g.c.OAuth != nil && strings.Contains(principal, "#") {
		return true // its token is checked with each request
	}
	return g.c.Tokens == nil || g.c.Tokens.knows(principal)
}

// Serve passes the requests of l to next until ctx is done, then completes running ones for at most a few seconds, and
// closes l. Before that wait it calls ending, to end streams.
func (g *Gate) Serve(ctx context.Context, l net.Listener, next http.Handler, ending func()) error {
	srv := &http.Server{Handler: g.Handler(next), ReadHeaderTimeout: g.c.Header, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader,
		ConnContext: g.conns.open, ConnState: g.conns.stateChanged, Protocols: new(http.Protocols),
		ErrorLog: slog.NewLogLogger(g.c.Log.Handler(), slog.LevelDebug)} // errors of unknown callers
	srv.Protocols.SetHTTP1(true) // HTTP/2 would only add attack surface
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

// Handler passes admitted requests to next. Without Serve, connections are not counted and unix sockets are not
// supported.
func (g *Gate) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &response{ResponseWriter: w}
		g.serve(a, r, next)
		a.extend(0)
		g.metrics.countAnswer(r.Method, a.status())
	})
}

func (g *Gate) serve(w *response, r *http.Request, next http.Handler) {
	g.limitUnread(w, r)
	// A monitor has no token, and may use any host name.
	switch r.URL.Path {
	case "/healthz":
		fmt.Fprintln(w, "ok")
		return
	case "/readyz":
		g.ready(w)
		return
	}
	if reason := g.checkOrigin(r); reason != "" {
		g.metrics.refuse("host")
		Refuse(w, http.StatusForbidden, reason)
		return
	}
	if g.c.OAuth.serveMetadata(w, r) {
		return
	}
	c, _ := r.Context().Value(connKey{}).(*conn)
	call := &Call{g: g, method: r.Method, began: time.Now(), site: siteFor(r, c)}
	if g.identifyLink(r, call) {
		// The secret of the link is enough.
	} else if no := g.identify(r, c, call); no != nil {
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
		if why := call.Needs("", false); why != "" { // they count the calls of all domains
			call.addScopeChallenge(w.Header())
			Refuse(w, http.StatusForbidden, why)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = g.metrics.WriteTo(w) // an error means that the client has disconnected
		return
	}
	w.call = call
	defer call.end(w)
	if !g.enter(who) {
		g.metrics.refuse("requests")
		Busy(w, http.StatusTooManyRequests, fmt.Sprintf("you have %d requests in progress, which is the limit", g.c.Requests))
		return
	}
	defer g.leave(who)
	next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callKey{}, call)))
}

// ready answers whether the server can admit callers.
func (g *Gate) ready(w http.ResponseWriter) {
	// The reasons are only in the log, since anybody may ask.
	if g.c.Tokens != nil && g.c.Tokens.err() != nil {
		http.Error(w, "the token file cannot be used", http.StatusServiceUnavailable)
		return
	}
	if g.c.OAuth != nil && g.c.OAuth.Checker.Err() != nil {
		http.Error(w, "no issuer's keys are available", http.StatusServiceUnavailable)
		return
	}
	if g.draining.Load() {
		http.Error(w, "the server is shutting down", http.StatusServiceUnavailable)
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

// enter counts a request of a principal, and reports whether it is within the limit.
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
