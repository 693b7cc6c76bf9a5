package command

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/asm"
)

// A plugin that never returns its manifest delays neither the start, nor the list of tools, nor calls of other domains, nor
// the exit.
func TestAPluginThatNeverAnswersHoldsUpNothing(t *testing.T) {
	t.Parallel()
	path := code(abi.ExportManifest, asm.Join(asm.Forever(), asm.I32(0))).file(t)
	a := startArena(t, "--plugin", path, "--limit", "list-wait=500ms", "--limit", "call=1h") // its call may take an hour
	a.editHonest()
	if got := a.tools(); strings.Join(got, " ") != "list list_help list_query list_session" {
		t.Errorf("the tools are %v", got)
	}
	if got := a.session("list", "status"); !strings.Contains(got, `? not yet served: "evil.wasm": it was not yet asked`) {
		t.Errorf("status says %s", got)
	}
	a.checkUnharmed()
	if said := a.stop(); said != "" {
		t.Errorf("stderr: %s", said)
	}
}
