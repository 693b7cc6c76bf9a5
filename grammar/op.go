package grammar

import (
	"bytes"
	"encoding/json"
)

// Positional is a word of an op that is neither parameter nor selector.
type Positional struct {
	Text string `json:"text"`
	// Quoted: quoted from its first rune, so it is never a keyword, an arrow or a type name.
	Quoted bool `json:"quoted,omitempty"`
}

// Param is one key:value of an op.
type Param struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	// Quoted: some of the value was quoted.
	Quoted bool `json:"quoted,omitempty"`
}

// Selector is one @[not:]TYPE[:VALUE] of an op. An element must match all of them.
type Selector struct {
	// Raw is the whole token without its quotes, the @ included.
	Raw string `json:"raw"`
	// Type is as written; its case is not changed.
	Type string `json:"type"`
	// Value is empty both for @type and for @type:.
	Value   string `json:"value"`
	Negated bool   `json:"negated"`
}

// Op is one parsed op: protocol.md's ParsedOp.
type Op struct {
	// Verb is the first word in lower case.
	Verb        string
	Positionals []Positional
	// Params are in the order written, each key once: a repeated key keeps its first place and takes the last value.
	Params    []Param
	Selectors []Selector
	// Arrows are the indexes of Positionals that are the unquoted words -> <- <-> and --.
	Arrows []int
	// Raw is the text that was parsed, without separators around it; of a block op, all of its lines.
	Raw string
	// Block holds the lines of a block verb as they were written, without line ends. It is nil for every other verb.
	Block []string
	// End is the line that closed Block.
	End string
	// Warnings are for the user, one line each. Only a repeated key causes one.
	Warnings []string
}

// Param returns the value of key and whether it was given. Keys are case-sensitive.
func (o Op) Param(key string) (string, bool) {
	for _, p := range o.Params {
		if p.Key == key {
			return p.Value, true
		}
	}
	return "", false
}

// MarshalJSON writes the form that the conformance fixtures use: positionals are strings, params an object in the order
// written, quoted the indexes of positionals that were quoted, and empty lists are []. Only ops of block verbs have block.
func (o Op) MarshalJSON() ([]byte, error) {
	texts := make([]string, len(o.Positionals))
	quoted := []int{}
	for i, p := range o.Positionals {
		texts[i] = p.Text
		if p.Quoted {
			quoted = append(quoted, i)
		}
	}
	var b bytes.Buffer
	b.WriteByte('{')
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // leave it to the caller's encoder, so that arrows can stay readable
	field := func(name string, v any) error {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + name + `":`)
		return enc.Encode(v)
	}
	fields := []struct {
		name  string
		value any
	}{
		{"verb", o.Verb},
		{"positionals", texts},
		{"params", orderedParams(o.Params)},
		{"selectors", append([]Selector{}, o.Selectors...)},
		{"arrows", append([]int{}, o.Arrows...)},
		{"quoted", quoted},
		{"raw", o.Raw},
		{"warnings", append([]string{}, o.Warnings...)},
	}
	for _, f := range fields {
		if err := field(f.name, f.value); err != nil {
			return nil, err
		}
	}
	if o.Block != nil {
		if err := field("block", o.Block); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// orderedParams marshals as an object whose members keep their order.
type orderedParams []Param

func (ps orderedParams) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, p := range ps {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := enc.Encode(p.Key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := enc.Encode(p.Value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
