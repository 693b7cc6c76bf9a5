// Package render turns a Project, plain data, into what makes a film of it: the arguments, the filter graph and the text files of
// one run of ffmpeg (Build, Frame, Sheet), and files that other programs read (Export).
//
// It is pure: the same project gives the same bytes. Nothing here reads a file or knows where one is; inputs are named {in:N}, as
// the host's programs have it, and no text of the user's lies in an argument or in the graph.
//
// # Notes
//
//   - Places and lengths on the timeline are whole frames of the project, places in a source are rational seconds.
//   - A transition of d frames between two clips overlaps them: the second begins d frames before the first ends, and the timeline is
//     d frames shorter than the sum of its clips. A clip's Frames counts all that is seen of it, the overlaps too.
//   - Each clip has its own input, even where two are of the same medium: one that is read twice at different places would have to
//     be kept in memory between them.
package render
