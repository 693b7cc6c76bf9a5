//go:build !linux

package command

// kernel returns "": the version is printed on Linux only.
func kernel() string { return "" }
