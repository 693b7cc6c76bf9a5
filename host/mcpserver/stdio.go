package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/timing"
	"github.com/mark3labs/mcp-go/mcp"
)

// bom is the byte order mark, which some writers put before what they write.
const bom = "\ufeff"

// maxLine bounds one message from the client, in bytes.
const maxLine = 80 << 20

// ServeStdio answers newline-delimited JSON-RPC from in on out until in ends or
// ctx is done. The calls of one domain run one after the other in the order
// they came; those of different domains do not wait for each other. At the end
// of input, everything that was asked is still answered. A done ctx ends the
// wait, not the call that runs; so does an out that takes no more, or that nobody
// reads any more after the end of input.
//
// mcp-go's own stdio server runs pipelined calls out of order and drops what
// is queued at the end of input, so the loop is ours and the protocol behind
// HandleMessage is its.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ending, end := context.WithCancel(ctx)
	defer end()
	c := newConn(ending, s, out)
	s.resources.updated = c.updated
	callCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	callCtx = domain.WithConfirmer(s.mcp.WithContext(callCtx, c), c.confirm)
	if err := s.mcp.RegisterSession(callCtx, c); err != nil {
		return err
	}
	defer s.mcp.UnregisterSession(context.WithoutCancel(ctx), c.SessionID())
	stop := c.forwardNotifications()
	defer stop()

	// The goroutine that reads a call makes it, and another one reads on: handing
	// the call over would cost more than the rest of a small call's way.
	ended := make(chan error, 1)
	r := newLineReader(in, c.tooLong)
	var read func()
	read = func() {
		for {
			line, err := r.next()
			var calls func()
			if line != nil {
				calls = c.take(callCtx, line)
			}
			switch {
			case err != nil:
				ended <- err
			case calls != nil:
				go read()
			default:
				continue
			}
			if calls != nil {
				calls()
			}
			return
		}
	}
	go read()
	select {
	case <-ctx.Done():
		c.drain()
		return nil
	case <-c.gone:
		end()
		c.drain()
		return nil
	case err := <-ended:
		stop := c.watch()
		defer stop()
		drained := make(chan struct{})
		go func() {
			c.drain()
			close(drained)
		}()
		select {
		case <-drained:
		case <-c.gone: // and nobody reads what is still asked for
			end()
			<-drained
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
}

// lineReader reads lines. Those over maxLine are skipped and reported.
type lineReader struct {
	r       *bufio.Reader
	tooLong func()
}

func newLineReader(in io.Reader, tooLong func()) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(in, 64<<10), tooLong: tooLong}
}

// next gives the next line, without blanks around it, which belongs to the
// caller; nil is none to speak of. With an error it is the last one.
func (l *lineReader) next() ([]byte, error) {
	var buf []byte
	skipping := false
	for {
		part, err := l.r.ReadSlice('\n')
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
			l.tooLong()
		}
		if buf = bytes.TrimSpace(bytes.TrimPrefix(buf, []byte(bom))); len(buf) == 0 {
			buf = nil
		}
		return buf, err
	}
}

// conn is the one client of a stdio server: an mcp-go session and the queues
// of its calls.
type conn struct {
	s      *Server
	out    io.Writer
	ending context.Context // done when the server ends: no call waits for the world any longer
	write  sync.Mutex
	gone   chan struct{} // closed when out takes no more
	left   sync.Once     // closes it
	notify chan mcp.JSONRPCNotification
	ready  atomic.Bool
	level  atomic.Value

	mu         sync.Mutex
	queues     map[string][]func() (handed bool)
	running    map[string]bool
	cancelled  map[string]bool               // ids of queued calls that were cancelled
	queued     map[string]bool               // ids of calls that have not started
	calls      map[string]context.CancelFunc // of the calls that run, by id
	pending    sync.WaitGroup
	draining   bool                      // whether nothing more is taken
	ended      chan struct{}             // closed when it is
	asked      map[string]chan *envelope // what the client was asked, by id
	questions  int
	subscribed map[string]bool
	client     mcp.Implementation
	can        mcp.ClientCapabilities

	// A client of protocol version 2026-07-28 never sends initialize. It gets
	// only the notifications that it listens for, tagged with the id of its
	// subscriptions/listen request.
	legacy bool
	filter mcp.SubscriptionFilter
	stream json.RawMessage

	version string // of the protocol, as initialize negotiated it
}

func newConn(ending context.Context, s *Server, out io.Writer) *conn {
	return &conn{s: s, out: out, ending: ending, gone: make(chan struct{}), notify: make(chan mcp.JSONRPCNotification, 256),
		ended: make(chan struct{}), asked: map[string]chan *envelope{},
		queues: map[string][]func() bool{}, running: map[string]bool{}, cancelled: map[string]bool{},
		queued: map[string]bool{}, calls: map[string]context.CancelFunc{}, subscribed: map[string]bool{}}
}

// envelope is what the transport needs to know of a message, and all of a call.
type envelope struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  struct {
		Name      string          `json:"name"`
		Arguments any             `json:"arguments"`
		Meta      *mcp.Meta       `json:"_meta"`
		Task      json.RawMessage `json:"task"`
		URI       string          `json:"uri"`
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// plain reports whether a call is one of the revisions with initialize, and
// nothing but a call. mcp-go would read it four times more for what others hold.
func (e *envelope) plain() bool {
	id := len(e.ID) > 0 && (e.ID[0] == '"' || e.ID[0] == '-' || e.ID[0] >= '0' && e.ID[0] <= '9')
	return id && e.JSONRPC == mcp.JSONRPC_VERSION && e.Params.Meta.ProtocolVersion() == "" && e.Params.Task == nil && e.Result == nil
}

// take dispatches a message, unless nothing more is taken. What is answered at
// once is waited for as well: half an answer is worse than none. The function
// it returns makes the calls that are waiting, nil for none that nobody makes.
func (c *conn) take(ctx context.Context, line []byte) (calls func()) {
	c.mu.Lock()
	if c.draining {
		c.mu.Unlock()
		return nil
	}
	c.pending.Add(1)
	c.mu.Unlock()
	defer c.pending.Done()
	return c.dispatch(timing.With(ctx, timing.Start(c.s.log, len(line)).Piped()), line)
}

// dispatch answers a message at once or queues it. What it returns is that of take.
func (c *conn) dispatch(ctx context.Context, line []byte) (calls func()) {
	var e envelope
	err := json.Unmarshal(line, &e)
	timing.Lap(ctx, timing.Parse)
	if err != nil {
		if line[0] == '[' && batchOf(ctx) == nil && c.ProtocolVersion() == mcp.ProtocolVersion20250326 {
			c.takeBatch(ctx, line)
			return nil
		}
		if id, ok := unnamed(line); ok {
			c.handle(ctx, func() any {
				return answered{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Error: &mcp.JSONRPCErrorDetails{Code: mcp.INVALID_PARAMS, Message: paramsText}}
			})
			return nil
		}
		// HandleMessage says in the protocol's words what is wrong.
		c.answer(ctx, e.ID, line)
		return nil
	}
	switch e.Method {
	case "":
		if !c.answered(&e) {
			c.answer(ctx, e.ID, line)
		}
	case "tools/call":
		ctx = withToken(ctx, tokenOf(e.Params.Meta, line))
		tool, ok := (*c.s.called.Load())[e.Params.Name]
		switch {
		case e.Params.Name == appTool:
			return c.aside(ctx, e.ID, func(ctx context.Context) { c.answerCall(ctx, e.ID, line) })
		case !ok: // yet: it may wait for its domain
			return c.enqueue(ctx, family(e.Params.Name), e.ID, func() { c.answerCall(ctx, e.ID, line) })
		case tool.free:
			return c.aside(ctx, e.ID, func(ctx context.Context) { c.make(ctx, &e, tool, line) })
		case tool.asks:
			return c.enqueueAsking(ctx, tool.queue, e.ID, func(ctx context.Context) { c.make(ctx, &e, tool, line) })
		}
		if e.plain() {
			return c.queue(ctx, tool.queue, e.ID, func() bool { c.call(ctx, &e, tool, nil); return false })
		}
		return c.enqueue(ctx, tool.queue, e.ID, func() { c.answerCall(ctx, e.ID, line) })
	case "tools/list":
		select {
		case <-c.s.session.Opened():
			c.answer(ctx, e.ID, line)
		default: // it waits, and nothing else has to
			return c.enqueue(ctx, e.Method, e.ID, func() { c.answer(ctx, e.ID, line) })
		}
	case "resources/read":
		dom, _, _, err := parse(e.Params.URI)
		if err != nil {
			c.answer(ctx, e.ID, line)
			return nil
		}
		if c.s.config.Unified {
			dom = ""
		}
		return c.enqueue(ctx, dom, e.ID, func() { c.answer(ctx, e.ID, line) })
	case "notifications/cancelled":
		id := string(e.Params.RequestID)
		c.mu.Lock()
		waiting, cancel := c.queued[id], c.calls[id]
		if waiting {
			c.cancelled[id] = true
		}
		c.mu.Unlock()
		switch {
		case waiting:
			c.deliver(ctx, nil)
		case cancel != nil:
			cancel()
			c.deliver(ctx, nil)
		default:
			c.answer(ctx, e.ID, line)
		}
	case "initialize":
		c.mu.Lock()
		c.legacy = true
		c.mu.Unlock()
		c.answer(ctx, e.ID, line)
	case "subscriptions/listen":
		// A stream: it lasts until the client cancels it or goes.
		c.mu.Lock()
		c.stream = e.ID
		c.mu.Unlock()
		go c.answer(ctx, e.ID, line)
	default:
		c.answer(ctx, e.ID, line)
	}
	return nil
}

const paramsText = "params must be an object"

// unnamed reports whether a message is a request whose params are no object, which
// every method has, and gives its id.
func unnamed(message []byte) (id json.RawMessage, ok bool) {
	var e struct {
		ID, Params json.RawMessage
		Method     string
	}
	if json.Unmarshal(message, &e) != nil || len(e.ID) == 0 || e.Method == "" || len(e.Params) == 0 {
		return nil, false
	}
	return e.ID, e.Params[0] != '{' && string(e.Params) != "null"
}

// make makes a call of a tool that reads its own arguments or may wait.
func (c *conn) make(ctx context.Context, e *envelope, t tool, line []byte) {
	if e.plain() {
		c.call(ctx, e, t, line)
	} else {
		c.answerCall(ctx, e.ID, line)
	}
}
