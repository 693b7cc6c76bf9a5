// Package ends ends a tool of this repository at its first error, so that its steps need not pass errors on.
package ends

import (
	"fmt"
	"os"
)

// failure is the panic by which a tool ends.
type failure struct{ error }

// If ends the tool after an error.
func If(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// In ends the tool after an error of what it names.
func In(what string, err error) {
	if err != nil {
		If(fmt.Errorf("%s: %w", what, err))
	}
}

// Unless returns a value, or ends the tool after an error.
func Unless[T any](v T, err error) T {
	If(err)
	return v
}

// Main runs a tool. After an error it prints that on stderr, once what the tool deferred is done, and exits.
func Main(name string, run func()) {
	if err := Caught(run); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Caught runs a part of a tool and returns the error that ended it.
func Caught(run func()) (err error) {
	defer func() {
		failed := recover()
		if f, ok := failed.(failure); ok {
			err = f.error
		} else if failed != nil {
			panic(failed)
		}
	}()
	run()
	return nil
}
