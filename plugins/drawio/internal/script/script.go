// Package script runs the part of JavaScript that draw.io's shapes are written in: functions and prototypes, numbers,
// strings and arrays, the usual statements and operators. It has no regular expressions, throw, getters or for … in, and
// nothing of a browser: a program can reach only what its machine was given.
//
// # Notes
//
// null and undefined are the same value, and == and === are the same operator. Strings are bytes. A variable belongs to
// its function, but is undefined until its declaration runs. Any error ends the program, and so does running too many
// steps.
package script

import "fmt"

// Failure is the reason why a program was ended.
type Failure string

func (f Failure) Error() string { return string(f) }

// Machine runs programs that share global names. It is not safe for concurrent use.
type Machine struct {
	globals *env
	// Steps is how many more statements, iterations and calls may run.
	Steps int
	depth int
}

// New makes a machine with the given global names.
func New(globals map[string]Value) *Machine { return &Machine{globals: &env{vars: globals}} }

// Run runs a program.
func (m *Machine) Run(src string) error {
	list, err := tokens(src)
	if err != nil {
		return err
	}
	return m.Do(func() {
		p := &parser{tokens: list}
		body := p.block()
		if p.peek().kind != end {
			p.fail("want a statement")
		}
		body(&frame{env: m.globals, machine: m})
	})
}

// Do calls f, which may call into a program, and returns the error that ended the program.
func (m *Machine) Do(f func()) (err error) {
	depth := m.depth
	defer func() {
		m.depth = depth
		switch r := recover().(type) {
		case nil:
		case Failure:
			err = r
		default:
			panic(fmt.Sprint(r)) // a fault of this package, not of the program
		}
	}()
	f()
	return nil
}

// env holds the variables of a function call, and its enclosing scope.
type env struct {
	vars   map[string]Value
	around *env
}

func (e *env) get(n string) Value {
	for ; e != nil; e = e.around {
		if v, ok := e.vars[n]; ok {
			return v
		}
	}
	return nil
}

func (e *env) set(n string, v Value) {
	for at := e; at != nil; at = at.around {
		if _, ok := at.vars[n]; ok || at.around == nil {
			at.vars[n] = v
			return
		}
	}
}

// exit says how a statement ended.
type exit byte

const (
	exitNormal exit = iota
	exitBreak
	exitContinue
	exitReturn
)

// frame is a call of a function.
type frame struct {
	env     *env
	this    Value
	result  Value
	machine *Machine
}

// maxDepth limits nested calls, and nesting in a source.
const maxDepth = 100

func (r *frame) count() {
	if r.machine.Steps--; r.machine.Steps < 0 {
		panic(Failure("the program takes too many steps"))
	}
}

// closure makes a function.
func (r *frame) closure(params []string, body stmt) Value {
	around, m := r.env, r.machine
	return NewFunc(func(this Value, args []Value) Value {
		if m.depth++; m.depth > maxDepth {
			panic(Failure("the calls are too deep"))
		}
		inner := &frame{env: &env{vars: make(map[string]Value, len(params)+4), around: around}, this: this, machine: m}
		for i, n := range params {
			inner.env.vars[n] = Arg(args, i)
		}
		body(inner)
		m.depth--
		return inner.result
	})
}
