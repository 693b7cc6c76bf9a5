package picture

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

// reorders reports whether a character changes the order of the text around it: the embeddings, overrides and isolates of
// bidirectional text, by which "exe.png" may be what is shown for a name that ends in "gnp.exe". The marks and joiners that scripts
// need are not among them.
func reorders(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

// rawReorders replaces them where they stand as themselves.
var rawReorders = func() *strings.Replacer {
	var pairs []string
	for r := rune(0x202a); r <= 0x2069; r++ {
		if reorders(r) {
			pairs = append(pairs, string(r), escaped(r))
		}
	}
	return strings.NewReplacer(pairs...)
}()

// characterReference is a character as a number in XML.
var characterReference = regexp.MustCompile(`&#(?:x0*[0-9a-fA-F]{4}|0*[0-9]{4});`)

func escaped(r rune) string { return `\u` + strconv.FormatInt(int64(r), 16) }

// Legible returns an SVG in which characters that would reorder its texts are visible escapes, \uXXXX, as in the replies to models.
func Legible(svg []byte) []byte {
	if bytes.Contains(svg, []byte("\u202a")[:2]) || bytes.Contains(svg, []byte("\u2066")[:2]) {
		svg = []byte(rawReorders.Replace(string(svg)))
	}
	if !bytes.Contains(svg, []byte("&#")) {
		return svg
	}
	return characterReference.ReplaceAllFunc(svg, func(ref []byte) []byte {
		digits, base := string(ref[2:len(ref)-1]), 10
		if digits[0] == 'x' {
			digits, base = digits[1:], 16
		}
		if n, err := strconv.ParseInt(digits, base, 32); err == nil && reorders(rune(n)) {
			return []byte(escaped(rune(n)))
		}
		return ref
	})
}
