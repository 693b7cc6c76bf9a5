package mcpserver

import (
	"maps"
	"os"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// conn implements an mcp-go session.
var (
	_ server.ClientSession                    = (*conn)(nil)
	_ server.SessionWithLogging               = (*conn)(nil)
	_ server.SessionWithClientInfo            = (*conn)(nil)
	_ server.SessionWithResourceSubscriptions = (*conn)(nil)
	_ server.SessionWithSubscriptionFilter    = (*conn)(nil)
	_ server.SessionWithProtocolVersion       = (*conn)(nil)
)

// watchReader closes gone when nobody reads out any more, even if nothing is written, until the returned function is
// called.
func (c *conn) watchReader() (stop func()) {
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
		if waitUnread(out, woken) {
			c.goneOnce.Do(func() { close(c.gone) })
		}
	}()
	return func() {
		wake.Close()
		<-done
		woken.Close()
	}
}

// forwardNotifications sends mcp-go's notifications to the client. The returned function sends the remaining ones and
// stops.
func (c *conn) forwardNotifications() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case n := <-c.notify:
				c.sendNotification(n)
			case <-done:
				for {
					select {
					case n := <-c.notify:
						c.sendNotification(n)
					default:
						return
					}
				}
			}
		}
	}()
	return func() {
		close(done)
		select {
		case <-ended:
		case <-c.unheard:
		}
	}
}

// sendNotification sends a notification, tagged with its stream.
func (c *conn) sendNotification(n mcp.JSONRPCNotification) {
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

// resourceUpdated notifies the client of a resource that it subscribed to.
func (c *conn) resourceUpdated(uri string) {
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

// SetProtocolVersion sets the version that initialize negotiated.
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

func (c *conn) SessionID() string { return "stdio" }

func (c *conn) NotificationChannel() chan<- mcp.JSONRPCNotification { return c.notify }

func (c *conn) Initialize() { c.ready.Store(true) }

func (c *conn) Initialized() bool { return c.ready.Load() }

func (c *conn) SetLogLevel(l mcp.LoggingLevel) { c.level.Store(l) }

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
