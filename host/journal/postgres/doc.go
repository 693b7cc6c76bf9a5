// Package postgres keeps the journals of documents in a PostgreSQL database (9.5 or later), so that several hosts on several machines
// share them.
//
// # Notes
//
//   - A table of journals and a table of their records, which [Open] makes. A journal's row says who owns it until when (a lease), and
//     has a fencing number that grows with each owner. Whatever an owner writes is one statement or transaction with the condition that
//     the number still is its own, so a host that was thought dead writes nothing, whenever what it sent arrives.
//   - The database's clock alone counts. A lease that ran out is renewed as long as nobody has taken the journal.
//   - A record has its place (generation, number) as its key, so that one that was sent twice, because the answer was lost, is there
//     once. Of a record whose fate is not known when its time is over, the journal is in doubt ([journal.Journal.Broken]): a Rewrite
//     begins another generation, in which it has no place.
package postgres
