package main

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func folder() map[string]string {
	return map[string]string{"plan.md": "# The plan\n", "work/trip.md": "Intro\n# Trip\ntags: travel\n", "broken.md": "\xff"}
}

func TestAFolderIsEditedByNameAndTitle(t *testing.T) {
	doc := pdktest.OpenFolder(t, domain, folder())
	if got := strings.Join(doc.Warnings, "\n"); got != "broken.md is not a note: it is not UTF-8 text" {
		t.Errorf("warnings: %q", got)
	}
	doc.Do(`add "Shopping list" Milk`, "append shopping Eggs", "tag trip summer", "remove plan.md")
	files := doc.Files()
	if files["shopping-list.md"] != "# Shopping list\n\nMilk\nEggs\n" || files["work/trip.md"] != "Intro\n# Trip\ntags: summer travel\n" || len(files) != 3 {
		t.Errorf("the files are %q", files)
	}
	doc.Fail("remove sho", "give the full name")
	if got := doc.Tool("jot_note", `{"title":"Ideas","text":"None yet."}`); got != "noted Ideas" {
		t.Errorf("the tool says %q", got)
	}
	if got, want := doc.Query("map travel"), "work/trip.md: Trip summer travel"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A change by another program is noticed and can be undone.
func TestChangesByOtherProgramsCanBeUndone(t *testing.T) {
	doc := pdktest.OpenFolder(t, domain, folder())
	doc.Outside("plan.md", []byte("# A better plan\n"))
	doc.Do(`append "a better" Soon`)
	if got := doc.Files()["plan.md"]; got != "# A better plan\nSoon\n" {
		t.Errorf("plan.md is %q", got)
	}
	doc.Undo(2)
	if got := doc.Query("show plan.md"); got != "# The plan\n" {
		t.Errorf("plan.md is %q", got)
	}
}

func TestTheLaws(t *testing.T) {
	pdktest.Manifest(t, domain)
	pdktest.OpenFolder(t, domain, folder()).Laws(`add "One more" x`, "tag plan urgent", "tag plan urgent", "append trip z", "remove work/trip.md", "remove nothing")
	pdktest.OpenFolder(t, domain, nil).Laws("add first", "add second")
}
