package abi

import (
	"slices"
	"strings"
)

// This file holds how a domain reaches the world: wants, requests and their
// outcomes, resources, folders, tools. All of it is optional.

// Asks is the result of an export that needs something before it can answer: its
// output is Requests. The host performs them and calls fcp_resume on the same instance
// with the outcomes; fcp_resume returns the answer of the export that asked, or asks
// again. The export also sets an error, for hosts that do not know this result. Only
// fcp_query, fcp_session, fcp_export, fcp_fetch, fcp_store and fcp_tool may ask.
const Asks = 2

// The kinds of a Want.
const (
	WantHTTP    = "http"    // requests to one server
	WantProgram = "program" // runs of one program, in a cage
	WantFolder  = "folder"  // a folder of the user as a document
)

// Want is something outside the sandbox that the domain uses. Its name is KIND:NAME, as in "http:api". A want grants
// nothing: a person does, and without the grant everything else works.
type Want struct {
	Kind    string     `msgpack:"kind" json:"kind"`                           // WantHTTP, WantProgram or WantFolder; a host grants no other
	Name    string     `msgpack:"name,omitempty" json:"name,omitempty"`       // the domain's name of the server, or the program's; none for a folder
	Reason  string     `msgpack:"reason" json:"reason"`                       // what for, one sentence
	Base    string     `msgpack:"base,omitempty" json:"base,omitempty"`       // http: a URL, or one of the user's environment variables and a path below its value, which may have a path itself: "${FLOWISE_API_URL}/api/v1"
	Headers []KeyValue `msgpack:"headers,omitempty" json:"headers,omitempty"` // http: what the host adds; a value may be a variable, or end in one: "Bearer ${KEY}"; "Bearer ${KEY:-}" is left out if KEY is not set
	Reads   bool       `msgpack:"reads,omitempty" json:"reads,omitempty"`     // calls that only read (queries, resources, tools marked so) may use it, too: GET and HEAD, programs without outputs

	Settings []string `msgpack:"settings,omitempty" json:"settings,omitempty"` // http: environment variables whose values session actions and tools get once the want is granted: the domain's name in capitals, "_" and more, and nothing that sounds like a secret: "FLOWISE_CHAT_MODEL"
}

// Key is the name of the want in grants and in the domain's own lists.
func (w *Want) Key() string {
	if w.Name == "" {
		return w.Kind
	}
	return w.Kind + ":" + w.Name
}

// Resource declares a word of an op, of `new` or of a session action that names something outside: the host fetches it
// before it calls the guest.
type Resource struct {
	Key      string   `msgpack:"key,omitempty" json:"key,omitempty"`           // the key whose value is the name, or
	Position int      `msgpack:"position,omitempty" json:"position,omitempty"` // the positional that is the name, from 1; -1 for each
	Behind   []string `msgpack:"behind,omitempty" json:"behind,omitempty"`     // for a positional: only if the first positional is one of these words, such as clip in `add clip ./a.mp4`
	Kind     string   `msgpack:"kind" json:"kind"`                             // ResourceBytes, …
	Accept   []string `msgpack:"accept,omitempty" json:"accept,omitempty"`     // endings of file names, with their dot
	Want     string   `msgpack:"want,omitempty" json:"want,omitempty"`         // of probe and fetch: "program:ffprobe", "http:api"
	Path     []string `msgpack:"path,omitempty" json:"path,omitempty"`         // of fetch: segments below the base; "{}" is the word
	Optional bool     `msgpack:"optional,omitempty" json:"optional,omitempty"` // the op runs even if it cannot be fetched, for example without the grant: its supply then has the failure
}

// Of reports whether an op's first positional is one of Behind, or Behind is empty.
func (r *Resource) Of(op *Op) bool {
	return len(r.Behind) == 0 || len(op.Positionals) > 0 &&
		slices.ContainsFunc(r.Behind, func(w string) bool { return strings.EqualFold(w, op.Positionals[0].Text) })
}

// The kinds of a Resource.
const (
	ResourceBytes    = "bytes"    // a file's bytes
	ResourceFile     = "file"     // a file of which the domain reads parts: its supply has the name and no data
	ResourceProbe    = "probe"    // what ffprobe says of a file, as JSON: streams, format and chapters
	ResourceFetch    = "fetch"    // the body of a GET
	ResourceDocument = "document" // another open document of the same client and domain, as it would be saved
)

// Supply is a resource that the host fetched. A word that names no resource (an id of the document, or anything without /
// and .) has no Supply.
type Supply struct {
	Op      int      `msgpack:"op,omitempty"`      // index of the op in the request
	Word    string   `msgpack:"word"`              // as written in the op
	Kind    string   `msgpack:"kind"`              // as the manifest asks for it
	Name    string   `msgpack:"name,omitempty"`    // base name of the file
	Data    []byte   `msgpack:"data,omitempty"`    // the bytes
	Failure *Failure `msgpack:"failure,omitempty"` // if set, it does not exist, or may not be read
}

// Folder says which folders are documents of the domain. A pattern matches a whole
// path below the folder, with slashes: each element as path.Match does, and ** any
// number of elements.
type Folder struct {
	Include []string `msgpack:"include" json:"include"`                     // the files of the document
	Exclude []string `msgpack:"exclude,omitempty" json:"exclude,omitempty"` // files that are left out, and folders that are not searched
	Marker  string   `msgpack:"marker,omitempty" json:"marker,omitempty"`   // the name of a subfolder that makes it a document: ".cuedeck"
}

// File is one file of a folder, or one that a program reads.
type File struct {
	Name string `msgpack:"name"` // relative, with slashes
	Data []byte `msgpack:"data"` // the bytes
}

// FileChange is how a document changes one file of its folder.
type FileChange struct {
	Name    string `msgpack:"name"`              // relative, with slashes
	Data    []byte `msgpack:"data,omitempty"`    // the whole file
	Removed bool   `msgpack:"removed,omitempty"` // the file is deleted
}

// EventOutside is the type of an event of the host's own: a file of the document's
// folder was changed by somebody else. Its Data is an Outside. The domain reverses and
// replays it like its own, with any bytes.
const EventOutside = "fcp.outside"

// Outside is the Data of an EventOutside.
type Outside struct {
	Name   string `msgpack:"name"`             // of the file, relative, with slashes
	Before []byte `msgpack:"before,omitempty"` // the bytes that the document had
	After  []byte `msgpack:"after,omitempty"`  // the bytes that are there now
	Was    bool   `msgpack:"was,omitempty"`    // the file existed before
	Is     bool   `msgpack:"is,omitempty"`     // the file exists after
}

// Tool is a typed tool, offered under its own name where the user asks for it.
type Tool struct {
	Name         string   `msgpack:"name" json:"name"`                                       // [a-z0-9_-], unique
	Title        string   `msgpack:"title,omitempty" json:"title,omitempty"`                 // for people
	Description  string   `msgpack:"description" json:"description"`                         // for the model
	InputSchema  []byte   `msgpack:"input_schema" json:"input_schema"`                       // JSON Schema of the arguments, an object
	OutputSchema []byte   `msgpack:"output_schema,omitempty" json:"output_schema,omitempty"` // JSON Schema of Structured
	On           string   `msgpack:"on,omitempty" json:"on,omitempty"`                       // OnDocument, OnFolder, or nothing: without a document
	ReadOnly     bool     `msgpack:"read_only,omitempty" json:"read_only,omitempty"`         // changes nothing anywhere
	Destructive  bool     `msgpack:"destructive,omitempty" json:"destructive,omitempty"`     // may overwrite or delete
	Idempotent   bool     `msgpack:"idempotent,omitempty" json:"idempotent,omitempty"`       // a second call with the same arguments changes nothing more
	Wants        []string `msgpack:"wants,omitempty" json:"wants,omitempty"`                 // the wants it requires: "http:api"
	Rate         *Rate    `msgpack:"rate,omitempty" json:"rate,omitempty"`                   // how often it may be called
	Codes        []int    `msgpack:"codes,omitempty" json:"codes,omitempty"`                 // errors with these codes are JSON-RPC errors, others are results
	Explains     bool     `msgpack:"explains,omitempty" json:"explains,omitempty"`           // writes its own errors for invalid arguments: see ToolRequest.Misfit
	Stale        int      `msgpack:"stale,omitempty" json:"stale,omitempty"`                 // the one of Codes that the host answers if it does not overwrite a file that somebody else changed meanwhile
	Locked       int      `msgpack:"locked,omitempty" json:"locked,omitempty"`               // the one of Codes that the host answers while another program saves the folder
}

// What a Tool works on.
const (
	OnDocument = "document" // the current document
	OnFolder   = "folder"   // the document of the folder at or above the working folder that has the manifest's marker
)

// Rate bounds how often something is done.
type Rate struct {
	PerMinute int `msgpack:"per_minute" json:"per_minute"`           // in the long run
	Burst     int `msgpack:"burst,omitempty" json:"burst,omitempty"` // at once; 0 means PerMinute
}

// Command is a command of the host's command line: `fcp-host NAME …`. Words after it
// follow Text, and --key value becomes key:value.
type Command struct {
	Name    string `msgpack:"name" json:"name"`                         // one to three lower-case words: "cue list"
	Syntax  string `msgpack:"syntax" json:"syntax"`                     // "cue list [--status S]", for people
	Summary string `msgpack:"summary" json:"summary"`                   // what it does
	Kind    string `msgpack:"kind" json:"kind"`                         // TryOp, TryQuery or TryAction; or CommandClean, CommandUpgrade, which the host does itself
	Text    string `msgpack:"text,omitempty" json:"text,omitempty"`     // how the op, query or action starts
	Answer  string `msgpack:"answer,omitempty" json:"answer,omitempty"` // where a query's answer goes: AnswerCopy and others; "" prints it
	Into    string `msgpack:"into,omitempty" json:"into,omitempty"`     // AnswerCopy, AnswerWatch: a file in the marker's folder that also gets the answer, and is not part of the document
}

// Kinds of a Command that the host does itself.
const (
	CommandClean   = "clean"   // removes .cache in the marker's folder
	CommandUpgrade = "upgrade" // says how the host is upgraded
)

// Where the answer to a Command's query goes.
const (
	AnswerCopy  = "copy"  // to the clipboard; --dry-run and -d print it instead
	AnswerWatch = "watch" // as AnswerCopy, and again each time the folder changes it
	AnswerPick  = "pick"  // the user picks one of its lines, each a file's name, two blanks and a description; the file opens in the editor
)

// Requests is the output of an export that asks.
type Requests struct {
	Requests []Request `msgpack:"requests" max:"MaxRequests"` // done concurrently
}

// Request is one thing that the host should do: exactly one of HTTP, Read, Run and Part, or only a wait, by AfterMS.
type Request struct {
	AfterMS int          `msgpack:"after_ms,omitempty"` // milliseconds to wait first, at most 30,000
	HTTP    *HTTPRequest `msgpack:"http,omitempty"`     // to a granted server
	Read    *ReadRequest `msgpack:"read,omitempty"`     // of a file that the action names
	Run     *Run         `msgpack:"run,omitempty"`      // of a program without outputs: the result is what it prints
	Part    *Part        `msgpack:"part,omitempty"`     // of an export: the next bytes of its file
}

// HTTPRequest is a request to the server of a want.
type HTTPRequest struct {
	Endpoint string     `msgpack:"endpoint"`          // the want's name
	Method   string     `msgpack:"method"`            // GET, HEAD, POST, PUT, PATCH or DELETE
	Path     []string   `msgpack:"path,omitempty"`    // segments below the base, not escaped
	Query    []KeyValue `msgpack:"query,omitempty"`   // not escaped
	Headers  []KeyValue `msgpack:"headers,omitempty"` // such as Content-Type
	Body     []byte     `msgpack:"body,omitempty"`    // none for GET and HEAD
}

// ReadRequest requests a part of a file.
type ReadRequest struct {
	Name   string `msgpack:"name"`   // as the action names it
	Offset int    `msgpack:"offset"` // bytes from the start
	Length int    `msgpack:"length"` // bytes, at most MaxBody; fewer are returned at the end of the file
}

// Part is a piece of the file that an export makes. The host writes the pieces in order after Data of SaveResponse, which
// may be a header that contains their length. So a file may be larger than a message, and take longer than one call of the
// guest.
type Part struct {
	Data []byte `msgpack:"data"` // at most MaxBody
}

// ResumeRequest passes the results to the export that asked.
type ResumeRequest struct {
	Results []Outcome `msgpack:"results" max:"MaxRequests"` // in the order of the requests
}

// Outcome is the result of one Request.
type Outcome struct {
	HTTP    *HTTPResponse `msgpack:"http,omitempty"`    // the server's answer, with any status
	Data    []byte        `msgpack:"data,omitempty"`    // what was read, or printed
	Size    int           `msgpack:"size,omitempty"`    // of the whole file that was read
	Failure *Failure      `msgpack:"failure,omitempty"` // if set, the request failed
}

// HTTPResponse is a server's answer.
type HTTPResponse struct {
	Status  int        `msgpack:"status"`            // such as 200
	Headers []KeyValue `msgpack:"headers,omitempty"` // sorted by name
	Body    []byte     `msgpack:"body,omitempty"`    // decompressed
}

// Failure is why a request has no answer.
type Failure struct {
	Kind    string `msgpack:"kind"`           // FailedRefused, …
	Message string `msgpack:"message"`        // one line
	Sent    bool   `msgpack:"sent,omitempty"` // it may have taken effect
}

// The kinds of a Failure.
const (
	FailedRefused   = "refused"   // by the host: not granted, or not well formed
	FailedNotFound  = "not-found" // no such file
	FailedDial      = "dial"      // no connection to the server
	FailedDNS       = "dns"       // the server's name has no address
	FailedTLS       = "tls"       // the server's certificate or protocol is not accepted
	FailedTimeout   = "timeout"   // there was no time left
	FailedCancelled = "cancelled" // the call was cancelled
	FailedTooLarge  = "too-large" // the request or the answer exceeds a limit
	FailedProtocol  = "protocol"  // the connection broke, or the answer was not HTTP
	FailedProgram   = "program"   // the program failed
)

// Run is one run of a granted program. Its arguments contain no paths: {in:N} and {out:N}, counted from 0, and {file:NAME}
// stand for the files that it may open.
type Run struct {
	Program  string   `msgpack:"program"`            // the want's name: "ffmpeg"
	Args     []string `msgpack:"args"`               // without the program's name
	Inputs   []string `msgpack:"inputs,omitempty"`   // names bound by resources and references of the document
	Outputs  []string `msgpack:"outputs,omitempty"`  // endings of the files that it writes, with their dot; the first goes where the user's command says
	Files    []File   `msgpack:"files,omitempty"`    // text files that it reads, such as a filter graph
	Duration int      `msgpack:"duration,omitempty"` // length of its output in milliseconds, for the progress of a program like ffmpeg; 0 if unknown
	Expect   *Streams `msgpack:"expect,omitempty"`   // what ffmpeg's output must consist of: a file with other streams, or of another duration, is not saved
}

// Streams is what a film or a recording consists of.
type Streams struct {
	Pictures int  `msgpack:"pictures,omitempty"` // 0 for none
	Sound    bool `msgpack:"sound,omitempty"`    // whether it is heard
}

// FetchRequest asks for a remote document.
type FetchRequest struct {
	Ref string   `msgpack:"ref"`           // as the user wrote it: "flow:Support"
	Can []string `msgpack:"can,omitempty"` // wants that are granted
}

// FetchResponse is a remote document.
type FetchResponse struct {
	Ref      string `msgpack:"ref,omitempty"` // its permanent name, if it differs from the requested one: "flow:ID"
	Name     string `msgpack:"name"`          // for people, and as the name of OpenRequest
	Data     []byte `msgpack:"data"`          // its bytes, for fcp_open
	Revision string `msgpack:"revision"`      // changes whenever somebody changes the document on the server
}

// StoreRequest asks to store a document where it came from.
type StoreRequest struct {
	Ref      string   `msgpack:"ref"`                // where
	Data     []byte   `msgpack:"data"`               // its bytes, from fcp_save
	Revision string   `msgpack:"revision,omitempty"` // on which the document is based: if the server has another one, nothing is stored; "" replaces any
	Can      []string `msgpack:"can,omitempty"`      // wants that are granted
}

// StoreResponse says what was stored.
type StoreResponse struct {
	Ref      string `msgpack:"ref,omitempty"`   // its name from now on, if it changed
	Revision string `msgpack:"revision"`        // of the document that the server has now
	Moved    bool   `msgpack:"moved,omitempty"` // nothing was stored: the server has another revision and other bytes
	Text     string `msgpack:"text,omitempty"`  // what was done, one line
}

// ToolRequest calls a typed tool.
type ToolRequest struct {
	Name      string   `msgpack:"name"`            // of the tool
	Arguments []byte   `msgpack:"arguments"`       // JSON that satisfies its input schema, unless Misfit says otherwise
	Now       int      `msgpack:"now,omitempty"`   // as in ApplyRequest
	Nonce     []byte   `msgpack:"nonce,omitempty"` // as in ApplyRequest
	Can       []string `msgpack:"can,omitempty"`   // wants that are granted

	Settings []KeyValue `msgpack:"settings,omitempty"` // values of the variables in the manifest's Settings, those that are set

	Misfit string `msgpack:"misfit,omitempty"` // if set, why the arguments do not satisfy the schema. The tool must answer with an error, and may not ask
}

// ToolResponse answers it.
type ToolResponse struct {
	Structured []byte     `msgpack:"structured,omitempty"`             // JSON that satisfies the output schema
	Text       string     `msgpack:"text,omitempty"`                   // for clients that do not read Structured; if empty, they get Structured
	Summary    string     `msgpack:"summary,omitempty"`                // one line, for history, if there are events
	Events     []Event    `msgpack:"events,omitempty" max:"MaxEvents"` // changes of the document, as in Result
	IDs        []string   `msgpack:"ids,omitempty"`                    // as in Result
	Warnings   []string   `msgpack:"warnings,omitempty"`               // as in Result
	Error      *ToolError `msgpack:"error,omitempty"`                  // if set, the tool failed, and there are no events
	State      State      `msgpack:"state"`                            // of the document, if there is one
}

// ToolError is a tool's refusal.
type ToolError struct {
	Code    int    `msgpack:"code,omitempty"` // the domain's own; see Tool
	Message string `msgpack:"message"`        // one line
	Data    []byte `msgpack:"data,omitempty"` // JSON
}
