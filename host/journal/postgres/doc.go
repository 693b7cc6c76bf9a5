// Package postgres keeps the journals of documents in a PostgreSQL database (9.5 or later), so that hosts on several
// machines share them.
//
// # Notes
//
//   - There is a table of journals and a table of their records, which [Open] makes. A journal's row says who owns it until when (a
//     lease), and has a fencing number that grows with each owner. Whatever an owner writes is one statement or transaction on the
//     condition that the number is still its own, so a host that was believed dead cannot write, whenever its statement arrives.
//   - Only the database's clock counts. An expired lease can be renewed as long as nobody has taken the journal.
//   - A record's key is its position (generation, number), so that a record that was sent twice because an answer was lost exists once.
//     If it is unknown at the end of the wait whether a record was stored, the journal is in doubt ([journal.Journal.Broken]): a Rewrite
//     then begins another generation, to which that record does not belong.
package postgres
