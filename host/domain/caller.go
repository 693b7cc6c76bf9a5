package domain

import "context"

// A Confirmer asks the user behind a call for consent: question says to what, and yes is the label of the answer that
// gives it. asked is false if the user could not be asked.
type Confirmer func(ctx context.Context, question, yes string) (granted, asked bool)

type confirmerKey struct{}

// WithConfirmer returns a context whose calls ask the user through c; nil if nobody can be asked.
func WithConfirmer(ctx context.Context, c Confirmer) context.Context {
	return context.WithValue(ctx, confirmerKey{}, c)
}

// Confirm asks the user of the call through its Confirmer. Without one it returns false, false.
func Confirm(ctx context.Context, question, yes string) (granted, asked bool) {
	if c, _ := ctx.Value(confirmerKey{}).(Confirmer); c != nil {
		return c(ctx, question, yes)
	}
	return false, false
}
