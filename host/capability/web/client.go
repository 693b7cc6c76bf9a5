package web

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	maxConns         = 32               // connections of an endpoint, active and idle
	maxResponseBytes = 64 << 10         // headers of a response
	maxRedirects     = 5                // for one request
	dialTimeout      = 30 * time.Second // also for a TLS handshake
	idleTimeout      = 90 * time.Second
)

// Request is what a guest requests from an endpoint.
type Request struct {
	Method  string   // GET, HEAD, POST, PUT, PATCH or DELETE
	Path    []string // segments below the base, unescaped
	Query   []KeyValue
	Headers []KeyValue
	Body    []byte // not with GET and HEAD; at most MaxBody
	Room    *Room  // shared by the bodies of several responses; nil for no limit
}

// Response is a response of any status, without the endpoint's secrets.
type Response struct {
	Status  int
	Headers []KeyValue // sorted by name
	Body    []byte     // decompressed; at most MaxBody before secrets were removed
}

// Client keeps connections to one endpoint. Endpoints do not share connections: what one may reach, another may not.
type Client struct {
	endpoint  *Endpoint
	redactor  *Redactor
	transport *http.Transport
	reach     func(netip.Addr) reach
}

// NewClient returns a client of an endpoint. A nil resolver means the system's.
func NewClient(e *Endpoint, resolver *net.Resolver) *Client {
	c := &Client{endpoint: e, redactor: RedactorOf(e), reach: reachOf}
	dialer := &net.Dialer{Timeout: dialTimeout, Resolver: resolver, ControlContext: c.control}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	c.transport = &http.Transport{
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: e.roots},
		TLSHandshakeTimeout:    dialTimeout,
		Protocols:              protocols,
		MaxConnsPerHost:        maxConns,
		MaxIdleConns:           maxConns,
		MaxIdleConnsPerHost:    maxConns,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxResponseBytes,
		DisableCompression:     true, // readBody decompresses within limits
	}
	return c
}

// Close closes idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// control checks the address that a socket is about to connect to, after all name resolution.
func (c *Client) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return errNobody
	}
	return c.endpoint.mayDial(to.Addr(), c.reach(to.Addr()))
}

// trace records how far a request got.
type trace struct{ sent, tls atomic.Bool }

func (t *trace) in(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		// net/http repeats a request only if it reads or the server declared it not started.
		GetConn: func(string) { t.sent.Store(false) },
		// A request without complete headers has no effect.
		WroteHeaders: func() { t.sent.Store(true) },
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			if err != nil {
				t.tls.Store(true)
			}
		},
	})
}

// Do makes one request. ctx limits its time and should have a deadline. With readOnly only GET and HEAD are allowed. It
// is safe for concurrent use; requests beyond 32 wait.
func (c *Client) Do(ctx context.Context, r Request, readOnly bool) (Response, *Failure) {
	resp, f := c.do(ctx, r, readOnly)
	if f != nil {
		f.Text = c.line(f.Text)
	}
	return resp, f
}

func (c *Client) do(ctx context.Context, r Request, readOnly bool) (Response, *Failure) {
	if f := check(r, readOnly); f != nil {
		return Response{}, f
	}
	u, err := c.endpoint.url(r.Path, r.Query)
	if err != nil {
		return Response{}, refusal("%v", err)
	}
	header, err := c.endpoint.requestHeader(r.Headers)
	if err != nil {
		return Response{}, refusal("%v", err)
	}
	if r.Method != http.MethodHead {
		header.Set("Accept-Encoding", "gzip")
	}
	t := &trace{}
	tracing := t.in(ctx)
	for hops := 0; ; hops++ {
		req, err := http.NewRequestWithContext(tracing, r.Method, u.String(), bytes.NewReader(r.Body))
		if err != nil {
			return Response{}, refusal("%v", err)
		}
		req.Header = header
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			req.GetBody = nil // otherwise net/http repeats it when a server says that it did not start
		}
		resp, err := c.transport.RoundTrip(req)
		if err != nil {
			if isHeaderLimit(err) {
				err = tooLarge{fmt.Errorf("more than %d KiB of headers", maxResponseBytes>>10)}
			}
			return Response{}, c.explain(ctx, err, t, false)
		}
		if !isRedirect(r.Method, resp) {
			return c.response(ctx, resp, t, r.Room)
		}
		resp.Body.Close()
		if hops == maxRedirects {
			return Response{}, &Failure{Refused, fmt.Sprintf("%s redirects more than %d times", c.endpoint.Origin, maxRedirects), true}
		}
		if u, err = c.endpoint.resolveRedirect(u, c.redactor.Text(resp.Header.Get("Location"))); err != nil {
			return Response{}, &Failure{Refused, fmt.Sprintf("%s redirects %v", c.endpoint.Origin, err), true}
		}
	}
}

// isHeaderLimit recognizes the errors of net/http for headers beyond MaxResponseHeaderBytes, in HTTP/1.1 and HTTP/2.
// They have no type.
func isHeaderLimit(err error) bool {
	return strings.Contains(err.Error(), "response headers exceeded") || strings.Contains(err.Error(), "response header list larger")
}

// check refuses what is invalid for every endpoint.
func check(r Request, readOnly bool) *Failure {
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if !reads && !slices.Contains([]string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, r.Method) {
		return refusal("method %s: GET, HEAD, POST, PUT, PATCH and DELETE are supported", quote(r.Method))
	}
	if readOnly && !reads {
		return refusal("%s in a call that only reads: it may use GET and HEAD", r.Method)
	}
	if reads && len(r.Body) > 0 {
		return refusal("%s has no body", r.Method)
	}
	if len(r.Body) > MaxBody {
		return &Failure{Kind: TooLarge, Text: fmt.Sprintf("the body has %d bytes, at most %d are sent", len(r.Body), MaxBody)}
	}
	for _, q := range r.Query {
		if reads && overridesMethod(q.Key) {
			return refusal("query %s would make another method of %s", quote(q.Key), r.Method)
		}
	}
	return nil
}

// isRedirect reports whether to follow a response. Requests with other methods than GET and HEAD are never sent again.
func isRedirect(method string, resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return (method == http.MethodGet || method == http.MethodHead) && resp.Header.Get("Location") != ""
	}
	return false
}

// response reads a response.
func (c *Client) response(ctx context.Context, resp *http.Response, t *trace, room *Room) (Response, *Failure) {
	defer resp.Body.Close()
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	stream := kind == "text/event-stream"
	if resp.StatusCode < 200 {
		return Response{}, c.explain(ctx, errors.New("it switches to another protocol"), t, false)
	}
	head := resp.Request.Method == http.MethodHead
	headers, err := c.responseHeader(resp.Header, head)
	if err != nil {
		return Response{}, c.explain(ctx, tooLarge{err}, t, false)
	}
	out := Response{Status: resp.StatusCode, Headers: headers}
	if !head {
		if out.Body, err = c.readBody(resp, room); err != nil {
			return Response{}, c.explain(ctx, err, t, stream)
		}
		out.Body = c.redactor.Bytes(out.Body)
	}
	return out, nil
}
