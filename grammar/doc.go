// Package grammar turns text into tokens, ops, selectors, session actions and queries.
//
// It is pure: no I/O, no clock, no state. It knows which texts are well formed, not which verbs, parameters or
// selectors exist; a domain extends the grammar only through [Rules].
//
// # Notes
//
//   - Separators are space, tab, CR and LF. Everything else is text, NBSP included.
//   - A quote opens at the start of a token, or right after a colon that ends a chain of keys: key:"…", @group:"…",
//     @not:group:"…", near:db:"…". Anywhere else it is a plain character, so don't is one word. A token has at most one
//     quoted part, and text after its closing quote continues the token.
//   - Quoted text is never a verb, a parameter's key, a selector or an arrow.
//   - Invalid UTF-8 is read as if each run of invalid bytes were U+FFFD, in Raw as well, so that whatever leaves this
//     package is valid UTF-8.
//   - A query is read leniently: what would be a malformed selector in an op is a plain word in it.
package grammar
