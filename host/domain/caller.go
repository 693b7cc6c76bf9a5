package domain

import "context"

// A Confirmer asks the user of a call whether something may be done: question says what, and yes what an assent means. It
// reports whether the user could be asked.
type Confirmer func(ctx context.Context, question, yes string) (granted, asked bool)

type confirmerKey struct{}

// WithConfirmer gives the calls of ctx somebody who can be asked; nil for nobody.
func WithConfirmer(ctx context.Context, c Confirmer) context.Context {
	return context.WithValue(ctx, confirmerKey{}, c)
}

// Confirm asks the user of the call.
func Confirm(ctx context.Context, question, yes string) (granted, asked bool) {
	if c, _ := ctx.Value(confirmerKey{}).(Confirmer); c != nil {
		return c(ctx, question, yes)
	}
	return false, false
}
