package grammar

import (
	"strings"
	"unicode/utf8"
)

// Limits of one op. The lines of a block are not tokens; they have their own limit.
const (
	// MaxOpBytes is the longest op, session action or query in bytes. A longer text is data in the wrong place.
	MaxOpBytes = 64 << 10
	// MaxTokens is the largest number of tokens in one op, its verb included.
	MaxTokens = 4096
	// MaxBlockBytes is the largest block in bytes, its line ends included.
	MaxBlockBytes = 1 << 20
)

const separators = " \t\r\n"

// Token is one word of an op.
type Token struct {
	// Text is the token without its quotes, escapes decoded.
	Text string
	// Quoted reports whether a part of the token was quoted. That part is Text[From:To] (bytes), which may be empty. Of a
	// list with several quoted items it reaches from the first to the last.
	Quoted   bool
	From, To int
	// Start and End are the byte offsets of the token in the text, quotes included.
	Start, End int
}

// quotedFirst reports whether the token was quoted from its first rune.
func (t Token) quotedFirst() bool { return t.Quoted && t.From == 0 }

// Tokenize splits s into tokens. The error is an [*Error], for an unterminated quote or too many tokens.
func Tokenize(s string) ([]Token, error) {
	sc := scanner{src: strings.ToValidUTF8(s, "\uFFFD")}
	var tokens []Token
	for {
		tok, ok, err := sc.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			return tokens, nil
		}
		tokens = append(tokens, tok)
	}
}

// scanner reads tokens one at a time. All special characters are ASCII, so it can scan the bytes of valid UTF-8.
type scanner struct {
	src     string
	pos     int
	count   int  // tokens so far
	lenient bool // an unterminated quote after key: is a plain character
}

// next returns the next token, or false at the end.
func (s *scanner) next() (Token, bool, *Error) {
	for s.pos < len(s.src) && isSeparator(s.src[s.pos]) {
		s.pos++
	}
	if s.pos == len(s.src) {
		return Token{}, false, nil
	}
	if s.count++; s.count > MaxTokens {
		return Token{}, false, tooManyTokens(s.src)
	}
	e := tokenExtent(s.src, s.pos, s.lenient)
	if e.open >= 0 && e.closed < 0 {
		return Token{}, false, unterminated(s.src, e.open)
	}
	start := s.pos
	s.pos = e.end
	return tokenAt(s.src, start, e), true, nil
}

// oneToken reads a text that is nothing but one token.
func oneToken(src string) (tok Token, ok bool) {
	if src == "" || isSeparator(src[0]) {
		return tok, false
	}
	e := tokenExtent(src, 0, false)
	if e.end < len(src) || e.open >= 0 && e.closed < 0 {
		return tok, false
	}
	return tokenAt(src, 0, e), true
}

// tokenAt returns the token that starts at start, all of whose quotes are closed.
func tokenAt(src string, start int, e extent) Token {
	if e.open < 0 {
		return Token{Text: src[start:e.end], Start: start, End: e.end}
	}
	before, body, after := src[start:e.open], quoted(src, e), src[e.lastClosed()+1:e.end]
	text := body
	if before != "" || after != "" {
		text = before + body + after
	}
	return Token{Text: text, Quoted: true, From: len(before), To: len(before) + len(body), Start: start, End: e.end}
}

// quoted decodes what lies between the first quote of a token and its last one.
func quoted(src string, e extent) string {
	first := unescape(src[e.open+1:e.closed], src[e.open])
	if len(e.more) == 0 {
		return first
	}
	var b strings.Builder
	b.WriteString(first)
	at := e.closed + 1
	for _, item := range e.more {
		b.WriteString(src[at:item.open])
		b.WriteString(unescape(src[item.open+1:item.closed], src[item.open]))
		at = item.closed + 1
	}
	return b.String()
}

// extent says where a token and its quoted part end, in bytes of the source.
type extent struct {
	open   int         // the opening quote, -1 for none
	closed int         // the closing quote, -1 for none
	end    int         // one past the token
	more   []quotation // the quoted items of a list after the first
}

// quotation is the places of two quotes that belong together.
type quotation struct{ open, closed int }

func (e extent) lastClosed() int {
	if n := len(e.more); n > 0 {
		return e.more[n-1].closed
	}
	return e.closed
}

// tokenExtent measures the token that starts at start, which is not a separator. In lenient mode a quote that opens after
// a key or a comma and never closes counts as a plain character. It stays linear: for each quote mark, at most one search
// for the closing one can fail, since a second mark would have closed the first.
func tokenExtent(src string, start int, lenient bool) extent {
	if isQuote(src[start]) {
		return quotedExtent(src, start, lenient)
	}
	key := start // start of the next key in the chain
	list := src[start] == '@'
	if list {
		key++
	}
	chain, first := true, key
	for i := start; i < len(src); i++ {
		c := src[i]
		if isSeparator(c) {
			return extent{open: -1, closed: -1, end: i}
		}
		opens := false // a quote opens behind c
		switch {
		case c == ':' && chain:
			chain = isKey(src[key:i])
			key, opens = i+1, chain
		case c == ',':
			opens = list && key > first
		}
		if opens && i+1 < len(src) && isQuote(src[i+1]) {
			e := quotedExtent(src, i+1, lenient)
			if e.closed >= 0 || !lenient {
				return e
			}
			chain, list = false, false
		}
	}
	return extent{open: -1, closed: -1, end: len(src)}
}

// quotedExtent finds the end of the quote that opens at open, and of the text that continues the token after it: more
// items of a list, whose quotes open after commas.
func quotedExtent(src string, open int, lenient bool) extent {
	e := extent{open: open, closed: closingQuote(src, open), end: len(src)}
	if e.closed < 0 {
		return e
	}
	list := true
	for i := e.closed + 1; i < len(src); i++ {
		if isSeparator(src[i]) {
			e.end = i
			return e
		}
		if !list || src[i] != ',' || i+1 == len(src) || !isQuote(src[i+1]) {
			continue
		}
		closed := closingQuote(src, i+1)
		if list = closed >= 0; list {
			e.more = append(e.more, quotation{i + 1, closed})
			i = closed
		} else if !lenient {
			return extent{open: i + 1, closed: -1, end: len(src)}
		}
	}
	return e
}

// closingQuote returns the offset of the quote that closes the one at open, or -1.
func closingQuote(src string, open int) int {
	q := src[open]
	for i := open + 1; i < len(src); i++ {
		switch c := src[i]; {
		case c == '\\' && i+1 < len(src) && (src[i+1] == q || src[i+1] == '\\'):
			i++
		case c == q:
			return i
		}
	}
	return -1
}

// lineEnd returns the offset of the first newline outside quotes, or the length of src. open is the offset of a quote that
// never closes, -1 if there is none.
func lineEnd(src string) (end, open int) {
	for pos := 0; pos < len(src); {
		if c := src[pos]; isSeparator(c) {
			if c == '\n' {
				return pos, -1
			}
			pos++
			continue
		}
		e := tokenExtent(src, pos, false)
		if e.open >= 0 && e.closed < 0 {
			return len(src), e.open
		}
		pos = e.end
	}
	return len(src), -1
}

// column converts a byte offset of src into a column: runes, counted from 1.
func column(src string, offset int) int { return utf8.RuneCountInString(src[:offset]) + 1 }

func isSeparator(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isQuote(c byte) bool { return c == '"' || c == '\'' }

// isKey reports whether s has the form of a parameter's key: [A-Za-z_][A-Za-z0-9_.-]*.
func isKey(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isLetter(c) || c == '_':
		case i > 0 && (isDigit(c) || c == '.' || c == '-'):
		default:
			return false
		}
	}
	return s != ""
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
