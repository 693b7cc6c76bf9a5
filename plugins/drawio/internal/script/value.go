package script

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// Value is nil (null and undefined), a bool, a float64, a string or an *Object.
type Value any

// Object is an object, an array or a function.
type Object struct {
	Props map[string]Value
	Proto *Object
	List  []Value // of an array
	array bool
	call  func(this Value, args []Value) Value // of a function
}

// NewObject makes an object with these properties.
func NewObject(props map[string]Value) *Object {
	if props == nil {
		props = map[string]Value{}
	}
	return &Object{Props: props}
}

// NewArray makes an array.
func NewArray(list ...Value) *Object {
	return &Object{Props: map[string]Value{}, List: list, array: true}
}

// NewFunc makes a function implemented in Go. If it panics with a Failure, the script ends.
func NewFunc(f func(this Value, args []Value) Value) *Object {
	o := &Object{Props: map[string]Value{}, call: f}
	o.Props["prototype"] = NewObject(map[string]Value{"constructor": o})
	return o
}

// Has reports whether an object or one that it inherits from has a property.
func (o *Object) Has(key string) bool {
	for n := 0; o != nil && n < 50; o, n = o.Proto, n+1 {
		if _, ok := o.Props[key]; ok {
			return true
		}
	}
	return false
}

// Get returns a property of an object or of one that it inherits from.
func (o *Object) Get(key string) Value {
	if o.array {
		if key == "length" {
			return float64(len(o.List))
		}
		if i, err := strconv.Atoi(key); err == nil {
			if i >= 0 && i < len(o.List) {
				return o.List[i]
			}
			return nil
		}
	}
	for at, n := o, 0; at != nil && n < 50; at, n = at.Proto, n+1 {
		if v, ok := at.Props[key]; ok {
			return v
		}
	}
	if o.array {
		return arrayMethod(o, key)
	}
	if o.call != nil {
		switch key {
		case "call":
			return NewFunc(func(_ Value, args []Value) Value { return o.Call(Arg(args, 0), args[min(1, len(args)):]...) })
		case "apply":
			return NewFunc(func(_ Value, args []Value) Value {
				var list []Value
				if a, ok := Arg(args, 1).(*Object); ok {
					list = a.List
				}
				return o.Call(Arg(args, 0), list...)
			})
		}
	}
	return nil
}

// Call calls a function.
func (o *Object) Call(this Value, args ...Value) Value {
	if o == nil || o.call == nil {
		panic(Failure("this is not a function"))
	}
	return o.call(this, args)
}

// Method calls a method of an object, and reports whether the object has it.
func (o *Object) Method(name string, args ...Value) (Value, bool) {
	f, ok := o.Get(name).(*Object)
	if !ok || f.call == nil {
		return nil, false
	}
	return f.Call(o, args...), true
}

// New makes an object with the function as its constructor.
func (o *Object) New(args ...Value) Value {
	made := NewObject(nil)
	made.Proto, _ = o.Get("prototype").(*Object)
	if v, ok := o.Call(made, args...).(*Object); ok {
		return v
	}
	return made
}

// Arg returns argument i, nil if there are fewer.
func Arg(args []Value, i int) Value {
	if i < len(args) {
		return args[i]
	}
	return nil
}

func arrayMethod(o *Object, key string) Value {
	switch key {
	case "push":
		return NewFunc(func(_ Value, args []Value) Value {
			if len(o.List) > 100_000 {
				panic(Failure("the array is too long"))
			}
			o.List = append(o.List, args...)
			return float64(len(o.List))
		})
	case "includes":
		return NewFunc(func(_ Value, args []Value) Value {
			return slices.ContainsFunc(o.List, func(v Value) bool { return equal(v, Arg(args, 0)) })
		})
	case "concat":
		return NewFunc(func(_ Value, args []Value) Value {
			out := slices.Clone(o.List)
			for _, a := range args {
				if l, ok := a.(*Object); ok && l.array {
					out = append(out, l.List...)
				} else {
					out = append(out, a)
				}
			}
			return NewArray(out...)
		})
	}
	return nil
}

// property returns v[key] for any value.
func property(v Value, key string) Value {
	switch v := v.(type) {
	case *Object:
		return v.Get(key)
	case string:
		return stringProperty(v, key)
	case float64, bool:
		if key == "toString" {
			return NewFunc(func(Value, []Value) Value { return String(v) })
		}
		return nil
	}
	panic(Failure("null has no property " + key))
}

func stringProperty(s, key string) Value {
	at := func(args []Value, i int, def int) int {
		if v := Arg(args, i); v != nil {
			return max(0, min(len(s), int(Number(v))))
		}
		return def
	}
	switch key {
	case "length":
		return float64(len(s))
	case "toString":
		return NewFunc(func(Value, []Value) Value { return s })
	case "toLowerCase":
		return NewFunc(func(Value, []Value) Value { return strings.ToLower(s) })
	case "charAt":
		return NewFunc(func(_ Value, args []Value) Value {
			if i := at(args, 0, 0); i < len(s) {
				return s[i : i+1]
			}
			return ""
		})
	case "substring":
		return NewFunc(func(_ Value, args []Value) Value {
			i, j := at(args, 0, 0), at(args, 1, len(s))
			return s[min(i, j):max(i, j)]
		})
	case "split":
		return NewFunc(func(_ Value, args []Value) Value {
			var out []Value
			for _, p := range strings.Split(s, String(Arg(args, 0))) {
				out = append(out, p)
			}
			return NewArray(out...)
		})
	}
	if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(s) {
		return s[i : i+1]
	}
	return nil
}

// Number converts a value to a number, as JavaScript does.
func Number(v Value) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case bool:
		if v {
			return 1
		}
		return 0
	case string:
		s := strings.TrimSpace(v)
		if s == "" {
			return 0
		}
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return math.NaN()
		}
		return f
	}
	return math.NaN()
}

// String converts a value to a string.
func String(v Value) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case *Object:
		if v.array {
			out := pdk.Map(v.List, String)
			return strings.Join(out, ",")
		}
		return "[object]"
	}
	return "null"
}

// True converts a value to a boolean, as a condition does.
func True(v Value) bool {
	switch v := v.(type) {
	case bool:
		return v
	case float64:
		return v != 0 && v == v
	case string:
		return v != ""
	}
	return v != nil
}

// JSON parses arrays, numbers and strings in JSON; the result for anything else is nil.
func JSON(s string) Value {
	list, err := tokens(s)
	if err != nil {
		return nil
	}
	at := 0
	var read func(depth int) (Value, bool)
	read = func(depth int) (Value, bool) {
		t := list[at]
		at++
		switch {
		case t.kind == number:
			return t.num, true
		case t.kind == text:
			return t.text, true
		case t.text == "-" && list[at].kind == number:
			at++
			return -list[at-1].num, true
		case t.text != "[" || depth > maxDepth:
			return nil, false
		}
		out := NewArray()
		for list[at].text != "]" {
			v, ok := read(depth + 1)
			if !ok {
				return nil, false
			}
			out.List = append(out.List, v)
			if list[at].text == "," {
				at++
			}
		}
		at++
		return out, true
	}
	v, ok := read(0)
	if !ok || list[at].kind != end {
		return nil
	}
	return v
}

// equal returns a == b.
func equal(a, b Value) bool {
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return x == y
		}
	case *Object:
		y, ok := b.(*Object)
		return ok && x == y
	}
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if _, ok := b.(*Object); ok {
		return false
	}
	return Number(a) == Number(b)
}
