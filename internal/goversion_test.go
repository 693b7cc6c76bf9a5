package internal

import (
	"go/version"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The host confines paths by os.Root, which a link could leave before Go 1.26.5.
func TestAllPagesAskForAGoWhoseRootsHold(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	least := regexp.MustCompile(`(?m)^go (\S+)`).FindStringSubmatch(read("go.mod"))[1]
	if version.Compare("go"+least, "go1.26.5") < 0 {
		t.Errorf("go.mod takes Go %s", least)
	}
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "docs/authoring.md", "sdk/sdk.go", "sdk/shared/ci.yml", "internal/toy/toy.go", ".ci/run"} {
		if !strings.Contains(read(name), least) {
			t.Errorf("%s does not ask for Go %s", name, least)
		}
	}
	image := regexp.MustCompile(`(?m)^FROM golang:(\S+)`).FindStringSubmatch(read("deploy/cluster/Dockerfile"))[1]
	if version.Compare("go"+image, "go"+least) < 0 {
		t.Errorf("the Dockerfile builds with Go %s", image)
	}
}
