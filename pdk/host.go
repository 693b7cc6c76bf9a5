package pdk

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/fcp-host/fcp-host/abi"
)

// Host gives a call what the host knows, and makes requests of it. Methods that
// make requests seem to block: the guest returns a request to the host, and
// resumes when the host has the outcome.
//
// # Notes
//
//   - Queries, exports, session actions, tools, Fetch and Store may ask. Ops may
//     not, since they are replayed, and neither may New, Open and Save: the
//     manifest declares what they need as resources.
//   - Queries, Fetch and tools that only read may use wants that list Reads, for
//     GET and HEAD and for programs without outputs.
//   - Ask first, edit afterwards: a request after Ctx.Do is refused.
//   - While a call waits, other calls may read the document as it was before, and
//     nothing else.
//
// The zero Host and a nil *Host can do nothing.
type Host struct {
	can      []string
	ref      string
	settings []abi.KeyValue
	supplies []abi.Supply
	op       int // index of the running op, for its supplies

	now   int
	nonce []byte
	made  uint64 // ids
	files *Files // of the document, nil if it is not a folder

	call   *call  // nil if the call may not ask
	edits  int    // made by the call and not undone
	frozen string // why edits are refused, "" if they are not
}

// Can reports whether a want, named as in "http:api", is granted. It works in
// queries, session actions, exports and tools; in ops it is always false.
func (h *Host) Can(want string) bool { return h != nil && slices.Contains(h.can, want) }

// Ref is the name of a remote document, such as "flow:ID"; "" for other documents. It works in queries and session actions.
func (h *Host) Ref() string {
	if h == nil {
		return ""
	}
	return h.ref
}

// Setting is the value of a variable of the user's that a want lists in Settings, "" if it is not set or the want is not
// granted. It works in session actions and tools.
func (h *Host) Setting(name string) string {
	if h != nil {
		for _, kv := range h.settings {
			if kv.Key == name {
				return kv.Value
			}
		}
	}
	return ""
}

// Now is the time of the call in milliseconds since 1970, UTC, for ops, queries,
// session actions and tools of a domain with Stamps. It is the same for the whole call.
// Without Stamps it is 0.
func (h *Host) Now() int {
	if h == nil {
		return 0
	}
	return h.now
}

// Nonce is 16 random bytes of the call's own, for ops, session actions and tools of
// a domain with Stamps. The slice belongs to the host.
func (h *Host) Nonce() []byte {
	if h == nil {
		return nil
	}
	return h.nonce
}

// ID makes an id of 10 lower-case letters and digits from the call's time, its
// nonce and the number of ids made before. Store it in the edit: a replay does
// not make it again.
func (h *Host) ID() string {
	if h == nil {
		h = &Host{}
	}
	x := mix(uint64(h.now))
	for part := range slices.Chunk(h.nonce, 8) {
		x = mix(x ^ binary.LittleEndian.Uint64(append(slices.Clone(part), make([]byte, 8)...)))
	}
	h.made++
	const digits = "0123456789abcdefghjkmnpqrstvwxyz" // without letters that look like digits
	var id [10]byte
	x = mix(x + h.made)
	for i := range id {
		id[i] = digits[x&31]
		x >>= 5
	}
	return string(id[:])
}

// mix is the last step of splitmix64: each bit of x affects each bit of the result.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Resource is what the host fetched for a word of this op or action, as the
// manifest's Resources declare. It is nil if the word names nothing outside, for
// example an id of the document. The error is a *RequestError.
func (h *Host) Resource(word string) (*abi.Supply, error) {
	if h == nil {
		return nil, nil
	}
	for i := range h.supplies {
		if s := &h.supplies[i]; s.Op == h.op && s.Word == word {
			if s.Failure != nil {
				return nil, failed(s.Failure)
			}
			return s, nil
		}
	}
	return nil, nil
}

// HTTP makes a request to the server of the want http:endpoint. A status other than
// 2xx is not an error here: see Response.Check.
func (h *Host) HTTP(endpoint string, r *HTTPRequest) (*Response, error) {
	a := h.one(r.To(endpoint))
	return a.Response, a.Err
}

// ReadFile reads up to length bytes, at most abi.MaxBody, of a file that the action
// names. size is that of the whole file.
func (h *Host) ReadFile(name string, offset, length int) (data []byte, size int, err error) {
	a := h.one(ReadFile(name, offset, length))
	return a.Data, a.Size, a.Err
}

// Part appends at most abi.MaxBody bytes to the file that an export makes. The data
// of the export's response comes before all parts. Each part restarts the guest's
// deadline. As all requests, it needs a domain with wants.
func (h *Host) Part(data []byte) error {
	return h.one(Request{r: abi.Request{Part: &abi.Part{Data: data}}}).Err
}

// RunProgram runs a granted program that has no outputs, and returns what it prints.
func (h *Host) RunProgram(run abi.Run) ([]byte, error) {
	a := h.one(RunProgram(run))
	return a.Data, a.Err
}

// After waits for d, in the host.
func (h *Host) After(d time.Duration) error {
	const most = 30_000 // ms of one request
	for ms := int(d.Milliseconds()); ms > 0; ms -= most {
		if a := h.one(Request{r: abi.Request{AfterMS: min(ms, most)}}); a.Err != nil {
			return a.Err
		}
	}
	return nil
}

// All makes requests concurrently, at most abi.MaxRequests at a time, and returns
// their answers in order. c is a Ctx, a View or a Host.
func All(c interface{ asker() *Host }, requests ...Request) []Answer {
	h := c.asker()
	answers := make([]Answer, 0, len(requests))
	for some := range slices.Chunk(requests, abi.MaxRequests) {
		answers = append(answers, h.round(some)...)
	}
	return answers
}

func (h *Host) asker() *Host { return h }

func (h *Host) one(r Request) Answer { return h.round([]Request{r})[0] }

// round makes one round of requests. A request that cannot be made does not stop
// the others.
func (h *Host) round(requests []Request) []Answer {
	answers := make([]Answer, len(requests))
	refuse := h.whyNot()
	var made []abi.Request
	for i, r := range requests {
		switch {
		case refuse != "":
			answers[i].Err = &RequestError{Kind: abi.FailedRefused, Message: refuse}
		case r.err != nil:
			answers[i].Err = &RequestError{Kind: abi.FailedRefused, Message: r.err.Error()}
		default:
			made = append(made, r.r)
		}
	}
	if len(made) == 0 {
		return answers
	}
	outcomes, err := h.call.ask(made)
	for i := range answers {
		if answers[i].Err != nil {
			continue
		}
		if err != nil {
			answers[i].Err = err
			continue
		}
		answers[i] = answer(&outcomes[0])
		outcomes = outcomes[1:]
	}
	return answers
}

// whyNot returns the reason why the call may not ask, "" if it may.
func (h *Host) whyNot() string {
	switch {
	case h == nil || h.call == nil:
		return "nothing can be asked for here: ops, new, open and save get what they need as resources, and the domain has to list its wants"
	case h.edits > 0:
		return "nothing can be asked for after an edit: ask first, edit afterwards"
	}
	return ""
}

// forTrial returns a copy of h for a trial, which may not ask.
func (h *Host) forTrial() *Host {
	if h == nil {
		return nil
	}
	s := *h
	s.call = nil
	return &s
}
