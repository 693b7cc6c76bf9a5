package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/journal"
)

// Unsaved work is removed only at a start after one that showed it with its date; saved work is removed silently.
func TestUnsavedWorkExpiresOnlyAfterItWasListed(t *testing.T) {
	const day = 24 * time.Hour
	limits := journal.Limits{Age: 30 * day}
	for _, by := range []string{"status", "recover"} {
		e := newLeftoverFolder(t)
		c := e.clientOf(t, "")
		c.act(`new "Young"`)
		c.edit("add one")
		young := e.age(t, "*.journal", 0)[0]
		for i := range 5 { // more than one reply warns of
			c.act(fmt.Sprintf(`new "Old %d"`, i))
			c.edit("add one")
		}
		c.Close()
		e.age(t, "*.journal", 31*day)
		e.age(t, young, 0)
		const dropped = "dropped at the next start unless it is recovered"
		const warning = "was left more than 30 days ago: the next start of fcp-host removes it, unless recover "
		// However often the host starts, nothing is removed that was not shown.
		for range 2 {
			e.restart(t, limits)
			if left, err := document.NewShelf(e.dir).Look(ctx); err != nil || len(left) != 6 {
				t.Fatalf("%s: there are %d, %v", by, len(left), err)
			}
		}
		c = e.clientOf(t, "")
		text := c.act(by).String()
		at := time.Now().Add(-31 * day).UTC().Format(time.DateOnly)
		shown := strings.Count(text, warning)
		if by == "recover" {
			shown = strings.Count(text, dropped)
			if !strings.Contains(text, at) {
				t.Errorf("recover does not give the date %s: %s", at, text)
			}
		} else if !strings.Contains(text, ", last changed "+at) {
			t.Errorf("status does not give the date %s: %s", at, text)
		}
		if want := map[string]int{"status": maxWarned, "recover": 5}[by]; shown != want {
			t.Errorf("%s shows %d that expire, want %d: %s", by, shown, want, text)
		}
		if left, err := document.NewShelf(e.dir).Look(ctx); err != nil || len(left) != 6 {
			t.Errorf("%s: they went at the start that showed them: %d, %v", by, len(left), err)
		}
		// A recovered one stays, even if it is left unchanged.
		if by == "recover" {
			c.ok(c.act("recover 2"))
			shown--
		}
		c.Close()
		e.age(t, "*.listed", time.Hour) // the clock of files is coarse
		e.restart(t, limits)
		c = e.clientOf(t, "")
		text = c.act("recover").String()
		if n := strings.Count(text, "unsaved changes"); n != 6-shown || !strings.Contains(text, `"Young"`) {
			t.Errorf("%s: after the next start there are %d, want %d: %s", by, n, 6-shown, text)
		}
		if n := len(e.age(t, "*.listed", 0)); n != 5-shown-map[string]int{"recover": 1}[by] {
			t.Errorf("%s: %d are noted as shown", by, n)
		}
	}
}

func TestSavedWorkExpiresSilently(t *testing.T) {
	e := newLeftoverFolder(t)
	c := e.clientOf(t, "")
	c.act(`new "Saved"`)
	c.edit("add one")
	c.ok(c.act("save as:./a.list"))
	file := filepath.Join(e.dir.Path(), e.age(t, "*.journal", 0)[0])
	read := func() []byte {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	saved := read()
	c.edit("add two")
	bad := read()
	bad[len(bad)-1] ^= 1 // saved, as far as it can be read
	c.Close()
	// A killed host leaves both.
	for name, data := range map[string][]byte{file: saved, filepath.Join(e.dir.Path(), "bad.journal"): bad} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e.age(t, "*.journal", 31*24*time.Hour)
	e.restart(t, journal.Limits{})
	c = e.clientOf(t, "")
	text := c.act("status").String()
	// The last content of a damaged one is unknown.
	if left := e.age(t, "*.journal", 0); strings.Join(left, " ") != "bad.journal" || !strings.Contains(text, `"Saved", last changed `) {
		t.Errorf("left are %v: %s", left, text)
	}
}
