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
//   - A record's head has a checksum of its own, which covers its number and the
//     file it belongs to, and its data another one. So a file that just ends
//     early is told from one that is damaged, no record but the last ones can be
//     missing or come from another file unnoticed, and what lies behind a damaged
//     one is found (see [Contents]). So are all records behind a damaged header.
//   - A damaged file is never written to: the first Rewrite keeps it under
//     another name.
//   - Files appear under their name whole, with their first records, and are
//     replaced whole ([File.Rewrite]); only appends can be torn.
package journal
