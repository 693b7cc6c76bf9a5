package gate

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// maxWaiting bounds the connections that wait for a request of a caller that is
// not known yet, and those between two requests.
const maxWaiting = 512

// conns are the open connections. Of too many that wait, the one that waits
// longest is closed: so a flood of them displaces itself, and who comes last is
// served.
type conns struct {
	mu        sync.Mutex
	all       map[net.Conn]*conn
	strangers list.List // of *conn: no request of theirs was let in yet
	idle      list.List // of *conn: between requests
}

// conn is one connection. Its place is guarded by conns.mu.
type conn struct {
	net  net.Conn
	unix bool
	uid  int   // at the other end of a unix socket
	err  error // why uid is not known

	in *list.List // nil while a request is served
	at *list.Element
}

type connKey struct{}

// open takes in a connection, and gives it to its requests.
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

// drop closes the connection without a word, which could take time.
func (c *conn) drop() {
	if t, ok := c.net.(*tls.Conn); ok {
		t.NetConn().Close()
		return
	}
	c.net.Close()
}

// busy takes c out of those that wait.
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

// changed forgets a connection that is closed.
func (cs *conns) changed(c net.Conn, state http.ConnState) {
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
