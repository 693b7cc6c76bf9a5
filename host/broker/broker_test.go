package broker

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
)

var api = abi.Want{Kind: abi.WantHTTP, Name: "api", Reason: "It needs it.", Base: "${API}", Headers: []abi.KeyValue{{Key: "X-Key", Value: "${THINGS_KEY}"}}, Reads: true}

// worldOf returns what a domain with these wants may reach.
func worldOf(values map[string]string, grants []Grant, wants ...abi.Want) *world {
	b := New(Options{Lookup: func(name string) (string, error) { return values[name], nil }})
	return b.World(&domain.Domain{Manifest: &abi.Manifest{Domain: "things", Wants: wants}, Build: "0123"}, grants).(*world)
}

func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func request(method string, path ...string) abi.Request {
	return abi.Request{HTTP: &abi.HTTPRequest{Endpoint: "api", Method: method, Path: path}}
}

func TestTheResponsesOfARoundShareALimit(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 8<<20)) })
	w := worldOf(map[string]string{"API": url, "THINGS_KEY": "0123456789"}, []Grant{{Want: "http:api"}}, api)
	var list []abi.Request
	for range 10 {
		list = append(list, request("GET", "big"))
	}
	got, size := 0, 0
	for _, o := range w.Do(t.Context(), domain.Asker{}, list) {
		switch {
		case o.HTTP != nil:
			got++
			size += len(o.HTTP.Body)
		case o.Failure.Kind != abi.FailedTooLarge || !strings.Contains(o.Failure.Message, "the 48 MiB that the responses of one round may take"):
			t.Errorf("got %+v", o.Failure)
		}
	}
	// The room of an answer that did not fit is free for the others.
	if most := abi.MaxRound / (8 << 20); got < most-1 || got > most {
		t.Errorf("%d answers of %d bytes", got, size)
	}
	// Another round has room of its own.
	if o := w.Do(t.Context(), domain.Asker{}, list[:1]); o[0].HTTP == nil {
		t.Errorf("got %+v", o[0].Failure)
	}
}

// The requests of a round run concurrently: the server answers none before all have arrived.
func TestTheRequestsOfARoundRunConcurrently(t *testing.T) {
	t.Parallel()
	const n = 16
	var here atomic.Int32
	all := make(chan struct{})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if here.Add(1) == n {
			close(all)
		}
		<-all
	})
	w := worldOf(map[string]string{"API": url, "THINGS_KEY": "0123456789"}, []Grant{{Want: "http:api"}}, api)
	var list []abi.Request
	for range n {
		list = append(list, request("POST", "a"))
	}
	for _, o := range w.Do(t.Context(), domain.Asker{}, list) {
		if o.HTTP == nil {
			t.Errorf("got %+v", o.Failure)
		}
	}
}

func TestAChangedVariableIsUsedAtOnce(t *testing.T) {
	t.Parallel()
	var last atomic.Value
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { last.Store(r.Header.Get("X-Key")) })
	values := map[string]string{"API": url}
	w := worldOf(values, []Grant{{Want: "http:api"}}, api)
	if can := w.Can(); len(can) != 0 {
		t.Errorf("without a key it can %q", can)
	}
	if r := w.Missing(t.Context(), "http:api"); r == nil || !strings.Contains(r.Message, "it needs http:api, which is granted, and THINGS_KEY is not set; set it in the environment") {
		t.Errorf("got %v", r)
	}
	for _, key := range []string{"first-key", "second-key"} {
		values["THINGS_KEY"] = key
		if o := w.Do(t.Context(), domain.Asker{}, []abi.Request{request("GET", "a")}); o[0].HTTP == nil || last.Load() != key {
			t.Errorf("got %+v with %v", o[0].Failure, last.Load())
		}
	}
	var log strings.Builder
	w.b.Writer(&log).Write([]byte("first-key second-key\n"))
	if strings.Contains(log.String(), "-key") {
		t.Errorf("logged %q", log.String())
	}
}

// A guest gets the settings that its want lists if they are set and the want is granted, but never a secret.
func TestSettingsAreAvailableOnceTheirWantIsGranted(t *testing.T) {
	t.Parallel()
	asking := api
	asking.Settings = []string{"THINGS_MODEL", "THINGS_MORE"}
	values := map[string]string{"API": "http://127.0.0.1:1", "THINGS_KEY": "the-key-itself", "THINGS_MODEL": " small \n", "OTHER": "x"}
	settingsWith := func(grants ...Grant) string {
		var s []string
		for _, kv := range worldOf(values, grants, asking).Settings() {
			s = append(s, kv.Key+"="+kv.Value)
		}
		return strings.Join(s, " ")
	}
	if got := settingsWith(); got != "" {
		t.Errorf("without a grant it gets %q", got)
	}
	if got := settingsWith(Grant{Want: "http:api"}); got != "THINGS_MODEL=small" {
		t.Errorf("it gets %q", got)
	}
	values["THINGS_MORE"] = "key: the-key-itself"
	if got := settingsWith(Grant{Want: "http:api"}); got != "THINGS_MODEL=small THINGS_MORE=key: •••" {
		t.Errorf("it gets %q", got)
	}
	for _, odd := range []string{"two\nlines", strings.Repeat("x", 1001), "\x1b[2J"} {
		values["THINGS_MORE"] = odd
		w := worldOf(values, []Grant{{Want: "http:api"}}, asking)
		if r := w.Missing(t.Context(), "http:api"); r == nil || !strings.Contains(r.Message, "THINGS_MORE is a setting, and its value is not one printable line of at most 1000 bytes") || len(w.Settings()) > 0 {
			t.Errorf("%q: %v", odd, r)
		}
	}
	w := worldOf(values, nil, asking)
	if got := w.b.Words(&abi.Manifest{}, &asking, nil); !strings.Contains(got, "; it receives the value of THINGS_MODEL, THINGS_MORE, if set") {
		t.Errorf("the user reads %s", got)
	}
	if e, err := w.b.Entry(&abi.Manifest{Domain: "things", Wants: []abi.Want{asking}}, "0123", "http:api"); err != nil || strings.Join(e.Variables, " ") != "API THINGS_KEY THINGS_MODEL THINGS_MORE" {
		t.Errorf("it is granted %+v %v", e, err)
	}
}

// The path after the variable in the manifest is also appended to a base from the configuration.
func TestTheManifestsPathIsAppendedToAGrantsBase(t *testing.T) {
	t.Parallel()
	var asked atomic.Value
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { asked.Store(r.URL.Path) })
	below := api
	below.Base = "${API}/api/v1"
	for _, base := range []string{"", url, url + "/", url + "/api/v1"} {
		w := worldOf(map[string]string{"API": url, "THINGS_KEY": "0123456789"}, []Grant{{Want: "http:api", Base: base}}, below)
		if o := w.Do(t.Context(), domain.Asker{}, []abi.Request{request("GET", "a")}); o[0].HTTP == nil || asked.Load() != "/api/v1/a" {
			t.Errorf("%q: asked %v, %+v", base, asked.Load(), o[0].Failure)
		}
		if got := w.b.Words(&abi.Manifest{}, &below, nil); !strings.Contains(got, "HTTP requests (any method) to "+url+", which API names below /api/v1, with") {
			t.Errorf("the user reads %s", got)
		}
	}
}

// The refusal of a missing grant says how to grant it, or that it cannot be granted.
func TestARefusalSaysHowToGrantTheWant(t *testing.T) {
	t.Parallel()
	camera := abi.Want{Kind: "camera", Name: "front"}
	own := abi.Want{Kind: abi.WantHTTP, Name: "own", Base: "http://127.0.0.1"}
	for _, tt := range []struct {
		key, withheld string
		grants        []Grant
		want          string
	}{
		{"http:api", "", nil, "it needs http:api, which is not granted; start fcp-host with --grant things=http:api"},
		{"http:api", "which is for others", []Grant{{Want: "http:api"}}, "it needs http:api, which is for others"},
		{"http:other", "", nil, "its manifest does not list http:other"},
		{"camera:front", "", []Grant{{Want: "camera:front"}}, "it needs camera:front, of a kind that this host does not know and does not grant"},
		{"http:own", "", []Grant{{Want: "http:own"}}, "http:own is granted, but cannot be used"},
	} {
		w := worldOf(nil, tt.grants, api, camera, own)
		w.b.o.Withheld = tt.withheld
		if r := w.Missing(t.Context(), tt.key); r == nil || !strings.HasPrefix(r.Message, tt.want) {
			t.Errorf("%s: %v", tt.key, r)
		}
		if len(w.Can()) != 0 {
			t.Errorf("it can %q", w.Can())
		}
	}
}

func TestADelayIsBoundedByTheCall(t *testing.T) {
	t.Parallel()
	w := worldOf(nil, nil, api)
	short, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if o := w.Do(short, domain.Asker{}, []abi.Request{{AfterMS: 29_000}}); o[0].Failure == nil || o[0].Failure.Kind != abi.FailedTimeout {
		t.Errorf("got %+v", o[0])
	}
	if o := w.Do(short, domain.Asker{}, []abi.Request{{AfterMS: 1}}); o[0].Failure != nil {
		t.Errorf("got %+v", o[0].Failure)
	}
	w.b.End()
	if o := w.Do(t.Context(), domain.Asker{}, []abi.Request{{AfterMS: 30_000}}); o[0].Failure == nil || o[0].Failure.Kind != abi.FailedCancelled {
		t.Errorf("after the end: %+v", o[0])
	}
}

func TestGrantsOfTheConfigurationAreReadStrictly(t *testing.T) {
	t.Parallel()
	file := func(path string) ([]byte, error) { return nil, errors.New("no " + path) }
	for _, tt := range []struct {
		table map[string]any
		want  string
	}{
		{map[string]any{"want": "http:api", "methods": []any{"GET"}, "reads": false, "base": "https://a.example"}, ""},
		{map[string]any{"want": 1}, "want must be text"},
		{map[string]any{"want": "camera:front"}, "unknown kind"},
		{map[string]any{"want": "folder:x"}, "write it as"},
		{map[string]any{"want": "folder", "base": "x"}, "there is no setting \"base\""},
		{map[string]any{"want": "http:api", "metods": []any{}}, "there is no setting \"metods\""},
		{map[string]any{"want": "http:api", "methods": []any{"get"}}, "methods must be a list of GET"},
		{map[string]any{"want": "http:api", "methods": []any{}}, "methods must be a list such as"},
		{map[string]any{"want": "http:api", "reads": "no"}, "reads must be true or false"},
		{map[string]any{"want": "http:api", "ca": "ca.pem"}, "no ca.pem"},
	} {
		_, err := TableGrant(tt.table, file)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%v: %v", tt.table, err)
		}
	}
}

func TestWideAccessToFoldersIsPointedOut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		include []string
		marker  string
		want    string
	}{
		{[]string{"**/*.md"}, ".notes", ""},
		{[]string{"**"}, ".notes", "EVERY file"},
		{[]string{"*.md", "**/*"}, "", "EVERY file"},
		{[]string{"**/*.md"}, "", "ANY folder"},
	} {
		m := &abi.Manifest{Folder: &abi.Folder{Include: tt.include, Marker: tt.marker}}
		if got := WideAccess(m); (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%q: %q", tt.include, got)
		}
	}
}

// BenchmarkRequest measures a request and its response over the loopback; the server takes no time.
func BenchmarkRequest(b *testing.B) {
	url := serve(b, func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("ok")) })
	w := worldOf(map[string]string{"API": url, "THINGS_KEY": "0123456789"}, []Grant{{Want: "http:api"}}, api)
	list := []abi.Request{request("GET", "a")}
	for b.Loop() {
		if o := w.Do(b.Context(), domain.Asker{ReadOnly: true}, list); o[0].HTTP == nil {
			b.Fatal(o[0].Failure)
		}
	}
}

// A grant that the host ships applies to every build of the domain until it is revoked, and again once it is granted again.
func TestAShippedGrantCanBeRevoked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "grants.json")
	file := NewFile(path)
	own := abi.Want{Kind: abi.WantFolder, Reason: "It keeps cards."}
	w := worldOf(nil, []Grant{{Want: "folder", By: "fcp-host", Shipped: true}}, own, api)
	w.b.o.File = file
	entry := Entry{Module: "0000", Domain: "things", Want: "folder"}
	for i, step := range []struct {
		do   func() error
		want string // what is missing
	}{
		{func() error { return nil }, ""},
		{func() error { return file.Add(Entry{Module: "4567", Domain: "things", Want: "http:api"}) }, ""},
		{func() error {
			gone, err := file.Revoke(func(e Entry) bool { return e.Want == "folder" }, []Entry{entry})
			if len(gone) != 1 || gone[0].Want != "folder" {
				t.Errorf("gone are %+v", gone)
			}
			return err
		}, "it needs folder, which came granted with fcp-host and is revoked; to grant it again: fcp-host grants add things folder; start fcp-host with --grant things=folder"},
		{func() error {
			gone, err := file.Revoke(func(Entry) bool { return true }, []Entry{entry})
			if len(gone) != 1 || gone[0].Want != "http:api" { // it is gone already
				t.Errorf("gone are %+v", gone)
			}
			return err
		}, "revoked"},
		{func() error { return file.Restore(Entry{Module: "of another build", Domain: "things", Want: "folder"}) }, ""},
		{func() error { return os.WriteFile(path, []byte("{"), 0o600) }, "which is not granted (the grants in"},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		switch r := w.Missing(t.Context(), "folder"); {
		case r == nil && step.want != "":
			t.Errorf("step %d: nothing is missing", i)
		case r != nil && (step.want == "" || !strings.Contains(r.Message, step.want)):
			t.Errorf("step %d: %s", i, r.Message)
		}
	}
	// A grant by a flag or the configuration takes precedence.
	flagged := worldOf(nil, []Grant{{Want: "folder", By: "--grant"}, {Want: "folder", By: "fcp-host", Shipped: true}}, own)
	flagged.b.o.File = file
	if r := flagged.Missing(t.Context(), "folder"); r != nil {
		t.Errorf("with a flag: %s", r.Message)
	}
}

// A plugin may ask that any variable be sent in a header, but only those of its own name are expected.
func TestAVariableOfAnotherNameIsSentOnlyIfTheGrantNamesIt(t *testing.T) {
	sent := ""
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) { sent = r.Header.Get("X-Q") })
	want := api
	want.Headers = []abi.KeyValue{{Key: "X-Q", Value: "Bearer ${AWS_SECRET_ACCESS_KEY}"}, {Key: "X-Own", Value: "${THINGS_KEY:-}"}}
	values := map[string]string{"API": url, "AWS_SECRET_ACCESS_KEY": "0123456789"}
	for grant, sends := range map[string]bool{
		"things=http:api": false, "things=http:api,AWS": false, "things=http:api,THINGS_KEY": false, "things=http:api,AWS_SECRET_ACCESS_KEY": true,
	} {
		_, g, err := ParseGrant(grant)
		if err != nil {
			t.Fatal(err)
		}
		sent = ""
		w := worldOf(values, []Grant{g}, want)
		o := w.Do(t.Context(), domain.Asker{}, []abi.Request{request("GET", "x")})[0]
		switch {
		case sends && (o.HTTP == nil || sent != "Bearer 0123456789"):
			t.Errorf("%s: %+v, %q", grant, o, sent)
		case !sends && (o.Failure == nil || sent != "" || !strings.Contains(o.Failure.Message, "AWS_SECRET_ACCESS_KEY, which is no variable of its own (THINGS_…); a grant that allows this is written http:api,AWS_SECRET_ACCESS_KEY")):
			t.Errorf("%s: %+v, %q", grant, o, sent)
		}
		_, key, _ := strings.Cut(grant, "=")
		e, err := w.b.Entry(&abi.Manifest{Domain: "things", Wants: []abi.Want{want}}, "0123", key)
		if (err == nil) != sends || sends && (e.Want != "http:api" || !slices.Contains(e.Variables, "AWS_SECRET_ACCESS_KEY")) {
			t.Errorf("%s in the file: %+v, %v", grant, e, err)
		}
	}
	for _, wrong := range []string{"things=http:api,", "things=http:api,A B", "things=program:ffmpeg,KEY", "things=http:api,${KEY}"} {
		if _, _, err := ParseGrant(wrong); err == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
	if got := Naming("things", &want); got != "http:api,AWS_SECRET_ACCESS_KEY" {
		t.Error(got)
	}
}
