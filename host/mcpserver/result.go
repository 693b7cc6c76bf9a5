package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/printable"
	"github.com/mark3labs/mcp-go/mcp"
)

// result turns a reply into the tool's result: the text, then pictures. It links to no resources: clients turn a link
// into a line for the model, which has the names already.
func (s *Server) result(r *reply.Reply, face reply.Face) *mcp.CallToolResult {
	out := &mcp.CallToolResult{IsError: r.Failed, Content: []mcp.Content{mcp.NewTextContent(r.Print(face))}}
	for _, part := range parts(r) {
		for _, c := range part.Content {
			out.Content = append(out.Content, mcp.NewImageContent(encode(c.Data), c.MIME))
		}
	}
	// A client that shows structured content to its model may hide the rest, so a result with pictures has none.
	if s.config.Structured && len(out.Content) == 1 {
		out.StructuredContent = FactsOf(r, face)
	}
	return out
}

// copies is how often, about, a picture is in memory while it is sent: raw, as base64, and in a message.
const copies = 4

// holdPictures drops pictures from a reply over HTTP when too many bytes are being sent already, since a client may
// read slowly.
func holdPictures(ctx context.Context, r *reply.Reply) {
	call := gate.Of(ctx)
	for _, part := range parts(r) {
		part.Content = slices.DeleteFunc(part.Content, func(c reply.Content) bool {
			if call.Hold(copies * int64(len(c.Data))) {
				return false
			}
			part.Warnings = append(part.Warnings, fmt.Sprintf("held back: a picture of %s, since too many bytes are being sent (limit bodies); ask again later",
				reply.Count(len(c.Data), "byte")))
			return true
		})
	}
}

// dropPictures drops the pictures from a reply that must have structured content, beside which clients show none.
func dropPictures(r *reply.Reply) {
	for _, part := range parts(r) {
		if len(part.Content) > 0 {
			part.Warnings = append(part.Warnings, "held back: a picture, since this answer is structured; ask for it in a query")
			part.Content = nil
		}
	}
}

// parts lists a reply and those of its then.
func parts(r *reply.Reply) []*reply.Reply { return append([]*reply.Reply{r}, r.Then...) }

// Facts is the structured form of a reply, for structuredContent and for programs that read JSON.
type Facts struct {
	Document string   `json:"document,omitempty"`
	Revision uint64   `json:"revision"`
	Dirty    bool     `json:"dirty"`
	Unpushed bool     `json:"unpushed,omitempty"` // the server does not have its changes
	Digest   string   `json:"digest,omitempty"`
	Results  []fact   `json:"results,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Text     string   `json:"text,omitempty"`
	Then     []Facts  `json:"then,omitempty"`
}

type fact struct {
	Op       int      `json:"op,omitempty"`
	Prefix   string   `json:"prefix"`
	Text     string   `json:"text"`
	IDs      []string `json:"ids,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Try      []string `json:"try,omitempty"`
}

// factsSchema is the JSON Schema of Facts, less detailed if it would exceed room characters. Only tools
// that never answer with a picture declare it, since a tool with an output schema must send structured content with
// every result.
func factsSchema(room int) json.RawMessage {
	const texts = `{"type":"array","items":{"type":"string"}}`
	const text, number, truth = `{"type":"string"}`, `{"type":"integer"}`, `{"type":"boolean"}`
	const result = `{"type":"object","properties":{"op":` + number + `,"prefix":` + text + `,"text":` + text + `,"ids":` + texts +
		`,"warnings":` + texts + `,"try":` + texts + `},"required":["prefix","text"],"additionalProperties":false}`
	whole := func(result, texts string) string {
		return `{"type":"object","properties":{"document":` + text + `,"revision":` + number + `,"dirty":` + truth +
			`,"digest":` + text + `,"results":{"type":"array","items":` + result + `},"warnings":` + texts + `,"text":` + text +
			`,"unpushed":` + truth + `,"then":{"type":"array","items":{"type":"object"}}},"required":["revision","dirty"]`
	}
	for _, s := range []string{whole(result, texts) + `,"additionalProperties":false}`, whole(`{"type":"object"}`, `{"type":"array"}`) + `}`} {
		if len(s) <= room {
			return json.RawMessage(s)
		}
	}
	return json.RawMessage(`{"type":"object"}`)
}

// FactsOf is a reply as Facts.
func FactsOf(r *reply.Reply, face reply.Face) Facts {
	f := Facts{Document: r.Document, Revision: r.Revision, Dirty: r.Dirty, Unpushed: r.Unpushed, Digest: r.Digest, Warnings: shown(r.Warnings), Text: printable.Text(r.Text)}
	for _, res := range r.Results {
		f.Results = append(f.Results, fact{Op: res.Op, Prefix: string(rune(res.Prefix)), Text: printable.Text(res.Text), IDs: shown(res.IDs), Warnings: shown(res.Warnings), Try: suggestionTexts(res.Try, face)})
	}
	for _, next := range r.Then {
		then := FactsOf(next, face)
		f.Then = append(f.Then, then)
		if then.Document != "" { // the state after the last answer
			f.Document, f.Revision, f.Dirty, f.Unpushed = then.Document, then.Revision, then.Dirty, then.Unpushed
		}
		if then.Digest != "" {
			f.Digest = then.Digest
		}
	}
	return f
}

func suggestionTexts(list []reply.Suggestion, face reply.Face) (out []string) {
	for _, s := range list {
		out = append(out, printable.Text(face(s)))
	}
	return out
}

// shown makes texts safe to show.
func shown(list []string) (out []string) {
	for _, s := range list {
		out = append(out, printable.Text(s))
	}
	return out
}
