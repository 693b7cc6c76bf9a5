// Package reply holds what a tool call answers, and prints it in the one text form that clients read. It does no I/O.
package reply

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/printable"
)

// Reply is the answer to one call. The zero value is an empty success.
type Reply struct {
	Results  []Result  // one for each op that ran, or the lines of an action
	Warnings []string  // about the document as a whole
	Digest   string    // without brackets; "" for none
	Text     string    // the answer of a query or the help, printed verbatim
	Guest    bool      // Text is a domain's answer, not the host's
	Total    int       // lines in a query's whole answer, if Text is only a part of it
	Content  []Content // the pictures of a query's answer
	Failed   bool
	Tells    bool     // it only informs: nothing changed
	Lines    bool     // each result is printed, however many there are
	Cause    error    // why it failed, for callers that must know; usually nil
	Then     []*Reply // the replies to the queries and actions of `then`, in order

	// The state of the document after the call.
	Document string // its name; "" if there is none
	Revision uint64 // counts the states of the document since it was opened
	Dirty    bool   // differs from the file on disk
	Unpushed bool   // the document is remote and differs from what was last fetched or stored
	Several  bool   // the session has more documents open, so the reply names this one

	Opened string // the domain of Document, if this call created or opened it
	File   *File  // the file that this call wrote
}

// File describes a file that was written.
type File struct {
	Path string // absolute
	MIME string // "" if unknown
	Size int    // in bytes
}

// Result is one result line, with its continuation lines.
type Result struct {
	Op       int // number of the op in its call, from 1; 0 outside of a batch
	Prefix   byte
	Text     string
	Told     []string // words of the op, with which Text may name something
	IDs      []string
	Warnings []string
	Try      []Suggestion
}

// Suggestion is something to try next. It names no tool: the Face that prints it does.
type Suggestion struct {
	abi.Suggestion
	Domain string // the domain whose tools take it, if not the one that was called
}

// TryHelp is the kind of a suggestion that only the host makes: a topic of the domain's help.
const TryHelp = "help"

// TryCall is the kind of a suggestion of a whole call: a tool's name and its arguments as JSON.
const TryCall = "call"

// Call suggests a call of a tool, which only a face with tools does.
func Call(text string) Suggestion {
	return Suggestion{Suggestion: abi.Suggestion{Kind: TryCall, Text: text}}
}

// Op suggests an op.
func Op(text string) Suggestion {
	return Suggestion{Suggestion: abi.Suggestion{Kind: abi.TryOp, Text: text}}
}

// Query suggests a query.
func Query(text string) Suggestion {
	return Suggestion{Suggestion: abi.Suggestion{Kind: abi.TryQuery, Text: text}}
}

// Action suggests an action, formatted like fmt.Sprintf.
func Action(format string, args ...any) Suggestion {
	return Suggestion{Suggestion: abi.Suggestion{Kind: abi.TryAction, Text: fmt.Sprintf(format, args...)}}
}

// Help suggests a topic of the help.
func Help(topic string) Suggestion {
	return Suggestion{Suggestion: abi.Suggestion{Kind: TryHelp, Text: topic}}
}

// From converts a domain's suggestions.
func From(list []abi.Suggestion) []Suggestion {
	var out []Suggestion
	for _, s := range list {
		out = append(out, Suggestion{Suggestion: s})
	}
	return out
}

// Face prints a suggestion as the client can send it.
type Face func(Suggestion) string

// Content is a picture: a PNG, JPEG, GIF or WebP.
type Content struct {
	MIME string
	Data []byte
}

// Prefixes of result lines.
const (
	Created    = '+'
	Connection = '~'
	Changed    = '*'
	Deleted    = '-'
	Bulk       = '@'
	Warning    = '?'
	Error      = '!'
)

// Errorf returns a failed reply with one line and its suggestions.
func Errorf(try []Suggestion, format string, args ...any) *Reply {
	return &Reply{Failed: true, Results: []Result{{Prefix: Error, Text: fmt.Sprintf(format, args...), Try: try}}}
}

// Add appends a line.
func (r *Reply) Add(prefix byte, format string, args ...any) {
	r.Results = append(r.Results, Result{Prefix: prefix, Text: fmt.Sprintf(format, args...)})
}

// Fail appends an error line and marks the reply as failed.
func (r *Reply) Fail(try []Suggestion, format string, args ...any) {
	r.Failed = true
	r.Results = append(r.Results, Result{Prefix: Error, Text: fmt.Sprintf(format, args...), Try: try})
}

// Count returns n with its noun: "1 op", "2 ops".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Size returns n bytes for people: "1 byte", "12 KB", "12 MB".
func Size(n int64) string {
	switch {
	case n < 10_000:
		return Count(int(n), "byte")
	case n < 10_000_000:
		return fmt.Sprintf("%d KB", (n+500)/1000)
	}
	return fmt.Sprintf("%d MB", (n+500_000)/1_000_000)
}

// String prints the reply with bare suggestions, without tool names.
func (r *Reply) String() string {
	return r.Print(func(s Suggestion) string {
		if s.Kind == TryHelp {
			return strings.TrimSpace("help " + s.Text)
		}
		return s.Text
	})
}

// Print returns the reply as text: result lines, warnings, the replies to `then`, and the final digest.
func (r *Reply) Print(face Face) string {
	var b strings.Builder
	r.body(&b, face)
	last := r
	for _, then := range r.Then {
		then.body(&b, face)
		if then.Digest != "" {
			last = then
		}
	}
	if state := last.state(); state != "" {
		fmt.Fprintf(&b, "[%s]\n", printable.Text(state))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// state is the last line without its brackets: the document's name if there are several, the digest, and whether it has unsaved changes.
func (r *Reply) state() string {
	name := ""
	if r.Several && r.Document != "" {
		if name = r.Document; strings.ContainsAny(name, `[]:"`) {
			name = strconv.Quote(name)
		}
	}
	switch {
	case r.Digest == "" && name != "":
		return "document: " + name
	case r.Digest == "":
		return ""
	case name != "":
		name += ": "
	}
	switch {
	case r.Unpushed:
		return name + r.Digest + " *unpushed"
	case r.Dirty:
		return name + r.Digest + " *unsaved"
	}
	return name + r.Digest
}

// body prints everything but the digest.
func (r *Reply) body(b *strings.Builder, face Face) {
	if r.Text != "" {
		b.WriteString(r.Text)
		if !strings.HasSuffix(r.Text, "\n") {
			b.WriteByte('\n')
		}
	}
	shown := r.Results
	if !r.Lines {
		shown = join(shown)
	}
	for i := range shown {
		shown[i].write(b, face)
	}
	for _, w := range r.Warnings {
		line(b, Warning, w)
	}
}

func (res *Result) write(b *strings.Builder, face Face) {
	line(b, res.Prefix, res.Text)
	for _, t := range res.Try {
		fmt.Fprintf(b, "  try: %s\n", strings.ReplaceAll(printable.Text(face(t)), "\n", "\n       "))
	}
	for _, w := range res.Warnings {
		line(b, Warning, w)
	}
}

func line(b *strings.Builder, prefix byte, text string) {
	b.WriteByte(prefix)
	b.WriteByte(' ')
	first, more, _ := strings.Cut(printable.Text(strings.TrimRight(text, "\n")), "\n")
	b.WriteString(first + "\n")
	if more == "" {
		return
	}
	for l := range strings.SplitSeq(more, "\n") {
		if ReadsAsHosts(l) { // of a path, or what a program printed: a domain's lines are marked already
			l = bar + l
		}
		b.WriteString("  " + l + "\n")
	}
}

// Warnings prints warnings as they stand in replies, without a line break at the end.
func Warnings(list []string) string {
	var b strings.Builder
	for _, w := range list {
		line(&b, Warning, w)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Line puts s on one line and escapes what is invisible or acts on a terminal: paths and titles may contain anything.
// Results and warnings are escaped anyway; a Text built from such strings needs Line.
func Line(s string) string { return printable.Line(s) }

// Place is Line for a path or a reference with which a line begins: it is in quotes if it has blanks, so that none of its words can be taken for
// the host's.
func Place(s string) string {
	if s = Line(s); strings.ContainsFunc(s, isBlank) {
		return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"`
	}
	return s
}
