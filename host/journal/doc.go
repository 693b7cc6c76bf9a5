// Package journal keeps records on disk such that they survive the host's death, a full disk and interrupted writes. It
// does not know what the records mean.
//
// # Notes
//
//   - There is one file per document, locked by the host that owns it, so several hosts can use one
//     folder without waiting for each other. The lock ends with the process: an unlocked file is a
//     leftover, and [Dir.Left] lists it.
//   - When [File.Append] returns, the record is either on the disk or, after an error, removed again.
//   - A record's head has its own checksum, which also covers its number and the file's salt; its data
//     has another one. So a file that ends early can be told from a damaged one, a missing record or
//     one of another file is noticed unless it is at the end, and the records after a damaged one are
//     found (see [Contents]), even after a damaged header.
//   - A damaged file is never written to: the first Rewrite keeps it under another name.
//   - Files get their name only when they are complete, and are replaced as a whole ([File.Rewrite]).
//     Only an append can be cut off.
package journal
