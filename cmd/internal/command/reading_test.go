package command

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// Names of several words may stand without quotes where the call would be refused otherwise; what is removed is named exactly.
func TestNamesWithBlanksAreReadWhereTheCallWouldBeRefused(t *testing.T) {
	c := serveProcess(t, t.TempDir(), "--plugin", testwasm.Build(t, "plugins/drawio"))
	c.session("drawio", `new "Shop"`)
	c.must("drawio", map[string]any{"ops": []string{`add svc "Auth Service"`, `add db "User DB"`, `add svc Auth`}})
	text := c.must("drawio", map[string]any{"ops": []string{
		`connect Auth Service -> User DB`, `add db "Order DB" near:Auth Service`, `connect "Auth Service" -> "Order DB"`, `style User DB fill:red`,
	}})
	for _, line := range []string{
		`? read as connect "Auth Service" -> "User DB"`, `? read as add db "Order DB" near:"Auth Service"`, `? read as style "User DB" fill:red`,
		"~ Auth Service->Order DB solid", "[4s 2e ",
	} {
		if !strings.Contains("\n"+text, "\n"+line) {
			t.Errorf("the reply lacks %q:\n%s", line, text)
		}
	}
	if strings.Count(text, "read as") != 3 {
		t.Errorf("not three readings:\n%s", text)
	}
	if text := c.must("drawio_query", map[string]any{"q": "history 1"}); !strings.Contains(text, `style "User DB" fill:red`) {
		t.Errorf("the history has not what was run: %s", text)
	}
	if text := c.must("drawio_query", map[string]any{"q": "describe Auth Service -> User DB"}); !strings.Contains(text, "\n? read as describe \"Auth Service\" -> \"User DB\"") {
		t.Errorf("the query was not read so: %s", text)
	}
	for op, want := range map[string]string{
		`remove User DB`:     `try: remove "User DB"`,
		`add svc Big Ledger`: `try: add svc "Big Ledger"`, // no such thing is there
	} {
		text, failed := c.call("drawio", map[string]any{"ops": []string{op}})
		if !failed || !strings.Contains(text, want) || strings.Contains(text, "read as") {
			t.Errorf("%s: %s", op, text)
		}
	}
	if text := c.session("drawio", "undo 4"); !strings.Contains(text, "[3s 0e ") {
		t.Errorf("the call is not undone op by op: %s", text)
	}
}

// tempo is a query and a verb of songs: what the query does not take is an op, also for a caller who may only read.
func TestAnOpInThenMayHaveTheNameOfAQuery(t *testing.T) {
	c := serveProcess(t, t.TempDir(), "--plugin", testwasm.Build(t, "plugins/midi"))
	c.session("midi", `new "Tune" tempo:120`)
	text := c.must("midi", map[string]any{"ops": []string{"track add Piano"}, "then": []string{"tempo 90", "tempo"}})
	if !strings.Contains(text, "* Tempo 90") && !strings.Contains(text, "90 bpm") || !strings.Contains(text, "tempo:90") {
		t.Errorf("the tempo was not set, then listed:\n%s", text)
	}
	text = c.must("midi", map[string]any{"ops": []string{"note Piano C4 at:2"}, "then": []string{"tempo @range:1-2", "status"}})
	if !strings.Contains(text, "1.1       90 bpm") || !strings.Contains(text, "> status") {
		t.Errorf("the tempo of a range was not listed:\n%s", text)
	}
}
