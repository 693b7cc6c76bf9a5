//go:build !race

package testwasm

// Raced reports a build with the race detector, which makes everything about ten times as slow.
const Raced = false
