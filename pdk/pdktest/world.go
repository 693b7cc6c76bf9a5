package pdktest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// World stands in for what is outside of the sandbox in a test. What it contains is
// granted; everything else is refused, as by a host. A nil World contains nothing.
//
//	w := &pdktest.World{HTTP: map[string]http.Handler{"api": mux}}
//	doc := pdktest.New(t, domain, `"Demo"`, w)
//	doc.Session("push")
//	if len(w.Asked) != 1 { … }
type World struct {
	HTTP      map[string]http.Handler                       // servers, by the names of wants; they get a manifest's headers as written there, without values of variables
	Programs  map[string]func(run *abi.Run) ([]byte, error) // what programs without outputs print, by the names of wants
	Files     map[string][]byte                             // by the names that ops and actions use
	Probes    map[string]string                             // what ffprobe says of files, as JSON
	Documents map[string][]byte                             // other open documents, as they would be saved
	Fail      func(r *abi.Request) *abi.Failure             // makes a request fail unless it returns nil; may be nil
	Settings  map[string]string                             // values of the variables in the wants' Settings
	Now       int                                           // milliseconds since 1970, of every call
	Asked     []abi.Request                                 // all requests, oldest first; waits of AfterMS are skipped

	calls uint64
	parts []byte // of the file of an export
}

// errTooMany ends a call that makes too many requests.
var errTooMany = fmt.Errorf("it made more than %d requests in one call", abi.MaxAsked)

// can lists the granted wants.
func (w *World) can() []string {
	if w == nil {
		return nil
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(w.HTTP)) {
		out = append(out, abi.WantHTTP+":"+name)
	}
	for _, name := range slices.Sorted(maps.Keys(w.Programs)) {
		out = append(out, abi.WantProgram+":"+name)
	}
	return out
}

// time is the Now of a call, 0 for a domain without stamps.
func (w *World) time(m *abi.Manifest) int {
	if !m.Stamps || w == nil {
		return 0
	}
	return w.Now
}

// settings lists the variables in the wants' Settings that are set.
func (w *World) settings(m *abi.Manifest) (out []abi.KeyValue) {
	if w == nil {
		return nil
	}
	for i := range m.Wants {
		for _, name := range m.Wants[i].Settings {
			if v := w.Settings[name]; v != "" && slices.Contains(w.can(), m.Wants[i].Key()) {
				out = append(out, abi.KeyValue{Key: name, Value: v})
			}
		}
	}
	return out
}

// stamp returns the Now and the Nonce of a call.
func (w *World) stamp(m *abi.Manifest) (now int, nonce []byte) {
	if !m.Stamps {
		return 0, nil
	}
	if w == nil {
		w = &World{}
	}
	w.calls++
	return w.time(m), binary.BigEndian.AppendUint64(make([]byte, 8), w.calls)
}

// answer handles the requests of a call, round by round, until the call answers.
func (w *World) answer(g guest, readOnly bool, output []byte) ([]byte, error) {
	for made := 0; ; {
		var asked abi.Requests
		if err := abi.Unmarshal(output, &asked); err != nil {
			return nil, fmt.Errorf("its requests are malformed: %w", err)
		}
		switch made += len(asked.Requests); {
		case len(asked.Requests) == 0 || len(asked.Requests) > abi.MaxRequests:
			return nil, fmt.Errorf("it makes %d requests at once; 1 to %d are allowed", len(asked.Requests), abi.MaxRequests)
		case made > abi.MaxAsked:
			return nil, errTooMany
		}
		var results []abi.Outcome
		for i := range asked.Requests {
			results = append(results, w.do(&g.d.manifest, readOnly, &asked.Requests[i]))
		}
		input, err := abi.Marshal(&abi.ResumeRequest{Results: results})
		if err != nil {
			return nil, err
		}
		if output, err = g.run(abi.ExportResume, input); !errors.Is(err, pdk.ErrAsks) {
			return output, err
		}
	}
}

func refusal(format string, args ...any) abi.Outcome {
	return abi.Outcome{Failure: &abi.Failure{Kind: abi.FailedRefused, Message: fmt.Sprintf(format, args...)}}
}

func (w *World) do(m *abi.Manifest, readOnly bool, r *abi.Request) abi.Outcome {
	if w == nil {
		return refusal("this test has no world")
	}
	w.Asked = append(w.Asked, *r)
	if w.Fail != nil {
		if f := w.Fail(r); f != nil {
			return abi.Outcome{Failure: f}
		}
	}
	may := func(want string, reads bool) (*abi.Want, string) {
		i := slices.IndexFunc(m.Wants, func(w abi.Want) bool { return w.Key() == want })
		switch {
		case i < 0:
			return nil, want + " is not among the wants"
		case !slices.Contains(w.can(), want):
			return nil, want + " is not granted"
		case readOnly && !(m.Wants[i].Reads && reads):
			return nil, "a call that only reads may not do this with " + want
		}
		return &m.Wants[i], ""
	}
	switch {
	case r.HTTP != nil:
		want, reason := may(abi.WantHTTP+":"+r.HTTP.Endpoint, r.HTTP.Method == "GET" || r.HTTP.Method == "HEAD")
		if reason != "" {
			return refusal("%s", reason)
		}
		return serve(w.HTTP[r.HTTP.Endpoint], want, r.HTTP)
	case r.Run != nil:
		if _, reason := may(abi.WantProgram+":"+r.Run.Program, len(r.Run.Outputs) == 0); reason != "" {
			return refusal("%s", reason)
		}
		printed, err := w.Programs[r.Run.Program](r.Run)
		if err != nil {
			return abi.Outcome{Failure: &abi.Failure{Kind: abi.FailedProgram, Message: err.Error(), Sent: true}}
		}
		return abi.Outcome{Data: printed}
	case r.Part != nil:
		w.parts = append(w.parts, r.Part.Data...)
	case r.Read != nil:
		data, ok := w.Files[r.Read.Name]
		if !ok {
			return abi.Outcome{Failure: &abi.Failure{Kind: abi.FailedNotFound, Message: "no file " + r.Read.Name}}
		}
		from := min(max(r.Read.Offset, 0), len(data))
		return abi.Outcome{Data: data[from:min(from+max(r.Read.Length, 0), len(data))], Size: len(data)}
	}
	return abi.Outcome{}
}

// serve passes a request to the handler of a server.
func serve(h http.Handler, want *abi.Want, r *abi.HTTPRequest) abi.Outcome {
	var escaped []string
	for _, segment := range r.Path {
		if segment == "." || segment == ".." {
			return refusal("the path has the segment %q", segment)
		}
		escaped = append(escaped, url.PathEscape(segment))
	}
	query := url.Values{}
	for _, p := range r.Query {
		query.Add(p.Key, p.Value)
	}
	_, base, _ := strings.Cut(want.Base, "}") // the path after a variable
	req := httptest.NewRequest(r.Method, base+"/"+strings.Join(escaped, "/")+"?"+query.Encode(), bytes.NewReader(r.Body))
	for _, p := range slices.Concat(r.Headers, want.Headers) {
		req.Header.Set(p.Key, p.Value)
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	out := &abi.HTTPResponse{Status: rec.Code, Body: rec.Body.Bytes()}
	for _, key := range slices.Sorted(maps.Keys(rec.Header())) {
		if key != "Set-Cookie" {
			out.Headers = append(out.Headers, abi.KeyValue{Key: key, Value: strings.Join(rec.Header()[key], ", ")})
		}
	}
	return abi.Outcome{HTTP: out}
}

// supply returns the resources that words of an op name.
func (w *World) supply(m *abi.Manifest, list []abi.Resource, index int, op *abi.Op) []abi.Supply {
	var out []abi.Supply
	for i := range list {
		for _, word := range words(&list[i], op) {
			if s, ok := w.resource(m, &list[i], word); ok {
				s.Op, s.Word, s.Kind = index, word, list[i].Kind
				out = append(out, s)
			}
		}
	}
	return out
}

// words returns the words of an op that name a resource.
func words(r *abi.Resource, op *abi.Op) (out []string) {
	if !r.Of(op) {
		return nil
	}
	for _, p := range op.Params {
		if r.Key != "" && p.Key == r.Key {
			out = append(out, p.Value)
		}
	}
	for i, p := range op.Positionals {
		if r.Position == i+1 || r.Position == -1 {
			out = append(out, p.Text)
		}
	}
	return out
}

func (w *World) resource(m *abi.Manifest, r *abi.Resource, word string) (s abi.Supply, ok bool) {
	if w == nil {
		w = &World{}
	}
	s.Name = word[strings.LastIndexByte(word, '/')+1:]
	failed := func(f *abi.Failure) (abi.Supply, bool) { return abi.Supply{Failure: f}, true }
	switch r.Kind {
	case abi.ResourceFetch:
		path := slices.Clone(r.Path)
		for i := range path {
			path[i] = strings.ReplaceAll(path[i], "{}", word)
		}
		_, endpoint, _ := strings.Cut(r.Want, ":")
		o := w.do(m, true, &abi.Request{HTTP: &abi.HTTPRequest{Endpoint: endpoint, Method: "GET", Path: path}})
		switch {
		case o.Failure != nil:
			return failed(o.Failure)
		case o.HTTP.Status == http.StatusNotFound:
			return failed(&abi.Failure{Kind: abi.FailedNotFound, Message: "there is no " + strings.Join(path, "/")})
		case o.HTTP.Status/100 != 2:
			return failed(&abi.Failure{Kind: abi.FailedProtocol, Message: fmt.Sprintf("the server answers %d: %.200s", o.HTTP.Status, o.HTTP.Body)})
		}
		s.Data = o.HTTP.Body
		return s, true
	case abi.ResourceDocument:
		s.Data, ok = w.Documents[word]
		return s, ok
	case abi.ResourceProbe:
		probe, known := w.Probes[word]
		s.Data, ok = []byte(probe), known
	default:
		s.Data, ok = w.Files[word]
	}
	if !ok && strings.ContainsAny(word, "/.") {
		return failed(&abi.Failure{Kind: abi.FailedNotFound, Message: "no file " + word})
	}
	return s, ok
}
