package store

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Proxy forwards TCP connections to a server; the tests can cut them and slow them down. It is safe for concurrent use.
type Proxy struct {
	listener net.Listener
	server   string

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool

	delay atomic.Int64
}

// NewProxy listens on the loopback and forwards connections to a server at a network address, until the test ends.
func NewProxy(t testing.TB, network, server string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: l, server: server, conns: map[net.Conn]bool{}}
	t.Cleanup(func() {
		l.Close()
		p.Cut()
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.hand(network, c)
		}
	}()
	return p
}

// Addr is the address it listens on, as host:port.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Cut closes all connections, and refuses new ones until Restore.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = true
	for c := range p.conns {
		c.Close()
	}
}

// Slow delays each piece of data by a time; 0 for no delay.
func (p *Proxy) Slow(d time.Duration) { p.delay.Store(int64(d)) }

// late is a writer that delays each write to a connection.
type late struct {
	io.Writer
	proxy *Proxy
}

// Write writes p after the delay.
func (l late) Write(p []byte) (int, error) {
	if d := l.proxy.delay.Load(); d > 0 {
		time.Sleep(time.Duration(d))
	}
	return l.Writer.Write(p)
}

// Restore accepts connections again.
func (p *Proxy) Restore() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = false
}

func (p *Proxy) hand(network string, c net.Conn) {
	defer c.Close()
	if !p.keep(c) {
		return
	}
	defer p.drop(c)
	s, err := net.Dial(network, p.server)
	if err != nil {
		return
	}
	defer s.Close()
	if !p.keep(s) {
		return
	}
	defer p.drop(s)
	done := make(chan struct{}, 2)
	for _, to := range []struct{ w, r net.Conn }{{s, c}, {c, s}} {
		go func() {
			_, _ = io.Copy(late{to.w, p}, to.r)
			done <- struct{}{}
		}()
	}
	<-done
}

func (p *Proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut {
		return false
	}
	p.conns[c] = true
	return true
}

func (p *Proxy) drop(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}
