//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/conformance/store"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// cluster is several hosts that share a store.
type cluster struct {
	t     testing.TB
	flags []string
	dir   string
	hosts []*host
}

// host is a host of a cluster. It has the same address after a restart.
type host struct {
	at    string
	proxy *store.Proxy // to the store
	url   string       // of the store, through the proxy

	args []string   // nil for what a test's hosts have
	mu   sync.Mutex // held while it is killed and restarted
	cmd  *exec.Cmd
}

// start starts n hosts; open returns the store's URL for an address that leads to it.
func start(t testing.TB, n int, network, server string, open func(addr string) string, flags ...string) *cluster {
	t.Helper()
	c := &cluster{t: t, dir: t.TempDir(), flags: flags}
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		h := &host{at: l.Addr().String(), proxy: store.NewProxy(t, network, server)}
		h.url = open(h.proxy.Addr())
		l.Close()
		c.hosts = append(c.hosts, h)
		c.run(h)
	}
	t.Cleanup(func() {
		for _, h := range c.hosts {
			h.cmd.Process.Signal(syscall.SIGCONT)
			h.cmd.Process.Kill()
			h.cmd.Wait()
		}
	})
	return c
}

// run starts a host, and returns when it serves.
func (c *cluster) run(h *host) {
	c.t.Helper()
	args := h.args
	if args == nil {
		args = []string{"serve", "--http", h.at, "--http-open"}
		if !slices.Contains(c.flags, "--root") {
			args = append(args, "--root", c.dir)
		}
	}
	h.cmd = exec.Command(testwasm.Hostd(c.t), slices.Concat(args, []string{"--no-builtin", "--plugin", testwasm.List(c.t), "--config", "off", "--cache", testwasm.CacheDir(c.t),
		"--limit", "list-wait=1m", "--limit", "call=1m"}, c.flags)...)
	h.cmd.Env = append(os.Environ(), "FCP_STORE="+h.url)
	h.cmd.Dir = c.dir
	errs, err := h.cmd.StderrPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	lines := bufio.NewScanner(errs)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "serving http") {
			go func() {
				for lines.Scan() {
					fmt.Fprintf(c.t.Output(), "%s: %s\n", h.at, lines.Text())
				}
			}()
			return
		}
		fmt.Fprintf(c.t.Output(), "%s: %s\n", h.at, lines.Text())
	}
	c.t.Fatalf("%s does not serve", h.at)
}

// kill kills a host, and restarts it after a while.
func (c *cluster) kill(h *host, after time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cmd.Process.Kill()
	h.cmd.Wait()
	time.Sleep(after)
	c.run(h)
}

// proxy sends each request to the next host, or to the one after it if that accepts no connection.
func (c *cluster) proxy() string {
	var n atomic.Uint32
	transport := &http.Transport{MaxIdleConnsPerHost: 64, ResponseHeaderTimeout: 10 * time.Second, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var err error
		for range c.hosts {
			var conn net.Conn
			if conn, err = net.Dial(network, c.hosts[int(n.Add(1))%len(c.hosts)].at); err == nil {
				return conn, nil
			}
		}
		return nil, err
	}, DisableKeepAlives: true}
	first, _ := url.Parse("http://" + c.hosts[0].at)
	p := &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(first) }, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}}
	s := httptest.NewServer(p)
	c.t.Cleanup(s.Close)
	return s.URL + "/mcp"
}

// endpoint is the server that a client calls, with its token.
type endpoint struct {
	url, token string
	client     *http.Client
}

// anyone returns an endpoint without a token.
func anyone(url string) endpoint { return endpoint{url, "", http.DefaultClient} }

// call makes a request of protocol version 2026-07-28, which belongs to no session. err means that
// its outcome is unknown.
func call(ctx context.Context, to endpoint, tool string, args map[string]any) (text string, failed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	const version = "2026-07-28"
	data, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args,
		"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": map[string]any{}}}})
	req, err := http.NewRequestWithContext(ctx, "POST", to.url, bytes.NewReader(data))
	if err != nil {
		return "", false, err
	}
	for k, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": version,
		"Mcp-Method": "tools/call", "Mcp-Name": tool} {
		req.Header.Set(k, v)
	}
	if to.token != "" {
		req.Header.Set("Authorization", "Bearer "+to.token)
	}
	res, err := to.client.Do(req)
	if err != nil {
		return "", false, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return "", false, err
	}
	if i := bytes.Index(body, []byte("data: ")); res.Header.Get("Content-Type") == "text/event-stream" && i >= 0 {
		body, _, _ = bytes.Cut(body[i+6:], []byte("\n"))
	}
	var m struct {
		Error  *struct{ Message string }
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal(body, &m); err != nil || res.StatusCode != http.StatusOK || m.Error != nil {
		return "", false, fmt.Errorf("%s: %.300s", res.Status, body)
	}
	for _, c := range m.Result.Content {
		text += c.Text
	}
	if m.Result.IsError && strings.Contains(text, "may have been done or not") {
		return "", false, errors.New(text)
	}
	return text, m.Result.IsError, nil
}

// handle returns the document's handle from the reply of new.
func handle(text string) string {
	_, rest, _ := strings.Cut(text, `document:"`)
	h, _, _ := strings.Cut(rest, `"`)
	return h
}
