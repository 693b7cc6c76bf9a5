package svg_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"net/url"
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

func TestAStencilInAStyleIsDrawn(t *testing.T) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	w.Write([]byte(url.PathEscape(`<shape w="100" h="100" aspect="variable" strokewidth="inherit"><foreground><path><move x="0" y="0"/><line x="100" y="50"/><close/></path><fillstroke/></foreground></shape>`)))
	w.Close()
	got := svg.Page(page(t, vertex("shape=stencil("+base64.StdEncoding.EncodeToString(b.Bytes())+");fillColor=#112233", "")), svg.Options{})
	if want := `<path d="M0 0L120 30Z" fill="#112233" stroke="#000000"/>`; !strings.Contains(got, want) {
		t.Errorf("no %s in %s", want, got)
	}
	if got := svg.Page(page(t, vertex("shape=stencil(nothing);fillColor=#112233", "")), svg.Options{}); !strings.Contains(got, `fill="none"`) || strings.Contains(got, "#112233") {
		t.Errorf("one that cannot be read is %s", got)
	}
}
