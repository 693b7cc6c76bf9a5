package guest

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
)

// prefixed matches text that imitates the host's prefixes or suggestions.
var prefixed = regexp.MustCompile(`^([+~*@?!-] |try: |\[.*\]$)`)

// limitResult checks the limits of one result, as the domain sent it.
func (j *judge) limitResult(r *abi.Result, op string) {
	at := func(what string) string { return fmt.Sprintf("the %s of %q", what, clip(op)) }
	j.warned(r.Warnings, at)
	if e := r.Error; e != nil {
		j.line(at("refusal"), e.Message, abi.MaxError)
		j.expect("limits", e.Message != "", "%s is empty", at("refusal"))
		j.expect("limits", len(e.Try) <= abi.MaxTry, "%s are %d, the limit is %d", at("suggestions"), len(e.Try), abi.MaxTry)
		for _, t := range e.Try {
			j.expect("limits", !strings.HasPrefix(strings.TrimSpace(t.Text), "try:"), "%s begins with try:, which the host writes", at("suggestion"))
			j.text(at("suggestion"), t.Text, abi.MaxOpBytes)
		}
		return
	}
	switch r.Kind {
	case abi.Created, abi.Connection, abi.Changed, abi.Deleted, abi.Bulk, abi.Unchanged, "":
	default:
		j.expect("limits", false, "%s is %q, which is none", at("kind"), r.Kind)
	}
	j.text(at("text"), r.Text, abi.MaxText)
	j.expect("limits", !prefixed.MatchString(r.Text), "%s is %q: prefixes, try: and brackets are the host's to write", at("text"), clip(r.Text))
	j.ids(r.IDs, at)
	for _, e := range r.Events {
		j.line(at("event's type"), e.Type, 128)
		j.expect("limits", e.Type != "", "%s is empty", at("event's type"))
		j.line(at("event's summary"), e.Summary, abi.MaxSummary)
		j.ids(e.IDs, at)
	}
}

func (j *judge) ids(ids []string, at func(string) string) {
	for _, id := range ids {
		j.expect("limits", len(id) <= abi.MaxID, "%s has %d bytes, the limit is %d", at("id"), len(id), abi.MaxID)
	}
}

func (j *judge) warned(warnings []string, at func(string) string) {
	j.expect("limits", len(warnings) <= abi.MaxWarnings, "%s are %d, the limit is %d", at("warnings"), len(warnings), abi.MaxWarnings)
	for _, w := range warnings {
		j.line(at("warning"), w, abi.MaxWarning)
	}
}

// limitState checks a state.
func (j *judge) limitState(s *abi.State) {
	at := func(what string) string { return "the state's " + what }
	j.line(at("digest"), s.Digest, abi.MaxDigest)
	j.expect("limits", s.Digest != "", "the digest is empty")
	j.expect("limits", s.Digest == "" || !strings.HasPrefix(s.Digest, "["), "the digest is %q: the host writes the brackets", clip(s.Digest))
	j.line(at("title"), s.Title, abi.MaxSummary)
	j.warned(s.Warnings, at)
}

// line checks a text of one line.
func (j *judge) line(what, s string, limit int) {
	j.text(what, s, limit)
	j.expect("limits", !strings.ContainsAny(s, "\r\n"), "%s has several lines: %q", what, clip(s))
}

// text checks length and encoding, and that the text is printable.
func (j *judge) text(what, s string, limit int) {
	j.expect("limits", len(s) <= limit, "%s has %d bytes, the limit is %d", what, len(s), limit)
	j.expect("limits", utf8.ValidString(s), "%s is not UTF-8: %q", what, clip(s))
	for _, r := range s {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			j.expect("limits", false, "%s holds the control character %U", what, r)
			return
		}
	}
}

func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
