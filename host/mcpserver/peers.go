package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/mark3labs/mcp-go/mcp"
)

// Peers are the hosts that share a store with this one. A request for a document or session of another host is
// forwarded to it unchanged, so that clients may use any host. Documents stay where they are until their host ends.
type Peers struct {
	Host      string                            // name of this host, made of letters and digits
	Address   func(host string) (string, error) // http://HOST:PORT of a living host, "" if it is not alive
	Transport http.RoundTripper                 // for requests to the hosts
	Wait      time.Duration                     // for the host of a document to answer; 0 means 10 s
}

// forwarded is the header of a request that a host has forwarded, with that host's name. It is not forwarded again.
const forwarded = "Fcp-Forwarded-By"

const (
	retryPause = 50 * time.Millisecond  // between attempts to reach a document's host
	watchPause = 250 * time.Millisecond // before checking whether a host that is waited for still has the document; doubled after each check
	watchMost  = 4 * time.Second        // longest pause between checks
)

// sessionID makes a session's id. With peers it ends with the host's name.
func (p *Peers) sessionID(random string) string {
	if p == nil {
		return random
	}
	return random + "-" + p.Host
}

// hostOf is the other host in a session's id, "" if there is none.
func (p *Peers) hostOf(id string) string {
	if p == nil {
		return ""
	}
	_, host, _ := strings.Cut(id, "-")
	if host == p.Host {
		return ""
	}
	return host
}

// document returns the handle of the document that a message without a session is about, and whether the message only
// reads. Any host can answer a message without a handle.
func (m *incoming) document() (handle string, reads bool) {
	if m.Method == string(mcp.MethodToolsCall) {
		var a struct {
			Document string `json:"document"`
		}
		_ = json.Unmarshal(m.Params.Arguments, &a) // arguments of another form name no document
		return a.Document, strings.HasSuffix(m.Params.Name, "_query") || strings.HasSuffix(m.Params.Name, "_help")
	}
	if _, doc, _, err := parseURI(m.Params.URI); err == nil {
		handle = doc
	}
	return handle, true
}

// forwardDocument answers a request without a session that is about a document of another host, and reports whether it
// did. Otherwise this host has the document, or none has it.
func (h *HTTP) forwardDocument(w http.ResponseWriter, r *http.Request, principal string, body []byte, m *incoming) bool {
	if h.c.Peers == nil {
		return false
	}
	handle, reads := m.document()
	if handle == "" {
		return false
	}
	own := h.sharedOf(principal)
	defer h.leave(own)
	s := own.session
	for end := time.Now().Add(h.c.Peers.Wait); ; {
		host, err := s.Elsewhere(r.Context(), handle)
		if err == nil && host == "" && s.Resume(r.Context(), handle) {
			return false
		}
		if err == nil && r.Header.Get(forwarded) != "" {
			http.Error(w, "the document is another host's", http.StatusMisdirectedRequest)
			return true
		}
		why := errNotReached
		if err == nil && host != "" {
			why = h.forward(w, r, host, body, func() bool {
				now, err := s.Elsewhere(r.Context(), handle)
				return err == nil && now != host
			})
		}
		switch {
		case why == nil, r.Context().Err() != nil:
			return true
		case errors.Is(why, errUnanswered) && !reads:
			answerUncertain(w, m)
			return true
		case err != nil: // the store was asked for as long as a call waits for it
			answerFailed(w, m, err.Error()+", so nothing was changed: repeat the call")
			return true
		case time.Now().After(end):
			answerFailed(w, m, "cannot reach the host that owns this document, so nothing was changed: repeat the call")
			return true
		}
		select {
		case <-time.After(retryPause):
		case <-r.Context().Done():
		}
	}
}

// Errors of forward.
var (
	errNotReached = errors.New("the host is not reached") // the host has not got the request
	errUnanswered = errors.New("the host did not answer") // it is unknown what the host did
)

// hopHeaders are headers of a connection, which are not forwarded.
var hopHeaders = []string{"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// forward has another host answer a request, and stops waiting for it once lost returns true. After an error nothing
// was written to w.
func (h *HTTP) forward(w http.ResponseWriter, r *http.Request, host string, body []byte, lost func() bool) error {
	address, err := h.c.Peers.Address(host)
	if err != nil || address == "" {
		return errNotReached
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	var sent atomic.Bool
	out, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }}),
		r.Method, address+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		return errNotReached
	}
	out.Header, out.Host = r.Header.Clone(), r.Host
	for _, name := range hopHeaders {
		out.Header.Del(name)
	}
	out.Header.Set(forwarded, h.c.Peers.Host)
	go func() { // until the whole answer is read, since a host may stop in the middle
		for pause := watchPause; ; pause = min(2*pause, watchMost) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
				if lost() {
					cancel()
				}
			}
		}
	}()
	res, err := h.c.Peers.Transport.RoundTrip(out)
	switch {
	case err != nil && sent.Load():
		return errUnanswered
	case err != nil:
		return errNotReached
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusMisdirectedRequest {
		return errNotReached
	}
	copyResponse(w, res)
	return nil
}

// copyResponse writes a response to w, each part as it arrives.
func copyResponse(w http.ResponseWriter, res *http.Response) {
	maps.Copy(w.Header(), res.Header)
	w.WriteHeader(res.StatusCode)
	flush := http.NewResponseController(w)
	buf := make([]byte, 32<<10)
	for {
		n, err := res.Body.Read(buf)
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return
			}
			_ = flush.Flush() // if unsupported, it is sent at the end
		}
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			panic(http.ErrAbortHandler) // shows the client that the answer is incomplete
		}
	}
}

// answerUncertain answers a call of which it is unknown whether it was done.
func answerUncertain(w http.ResponseWriter, m *incoming) {
	answerFailed(w, m, "the host that worked on the document ended during this call, which may have been done or not: look at the document before you repeat it")
}

// answerFailed answers a call that no host answers as a failed call, which a model reads, unlike an error of the protocol. Other requests
// get that.
func answerFailed(w http.ResponseWriter, m *incoming, why string) {
	out := rpcAnswer{JSONRPC: mcp.JSONRPC_VERSION, ID: m.ID}
	if m.Method == string(mcp.MethodToolsCall) {
		out.Result = mcp.NewToolResultError("! " + why + "\n")
	} else {
		out.Error = &mcp.JSONRPCErrorDetails{Code: mcp.INTERNAL_ERROR, Message: why}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out) // an error means that the client has disconnected
}

// gone reports whether a host is known to be gone.
func (h *HTTP) gone(host string) bool {
	address, err := h.c.Peers.Address(host)
	return err == nil && address == ""
}

// forwardSession has the host of a session answer, and reports whether there is one.
func (h *HTTP) forwardSession(w http.ResponseWriter, r *http.Request, id string) bool {
	host := h.c.Peers.hostOf(id)
	if host == "" || r.Header.Get(forwarded) != "" {
		return false
	}
	body, ok := gate.ReadBody(w, r, maxLine)
	if !ok {
		return true
	}
	err := h.forward(w, r, host, body, func() bool { return h.gone(host) })
	if errors.Is(err, errUnanswered) && r.Context().Err() == nil {
		answerUncertain(w, readMessage(body))
	}
	return !errors.Is(err, errNotReached)
}
