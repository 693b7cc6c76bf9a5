package guest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
)

// errEndless ends a call that makes more requests than the host allows.
var errEndless = fmt.Errorf("it makes more than %d requests in one call", abi.MaxAsked)

// mayAsk lists the exports that may ask.
var mayAsk = []string{abi.ExportQuery, abi.ExportSession, abi.ExportExport, abi.ExportFetch, abi.ExportStore, abi.ExportTool}

// exchange runs an export of a module that can ask, with nothing granted: every request is refused, and the module must
// continue without. Only the parts of an exported file are taken, as a host takes them.
func (i *instance) exchange(export string, readOnly bool, input []byte) ([]byte, error) {
	j := i.j
	output, asks, err := i.cross(export, input, true)
	for made := 0; asks && err == nil; {
		j.expect("asking", slices.Contains(mayAsk, export), "%s makes a request, which it must not", export)
		var asked abi.Requests
		if err := abi.Unmarshal(output, &asked); err != nil {
			j.expect("asking", false, "the requests of %s cannot be decoded: %v", export, err)
			return nil, fmt.Errorf("the requests of %s cannot be decoded: %w", export, err)
		}
		n := len(asked.Requests)
		j.expect("asking", n > 0 && n <= abi.MaxRequests, "%s makes %d requests at once; allowed are 1 to %d", export, n, abi.MaxRequests)
		if made += n; !j.expect("asking", n > 0 && made <= abi.MaxAsked, "%s keeps asking although everything is refused: %d requests in one call", export, made) {
			return nil, errEndless
		}
		results := make([]abi.Outcome, n)
		for k := range asked.Requests {
			fault := j.requestFault(&asked.Requests[k], export, readOnly || export == abi.ExportQuery || export == abi.ExportFetch)
			if asked.Requests[k].Part != nil && n > 1 && fault == "" {
				fault = "a part of a file beside other requests"
			}
			if j.expect("asking", fault == "", "%s asks for %s", export, fault); asked.Requests[k].Part == nil || fault != "" {
				results[k].Failure = &abi.Failure{Kind: abi.FailedRefused, Message: "nothing is granted here"}
			}
		}
		again, err := abi.Marshal(&abi.ResumeRequest{Results: results})
		if err != nil {
			return nil, err
		}
		if output, asks, err = i.cross(abi.ExportResume, again, true); err != nil {
			return nil, err
		}
	}
	return output, err
}

// requestFault returns what is wrong with a request of an export, or "".
func (j *judge) requestFault(r *abi.Request, export string, readOnly bool) string {
	want := func(kind, name string, reads bool) string {
		i := slices.IndexFunc(j.m.Wants, func(w abi.Want) bool { return w.Kind == kind && w.Name == name })
		switch {
		case i < 0:
			return fmt.Sprintf("%s:%s, which is not among its wants", kind, name)
		case readOnly && !j.m.Wants[i].Reads:
			return fmt.Sprintf("%s:%s where it only reads, and the want does not list reads", kind, name)
		case readOnly && !reads:
			return fmt.Sprintf("what may change something by %s:%s, where it only reads", kind, name)
		}
		return ""
	}
	kinds := 0
	for _, set := range []bool{r.HTTP != nil, r.Read != nil, r.Run != nil, r.Part != nil} {
		if set {
			kinds++
		}
	}
	switch {
	case kinds > 1 || kinds == 0 && r.AfterMS == 0:
		return fmt.Sprintf("%d kinds of things in one request", kinds)
	case r.AfterMS < 0 || r.AfterMS > 30_000:
		return fmt.Sprintf("a wait of %d ms", r.AfterMS)
	case r.HTTP != nil:
		if !slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}, r.HTTP.Method) {
			return fmt.Sprintf("the method %q", r.HTTP.Method)
		}
		return want(abi.WantHTTP, r.HTTP.Endpoint, r.HTTP.Method == "GET" || r.HTTP.Method == "HEAD")
	case r.Run != nil:
		if len(r.Run.Outputs) > 0 {
			return "a program with outputs, which belongs into an answer"
		}
		return want(abi.WantProgram, r.Run.Program, true)
	case r.Read != nil && (r.Read.Offset < 0 || r.Read.Length < 0 || r.Read.Length > abi.MaxBody):
		return fmt.Sprintf("%d bytes of a file at %d", r.Read.Length, r.Read.Offset)
	case r.Part != nil && export != abi.ExportExport:
		return "a part of a file, which only an export makes"
	case r.Part != nil && len(r.Part.Data) > abi.MaxBody:
		return fmt.Sprintf("a part of %d bytes, the limit is %d", len(r.Part.Data), abi.MaxBody)
	}
	return ""
}

// checkAsking checks what no other check calls: session actions, remote documents, and outcomes that nothing asked for.
func (j *judge) checkAsking() {
	if !j.hasExport(abi.ExportResume) {
		return
	}
	doc, err := j.newDocument()
	if err != nil {
		return // other checks report it
	}
	defer func() { doc.close() }()
	call := func(export string, in, out any) {
		err := doc.call(export, in, out)
		if j.countFault(export, nonRefusal(err)) {
			return
		}
		doc.close()
		if doc, err = j.newDocument(); err != nil {
			doc, _ = j.newInstance()
		}
	}
	err = doc.call(abi.ExportResume, &abi.ResumeRequest{Results: []abi.Outcome{{Data: []byte("x")}}}, &struct{}{})
	var no *refusal
	j.expect("asking", errors.As(err, &no), "fcp_resume without a request is not refused: %s", problem(err))
	for _, s := range j.m.Session {
		for _, op := range []abi.Op{{Verb: s.Name, Raw: s.Name}, {Verb: s.Name, Raw: s.Name + " x", Positionals: []abi.Positional{{Text: "x"}}}} {
			call(abi.ExportSession, &abi.SessionRequest{Command: op, Now: now, Nonce: nonce(op.Raw)}, &abi.ApplyResponse{})
		}
	}
	for _, scheme := range j.m.Schemes {
		call(abi.ExportFetch, &abi.FetchRequest{Ref: scheme + ":conformance"}, &abi.FetchResponse{})
		call(abi.ExportStore, &abi.StoreRequest{Ref: scheme + ":conformance", Data: []byte("x"), Revision: "1"}, &abi.StoreResponse{})
	}
}

// hasExport reports whether the module has an export.
func (j *judge) hasExport(export string) bool {
	_, ok := j.box.Info().Func(export)
	return ok
}
