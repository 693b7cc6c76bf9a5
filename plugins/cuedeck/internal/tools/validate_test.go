package tools

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func TestAGraphWithCardsThatCannotBeReadIsNotValid(t *testing.T) {
	const head, conflict = "---\ntitle: ", "---\n<<<<<<< HEAD\ntitle: A\n=======\ntitle: B\n>>>>>>> other\ndepends_on: [aaaaa1]\n---\n"
	doc := pdktest.OpenFolder(t, Domain(), map[string]string{
		".cuedeck/cards/aaaaa1.md": head + "A\n---\n",
		".cuedeck/cards/bbbbb1.md": head + "a: b\ndepends_on: [aaaaa1]\n---\n",
		".cuedeck/cards/ccccc1.md": conflict,
		".cuedeck/cards/ddddd1.md": head + "D\ndepends_on: [eeeee1]\n---\n",
		".cuedeck/cards/eeeee1.md": head + "E\ndepends_on: [bbbbb1]\n---\n",
	}, &pdktest.World{Now: 1767349800000})
	const unknown = "Cannot be read, so their dependencies are unknown: "
	for args, want := range map[string]string{
		`{}`:               unknown + ".cuedeck/cards/bbbbb1.md, .cuedeck/cards/ccccc1.md",
		`{"id": "bbbbb1"}`: unknown + ".cuedeck/cards/bbbbb1.md",
		`{"id": "ccccc1"}`: unknown + ".cuedeck/cards/ccccc1.md",
		`{"id": "ddddd1"}`: unknown + ".cuedeck/cards/bbbbb1.md",
	} {
		if got := doc.Tool("validate_task_graph", args); !strings.Contains(got, `"valid":false`) || !strings.Contains(got, `"error":"`+want+`"`) {
			t.Errorf("%s gives %s, want %s", args, got, want)
		}
	}
	if got := doc.Tool("validate_task_graph", `{"id": "aaaaa1"}`); !strings.Contains(got, `"valid":true`) {
		t.Errorf("of a card that depends on nothing: %s", got)
	}
	for _, ref := range []string{"", " bbbbb1", " ddddd1"} {
		if got, want := doc.Query("validate"+ref), ".cuedeck/cards/bbbbb1.md cannot be read, so its dependencies are unknown: repair bbbbb1"; !strings.Contains(got, want) || strings.Contains(got, "consistent") {
			t.Errorf("validate%s says %s, want %s", ref, got, want)
		}
	}
	doc.Tool("create_task", `{"title": "New", "depends_on": ["bbbbb1"]}`)
	if got, want := strings.Join(doc.State().Warnings, "\n"), `"New" depends on bbbbb1, which cannot be read`; !strings.Contains(got, want) {
		t.Errorf("the warnings are\n%s\nwant %s", got, want)
	}
}
