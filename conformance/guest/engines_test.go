package guest

import (
	"strings"
	"testing"
)

// A compiler that translates a module wrongly looks like an instance that behaves differently when it is interpreted.
func TestAnswersThatDifferBetweenCompilerAndInterpreterAreFound(t *testing.T) {
	good := fewOps(t, "none")
	good.Ops = allOps
	c, err := Engines(t.Context(), "names", namesModule(t), good)
	if err != nil || !c.OK() || c.Looked < 30 {
		t.Errorf("%v; the same in both: %+v", err, c)
	}
	bad := good
	bad.changed = fewOps(t, "query-changes").instance - bad.instance
	c, err = Engines(t.Context(), "names", namesModule(t), bad)
	if err != nil || c.Failed != 1 || !strings.Contains(c.Problems[0], "has another answer when the module is interpreted\n  compiled    ") {
		t.Errorf("%v; different: %+v", err, c)
	}
	if c, err = Engines(t.Context(), "none", []byte("none"), good); err != nil || c.OK() {
		t.Errorf("%v; no module: %+v", err, c)
	}
}
