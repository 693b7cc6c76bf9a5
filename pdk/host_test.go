package pdk_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// askers is the domain of shelves with a want. Its query chat and its session action fetch make a request for each of their
// words, one after the other.
func askers() *pdk.Domain[*shelf] {
	d := shelves()
	d.Wants = []abi.Want{{Kind: abi.WantHTTP, Name: "api", Reason: "to be asked", Base: "https://a.example", Reads: true}}
	chat := func(h *pdk.Host, a pdk.Args) (string, error) {
		var said []string
		for _, word := range a.Texts(0) {
			res, err := h.HTTP("api", pdk.Get(word))
			if err != nil {
				return "", err
			}
			said = append(said, string(res.Body))
		}
		return strings.Join(said, "+"), nil
	}
	d.Queries = append(d.Queries, pdk.Query[*shelf]{Query: abi.Query{Name: "chat"}, Run: func(v *pdk.View[*shelf], a pdk.Args) (abi.QueryResponse, error) {
		text, err := chat(v.Host, a)
		return abi.QueryResponse{Text: text + "|" + strings.Join(v.Model.words, ",")}, err
	}})
	d.Session = append(d.Session,
		pdk.SessionAction[*shelf]{Session: abi.Session{Name: "fetch"}, Run: func(c *pdk.Ctx[*shelf], a pdk.Args, _ []byte) error {
			text, err := chat(c.Host, a)
			if err != nil {
				return err
			}
			c.Created("%s", text)
			return c.Do(&insert{At: len(c.Model.words), Word: text}, "fetch")
		}},
		pdk.SessionAction[*shelf]{Session: abi.Session{Name: "again"}, Run: func(c *pdk.Ctx[*shelf], a pdk.Args, _ []byte) error {
			if err := c.Do(&insert{At: 0, Word: "tried"}, "try"); err != nil {
				return err
			}
			if _, err := c.HTTP("api", pdk.Get("early")); err == nil {
				return errors.New("a request after an edit was made")
			}
			c.Reset()
			_, err := c.HTTP("api", pdk.Get("late"))
			c.Changed("asked after the edit was undone")
			return err
		}},
		pdk.SessionAction[*shelf]{Session: abi.Session{Name: "trial"}, Run: func(c *pdk.Ctx[*shelf], a pdk.Args, _ []byte) error {
			return c.Trial(func(c *pdk.Ctx[*shelf]) error {
				_, err := c.HTTP("api", pdk.Get("tried"))
				return err
			})
		}})
	return d
}

func asking(t testing.TB, in *pdk.Instance[*shelf], export string, req any) (out []byte, asks bool, err error) {
	t.Helper()
	input, err := abi.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	out, err = in.Call(export, input)
	if errors.Is(err, pdk.ErrAsks) {
		return out, true, nil
	}
	return out, false, err
}

// echoed answers each request with its path.
func echoed(t testing.TB, asked []byte) *abi.ResumeRequest {
	t.Helper()
	var r abi.Requests
	if err := abi.Unmarshal(asked, &r); err != nil {
		t.Fatal(err)
	}
	out := &abi.ResumeRequest{}
	for _, one := range r.Requests {
		out.Results = append(out.Results, abi.Outcome{HTTP: &abi.HTTPResponse{Status: 200, Body: []byte(strings.ToUpper(strings.Join(one.HTTP.Path, "/")))}})
	}
	return out
}

func op(verb string, words ...string) abi.Op {
	o := abi.Op{Verb: verb, Raw: verb}
	for _, w := range words {
		o.Positionals = append(o.Positionals, abi.Positional{Text: w})
	}
	return o
}

// Whatever the order in which calls of several instances resume and are abandoned, each instance answers as if it were
// alone.
func TestInterleavedCallsAnswerAsIfAlone(t *testing.T) {
	d := askers()
	rapid.Check(t, func(rt *rapid.T) {
		type running struct {
			in      *pdk.Instance[*shelf]
			words   []string // of the document, as in the model
			asked   []byte   // nil if no call waits
			call    []string // its words
			session bool
		}
		fresh := func(words []string) *pdk.Instance[*shelf] {
			in := pdk.NewInstance(d)
			if _, _, err := asking(t, in, abi.ExportOpen, &abi.OpenRequest{Name: "a.shelf", Data: []byte(strings.Join(words, " "))}); err != nil {
				t.Fatal(err)
			}
			return in
		}
		all := make([]*running, 3)
		for i := range all {
			all[i] = &running{in: fresh(nil)}
		}
		step := func(r *running, out []byte, asks bool, err error) {
			if r.asked = nil; asks {
				r.asked = out
				return
			}
			if err != nil {
				rt.Fatal(err)
			}
			want := strings.ToUpper(strings.Join(r.call, "+"))
			got := ""
			if r.session {
				var a abi.ApplyResponse
				if err := abi.Unmarshal(out, &a); err != nil {
					rt.Fatal(err)
				}
				got, r.words = a.Results[0].Text, append(r.words, want)
			} else {
				var q abi.QueryResponse
				if err := abi.Unmarshal(out, &q); err != nil {
					rt.Fatal(err)
				}
				got, want = q.Text, want+"|"+strings.Join(r.words, ",")
			}
			if got != want {
				rt.Fatalf("got %q, want %q", got, want)
			}
		}
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			r := rapid.SampledFrom(all).Draw(rt, "instance")
			switch {
			case r.asked == nil:
				r.call = rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,4}`), 1, 4).Draw(rt, "words")
				if r.session = rapid.Bool().Draw(rt, "session"); r.session {
					out, asks, err := asking(t, r.in, abi.ExportSession, &abi.SessionRequest{Command: op("fetch", r.call...)})
					step(r, out, asks, err)
				} else {
					out, asks, err := asking(t, r.in, abi.ExportQuery, &abi.QueryRequest{Query: op("chat", r.call...)})
					step(r, out, asks, err)
				}
			case rapid.IntRange(0, 9).Draw(rt, "cancel") == 0:
				r.in, r.asked = fresh(r.words), nil
			case rapid.IntRange(0, 4).Draw(rt, "stray") == 0:
				if _, _, err := asking(t, r.in, abi.ExportSave, &abi.SaveRequest{}); err == nil || !strings.Contains(err.Error(), "waits for fcp_resume") {
					rt.Fatalf("an instance that waits saves: %v", err)
				}
			default:
				out, asks, err := asking(t, r.in, abi.ExportResume, echoed(t, r.asked))
				step(r, out, asks, err)
			}
		}
	})
}

func TestRequestsThatMayNotBeMadeAreRefused(t *testing.T) {
	start := func(d *pdk.Domain[*shelf], verb string) (*pdk.Instance[*shelf], []byte, bool) {
		in := pdk.NewInstance(d)
		must[abi.OpenResponse](t, in, abi.ExportOpen, &abi.OpenRequest{Name: "a.shelf"})
		out, asks, err := asking(t, in, abi.ExportSession, &abi.SessionRequest{Command: op(verb, "x")})
		if err != nil {
			t.Fatal(err)
		}
		return in, out, asks
	}
	failure := func(out []byte) string {
		var a abi.ApplyResponse
		if err := abi.Unmarshal(out, &a); err != nil {
			t.Fatal(err)
		}
		if a.Results[0].Error == nil {
			return ""
		}
		return a.Results[0].Error.Message
	}
	in, out, asks := start(askers(), "again")
	if !asks {
		t.Fatalf("it does not ask after its edit was undone: %s", failure(out))
	}
	if out, asks, err := asking(t, in, abi.ExportResume, echoed(t, out)); asks || err != nil || failure(out) != "" {
		t.Errorf("asks %v, %s, %v", asks, failure(out), err)
	}
	if _, out, asks := start(askers(), "trial"); asks || !strings.Contains(failure(out), "nothing can be asked for here") {
		t.Errorf("a trial: asks %v, %s", asks, failure(out))
	}
	without := askers()
	without.Wants = nil
	if _, out, asks := start(without, "fetch"); asks || !strings.Contains(failure(out), "the domain has to list its wants") {
		t.Errorf("without wants: asks %v, %s", asks, failure(out))
	}
	in, _, asks = start(askers(), "fetch")
	if out, _, err := asking(t, in, abi.ExportResume, &abi.ResumeRequest{}); !asks || err != nil || !strings.Contains(failure(out), "0 results for 1 requests") {
		t.Errorf("too few results: asks %v, %s, %v", asks, failure(out), err)
	}
	if _, _, err := asking(t, in, abi.ExportResume, &abi.ResumeRequest{}); err == nil || !strings.Contains(err.Error(), "asked for nothing") {
		t.Errorf("results that nothing asked for: %v", err)
	}
}

// The message of a failure is the text of the error.
func TestAFailureBecomesAnError(t *testing.T) {
	in := pdk.NewInstance(askers())
	must[abi.OpenResponse](t, in, abi.ExportOpen, &abi.OpenRequest{Name: "a.shelf"})
	if _, asks, err := asking(t, in, abi.ExportQuery, &abi.QueryRequest{Query: op("chat", "x")}); !asks || err != nil {
		t.Fatal(asks, err)
	}
	failure := &abi.Failure{Kind: abi.FailedTimeout, Message: "it took too long", Sent: true}
	_, _, err := asking(t, in, abi.ExportResume, &abi.ResumeRequest{Results: []abi.Outcome{{Failure: failure}}})
	if err == nil || err.Error() != "it took too long" {
		t.Errorf("got %v", err)
	}
}

func TestAResponseSaysWhatTheServerSaid(t *testing.T) {
	r := &pdk.Response{HTTPResponse: abi.HTTPResponse{Status: 404, Body: []byte("no\n such\xff thing"), Headers: []abi.KeyValue{{Key: "Etag", Value: "7"}}}}
	if err := r.JSON(new(any)); err == nil || err.Error() != "the server answered 404: no such thing" {
		t.Errorf("got %v", err)
	}
	if r.Header("ETag") != "7" || r.Header("Other") != "" {
		t.Errorf("headers: %q, %q", r.Header("ETag"), r.Header("Other"))
	}
	r.Status, r.Body = 200, []byte(`{"a":`)
	if err := r.JSON(new(any)); err == nil || !strings.Contains(err.Error(), "not the expected JSON") {
		t.Errorf("got %v", err)
	}
}

func TestIDsDifferAndAreReproducible(t *testing.T) {
	ids := func(now int, nonce string) (out []string) {
		d := shelves()
		d.Stamps = true
		d.Verbs = []pdk.Verb[*shelf]{{Verb: abi.Verb{Name: "id"}, Run: func(c *pdk.Ctx[*shelf], _ pdk.Args) error {
			out = append(out, c.ID())
			return pdk.Unchanged("id")
		}}}
		in := pdk.NewInstance(d)
		must[abi.OpenResponse](t, in, abi.ExportOpen, &abi.OpenRequest{Name: "a.shelf"})
		must[abi.ApplyResponse](t, in, abi.ExportApply, &abi.ApplyRequest{Ops: slices.Repeat([]abi.Op{op("id")}, 1000), Now: now, Nonce: []byte(nonce)})
		return out
	}
	seen := map[string]string{}
	for _, now := range []int{0, 1, 1_700_000_000_000} {
		for _, nonce := range []string{"", "0123456789abcdef", "0123456789abcdeg", "1123456789abcdef"} {
			made := ids(now, nonce)
			if !slices.Equal(made, ids(now, nonce)) {
				t.Errorf("%d %s: different ids the second time", now, nonce)
			}
			for i, id := range made {
				at := fmt.Sprintf("%d %s %d", now, nonce, i)
				if len(id) != 10 || seen[id] != "" {
					t.Fatalf("id %q of %s is that of %s, too", id, at, seen[id])
				}
				seen[id] = at
			}
		}
	}
}
