package pdktest_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// outgoing is the domain of bags with wants and resources.
func outgoing() *pdk.Domain[*bag] {
	d := domain(bugs{})
	d.Wants = []abi.Want{
		{Kind: abi.WantHTTP, Name: "api", Reason: "r", Base: "${URL}", Headers: []abi.KeyValue{{Key: "Authorization", Value: "Bearer ${KEY}"}}, Reads: true},
		{Kind: abi.WantHTTP, Name: "mute", Reason: "r", Base: "${URL}"},
		{Kind: abi.WantProgram, Name: "ffprobe", Reason: "r", Reads: true},
		{Kind: abi.WantProgram, Name: "ffmpeg", Reason: "r"},
	}
	said := func(res *pdk.Response, err error) string {
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%d %s", res.Status, res.Body)
	}
	methods := map[string]func(...string) *pdk.HTTPRequest{"get": pdk.Get, "post": pdk.Post}
	try := func(h *pdk.Host, a pdk.Args) string {
		switch a.Text(0) {
		case "":
			return "nothing to try"
		case "read":
			data, size, err := h.ReadFile(a.Text(1), 1, 3)
			return fmt.Sprintf("%s of %d, %v", data, size, err)
		case "run":
			printed, err := h.RunProgram(abi.Run{Program: a.Text(1)})
			return fmt.Sprintf("%s %v", printed, err)
		case "forever":
			for {
				h.After(1)
				h.HTTP("api", pdk.Get())
			}
		}
		return said(h.HTTP(a.Text(1), methods[a.Text(0)](a.Texts(2)...).Query("q", "ä&b")))
	}
	d.Queries = append(d.Queries, pdk.Query[*bag]{Query: abi.Query{Name: "try"}, Run: func(v *pdk.View[*bag], a pdk.Args) (abi.QueryResponse, error) {
		return abi.QueryResponse{Text: try(v.Host, a)}, nil
	}})
	d.Session = append(d.Session, pdk.SessionAction[*bag]{Session: abi.Session{Name: "act"}, Run: func(c *pdk.Ctx[*bag], a pdk.Args, _ []byte) error {
		c.Changed("%s", try(c.Host, a))
		c.Start(abi.Run{Program: "ffmpeg"})
		return nil
	}})
	res := func(kind string) []abi.Resource {
		return []abi.Resource{{Position: 1, Kind: kind, Want: "http:api", Path: []string{"nodes", "{}"}}}
	}
	for _, kind := range []string{abi.ResourceBytes, abi.ResourceProbe, abi.ResourceFetch, abi.ResourceDocument} {
		d.Verbs = append(d.Verbs, pdk.Verb[*bag]{Verb: abi.Verb{Name: "use-" + kind, Max: 1, Resources: res(kind)}, Run: func(c *pdk.Ctx[*bag], a pdk.Args) error {
			s, err := c.Resource(a.Text(0))
			switch {
			case err != nil:
				return err
			case s == nil:
				return pdk.Unchanged("nothing")
			}
			return pdk.Unchanged("%s %s %s", s.Kind, s.Name, s.Data)
		}})
	}
	d.Verbs = append(d.Verbs, pdk.Verb[*bag]{Verb: abi.Verb{Name: "when"}, Run: func(c *pdk.Ctx[*bag], a pdk.Args) error {
		return pdk.Unchanged("%d %x", c.Now(), c.Nonce())
	}})
	d.Queries = append(d.Queries, pdk.Query[*bag]{Query: abi.Query{Name: "when"}, Run: func(v *pdk.View[*bag], _ pdk.Args) (abi.QueryResponse, error) {
		return abi.QueryResponse{Text: fmt.Sprint(v.Now())}, nil
	}})
	return d
}

func TestAWorldBehavesLikeAHost(t *testing.T) {
	w := &pdktest.World{
		HTTP: map[string]http.Handler{
			"api": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/nodes/none" {
					http.NotFound(w, r)
					return
				}
				fmt.Fprintf(w, "%s %s %s %s", r.Method, r.URL.EscapedPath(), r.FormValue("q"), r.Header.Get("Authorization"))
			}),
			"mute": http.NotFoundHandler()},
		Programs:  map[string]func(*abi.Run) ([]byte, error){"ffprobe": func(*abi.Run) ([]byte, error) { return nil, errors.New("exit 1") }},
		Files:     map[string][]byte{"./a.txt": []byte("abcdef")},
		Probes:    map[string]string{"./a.mp4": "{}"},
		Documents: map[string][]byte{"other": []byte("saved")},
	}
	doc := pdktest.New(t, outgoing(), `"Bag"`, w)
	for _, tt := range []struct{ kind, text, want string }{
		{"q", "try get api a/b c", "200 GET /a%2Fb/c ä&b Bearer ${KEY}"},
		{"q", "try get api ..", `the path has the segment ".."`},
		{"q", "try post api a", "a call that only reads may not do this with http:api"},
		{"q", "try get mute a", "a call that only reads may not do this with http:mute"},
		{"q", "try get none a", "http:none is not among the wants"},
		{"q", "try run ffmpeg", " program:ffmpeg is not granted"},
		{"q", "try run ffprobe", " exit 1"},
		{"q", "try read ./a.txt", "bcd of 6, <nil>"},
		{"q", "try read ./b.txt", " of 0, no file ./b.txt"},
		{"s", "act post api a", "* 200 POST /a ä&b Bearer ${KEY}"},
		{"s", "act get mute a", "* 404 404 page not found"},
		{"o", "use-bytes ./a.txt", "? bytes a.txt abcdef"},
		{"o", "use-bytes word", "? nothing"},
		{"o", "use-probe ./a.mp4", "? probe a.mp4 {}"},
		{"o", "use-fetch chat", "? fetch chat GET /nodes/chat  Bearer ${KEY}"},
		{"o", "use-document other", "? document other saved"},
		{"o", "when", "? 0 "},
		{"!", "use-bytes ./b.txt", "no file ./b.txt"},
		{"!", "use-fetch none", "there is no nodes/none"},
	} {
		got := ""
		switch tt.kind {
		case "q":
			got = doc.Query(tt.text)
		case "s":
			got = strings.TrimSpace(doc.Session(tt.text, nil))
		case "o":
			got = doc.Do(tt.text)
		default:
			got = doc.Fail(tt.text)
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.text, got, tt.want)
		}
	}
	doc.QueryFails("try forever", "more than 200 requests")
	if len(doc.Runs) != 2 || doc.Runs[0].Program != "ffmpeg" {
		t.Errorf("runs: %+v", doc.Runs)
	}
}

func TestWithoutAWorldEverythingIsRefused(t *testing.T) {
	doc := pdktest.New(t, outgoing(), `"Bag"`)
	if got := doc.Query("try get api a"); got != "this test has no world" {
		t.Errorf("got %q", got)
	}
	doc.Fail("use-bytes ./a.txt", "no file ./a.txt")
	doc.Laws("add a", "use-bytes word")
}

// Each call has its own time and random bytes, so the laws do not compare calls with batches.
func TestStampsComeFromTheWorld(t *testing.T) {
	d := outgoing()
	d.Stamps = true
	doc := pdktest.New(t, d, `"Bag"`, &pdktest.World{Now: 17})
	if one, two := doc.Do("when"), doc.Do("when"); one == two || !strings.HasPrefix(one, "? 17 0000") {
		t.Errorf("got %q, %q", one, two)
	}
	if got := doc.Query("when"); got != "17" {
		t.Errorf("a query gets %s", got)
	}
}
