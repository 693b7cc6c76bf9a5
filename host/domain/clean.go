package domain

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/printable"
)

// line turns text of a plugin into one printable line of at most max bytes: control and format characters (ANSI
// escapes, line breaks, direction marks) are escaped, and bytes that are not UTF-8 are replaced.
func line(s string, max int) string {
	return printable.Cut(printable.Line(printable.Cut(s, max)), max) // cut again: an escape is longer than the character it replaces
}

// text is like line, but keeps line breaks.
func text(s string, max int) string {
	return printable.Cut(printable.Text(printable.Cut(s, max)), max)
}

func quote(s string) string { return `"` + line(s, 64) + `"` }

// said returns warnings of the domain, at most abi.MaxWarnings, with its name before each.
func (d *Domain) said(list []string) []string {
	list = list[:min(len(list), abi.MaxWarnings)]
	for i := range list {
		list[i] = reply.Said(d.Name(), line(list[i], abi.MaxWarning))
	}
	return list
}

// The host puts the digest in brackets, after a document's name and a colon, and before "*unsaved": none of these may be in it.
var digestSigns = strings.NewReplacer("[", "(", "]", ")", ": ", ":", " *", " ")

func (d *Domain) cleanState(s *abi.State) {
	s.Digest = digestSigns.Replace(line(s.Digest, abi.MaxDigest))
	s.Title = line(s.Title, abi.MaxSummary)
	s.Warnings = d.said(s.Warnings)
	s.Counts = counts(s.Counts, 64)
	s.Weights = counts(s.Weights, len(s.Warnings))
}

// counts keeps the first n entries, with short, printable names.
func counts(list []abi.Count, n int) []abi.Count {
	list = list[:min(len(list), n)]
	for i := range list {
		list[i].Name = line(list[i].Name, 64)
	}
	return list
}

// cleanError makes e printable and drops suggestions that the domain does not accept. asked is the kind (abi.TryOp, …)
// of what was refused.
func (d *Domain) cleanError(e *abi.Error, asked string) {
	e.Message = line(e.Message, abi.MaxError)
	if e.Message == "" {
		e.Message = "the plugin gave no reason"
	}
	e.Try = d.cleanTries(e.Try, asked)
}
