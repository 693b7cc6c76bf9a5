package command

import (
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// A guest reaches only its granted endpoint, whatever it asks for.
func TestAHostileGuestReachesNothingElse(t *testing.T) {
	t.Parallel()
	url, saw := serveRecorded(t, echoRequest)
	a := startArena(t, worldConfig(t, url+"/api", worldKey, `grant = [{want = "http:api", methods = ["GET", "POST"]}]`)...)
	a.session("world", `new "W"`)
	for _, tt := range []struct{ ask, want string }{
		{"do-send GET ../users", `empty segments, "." and ".." are refused`},
		{"do-send GET ..", `empty segments, "." and ".." are refused`},
		{"do-send GET %2e%2e/users", `empty segments, "." and ".." are refused`},
		{"do-send GET %252e%252e%252fusers", `empty segments, "." and ".." are refused`},
		{"do-send GET a/../../b", `empty segments, "." and ".." are refused`},
		{"do-send GET ..;x", `empty segments, "." and ".." are refused`},
		{`do-send GET "a\\b"`, "backslashes and control characters are refused"},
		{"do-send GET %00", "backslashes and control characters are refused"},
		{`do-send GET ""`, `empty segments`},
		{"do-send GET a header:Host=evil.example", "is not one that a guest sets"},
		{"do-send GET a header:Authorization=mine", "is not one that a guest sets"},
		{"do-send GET a header:Cookie=a", "is not one that a guest sets"},
		{"do-send GET a header:X-Http-Method-Override=DELETE", "is not one that a guest sets"},
		{`do-send GET a header:"Accept=a\r\nX-Evil: 1"`, "control characters"},
		{`do-send GET a header:"Accept\r\nX-Evil=1"`, "is not one that a guest sets"},
		{"send GET a query:_method=DELETE", "would make another method"},
		{"do-send GET a query:_method=DELETE", "would make another method"},
		{"do-send DELETE a", "does not allow the method DELETE"},
		{"do-send GET a endpoint:other", "does not list http:other"},
		{`do-send GET a endpoint:"../api"`, "does not list http:../api"},
		{"do-send GET a endpoint:mute", "it needs http:mute, which is not granted"},
		{"send POST a", "only reads"},
		{"do-send GET " + strings.Repeat("x", 9000), "at most 8000 are sent"},
	} {
		tool := "world_session"
		if strings.HasPrefix(tt.ask, "send") {
			tool = "world_query"
		}
		if got := a.askWorld(tool, tt.ask); !strings.Contains(got.text, tt.want) {
			t.Errorf("%s: %.300s\nwant %q", tt.ask, got.text, tt.want)
		}
	}
	if saw.all() != 0 {
		t.Errorf("the server saw %q", saw.list)
	}
	a.checkUnharmed()
}

// Malformed requests, which the SDK would never send, are refused by the host.
func TestMalformedRequestsAreRefused(t *testing.T) {
	t.Parallel()
	url, saw := serveRecorded(t, echoRequest)
	get := func(change func(*abi.Request)) abi.Request {
		r := abi.Request{HTTP: &abi.HTTPRequest{Endpoint: "api", Method: "GET"}}
		change(&r)
		return r
	}
	requests := map[string]abi.Request{
		"CONNECT":          get(func(r *abi.Request) { r.HTTP.Method = "CONNECT" }),
		"a lower case get": get(func(r *abi.Request) { r.HTTP.Method = "get" }),
		"a line break":     get(func(r *abi.Request) { r.HTTP.Method = "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET" }),
		"no endpoint":      get(func(r *abi.Request) { r.HTTP.Endpoint = "" }),
		"a program's":      get(func(r *abi.Request) { r.HTTP.Endpoint = "api:x" }),
		"two in one":       get(func(r *abi.Request) { r.Run = &abi.Run{Program: "ffmpeg"} }),
		"a file":           get(func(r *abi.Request) { r.HTTP, r.Read = nil, &abi.ReadRequest{Name: "/etc/passwd", Length: 100} }),
		"a program":        get(func(r *abi.Request) { r.HTTP, r.Run = nil, &abi.Run{Program: "sh", Args: []string{"-c", "id"}} }),
		"a negative wait":  get(func(r *abi.Request) { r.AfterMS = -1 }),
		"a long wait":      get(func(r *abi.Request) { r.AfterMS = 30_001 }),
		"a body of a GET":  get(func(r *abi.Request) { r.HTTP.Body = []byte("x") }),
		"9 MB":             get(func(r *abi.Request) { r.HTTP.Method, r.HTTP.Body = "POST", make([]byte, 9<<20) }),
	}
	for i, name := range slices.Sorted(maps.Keys(requests)) {

		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skipMostCases(t, i)
			r := requests[name]
			a := startGranted(t, url, asking(t, map[string]testwasm.Act{abi.ExportQuery: testwasm.Asks(r), abi.ExportSession: testwasm.Asks(r),
				abi.ExportResume: testwasm.Answers(&abi.QueryResponse{Text: "resumed"})}))
			if got := a.must("thing_query", map[string]any{"q": "map"}); !strings.Contains(got, "resumed") {
				t.Errorf("got %s", got)
			}
			a.checkUnharmed()
		})
	}
	t.Cleanup(func() {
		if saw.all() != 0 {
			t.Errorf("the server saw %q", saw.list)
		}
	})
}

// Names are resolved only to addresses that the grant allows, whatever DNS answers and when.
func TestNamesThatLeadToPrivateAddressesAreNotDialled(t *testing.T) {
	url, saw := serveRecorded(t, echoRequest)
	port := url[strings.LastIndex(url, ":"):]
	ofManifest := func(base string) string {
		m := testwasm.MinimalManifest()
		m.Queries = []abi.Query{{Name: "map", Syntax: "map", Wants: []string{"http:api"}}}
		m.Wants = []abi.Want{{Kind: abi.WantHTTP, Name: "api", Reason: "It needs it.", Base: base, Reads: true}}
		all := testwasm.Minimal()
		all[abi.ExportManifest] = testwasm.Answers(m)
		all[abi.ExportQuery] = testwasm.Asks(abi.Request{HTTP: &abi.HTTPRequest{Endpoint: "api", Method: "GET", Path: []string{"a"}}})
		all[abi.ExportResume] = testwasm.Answers(&abi.QueryResponse{Text: "resumed"})
		return wasmFile(t, testwasm.Scripted(all))
	}
	var asked atomic.Int32
	private := []string{"127.0.0.1", "10.0.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "fd00::1", "fe80::1", "0.0.0.0"}
	startDNSServer(t, func() []netip.Addr {
		n := asked.Add(1)
		return []netip.Addr{netip.MustParseAddr(private[int(n)/2%len(private)])} // each lookup asks for A and AAAA
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var dialled atomic.Int32
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			dialled.Add(1)
			conn.Close()
		}
	}()
	_, own, _ := net.SplitHostPort(l.Addr().String())
	a := startGranted(t, url, ofManifest("https://api.evil.example:"+own))
	for range 2 * len(private) {
		a.must("thing_query", map[string]any{"q": "map"})
	}
	if asked.Load() < int32(2*len(private)) || dialled.Load() != 0 {
		t.Errorf("the name was looked up %d times, and %d connections came", asked.Load(), dialled.Load())
	}
	a.checkUnharmed()
	// A base URL that the user configured may be private, but not link-local by name.
	b := startArena(t, worldConfig(t, "http://flows.internal"+port, worldKey, `grant = ["http:api"]`)...)
	b.session("world", `new "W"`)
	var ok, no int
	for range 3 * len(private) {
		switch got := b.askWorld("world_query", "get a"); {
		case strings.Contains(got.text, "200 GET /a"):
			ok++
		case strings.Contains(got.text, "is not dialled"), strings.Contains(got.text, "was not resolved"), strings.Contains(got.text, "no connection"), strings.Contains(got.text, "could not be connected"):
			no++
		default:
			t.Errorf("got %s", got.text)
		}
		if ok > 0 { // the connection is reused
			break
		}
	}
	if saw.count("GET /a") != ok {
		t.Errorf("the server saw %q, %d answers came", saw.list, ok)
	}
}

// Ten thousand requests leak nothing.
func TestThousandsOfRequestsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	url, saw := serveRecorded(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") })
	a := startArena(t, worldConfig(t, url, worldKey, `grant = ["http:api"]`)...)
	a.session("world", `new "W"`)
	for range 3 {
		a.askWorld("world_query", "many 200 warm")
	}
	before := a.probe()
	times := soak.Times(3, 50)
	for range times {
		if got := a.askWorld("world_query", "many 200 x"); got.failed {
			t.Fatal(got.text)
		}
	}
	if n := saw.count("GET /x"); n != 200*times {
		t.Errorf("the server saw %d", n)
	}
	a.waitUntilWithin(before)
	a.checkUnharmed()
}
