package document

import (
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/resource"
)

// A program may not write a file that its own call reads, even though the edit is not kept yet.
func TestWhatACallNamesIsAFileOfTheDocument(t *testing.T) {
	d := &Document{}
	d.named = map[string]string{"a.mp4": "/films/a.mp4"}
	d.resolved = []resource.Resolved{
		{Path: "/films/b.mp4", Supply: &abi.Supply{}},
		{Path: "/films/c.mp4", Supply: &abi.Supply{}, No: &abi.Error{Message: "no"}},
	}
	for path, want := range map[string]bool{"/films/a.mp4": true, "/films/b.mp4": true, "/films/c.mp4": false, "/films/d.mp4": false} {
		if d.uses(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}
