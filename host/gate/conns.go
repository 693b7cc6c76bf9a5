package gate

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// maxWaiting bounds the connections without an admitted request so far, and those between two requests.
const maxWaiting = 512

// conns are the open connections. If too many wait, the one that has waited longest is closed: a flood of them
// displaces itself, and newcomers are served.
type conns struct {
	mu        sync.Mutex
	all       map[net.Conn]*conn
	strangers list.List // of *conn: without an admitted request so far
	idle      list.List // of *conn: between requests
}

// conn is one connection. in and at are guarded by conns.mu.
type conn struct {
	net  net.Conn
	unix bool
	uid  int   // user at the other end of a unix socket
	err  error // why uid is unknown

	in *list.List // the list that it waits in; nil while a request is served
	at *list.Element
}

type connKey struct{}

// open registers a connection, and adds it to the context of its requests.
func (cs *conns) open(ctx context.Context, c net.Conn) context.Context {
	own := &conn{net: c}
	if u, ok := c.(*net.UnixConn); ok {
		own.unix = true
		own.uid, own.err = peer(u)
	}
	cs.mu.Lock()
	if cs.all == nil {
		cs.all = map[net.Conn]*conn{}
	}
	cs.all[c] = own
	cs.mu.Unlock()
	cs.wait(own, &cs.strangers)
	return context.WithValue(ctx, connKey{}, own)
}

// wait puts c at the end of l.
func (cs *conns) wait(c *conn, l *list.List) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.all[c.net] == nil {
		return // closed meanwhile
	}
	cs.take(c)
	c.in, c.at = l, l.PushBack(c)
	if l.Len() > maxWaiting {
		oldest := l.Front().Value.(*conn)
		cs.take(oldest)
		oldest.drop()
	}
}

// drop closes the connection at once, without TLS's closing message, which could block.
func (c *conn) drop() {
	if t, ok := c.net.(*tls.Conn); ok {
		t.NetConn().Close()
		return
	}
	c.net.Close()
}

// busy removes c from the list that it waits in.
func (cs *conns) busy(c *conn) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.take(c)
}

// take removes c from its list. The caller holds mu.
func (cs *conns) take(c *conn) {
	if c.in != nil {
		c.in.Remove(c.at)
		c.in, c.at = nil, nil
	}
}

// stateChanged removes a connection that was closed.
func (cs *conns) stateChanged(c net.Conn, state http.ConnState) {
	if state != http.StateClosed && state != http.StateHijacked {
		return
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if own := cs.all[c]; own != nil {
		cs.take(own)
		delete(cs.all, c)
	}
}

func (cs *conns) count() int {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return len(cs.all)
}
