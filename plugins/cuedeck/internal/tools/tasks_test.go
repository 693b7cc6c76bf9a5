package tools

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func open(t *testing.T, card string) *pdktest.Doc {
	t.Helper()
	return pdktest.OpenFolder(t, Domain(), map[string]string{".cuedeck/cards/aaaa01.md": card}, &pdktest.World{Now: 1767349800000})
}

// The contract's schema allows additional keys.
func TestUpdateTaskNamesUnknownKeys(t *testing.T) {
	for args, want := range map[string]string{
		`{"title": "x"}`:                       `"updated_fields":[],"ignored_fields":["title"]`,
		`{"status": "done", "Notes": "x"}`:     `"updated_fields":["status"],"ignored_fields":["Notes"]`,
		`{"status": "done", "assignee": "@a"}`: `"updated_fields":["status","assignee"]}`,
	} {
		if got := open(t, "---\ntitle: A\nstatus: todo\n---\n").Tool("update_task", `{"id": "aaaa01", "updates": `+args+`}`); !strings.Contains(got, want) {
			t.Errorf("%s gives %s, want %s", args, got, want)
		}
	}
}

func TestUneditableCardsAreRefusedWithACode(t *testing.T) {
	for _, updates := range []string{`{"status": "done"}`, `{"notes": "x"}`} {
		e := open(t, "---\n{title: A, status: todo}\n---\n").ToolFails("update_task", `{"id": "aaaa01", "updates": `+updates+`}`, "Invalid params: id: .cuedeck/cards/aaaa01.md: its front matter")
		if e.Code != invalidParams || !strings.Contains(string(e.Data), `"field":"id"`) {
			t.Errorf("%d %s", e.Code, e.Data)
		}
	}
}
