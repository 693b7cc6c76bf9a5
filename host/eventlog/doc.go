// Package eventlog keeps one document's history: a linear log of ops with a cursor, undo and redo over it, and named
// checkpoints. It is pure and knows nothing of what an event means.
//
// # Notes
//
//   - One [Entry] per op. Its events hang under it, so undo takes back what the user said, whatever number of events it
//     took.
//   - Staging is the caller's: collect the entries of a call, and [Log.Append] them once the whole call has succeeded.
//   - Moving the cursor takes two steps, because the domain in between may fail: a Plan method says which entries to
//     reverse or replay and moves nothing; [Log.Commit] moves the cursor when that is done.
//   - A checkpoint is a name for a cursor. It takes no place between the entries, which is how undo, redo, history and
//     recent skip it without counting it; like an append, it cuts the redo tail.
//   - A Log is not safe for concurrent use. It keeps the slices it is given, and hands out its own: treat both as
//     read-only.
package eventlog
