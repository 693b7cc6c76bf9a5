// Package reply is what a tool call answers: facts, and the one text form of
// them that an agent reads. Pure.
package reply

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/printable"
)

// Reply answers one call. The zero value is an empty success.
type Reply struct {
	Results  []Result  // one for each op that ran, or a session action's lines
	Warnings []string  // about the document as a whole
	Digest   string    // without brackets; "" for none
	Text     string    // a query's or help's text, printed as it is
	Total    int       // lines of a query's whole answer, where Text is not all of it but begins with the line asked for
	Content  []Content // a query's pictures
	Failed   bool
	Tells    bool     // it says what there is: nothing was done
	Cause    error    // why it failed, where a caller has to know; nil for most
	Then     []*Reply // answers to what was asked to follow, in order

	// Where the document stands now.
	Document string // its name, "" when there is none
	Revision uint64 // counts states of the document since it was opened
	Dirty    bool   // differs from what is on disk
	Unpushed bool   // the document is remote, and differs from what was fetched or stored

	Opened string // domain of Document, where this call made or opened it
	File   *File  // what this call wrote
}

// File is a file that was written.
type File struct {
	Path string // absolute
	MIME string // "" where it is not known
	Size int    // in bytes
}

// Result is one line of a reply, with its continuation.
type Result struct {
	Op       int // number of the op in its call, from 1; 0 outside a batch
	Prefix   byte
	Text     string
	IDs      []string
	Warnings []string
	Try      []Suggestion
}

// Suggestion is what a reader may try next. It names no tool: a Face does.
type Suggestion struct {
	abi.Suggestion
	Domain string // whose tools it is for, where those are others than the ones called
}

// TryHelp is the kind of a suggestion that only the host makes: its text is a
// topic of the domain's help.
const TryHelp = "help"

// Op suggests an op.
func Op(text string) Suggestion {
	return Suggestion{Suggestion: abi.Suggestion{Kind: abi.TryOp, Text: text}}
}

// Query suggests a query.
func Query(text string) Suggestion {
	return Suggestion{Suggestion: abi.Suggestion{Kind: abi.TryQuery, Text: text}}
}

// Action suggests a session action, formatted as by fmt.Sprintf.
func Action(format string, args ...any) Suggestion {
	return Suggestion{Suggestion: abi.Suggestion{Kind: abi.TryAction, Text: fmt.Sprintf(format, args...)}}
}

// Help suggests a topic of the help.
func Help(topic string) Suggestion {
	return Suggestion{Suggestion: abi.Suggestion{Kind: TryHelp, Text: topic}}
}

// From takes over what a domain suggests.
func From(list []abi.Suggestion) []Suggestion {
	var out []Suggestion
	for _, s := range list {
		out = append(out, Suggestion{Suggestion: s})
	}
	return out
}

// Face prints a suggestion in the form in which the reader can send it.
type Face func(Suggestion) string

// Content is a picture: a PNG, JPEG, GIF or WebP.
type Content struct {
	MIME string
	Data []byte
}

// The prefixes of result lines.
const (
	Created    = '+'
	Connection = '~'
	Changed    = '*'
	Deleted    = '-'
	Bulk       = '@'
	Warning    = '?'
	Error      = '!'
)

// Errorf makes a failed reply of one line and its suggestions.
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

// Count is n with the noun it counts: "1 op", "2 ops".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// maxLines keeps the text of a huge batch within what an agent can read: past
// it, plain successes in the middle are counted instead of printed.
const (
	maxLines = 1200
	keepHead = 400
	keepTail = 100
)

// Shown is the result lines as they are printed: of a huge batch, plain
// successes in the middle are replaced by a line that counts them. Errors and
// warnings are always there.
func (r *Reply) Shown() []Result {
	if len(r.Results) <= maxLines {
		return r.Results
	}
	out := make([]Result, 0, maxLines)
	cut := 0
	flush := func() {
		if cut > 0 {
			out = append(out, Result{Prefix: Changed, Text: Count(cut, "more op") + " done (lines left out)"})
			cut = 0
		}
	}
	for i := range r.Results {
		res := &r.Results[i]
		if i >= keepHead && i < len(r.Results)-keepTail && res.Prefix != Error && len(res.Warnings) == 0 {
			cut++
			continue
		}
		flush()
		out = append(out, *res)
	}
	flush()
	return out
}

// String prints the reply with suggestions as they stand, without tools.
func (r *Reply) String() string {
	return r.Print(func(s Suggestion) string {
		if s.Kind == TryHelp {
			return strings.TrimSpace("help " + s.Text)
		}
		return s.Text
	})
}

// Print is the reply as text: result lines, warnings, the answers to what
// followed, and the digest where everything led.
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
	if digest := last.Digest; digest != "" {
		if last.Unpushed {
			digest += " *unpushed"
		}
		fmt.Fprintf(&b, "[%s]\n", printable.Text(digest))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// body is everything but the digest.
func (r *Reply) body(b *strings.Builder, face Face) {
	if r.Text != "" {
		b.WriteString(r.Text)
		if !strings.HasSuffix(r.Text, "\n") {
			b.WriteByte('\n')
		}
	}
	shown := r.Shown()
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
		indent := "  "
		if suggests(visible(l)) {
			indent = beyondTry
		}
		b.WriteString(indent + l + "\n")
	}
}

// Line is s on one line, with what would not be seen or would act on a terminal
// escaped: paths and titles come from outside and may hold anything. Results
// and warnings need no Line, a Text that is made of such things does.
func Line(s string) string { return printable.Line(s) }
