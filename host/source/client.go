package source

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/printable"
)

// client returns an HTTP client for requests that start at host.
func (o Options) client(host string) *http.Client {
	next := o.Transport
	if next == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.DisableCompression = true // the limits are on the bytes sent
		t.ResponseHeaderTimeout = headersFor
		next = t
	}
	return &http.Client{Transport: &guard{next: next, any: o.PlainHTTP, loopback: gate.Loopback(host)}, CheckRedirect: fewRedirects}
}

// guard refuses plain http, behind redirects as well, unless the request started at this machine and stays there, or a
// person allows it.
type guard struct {
	next     http.RoundTripper
	any      bool // allow http to any host
	loopback bool // allow http to this machine
}

// RoundTrip implements http.RoundTripper.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme == "https" || req.URL.Scheme == "http" && (g.any || g.loopback && gate.Loopback(req.URL.Hostname())) {
		return g.next.RoundTrip(req)
	}
	if req.Body != nil {
		req.Body.Close()
	}
	return nil, fmt.Errorf("%s://%s is not encrypted, so others could have changed what it sends; use https, or --plain-http if you trust the network",
		printable.Line(req.URL.Scheme), printable.Line(req.URL.Host))
}

func fewRedirects(_ *http.Request, via []*http.Request) error {
	if len(via) > maxRedirect {
		return errors.New("there are too many redirects")
	}
	return nil
}
