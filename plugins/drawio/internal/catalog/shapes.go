package catalog

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/stencil"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// libraryShape finds a shape of draw.io's own libraries by LIBRARY.NAME, such as
// flowchart.merge. Libraries need not be loaded: their names contain a dot, which the first
// word of a label hardly ever does.
func libraryShape(word string) (style.Shape, bool) {
	if !strings.Contains(word, ".") {
		return style.Shape{}, false
	}
	full := stencil.Full(word)
	if full == "" {
		return style.Shape{}, false
	}
	look := style.Style("shape=" + full + ";whiteSpace=wrap;html=1;")
	s := style.Shape{Name: look.Kind(), W: 80, H: 80}
	if drawn, ok := stencil.Find(full); ok && drawn.W > 0 && drawn.H > 0 {
		scale := 80 / math.Max(drawn.W, drawn.H)
		s.W, s.H = math.Max(10, math.Round(drawn.W*scale)), math.Max(10, math.Round(drawn.H*scale))
		if drawn.Fixed {
			look = look.Set("aspect", "fixed")
		}
	}
	if !slices.Contains(holdLabels(), strings.Split(full, ".")[1]) {
		look = look.Set("verticalLabelPosition", "bottom").Set("verticalAlign", "top").Set("align", "center")
	}
	s.Style = look
	return s, true
}

// holdLabels lists the libraries whose shapes have their label inside. Shapes of other
// libraries have it below.
func holdLabels() []string {
	return []string{"flowchart", "basic", "arrows", "arrows2", "bootstrap", "dfd", "er", "archimate", "archimate3", "uml25", "sysml", "bpmn", "mockup", "infographic", "eip"}
}

// packSets lists the libraries that are packs; their shapes are found under the pack's
// name.
func packSets() []string {
	return []string{"aws4", "azure2", "gcp2", "kubernetes", "cisco19", "ibm"}
}

// FindLibraryShapes lists at most most shapes of draw.io's libraries where the name of the
// shape or of the library contains a word.
func FindLibraryShapes(word string, most int) (out []string) {
	if word = style.StencilName(word); word == "" {
		return nil
	}
	n := 0
	for _, set := range stencil.Sets() {
		if slices.Contains(packSets(), set) {
			continue
		}
		var hits []string
		all := strings.Contains(style.StencilName(set), word)
		for _, name := range stencil.Names(set) {
			if all || strings.Contains(style.StencilName(name), word) {
				hits = append(hits, name)
			}
		}
		if len(hits) == 0 {
			continue
		}
		shown := hits[:min(len(hits), max(0, most-n))]
		n += len(hits)
		if len(shown) > 0 {
			out = append(out, set+": "+strings.Join(shown, " "))
		}
	}
	if n == 0 {
		return nil
	}
	out = append([]string{fmt.Sprintf("draw.io's libraries (add LIBRARY.NAME LABEL): %s", pdk.Count(n, "shape"))}, out...)
	if n > most {
		out = append(out, fmt.Sprintf("… %d more", n-most))
	}
	return out
}
