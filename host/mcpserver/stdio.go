package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fcp-host/fcp-host/host/timing"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// maxLine bounds one message from the client, in bytes.
const maxLine = 80 << 20

// ServeStdio answers newline-delimited JSON-RPC from in on out until in ends or
// ctx is done. The calls of one domain run one after the other in the order
// they came; those of different domains do not wait for each other. At the end
// of input, everything that was asked is still answered. A done ctx ends the
// wait, not the call that runs.
//
// mcp-go's own stdio server runs pipelined calls out of order and drops what
// is queued at the end of input, so the loop is ours and the protocol behind
// HandleMessage is its.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	c := newConn(s, out)
	s.resources.updated = c.updated
	callCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	callCtx = s.mcp.WithContext(callCtx, c)
	if err := s.mcp.RegisterSession(callCtx, c); err != nil {
		return err
	}
	defer s.mcp.UnregisterSession(context.WithoutCancel(ctx), c.SessionID())
	stop := c.forwardNotifications()
	defer stop()

	// Who reads a line starts its call: a step between them costs more than the
	// rest of a small call's way.
	ended := make(chan error, 1)
	go func() {
		ended <- readLines(in, func(line []byte) { c.take(callCtx, line) }, c.tooLong)
	}()
	select {
	case <-ctx.Done():
		c.drain()
		return nil
	case err := <-ended:
		c.drain()
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
}

// readLines hands over each line that is not blank. Lines over maxLine are
// skipped and reported.
func readLines(in io.Reader, each func(line []byte), tooLong func()) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var buf []byte
	skipping := false
	for {
		part, err := r.ReadSlice('\n')
		if !skipping {
			buf = append(buf, part...)
		}
		if len(buf) > maxLine {
			skipping, buf = true, nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if skipping {
			tooLong()
			skipping = false
		} else if line := bytes.TrimSpace(buf); len(line) > 0 {
			each(line)
		}
		buf = nil
		if err != nil {
			return err
		}
	}
}

// conn is the one client of a stdio server: an mcp-go session and the queues
// of its calls.
type conn struct {
	s      *Server
	out    io.Writer
	write  sync.Mutex
	notify chan mcp.JSONRPCNotification
	ready  atomic.Bool
	level  atomic.Value

	mu         sync.Mutex
	queues     map[string][]func()
	running    map[string]bool
	cancelled  map[string]bool // ids of queued calls that were cancelled
	queued     map[string]bool // ids of calls that have not started
	pending    sync.WaitGroup
	draining   bool // whether nothing more is taken
	subscribed map[string]bool
	client     mcp.Implementation
	can        mcp.ClientCapabilities

	// A client of protocol version 2026-07-28 never sends initialize. It gets
	// only the notifications that it listens for, tagged with the id of its
	// subscriptions/listen request.
	legacy bool
	filter mcp.SubscriptionFilter
	stream json.RawMessage
}

func newConn(s *Server, out io.Writer) *conn {
	return &conn{s: s, out: out, notify: make(chan mcp.JSONRPCNotification, 256),
		queues: map[string][]func(){}, running: map[string]bool{}, cancelled: map[string]bool{},
		queued: map[string]bool{}, subscribed: map[string]bool{}}
}

// envelope is what the transport needs to know of a message.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		URI       string          `json:"uri"`
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

// take dispatches a message, unless nothing more is taken. What is answered at
// once is waited for as well: half an answer is worse than none.
func (c *conn) take(ctx context.Context, line []byte) {
	c.mu.Lock()
	if c.draining {
		c.mu.Unlock()
		return
	}
	c.pending.Add(1)
	c.mu.Unlock()
	defer c.pending.Done()
	c.dispatch(timing.With(ctx, timing.Start(c.s.log, len(line))), line)
}

// dispatch answers a message at once or queues it.
func (c *conn) dispatch(ctx context.Context, line []byte) {
	var e envelope
	err := json.Unmarshal(line, &e)
	timing.Lap(ctx, timing.Parse)
	if err != nil {
		// HandleMessage says in the protocol's words what is wrong.
		c.answer(ctx, line)
		return
	}
	switch e.Method {
	case "tools/call":
		queue, ok := c.s.queueOf[e.Params.Name]
		if !ok {
			c.answer(ctx, line)
			return
		}
		c.enqueue(ctx, queue, string(e.ID), line)
	case "resources/read":
		dom, _, _, err := parse(e.Params.URI)
		if err != nil {
			c.answer(ctx, line)
			return
		}
		if c.s.unified {
			dom = ""
		}
		c.enqueue(ctx, dom, string(e.ID), line)
	case "notifications/cancelled":
		id := string(e.Params.RequestID)
		c.mu.Lock()
		waiting := c.queued[id]
		if waiting {
			c.cancelled[id] = true
		}
		c.mu.Unlock()
		if !waiting {
			c.answer(ctx, line)
		}
	case "initialize":
		c.mu.Lock()
		c.legacy = true
		c.mu.Unlock()
		c.answer(ctx, line)
	case "subscriptions/listen":
		// A stream: it lasts until the client cancels it or goes.
		c.mu.Lock()
		c.stream = e.ID
		c.mu.Unlock()
		go c.answer(ctx, line)
	default:
		c.answer(ctx, line)
	}
}

// enqueue runs a call after those before it in the same queue.
func (c *conn) enqueue(ctx context.Context, queue, id string, line []byte) {
	run := func() {
		defer c.pending.Done()
		c.mu.Lock()
		delete(c.queued, id)
		dropped := c.cancelled[id]
		delete(c.cancelled, id)
		c.mu.Unlock()
		if !dropped {
			c.answer(ctx, line)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending.Add(1)
	c.queued[id] = true
	c.queues[queue] = append(c.queues[queue], run)
	if !c.running[queue] {
		c.running[queue] = true
		go c.work(queue)
	}
}

func (c *conn) work(queue string) {
	for {
		c.mu.Lock()
		list := c.queues[queue]
		if len(list) == 0 {
			c.running[queue] = false
			c.mu.Unlock()
			return
		}
		run := list[0]
		list[0] = nil
		c.queues[queue] = list[1:]
		c.mu.Unlock()
		run()
	}
}

// drain takes no more messages and waits for the answers to those that were taken.
func (c *conn) drain() {
	c.mu.Lock()
	c.draining = true
	c.mu.Unlock()
	c.pending.Wait()
}

func (c *conn) answer(ctx context.Context, line []byte) {
	defer func() {
		if p := recover(); p != nil {
			c.s.log.Error("message failed", "panic", p)
		}
	}()
	timing.Lap(ctx, timing.Wait)
	if res := c.s.mcp.HandleMessage(ctx, line); res != nil {
		c.send(res, timing.Of(ctx))
	}
	timing.Of(ctx).Log(c.s.log)
}

func (c *conn) tooLong() {
	c.send(mcp.NewJSONRPCError(mcp.RequestId{}, mcp.INVALID_REQUEST, "the message is longer than 80 MiB; split it up", nil), nil)
}

// send writes a message. call is nil for one that answers none.
func (c *conn) send(v any, call *timing.Call) {
	data, err := json.Marshal(v)
	call.Lap(timing.Encode)
	if err != nil {
		c.s.log.Error("answer cannot be encoded", "error", err)
		return
	}
	c.write.Lock()
	defer c.write.Unlock()
	n, err := c.out.Write(append(data, '\n'))
	if err != nil {
		c.s.log.Warn("client is gone", "error", err)
	}
	call.Sent(n)
}

// forwardNotifications writes what mcp-go wants to tell the client. The
// function it returns sends what is left and stops.
func (c *conn) forwardNotifications() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case n := <-c.notify:
				c.tell(n)
			case <-done:
				for {
					select {
					case n := <-c.notify:
						c.tell(n)
					default:
						return
					}
				}
			}
		}
	}()
	return func() { close(done); <-ended }
}

// tell sends a notification, tagged with the stream it belongs to.
func (c *conn) tell(n mcp.JSONRPCNotification) {
	c.mu.Lock()
	stream := c.stream
	c.mu.Unlock()
	if _, tagged := n.Params.Meta[mcp.MetaKeySubscriptionID]; stream != nil && !tagged {
		n.Params.Meta = maps.Clone(n.Params.Meta)
		if n.Params.Meta == nil {
			n.Params.Meta = map[string]any{}
		}
		n.Params.Meta[mcp.MetaKeySubscriptionID] = stream
	}
	c.send(n, nil)
}

// updated notifies the client of a resource it subscribed to.
func (c *conn) updated(uri string) {
	if !c.IsSubscribedToResource(uri) {
		return
	}
	n := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION}
	n.Method = "notifications/resources/updated"
	n.Params.AdditionalFields = map[string]any{"uri": uri}
	select {
	case c.notify <- n:
	default:
		c.s.log.Warn("client reads too slowly, a notification is lost", "uri", uri)
	}
}

// What follows makes conn an mcp-go session.

var (
	_ server.ClientSession                    = (*conn)(nil)
	_ server.SessionWithLogging               = (*conn)(nil)
	_ server.SessionWithClientInfo            = (*conn)(nil)
	_ server.SessionWithResourceSubscriptions = (*conn)(nil)
	_ server.SessionWithSubscriptionFilter    = (*conn)(nil)
)

func (c *conn) SetSubscriptionFilter(f mcp.SubscriptionFilter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.filter = f; f.IsEmpty() {
		c.stream = nil
	}
}

func (c *conn) SubscriptionFilter() (mcp.SubscriptionFilter, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.filter, !c.legacy
}

func (c *conn) SessionID() string                                   { return "stdio" }
func (c *conn) NotificationChannel() chan<- mcp.JSONRPCNotification { return c.notify }
func (c *conn) Initialize()                                         { c.ready.Store(true) }
func (c *conn) Initialized() bool                                   { return c.ready.Load() }
func (c *conn) SetLogLevel(l mcp.LoggingLevel)                      { c.level.Store(l) }

func (c *conn) GetLogLevel() mcp.LoggingLevel {
	if l, ok := c.level.Load().(mcp.LoggingLevel); ok {
		return l
	}
	return mcp.LoggingLevelError
}

func (c *conn) GetClientInfo() mcp.Implementation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.client
}

func (c *conn) SetClientInfo(i mcp.Implementation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.client = i
}

func (c *conn) GetClientCapabilities() mcp.ClientCapabilities {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.can
}

func (c *conn) SetClientCapabilities(k mcp.ClientCapabilities) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.can = k
}

func (c *conn) SubscribeToResource(uri string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.subscribed) < 1000 && strings.HasPrefix(uri, "fcp://") {
		c.subscribed[uri] = true
	}
}

func (c *conn) UnsubscribeFromResource(uri string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.subscribed, uri)
}

func (c *conn) SubscribedResources() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]string, 0, len(c.subscribed))
	for u := range c.subscribed {
		out = append(out, u)
	}
	return out
}

func (c *conn) IsSubscribedToResource(uri string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.subscribed[uri]
}
