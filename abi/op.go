package abi

// Op is one parsed operation. The host tokenizes; a domain only reads this.
// Lists may be empty, never nil in meaning: an absent list is an empty one.
type Op struct {
	Verb        string       `msgpack:"verb"`
	Positionals []Positional `msgpack:"positionals,omitempty"`
	Params      []KeyValue   `msgpack:"params,omitempty"` // in the order written, each key once
	Selectors   []Select     `msgpack:"selectors,omitempty"`
	Arrows      []int        `msgpack:"arrows,omitempty"` // indexes into Positionals: -> <- <-> --
	Raw         string       `msgpack:"raw"`
	Block       []string     `msgpack:"block,omitempty"` // raw lines of a block verb
}

// Positional is a bare word of an op.
type Positional struct {
	Text   string `msgpack:"text"`
	Quoted bool   `msgpack:"quoted,omitempty"` // quoted from its first rune: never a keyword
}

// KeyValue is one key:value of an op.
type KeyValue struct {
	Key    string `msgpack:"key"`
	Value  string `msgpack:"value"`
	Quoted bool   `msgpack:"quoted,omitempty"` // some of the value was quoted
}

// Select is one selector of an op. Several intersect.
type Select struct {
	Raw     string `msgpack:"raw"`
	Type    string `msgpack:"type"`
	Value   string `msgpack:"value,omitempty"`
	Negated bool   `msgpack:"negated,omitempty"`
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
