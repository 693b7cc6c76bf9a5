//go:build race

package testwasm

// Raced tells a build with the race detector, in which everything takes ten
// times as long.
const Raced = true
