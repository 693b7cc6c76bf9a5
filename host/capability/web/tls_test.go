package web

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
)

// tlsEndpoint trusts a test server's certificate, which is for example.com and 127.0.0.1.
func tlsEndpoint(t *testing.T, s *httptest.Server, base string) *Endpoint {
	t.Helper()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	e, err := NewEndpoint("api", base, nil, Options{Configured: strings.Contains(base, "127.0.0.1"), CA: ca})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestTLSIsVerified(t *testing.T) {
	s := newTLS(t, func(http.ResponseWriter, *http.Request) {})
	loopback := resolver(func(string) []netip.Addr { return []netip.Addr{netip.MustParseAddr("127.0.0.1")} })
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})

	trusting := tlsEndpoint(t, s, s.URL)
	other := *trusting
	other.base, other.Origin = endpoint(t, "https://other.test"+port).base, "https://other.test"+port
	for name, c := range map[string]struct {
		e    *Endpoint
		want string
	}{
		"unknown authority": {endpoint(t, s.URL), "unknown authority"},
		"another name":      {&other, "other.test"},
		"no TLS":            {endpoint(t, "https"+strings.TrimPrefix(plain.URL, "http")), "does not speak it"},
	} {
		_, f := NewClient(c.e, loopback).Do(t.Context(), get(), true)
		if f == nil || f.Kind != TLS || f.Sent || !strings.Contains(f.Text, c.want) {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if _, f := NewClient(trusting, nil).Do(t.Context(), get(), true); f != nil {
		t.Error(f)
	}
}

func TestOldTLSIsRefused(t *testing.T) {
	s := httptest.NewUnstartedServer(nil)
	s.Config.ErrorLog = silent
	s.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	s.StartTLS()
	defer s.Close()
	if _, f := NewClient(tlsEndpoint(t, s, s.URL), nil).Do(t.Context(), get(), true); f == nil || f.Kind != TLS || f.Sent {
		t.Errorf("%+v", f)
	}
}

func TestANameThatLeadsToAnotherAddressIsRefusedWhenItIsDialled(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Connection", "close") })
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	var now atomic.Value
	r := resolver(func(string) []netip.Addr { return now.Load().([]netip.Addr) })
	addrs := func(list ...string) (out []netip.Addr) {
		for _, s := range list {
			out = append(out, netip.MustParseAddr(s))
		}
		return out
	}

	// The name in the user's base may resolve to the loopback; then it resolves to another address.
	users := NewClient(endpoint(t, "http://flows.test"+port), r)
	now.Store(addrs("127.0.0.1"))
	if _, f := users.Do(t.Context(), get(), true); f != nil {
		t.Fatal(f)
	}
	for _, a := range []string{"169.254.169.254", "fe80::1", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "fd00:ec2::254", "0.0.0.0", "::", "224.0.0.1", "255.255.255.255", "192.0.2.1"} {
		now.Store(addrs(a))
		if _, f := users.Do(t.Context(), get(), true); f == nil || f.Kind != Refused || f.Sent || strings.Contains(f.Text, a) {
			t.Errorf("the user's name at %s: %+v", a, f)
		}
	}

	// The name in a manifest's base must be public; this test treats 127.0.0.1 as public.
	s = newTLS(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Connection", "close") })
	port = s.URL[strings.LastIndex(s.URL, ":"):]
	manifests := NewClient(tlsEndpoint(t, s, "https://example.com"+port), r)
	manifests.reach = func(a netip.Addr) reach {
		if a == netip.MustParseAddr("127.0.0.1") {
			return everyone
		}
		return reachOf(a)
	}
	for _, list := range [][]string{{"127.0.0.1"}, {"127.0.0.2", "127.0.0.1"}} {
		now.Store(addrs(list...))
		if _, f := manifests.Do(t.Context(), get(), true); f != nil {
			t.Errorf("%s: %v", list, f)
		}
	}
	for _, a := range []string{"127.0.0.2", "10.0.0.1", "192.168.0.1", "100.64.0.1", "::1", "fd00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:7f00:1::", "169.254.169.254"} {
		now.Store(addrs(a))
		if _, f := manifests.Do(t.Context(), get(), true); f == nil || f.Kind != Refused || f.Sent || strings.Contains(f.Text, a) {
			t.Errorf("the manifest's name at %s: %+v", a, f)
		}
	}
	manifests.reach = reachOf
	now.Store(addrs("127.0.0.1"))
	if _, f := manifests.Do(t.Context(), get(), true); f == nil || f.Kind != Refused || !strings.Contains(f.Text, "private") {
		t.Errorf("%+v", f)
	}
}

// The server closes a kept connection instead of answering, so net/http repeats the request, but may no longer connect.
func TestARequestThatCannotBeRepeatedWasNotSent(t *testing.T) {
	var now atomic.Value
	now.Store([]netip.Addr{netip.MustParseAddr("127.0.0.1")})
	answered := false
	base := raw(t, func(conn net.Conn, r *http.Request) bool {
		if answered {
			now.Store([]netip.Addr{netip.MustParseAddr("169.254.169.254")})
			return false
		}
		answered = true
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		return true
	})
	c := NewClient(endpoint(t, "http://flows.test"+base[strings.LastIndex(base, ":"):]), resolver(func(string) []netip.Addr { return now.Load().([]netip.Addr) }))
	if _, f := c.Do(t.Context(), get(), true); f != nil {
		t.Fatal(f)
	}
	if _, f := c.Do(t.Context(), get(), true); f == nil || f.Kind != Refused || f.Sent {
		t.Errorf("%+v", f)
	}
}

func TestNoFormOfAnAddressEvadesTheCheck(t *testing.T) {
	r := resolver(func(string) []netip.Addr { return nil })
	for _, host := range []string{"127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "0", "localhost", "[::1]", "[::ffff:7f00:1]", "[::]", "0.0.0.0"} {
		for _, use := range []*net.Resolver{nil, r} {
			e, err := NewEndpoint("api", "https://"+host+":1", nil, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if _, f := NewClient(e, use).Do(t.Context(), get(), true); f == nil || f.Kind != Refused && f.Kind != DNS {
				t.Errorf("%s: %+v", host, f)
			}
		}
	}
}

func TestAFailedConnectionCountsAsNotSent(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	c := client(t, "http://"+l.Addr().String())
	if _, f := c.Do(t.Context(), Request{Method: http.MethodPost}, false); f == nil || f.Kind != Dial || f.Sent || f.Error() != f.Text || !strings.Contains(f.Text, "refused") {
		t.Errorf("%+v", f)
	}
	c = NewClient(endpoint(t, "http://nowhere.test"), resolver(func(string) []netip.Addr { return nil }))
	if _, f := c.Do(t.Context(), get(), true); f == nil || f.Kind != DNS || f.Sent || !strings.Contains(f.Text, "no such host") {
		t.Errorf("%+v", f)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, f := c.Do(ctx, get(), true); f == nil || f.Kind != Cancel || f.Sent {
		t.Errorf("%+v", f)
	}
	late := newDeadline()
	slow := NewClient(endpoint(t, "http://slow.test"), resolver(func(string) []netip.Addr { late.pass(); <-t.Context().Done(); return nil }))
	if _, f := slow.Do(late, get(), true); f == nil || f.Kind != Timeout || f.Sent {
		t.Errorf("%+v", f)
	}
}

func TestTheEnvironmentsProxyIsNotUsed(t *testing.T) {
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the proxy was asked") })
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	c := NewClient(endpoint(t, "http://flows.test"+s.URL[strings.LastIndex(s.URL, ":"):]),
		resolver(func(string) []netip.Addr { return []netip.Addr{netip.MustParseAddr("127.0.0.1")} }))
	if _, f := c.Do(t.Context(), get(), true); f != nil {
		t.Error(f)
	}
}
