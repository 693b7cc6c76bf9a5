// Package song is the model of the midi domain: the events of a Standard MIDI File in
// absolute ticks, with ids, pairs of note-on and note-off, and lookups derived from
// them. The events are not translated to another form: Save writes them as they are.
//
// The model changes only through the edits of this package (Insert, Remove, Set, Move,
// Shift, AddTrack, DropTrack, MoveTrack, SetHeader, LoadFont), each exactly undoable.
// Time is always in ticks; bars, beats and seconds are computed from the signature and
// tempo events on demand.
package song
