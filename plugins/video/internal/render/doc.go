// Package render turns a Project, plain data, into what makes a film of it: the arguments, the filter graph and the
// text files of one run of ffmpeg (Build, Frame, Sheet), and files for other programs (Export).
//
// It is pure: the same project gives the same bytes. It reads no files and knows no paths. Inputs are named {in:N},
// which the host replaces, and no text of the user is in an argument or in the graph.
//
//   - Times on the timeline are whole frames of the project, times in a source are rational seconds.
//   - A transition of d frames overlaps two clips: the second starts d frames before the first ends, and the timeline is d frames shorter
//     than the sum of its clips. A clip's Frames counts all its frames, including the overlaps.
//   - Each clip has its own input, even if two show the same medium. One input that is read at two places would have to be kept in
//     memory in between.
package render
