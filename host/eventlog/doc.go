// Package eventlog keeps one document's history: a linear log of ops with a cursor, undo and redo over it, and named
// checkpoints. It does no I/O and does not interpret events.
//
// # Notes
//   - An [Entry] is one op with its events, so undo takes back whole ops, however many events they have.
//   - The caller stages: it collects the entries of a call and [Log.Append]s them once the whole call has succeeded.
//   - Moving the cursor takes two steps, because the domain may fail in between: a Plan method returns the entries to
//     reverse or replay and moves nothing; [Log.Commit] then moves the cursor.
//   - A checkpoint names a cursor position. It is not an entry, so undo, redo, history and recent never count it; like an
//     append, it cuts the redo tail.
//   - A Log is not safe for concurrent use. It keeps the slices it is given and returns its own: treat both as read-only.
package eventlog
