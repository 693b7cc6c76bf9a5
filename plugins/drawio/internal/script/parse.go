package script

import (
	"fmt"
	"slices"
)

// parser compiles a source to Go functions.
type parser struct {
	tokens []token
	at     int
	nested int
}

// enter enters a level of nesting; the function that it returns leaves it.
func (p *parser) enter() func() {
	if p.nested++; p.nested > maxDepth {
		p.fail("this is nested too deep")
	}
	return func() { p.nested-- }
}

type (
	expr func(*frame) Value
	stmt func(*frame) exit
)

// place is something that can be assigned to.
type place struct {
	get expr
	set func(*frame, Value)
	// For a member: its object, and the function in it.
	member func(*frame) (this, f Value)
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) is(text string) bool {
	t := p.peek()
	return (t.kind == mark || t.kind == name) && t.text == text
}

func (p *parser) take(text string) bool {
	if p.is(text) {
		p.at++
		return true
	}
	return false
}

func (p *parser) expect(text string) {
	if !p.take(text) {
		p.fail("want " + text)
	}
}

func (p *parser) name() string {
	t := p.peek()
	if t.kind != name {
		p.fail("want a name")
	}
	p.at++
	return t.text
}

func (p *parser) fail(why string) {
	t := p.peek()
	panic(Failure(fmt.Sprintf("byte %d: %s, not %q", t.at, why, t.text)))
}

// block parses statements up to a word that ends them. It moves functions to the front, wherever they are declared.
func (p *parser) block(until ...string) stmt {
	var first, rest []stmt
	for p.peek().kind != end && !slices.ContainsFunc(until, p.is) {
		if p.take("function") {
			n := p.name()
			f := p.function()
			first = append(first, func(r *frame) exit {
				r.env.vars[n] = f(r)
				return exitNormal
			})
			continue
		}
		rest = append(rest, p.statement())
	}
	all := append(first, rest...)
	return func(r *frame) exit {
		for _, s := range all {
			if l := s(r); l != exitNormal {
				return l
			}
		}
		return exitNormal
	}
}

func (p *parser) braced() stmt {
	p.expect("{")
	b := p.block("}")
	p.expect("}")
	return b
}

func (p *parser) statement() stmt {
	defer p.enter()()
	switch {
	case p.is("{"):
		return p.braced()
	case p.take(";"):
		return func(*frame) exit { return exitNormal }
	case p.is("var") || p.is("const") || p.is("let"):
		s := p.variables()
		p.take(";")
		return s
	case p.take("if"):
		return p.ifStatement()
	case p.take("for"):
		return p.forStatement()
	case p.take("while"):
		p.expect("(")
		cond := p.expression()
		p.expect(")")
		return loop(nil, cond, nil, p.statement())
	case p.take("do"):
		return p.doWhile()
	case p.take("try"):
		return p.tryCatch()
	case p.take("switch"):
		return p.switchStatement()
	case p.take("break"):
		p.take(";")
		return func(*frame) exit { return exitBreak }
	case p.take("continue"):
		p.take(";")
		return func(*frame) exit { return exitContinue }
	case p.take("return"):
		var v expr
		if !p.is(";") && !p.is("}") {
			v = p.expression()
		}
		p.take(";")
		return func(r *frame) exit {
			if v != nil {
				r.result = v(r)
			}
			return exitReturn
		}
	}
	e := p.expression()
	p.take(";")
	return func(r *frame) exit {
		r.count()
		e(r)
		return exitNormal
	}
}

func (p *parser) variables() stmt {
	p.at++
	var all []stmt
	for {
		n := p.name()
		var v expr
		if p.take("=") {
			v = p.assignment()
		}
		all = append(all, func(r *frame) exit {
			r.count()
			if v != nil {
				r.env.vars[n] = v(r)
			} else if _, ok := r.env.vars[n]; !ok {
				r.env.vars[n] = nil
			}
			return exitNormal
		})
		if !p.take(",") {
			break
		}
	}
	return func(r *frame) exit {
		for _, s := range all {
			s(r)
		}
		return exitNormal
	}
}

func (p *parser) ifStatement() stmt {
	p.expect("(")
	cond := p.expression()
	p.expect(")")
	then := p.statement()
	var other stmt
	if p.take("else") {
		other = p.statement()
	}
	return func(r *frame) exit {
		r.count()
		switch {
		case True(cond(r)):
			return then(r)
		case other != nil:
			return other(r)
		}
		return exitNormal
	}
}

func (p *parser) forStatement() stmt {
	p.expect("(")
	var first stmt
	var cond, step expr
	switch {
	case p.is("var"):
		first = p.variables()
	case !p.is(";"):
		e := p.expression()
		first = func(r *frame) exit { e(r); return exitNormal }
	}
	p.expect(";")
	if !p.is(";") {
		cond = p.expression()
	}
	p.expect(";")
	if !p.is(")") {
		step = p.expression()
	}
	p.expect(")")
	return loop(first, cond, step, p.statement())
}

func loop(first stmt, cond, step expr, body stmt) stmt {
	return func(r *frame) exit {
		if first != nil {
			first(r)
		}
		for cond == nil || True(cond(r)) {
			r.count()
			switch l := body(r); l {
			case exitBreak:
				return exitNormal
			case exitReturn:
				return l
			}
			if step != nil {
				step(r)
			}
		}
		return exitNormal
	}
}

func (p *parser) switchStatement() stmt {
	p.expect("(")
	of := p.expression()
	p.expect(")")
	p.expect("{")
	type branch struct {
		when expr // nil for default
		do   stmt
	}
	var branches []branch
	for !p.take("}") {
		var b branch
		if !p.take("default") {
			p.expect("case")
			b.when = p.expression()
		}
		p.expect(":")
		b.do = p.block("case", "default", "}")
		branches = append(branches, b)
	}
	return func(r *frame) exit {
		v := of(r)
		from := slices.IndexFunc(branches, func(b branch) bool { return b.when != nil && equal(b.when(r), v) })
		if from < 0 {
			from = slices.IndexFunc(branches, func(b branch) bool { return b.when == nil })
		}
		if from < 0 {
			return exitNormal
		}
		for _, b := range branches[from:] {
			switch l := b.do(r); l {
			case exitBreak:
				return exitNormal
			case exitReturn, exitContinue:
				return l
			}
		}
		return exitNormal
	}
}

// function parses a function after its keyword and its name.
func (p *parser) function() expr {
	var params []string
	p.expect("(")
	for !p.take(")") {
		params = append(params, p.name())
		p.take(",")
	}
	body := p.braced()
	return func(r *frame) Value { return r.closure(params, body) }
}

// doWhile parses a do statement after its keyword.
func (p *parser) doWhile() stmt {
	body := p.statement()
	p.expect("while")
	p.expect("(")
	cond := p.expression()
	p.expect(")")
	p.take(";")
	return func(r *frame) exit {
		for {
			r.count()
			switch l := body(r); l {
			case exitBreak:
				return exitNormal
			case exitReturn:
				return l
			}
			if !True(cond(r)) {
				return exitNormal
			}
		}
	}
}

// tryCatch parses a try statement after its keyword. Its catch block cannot refer to the error.
func (p *parser) tryCatch() stmt {
	body := p.braced()
	p.expect("catch")
	p.expect("(")
	p.name()
	p.expect(")")
	caught := p.braced()
	return func(r *frame) (l exit) {
		if r.machine.Do(func() { l = body(r) }) != nil {
			return caught(r)
		}
		return l
	}
}
