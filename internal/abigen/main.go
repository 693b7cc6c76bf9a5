// Command abigen generates the codec of messages of package abi, and of the structs in them, from struct tags:
//
//	cd abi && go run ../internal/abigen ApplyRequest ApplyResponse …
//
// `go generate ./abi` runs it.
package main

import (
	"fmt"
	"os"
)

func main() {
	source, err := generate(".", os.Args[1:])
	if err == nil {
		err = os.WriteFile(output, source, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "abigen:", err)
		os.Exit(1)
	}
}
