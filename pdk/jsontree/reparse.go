package jsontree

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk/splice"
)

// Reparse returns the tree of a text that was changed by splices, like Parse. v is the
// root of the tree of the old text; text is the result of splices.Apply. The error is
// that of Parse.
//
// Reparse reads only the parts of objects and arrays that a splice touches. The new
// tree shares all other values with the old one, and moves their offsets: a value that
// is in both has the same content. So the old tree must not be used any more, unless
// Reparse returns an error: then it is unchanged.
func (v *Value) Reparse(text string, splices splice.All) (*Value, error) {
	if fresh := v.reparseInside(text, splices.Sorted()); fresh != nil {
		return fresh, nil
	}
	return read(&source{text: text, nonFinite: v.src.nonFinite})
}

// reparseInside is Reparse for splices between the brackets of the root. For other
// splices, and if the new text is not JSON, it returns nil and changes nothing.
func (v *Value) reparseInside(text string, s splice.All) *Value {
	if v.src.root != v || !fit(s, v.src.text, text) || v.inside(s) != len(s) {
		return nil
	}
	r := &reparser{text: text, splices: s, p: parser{src: v.src, copyKeys: true}}
	fresh := r.container(v, len(s), 0)
	if fresh == nil {
		return nil
	}
	for _, m := range r.moves {
		m.value.move(m.by)
	}
	v.src.text, v.src.root = text, fresh
	return fresh
}

// fit reports whether sorted splices can change before to after.
func fit(s splice.All, before, after string) bool {
	at, moved := 0, 0
	for _, x := range s {
		if x.At < at || x.At > len(before) || x.At+moved > len(after) || !strings.HasPrefix(before[x.At:], x.Old) || !strings.HasPrefix(after[x.At+moved:], x.New) {
			return false
		}
		at, moved = x.At+len(x.Old), moved+len(x.New)-len(x.Old)
	}
	return len(after) == len(before)+moved
}

// inside returns the number of the sorted splices that begin before the end of v, if v
// is an object or an array and they change only the text between its brackets.
// Otherwise it returns -1.
func (v *Value) inside(s splice.All) int {
	n := 0
	for n < len(s) && s[n].At < v.End {
		n++
	}
	switch {
	case v.Kind != Object && v.Kind != Array:
		return -1
	case n > 0 && (s[0].At <= v.Start || s[n-1].At+len(s[n-1].Old) >= v.End):
		return -1
	}
	return n
}

// move adds to the offsets of v and of all values in it.
func (v *Value) move(by int) {
	v.Start, v.End = v.Start+by, v.End+by
	for i := range v.Members {
		v.Members[i].Start += by
		v.Members[i].Value.move(by)
	}
	for _, item := range v.Items {
		item.move(by)
	}
}

// A reparser makes a tree from an old one, from the start of the text to its end. It
// does not write to the old tree.
type reparser struct {
	p       parser     // positioned at the end of the last part of the new tree
	text    string     // the new text
	splices splice.All // not passed yet
	by      int        // how far the passed splices move the text after them
	moves   []move
}

// move is a value of the old tree whose offsets change.
type move struct {
	value *Value
	by    int
}

// pass removes the next splice from the list, and returns its end in the old text.
func (r *reparser) pass() int {
	s := r.splices[0]
	r.splices, r.by = r.splices[1:], r.by+len(s.New)-len(s.Old)
	return s.At + len(s.Old)
}

// touches returns the number of the next splices that are inside the value of part i of
// v, 0 if none touches the part, and -1 if one touches it in another way. The last rest
// splices are after v.
func (r *reparser) touches(v *Value, i, rest int) int {
	s := r.splices[:len(r.splices)-rest]
	if i == v.parts() {
		return -1
	}
	if _, end := v.part(i); len(s) == 0 || s[0].At >= end {
		return 0
	}
	return v.value(i).inside(s)
}

// value is the value of a part.
func (v *Value) value(i int) *Value {
	if v.Kind == Object {
		return v.Members[i].Value
	}
	return v.Items[i]
}

// container returns the new value for an object or an array of the old tree, or nil.
// The next n splices are inside it.
func (r *reparser) container(v *Value, n, depth int) *Value {
	rest := len(r.splices) - n
	fresh := &Value{Kind: v.Kind, Start: v.Start + r.by, src: v.src}
	r.p.at = fresh.Start + 1
	for i := 0; i < v.parts() || len(r.splices) > rest; {
		inside := r.touches(v, i, rest)
		if inside < 0 {
			if i = r.window(fresh, v, i, rest, depth); i < 0 {
				return nil
			}
			continue
		}
		if !r.reuse(fresh, v, i, inside, depth) {
			return nil
		}
		i++
	}
	fresh.End = v.End + r.by
	r.p.at = fresh.End
	return fresh
}

// reuse adds part i of v to the new value. The next n splices are inside its value. It
// returns false if the result is not JSON.
func (r *reparser) reuse(fresh, v *Value, i, n, depth int) bool {
	by, value := r.by, v.value(i)
	if n > 0 {
		value = r.container(value, n, depth+1)
	} else {
		if by != 0 {
			r.moves = append(r.moves, move{value, by})
		}
		r.p.at = value.End + by
	}
	switch {
	case value == nil:
		return false
	case v.Kind == Object:
		if fresh.Members == nil {
			fresh.Members = make([]Member, 0, v.parts()+1)
		}
		fresh.Members = append(fresh.Members, Member{v.Members[i].Key, v.Members[i].Start + by, value})
	default:
		if fresh.Items == nil {
			fresh.Items = make([]*Value, 0, v.parts()+1)
		}
		fresh.Items = append(fresh.Items, value)
	}
	return true
}

// window parses the text from the last part of the new value to the next part of v that
// no splice touches, or that has the next splices inside its value. It returns the index
// of that part, v.parts() at the end of v, and -1 if the text does not end there.
func (r *reparser) window(fresh, v *Value, i, rest, depth int) (next int) {
	for end := r.pass(); ; end = r.pass() {
		for i < v.parts() && v.startOf(i) < end {
			i++
		}
		if len(r.splices) == rest || r.touches(v, i, rest) >= 0 {
			break
		}
	}
	closes := i == v.parts()
	to := v.End - 1 + r.by
	if !closes {
		to = v.startOf(i) + r.by
	}
	if !r.parts(fresh, to, closes, depth) {
		return -1
	}
	return i
}

func (v *Value) startOf(i int) int {
	start, _ := v.part(i)
	return start
}

// parts parses parts up to the offset to of the new text, at which another part starts
// or the value closes. It returns false if the text up to there does not end exactly
// before that: then Parse would read the unchanged text after it in another way.
func (r *reparser) parts(fresh *Value, to int, closes bool, depth int) bool {
	p := &r.p
	for p.s = r.text[:to]; p.err == nil; {
		p.space()
		if fresh.parts() > 0 {
			if closes && p.at == to {
				return true
			}
			if !p.take(',') {
				return false
			}
			p.space()
		}
		if p.at == to {
			return !closes || fresh.parts() == 0
		}
		if fresh.Kind == Object {
			fresh.Members = append(fresh.Members, p.member(depth))
		} else {
			fresh.Items = append(fresh.Items, p.value(depth+1))
		}
	}
	return false
}
