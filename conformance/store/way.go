package store

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Way is a TCP proxy to a server that can be cut and slowed down. It is safe for concurrent use.
type Way struct {
	listener net.Listener
	server   string

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool

	delay atomic.Int64
}

// NewWay listens on the loopback and forwards connections to a server at a network address, until the test ends.
func NewWay(t testing.TB, network, server string) *Way {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &Way{listener: l, server: server, conns: map[net.Conn]bool{}}
	t.Cleanup(func() {
		l.Close()
		w.Cut()
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go w.hand(network, c)
		}
	}()
	return w
}

// Addr is the address it listens on, as host:port.
func (w *Way) Addr() string { return w.listener.Addr().String() }

// Cut closes all connections, and refuses new ones until Restore.
func (w *Way) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = true
	for c := range w.conns {
		c.Close()
	}
}

// Slow delays each piece of data by a time; 0 for no delay.
func (w *Way) Slow(d time.Duration) { w.delay.Store(int64(d)) }

// late is a writer that delays what is written to one end.
type late struct {
	io.Writer
	way *Way
}

// Write writes p after the delay.
func (l late) Write(p []byte) (int, error) {
	if d := l.way.delay.Load(); d > 0 {
		time.Sleep(time.Duration(d))
	}
	return l.Writer.Write(p)
}

// Restore accepts connections again.
func (w *Way) Restore() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = false
}

func (w *Way) hand(network string, c net.Conn) {
	defer c.Close()
	if !w.keep(c) {
		return
	}
	defer w.drop(c)
	s, err := net.Dial(network, w.server)
	if err != nil {
		return
	}
	defer s.Close()
	if !w.keep(s) {
		return
	}
	defer w.drop(s)
	done := make(chan struct{}, 2)
	for _, to := range []struct{ w, r net.Conn }{{s, c}, {c, s}} {
		go func() {
			_, _ = io.Copy(late{to.w, w}, to.r)
			done <- struct{}{}
		}()
	}
	<-done
}

func (w *Way) keep(c net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		return false
	}
	w.conns[c] = true
	return true
}

func (w *Way) drop(c net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.conns, c)
}
