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

// checkResult checks the limits of one result, as the domain sent it.
func (j *judge) checkResult(r *abi.Result, op string) {
	at := func(what string) string { return fmt.Sprintf("the %s of %q", what, clip(op)) }
	j.checkWarnings(r.Warnings, at)
	if e := r.Error; e != nil {
		j.checkLine(at("refusal"), e.Message, abi.MaxError)
		j.expect("limits", e.Message != "", "%s is empty", at("refusal"))
		j.expect("limits", len(e.Try) <= abi.MaxTry, "%s number %d, the limit is %d", at("suggestions"), len(e.Try), abi.MaxTry)
		for _, t := range e.Try {
			j.expect("limits", !strings.HasPrefix(strings.TrimSpace(t.Text), "try:"), "%s begins with try:, which only the host writes", at("suggestion"))
			j.checkText(at("suggestion"), t.Text, abi.MaxOpBytes)
		}
		return
	}
	switch r.Kind {
	case abi.Created, abi.Connection, abi.Changed, abi.Deleted, abi.Bulk, abi.Unchanged, "":
	default:
		j.expect("limits", false, "%s is %q, which does not exist", at("kind"), r.Kind)
	}
	j.checkText(at("text"), r.Text, abi.MaxText)
	j.expect("limits", !prefixed.MatchString(r.Text), "%s is %q: only the host writes prefixes, try: and brackets", at("text"), clip(r.Text))
	j.checkIDs(r.IDs, at)
	for _, e := range r.Events {
		j.checkLine(at("event's type"), e.Type, 128)
		j.expect("limits", e.Type != "", "%s is empty", at("event's type"))
		j.checkLine(at("event's summary"), e.Summary, abi.MaxSummary)
		j.checkIDs(e.IDs, at)
	}
}

func (j *judge) checkIDs(ids []string, at func(string) string) {
	for _, id := range ids {
		j.expect("limits", len(id) <= abi.MaxID, "%s has %d bytes, the limit is %d", at("id"), len(id), abi.MaxID)
	}
}

func (j *judge) checkWarnings(warnings []string, at func(string) string) {
	j.expect("limits", len(warnings) <= abi.MaxWarnings, "%s number %d, the limit is %d", at("warnings"), len(warnings), abi.MaxWarnings)
	for _, w := range warnings {
		j.checkLine(at("warning"), w, abi.MaxWarning)
	}
}

// checkState checks a state.
func (j *judge) checkState(s *abi.State) {
	at := func(what string) string { return "the state's " + what }
	j.checkLine(at("digest"), s.Digest, abi.MaxDigest)
	j.expect("limits", s.Digest != "", "the digest is empty")
	j.expect("limits", s.Digest == "" || !strings.HasPrefix(s.Digest, "["), "the digest is %q: the host writes the brackets", clip(s.Digest))
	j.checkLine(at("title"), s.Title, abi.MaxSummary)
	j.checkWarnings(s.Warnings, at)
}

// checkLine checks a text of one line.
func (j *judge) checkLine(what, s string, limit int) {
	j.checkText(what, s, limit)
	j.expect("limits", !strings.ContainsAny(s, "\r\n"), "%s has several lines: %q", what, clip(s))
}

// checkText checks length and encoding, and that the text is printable.
func (j *judge) checkText(what, s string, limit int) {
	j.expect("limits", len(s) <= limit, "%s has %d bytes, the limit is %d", what, len(s), limit)
	j.expect("limits", utf8.ValidString(s), "%s is not UTF-8: %q", what, clip(s))
	for _, r := range s {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			j.expect("limits", false, "%s contains the control character %U", what, r)
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
