// Package abi is the wire contract between fcp-host and a domain plugin: the
// names of the exports, the messages that cross, their limits and their codec.
//
// Every message is one msgpack value: a map with the string keys given in the
// struct tags below. A reader ignores keys it does not know and gives missing
// ones their zero value, so fields may be added within one major version.
// docs/abi.md is the same contract in prose, for authors in other languages.
package abi

// Version is the major version of the contract. A host refuses a manifest
// with another version in its field ABI.
const Version = 1

// Exports of a plugin. Each takes no argument and returns an i32: 0 for
// success, Asks if its output is Requests, anything else for a refusal whose
// text it gave to error_set. Input and output are one msgpack message each,
// through Extism's input and output.
const (
	ExportManifest = "fcp_manifest" // nothing → Manifest
	ExportNew      = "fcp_new"      // NewRequest → OpenResponse
	ExportOpen     = "fcp_open"     // OpenRequest → OpenResponse
	ExportSave     = "fcp_save"     // SaveRequest → SaveResponse
	ExportApply    = "fcp_apply"    // ApplyRequest → ApplyResponse
	ExportQuery    = "fcp_query"    // QueryRequest → QueryResponse
	ExportReverse  = "fcp_reverse"  // EventsRequest → StateResponse
	ExportReplay   = "fcp_replay"   // EventsRequest → StateResponse
	ExportState    = "fcp_state"    // nothing → StateResponse
	ExportHelp     = "fcp_help"     // nothing → HelpResponse (optional)
	ExportSession  = "fcp_session"  // SessionRequest → ApplyResponse with one result (optional)
	ExportExport   = "fcp_export"   // ExportRequest → SaveResponse (optional)
	ExportResume   = "fcp_resume"   // ResumeRequest → the response of the export that asked, or Requests (optional)
	ExportFetch    = "fcp_fetch"    // FetchRequest → FetchResponse (optional)
	ExportStore    = "fcp_store"    // StoreRequest → StoreResponse (optional)
	ExportTool     = "fcp_tool"     // ToolRequest → ToolResponse (optional)
)

// Required lists the exports every plugin must have.
func Required() []string {
	return []string{ExportManifest, ExportNew, ExportOpen, ExportSave, ExportApply,
		ExportQuery, ExportReverse, ExportReplay, ExportState}
}

// Optional lists the exports a plugin may have.
func Optional() []string {
	return []string{ExportHelp, ExportSession, ExportExport, ExportResume, ExportFetch, ExportStore, ExportTool}
}

// Limits of ABI 1. The host enforces each; sizes are bytes of the encoded
// message or of the UTF-8 string.
const (
	MaxMessage  = 64 << 20  // one message, either way
	MaxDepth    = 32        // nesting of maps and arrays in a message
	MaxElements = 2_000_000 // elements of all arrays in a message together
	MaxManifest = 256 << 10 // the encoded manifest
	MaxHelp     = 64 << 10  // a help text; all texts of the reference card together
	MaxOps      = 10_000    // ops in one request; the host sends a longer call in pieces
	MaxOpBytes  = 64 << 10  // one op without its block
	MaxText     = 16 << 10  // text of one result
	MaxError    = 4 << 10   // an error's text
	MaxDigest   = 256       // a digest
	MaxWarnings = 20        // warnings of one result, and of a state
	MaxWarning  = 512       // one warning
	MaxTry      = 3         // suggestions of one error
	MaxEvents   = 1_000_000 // events in one message
	MaxID       = 256       // one id
	MaxSummary  = 512       // an event's summary
	MaxQuery    = 16 << 20  // text of one query reply; the host pages it
	MaxContent  = 4         // content blocks of one query reply
	MaxPages    = 1000      // names of pages in one query reply
	MaxAreas    = 20_000    // areas in one query reply
	MaxNotes    = 100_000   // notes in one query reply, and levels
	MaxMoments  = 10_000    // moments in one query reply
	MaxWants    = 16        // wants of a manifest
	MaxRequests = 32        // requests of one round
	MaxAsked    = 200       // requests of one call
	MaxBody     = 8 << 20   // the body of a request or response; a part of a file
	MaxRound    = 48 << 20  // all outcomes of one round; all resources of one call
	MaxTools    = 64        // typed tools of a manifest
	MaxSchema   = 32 << 10  // the schema of a tool
	MaxJSON     = 4 << 20   // the arguments of a tool; its answer
)
