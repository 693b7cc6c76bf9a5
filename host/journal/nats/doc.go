// Package nats keeps the journals of documents in NATS JetStream (server 2.10 or later), so that several hosts on several machines
// share them.
//
// # Notes
//
//   - Each journal is a stream. What is written at once, a record or all of a rewritten journal, is a unit: one message, or several
//     where it is larger than a message may be. A unit whose last message is missing is none. One that begins the journal anew makes
//     all before it void, which is then purged.
//   - The stream's last sequence is the fencing number: each message is published with the condition that it follows the last one its
//     host knows of. Whoever takes a journal publishes a message first, so what a host sends that was thought dead is refused, whenever
//     it arrives.
//   - A lease is a key in a bucket whose keys the server forgets after some time: its clock alone counts. It only keeps hosts from
//     taking what another one uses; that nobody else writes does not depend on it.
//   - A message that is sent again, because the answer was lost, is refused as it does not follow the last one: that is the message itself.
//   - A server that has acknowledged a message has it in its file, but asks the disk for it every two minutes by default: a single
//     server should have `sync_interval: always`, several of them replicate (Options.Replicas).
package nats
