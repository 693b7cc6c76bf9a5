package domain

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/printable"
)

// line makes one printable line of at most max bytes of what a plugin said:
// control and format characters (ANSI escapes, line breaks, direction marks)
// are escaped, bytes that are not UTF-8 replaced.
func line(s string, max int) string {
	return printable.Cut(printable.Line(printable.Cut(s, max)), max) // escapes are longer than what they stand for
}

// text is line for text of several lines.
func text(s string, max int) string {
	return printable.Cut(printable.Text(printable.Cut(s, max)), max)
}

func quote(s string) string { return `"` + line(s, 64) + `"` }

func lines(list []string, n, max int) []string {
	if len(list) > n {
		list = list[:n]
	}
	for i := range list {
		list[i] = line(list[i], max)
	}
	return list
}

var brackets = strings.NewReplacer("[", "(", "]", ")")

func cleanState(s *abi.State) {
	// The brackets around it are the host's, and one pair.
	s.Digest = brackets.Replace(line(s.Digest, abi.MaxDigest))
	s.Title = line(s.Title, abi.MaxSummary)
	s.Warnings = lines(s.Warnings, abi.MaxWarnings, abi.MaxWarning)
	s.Counts = counts(s.Counts, 64)
	s.Weights = counts(s.Weights, len(s.Warnings))
}

// counts keeps at most n, with names that are short and printable.
func counts(list []abi.Count, n int) []abi.Count {
	list = list[:min(len(list), n)]
	for i := range list {
		list[i].Name = line(list[i].Name, 64)
	}
	return list
}

// cleanError makes e printable and drops suggestions that the domain would not
// take. asked is the kind of what was refused.
func (d *Domain) cleanError(e *abi.Error, asked string) {
	e.Message = line(e.Message, abi.MaxError)
	if e.Message == "" {
		e.Message = "the plugin gave no reason"
	}
	e.Try = d.cleanTries(e.Try, asked)
}
