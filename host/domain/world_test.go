package domain

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// world answers as its field says and records what it was asked.
type world struct {
	do    func(ctx context.Context, a Asker, requests []abi.Request) []abi.Outcome
	asked [][]abi.Request
	calls []Asker
}

func (w *world) Can() []string { return []string{"http:api"} }

func (w *world) Settings() []abi.KeyValue { return nil }

func (w *world) Missing(_ context.Context, want string) *Refusal {
	if want == "http:api" {
		return nil
	}
	return &Refusal{Message: want + " is not granted"}
}

func (w *world) Do(ctx context.Context, a Asker, requests []abi.Request) []abi.Outcome {
	w.asked, w.calls = append(w.asked, requests), append(w.calls, a)
	if w.do != nil {
		return w.do(ctx, a, requests)
	}
	return make([]abi.Outcome, len(requests))
}

func get(path string) abi.Request {
	return abi.Request{HTTP: &abi.HTTPRequest{Endpoint: "api", Method: "GET", Path: []string{path}}}
}

// startWithWorld starts an instance of a domain with a world.
func startWithWorld(t *testing.T, w World, acts map[string]testwasm.Act) *Instance {
	t.Helper()
	changes := map[string]*testwasm.Act{}
	for name, act := range acts {
		changes[name] = &act
	}
	m := testwasm.MinimalManifest()
	m.Session = []abi.Session{{Name: "go", Syntax: "go"}}
	if _, ok := acts[abi.ExportSession]; !ok {
		m.Session = nil
	}
	d, err := New(m, scripted(t, changes))
	if err != nil {
		t.Fatal(err)
	}
	d.World = w
	in, err := d.Start(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.Close)
	return in
}

func TestAnExportThatAsksGetsTheOutcomesAndAnswers(t *testing.T) {
	w := &world{}
	in := startWithWorld(t, w, map[string]testwasm.Act{abi.ExportQuery: testwasm.Asks(get("a"), get("b")), abi.ExportResume: testwasm.Answers(&abi.QueryResponse{Text: "both"})})
	begun, over := 0, 0
	in.Outside = func(ctx context.Context) (context.Context, func()) { begun++; return ctx, func() { over++ } }
	for range 3 {
		out, err := in.Query(ctx, &abi.QueryRequest{})
		if err != nil || out.Text != "both" {
			t.Fatalf("got %+v, %v", out, err)
		}
	}
	if len(w.asked) != 3 || len(w.asked[2]) != 2 || w.asked[2][1].HTTP.Path[0] != "b" || !w.calls[0].ReadOnly {
		t.Errorf("asked %+v by %+v", w.asked, w.calls)
	}
	if begun != 3 || over != 3 {
		t.Errorf("it waited %d times and ended that %d times", begun, over)
	}
}

// An export that may not ask refuses when it returns 2, as before asking existed.
func TestAnExportThatMayNotAskRefuses(t *testing.T) {
	const says = "failed with code 2 and gave no reason"
	for _, tt := range []struct {
		name   string
		world  World
		acts   map[string]testwasm.Act
		call   func(*Instance) error
		export string
	}{
		{"a save", &world{}, map[string]testwasm.Act{abi.ExportSave: testwasm.Asks(get("a")), abi.ExportResume: testwasm.Answers(&abi.SaveResponse{})},
			func(in *Instance) error { _, err := in.Save(ctx, &abi.SaveRequest{}); return err }, abi.ExportSave},
		{"a query without a world", nil, map[string]testwasm.Act{abi.ExportQuery: testwasm.Asks(get("a")), abi.ExportResume: testwasm.Answers(&abi.QueryResponse{})},
			func(in *Instance) error { _, err := in.Query(ctx, &abi.QueryRequest{}); return err }, abi.ExportQuery},
		{"a query without fcp_resume", &world{}, map[string]testwasm.Act{abi.ExportQuery: testwasm.Asks(get("a"))},
			func(in *Instance) error { _, err := in.Query(ctx, &abi.QueryRequest{}); return err }, abi.ExportQuery},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := startWithWorld(t, tt.world, tt.acts)
			err := tt.call(in)
			var r *Refusal
			if !errors.As(err, &r) || r.Message != "thing| "+tt.export+" "+says {
				t.Errorf("got %v", err)
			}
			if _, err := in.State(ctx); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

func TestEndlessOrMalformedRequestsAreAFault(t *testing.T) {
	many := slices.Repeat([]abi.Request{get("a")}, abi.MaxRequests)
	for _, tt := range []struct {
		name        string
		ask, resume testwasm.Act
		says        string
		rounds      int
	}{
		{"round upon round", testwasm.Asks(many...), testwasm.Asks(many...), "made 224 requests, the limit of a call is 200", 6},
		{"too many at once", testwasm.Asks(append(many, get("b"))...), testwasm.Refuses("no"), "makes 33 requests at once, the limit is 32", 0},
		{"nothing", testwasm.Asks(), testwasm.Refuses("no"), "makes no request", 0},
		{"a trap", testwasm.Asks(get("a")), testwasm.Traps(), "trap: unreachable executed in fcp_resume; it is not repeated", 1},
		{"another answer", testwasm.Asks(get("a")), testwasm.Says([]byte{0xc1}), "fcp_query gave a malformed answer", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := &world{}
			_, err := startWithWorld(t, w, map[string]testwasm.Act{abi.ExportQuery: tt.ask, abi.ExportResume: tt.resume}).Query(ctx, &abi.QueryRequest{})
			var f *Fault
			if !errors.As(err, &f) || !strings.Contains(err.Error(), tt.says) || Lost(err) || len(w.asked) != tt.rounds {
				t.Errorf("%d rounds, %v", len(w.asked), err)
			}
		})
	}
}

// After an outcome the guest may still refuse, and the instance stays usable.
func TestAGuestMayRefuseAfterAnOutcome(t *testing.T) {
	in := startWithWorld(t, &world{}, map[string]testwasm.Act{abi.ExportQuery: testwasm.Asks(get("a")), abi.ExportResume: testwasm.Refuses("the server says no")})
	for range 2 {
		var r *Refusal
		if _, err := in.Query(ctx, &abi.QueryRequest{}); !errors.As(err, &r) || r.Message != "thing| the server says no" || Sent(err) {
			t.Fatal(err)
		}
	}
}

// If a worker dies while its guest waits, the call fails and is not repeated; the error says whether it may have taken
// effect.
func TestACallWhoseWorkerDiesWhileItWaitsIsNotRepeated(t *testing.T) {
	for effect, outcome := range map[string]abi.Outcome{
		"a request was sent; whether it took effect is not known, and it is not repeated": {HTTP: &abi.HTTPResponse{Status: 200}},
		"it is not repeated": {Failure: &abi.Failure{Kind: abi.FailedDial}},
	} {
		w := &world{}
		in := startWithWorld(t, w, map[string]testwasm.Act{abi.ExportSession: testwasm.Asks(get("a")), abi.ExportResume: answer(done(abi.Created))})
		w.do = func(context.Context, Asker, []abi.Request) []abi.Outcome {
			in.d.plugin.Close()
			return []abi.Outcome{outcome}
		}
		_, err := in.Session(ctx, &abi.SessionRequest{Command: abi.Op{Verb: "go"}})
		if err == nil || !strings.HasSuffix(err.Error(), "; "+effect) || Lost(err) || !Sent(err) {
			t.Errorf("got %v", err)
		}
	}
}

func TestACancelledWaitEndsTheInstance(t *testing.T) {
	w := &world{}
	in := startWithWorld(t, w, map[string]testwasm.Act{abi.ExportQuery: testwasm.Asks(get("a")), abi.ExportResume: testwasm.Answers(&abi.QueryResponse{})})
	ctx, cancel := context.WithCancel(ctx)
	w.do = func(ctx context.Context, _ Asker, r []abi.Request) []abi.Outcome {
		cancel()
		<-ctx.Done()
		return make([]abi.Outcome, len(r))
	}
	_, err := in.Query(ctx, &abi.QueryRequest{})
	if err == nil || !strings.Contains(err.Error(), "was cancelled while it waited; it is not repeated") || !Sent(err) {
		t.Errorf("got %v", err)
	}
	if _, err := in.State(context.Background()); !Lost(err) {
		t.Errorf("the instance goes on: %v", err)
	}
}

// When the time for a call's requests is over, the requests fail but the call goes on: the guest answers.
func TestATimeoutOfRequestsDoesNotEndTheCall(t *testing.T) {
	w := &world{do: func(ctx context.Context, _ Asker, r []abi.Request) []abi.Outcome {
		<-ctx.Done()
		return []abi.Outcome{{Failure: &abi.Failure{Kind: abi.FailedTimeout}}}
	}}
	in := startWithWorld(t, w, map[string]testwasm.Act{abi.ExportQuery: testwasm.Asks(get("a")), abi.ExportResume: testwasm.Answers(&abi.QueryResponse{Text: "too slow"})})
	in.d.Requests = time.Millisecond
	if out, err := in.Query(ctx, &abi.QueryRequest{}); err != nil || out.Text != "too slow" {
		t.Errorf("got %+v, %v", out, err)
	}
}

// A waiting instance is not closed to make room for another; if all wait, there is no room.
func TestWaitingInstancesAreNotClosed(t *testing.T) {
	w := &world{}
	first := startWithWorld(t, w, map[string]testwasm.Act{abi.ExportQuery: testwasm.Asks(get("a")), abi.ExportResume: testwasm.Answers(&abi.QueryResponse{Text: "late"})})
	p := first.d.plugin
	most := sandbox.DefaultLimits().Instances
	others := []*Instance{}
	w.do = func(_ context.Context, _ Asker, r []abi.Request) []abi.Outcome {
		for len(others) < most {
			in, err := first.d.Start(ctx, 1)
			if err != nil {
				t.Error(err)
				break
			}
			others = append(others, in)
		}
		return make([]abi.Outcome, len(r))
	}
	if out, err := first.Query(ctx, &abi.QueryRequest{}); err != nil || out.Text != "late" {
		t.Errorf("got %+v, %v", out, err)
	}
	if n := p.Stats().Instances; n != most {
		t.Errorf("%d instances live", n)
	}
	if _, err := others[0].State(ctx); !Lost(err) {
		t.Errorf("the oldest that did not wait goes on: %v", err)
	}
}

// withSettings returns a list of only w, with settings that the guest asks for.
func withSettings(w abi.Want, names ...string) []abi.Want {
	w.Settings = names
	return []abi.Want{w}
}

func TestWantsToolsAndSchemesOfAManifestAreChecked(t *testing.T) {
	api := abi.Want{Kind: "http", Name: "api", Base: "https://example.com"}
	tool := abi.Tool{Name: "look", InputSchema: []byte("{}")}
	with := func(change func(*abi.Tool)) []abi.Tool { v := tool; change(&v); return []abi.Tool{v} }
	for _, tt := range []struct {
		name   string
		change func(*abi.Manifest)
		says   string
	}{
		{"a want without a name", func(m *abi.Manifest) { m.Wants = []abi.Want{{Kind: "http"}} }, `want "http": write it as`},
		{"a want with spaces", func(m *abi.Manifest) { m.Wants = []abi.Want{{Kind: "http", Name: "a b"}} }, "write it as"},
		{"a want twice", func(m *abi.Manifest) { m.Wants = []abi.Want{api, api} }, "is listed twice"},
		{"a folder with a name", func(m *abi.Manifest) { m.Wants = []abi.Want{{Kind: "folder", Name: "x"}} }, "write it as"},
		{"a folder without patterns", func(m *abi.Manifest) { m.Wants = []abi.Want{{Kind: "folder"}}; m.Folder = &abi.Folder{} }, "patterns to include"},
		{"a folder without the want", func(m *abi.Manifest) { m.Folder = &abi.Folder{Include: []string{"*"}} }, "requires the field folder"},
		{"a marker that leads out", func(m *abi.Manifest) {
			m.Wants, m.Folder = []abi.Want{{Kind: "folder"}}, &abi.Folder{Include: []string{"*"}, Marker: "../x"}
		}, "a marker is a name"},
		{"a setting of somebody else's", func(m *abi.Manifest) { m.Wants = withSettings(api, "AWS_SECRET_ACCESS_KEY") }, `setting "AWS_SECRET_ACCESS_KEY": its name must be THING_ followed by A-Z, 0-9 and _`},
		{"a setting of the system's", func(m *abi.Manifest) { m.Wants = withSettings(api, "PATH") }, "its name must be THING_"},
		{"a setting in small letters", func(m *abi.Manifest) { m.Wants = withSettings(api, "THING_Model") }, "its name must be THING_"},
		{"a setting with a newline", func(m *abi.Manifest) { m.Wants = withSettings(api, "THING_A\nB") }, "its name must be THING_"},
		{"a setting without a name", func(m *abi.Manifest) { m.Wants = withSettings(api, "THING_") }, "its name must be THING_"},
		{"a setting that is a key", func(m *abi.Manifest) { m.Wants = withSettings(api, "THING_API_KEY") }, "sounds like a secret"},
		{"a setting that is a password", func(m *abi.Manifest) { m.Wants = withSettings(api, "THING_DB_PASSWORD") }, "sounds like a secret"},
		{"a domain named after somebody's secrets", func(m *abi.Manifest) { m.Domain, m.Wants = "aws", withSettings(api, "AWS_SECRET_ACCESS_KEY") }, "sounds like a secret"},
		{"a setting that is a header", func(m *abi.Manifest) {
			m.Wants = withSettings(abi.Want{Kind: "http", Name: "api", Base: "https://example.com", Headers: []abi.KeyValue{{Key: "X-Org", Value: "${THING_ORG:-}"}}}, "THING_ORG")
		}, "is used in requests"},
		{"a setting that is another want's base", func(m *abi.Manifest) {
			m.Wants = append(withSettings(api, "THING_SERVER"), abi.Want{Kind: "http", Name: "other", Base: "${THING_SERVER}/api"})
		}, "is used in requests"},
		{"a setting of a program", func(m *abi.Manifest) {
			m.Wants = withSettings(abi.Want{Kind: "program", Name: "ffmpeg"}, "THING_MODEL")
		}, "settings are for http wants"},
		{"many settings", func(m *abi.Manifest) { m.Wants = withSettings(api, slices.Repeat([]string{"THING_A"}, 9)...) }, "at most 8"},
		{"a query diff of a domain without remote documents", func(m *abi.Manifest) { m.Queries[0].Name = "diff" }, "belongs to the host"},
		{"a query that needs what is not wanted", func(m *abi.Manifest) { m.Queries[0].Wants = []string{"http:api"} }, `query "map" needs "http:api"`},
		{"a scheme that is a key", func(m *abi.Manifest) { m.Schemes = []string{"as"} }, "scheme \"as\" is a key of the host's own: choose another"},
		{"a resource of no kind", func(m *abi.Manifest) { m.Verbs[0].Resources = []abi.Resource{{Key: "x", Kind: "magic"}} }, "unknown kind"},
		{"a fetch without a path", func(m *abi.Manifest) {
			m.Wants, m.Verbs[0].Resources = []abi.Want{api}, []abi.Resource{{Key: "x", Kind: "fetch", Want: "http:api"}}
		}, "is not complete"},
		{"a tool that nobody serves", func(m *abi.Manifest) { m.Tools = []abi.Tool{tool} }, "does not export fcp_tool"},
		{"a tool named like one of the host's", func(m *abi.Manifest) { m.Tools = with(func(t *abi.Tool) { t.Name = "midi_query" }) }, "not a name of the host"},
		{"a tool named in capitals", func(m *abi.Manifest) { m.Tools = with(func(t *abi.Tool) { t.Name = "Look" }) }, "use 1 to"},
		{"a tool without a schema", func(m *abi.Manifest) { m.Tools = with(func(t *abi.Tool) { t.InputSchema = nil }) }, "needs an input schema"},
		{"a code of JSON-RPC's", func(m *abi.Manifest) { m.Tools = with(func(t *abi.Tool) { t.Codes = []int{-32603} }) }, "belongs to JSON-RPC"},
		{"a tool on a folder", func(m *abi.Manifest) { m.Tools = with(func(t *abi.Tool) { t.On = "folder" }) }, "has no folder with a marker"},
		{"a scheme of a drive", func(m *abi.Manifest) { m.Schemes = []string{"c"} }, "two letters"},
		{"a command of nothing", func(m *abi.Manifest) { m.Commands = []abi.Command{{Name: "cue list", Kind: "query"}} }, "an op, query or action"},
		{"a command of four words", func(m *abi.Manifest) {
			m.Commands = []abi.Command{{Name: "cue card new now", Kind: "op", Text: "add"}}
		}, "one to three lower-case words"},
		{"an answer of an op", func(m *abi.Manifest) {
			m.Commands = []abi.Command{{Name: "cue", Kind: "op", Text: "add", Answer: "copy"}}
		}, "the answer of a query may be copied"},
		{"an answer that is sent", func(m *abi.Manifest) {
			m.Commands = []abi.Command{{Name: "cue", Kind: "query", Text: "map", Answer: "send"}}
		}, "may be copied, watched or picked from"},
		{"an answer into a file elsewhere", func(m *abi.Manifest) {
			m.Folder, m.Wants = &abi.Folder{Include: []string{"*.x"}, Marker: ".x"}, append(m.Wants, abi.Want{Kind: abi.WantFolder, Reason: "It needs it."})
			m.Commands = []abi.Command{{Name: "cue", Kind: "query", Text: "map", Answer: "copy", Into: "../x"}}
		}, "a file of the marker's folder"},
		{"an answer into a file of no folder", func(m *abi.Manifest) {
			m.Commands = []abi.Command{{Name: "cue", Kind: "query", Text: "map", Answer: "copy", Into: "x"}}
		}, "a file of the marker's folder"},
		{"a code of conflicts without a folder", func(m *abi.Manifest) {
			m.Tools = with(func(t *abi.Tool) { t.Codes, t.Stale = []int{7}, 7 })
		}, "works on no folder"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := testwasm.MinimalManifest()
			tt.change(m)
			if _, err := New(m, scripted(t, nil)); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %q", err, tt.says)
			}
		})
	}
}

// The places for calls that wait are limited. The next call waits for one, but no longer than requests may take.
func TestCallsThatWaitForTheWorldHavePlaces(t *testing.T) {
	d := &Domain{Manifest: testwasm.MinimalManifest(), places: make(chan struct{}, 1), Requests: time.Millisecond}
	release, err := d.Reserve(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var no *Refusal
	if _, err := d.Reserve(ctx); !errors.As(err, &no) || !strings.Contains(no.Message, "as many calls of the thing domain wait for answers from outside as may (1); try again later") {
		t.Errorf("got %v", err)
	}
	if own, err := d.Reserve(WithPlace(ctx)); err != nil { // it has one
		t.Error(err)
	} else {
		own()
	}
	release()
	if release, err = d.Reserve(ctx); err != nil {
		t.Fatal(err)
	}
	release()
}
