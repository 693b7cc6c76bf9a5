package main

import "strings"

// selected is patched in the built module: what stands between "bug=" and the
// first dot is the way to misbehave.
var selected = "bug=none................"

func bug(name string) bool {
	b, _, _ := strings.Cut(strings.TrimPrefix(selected, "bug="), ".")
	return b == name
}
