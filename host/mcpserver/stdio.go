package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/timing"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
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

// aside lets a call run beside all others: what it returns makes it.
func (c *conn) aside(ctx context.Context, rawID json.RawMessage, call func(context.Context)) (calls func()) {
	id := string(rawID)
	c.mu.Lock()
	c.pending.Add(1)
	c.queued[id] = true
	c.mu.Unlock()
	return func() {
		defer c.pending.Done()
		if c.dropped(id) {
			c.deliver(ctx, nil)
			return
		}
		ctx, end := c.patient(ctx, func() {})
		defer end()
		call(ctx)
	}
}

// dropped takes a call out of those that have not started, and reports whether it was cancelled before.
func (c *conn) dropped(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.queued, id)
	dropped := c.cancelled[id]
	delete(c.cancelled, id)
	return dropped
}

// enqueueAsking is enqueue for a call that may wait for the world: meanwhile those behind it are made.
func (c *conn) enqueueAsking(ctx context.Context, queue string, rawID json.RawMessage, answer func(context.Context)) (calls func()) {
	return c.queue(ctx, queue, rawID, func() (handed bool) {
		ctx, end := c.patient(ctx, func() {
			handed = true
			go c.work(queue)
		})
		defer end()
		answer(ctx)
		return handed
	})
}

// patient returns a context for a call that may wait for the world. When it begins to, next is called, and from then on the end of
// the server ends the wait. The function that it returns is called behind the call.
func (c *conn) patient(ctx context.Context, next func()) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	waits, stop := false, func() bool { return true }
	ctx = domain.WithYield(ctx, func() {
		if !waits {
			waits, stop = true, context.AfterFunc(c.ending, cancel)
			next()
		}
	})
	return ctx, func() {
		stop()
		cancel()
	}
}

// enqueue lets answer run after the calls before it in the same queue. Where
// nobody makes those, the function it returns does.
func (c *conn) enqueue(ctx context.Context, queue string, rawID json.RawMessage, answer func()) (calls func()) {
	return c.queue(ctx, queue, rawID, func() bool {
		answer()
		return false
	})
}

// queue is enqueue for an answer that reports whether another goroutine makes the calls behind it.
func (c *conn) queue(ctx context.Context, queue string, rawID json.RawMessage, answer func() (handed bool)) (calls func()) {
	id := string(rawID)
	run := func() (handed bool) {
		defer c.pending.Done()
		if c.dropped(id) {
			c.deliver(ctx, nil)
			return false
		}
		return answer()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending.Add(1)
	c.queued[id] = true
	c.queues[queue] = append(c.queues[queue], run)
	if c.running[queue] {
		return nil
	}
	c.running[queue] = true
	return func() { c.work(queue) }
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
		if run() {
			return
		}
	}
}

// drain takes no more messages and waits for the answers to those that were taken.
func (c *conn) drain() {
	c.mu.Lock()
	if !c.draining {
		close(c.ended)
	}
	c.draining = true
	c.mu.Unlock()
	c.pending.Wait()
}

// answer has the message in line, whose id is id, handled, and delivers the answer.
func (c *conn) answer(ctx context.Context, id json.RawMessage, line []byte) {
	c.handle(ctx, func() any {
		res := c.s.mcp.HandleMessage(ctx, line)
		if res == nil {
			return nil
		}
		return response(res, id)
	})
}

// answerCall is answer for the call of a tool, which may be a typed one.
func (c *conn) answerCall(ctx context.Context, id json.RawMessage, line []byte) {
	ctx, x := withExchange(ctx, line)
	c.handle(ctx, func() any {
		res := c.s.mcp.HandleMessage(ctx, line)
		switch {
		case res == nil:
			return nil
		case x.failure != nil:
			return answered{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Error: x.failure}
		}
		return response(res, id)
	})
}

// call makes a plain call, and delivers the answer. line is its message, which typed tools read themselves.
func (c *conn) call(ctx context.Context, e *envelope, t tool, line []byte) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	id := string(e.ID)
	c.mu.Lock()
	c.calls[id] = cancel
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.calls, id)
		c.mu.Unlock()
	}()
	c.handle(ctx, func() any {
		if t.typed == nil {
			return answered{JSONRPC: mcp.JSONRPC_VERSION, ID: e.ID, Result: t.call(ctx, e.Params.Arguments, e.Params.Meta)}
		}
		x := exchange{message: line}
		res, failure := t.typed(ctx, x.arguments(), e.Params.Meta)
		if failure != nil {
			return answered{JSONRPC: mcp.JSONRPC_VERSION, ID: e.ID, Error: failure}
		}
		return answered{JSONRPC: mcp.JSONRPC_VERSION, ID: e.ID, Result: res}
	})
}

// handle delivers what f answers to a message, nil for nothing.
func (c *conn) handle(ctx context.Context, f func() any) {
	var data []byte
	defer func() {
		if p := recover(); p != nil {
			c.s.log.Error("message failed", "panic", p)
		}
		c.deliver(ctx, data)
		timing.Of(ctx).Log(c.s.log)
	}()
	timing.Lap(ctx, timing.Wait)
	if res := f(); res != nil {
		data = c.encode(res)
		timing.Lap(ctx, timing.Encode)
	}
}

// deliver sends what answers one message that was taken, nil for nothing. Every
// message comes to one call of it.
func (c *conn) deliver(ctx context.Context, answer []byte) {
	call := timing.Of(ctx)
	if b := batchOf(ctx); b != nil {
		call.Sent(len(answer))
		answer, call = b.add(answer), nil
	}
	if answer != nil {
		c.send(answer, call)
	}
}

// answered is an answer with its id as the client wrote it, which mcp-go would
// read as a number of Go's and write in its own way.
type answered struct {
	JSONRPC string                   `json:"jsonrpc"`
	ID      json.RawMessage          `json:"id"`
	Result  any                      `json:"result,omitempty"`
	Error   *mcp.JSONRPCErrorDetails `json:"error,omitempty"`
}

func response(res mcp.JSONRPCMessage, id json.RawMessage) any {
	if len(id) == 0 {
		return res
	}
	switch res := res.(type) {
	case mcp.JSONRPCResponse:
		return answered{JSONRPC: res.JSONRPC, ID: id, Result: res.Result}
	case mcp.JSONRPCError:
		return answered{JSONRPC: res.JSONRPC, ID: id, Error: &res.Error}
	}
	return res
}

// batch is a JSON-RPC batch on its way, which is answered by one message. Only
// revision 2025-03-26 of MCP has them.
type batch struct {
	mu      sync.Mutex
	left    int // messages without an answer
	answers [][]byte
}

type batchKey struct{}

// batchOf is the batch that a message came in, or nil.
func batchOf(ctx context.Context) *batch {
	b, _ := ctx.Value(batchKey{}).(*batch)
	return b
}

// takeBatch dispatches the messages of a batch.
func (c *conn) takeBatch(ctx context.Context, line []byte) {
	var list []json.RawMessage
	if json.Unmarshal(line, &list) != nil || len(list) == 0 {
		c.answer(ctx, nil, line)
		return
	}
	b := &batch{left: len(list)}
	for _, message := range list {
		ctx := context.WithValue(ctx, batchKey{}, b)
		if calls := c.dispatch(timing.With(ctx, timing.Start(c.s.log, len(message)).Piped()), message); calls != nil {
			go calls()
		}
	}
}

// add takes in the answer to one message, nil for none, and gives the batch's
// own when it was the last.
func (b *batch) add(answer []byte) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if answer != nil {
		b.answers = append(b.answers, bytes.TrimSpace(answer))
	}
	if b.left--; b.left > 0 || len(b.answers) == 0 {
		return nil
	}
	return slices.Concat([]byte("["), bytes.Join(b.answers, []byte(",")), []byte("]\n"))
}

func (c *conn) tooLong() {
	c.tell(mcp.NewJSONRPCError(mcp.RequestId{}, mcp.INVALID_REQUEST, "the message is longer than 80 MiB; split it up", nil))
}

// tell sends a message that answers none.
func (c *conn) tell(v any) {
	if data := c.encode(v); data != nil {
		c.send(data, nil)
	}
}

// encode is v as a line, nil where it cannot be one.
func (c *conn) encode(v any) []byte {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		c.s.log.Error("answer cannot be encoded", "error", err)
		return nil
	}
	return line.Bytes()
}

// send writes a line. call is nil for one that answers no message.
func (c *conn) send(line []byte, call *timing.Call) {
	c.write.Lock()
	defer c.write.Unlock()
	n, err := c.out.Write(line)
	if err != nil {
		c.left.Do(func() {
			c.s.log.Warn("client is gone", "error", err)
			close(c.gone)
		})
	}
	call.Sent(n)
}

// watch notices that the client is gone once nobody reads out, though nothing is written to it, until the function that it returns is
// called.
func (c *conn) watch() (stop func()) {
	out, ok := c.out.(*os.File)
	if !ok {
		return func() {}
	}
	woken, wake, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if unread(out, woken) {
			c.left.Do(func() { close(c.gone) })
		}
	}()
	return func() {
		wake.Close()
		<-done
		woken.Close()
	}
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
				c.notified(n)
			case <-done:
				for {
					select {
					case n := <-c.notify:
						c.notified(n)
					default:
						return
					}
				}
			}
		}
	}()
	return func() { close(done); <-ended }
}

// notified sends a notification, tagged with the stream it belongs to.
func (c *conn) notified(n mcp.JSONRPCNotification) {
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
	c.tell(n)
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
	_ server.SessionWithProtocolVersion       = (*conn)(nil)
)

// SetProtocolVersion keeps what initialize negotiated.
func (c *conn) SetProtocolVersion(version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version = version
}

func (c *conn) ProtocolVersion() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

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
