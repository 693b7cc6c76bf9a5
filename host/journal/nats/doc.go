// Package nats keeps the journals of documents in NATS JetStream (server 2.10 or later), so that hosts on several
// machines share them.
//
// # Notes
//
//   - Each journal is a stream. What is written at once (a record, or all of a rewritten journal) is a unit: one message, or several if it
//     exceeds the maximum message size. A unit without its last message does not count. A unit that rewrites the journal makes
//     everything before it void, which is then purged.
//   - The stream's last sequence number is the fencing token: each message is published on the condition that it follows the last one that
//     its host knows of. A host that takes a journal publishes a message first, so a message of a host that was believed dead is refused,
//     whenever it arrives.
//   - A lease is a key in a bucket whose keys the server expires, so that only the server's clock counts. It merely keeps hosts from
//     taking a journal that is in use; that nobody else writes does not depend on it.
//   - If the answer to a message is lost, it is sent again. The server refuses the second one, since it does not follow the last message,
//     which is the first one.
//   - A server that has acknowledged a message has written it to its file, but by default syncs that only every two minutes: a single
//     server should have `sync_interval: always`; several replicate the message (Options.Replicas).
package nats
