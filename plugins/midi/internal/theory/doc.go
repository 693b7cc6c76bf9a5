// Package theory is what musicians know, as plain functions and tables:
// pitches and their names, keys, chords, dynamics, the General MIDI
// instruments, drums and controllers. It knows no ticks and no files.
package theory
