package abi

import (
	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// Kind says what an op did; the host turns it into the reply's prefix.
type Kind string

// The kinds and their prefixes.
const (
	Created    Kind = "created"    // +
	Connection Kind = "connection" // ~
	Changed    Kind = "changed"    // *
	Deleted    Kind = "deleted"    // -
	Bulk       Kind = "bulk"       // @
	Unchanged  Kind = "unchanged"  // ?
)

// NewRequest requests an empty document.
type NewRequest struct {
	Title  string     `msgpack:"title"`            // as the user wrote it; may be empty
	Params []KeyValue `msgpack:"params,omitempty"` // `key:value` of the action, as NewParams declares

	Resources []Supply `msgpack:"resources,omitempty"` // what the action names, and media that were opened
	Folder    bool     `msgpack:"folder,omitempty"`    // the document is a folder, which may already hold files
	Files     []File   `msgpack:"files,omitempty"`     // the folder's files; SaveResponse.Files says what the document adds and changes
}

// OpenRequest requests a document from a file's bytes.
type OpenRequest struct {
	Name     string `msgpack:"name"`               // base name, for messages and format hints; never a usable path
	Data     []byte `msgpack:"data"`               // the whole file
	Snapshot bool   `msgpack:"snapshot,omitempty"` // Data came from fcp_save with Snapshot
	Files    []File `msgpack:"files,omitempty"`    // of a folder document, which has no Data; a snapshot has only Data
	Folder   bool   `msgpack:"folder,omitempty"`   // the document is a folder, perhaps without files
}

// OpenResponse answers fcp_new and fcp_open.
type OpenResponse struct {
	Text     string   `msgpack:"text,omitempty"`     // what was opened, one line
	Warnings []string `msgpack:"warnings,omitempty"` // what the reader should know about the file
	State    State    `msgpack:"state"`              // of the new document

	References []string `msgpack:"references,omitempty"` // names of files that the document mentions, for the inputs of programs
}

// SaveRequest requests the document's bytes. It must not change the document.
type SaveRequest struct {
	Name     string `msgpack:"name,omitempty"`     // base name that will be written, if known
	Snapshot bool   `msgpack:"snapshot,omitempty"` // bytes that fcp_open turns into exactly this state, ids included
	Whole    bool   `msgpack:"whole,omitempty"`    // of a folder: all files, not only those that changed

	Files []KeyValue `msgpack:"files,omitempty"` // files that calls or the document named: Key is that name, Value the name to write, relative to the saved file's folder
}

// SaveResponse carries a file.
type SaveResponse struct {
	Data     []byte   `msgpack:"data"`               // the whole file
	MIME     string   `msgpack:"mime,omitempty"`     // media type of Data
	Warnings []string `msgpack:"warnings,omitempty"` // what could not be written unchanged

	Files []FileChange `msgpack:"files,omitempty"` // of a folder: each file that differs from OpenRequest or NewRequest, sorted by name; with Whole all
	Run   *Run         `msgpack:"run,omitempty"`   // of an export: the program that makes the file, instead of Data
}

// ApplyRequest runs a batch of ops, in order.
type ApplyRequest struct {
	Ops    []Op     `msgpack:"ops" max:"MaxOps"` // checked against the manifest by the host
	Each   bool     `msgpack:"each,omitempty"`   // continue after a failed op instead of stopping there
	Recent []string `msgpack:"recent,omitempty"` // ids touched before this call, newest first, for @recent

	Resources []Supply `msgpack:"resources,omitempty"` // what the ops name, in their order
	Now       int      `msgpack:"now,omitempty"`       // milliseconds since 1970, UTC, where the manifest has Stamps
	Nonce     []byte   `msgpack:"nonce,omitempty"`     // 16 random bytes, made for this call
}

// ApplyResponse holds one result for each op that ran, in order. Without Each
// a failed op is the last one. A failed op has changed nothing.
type ApplyResponse struct {
	Results []Result `msgpack:"results" max:"MaxOps"` // in the order of the ops
	State   State    `msgpack:"state"`                // after the last op
	Run     *Run     `msgpack:"run,omitempty"`        // of a session action: a program to run afterwards, whose first output goes where as: says
}

// Result is what one op did.
type Result struct {
	Kind     Kind     `msgpack:"kind,omitempty"`                   // what was done; needed when the op succeeded
	Text     string   `msgpack:"text,omitempty"`                   // without prefix; lines after the first are continuation lines
	Events   []Event  `msgpack:"events,omitempty" max:"MaxEvents"` // its changes, in order; a success has at least one, unless its kind is unchanged
	IDs      []string `msgpack:"ids,omitempty"`                    // elements created or changed, in order; defaults to the events' ids
	Warnings []string `msgpack:"warnings,omitempty"`               // advice, one line each
	Error    *Error   `msgpack:"error,omitempty"`                  // if set, the op failed, and everything else except Warnings is ignored
}

// Event is one change of the model, with all data that reverse and replay need.
type Event struct {
	Type    string   `msgpack:"type"`              // the domain's own name of the change
	Summary string   `msgpack:"summary,omitempty"` // one line, for history
	IDs     []string `msgpack:"ids,omitempty"`     // elements it touched
	Data    []byte   `msgpack:"data,omitempty"`    // the domain's own
}

// Touched lists the elements that the op touched, each once, in order: IDs if the domain set them, otherwise those of its
// events.
func (r *Result) Touched() []string {
	switch {
	case len(r.IDs) > 0 || len(r.Events) == 0:
		return r.IDs
	case len(r.Events) == 1 && len(r.Events[0].IDs) < 2:
		return r.Events[0].IDs
	}
	var ids []string
	seen := map[string]bool{}
	for i := range r.Events {
		for _, id := range r.Events[i].IDs {
			if !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// Error is a refusal that the client can act on.
type Error struct {
	Message string       `msgpack:"message"`       // one line: what was wrong
	Try     []Suggestion `msgpack:"try,omitempty"` // what would work on the document in its present state; a plain string is a suggestion without a kind
}

// Suggestion is a complete op, query or action that works as written. It does not contain the name of a tool, which the host
// adds if needed.
type Suggestion struct {
	Kind string `msgpack:"kind,omitempty"` // TryOp, TryQuery or TryAction; empty for the kind of what was refused
	Text string `msgpack:"text"`           // the op, query or session action
}

// The kinds of a Suggestion.
const (
	TryOp     = "op"
	TryQuery  = "query"
	TryAction = "action"
)

// DecodeMsgpack reads a suggestion or, as the first plugins wrote it, its text alone.
func (s *Suggestion) DecodeMsgpack(dec *msgpack.Decoder) error {
	code, err := dec.PeekCode()
	if err != nil {
		return err
	}
	if msgpcode.IsString(code) || msgpcode.IsBin(code) {
		*s = Suggestion{}
		s.Text, err = dec.DecodeString()
		return err
	}
	type plain Suggestion // without this method
	return dec.Decode((*plain)(s))
}

// parse is DecodeMsgpack without reflection.
func (s *Suggestion) parse(r *reader) {
	if r.isText() {
		*s = Suggestion{Text: r.text()}
		return
	}
	s.parseMap(r)
}

// EventsRequest carries events to reverse or to replay: newest first for
// fcp_reverse, oldest first for fcp_replay.
type EventsRequest struct {
	Events []Event `msgpack:"events" max:"MaxEvents"` // in the order to handle them
}

// StateResponse answers fcp_state, fcp_reverse and fcp_replay.
type StateResponse struct {
	State State `msgpack:"state"` // after the call
}

// State summarises a document.
type State struct {
	Digest   string   `msgpack:"digest"`             // object counts and one structural metric, without brackets, which the host would turn into parentheses
	Title    string   `msgpack:"title,omitempty"`    // of the document
	Counts   []Count  `msgpack:"counts,omitempty"`   // what it holds
	Warnings []string `msgpack:"warnings,omitempty"` // advice about the structure
	Weights  []Count  `msgpack:"weights,omitempty"`  // one for each warning, in order: its kind and amount; a warning of the same kind is repeated only when the amount grows
}

// Count is one figure of a State.
type Count struct {
	Name  string `msgpack:"name"`  // plural noun: "notes"
	Value int    `msgpack:"value"` // how many
}

// QueryRequest runs a query. It must not change the document.
type QueryRequest struct {
	Query  Op       `msgpack:"query"`            // Verb is the query's first word, lower case
	Recent []string `msgpack:"recent,omitempty"` // ids touched before, newest first, for @recent
	First  int      `msgpack:"first,omitempty"`  // the first line of the answer to show, from 1
	Lines  int      `msgpack:"lines,omitempty"`  // how many lines to show at most; 0 for all
	Can    []string `msgpack:"can,omitempty"`    // wants that are granted
	Ref    string   `msgpack:"ref,omitempty"`    // the name of a remote document: "flow:ID"
	Now    int      `msgpack:"now,omitempty"`    // as in ApplyRequest, to tell ages
}

// QueryResponse answers a query.
type QueryResponse struct {
	Text    string    `msgpack:"text"`              // the answer; may hold many lines
	Total   int       `msgpack:"total,omitempty"`   // lines of the whole answer, if Text is only a part
	Content []Content `msgpack:"content,omitempty"` // pictures

	Pages []string `msgpack:"pages,omitempty"` // of a View's picture: titles of the pages, if there are several
	Page  int      `msgpack:"page,omitempty"`  // which page the picture shows, from 1
	Areas []Area   `msgpack:"areas,omitempty"` // where elements lie on the picture
	Times []Moment `msgpack:"times,omitempty"` // places of times of the music on it, from left to right; positions between two of them are interpolated
	Notes []Note   `msgpack:"notes,omitempty"` // of a View's audio

	Levels []Level `msgpack:"levels,omitempty"` // volumes of the channels, ordered by time; a channel starts at 100
}

// Area is the place of an element on a picture for people, in hundredths of the picture's units: pixels, or the units of an
// SVG's viewBox. Later areas lie on top of earlier ones.
type Area struct {
	Name   string   `msgpack:"name"`          // the name of the element in ops
	IDs    []string `msgpack:"ids,omitempty"` // of the element, as in events
	X      int      `msgpack:"x"`             // of its left edge
	Y      int      `msgpack:"y"`             // of its upper edge
	Width  int      `msgpack:"width"`         // not below 0
	Height int      `msgpack:"height"`        // not below 0
}

// Content is a picture in a query's answer: PNG, JPEG, GIF or WebP, with sides of at most 16,384 pixels and at most 64
// million pixels in all. The host checks the bytes, and leaves out anything else.
type Content struct {
	MIME string `msgpack:"mime"` // media type, such as image/png; the host decides by the bytes
	Data []byte `msgpack:"data"` // the bytes
}

// Moment is the place of a point in time on a picture.
type Moment struct {
	At int `msgpack:"at"` // in milliseconds from the start
	X  int `msgpack:"x"`  // in hundredths of the picture's units
}

// Level is the volume of a channel from a time on.
type Level struct {
	At      int `msgpack:"at"`      // in milliseconds from the start
	Channel int `msgpack:"channel"` // 1 to 16
	Level   int `msgpack:"level"`   // 0 to 127, as the volume of General MIDI
}

// Note is one note to play.
type Note struct {
	At       int `msgpack:"at"`       // in milliseconds from the start
	Length   int `msgpack:"length"`   // in milliseconds, including the time that a pedal holds it
	Key      int `msgpack:"key"`      // 0 to 127; 60 is middle C, 69 is 440 Hz
	Velocity int `msgpack:"velocity"` // 1 to 127
	Channel  int `msgpack:"channel"`  // 1 to 16; 10 is the drums'
	Program  int `msgpack:"program"`  // 0 to 127, of General MIDI
}

// HelpResponse adds to the reference card what the document defines (its own types, loaded packs). fcp_help is also called
// on a fresh instance.
type HelpResponse struct {
	Sections []Section `msgpack:"sections,omitempty"` // the sections to add
}

// SessionRequest runs one of the domain's session actions. It is answered, and undone, like a batch of one op.
type SessionRequest struct {
	Command Op     `msgpack:"command"`        // Verb is the action's first word, lower case
	Name    string `msgpack:"name,omitempty"` // base name of the file that the manifest's File names
	Data    []byte `msgpack:"data,omitempty"` // its bytes

	Resources []Supply `msgpack:"resources,omitempty"` // what the action names
	Now       int      `msgpack:"now,omitempty"`       // as in ApplyRequest
	Nonce     []byte   `msgpack:"nonce,omitempty"`     // as in ApplyRequest
	Can       []string `msgpack:"can,omitempty"`       // wants that are granted
	Ref       string   `msgpack:"ref,omitempty"`       // as in QueryRequest

	Settings []KeyValue `msgpack:"settings,omitempty"` // those Settings of the manifest's wants that are set
}

// ExportRequest requests the document in another format. It must not change the document.
type ExportRequest struct {
	Format string     `msgpack:"format"`           // one of the names in the manifest's Exports
	Params []KeyValue `msgpack:"params,omitempty"` // `key:value` of the action
	Can    []string   `msgpack:"can,omitempty"`    // wants that are granted
	Files  []KeyValue `msgpack:"files,omitempty"`  // as in SaveRequest
}
