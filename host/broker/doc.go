// Package broker stands between domains and the world. A manifest says what a domain wants, a person grants it, and the
// broker performs the requests that both allow. No other package checks requests against wants and grants.
//
// A grant names one want of one domain (KIND:NAME). It comes from the command line, the configuration, the file that
// `fcp-host grants` writes, or, for the rest of this run, from the user whom the client asks.
//
// # Notes
//   - Grants rank in this order: if the configuration narrows a want, a flag that grants the same want does not widen it.
//   - A want with variables is never granted by a question in the client: the person who answers may not own the secret.
//   - A grant in the file applies to one module, by its sha256, one origin, and the variables it names. If any of these
//     changes, it must be granted again.
//   - Variables are looked up at each use, so that a rotated key works without a restart. Their values never appear in a
//     text of this package.
package broker
