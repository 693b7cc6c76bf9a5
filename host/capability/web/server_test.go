package web

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"
)

// client makes a client of an endpoint that the user configured, with a secret.
func client(t testing.TB, base string) *Client {
	t.Helper()
	c := NewClient(endpoint(t, base, KeyValue{"Authorization", "Bearer ${KEY}"}), nil)
	t.Cleanup(c.Close)
	return c
}

// serve runs a server of net/http.
func serve(t testing.TB, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// silent discards the log of servers whose clients disconnect on purpose.
var silent = log.New(io.Discard, "", 0)

// newTLS runs a server of net/http that speaks HTTP/2.
func newTLS(t testing.TB, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2, s.Config.ErrorLog = true, silent
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// raw runs a server that reads each request of a connection and leaves the
// answer to answer, which returns false to close the connection.
func raw(t testing.TB, answer func(conn net.Conn, r *http.Request) bool) (base string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				for {
					r, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					if _, err := io.Copy(io.Discard, r.Body); err != nil || !answer(conn, r) {
						return
					}
				}
			})
		}
	})
	t.Cleanup(func() { l.Close(); open.Wait() })
	return "http://" + l.Addr().String()
}

// says returns an answer of raw that sends s and closes the connection.
func says(s string) func(net.Conn, *http.Request) bool {
	return func(conn net.Conn, _ *http.Request) bool {
		io.WriteString(conn, s)
		return false
	}
}

// deadline is a context whose deadline passes when the test says so.
type deadline struct {
	context.Context
	passed chan struct{}
	once   sync.Once
}

func newDeadline() *deadline {
	return &deadline{Context: context.Background(), passed: make(chan struct{})}
}

func (d *deadline) pass()                       { d.once.Do(func() { close(d.passed) }) }
func (d *deadline) Done() <-chan struct{}       { return d.passed }
func (d *deadline) Deadline() (time.Time, bool) { return time.Time{}, false }

func (d *deadline) Err() error {
	select {
	case <-d.passed:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// resolver returns a DNS resolver that answers each name with the addresses that
// next returns; if it returns none, the name does not exist.
func resolver(next func(name string) []netip.Addr) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer ours.Close()
			for {
				var size [2]byte
				if _, err := io.ReadFull(ours, size[:]); err != nil {
					return
				}
				query := make([]byte, binary.BigEndian.Uint16(size[:]))
				if _, err := io.ReadFull(ours, query); err != nil {
					return
				}
				answer := dns(query, next)
				ours.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
			}
		}()
		return theirs, nil
	}}
}

func dns(query []byte, next func(string) []netip.Addr) []byte {
	end := 12
	var labels []string
	for query[end] != 0 {
		labels = append(labels, string(query[end+1:end+1+int(query[end])]))
		end += 1 + int(query[end])
	}
	kind := binary.BigEndian.Uint16(query[end+1:])
	question := query[12 : end+5]

	var records []byte
	count, code := uint16(0), byte(3) // no such name
	for _, a := range next(strings.Join(labels, ".")) {
		code = 0
		if a.Is4() != (kind == 1) {
			continue
		}
		count++
		records = append(records, 0xc0, 12)
		records = binary.BigEndian.AppendUint16(records, kind)
		records = append(records, 0, 1, 0, 0, 0, 0)
		records = binary.BigEndian.AppendUint16(records, uint16(len(a.AsSlice())))
		records = append(records, a.AsSlice()...)
	}
	out := append([]byte{query[0], query[1], 0x81, 0x80 | code, 0, 1, byte(count >> 8), byte(count), 0, 0, 0, 0}, question...)
	return append(out, records...)
}

// one returns the value of a header of an answer.
func one(r Response, name string) string {
	for _, h := range r.Headers {
		if h.Key == name {
			return h.Value
		}
	}
	return ""
}

func get(path ...string) Request { return Request{Method: http.MethodGet, Path: path} }
