package script

import "math"

func (p *parser) expression() expr {
	e := p.assignment()
	for p.take(",") {
		first, second := e, p.assignment()
		e = func(r *frame) Value { first(r); return second(r) }
	}
	return e
}

func (p *parser) assignment() expr {
	to := p.conditional()
	for _, op := range []string{"=", "+=", "-=", "*=", "/=", "%="} {
		if !p.take(op) {
			continue
		}
		if to.set == nil {
			p.fail("nothing can be assigned here")
		}
		v := p.assignment()
		if op != "=" {
			by, do := v, binary[op[:1]]
			v = func(r *frame) Value { return do(to.get(r), by(r)) }
		}
		return func(r *frame) Value {
			x := v(r)
			to.set(r, x)
			return x
		}
	}
	return to.get
}

func (p *parser) conditional() place {
	c := p.operation(0)
	if !p.take("?") {
		return c
	}
	yes := p.assignment()
	p.expect(":")
	no := p.assignment()
	cond := c.get
	return place{get: func(r *frame) Value {
		if True(cond(r)) {
			return yes(r)
		}
		return no(r)
	}}
}

// levels holds the binary operators by precedence, lowest first.
var levels = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!=", "===", "!=="}, {"<", ">", "<=", ">=", "in"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

// binary holds the operators that evaluate both operands.
var binary = map[string]func(a, b Value) Value{
	"|":  func(a, b Value) Value { return float64(int32(Number(a)) | int32(Number(b))) },
	"^":  func(a, b Value) Value { return float64(int32(Number(a)) ^ int32(Number(b))) },
	"&":  func(a, b Value) Value { return float64(int32(Number(a)) & int32(Number(b))) },
	"<<": func(a, b Value) Value { return float64(int32(Number(a)) << (uint32(Number(b)) & 31)) },
	">>": func(a, b Value) Value { return float64(int32(Number(a)) >> (uint32(Number(b)) & 31)) },
	"==": func(a, b Value) Value { return equal(a, b) }, "===": func(a, b Value) Value { return equal(a, b) },
	"!=": func(a, b Value) Value { return !equal(a, b) }, "!==": func(a, b Value) Value { return !equal(a, b) },
	"<": func(a, b Value) Value { return less(a, b) }, ">": func(a, b Value) Value { return less(b, a) },
	"<=": func(a, b Value) Value { return Number(a) <= Number(b) }, ">=": func(a, b Value) Value { return Number(a) >= Number(b) },
	"in": func(a, b Value) Value { o, ok := b.(*Object); return ok && o.Has(String(a)) },
	"+": func(a, b Value) Value {
		_, s := a.(string)
		_, t := b.(string)
		if s || t {
			if s := String(a) + String(b); len(s) < 1e5 {
				return s
			}
			panic(Failure("the text is too long"))
		}
		return Number(a) + Number(b)
	},
	"-": func(a, b Value) Value { return Number(a) - Number(b) },
	"*": func(a, b Value) Value { return Number(a) * Number(b) },
	"/": func(a, b Value) Value { return Number(a) / Number(b) },
	"%": func(a, b Value) Value { return math.Mod(Number(a), Number(b)) },
}

func less(a, b Value) bool {
	if s, ok := a.(string); ok {
		if t, ok := b.(string); ok {
			return s < t
		}
	}
	return Number(a) < Number(b)
}

func (p *parser) operation(level int) place {
	if level == len(levels) {
		return p.prefix()
	}
	a := p.operation(level + 1)
	for {
		op := ""
		for _, o := range levels[level] {
			if p.take(o) {
				op = o
				break
			}
		}
		if op == "" {
			return a
		}
		x, y := a.get, p.operation(level+1).get
		switch op {
		case "||":
			a = place{get: func(r *frame) Value {
				if v := x(r); True(v) {
					return v
				}
				return y(r)
			}}
		case "&&":
			a = place{get: func(r *frame) Value {
				if v := x(r); !True(v) {
					return v
				}
				return y(r)
			}}
		default:
			do := binary[op]
			a = place{get: func(r *frame) Value { return do(x(r), y(r)) }}
		}
	}
}

func (p *parser) prefix() place {
	defer p.enter()()
	for _, op := range []string{"!", "-", "+", "++", "--", "typeof"} {
		if !p.take(op) {
			continue
		}
		of := p.prefix()
		switch op {
		case "!":
			return place{get: func(r *frame) Value { return !True(of.get(r)) }}
		case "-":
			return place{get: func(r *frame) Value { return -Number(of.get(r)) }}
		case "+":
			return place{get: func(r *frame) Value { return Number(of.get(r)) }}
		case "typeof":
			return place{get: func(r *frame) Value { return kindOf(of.get(r)) }}
		}
		return p.increment(of, op, true)
	}
	of := p.suffix()
	for _, op := range []string{"++", "--"} {
		if p.take(op) {
			return p.increment(of, op, false)
		}
	}
	return of
}

func kindOf(v Value) string {
	switch v := v.(type) {
	case float64:
		return "number"
	case string:
		return "string"
	case bool:
		return "boolean"
	case *Object:
		if v.call != nil {
			return "function"
		}
		return "object"
	}
	return "undefined"
}

// increment compiles ++ or -- of a place. Its value is the new one if before is set, else the old one.
func (p *parser) increment(of place, op string, before bool) place {
	if of.set == nil {
		p.fail("nothing can be incremented here")
	}
	by := 1.0
	if op == "--" {
		by = -1
	}
	return place{get: func(r *frame) Value {
		was := Number(of.get(r))
		of.set(r, was+by)
		if before {
			return was + by
		}
		return was
	}}
}

func (p *parser) suffix() place {
	var at place
	if p.take("new") {
		at = p.newExpression()
	} else {
		at = p.primary()
	}
	for {
		switch {
		case p.take("."):
			key := p.name()
			at = member(at, func(*frame) Value { return key })
		case p.take("["):
			key := p.expression()
			p.expect("]")
			at = member(at, key)
		case p.is("("):
			at = callOf(at, p.arguments())
		default:
			return at
		}
	}
}

func member(of place, key expr) place {
	get := of.get
	return place{
		get: func(r *frame) Value { o := get(r); return property(o, String(key(r))) },
		set: func(r *frame, v Value) {
			o, ok := get(r).(*Object)
			if !ok {
				panic(Failure("properties can be set only on objects"))
			}
			k := String(key(r))
			if o.array {
				if i := int(Number(k)); i >= 0 && i < 100_000 && String(float64(i)) == k {
					for len(o.List) <= i {
						o.List = append(o.List, nil)
					}
					o.List[i] = v
					return
				}
			}
			o.Props[k] = v
		},
		member: func(r *frame) (Value, Value) {
			o := get(r)
			return o, property(o, String(key(r)))
		},
	}
}

func (p *parser) arguments() []expr {
	p.expect("(")
	var out []expr
	for !p.take(")") {
		out = append(out, p.assignment())
		if !p.take(",") && !p.is(")") {
			p.fail("want , or )")
		}
	}
	return out
}

func values(r *frame, list []expr) []Value {
	out := make([]Value, len(list))
	for i, e := range list {
		out[i] = e(r)
	}
	return out
}

func callOf(of place, args []expr) place {
	return place{get: func(r *frame) Value {
		r.count()
		var this, f Value
		if of.member != nil {
			this, f = of.member(r)
		} else {
			f = of.get(r)
		}
		o, _ := f.(*Object)
		return o.Call(this, values(r, args)...)
	}}
}

func (p *parser) newExpression() place {
	of := p.primary()
	for p.take(".") {
		key := p.name()
		of = member(of, func(*frame) Value { return key })
	}
	var args []expr
	if p.is("(") {
		args = p.arguments()
	}
	return place{get: func(r *frame) Value {
		o, ok := of.get(r).(*Object)
		if !ok {
			panic(Failure("only functions make objects"))
		}
		return o.New(values(r, args)...)
	}}
}

func (p *parser) primary() place {
	t := p.peek()
	constant := func(v Value) place {
		p.at++
		return place{get: func(*frame) Value { return v }}
	}
	switch t.kind {
	case number:
		return constant(t.num)
	case text:
		return constant(t.text)
	case mark:
		switch {
		case p.take("("):
			e := p.expression()
			p.expect(")")
			return place{get: e}
		case p.take("["):
			var list []expr
			for !p.take("]") {
				list = append(list, p.assignment())
				p.take(",")
			}
			return place{get: func(r *frame) Value { return NewArray(values(r, list)...) }}
		case p.take("{"):
			return p.object()
		}
	case name:
		switch t.text {
		case "null", "undefined":
			return constant(nil)
		case "true", "false":
			return constant(t.text == "true")
		case "this":
			p.at++
			return place{get: func(r *frame) Value { return r.this }}
		case "function":
			p.at++
			if p.peek().kind == name {
				p.at++
			}
			return place{get: p.function()}
		}
		p.at++
		n := t.text
		return place{get: func(r *frame) Value { return r.env.get(n) }, set: func(r *frame, v Value) { r.env.set(n, v) }}
	}
	p.fail("want a value")
	return place{}
}

func (p *parser) object() place {
	var keys []string
	var list []expr
	for !p.take("}") {
		t := p.peek()
		if t.kind != name && t.kind != text && t.kind != number {
			p.fail("want a key")
		}
		keys = append(keys, t.text)
		p.at++
		p.expect(":")
		list = append(list, p.assignment())
		p.take(",")
	}
	return place{get: func(r *frame) Value {
		o := NewObject(nil)
		for i, k := range keys {
			o.Props[k] = list[i](r)
		}
		return o
	}}
}
