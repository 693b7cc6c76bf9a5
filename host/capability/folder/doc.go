// Package folder stores one document in a folder of the user's: many files that
// are read together and written together, while an editor or another host
// changes them, too.
//
// # Notes
//
//   - Everything is reached through the folder's own descriptor, one element of a
//     path at a time, and symbolic links are never followed: neither out of the
//     folder nor within it.
//   - A save is all or nothing. Temporary files are written and synced beside
//     their targets; the files to be replaced are compared with what the document
//     was made from; then one record of the save is synced. Until then a failure
//     leaves everything as it was. From then on the save only goes forward: by
//     itself, or when a host next opens, reads or saves the folder.
//   - The record lies in the folder (in the marker's, where there is one) and not
//     beside the host's journal: the next host to open the folder has to find it,
//     whatever its configuration and wherever the folder was moved. What it says is
//     held to the rules of any save, so a record that came with somebody's archive
//     writes nothing that its files could not have held.
//   - A file is replaced by exchanging it with the temporary one, and what was
//     there is looked at before it goes. So an edit that somebody made between the
//     comparison and the exchange is found and put back. Without renameat2 or
//     its like (Windows, some network file systems) the exchange is a rename, and
//     an edit in these microseconds is lost. So is, on every system, what a program
//     writes through a descriptor that it opened before the exchange, without
//     truncating, after the file was looked at.
//   - Where a save that goes forward meets a file that is neither as before nor as
//     after, that file stays. The save's own version is kept in the marker's folder,
//     and the [Conflict] names both.
//   - Nobody is locked out for longer than a save or a look takes. Two hosts use
//     one folder as a host and an editor do: each sees in [Folder.Changed] what the
//     other did, and a save from an outdated view is refused. The lock makes them
//     see whole saves alone.
//   - Nothing waits for notifications of the system. A look compares size, times
//     and inode of each file; one that changed so recently that a second change
//     might not show is compared by content.
package folder
