// Package program runs programs of the system, such as ffmpeg, for domains. What a program is given may be made to take it over (a
// filter loads a library that posed as a sound), so it is treated as arbitrary native code: it runs in a cage that holds alone.
//
// A Run names a program, its arguments, files to read and files to write. Start makes a private folder in which the inputs are
// links named inN.EXT, the outputs are empty files named outN.EXT and texts lie under names of the caller's choice. The arguments say
// {in:N}, {out:N} and {file:NAME}: no path of the user reaches the program.
//
// The cage is this same binary, started with CageArg. It gives up all that the program has no use for and then becomes the program:
//
//   - Landlock leaves it the program and its libraries to execute, fonts to read, the inputs to read by the very inodes that the host
//     opened, the outputs to write. It can make, rename and remove nothing.
//   - seccomp leaves it the system calls of a worker, and those that open and look at files. There are no sockets, no signals to
//     others, and no second process: what is ended leaves nothing behind.
//   - It has no environment, no capabilities, limits of memory, time and file size, and no rights at all where the host is root.
//   - Where the system allows it, it has namespaces of its own and a root folder that holds the paths named here and nothing else.
//
// Jobs runs what takes long for sessions, two at once, and saves the outputs where the user's command said.
//
// # Notes
//
//   - Without Landlock (version 3, Linux 6.2) and seccomp nothing is run. The other layers are used where the system has them.
//   - The binary that imports this package must hand its process to RunCage when its first argument is CageArg.
//   - The program's name for an input is its descriptor, which the program inherits: to swap the file's path changes nothing.
//   - What a program reads, it can put into what it writes. The cage keeps it from everything else.
package program
