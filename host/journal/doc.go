// Package journal keeps records on disk so that they survive the host: a
// process that is killed, a full disk, a write that is cut off in the middle.
// It is storage alone; what a record means is its caller's business.
//
// # Notes
//
//   - One file for each document, locked by the host that owns it, so several
//     hosts use one folder without ever waiting for each other. The lock goes
//     with the process, however that ends: a file nobody has locked was left
//     behind, and [Dir.Left] lists it.
//   - A record is on the disk when [File.Append] returns, or it is not in the
//     file: a failed append is taken back.
//   - Each record's checksum (CRC32C) covers the checksum of the one before it,
//     so a file can end early, but it cannot lack a record in the middle, nor
//     hold one of another file, without that being noticed.
//   - Files appear under their name whole, with their first records, and are
//     replaced whole ([File.Rewrite]); only appends can be torn.
package journal
