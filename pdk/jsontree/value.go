// Package jsontree edits JSON without rewriting it.
//
// A Value holds offsets into the text from which it was parsed, never copies, and a
// change is a list of splices of that text, which has an inverse. So everything that an
// edit does not name (the order of keys, the spelling of numbers, escapes, white space,
// unknown members) is kept by construction, and there is no printer that could lose it:
//
//	root, err := jsontree.Parse(text)
//	...
//	edit := root.Get("name").Set(jsontree.Quote("New"))
//	text, ok := edit.Apply(text)           // then parse it again
//	text, ok = edit.Inverse().Apply(text)  // the original bytes
//
// # Notes
//
// A tree belongs to one text: after a splice it is out of date. Several edits of one
// text can be combined into one splice.All, as long as they do not overlap. Reparse
// makes the next tree from it, and parses only what the splices changed.
//
// The strings that a tree returns are parts of its text, and keep all of it in memory.
// Clone those that outlive the tree.
//
// Inserted text gets the white space of its surroundings: a member gets a line of its
// own if the other members have one.
//
// The parser is as strict as encoding/json, but accepts a byte order mark, which some
// editors leave, before the value. If a key occurs more than once, its last member
// counts, as in JavaScript; all are kept.
package jsontree

import (
	"iter"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Kind is the type of a Value.
type Kind byte

// The kinds.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// Value is one value. Offsets are bytes of the text given to Parse.
type Value struct {
	Kind       Kind
	Start, End int
	Items      []*Value // of an array
	Members    []Member // of an object, in the order of the text

	src *source
}

// source is the text of a tree, which all of its values share.
type source struct {
	text      string
	root      *Value
	nonFinite bool
}

// Member is one member of an object.
type Member struct {
	Key   string // decoded
	Start int    // offset of the key's opening quote
	Value *Value
}

// Raw is the text of the value, "" for a nil Value.
func (v *Value) Raw() string {
	if v == nil {
		return ""
	}
	return v.src.text[v.Start:v.End]
}

// Get returns the value of a member, nil if v is not an object or has no such
// member. Further keys descend into the value.
func (v *Value) Get(keys ...string) *Value {
	for _, key := range keys {
		if v = v.member(key); v == nil {
			return nil
		}
	}
	return v
}

func (v *Value) member(key string) *Value {
	if i := v.index(key); i >= 0 {
		return v.Members[i].Value
	}
	return nil
}

// index returns the index of the member that counts for a key, -1 if there is none.
func (v *Value) index(key string) int {
	if v == nil {
		return -1
	}
	for i := len(v.Members) - 1; i >= 0; i-- {
		if v.Members[i].Key == key {
			return i
		}
	}
	return -1
}

// Each iterates over the items of an array. A nil Value has none.
func (v *Value) Each() iter.Seq2[int, *Value] {
	return func(yield func(int, *Value) bool) {
		if v == nil {
			return
		}
		for i, item := range v.Items {
			if !yield(i, item) {
				return
			}
		}
	}
}

// Is reports whether v is not nil and has the kind k.
func (v *Value) Is(k Kind) bool { return v != nil && v.Kind == k }

// Text is the decoded text of a string, "" for other values. Invalid UTF-8 and unpaired
// surrogates become U+FFFD.
func (v *Value) Text() string {
	if !v.Is(String) {
		return ""
	}
	return unquote(v.src.text[v.Start+1 : v.End-1])
}

// Plain is the decoded text of a string, "" for null and a nil Value, and the JSON text
// of any other value.
func (v *Value) Plain() string {
	switch {
	case v == nil || v.Kind == Null:
		return ""
	case v.Kind == String:
		return v.Text()
	}
	return v.Raw()
}

// Float is the value of a number, 0 for other values, NaN, infinity and numbers out of
// range.
func (v *Value) Float() float64 {
	if !v.Is(Number) {
		return 0
	}
	f, err := strconv.ParseFloat(v.Raw(), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

// True reports whether v is true.
func (v *Value) True() bool { return v.Is(Bool) && v.src.text[v.Start] == 't' }

// unquote decodes the text between the quotes of a parsed string.
func unquote(s string) string {
	if !strings.Contains(s, `\`) {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			r := hex4(s[i+1:])
			i += 4
			if utf16.IsSurrogate(r) {
				pair := rune(utf8.RuneError)
				if strings.HasPrefix(s[i+1:], `\u`) {
					pair = utf16.DecodeRune(r, hex4(s[i+3:]))
				}
				if r = pair; pair != utf8.RuneError {
					i += 6
				}
			}
			b.WriteRune(r)
		default:
			b.WriteByte(s[i])
		}
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

func hex4(s string) rune {
	n, _ := strconv.ParseUint(s[:4], 16, 16) // the parser has checked the four digits
	return rune(n)
}

// Quote writes a string as JSON, with only the escapes that JSON requires.
func Quote(s string) string {
	const digits = "0123456789abcdef"
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ':
			b.WriteString(`\u00`)
			b.WriteByte(digits[r>>4])
			b.WriteByte(digits[r&15])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
