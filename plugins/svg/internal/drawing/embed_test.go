package drawing

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// A drawing that is inserted into another one looks the same, whatever ids are already
// used there, and so do copies of it.
func TestRulesForIDsFollowWhatIsNested(t *testing.T) {
	sub := `<svg xmlns="http://www.w3.org/2000/svg" id="top" viewBox="0 0 10 10"><style>#a { fill: #abc } #top > rect { stroke:url(#p) }</style><linearGradient id="p"/><rect id="a" width="9" height="9"/></svg>`
	for name, sheet := range map[string]string{
		"plain": sub,
		"CDATA": strings.NewReplacer("<style>", "<style>\n<![CDATA[", "</style>", "]]>\n</style>").Replace(sub),
	} {
		doc := pdktest.New(t, Domain(), `"T"`, &pdktest.World{Files: map[string][]byte{"./sub.svg": []byte(sheet)}})
		for _, op := range []string{"add image x file:./sub.svg", "add image y file:./sub.svg", "copy y as:z"} {
			if got := doc.Do(op); strings.HasPrefix(op, "add") && !strings.Contains(got, "style sheet of ./sub.svg now applies to the whole drawing") {
				t.Errorf("%s, %s: %s", name, op, got)
			}
		}
		got := string(doc.Save())
		for _, want := range []string{
			"#a { fill: #abc } #x > rect { stroke:url(#p) }", `<rect id="a"`,
			"#a2 { fill: #abc } #y > rect { stroke:url(#p2) }", `<rect id="a2"`,
			"#a3 { fill: #abc } #z > rect { stroke:url(#p3) }", `<rect id="a3"`,
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %s in\n%s", name, want, got)
			}
		}
	}
}
