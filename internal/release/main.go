// Command release makes the parts of a release that goreleaser does not. make release runs it.
//
//	go run ./internal/release notices FILE   the licences of everything in the binary
//	go run ./internal/release pack DIST OUT  from goreleaser's output in DIST: packages for npm, Claude Desktop, Homebrew
//	                                         and containers, bills of materials and checksums
//	go run ./internal/release vulnerabilities FILE CMD…
//	                                         the result of govulncheck, run as CMD, in FILE; fails unless it found nothing
//	go run ./internal/release tag vX.Y.Z     a commit outside of the branch that contains the built domains, with this tag
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/fcp-host/fcp-host/internal/ends"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "notices":
		return writeNotices(args[1])
	case len(args) == 3 && args[0] == "pack":
		return ends.Caught(func() { pack(args[1], args[2]) })
	case len(args) > 2 && args[0] == "vulnerabilities":
		return checkVulnerabilities(args[1], args[2:])
	case len(args) == 2 && args[0] == "tag":
		return tag(".", args[1], "cmd/internal/command/builtin/domains.zip")
	}
	return errors.New("usage: release notices FILE | pack DIST OUT | vulnerabilities FILE CMD… | tag vX.Y.Z")
}
