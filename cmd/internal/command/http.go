package command

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/host/budget"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/mcpserver"
	"github.com/fcp-host/fcp-host/host/oauth"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/session"
)

// web holds the HTTP settings of serve.
type web struct {
	addr      string // HOST:PORT or unix:PATH, "" for stdio
	hosts     list   // names beside the loopback's
	idle      time.Duration
	drain     time.Duration
	tokens    string // file
	open      bool
	cert, key string // files
	users     []int  // uids, beside our own
	audit     string // file, "" for the log

	issuers  list   // of OAuth's tokens
	resource string // URI of this server, "" to derive it from the address
	plainJWT bool
}

// problem returns why these settings are invalid, or "".
func (w *web) problem() string {
	path, unix := gate.UnixPath(w.addr)
	host, _, err := net.SplitHostPort(w.addr)
	remote := !unix && !gate.Loopback(host)
	switch {
	case unix && path == "", !unix && err != nil:
		return fmt.Sprintf("--http %s: write it as 127.0.0.1:8080 or unix:PATH", w.addr)
	case w.tokens != "" && w.open:
		return "--http-token-file and --http-open contradict each other: give one of them"
	case len(w.issuers) > 0 && w.open:
		return "--oauth-issuer and --http-open contradict each other: give one of them"
	case len(w.issuers) == 0 && (w.resource != "" || w.plainJWT):
		return "--oauth-resource and --oauth-plain-jwt need --oauth-issuer URL, which issues the tokens"
	case unix && w.open:
		return "--http-open has no effect on a unix socket, where the system says who connects: --http-user NAME lets one more user in"
	case !unix && len(w.users) > 0:
		return "--http-user needs a unix socket: --http unix:PATH"
	case !unix && w.tokens == "" && len(w.issuers) == 0 && !w.open:
		return fmt.Sprintf("--http %s: say who may use it: --http-token-file FILE (one token per line), --oauth-issuer URL, or --http-open for everybody who reaches it", w.addr)
	case (w.cert == "") != (w.key == ""):
		return "--http-cert and --http-key go together"
	case unix && w.cert != "":
		return "--http-cert is for network addresses: data on a unix socket never leaves this machine"
	case remote && w.cert == "":
		return fmt.Sprintf("--http %s would send tokens and documents unencrypted over the network: give --http-cert and --http-key, or use 127.0.0.1 or unix:PATH", w.addr)
	case remote && w.open:
		return fmt.Sprintf("--http %s with --http-open would let everybody in: give --http-token-file", w.addr)
	case remote && len(w.hosts) == 0:
		return fmt.Sprintf("--http %s: name the server to other machines with --http-host", w.addr)
	case len(w.issuers) > 0 && w.resource == "" && (unix || len(w.hosts) > 1):
		return "--oauth-issuer: say for which address tokens are issued: --oauth-resource https://NAME/mcp"
	}
	for _, issuer := range w.issuers {
		if err := oauth.WrongIssuer(issuer); err != nil {
			return fmt.Sprintf("--oauth-issuer %s: %v", issuer, err)
		}
	}
	if w.resource != "" {
		if _, err := oauth.Canonical(w.resource); err != nil {
			return fmt.Sprintf("--oauth-resource %s: %v", w.resource, err)
		}
	}
	return ""
}

// resourceAt returns the URI for which tokens are issued, if the server listens on at.
func (w *web) resourceAt(at net.Addr) string {
	if w.resource != "" {
		return w.resource
	}
	host, _, _ := net.SplitHostPort(w.addr) // problem has checked it
	_, port, _ := net.SplitHostPort(at.String())
	scheme := "http"
	if w.cert != "" || len(w.hosts) > 0 { // without a certificate, a proxy terminates TLS
		scheme = "https"
	}
	if len(w.hosts) > 0 {
		host = strings.Trim(w.hosts[0], "[]")
	}
	where := net.JoinHostPort(host, port)
	if w.cert == "" && len(w.hosts) > 0 {
		where = strings.TrimSuffix(net.JoinHostPort(host, ""), ":")
	}
	return scheme + "://" + where + mcpserver.HTTPPath
}

// oauth returns the checker of the issuers' tokens, nil without issuers.
func (w *web) oauth(at net.Addr, log *slog.Logger) (*gate.OAuth, error) {
	if len(w.issuers) == 0 {
		return nil, nil
	}
	resource, err := oauth.Canonical(w.resourceAt(at))
	if err != nil {
		return nil, fmt.Errorf("--oauth-resource %s: %w", w.resourceAt(at), err)
	}
	checker, err := oauth.New(oauth.Config{Issuers: w.issuers, Resource: resource, Plain: w.plainJWT, Log: log})
	if err != nil {
		return nil, fmt.Errorf("--oauth-issuer: %w", err)
	}
	_ = checker.Err() // starts fetching the keys, before a request waits for them
	return &gate.OAuth{Resource: resource, Issuers: w.issuers, Checker: checker}, nil
}

// auditLog opens the audit log; nil means the log on stderr. close closes it.
func (w *web) auditLog(io stdio) (log *slog.Logger, close func(), err error) {
	if w.addr == "" || w.audit == "" {
		return nil, func() {}, nil
	}
	is := func(f *os.File) bool {
		there, err := os.Stat(w.audit)
		own, ferr := f.Stat()
		return err == nil && ferr == nil && os.SameFile(there, own)
	}
	switch {
	case is(os.Stderr):
		return slog.New(slog.NewJSONHandler(io.err, nil)), func() {}, nil
	case is(os.Stdout):
		lines := newUnblocked(io.out)
		return slog.New(slog.NewJSONHandler(lines, nil)), func() { lines.close(time.Second) }, nil
	}
	f, err := gate.OpenAudit(w.audit)
	if err != nil {
		return nil, nil, err
	}
	return slog.New(slog.NewJSONHandler(f, nil)), func() { f.Close() }, nil
}

// gate makes the gate of a server that listens on at. ready is passed to its Config.
func (s *settings) gate(at net.Addr, ready func() error, log, audit *slog.Logger) (g *gate.Gate, err error) {
	c := gate.Config{Open: s.web.open, Users: s.web.users, Hosts: s.web.hosts, Ready: ready, Drain: s.web.drain, Log: log, Audit: audit,
		Requests: s.limits.requests, Bodies: s.limits.bodies}
	if s.web.tokens != "" {
		if c.Tokens, err = gate.NewTokens(s.web.tokens, log); err != nil {
			return nil, fmt.Errorf("--http-token-file: %w", err)
		}
	}
	if c.OAuth, err = s.web.oauth(at, log); err != nil {
		return nil, err
	}
	return gate.New(c), nil
}

// listen opens the address, and returns it as clients write it.
func (w *web) listen(log *slog.Logger) (l net.Listener, at string, err error) {
	var secure *tls.Config
	if w.cert != "" {
		if secure, err = gate.TLS(w.cert, w.key, log); err != nil {
			return nil, "", fmt.Errorf("--http-cert: %w", err)
		}
	}
	if l, err = gate.Listen(w.addr, len(w.users) > 0); err != nil {
		return nil, "", err
	}
	switch path, unix := gate.UnixPath(w.addr); {
	case unix:
		at = fmt.Sprintf("http://localhost%s at the unix socket %s", mcpserver.HTTPPath, path)
	case secure != nil:
		l, at = tls.NewListener(l, secure), fmt.Sprintf("https://%s%s", l.Addr(), mcpserver.HTTPPath)
	default:
		at = fmt.Sprintf("http://%s%s", l.Addr(), mcpserver.HTTPPath)
	}
	return l, at, nil
}

func (s *settings) serveHTTP(ctx context.Context, set *plugin.Set, roots *files.Roots, log, audit *slog.Logger, io stdio) int {
	fail := func(err error) int {
		io.complain("%v", err)
		return exitFailed
	}
	l, at, err := s.web.listen(log)
	if err != nil {
		return fail(err)
	}
	defer l.Close()
	if s.store.url != "" && !s.advertise(l) {
		io.complain("--http %s with --store: add --advertise http://HOST:PORT, the address at which other hosts reach this one", s.web.addr)
		return exitUsage
	}
	var k keeper
	if s.web.open && len(s.web.hosts) > 0 && !s.noJournal {
		log.Warn("no journal is kept with --http-open and --http-host, because clients would be offered each other's documents; unsaved work ends with its session")
	} else {
		var ok bool
		if k, ok = s.keeper(io, log); !ok {
			return exitFailed
		}
		defer k.close()
	}
	g, err := s.gate(l.Addr(), k.ready(), log, audit)
	if err != nil {
		return fail(err)
	}
	peers, err := k.peers(s)
	if err != nil {
		return fail(err)
	}
	var quotas sync.Map // of documents, by principal
	own := func(sess *session.Session, principal string) *session.Session {
		sess.Owner = principal
		quota, _ := quotas.LoadOrStore(principal, budget.New(int64(s.limits.principalDocuments)))
		sess.Quota = quota.(*budget.Budget)
		s.configureSession(sess)
		k.keep(sess)
		return sess
	}
	h := mcpserver.NewHTTP(mcpserver.HTTPConfig{Version: hostVersion(), Unified: s.Unified, Structured: s.Structured, Typed: len(s.tools) > 0, Log: log, Gate: g,
		NewSession: func(who string) *session.Session { return own(session.New(set, roots), who) },
		NewShared:  func(who string) *session.Session { return own(session.NewShared(set, roots), who) },
		Peers:      peers,
		Idle:       s.web.idle, Sessions: s.limits.sessions})
	defer h.Close()
	g.Gauge("fcp_workers", "Workers of plugins that made a call.", s.memory.Workers.Count)
	stop, ok := s.startTelemetry(g.Gauges(), log, io)
	if !ok {
		l.Close()
		return exitFailed
	}
	defer stop()
	io.complain("serving %s", at)
	if err := g.Serve(ctx, l, h, h.EndStreams); err != nil {
		return fail(err)
	}
	return exitOK
}
