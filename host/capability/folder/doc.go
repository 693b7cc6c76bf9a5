// Package folder stores one document in a folder of the user: many files that are read together and written together,
// while an editor or another host may change them.
//
// # Notes
//   - All access goes through the folder's descriptor, one path element at a time. Symbolic links are never followed, not
//     even within the folder.
//   - A save is all or nothing. It writes and syncs temporary files beside their targets, compares the files to be
//     replaced with what the document was made from, and then syncs one record of the save. A failure before that leaves
//     everything as it was. After that the save only goes forward: at once, or when a host next saves the folder. Until
//     then the folder is read as if the save had gone forward, and a read changes nothing.
//   - The record lies in the folder (in the marker's folder, if there is one) and not with the host's journals: the next
//     host must find it, whatever its configuration and wherever the folder was moved. It counts only with a checksum by
//     the user's key, which is in no folder: a record that came with an archive or a repository is named and left alone.
//     Its name depends on the key, so that it is in nobody's way. It must also satisfy the rules of any save.
//   - A file is replaced by exchanging it with the temporary one, whose content is checked before it is removed. So an
//     edit between the comparison and the exchange is found and put back. Without renameat2 or the like (Windows, some
//     network file systems) the exchange is a rename, and an edit in those microseconds is lost. On every system, data is
//     lost that a program writes, without truncating, through a descriptor that it opened before the exchange, after the
//     check.
//   - If a save that goes forward finds a file that is neither in the old nor in the new state, that file stays. The
//     save's version is stored in the marker's folder, and the [Conflict] names both. If two edits meet the save, the
//     exchange may have moved one of them away: then that one is stored, beside the file.
//   - The lock is held only for a save or a look. Two hosts on one folder work like a host and an editor: each sees the
//     other's changes through [Folder.Changed], and a save from an outdated view is refused. The lock makes sure that they
//     see complete saves.
//   - There are no file notifications. A look compares the size, times and inode of each file, and the content of files
//     that changed so recently that another change might not show.
package folder
