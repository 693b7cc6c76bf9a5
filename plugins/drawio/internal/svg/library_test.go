package svg_test

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pack"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

// Every icon of the packs that is no picture is drawn as such.
func TestEveryIconOfThePacksIsDrawn(t *testing.T) {
	for _, name := range pack.Names() {
		shapes := pack.Shapes(name)
		for _, s := range shapes {
			if strings.Contains(string(s.Style), "image=") {
				continue
			}
			got := svg.Page(page(t, vertex(string(s.Style), "")), svg.Options{})
			wellFormed(t, got)
			if strings.Contains(got, "<text") || strings.Count(got, "<path") == 0 {
				t.Errorf("%s: %s", s.Qualified(), got)
			}
		}
	}
}
