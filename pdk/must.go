package pdk

// refused ends a verb or a query in the middle of a function that it calls.
type refused struct{ err error }

// Check ends the op or the query with an error, unless it is nil. It is for verbs and queries, and for functions that only they
// call: what reads a word of an op or edits the document, and has nothing to tidy up.
func Check(err error) {
	if err != nil {
		end(err)
	}
}

// end is not part of Check so that callers, in which Check is inlined, stay small.
//
//go:noinline
func end(err error) { panic(refused{err}) }

// Must returns v. An error ends the op or the query, as by Check.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// Must2 is Must for two values.
func Must2[T, U any](v T, w U, err error) (T, U) {
	Check(err)
	return v, w
}

// Catch calls f and returns the error with which it returned or ended, for callers that do something about the error.
func Catch(f func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case refused:
			err = p.err
		default:
			panic(p)
		}
	}()
	return f()
}
