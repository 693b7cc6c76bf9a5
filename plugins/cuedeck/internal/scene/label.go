package scene

import (
	"slices"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/pdk"
)

// keys matches the end of the name of a secret.
const keys = `(?:pass(?:word|wd|phrase)|pwd|_pass|secret(?:[_ -]?key)?|token|(?:api|access|private|encryption|signing|auth|account)[_ -]?key)`

// labelledSecrets matches secrets by the label before them. The groups are the label and the secret, those of a named value first.
var labelledSecrets = pdk.Regexp(strings.Join([]string{
	`(?i)(` + keys + "[\"'`*_\\\\\\])}]*" + `[ \t]*(?::=|=>|[:=])[ \t]*[*_]{0,2}[ \t]*)(\\"[^"\\]*\\"|"(?:[^"\\]|\\.)*"|'[^']*'|` + "`[^`]*`|[^\\s\"'`,;|=>][^\\s\"'`,;]*)",
	`(?i)(--[a-z-]*` + keys + `[ \t]+)([^\s"'` + "`" + `,;]+)`,
	`(?i)(authorization["']?[ \t]*[:=][ \t]*["']?(?:bearer|basic|token)[ \t]+)([A-Za-z0-9._~+/=-]{8,})`,
	`([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*:)([^\s/]+)@`,
}, "|"))

// labels are parts of the labels, in lower case. Most lines have none, and searching for them is a hundred times as fast.
var labels = []string{"passw", "passphrase", "pwd", "_pass", "secret", "token", "_key", "-key", " key", "apikey", "accesskey", "privatekey", "encryptionkey", "signingkey", "authkey", "accountkey", "authorization", "://"}

func labelled(s string) bool { return containsAny(strings.ToLower(s), labels) }

// placeholder matches what is written in place of a secret: a variable, a call, an example.
var placeholder = pdk.Regexp(`(?i)^(?:[<$%{\[…].*|(?:~|\.\.?)/.*|[x*.…_-]{2,}|[*.…_-]|https?://.*|(?:your|change-?_?me|example|placeholder|redacted|process\.env|os\.).*|[a-z_.]+\(.*)$`)

// plainWords are no secrets: types, what documentation says of a field, and how a sentence goes on.
var plainWords = strings.Fields(`string str text char varchar int integer number float bool boolean bytes object array list any true false null none nil undefined unset empty
	required optional mandatory hidden hashed encrypted expired invalid missing unknown default yes no on off n/a na tbd todo
	the a an is are was be has must should may can will it this that they not never always only see from in of for to and or if when with by as at your my our their each every
	bearer basic jwt oauth oauth2 bcrypt argon2 uuid`)

// isPlain reports whether a value is no secret.
func isPlain(value string) bool {
	return placeholder().MatchString(value) || slices.Contains(plainWords, strings.ToLower(strings.TrimRight(value, ".,;:!?")))
}

// looksSecret reports whether a word is no word of a language: it has digits, signs or capitals after small letters, or is long.
func looksSecret(word string) bool {
	word = strings.TrimRight(word, ".,;:!?)")
	small := false
	for i, r := range word {
		if unicode.IsDigit(r) || unicode.IsSymbol(r) || small && unicode.IsUpper(r) || i > 0 && unicode.IsPunct(r) && r != '-' && r != '\'' {
			return true
		}
		small = unicode.IsLower(r)
	}
	return len(word) >= 16
}

var (
	blockScalar = pdk.Regexp(`(?i)` + keys + `["']?[ \t]*:[ \t]*[|>][-+0-9]*[ \t]*\r?\n?$`)
	delimiter   = pdk.Regexp(`^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\r?\n?$`)
	labelCell   = pdk.Regexp("(?i)^[*_`\"']*(?:[\\w.-]+[ .])*[\\w.-]*?" + keys + "[*_`\"':]*$")
)

// maskLabelled masks the values after labels, in lines and in tables.
func (m *Mask) maskLabelled(s string) string {
	var out strings.Builder
	lines := slices.Collect(strings.Lines(s))
	block := -1        // the indent of the label of a block whose lines are masked
	var columns []bool // the columns of a table that hold secrets
	for i, line := range lines {
		body := strings.TrimLeft(line, " \t")
		indent := len(line) - len(body)
		if block >= 0 && (indent > block || strings.TrimSpace(line) == "") {
			if text := strings.TrimRight(body, " \t\r\n"); text != "" {
				m.hidden++
				line = line[:indent] + Masked + body[len(text):]
			}
			out.WriteString(line)
			continue
		}
		block = -1
		row := strings.HasPrefix(body, "|")
		if !row {
			columns = nil
		}
		switch {
		case row && i+1 < len(lines) && delimiter().MatchString(lines[i+1]):
			columns = nil
			for _, c := range cells(line) {
				name := strings.ToLower(unwrap(line[c[0]:c[1]]))
				columns = append(columns, labelCell().MatchString(name) && name != "token")
			}
		case row && !delimiter().MatchString(line) && (columns != nil || labelled(line)):
			line = m.maskRow(line, columns)
		}
		if strings.ContainsAny(line, ":=-") && labelled(line) {
			if blockScalar().MatchString(line) {
				block = indent
			}
			line = m.maskValues(line)
		}
		out.WriteString(line)
	}
	return out.String()
}

// cells returns where the cells of a row of a table are, without blanks around them.
func cells(row string) (out [][2]int) {
	from := strings.Index(row, "|") + 1
	for at := from; at < len(row); at++ {
		if row[at] == '|' && row[at-1] != '\\' {
			cell := row[from:at]
			left := len(cell) - len(strings.TrimLeft(cell, " \t"))
			out = append(out, [2]int{from + left, from + max(left, len(strings.TrimRight(cell, " \t")))})
			from = at + 1
		}
	}
	return out
}

// unwrap removes quotes and emphasis around a text.
func unwrap(s string) string { return strings.Trim(s, "*_`\"'") }

// maskRow masks the cells of a row in columns of secrets, and those after a cell that is a label.
func (m *Mask) maskRow(row string, columns []bool) string {
	var out strings.Builder
	at, label := 0, false
	for i, c := range cells(row) {
		cell := row[c[0]:c[1]]
		value := unwrap(cell)
		words := len(strings.Fields(value))
		if (label && (words == 1 || cell != value) || i < len(columns) && columns[i]) && words > 0 && !isPlain(value) {
			m.hidden++
			from := c[0] + strings.Index(cell, value)
			out.WriteString(row[at:from] + Masked)
			at = from + len(value)
		}
		label = labelCell().MatchString(cell)
	}
	return out.String() + row[at:]
}

// maskValues masks the values after labels in a line.
func (m *Mask) maskValues(s string) string {
	var out strings.Builder
	at := 0
	for _, found := range labelledSecrets().FindAllStringSubmatchIndex(s, -1) {
		for g := 4; g < len(found); g += 4 { // the second group of each match
			from, to := found[g], found[g+1]
			if from < 0 {
				continue
			}
			if g == 4 || g == 8 {
				from, to = valueIn(s, found[g-2], from, to, g == 8)
			}
			if from == to || isPlain(s[from:to]) {
				continue
			}
			m.hidden++
			out.WriteString(s[at:from] + Masked)
			at = to
		}
	}
	return out.String() + s[at:]
}

// valueIn returns the part of a value after a label that is the secret: what is in quotes, or a word that is the whole value or
// does not look like the beginning of a sentence. It is empty if there is none.
func valueIn(s string, label, from, to int, flag bool) (int, int) {
	name := strings.TrimRightFunc(s[:label], func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) })
	if strings.HasSuffix(name, "$") || strings.HasSuffix(name, "${") { // a variable
		return from, from
	}
	value := s[from:to]
	switch quote := value[:1]; {
	case strings.HasPrefix(value, `\"`):
		return from + 2, to - 2
	case quote != "'" && strings.ContainsAny(quote, "\"`") && strings.Count(s[:from], quote)%2 == 1: // the end of a quote around the label
		return from, from
	case strings.ContainsAny(quote, "\"'`"):
		return from + 1, to - 1
	}
	if !strings.ContainsAny(value, "([{") {
		to -= len(value) - len(strings.TrimRight(value, ")}]*"))
	}
	if strings.EqualFold(s[label:min(len(s), label+4)], "pwd=") && value[0] == '/' { // the working directory
		return from, from
	}
	rest := strings.TrimLeft(s[to:], " \t\r\n")
	alone := !flag && (rest == "" || strings.ContainsAny(rest[:1], ",;)}]#/(|&*`\"'<") || s[from-1] == '=')
	if alone || looksSecret(s[from:to]) {
		return from, to
	}
	return from, from
}
