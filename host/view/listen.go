package view

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

const (
	maxRequest = 64 << 10
	maxStreams = 16 // open pages
	maxAsking  = 16 // concurrent requests
	beat       = 25 * time.Second
)

// Server serves a View to browsers on this machine that know the token.
type Server struct {
	view    *View
	token   string
	host    string // the only Host header that it accepts
	srv     *http.Server
	ended   chan struct{}
	streams atomic.Int32
	asking  chan struct{}
}

// Listen serves the view on a port of the loopback interface. It answers only requests with the token, which is part of
// Address.
func Listen(v *View, log *slog.Logger) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{view: v, token: rand.Text(), host: l.Addr().String(), ended: make(chan struct{}), asking: make(chan struct{}, maxAsking)}
	s.srv = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, MaxHeaderBytes: 32 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)} // debug only: strangers can cause these lines
	go func() {
		if err := s.srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Warn("the view is no longer served", "error", err)
		}
	}()
	return s, nil
}

// Address returns the URL of the page.
func (s *Server) Address() string { return "http://" + s.host + "/" + s.token + "/" }

// Close ends the server and its open requests.
func (s *Server) Close() {
	close(s.ended)
	s.srv.Close()
}

// crossSite reports whether a request may come from a page of another site (CSRF), or through a host name that was rebound
// to this machine (DNS rebinding).
func (s *Server) crossSite(r *http.Request) bool {
	if r.Host != s.host {
		return true
	}
	for _, origin := range r.Header.Values("Origin") {
		if origin != "http://"+s.host {
			return true
		}
	}
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		followed := r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" // a link in a client that is itself a web page
		if site != "same-origin" && site != "none" && !followed {
			return true
		}
	}
	return false
}

// ServeHTTP answers one request. Requests without the token, or from elsewhere, get no information at all.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, value := range map[string]string{"Content-Security-Policy": policy(), "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cache-Control": "no-store", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "X-Frame-Options": "DENY"} {
		h.Set(name, value)
	}
	token, rest, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if s.crossSite(r) || !ok || subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 {
		http.Error(w, "nothing here", http.StatusNotFound)
		return
	}
	switch {
	case rest == "" && r.Method == http.MethodGet:
		h.Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, pageFor(browser)) // the browser may be gone
	case rest == "events" && r.Method == http.MethodGet:
		s.events(w, r)
	case rest == "api" && r.Method == http.MethodPost:
		s.api(w, r)
	default:
		http.Error(w, "nothing here", http.StatusNotFound)
	}
}

func (s *Server) api(w http.ResponseWriter, r *http.Request) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "send JSON", http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		http.Error(w, "the request is too long", http.StatusRequestEntityTooLarge)
		return
	}
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-r.Context().Done():
		return
	}
	out := s.view.Answer(r.Context(), body)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(out) // the browser may be gone
}

// events sends a page an event for each change, until the page closes.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	if s.streams.Add(1) > maxStreams {
		s.streams.Add(-1)
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	defer s.streams.Add(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	ctl := http.NewResponseController(w)
	tick := time.NewTicker(beat)
	defer tick.Stop()
	send := func(text string) bool {
		// A page that stops reading ends only its own stream.
		_ = ctl.SetWriteDeadline(time.Now().Add(beat))
		_, err := io.WriteString(w, text)
		return err == nil && ctl.Flush() == nil
	}
	for {
		version, next := s.view.Now()
		if !send(fmt.Sprintf("data: %d\n\n", version)) {
			return
		}
		for waits := true; waits; {
			select {
			case <-next:
				waits = false
			case <-tick.C:
				if !send(": here\n\n") {
					return
				}
			case <-r.Context().Done():
				return
			case <-s.ended:
				return
			}
		}
	}
}
