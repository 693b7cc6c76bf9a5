// Package program runs programs of the system, such as ffmpeg, for domains. Crafted input may take over such a program
// (a filter may load a library that poses as a sound), so it is treated as arbitrary native code: its cage must hold
// without any cooperation.
//
// A Run names a program, its arguments, files to read and files to write. Start creates a private folder in which
// inputs are links named inN.EXT, outputs are empty files named outN.EXT, and texts have names of the caller's choice.
// Arguments refer to them as {in:N}, {out:N} and {file:NAME}: the program never sees a path of the user.
//
// The cage is this same binary, started with CageArg. It drops every right that the program does not need and then
// executes the program:
//   - Landlock allows it to execute the program and its libraries, to read fonts, to read exactly the inodes that the
//     host opened as inputs, and to write the outputs. It can create, rename and remove nothing.
//   - seccomp allows the system calls of a worker, and those that open and stat files. It has no sockets, cannot signal
//     other processes, and cannot start one: killing it leaves nothing behind.
//   - It has no environment and no capabilities, limits on memory, time and file size, and no rights even if the host is
//     root.
//   - If the system allows it, it has its own namespaces and a root folder that contains the paths named here and
//     nothing else.
//
// Jobs runs long work for sessions, two at once, and saves the outputs where the user's action said.
//
// # Notes
//   - Without Landlock (ABI version 3, Linux 6.2) and seccomp nothing runs. The other layers are used where the system
//     has them.
//   - A binary that imports this package must call RunCage if its first argument is CageArg.
//   - The program opens an input through an inherited descriptor, so replacing the file at the input's path has no
//     effect.
//   - A program can copy anything that it reads into its outputs. The cage keeps it from everything else.
package program
