// Package smf reads and writes Standard MIDI Files without losing a byte.
//
// The codec is our own because byte identity is the promise of this domain:
// what Parse accepts, File.Encode writes back exactly, and after an edit
// everything that was not edited is still written as it was. The libraries at
// hand normalise on the way through: running status, padded variable-length
// quantities, wrong chunk lengths, foreign chunks, header extensions and what
// follows an end-of-track event are gone after one round trip. Here each of
// them is a field, and Encode is a pure function of the fields.
//
// The package knows chunks, delta times and messages. It does not know notes,
// bars or names.
package smf
