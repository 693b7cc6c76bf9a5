// Package value reads the values in an op: one parser and one refusal for each type. A verb lists its keys with their types
// and reads values that have been checked:
//
//	var at = value.Key[geom.Point]{Name: "at", Type: value.Point(1e6)}
//
//	pdk.Verb[*board]{Verb: abi.Verb{Syntax: "put NOTE [at:X,Y]", Summary: "place a note"},
//		Keys: []pdk.Parameter{at},
//		Run: func(c *pdk.Ctx[*board], a pdk.Args) error {
//			if p, given := at.Lookup(a); given {
package value

import (
	"errors"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// Type is how values of type T are written.
type Type[T any] struct {
	Takes string                    // what it takes, for people: "X,Y", "1-16", "left|right"
	Parse func(s string) (T, error) // an *Invalid says what may have been meant
}

// Invalid is the error of Type.Parse for a text that is no value of the type.
type Invalid struct {
	Why  string   // follows the text: "is not a point X,Y"
	Near []string // what to write instead, nearest first
}

func (e *Invalid) Error() string { return e.Why }

// refuse makes the refusal of a text, which the op has as written.
func refuse(written, text string, err error) error {
	out := pdk.Errorf("%s %v", written, err)
	var no *Invalid
	if errors.As(err, &no) {
		near := make([]string, len(no.Near))
		for i, n := range no.Near {
			near[i] = pdk.Quote(n)
			if rest, ok := strings.CutPrefix(n, "-"); ok && strings.Trim(rest[:min(len(rest), 1)], "0123456789") == "" && pdk.Quote(rest) == rest {
				near[i] = n // a negative number needs no quotes
			}
		}
		out.Instead(text, near...)
	}
	return out
}

// Key is a parameter of an op with its type.
type Key[T any] struct {
	Name    string
	Type    Type[T]
	Default T      // the value if the op does not have the key
	About   string // what follows Type.Takes in the description of the key
}

// Param describes the key in the manifest.
func (k Key[T]) Param() abi.Param { return abi.Param{Key: k.Name, Value: k.Type.Takes + k.About} }

// Read returns the op's value and whether it has the key. Without it the value is the default.
func (k Key[T]) Read(a pdk.Args) (v T, given bool, err error) {
	s, given := a.Param(k.Name)
	if !given {
		return k.Default, false, nil
	}
	v, err = k.Parse(s)
	return v, true, err
}

// Parse reads a text as a value of the key. Its refusal is Read's.
func (k Key[T]) Parse(s string) (T, error) {
	v, err := k.Type.Parse(s)
	if err != nil {
		return k.Default, refuse(k.Name+":"+s, s, err)
	}
	return v, nil
}

// Check refuses an op whose value is not of the key's type.
func (k Key[T]) Check(a pdk.Args) error {
	_, _, err := k.Read(a)
	return err
}

// Lookup returns a checked value, and whether the op has the key.
func (k Key[T]) Lookup(a pdk.Args) (v T, given bool) {
	v, given, _ = k.Read(a)
	return v, given
}

// Of returns a checked value.
func (k Key[T]) Of(a pdk.Args) T {
	v, _, _ := k.Read(a)
	return v
}

// Word reads positional i of an op, which name says in the refusal: "the corner", or "" if the refusal says what it is.
func (t Type[T]) Word(a pdk.Args, i int, name string) (v T, err error) {
	s := a.Text(i)
	if v, err = t.Parse(s); err != nil {
		err = refuse(strings.TrimSpace(name+" "+pdk.Quote(s)), s, err)
	}
	return v, err
}

// Map returns the type whose values f makes of those of t. An error of f refuses the text.
func Map[T, U any](t Type[T], f func(T) (U, error)) Type[U] {
	return Type[U]{Takes: t.Takes, Parse: func(s string) (u U, err error) {
		v, err := t.Parse(s)
		if err != nil {
			return u, err
		}
		return f(v)
	}}
}
