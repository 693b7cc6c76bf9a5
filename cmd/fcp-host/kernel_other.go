//go:build !linux

package main

// kernel is not named here.
func kernel() string { return "" }
