package svg_test

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pack"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

// Every icon of the packs is drawn as such.
func TestEveryIconOfThePacksIsDrawn(t *testing.T) {
	for _, name := range pack.Names() {
		for _, s := range pack.Shapes(name) {
			if s.Qualified() == "ibm.floatingip" || s.Qualified() == "ibm.cognitive_services" {
				continue // photographs
			}
			got := svg.Page(page(t, vertex(string(s.Style), "")), svg.Options{})
			wellFormed(t, got)
			if strings.Contains(got, "<text") || strings.Count(got, "<path")+strings.Count(got, "<image") == 0 || strings.Contains(got, "#eef3fb") {
				t.Errorf("%s: %s", s.Qualified(), got)
			}
		}
	}
}
