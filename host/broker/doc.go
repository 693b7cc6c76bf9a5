// Package broker stands between domains and the world. A manifest says what a
// domain wants, a person grants it, and the broker does what is asked for within
// that: it is the one place where both are held against each other.
//
// A grant names one want of one domain (KIND:NAME). It comes from the command line,
// from the configuration, from the file that `fcp-host grants` writes, or, for the
// rest of this run, from the user whom the client asks.
//
// # Notes
//
//   - The order of these is their rank: what the configuration narrows stays narrow
//     when a flag grants the same want.
//   - A want with variables is never granted by a question in the client: who answers
//     there may not be who owns the secret.
//   - A grant of the file holds for one module, by its sha256, for one origin, and for
//     the variables it names. Whatever of these changes has to be granted anew.
//   - Values of variables are looked up at each use, so that a rotated key works without
//     a restart. They never appear in a text of this package.
package broker
