// Package theory is music theory as plain functions and tables: pitches and their
// names, keys, chords, dynamics, the General MIDI instruments, drums and controllers.
// It does not depend on ticks or files.
package theory
