package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// Peers are the hosts that share a store with this one. A request for a document or a session that another host has is sent on to it, as
// it came, so that clients may reach any of the hosts: the documents themselves stay where they are until that host ends.
type Peers struct {
	Host      string                            // name of this host, of letters and digits
	Address   func(host string) (string, error) // http://HOST:PORT of a living host, "" for none
	Transport http.RoundTripper                 // to the hosts
	Wait      time.Duration                     // for a document of a host that does not answer; 0 means 10 s
}

// forwarded marks a request that a host sent on, with that host's name. It is not sent on again.
const forwarded = "Fcp-Forwarded-By"

const (
	retryPause = 50 * time.Millisecond  // between tries to reach the host of a document
	watchPause = 250 * time.Millisecond // until the first look whether a host that is waited for still has the document; doubled by each
	watchMost  = 4 * time.Second        // between later ones
)

// sessionID makes the id of a session. With peers it ends with the host that has the session.
func (p *Peers) sessionID(random string) string {
	if p == nil {
		return random
	}
	return random + "-" + p.Host
}

// hostOf is the other host that a session's id names, "" for none.
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

// meant is the document that a message without a session is about, by its handle, and whether the message only reads. No handle: any
// host can answer it.
func meant(body []byte) (handle string, reads bool) {
	var m struct {
		Method string `json:"method"`
		Params struct {
			Name      string `json:"name"`
			URI       string `json:"uri"`
			Arguments struct {
				Document string `json:"document"`
			} `json:"arguments"`
		} `json:"params"`
	}
	_ = json.Unmarshal(body, &m) // what does not fit names no document
	if m.Method == string(mcp.MethodToolsCall) {
		return m.Params.Arguments.Document, strings.HasSuffix(m.Params.Name, "_query") || strings.HasSuffix(m.Params.Name, "_help")
	}
	if _, doc, _, err := parse(m.Params.URI); err == nil {
		handle = doc
	}
	return handle, true
}

// elsewhere answers a request without a session that is about a document of another host, and reports whether it did. Otherwise the
// document is here, if it is anywhere.
func (h *HTTP) elsewhere(w http.ResponseWriter, r *http.Request, principal string, body []byte) bool {
	if h.c.Peers == nil {
		return false
	}
	handle, reads := meant(body)
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
			why = h.sendOn(w, r, host, body, func() bool {
				now, err := s.Elsewhere(r.Context(), handle)
				return err == nil && now != host
			})
		}
		switch {
		case why == nil, r.Context().Err() != nil:
			return true
		case errors.Is(why, errUnanswered) && !reads:
			doubtful(w, body)
			return true
		case time.Now().After(end):
			if err == nil {
				err = errors.New("the host that has the document is not reached")
			}
			gate.Busy(w, http.StatusServiceUnavailable, err.Error())
			return true
		}
		select {
		case <-time.After(retryPause):
		case <-r.Context().Done():
		}
	}
}

// Why a request was not answered by another host.
var (
	errNotReached = errors.New("the host is not reached") // it has not seen the request
	errUnanswered = errors.New("the host did not answer") // what it did is not known
)

// hops are the headers of a connection, not of a request.
var hops = []string{"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// sendOn has another host answer a request. Once lost reports true, the host is not waited for any more. After an error nothing is
// written to w.
func (h *HTTP) sendOn(w http.ResponseWriter, r *http.Request, host string, body []byte, lost func() bool) error {
	address, err := h.c.Peers.Address(host)
	if err != nil || address == "" {
		return errNotReached
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	var sent atomic.Bool
	out, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }}),
		r.Method, address+HTTPPath, bytes.NewReader(body))
	if err != nil {
		return errNotReached
	}
	out.Header, out.Host = r.Header.Clone(), r.Host
	for _, name := range hops {
		out.Header.Del(name)
	}
	out.Header.Set(forwarded, h.c.Peers.Host)
	go func() { // until the answer is whole: a host may stop within it
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
	hand(w, res)
	return nil
}

// hand writes a response on, each part as it comes.
func hand(w http.ResponseWriter, res *http.Response) {
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
			_ = flush.Flush() // where it cannot be, it goes out at the end
		}
		switch {
		case err == io.EOF:
			return
		case err != nil:
			panic(http.ErrAbortHandler) // the client is to see that the answer is not whole
		}
	}
}

// doubtful answers a call of which nobody knows whether it was done.
func doubtful(w http.ResponseWriter, body []byte) {
	m := head{ID: json.RawMessage("null")}
	_ = json.Unmarshal(body, &m)
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, m.ID, mcp.INTERNAL_ERROR,
		"the host that worked on the document ended during this call, which may have been done or not: look at the document before you repeat it")
}

// toSession has the host of a session answer, and reports whether there is one.
func (h *HTTP) toSession(w http.ResponseWriter, r *http.Request, id string) bool {
	host := h.c.Peers.hostOf(id)
	if host == "" || r.Header.Get(forwarded) != "" {
		return false
	}
	body, ok := gate.ReadBody(w, r, maxLine)
	if !ok {
		return true
	}
	gone := func() bool {
		address, err := h.c.Peers.Address(host)
		return err == nil && address == ""
	}
	err := h.sendOn(w, r, host, body, gone)
	if errors.Is(err, errUnanswered) && r.Context().Err() == nil {
		doubtful(w, body)
	}
	return !errors.Is(err, errNotReached)
}
