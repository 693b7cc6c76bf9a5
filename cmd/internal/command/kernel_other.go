//go:build !linux

package command

// kernel is not named here.
func kernel() string { return "" }
