package server

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// Our own server meets every requirement, with each domain's own tools and with the unified ones.
func TestOurOwnServerConforms(t *testing.T) {
	host := testwasm.Host(t)
	hosts := map[string][]string{
		"names":   {"--plugin", testwasm.Build(t, "conformance/testdata/names")},
		"drawio":  {"--plugin", testwasm.Build(t, "plugins/drawio")},
		"both":    {"--plugin", testwasm.Build(t, "plugins/midi"), "--plugin", testwasm.Build(t, "plugins/drawio")},
		"one":     {"--unified", "--plugin", testwasm.Build(t, "plugins/drawio")},
		"any":     {"--unified", "--plugin", testwasm.Build(t, "plugins/midi"), "--plugin", testwasm.Build(t, "plugins/drawio")},
		"unified": {"--unified", "--plugin", testwasm.Build(t, "plugins/midi")},
	}
	names := []string{"names"}
	if soak.Whole() {
		names = slices.Sorted(maps.Keys(hosts))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := hosts[name]
			c := Command{Argv: append([]string{host, "serve", "--no-journal", "--limit", "list-wait=1m", "--cache", testwasm.CacheDir(t)}, args...)}
			if name == "both" {
				c.Domain = "midi"
			}
			r, err := Judge(t.Context(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			r.Write(&b)
			for _, res := range r.Results {
				if res.Status == Failed || res.Status == NotApplicable && res.Level != "MAY" {
					t.Fatalf("%s\n%s", res.ID, b.String())
				}
			}
		})
	}
}
