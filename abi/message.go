package abi

// Kind says what an op did; the host turns it into the reply's prefix.
type Kind string

// The kinds and their prefixes.
const (
	Created    Kind = "created"    // +
	Connection Kind = "connection" // ~
	Changed    Kind = "changed"    // *
	Deleted    Kind = "deleted"    // -
	Bulk       Kind = "bulk"       // @
)

// NewRequest asks for an empty document.
type NewRequest struct {
	Title  string     `msgpack:"title"`
	Params []KeyValue `msgpack:"params,omitempty"`
}

// OpenRequest asks for a document from a file's bytes.
type OpenRequest struct {
	Name     string `msgpack:"name"` // base name, for messages and format hints; never a usable path
	Data     []byte `msgpack:"data"`
	Snapshot bool   `msgpack:"snapshot,omitempty"` // Data came from fcp_save with Snapshot
}

// OpenResponse answers fcp_new and fcp_open.
type OpenResponse struct {
	Text     string   `msgpack:"text,omitempty"`     // what was opened, one line
	Warnings []string `msgpack:"warnings,omitempty"` // what the reader should know about the file
	State    State    `msgpack:"state"`
}

// SaveRequest asks for the document's bytes. It must not change the document.
type SaveRequest struct {
	Name     string `msgpack:"name,omitempty"`     // base name that will be written, if known
	Snapshot bool   `msgpack:"snapshot,omitempty"` // bytes that fcp_open turns into exactly this state, ids included
}

// SaveResponse carries a file.
type SaveResponse struct {
	Data     []byte   `msgpack:"data"`
	MIME     string   `msgpack:"mime,omitempty"`
	Warnings []string `msgpack:"warnings,omitempty"`
}

// ApplyRequest runs a batch of ops, in order.
type ApplyRequest struct {
	Ops    []Op     `msgpack:"ops"`
	Each   bool     `msgpack:"each,omitempty"`   // go on after a failed op; otherwise stop there
	Recent []string `msgpack:"recent,omitempty"` // ids touched before this call, newest first, for @recent
}

// ApplyResponse holds one result for each op that ran, in order. Without Each
// a failed op is the last one. A failed op has changed nothing.
type ApplyResponse struct {
	Results []Result `msgpack:"results"`
	State   State    `msgpack:"state"` // after the last op
}

// Result is what one op did.
type Result struct {
	Kind     Kind     `msgpack:"kind,omitempty"`
	Text     string   `msgpack:"text,omitempty"` // without prefix; further lines are continuation lines
	Events   []Event  `msgpack:"events,omitempty"`
	IDs      []string `msgpack:"ids,omitempty"` // elements created or changed, in order; defaults to the events' ids
	Warnings []string `msgpack:"warnings,omitempty"`
	Error    *Error   `msgpack:"error,omitempty"` // set: the op failed, everything else but Warnings is ignored
}

// Event is one change of the model, with all that reverse and replay need.
type Event struct {
	Type    string   `msgpack:"type"`
	Summary string   `msgpack:"summary,omitempty"` // one line, for history
	IDs     []string `msgpack:"ids,omitempty"`
	Data    []byte   `msgpack:"data,omitempty"` // the domain's own
}

// Error is a refusal the model can act on.
type Error struct {
	Message string   `msgpack:"message"`       // one line: what was wrong
	Try     []string `msgpack:"try,omitempty"` // complete ops (or queries) that would work as printed
}

// EventsRequest carries events to undo or to do again: newest first for
// fcp_reverse, oldest first for fcp_replay.
type EventsRequest struct {
	Events []Event `msgpack:"events"`
}

// StateResponse answers fcp_state, fcp_reverse and fcp_replay.
type StateResponse struct {
	State State `msgpack:"state"`
}

// State summarises a document.
type State struct {
	Digest   string   `msgpack:"digest"` // without brackets: object counts and one structural metric
	Title    string   `msgpack:"title,omitempty"`
	Counts   []Count  `msgpack:"counts,omitempty"`
	Warnings []string `msgpack:"warnings,omitempty"` // structural, advisory
}

// Count is one figure of a State.
type Count struct {
	Name  string `msgpack:"name"`
	Value int    `msgpack:"value"`
}

// QueryRequest asks something. It must not change the document.
type QueryRequest struct {
	Query  Op       `msgpack:"query"` // Verb is the query's first word, lower case
	Recent []string `msgpack:"recent,omitempty"`
}

// QueryResponse answers a query.
type QueryResponse struct {
	Text    string    `msgpack:"text"`
	Content []Content `msgpack:"content,omitempty"` // pictures and the like
}

// Content is a block of a query's answer that is not text.
type Content struct {
	MIME string `msgpack:"mime"`
	Data []byte `msgpack:"data"`
}

// HelpResponse adds what this document brought (own types, loaded packs) to
// the reference card. It is called on a fresh instance, too.
type HelpResponse struct {
	Sections []Section `msgpack:"sections,omitempty"`
}

// SessionRequest runs one of the manifest's session verbs. It is answered like
// a batch of one op, and is undone like one.
type SessionRequest struct {
	Command Op     `msgpack:"command"`
	Name    string `msgpack:"name,omitempty"` // base name of the file that the manifest's File names
	Data    []byte `msgpack:"data,omitempty"` // its bytes
}

// ExportRequest asks for the document in another format. It must not change
// the document.
type ExportRequest struct {
	Format string     `msgpack:"format"`
	Params []KeyValue `msgpack:"params,omitempty"`
}
