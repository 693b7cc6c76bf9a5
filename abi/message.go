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

// NewRequest asks for an empty document.
type NewRequest struct {
	Title  string     `msgpack:"title"`            // as the user wrote it; may be empty
	Params []KeyValue `msgpack:"params,omitempty"` // `key:value` of the command, as NewParams declares

	Resources []Supply `msgpack:"resources,omitempty"` // what the command names, and media that were opened
	Folder    bool     `msgpack:"folder,omitempty"`    // a folder is made the document, which may hold files already
	Files     []File   `msgpack:"files,omitempty"`     // these; SaveResponse.Files says what the document adds and changes
}

// OpenRequest asks for a document from a file's bytes.
type OpenRequest struct {
	Name     string `msgpack:"name"`               // base name, for messages and format hints; never a usable path
	Data     []byte `msgpack:"data"`               // the whole file
	Snapshot bool   `msgpack:"snapshot,omitempty"` // Data came from fcp_save with Snapshot
	Files    []File `msgpack:"files,omitempty"`    // of a folder: the document is these, and Data is empty; with Snapshot, Data is all
	Folder   bool   `msgpack:"folder,omitempty"`   // the document is a folder, though it may hold no files
}

// OpenResponse answers fcp_new and fcp_open.
type OpenResponse struct {
	Text     string   `msgpack:"text,omitempty"`     // what was opened, one line
	Warnings []string `msgpack:"warnings,omitempty"` // what the reader should know about the file
	State    State    `msgpack:"state"`              // of the new document

	References []string `msgpack:"references,omitempty"` // names of files that the document mentions, for the inputs of programs
}

// SaveRequest asks for the document's bytes. It must not change the document.
type SaveRequest struct {
	Name     string `msgpack:"name,omitempty"`     // base name that will be written, if known
	Snapshot bool   `msgpack:"snapshot,omitempty"` // bytes that fcp_open turns into exactly this state, ids included
	Whole    bool   `msgpack:"whole,omitempty"`    // of a folder: all files, and not only those that changed

	Files []KeyValue `msgpack:"files,omitempty"` // files that calls or the document named, and that the file to be written has to name otherwise: Value is relative to its folder
}

// SaveResponse carries a file.
type SaveResponse struct {
	Data     []byte   `msgpack:"data"`               // the whole file
	MIME     string   `msgpack:"mime,omitempty"`     // media type of Data
	Warnings []string `msgpack:"warnings,omitempty"` // what could not be written as it was

	Files []FileChange `msgpack:"files,omitempty"` // of a folder: each file that is not as OpenRequest or NewRequest had it, sorted by name; with Whole all
	Run   *Run         `msgpack:"run,omitempty"`   // of an export: what makes the file, in place of Data
}

// ApplyRequest runs a batch of ops, in order.
type ApplyRequest struct {
	Ops    []Op     `msgpack:"ops" max:"MaxOps"` // checked against the manifest by the host
	Each   bool     `msgpack:"each,omitempty"`   // go on after a failed op; otherwise stop there
	Recent []string `msgpack:"recent,omitempty"` // ids touched before this call, newest first, for @recent

	Resources []Supply `msgpack:"resources,omitempty"` // what the ops name, in their order
	Now       int      `msgpack:"now,omitempty"`       // milliseconds since 1970, UTC: for what the manifest's Stamps asks for
	Nonce     []byte   `msgpack:"nonce,omitempty"`     // 16 random bytes of this call's own
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
	Text     string   `msgpack:"text,omitempty"`                   // without prefix; further lines are continuation lines
	Events   []Event  `msgpack:"events,omitempty" max:"MaxEvents"` // its changes, in order; a success has at least one, unless its kind is unchanged
	IDs      []string `msgpack:"ids,omitempty"`                    // elements created or changed, in order; defaults to the events' ids
	Warnings []string `msgpack:"warnings,omitempty"`               // advisory, one line each
	Error    *Error   `msgpack:"error,omitempty"`                  // set: the op failed, everything else but Warnings is ignored
}

// Event is one change of the model, with all that reverse and replay need.
type Event struct {
	Type    string   `msgpack:"type"`              // the domain's own name of the change
	Summary string   `msgpack:"summary,omitempty"` // one line, for history
	IDs     []string `msgpack:"ids,omitempty"`     // elements it touched
	Data    []byte   `msgpack:"data,omitempty"`    // the domain's own
}

// Touched lists the elements that the op touched: IDs where the domain gave them, else those of its events, each once, in order.
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

// Error is a refusal the model can act on.
type Error struct {
	Message string       `msgpack:"message"`       // one line: what was wrong
	Try     []Suggestion `msgpack:"try,omitempty"` // what would work on this document now; a string stands for a suggestion without a kind
}

// Suggestion is something complete that works as it stands. It names no tool:
// the host puts the tool's name in front where the reader needs it.
type Suggestion struct {
	Kind string `msgpack:"kind,omitempty"` // TryOp, TryQuery or TryAction; without one, what was refused says what it is
	Text string `msgpack:"text"`           // the op, query or session action
}

// The kinds of a Suggestion.
const (
	TryOp     = "op"
	TryQuery  = "query"
	TryAction = "action"
)

// DecodeMsgpack reads a suggestion or, as plugins wrote it first, its text alone.
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

// EventsRequest carries events to undo or to do again: newest first for
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
	Digest   string   `msgpack:"digest"`             // without brackets, which the host turns into parentheses: object counts and one structural metric
	Title    string   `msgpack:"title,omitempty"`    // of the document
	Counts   []Count  `msgpack:"counts,omitempty"`   // what it holds
	Warnings []string `msgpack:"warnings,omitempty"` // structural, advisory
	Weights  []Count  `msgpack:"weights,omitempty"`  // of the warnings, in their order: what is wrong, and how much of it there is; one with such a name is told again only when there is more of it
}

// Count is one figure of a State.
type Count struct {
	Name  string `msgpack:"name"`  // plural noun: "notes"
	Value int    `msgpack:"value"` // how many
}

// QueryRequest asks something. It must not change the document.
type QueryRequest struct {
	Query  Op       `msgpack:"query"`            // Verb is the query's first word, lower case
	Recent []string `msgpack:"recent,omitempty"` // ids touched before, newest first, for @recent
	First  int      `msgpack:"first,omitempty"`  // the first line of the answer that is shown, from 1
	Lines  int      `msgpack:"lines,omitempty"`  // how many are shown at most; 0 for all
	Can    []string `msgpack:"can,omitempty"`    // wants that are granted
	Ref    string   `msgpack:"ref,omitempty"`    // of a remote document: what names it, "flow:ID"
	Now    int      `msgpack:"now,omitempty"`    // as in ApplyRequest: for how old something is
}

// QueryResponse answers a query.
type QueryResponse struct {
	Text    string    `msgpack:"text"`              // the answer; may hold many lines
	Total   int       `msgpack:"total,omitempty"`   // lines of the whole answer, where Text has only those that are shown
	Content []Content `msgpack:"content,omitempty"` // pictures

	Pages []string `msgpack:"pages,omitempty"` // of a View's picture: what the pages are called, where there are several
	Page  int      `msgpack:"page,omitempty"`  // the page that it shows, from 1
	Areas []Area   `msgpack:"areas,omitempty"` // where things lie on it
	Times []Moment `msgpack:"times,omitempty"` // where moments lie on it, from left to right, for what is played: those between two lie between them in proportion
	Notes []Note   `msgpack:"notes,omitempty"` // of a View's audio

	Levels []Level `msgpack:"levels,omitempty"` // how loud its channels are, in the order of their times; each is at 100 before the first of its own
}

// Area is where a thing lies on a picture that people are shown, in hundredths of its units: pixels, or those of an SVG's viewBox. What lies on
// top comes last.
type Area struct {
	Name   string   `msgpack:"name"`          // by which ops mean the thing
	IDs    []string `msgpack:"ids,omitempty"` // of the thing, as events tell them
	X      int      `msgpack:"x"`             // of its left edge
	Y      int      `msgpack:"y"`             // of its upper edge
	Width  int      `msgpack:"width"`         // not below 0
	Height int      `msgpack:"height"`        // not below 0
}

// Content is a picture in a query's answer: PNG, JPEG, GIF or WebP, with sides of
// at most 16,384 pixels and 64 million in all. The host looks at the bytes, and
// holds back anything else.
type Content struct {
	MIME string `msgpack:"mime"` // media type, such as image/png; what the bytes are counts
	Data []byte `msgpack:"data"` // the bytes
}

// Moment is where a time lies on a picture.
type Moment struct {
	At int `msgpack:"at"` // in milliseconds from the start
	X  int `msgpack:"x"`  // in hundredths of the picture's units
}

// Level is how loud a channel is from a time on.
type Level struct {
	At      int `msgpack:"at"`      // in milliseconds from the start
	Channel int `msgpack:"channel"` // 1 to 16
	Level   int `msgpack:"level"`   // 0 to 127, as General MIDI has the volume
}

// Note is a tone that people hear.
type Note struct {
	At       int `msgpack:"at"`       // in milliseconds from the start
	Length   int `msgpack:"length"`   // in milliseconds, for as long as it is held: by a pedal, too
	Key      int `msgpack:"key"`      // 0 to 127; 60 is middle C, 69 is 440 Hz
	Velocity int `msgpack:"velocity"` // 1 to 127
	Channel  int `msgpack:"channel"`  // 1 to 16; 10 is the drums'
	Program  int `msgpack:"program"`  // 0 to 127, of General MIDI
}

// HelpResponse adds what this document brought (own types, loaded packs) to
// the reference card. It is called on a fresh instance, too.
type HelpResponse struct {
	Sections []Section `msgpack:"sections,omitempty"` // what to add
}

// SessionRequest runs one of the manifest's session verbs. It is answered like
// a batch of one op, and is undone like one.
type SessionRequest struct {
	Command Op     `msgpack:"command"`        // Verb is the action's first word, lower case
	Name    string `msgpack:"name,omitempty"` // base name of the file that the manifest's File names
	Data    []byte `msgpack:"data,omitempty"` // its bytes

	Resources []Supply `msgpack:"resources,omitempty"` // what the action names
	Now       int      `msgpack:"now,omitempty"`       // as in ApplyRequest
	Nonce     []byte   `msgpack:"nonce,omitempty"`     // as in ApplyRequest
	Can       []string `msgpack:"can,omitempty"`       // wants that are granted
	Ref       string   `msgpack:"ref,omitempty"`       // as in QueryRequest

	Settings []KeyValue `msgpack:"settings,omitempty"` // what the manifest's wants ask to be told, and is set
}

// ExportRequest asks for the document in another format. It must not change
// the document.
type ExportRequest struct {
	Format string     `msgpack:"format"`           // one of the names in the manifest's Exports
	Params []KeyValue `msgpack:"params,omitempty"` // `key:value` of the command
	Can    []string   `msgpack:"can,omitempty"`    // wants that are granted
	Files  []KeyValue `msgpack:"files,omitempty"`  // as in SaveRequest
}
