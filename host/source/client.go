package source

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/printable"
)

// client returns an HTTP client for requests that start at address, HOST or HOST:PORT.
func (o Options) client(address string) *http.Client {
	next := o.Transport
	if next == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.DisableCompression = true // the limits are on the bytes sent
		t.ResponseHeaderTimeout = headersFor
		next = t
	}
	return &http.Client{Transport: &guard{next: next, any: o.PlainHTTP, loopback: gate.Loopback(hostOf(address)), home: address, maySend: o.MaySend}, CheckRedirect: fewRedirects}
}

// guard refuses plain http, behind redirects as well, unless the request started at this machine and stays there, or a
// person allows it.
type guard struct {
	next     http.RoundTripper
	any      bool // allow http to any host
	loopback bool // allow http to this machine

	home    string // whose password is sent
	maySend func(registry, server string) error
	mu      sync.Mutex
	may     map[string]error // what maySend said, by server
}

// hostOf returns an address without its port.
func hostOf(address string) string { return (&url.URL{Host: address}).Hostname() }

// RoundTrip implements http.RoundTripper.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	err := g.check(req)
	if err == nil {
		return g.next.RoundTrip(req)
	}
	if req.Body != nil {
		req.Body.Close()
	}
	return nil, err
}

func (g *guard) check(req *http.Request) error {
	if req.URL.Scheme == "https" || req.URL.Scheme == "http" && (g.any || g.loopback && gate.Loopback(req.URL.Hostname())) {
		// A token server gets the password in Basic, or a form with it.
		if req.URL.Host == g.home || !strings.HasPrefix(req.Header.Get("Authorization"), "Basic ") && !strings.HasPrefix(req.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
			return nil
		}
		return g.mayLogIn(req.URL.Host)
	}
	return fmt.Errorf("%s://%s is not encrypted, so others could have changed what it sends; use https, or --plain-http if you trust the network",
		printable.Line(req.URL.Scheme), printable.Line(req.URL.Host))
}

// mayLogIn asks once for each server.
func (g *guard) mayLogIn(server string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	err, asked := g.may[server]
	if !asked {
		if err = fmt.Errorf("%s wants its password to be sent to %s", printable.Line(g.home), printable.Line(server)); g.maySend != nil {
			err = g.maySend(g.home, server)
		}
		if g.may == nil {
			g.may = map[string]error{}
		}
		g.may[server] = err
	}
	return err
}

func fewRedirects(_ *http.Request, via []*http.Request) error {
	if len(via) > maxRedirect {
		return errors.New("there are too many redirects")
	}
	return nil
}
