// Package song is the model of the midi domain: the events of a Standard MIDI
// File in absolute ticks, with ids, pairs of note-on and note-off, and lookups
// derived from them. Nothing is translated into another form and back: what
// Save writes are the events themselves.
//
// The model changes only through the edits of this package (Insert, Remove,
// Set, Move, Shift, AddTrack, DropTrack, MoveTrack, SetHeader, LoadFont), each
// exactly undoable. Time is ticks throughout; bars, beats and seconds are
// computed from the signature and tempo events when they are asked for.
package song
