package flowise

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Keys that a Server accepts.
const (
	Key     = "key-of-the-recorded-server"
	WeakKey = "key-that-only-may-view-chatflows" // has the permission chatflows:view
)

//go:embed testdata/answers.json
var recorded []byte

// Server answers as Flowise did. The zero Server has no flows and no credentials, and its clock starts at Epoch; each
// change advances it by a second. It is an http.Handler and safe for concurrent use.
type Server struct {
	// Before, if set, gets each request first, with its body unread. It returns true if it answered. Tests use it to
	// simulate failures that no recorded request provokes, such as an answer that never comes.
	Before func(w http.ResponseWriter, r *http.Request) bool

	// Credential is the id of a credential for OpenAI's models; "" for none.
	Credential string

	mu      sync.Mutex
	flows   []*flow // oldest first
	changes int
	ids     int
	asked   []string
	answers map[string]Answer
}

// Epoch is the time at which a Server's clock starts.
var Epoch = time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)

type flow struct {
	id, created, updated string
	fields               map[string]json.RawMessage // as sent
	runs                 []run
}

// run is a prediction.
type run struct{ id, session, question string }

// Asked lists the requests so far, for example "GET chatflows".
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// Add creates a flow, as another client would, and returns its id.
func (s *Server) Add(name, typ, flowData string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add(map[string]json.RawMessage{"name": quoted(name), "type": quoted(typ), "flowData": quoted(flowData)}).id
}

// Change changes a flow's flowData, as another client would.
func (s *Server) Change(id, flowData string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.flow(id)
	f.fields["flowData"] = quoted(flowData)
	f.updated = s.tick()
}

// FlowData returns a flow's flowData.
func (s *Server) FlowData(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flow(id).text("flowData")
}

func quoted(s string) json.RawMessage {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return data
}

func (f *flow) text(field string) (s string) {
	_ = json.Unmarshal(f.fields[field], &s) // "" if it is not a string
	return s
}

// tick advances the clock and returns the time.
func (s *Server) tick() string {
	s.changes++
	return Epoch.Add(time.Duration(s.changes) * time.Second).Format("2006-01-02T15:04:05.000Z")
}

func (s *Server) id() string {
	s.ids++
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", s.ids)
}

func (s *Server) add(fields map[string]json.RawMessage) *flow {
	f := &flow{id: s.id(), created: s.tick(), fields: fields}
	f.updated = f.created
	s.flows = append(s.flows, f)
	return f
}

func (s *Server) flow(id string) *flow {
	for _, f := range s.flows {
		if f.id == id {
			return f
		}
	}
	return nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, api := strings.CutPrefix(r.URL.Path, "/api/v1/")
	s.mu.Lock()
	s.asked = append(s.asked, r.Method+" "+path)
	if s.answers == nil {
		workspace := strings.ReplaceAll(string(recorded), "uuid-1\\", "99999999-9999-4999-8999-999999999999\\")
		if err := json.Unmarshal([]byte(workspace), &s.answers); err != nil {
			panic(err)
		}
	}
	s.mu.Unlock()
	if s.Before != nil && s.Before(w, r) {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client may be gone
	}
	s.mu.Lock()
	var a Answer
	if api {
		a = s.answer(r, strings.Split(path, "/"), body)
	} else {
		a = s.answers["html"]
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", a.Type)
	w.WriteHeader(a.Status)
	io.WriteString(w, a.Body)
}

// answer finds the recorded answer to a request, and fills in the flow.
func (s *Server) answer(r *http.Request, path []string, body []byte) Answer {
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	route := r.Method + " " + path[0]
	id := strings.Join(path[1:], "/")
	switch route {
	case "GET ping":
		return s.answers["ping"]
	case "GET executions", "GET chatflows", "POST chatflows", "PUT chatflows", "DELETE chatflows", "POST prediction", "GET nodes", "GET credentials", "POST agentflowv2-generator":
	default:
		return s.answers["html"]
	}
	switch {
	case route == "POST prediction": // needs no key
	case key != Key && key != WeakKey:
		return s.answers["wrong key"]
	case key == WeakKey && (r.Method != "GET" || path[0] == "credentials"):
		return s.answers["no permission"]
	}
	var sent map[string]json.RawMessage
	if len(body) > 0 && json.Unmarshal(body, &sent) != nil {
		return s.answers["body no JSON"]
	}
	switch route {
	case "GET chatflows":
		if id == "" {
			return s.list(r.URL.Query())
		}
		return s.answerAbout(id, "get", func(f *flow) Answer { return s.fill("get", f) })
	case "POST chatflows":
		return s.create(sent)
	case "PUT chatflows":
		return s.answerAbout(id, "change", func(f *flow) Answer { return s.change(f, sent) })
	case "DELETE chatflows":
		f := s.flow(id)
		switch {
		case !uuid.MatchString(id):
			return s.answers["delete no id"]
		case f == nil:
			a := s.answers["delete again"]
			a.Body = regexp.MustCompile(`uuid-\d+`).ReplaceAllString(a.Body, id)
			return a
		}
		s.flows = slices.DeleteFunc(s.flows, func(other *flow) bool { return other == f })
		return s.answers["delete"]
	case "POST prediction":
		return s.answerAbout(id, "predict", func(f *flow) Answer { return s.predict(f, sent) })
	case "GET nodes":
		return s.nodes(id)
	case "GET executions":
		return s.runs(r.URL.Query())
	case "GET credentials":
		if s.Credential == "" {
			return s.answers["list none"]
		}
		return s.withValues("credentials", map[string]string{"id": s.Credential})
	}
	return s.generate(sent)
}

// answerAbout answers a request about a flow, or that it does not exist.
func (s *Server) answerAbout(id, what string, answer func(*flow) Answer) Answer {
	if f := s.flow(id); f != nil {
		return answer(f)
	}
	if !uuid.MatchString(id) {
		return s.answers[what+" no id"]
	}
	a := s.answers[what+" nobody"]
	a.Body = strings.ReplaceAll(a.Body, Nobody, id)
	return a
}

// fill returns a recorded answer about one flow, changed to be about another.
func (s *Server) fill(name string, f *flow) Answer {
	values := map[string]string{"id": f.id, "createdDate": f.created, "updatedDate": f.updated}
	a := s.withValues(name, values)
	for _, field := range []string{"name", "flowData", "type", "deployed", "apiConfig", "apikeyid"} {
		value := f.fields[field]
		if value == nil {
			value = json.RawMessage("null")
		}
		a.Body = member(a.Body, field, string(value))
	}
	return a
}

// withValues returns a recorded answer with some fields set to the given values.
func (s *Server) withValues(name string, values map[string]string) Answer {
	a := s.answers[name]
	for field, value := range values {
		a.Body = member(a.Body, field, string(quoted(value)))
	}
	return a
}

// member replaces the value of a field in the flat objects of a JSON text.
func member(text, field, value string) string {
	m := regexp.MustCompile(`("` + field + `":)("(?:[^"\\]|\\.)*"|null|true|false)`)
	return m.ReplaceAllStringFunc(text, func(s string) string { return `"` + field + `":` + value })
}
