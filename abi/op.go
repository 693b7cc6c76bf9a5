package abi

import "strconv"

// Op is one parsed op. The host parses it; the domain only reads it. A nil list means an empty one.
type Op struct {
	Verb        string       `msgpack:"verb"`                  // first word, lower case
	Positionals []Positional `msgpack:"positionals,omitempty"` // in the order written, arrows included
	Params      []KeyValue   `msgpack:"params,omitempty"`      // in the order written, each key once
	Selectors   []Select     `msgpack:"selectors,omitempty"`   // in the order written
	Arrows      []int        `msgpack:"arrows,omitempty"`      // indexes into Positionals: -> <- <-> --
	Raw         string       `msgpack:"raw"`                   // the op as written, trimmed, without its block
	Block       []string     `msgpack:"block,omitempty"`       // raw lines of a block verb
}

// Positional is a word of an op after the verb that is neither parameter nor selector.
type Positional struct {
	Text   string `msgpack:"text"`             // without quotes, escapes decoded
	Quoted bool   `msgpack:"quoted,omitempty"` // quoted from its first rune: never a keyword
}

// KeyValue is one key:value of an op.
type KeyValue struct {
	Key    string `msgpack:"key"`              // as written
	Value  string `msgpack:"value"`            // without quotes, escapes decoded; may be empty
	Quoted bool   `msgpack:"quoted,omitempty"` // some of the value was quoted
}

// Select is one selector of an op. An element must match all of them.
type Select struct {
	Raw     string `msgpack:"raw"`               // as written: "@not:track:Bass"
	Type    string `msgpack:"type"`              // "track"; without @ and not:
	Value   string `msgpack:"value,omitempty"`   // "Bass"; empty when there is none
	Negated bool   `msgpack:"negated,omitempty"` // written with not:
}

// Recent returns the largest N of the op's selectors @recent:N, 0 if it has none.
func (o *Op) Recent() int {
	most := 0
	for _, s := range o.Selectors {
		if s.Type != "recent" {
			continue
		}
		n := 1
		if s.Value != "" {
			n, _ = strconv.Atoi(s.Value)
		}
		most = max(most, n)
	}
	return most
}

// Param returns the value of a key and whether the op has it.
func (o *Op) Param(key string) (string, bool) {
	for i := range o.Params {
		if o.Params[i].Key == key {
			return o.Params[i].Value, true
		}
	}
	return "", false
}
