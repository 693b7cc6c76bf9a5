package deck

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// now is the time of every call of tests.
const now = 1767349800000 // 2026-01-02T10:30:00Z

func world() *pdktest.World { return &pdktest.World{Now: now} }

func TestThin(t *testing.T) {
	doc := pdktest.OpenFolder(t, Domain(), nil, world())
	reply := doc.Do(`add card "Set up the build"`, `add card "Write the login page" priority:high assignee:@dev tags:auth,web depends:"Set up the build"`, `modify "set up" status:active`)
	t.Log(reply)
	t.Log(doc.Query("list"), doc.Digest())
	for name, text := range doc.Files() {
		t.Logf("%s\n%s", name, text)
	}
	doc.Fail(`modify "set up" depends:"Write the login page"`, "→")
	if !strings.Contains(reply, "+ ") {
		t.Error(reply)
	}
}
