package queries

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
)

// Help lists the types and themes that a document defines.
func Help(f *file) []abi.Section {
	if f == nil {
		return nil
	}
	var types, themes []string
	for _, kv := range catalog.Remembered(f, catalog.TypeKey) {
		if d, ok := catalog.ReadDefinition(kv[0], kv[1]); ok {
			types = append(types, d.Name+": "+d.Brief())
		}
	}
	for _, t := range catalog.Themes(f) {
		themes = append(themes, strings.TrimSpace(fmt.Sprintf("%s: fill %s stroke %s %s", t.Name, t.Fill, t.Stroke, t.Font)))
	}
	var out []abi.Section
	if packs := catalog.LoadedPacks(f); len(packs) > 0 {
		out = append(out, abi.Section{Title: "Packs loaded", Lines: packs})
	}
	if len(types) > 0 {
		out = append(out, abi.Section{Title: "Types of this document", Lines: types})
	}
	if len(themes) > 0 {
		out = append(out, abi.Section{Title: "Themes of this document", Lines: themes})
	}
	return out
}
