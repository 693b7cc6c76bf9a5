package search

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTerm bounds the length of a word in bytes; longer ones are data.
const maxTerm = 64

// words iterates over the folded words of a text: runs of letters and digits. A name such as VerifyToken or verify_token yields its
// parts, and if only case separates them, the whole name as well. Scripts without spaces yield pairs of neighbouring characters. A
// word is valid until the next one.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); {
			start := i
			ascii := true
			for i < len(text) {
				if c := text[i]; c < utf8.RuneSelf {
					if class[c] == 0 {
						break
					}
					i++
					continue
				}
				r, n := utf8.DecodeRuneInString(text[i:])
				if !unicode.In(r, unicode.L, unicode.M, unicode.N) {
					break
				}
				ascii = false
				i += n
			}
			if i > start {
				if ascii && !asciiWords(text[start:i], yield) || !ascii && !otherWords(fold(text[start:i]), yield) {
					return
				}
				continue
			}
			_, n := utf8.DecodeRuneInString(text[i:])
			i += n
		}
	}
}

// Classes of ASCII characters; 0 separates words.
const (
	lower = 1 + iota
	upper
	digit
)

var class = func() (out [utf8.RuneSelf]byte) {
	for c := range out {
		switch {
		case 'a' <= c && c <= 'z':
			out[c] = lower
		case 'A' <= c && c <= 'Z':
			out[c] = upper
		case '0' <= c && c <= '9':
			out[c] = digit
		}
	}
	return out
}()

func asciiWords(w string, yield func(string) bool) bool {
	if len(w) > maxTerm {
		return true
	}
	plain, parts := true, 0
	for i := range len(w) {
		if class[w[i]] == upper {
			plain = false
			if i > 0 && class[w[i-1]] != upper {
				parts++
			}
		}
	}
	if plain {
		return yield(w)
	}
	folded := strings.ToLower(w)
	if !yield(folded) {
		return false
	}
	for start, i := 0, 1; parts > 0 && i <= len(w); i++ {
		if i == len(w) || class[w[i]] == upper && class[w[i-1]] != upper {
			if !yield(folded[start:i]) {
				return false
			}
			start = i
		}
	}
	return true
}

func otherWords(w string, yield func(string) bool) bool {
	if r, _ := utf8.DecodeRuneInString(w); !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
		return len(w) > maxTerm || yield(w)
	}
	_, first := utf8.DecodeRuneInString(w)
	if first == len(w) {
		return yield(w)
	}
	for start, end := 0, first; end < len(w); {
		_, n := utf8.DecodeRuneInString(w[end:])
		if !yield(w[start : end+n]) {
			return false
		}
		start, end = end, end+n
	}
	return true
}

// trigrams iterates over the character trigrams of a word, including its ends.
func trigrams(w string) iter.Seq[[3]rune] {
	return func(yield func([3]rune) bool) {
		g := [3]rune{-1, -1, -1}
		for _, r := range w {
			g = [3]rune{g[1], g[2], r}
			if !yield(g) {
				return
			}
		}
		yield([3]rune{g[1], g[2], -2})
	}
}
