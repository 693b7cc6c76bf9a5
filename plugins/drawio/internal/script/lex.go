package script

import (
	"fmt"
	"strconv"
	"strings"
)

type kind byte

const (
	end kind = iota
	number
	text
	name
	mark
)

type token struct {
	kind kind
	text string
	num  float64
	at   int
}

// marks holds the operators and punctuation, longer ones first.
var marks = []string{"===", "!==", ">>>", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "<<", ">>",
	"{", "}", "(", ")", "[", "]", ";", ",", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "!", "~", "?", ":", "=", "."}

// tokens splits a source into tokens. Regular expressions are not supported: / always divides.
func tokens(src string) ([]token, error) {
	var out []token
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case strings.HasPrefix(src[i:], "//"):
			n := strings.IndexByte(src[i:], '\n')
			if n < 0 {
				n = len(src) - i
			}
			i += n
		case strings.HasPrefix(src[i:], "/*"):
			n := strings.Index(src[i:], "*/")
			if n < 0 {
				return nil, fmt.Errorf("byte %d: the comment has no end", i)
			}
			i += n + 2
		case c >= '0' && c <= '9' || c == '.' && i+1 < len(src) && src[i+1] >= '0' && src[i+1] <= '9':
			j := i
			for j < len(src) && (src[j] >= '0' && src[j] <= '9' || src[j] == '.' || src[j] == 'e' || src[j] == 'E' || (src[j] == '-' || src[j] == '+') && src[j-1]|32 == 'e') {
				j++
			}
			f, err := strconv.ParseFloat(src[i:j], 64)
			if err != nil {
				return nil, fmt.Errorf("byte %d: %w", i, err)
			}
			out = append(out, token{number, src[i:j], f, i})
			i = j
		case c == '"' || c == '\'':
			s, n, err := quoted(src[i:])
			if err != nil {
				return nil, fmt.Errorf("byte %d: %w", i, err)
			}
			out = append(out, token{text, s, 0, i})
			i += n
		case letter(c):
			j := i
			for j < len(src) && (letter(src[j]) || src[j] >= '0' && src[j] <= '9') {
				j++
			}
			out = append(out, token{name, src[i:j], 0, i})
			i = j
		default:
			found := ""
			for _, m := range marks {
				if strings.HasPrefix(src[i:], m) {
					found = m
					break
				}
			}
			if found == "" {
				return nil, fmt.Errorf("byte %d: unexpected %q", i, c)
			}
			out = append(out, token{mark, found, 0, i})
			i += len(found)
		}
	}
	return append(out, token{kind: end, at: len(src)}), nil
}

func letter(c byte) bool { return c|32 >= 'a' && c|32 <= 'z' || c == '_' || c == '$' }

// quoted parses a string literal and returns its length in the source.
func quoted(s string) (string, int, error) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == s[0]:
			return b.String(), i + 1, nil
		case c == '\\' && i+1 < len(s):
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case 'r':
				b.WriteByte('\r')
			case 'u':
				if i+4 >= len(s) {
					return "", 0, fmt.Errorf("the string has no end")
				}
				n, err := strconv.ParseUint(s[i+1:i+5], 16, 32)
				if err != nil {
					return "", 0, err
				}
				b.WriteRune(rune(n))
				i += 4
			default:
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, fmt.Errorf("the string has no end")
}
