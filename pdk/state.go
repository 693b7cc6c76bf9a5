package pdk

import (
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/abi"
)

// state is the domain's, with a title that is one printable line of at most
// abi.MaxSummary bytes: titles come from files, which may hold anything.
func (in *Instance[M]) state(m M) abi.State {
	s := in.d.State(m)
	s.Title = shownLine(s.Title, abi.MaxSummary)
	return s
}

// shownLine puts text on a line: what cannot be seen becomes a blank, and what is
// longer than max bytes is cut.
func shownLine(text string, max int) string {
	const mark = "…"
	unseen := func(r rune) bool {
		return r != '\u200d' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029')
	}
	if strings.ContainsFunc(text, unseen) {
		text = strings.Map(func(r rune) rune {
			if unseen(r) {
				return ' '
			}
			return r
		}, text)
	}
	if text = strings.ToValidUTF8(text, "\uFFFD"); len(text) > max {
		text = strings.ToValidUTF8(text[:max-len(mark)], "") + mark
	}
	return text
}
