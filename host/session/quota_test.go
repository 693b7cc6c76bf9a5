package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/budget"
)

// When one session closes a document, another session of the same owner may open one.
func TestAQuotaHoldsOverAllSessionsOfAnOwner(t *testing.T) {
	e := newLeftoverFolder(t)
	a, b, other := e.clientOf(t, "ann"), e.clientOf(t, "ann"), e.clientOf(t, "bob")
	a.Quota = budget.New(2)
	b.Quota = a.Quota
	other.Quota = budget.New(2)
	made := func(c *client, action string, may bool) {
		t.Helper()
		r := c.act(action)
		if r.Failed == may || !may && !strings.Contains(r.String(), "2 documents open in all your sessions") {
			t.Errorf("%s: %s", action, r)
		}
	}
	made(a, "new One as:one", true)
	made(b, "new Two as:two", true)
	made(b, "new Three as:three", false)
	made(other, "new Three as:three", true)
	a.act("close")
	made(b, "new Three as:three", true)
	b.act("close")
	if err := os.WriteFile(filepath.Join(e.folder, "broken.list"), []byte("this is none"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if r := a.act("open broken.list"); !r.Failed || !strings.Contains(r.String(), "cannot open") {
			t.Error(r)
		}
	}
	made(a, "new Four as:four", true) // what failed does not count
	b.Close()
	made(a, "new Five as:five", true)
}
