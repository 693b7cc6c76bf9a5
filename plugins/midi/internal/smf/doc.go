// Package smf reads and writes Standard MIDI Files without losing a byte.
//
// The codec is our own because this domain promises byte identity: File.Encode writes
// what Parse accepted back exactly, and after an edit everything else is still written
// as it was. Existing libraries normalise: one round trip loses running status, padded
// variable-length quantities, wrong chunk lengths, unknown chunks, header extensions
// and what follows an end-of-track event. Here each of them is a field, and Encode is a
// pure function of the fields.
//
// The package knows chunks, delta times and messages. It does not know notes,
// bars or names.
package smf
