package vector

import (
	"fmt"
	"math"
	"strings"
)

// maxTransforms limits the functions of a transform attribute.
const maxTransforms = 1000

// ParseTransform parses a transform attribute. If the list contains a mistake, it returns
// the identity and an error that says what is wrong.
func ParseTransform(s string) (Matrix, error) {
	m := Identity()
	rest := strings.Trim(s, " ,\t\r\n")
	if rest == "none" {
		return m, nil
	}
	for range maxTransforms {
		if rest == "" {
			return m, nil
		}
		name, tail, ok := strings.Cut(rest, "(")
		args, next, closed := strings.Cut(tail, ")")
		if !ok || !closed {
			return Identity(), fmt.Errorf("transform %q: want name(numbers)", clip(rest))
		}
		one, err := function(strings.TrimSpace(name), args)
		if err != nil {
			return Identity(), err
		}
		m = m.Times(one)
		rest = strings.TrimLeft(next, " ,\t\r\n")
	}
	return Identity(), fmt.Errorf("a transform of more than %d functions", maxTransforms)
}

// function is one function of a transform list.
func function(name, args string) (Matrix, error) {
	r := Scanner{text: args}
	n := make([]float64, 0, 7)
	for len(n) < 7 {
		f, ok := r.Number()
		if !ok {
			break
		}
		// In CSS an angle may have a unit; in the attribute it is in degrees.
		if rest := r.Rest(); strings.HasPrefix(rest, "deg") {
			r.at += 3
		} else if strings.HasPrefix(rest, "px") {
			r.at += 2
		}
		n = append(n, f)
	}
	bad := func(want string) (Matrix, error) {
		return Identity(), fmt.Errorf("transform %s(%s): want %s", name, clip(args), want)
	}
	if r.Space(); r.Rest() != "" {
		return bad("numbers")
	}
	switch name {
	case "translate":
		switch len(n) {
		case 1:
			return Translate(n[0], 0), nil
		case 2:
			return Translate(n[0], n[1]), nil
		}
		return bad("x and perhaps y")
	case "scale":
		switch len(n) {
		case 1:
			return Scale(n[0], n[0]), nil
		case 2:
			return Scale(n[0], n[1]), nil
		}
		return bad("one factor or two")
	case "rotate":
		switch len(n) {
		case 1:
			return Rotate(n[0]), nil
		case 3:
			return Translate(n[1], n[2]).Times(Rotate(n[0])).Times(Translate(-n[1], -n[2])), nil
		}
		return bad("degrees and perhaps x and y")
	case "skewX", "skewY":
		if len(n) != 1 {
			return bad("degrees")
		}
		tan := finite(math.Tan(n[0] * math.Pi / 180))
		if name == "skewX" {
			return Matrix{1, 0, tan, 1, 0, 0}, nil
		}
		return Matrix{1, tan, 0, 1, 0, 0}, nil
	case "matrix":
		if len(n) != 6 {
			return bad("six numbers")
		}
		return Matrix{n[0], n[1], n[2], n[3], n[4], n[5]}, nil
	}
	return Identity(), fmt.Errorf("transform %q: want translate, scale, rotate, skewX, skewY or matrix", clip(name))
}

// clip is the start of a text, short enough for a message.
func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// String prints m as a transform attribute: translate or scale if that is all it does,
// "" for the identity, matrix otherwise.
func (m Matrix) String() string {
	switch {
	case m == Identity():
		return ""
	case m.A == 1 && m.B == 0 && m.C == 0 && m.D == 1 && m.F == 0:
		return call("translate", m.E)
	case m.A == 1 && m.B == 0 && m.C == 0 && m.D == 1:
		return call("translate", m.E, m.F)
	case m.B == 0 && m.C == 0 && m.E == 0 && m.F == 0 && m.A == m.D:
		return call("scale", m.A)
	case m.B == 0 && m.C == 0 && m.E == 0 && m.F == 0:
		return call("scale", m.A, m.D)
	}
	return call("matrix", m.A, m.B, m.C, m.D, m.E, m.F)
}

func call(name string, args ...float64) string {
	b := append([]byte(name), '(')
	for i, f := range args {
		if i > 0 {
			b = append(b, ' ')
		}
		b = AppendNumber(b, f)
	}
	return string(append(b, ')'))
}
