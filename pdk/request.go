package pdk

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

// Request is one thing to ask the host for, as an argument of All.
type Request struct {
	r   abi.Request
	err error
}

// Answer is the result of a Request.
type Answer struct {
	Response *Response // of an HTTP request
	Data     []byte    // what was read from a file, or what a program printed
	Size     int       // of the whole file
	Err      error     // a *RequestError if the request failed
}

// Check returns Err, or an error if the server's status is not 2xx.
func (a *Answer) Check() error {
	if a.Err != nil || a.Response == nil {
		return a.Err
	}
	return a.Response.Check()
}

// RequestError says why a request has no answer.
type RequestError struct {
	Kind    string // abi.FailedRefused, …
	Message string // one line
	Sent    bool   // the request was sent, and may have taken effect
}

func (e *RequestError) Error() string { return e.Message }

func failed(f *abi.Failure) *RequestError {
	return &RequestError{Kind: f.Kind, Message: f.Message, Sent: f.Sent}
}

func answer(o *abi.Outcome) Answer {
	switch {
	case o.Failure != nil:
		return Answer{Err: failed(o.Failure)}
	case o.HTTP != nil:
		return Answer{Response: &Response{*o.HTTP}}
	}
	return Answer{Data: o.Data, Size: o.Size}
}

// ReadFile asks for a part of a file that the action names.
func ReadFile(name string, offset, length int) Request {
	return Request{r: abi.Request{Read: &abi.ReadRequest{Name: name, Offset: offset, Length: length}}}
}

// RunProgram asks for a run of a program that has no outputs.
func RunProgram(run abi.Run) Request { return Request{r: abi.Request{Run: &run}} }

// HTTPRequest is a request to a server, made by Get and the like. The host adds
// what the want declares: the base of the path, and headers with secrets.
type HTTPRequest struct {
	r   abi.HTTPRequest
	err error
}

// Get starts a GET. The path segments are appended to the want's base. The host
// escapes them, so that a name that the user wrote is always one segment.
func Get(path ...string) *HTTPRequest { return send("GET", path) }

// Post starts a POST.
func Post(path ...string) *HTTPRequest { return send("POST", path) }

// Put starts a PUT.
func Put(path ...string) *HTTPRequest { return send("PUT", path) }

// Patch starts a PATCH.
func Patch(path ...string) *HTTPRequest { return send("PATCH", path) }

// Delete starts a DELETE.
func Delete(path ...string) *HTTPRequest { return send("DELETE", path) }

func send(method string, path []string) *HTTPRequest {
	return &HTTPRequest{r: abi.HTTPRequest{Method: method, Path: path}}
}

// Query adds a parameter to the URL.
func (r *HTTPRequest) Query(key, value string) *HTTPRequest {
	r.r.Query = append(r.r.Query, abi.KeyValue{Key: key, Value: value})
	return r
}

// Header adds a header, one of those that a guest may send, such as Accept.
func (r *HTTPRequest) Header(key, value string) *HTTPRequest {
	r.r.Headers = append(r.r.Headers, abi.KeyValue{Key: key, Value: value})
	return r
}

// Body sets the body and its media type.
func (r *HTTPRequest) Body(mime string, data []byte) *HTTPRequest {
	r.r.Body = data
	return r.Header("Content-Type", mime)
}

// JSON sets the body to v as JSON.
func (r *HTTPRequest) JSON(v any) *HTTPRequest {
	data, err := json.Marshal(v)
	if err != nil {
		r.err = err
	}
	return r.Body("application/json", data)
}

// To makes it a Request to the server of the want http:endpoint, for All.
func (r *HTTPRequest) To(endpoint string) Request {
	h := r.r
	h.Endpoint = endpoint
	return Request{r: abi.Request{HTTP: &h}, err: r.err}
}

// Response is a server's answer.
type Response struct{ abi.HTTPResponse }

// Header is the first value of a header, "" if there is none.
func (r *Response) Header(name string) string {
	for _, h := range r.Headers {
		if strings.EqualFold(h.Key, name) {
			return h.Value
		}
	}
	return ""
}

// Check returns an error with the start of the body, unless the status is 2xx.
func (r *Response) Check() error {
	if r.Status >= 200 && r.Status < 300 {
		return nil
	}
	said := strings.ToValidUTF8(string(r.Body[:min(len(r.Body), 200)]), "")
	if said = strings.Join(strings.Fields(said), " "); said != "" {
		said = ": " + said
	}
	return Errorf("the server answered %d%s", r.Status, said)
}

// JSON decodes the body into v, if the status is 2xx; see Check.
func (r *Response) JSON(v any) error {
	if err := r.Check(); err != nil {
		return err
	}
	if err := json.Unmarshal(r.Body, v); err != nil {
		return fmt.Errorf("the server's answer is not the expected JSON: %w", err)
	}
	return nil
}
