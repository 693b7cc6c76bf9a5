package domain

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

// dropNamingKeys removes the keys of the first parameters if the op lacks positionals.
func (p *phrase) dropNamingKeys() []string {
	if p.verb == nil || p.verb.Min == 0 || len(p.words) < 2 {
		return nil
	}
	out := slices.Clone(p.words)
	for i := 1; i < len(out) && (i <= p.verb.Max || p.verb.Max < 0); i++ {
		key, value, ok := p.param(i)
		if !ok || !naming[strings.ToLower(key)] {
			return nil
		}
		out[i] = value
	}
	return []string{strings.Join(out, " ")}
}

// naming lists keys that only name what a positional is.
var naming = map[string]bool{
	"name": true, "label": true, "text": true, "title": true, "caption": true, "type": true, "kind": true, "id": true, "ref": true, "value": true, "style": true,
	"shape": true, "node": true, "element": true, "from": true, "to": true, "source": true, "target": true, "start": true, "end": true, "a": true, "b": true,
}

// wordsOfParams removes such keys if the verb does not list them: all at once, then one by one.
func (p *phrase) wordsOfParams() []string {
	if p.verb == nil {
		return nil
	}
	out := slices.Clone(p.words)
	var single []string
	for i := range p.words {
		key, value, ok := p.param(i)
		if ok && p.declared(key) == "" && naming[strings.ToLower(key)] {
			out[i] = value
			single = append(single, p.with(i, 1, value))
		}
	}
	if len(single) < 2 {
		return single
	}
	return append([]string{strings.Join(out, " ")}, single...)
}

// otherKeys replaces keys by synonyms, or by keys that list the value.
func (p *phrase) otherKeys() []string {
	if p.verb == nil {
		return nil
	}
	var out []string
	for i := range p.words {
		key, value, ok := p.param(i)
		reference := !ok && i > 0 && !quoted(p.words[i]) && p.words[i][0] != '@' // for example type:name
		if reference {
			key, value, ok = strings.Cut(p.words[i], ":")
		}
		if !ok || p.declared(key) != "" {
			continue
		}
		word := strings.ToLower(key)
		means := p.d.Meanings(word + ":")[1:]
		if !reference {
			means = append(means, p.d.Meanings(word)...)
		}
		for _, k := range p.verb.Params {
			same := slices.ContainsFunc(p.d.Meanings(k.Key), func(m string) bool { return slices.Contains(means, m) }) ||
				slices.Contains(means, k.Key+":") || !reference && len(k.Key) == 1 && strings.HasPrefix(word, k.Key)
			if (same || !reference && listsValue(k, value)) && !p.has(k.Key) {
				out = append(out, p.with(i, 1, k.Key+":"+value))
			}
		}
	}
	return out
}

// listsValue reports whether a parameter takes one of a list of values, and value is in it.
func listsValue(k abi.Param, value string) bool {
	_, list, ok := strings.Cut(k.Value, ": ")
	if !ok {
		list = k.Value
	}
	return slices.ContainsFunc(strings.Split(list, "|"), func(v string) bool {
		return strings.EqualFold(v, value) && (v != strings.ToUpper(v) || strings.Count(list, "|") > 1)
	})
}

var pair = regexp.MustCompile(`^([A-Z]+)([,x])([A-Z]+)`)

// joinPairs joins two parameters into one: x:10 y:20 becomes at:10,20 if the manifest shows at: as
// X,Y.
func (p *phrase) joinPairs() []string {
	if p.verb == nil {
		return nil
	}
	var out []string
	for _, k := range p.verb.Params {
		m := pair.FindStringSubmatch(k.Value)
		if m == nil || p.has(k.Key) {
			continue
		}
		first, second := p.undeclaredKey(m[1]), p.undeclaredKey(m[3])
		if first == 0 || second == 0 {
			continue
		}
		_, a, _ := p.param(first)
		_, b, _ := p.param(second)
		if next := p.d.phrase(p.with(first, 1, k.Key+":"+a+m[2]+b)); next != nil {
			one := next.with(second, 1)
			if next = p.d.phrase(one); next != nil {
				out = append(out, next.joinPairs()...) // joins size and position
			}
			out = append(out, one)
		}
	}
	return out
}

// undeclaredKey returns the index of the undeclared parameter whose key starts with name, or 0.
func (p *phrase) undeclaredKey(name string) int {
	for i := range p.words {
		if key, _, ok := p.param(i); ok && p.declared(key) == "" && strings.HasPrefix(strings.ToLower(key), strings.ToLower(name)) {
			return i
		}
	}
	return 0
}

// otherSelectors replaces unknown selectors by synonyms, or by @type: with the selector's word.
func (p *phrase) otherSelectors() []string {
	var out []string
	for i, w := range p.words {
		if w[0] != '@' || i == 0 {
			continue
		}
		head, value, valued := strings.Cut(w, ":")
		kind := strings.ToLower(head[1:])
		if kind == "" || kind == "not" || p.d.selectors[kind] {
			continue
		}
		for _, m := range p.d.Meanings("@" + kind)[1:] {
			if valued {
				m += ":" + value
			}
			out = append(out, p.with(i, 1, m))
		}
		if !valued && p.d.selectors["type"] {
			out = append(out, p.with(i, 1, "@type:"+head[1:]))
		}
	}
	return out
}

// listedValues adds a key to words that are in the key's list of values.
func (p *phrase) listedValues() []string {
	if p.verb == nil {
		return nil
	}
	var out []string
	for i := range p.words {
		if !p.plain(i) {
			continue
		}
		for _, k := range p.verb.Params {
			shape, couple := pair.FindStringSubmatch(k.Value), numbers.FindStringSubmatch(p.words[i])
			if (listsValue(k, p.words[i]) || shape != nil && couple != nil && shape[2] == couple[1]) && !p.has(k.Key) {
				out = append(out, p.with(i, 1, k.Key+":"+p.words[i]))
			}
		}
	}
	return out
}

// qualifyNames joins a type and the name after it to a reference, type:name.
func (p *phrase) qualifyNames() []string {
	var out []string
	for i := range p.words {
		if i > 0 && i+1 < len(p.words) && p.plain(i) && (p.plain(i+1) || quoted(p.words[i+1])) {
			if w := p.words[i] + ":" + p.words[i+1]; !p.d.isParam(w) {
				out = append(out, p.with(i, 2, w))
			}
		}
	}
	return out
}
