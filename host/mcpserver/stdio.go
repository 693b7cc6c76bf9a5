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

// bom is the byte order mark, which some programs write first.
const bom = "\ufeff"

// maxLine is the maximum size of a message from the client, in bytes.
const maxLine = 80 << 20

// ServeStdio answers newline-delimited JSON-RPC from in on out until in ends, ctx is done or the server is orphaned. Calls of one domain run
// one after the other in order of arrival; calls of different domains do not wait for each other. At the end of input,
// all pending requests are still answered. When ctx is done, the server is orphaned, out fails, or nobody reads out after
// the end of input, calls no longer wait for the world, but the running ones are completed.
//
// mcp-go's own stdio server runs pipelined calls out of order and drops queued ones at the end of input. So this loop
// replaces it, and only HandleMessage is mcp-go's.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ending, end := context.WithCancel(ctx)
	defer end()
	c := newConn(ending, s, out)
	s.resources.updated = c.resourceUpdated
	callCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	callCtx = domain.WithConfirmer(s.mcp.WithContext(callCtx, c), c.confirm)
	if err := s.mcp.RegisterSession(callCtx, c); err != nil {
		return err
	}
	defer s.mcp.UnregisterSession(context.WithoutCancel(ctx), c.SessionID())
	stop := c.forwardNotifications()
	defer stop()

	// The goroutine that reads a call also runs it, while another one continues reading: handing the call over would
	// cost more than the rest of a small call.
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
	case <-s.config.Orphaned:
		s.log.Warn("the process that started the server has ended")
		end()
		c.abandon()
		return nil
	case err := <-ended:
		stop := c.watchReader()
		defer stop()
		drained := make(chan struct{})
		go func() {
			c.drain()
			close(drained)
		}()
		select {
		case <-drained:
		case <-c.gone: // nobody reads the remaining answers
			end()
			<-drained
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
}

// lineReader reads lines. Lines over maxLine are skipped and reported.
type lineReader struct {
	r       *bufio.Reader
	tooLong func()
}

func newLineReader(in io.Reader, tooLong func()) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(in, 64<<10), tooLong: tooLong}
}

// next returns the next line without surrounding blanks, or nil for an empty or skipped one. The caller may keep it.
// With an error it is the last line.
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

// conn is the one client of a stdio server: an mcp-go session and the queues of its calls.
type conn struct {
	s        *Server
	out      io.Writer
	ending   context.Context // done when the server ends: calls no longer wait for the world
	write    sync.Mutex
	gone     chan struct{} // closed when the client is gone
	unheard  chan struct{} // closed when nobody takes the last answers: see abandon
	writes   atomic.Int64  // counts the begun and the finished writes: odd during one
	busy     atomic.Int64  // calls that are being computed
	goneOnce sync.Once     // closes gone
	notify   chan mcp.JSONRPCNotification
	ready    atomic.Bool
	level    atomic.Value

	mu         sync.Mutex
	queues     map[string][]func() (handed bool)
	running    map[string]bool
	cancelled  map[string]bool               // ids of queued calls that were cancelled
	queued     map[string]bool               // ids of calls that have not started
	calls      map[string]context.CancelFunc // running calls, by id
	pending    sync.WaitGroup
	draining   bool                      // no more messages are accepted
	ended      chan struct{}             // closed when draining begins
	asked      map[string]chan *envelope // questions to the client, by id
	questions  int
	askedRoots bool // the client was asked for its roots
	subscribed map[string]bool
	client     mcp.Implementation
	can        mcp.ClientCapabilities

	// legacy means that the client has sent initialize. A client of protocol version 2026-07-28 does not; it gets only
	// the notifications that it listens for, tagged with the id of its subscriptions/listen request.
	legacy bool
	filter mcp.SubscriptionFilter
	stream json.RawMessage

	version string // of the protocol, as negotiated by initialize
}

func newConn(ending context.Context, s *Server, out io.Writer) *conn {
	return &conn{s: s, out: out, ending: ending, gone: make(chan struct{}), unheard: make(chan struct{}), notify: make(chan mcp.JSONRPCNotification, 256),
		ended: make(chan struct{}), asked: map[string]chan *envelope{},
		queues: map[string][]func() bool{}, running: map[string]bool{}, cancelled: map[string]bool{},
		queued: map[string]bool{}, calls: map[string]context.CancelFunc{}, subscribed: map[string]bool{}}
}

// envelope is what the transport reads of a message, and everything in a call.
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

// plain reports whether a message is a call of a revision with initialize without further fields. Such a call bypasses
// mcp-go, which would decode it four more times to look for them.
func (e *envelope) plain() bool {
	id := len(e.ID) > 0 && (e.ID[0] == '"' || e.ID[0] == '-' || e.ID[0] >= '0' && e.ID[0] <= '9')
	return id && e.JSONRPC == mcp.JSONRPC_VERSION && e.Params.Meta.ProtocolVersion() == "" && e.Params.Task == nil && e.Result == nil
}

// take dispatches a message, unless no more are accepted; drain waits for immediate answers, too. It returns a function
// that runs the waiting calls of a queue, or nil if another goroutine does.
func (c *conn) take(ctx context.Context, line []byte) (calls func()) {
	c.mu.Lock()
	if c.draining {
		c.mu.Unlock()
		return nil
	}
	c.pending.Add(1)
	c.mu.Unlock()
	defer c.pending.Done()
	return c.dispatch(timing.With(ctx, timing.Start(c.s.log, len(line)).SetPiped()), line)
}

// dispatch answers a message at once or queues it, and returns the same as take.
func (c *conn) dispatch(ctx context.Context, line []byte) (calls func()) {
	var e envelope
	err := json.Unmarshal(line, &e)
	timing.Lap(ctx, timing.Parse)
	if err != nil {
		if line[0] == '[' && batchOf(ctx) == nil && c.ProtocolVersion() == mcp.ProtocolVersion20250326 {
			c.takeBatch(ctx, line)
			return nil
		}
		if m := readMessage(line); m.badParams() != "" {
			c.handle(ctx, func() any {
				return rpcAnswer{JSONRPC: mcp.JSONRPC_VERSION, ID: m.ID, Error: &mcp.JSONRPCErrorDetails{Code: mcp.INVALID_PARAMS, Message: m.badParams()}}
			})
			return nil
		}
		// HandleMessage answers with the protocol's error.
		c.answer(ctx, e.ID, line)
		return nil
	}
	switch e.Method {
	case "":
		if !c.takeAnswer(&e) {
			c.answer(ctx, e.ID, line)
		}
	case "tools/call":
		return c.dispatchCall(ctx, &e, line)
	case "tools/list":
		select {
		case <-c.s.session.Opened():
			c.answer(ctx, e.ID, line)
		default: // waits for the source without delaying others
			return c.enqueue(ctx, e.Method, e.ID, func() { c.answer(ctx, e.ID, line) })
		}
	case "resources/read":
		dom, _, _, err := parseURI(e.Params.URI)
		if err != nil {
			c.answer(ctx, e.ID, line)
			return nil
		}
		if c.s.config.Unified {
			dom = ""
		}
		return c.enqueue(ctx, dom, e.ID, func() { c.answer(ctx, e.ID, line) })
	case "notifications/cancelled":
		c.cancelCall(ctx, &e, line)
	case "initialize":
		c.mu.Lock()
		c.legacy = true
		c.mu.Unlock()
		c.answer(ctx, e.ID, line)
	case "notifications/initialized":
		c.answer(ctx, e.ID, line)
		c.askRoots(ctx, false)
	case mcp.MethodNotificationRootsListChanged:
		c.answer(ctx, e.ID, line)
		c.askRoots(ctx, true)
	case "subscriptions/listen":
		// A stream, until the client cancels it or disconnects.
		c.mu.Lock()
		c.stream = e.ID
		c.mu.Unlock()
		go c.answer(ctx, e.ID, line)
	default:
		c.answer(ctx, e.ID, line)
	}
	return nil
}

// dispatchCall queues the call of a tool, and returns the same as take.
func (c *conn) dispatchCall(ctx context.Context, e *envelope, line []byte) (calls func()) {
	c.askRoots(ctx, false) // for clients that do not send notifications/initialized
	ctx = withToken(ctx, tokenOf(e.Params.Meta, line))
	tool, ok := (*c.s.toolByName.Load())[e.Params.Name]
	run := func(ctx context.Context) { c.makeCall(ctx, e, tool, line) }
	switch {
	case e.Params.Name == appTool:
		return c.concurrent(ctx, e.ID, func(ctx context.Context) { c.answerCall(ctx, e.ID, e.Params.Name, line) })
	case !ok: // its domain may not be served yet
		return c.enqueue(ctx, domainOfTool(e.Params.Name), e.ID, func() { c.answerCall(ctx, e.ID, e.Params.Name, line) })
	case tool.concurrent:
		return c.concurrent(ctx, e.ID, run)
	case tool.mayAsk:
		return c.enqueueAsking(ctx, tool.queue, e.ID, run)
	}
	return c.enqueue(ctx, tool.queue, e.ID, func() { run(ctx) })
}

// cancelCall cancels the call that a notification names, whether it is queued or running.
func (c *conn) cancelCall(ctx context.Context, e *envelope, line []byte) {
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
}

// makeCall runs the call of a tool, without mcp-go if it is plain.
func (c *conn) makeCall(ctx context.Context, e *envelope, t tool, line []byte) {
	if e.plain() {
		c.call(ctx, e, t, line)
	} else {
		c.answerCall(ctx, e.ID, e.Params.Name, line)
	}
}
