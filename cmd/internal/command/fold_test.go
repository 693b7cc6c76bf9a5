package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// An answer about many elements takes at most 4,000 characters of a model's reading, and its last line in addition; the map of a file that
// is opened 1,500.
func TestEveryBulkAnswerOnTheLargestFilesIsShort(t *testing.T) {
	cards := map[string]string{".cuedeck/config.toml": ""}
	for i := range 300 {
		cards[fmt.Sprintf(".cuedeck/cards/c%03d.md", i)] = fmt.Sprintf("---\nid: c%03d\ntitle: Card number %d\nstatus: %s\ncreated: 2026-01-01T00:00:00Z\nupdated: 2026-01-01T00:00:00Z\n---\nText %d.\n", i, i, []string{"todo", "active", "done"}[i%3], i)
	}
	for _, tt := range []struct {
		domain, file string // file is in the shared data
		queries      []string
	}{
		{"drawio", "drawio/network-fortinet.xml", []string{"map", "list", "list @all", "describe *", "connections *", "find a", "stats", "pages", "layers", "types", "types aws", "lint", "history"}},
		{"midi", "midi/symphony_7_2.mid", []string{"map", "tracks", "events *", "list", "list @type:note", "describe *", "stats", "find C4", "chords", "off-scale", "off-scale C-major", "key", "tempo", "signatures", "instruments", "instruments a", "lint"}},
		{"svg", "drawio-more/svgfile.svg", []string{"map", "tree", "tree 6", "list", "list @all", "find a", "bbox @all", "overlaps", "outside", "defs", "colors", "fonts", "unused", "stats", "lint"}},
		{"video", "otio/effects.otio", []string{"map", "list @all", "find a", "tracks", "gaps", "media", "warnings", "stats", "styles", "transitions", "effects"}},
		{"flowise", "flowise/echo-agentflow.json", []string{"map", "list @all", "find a", "graph", "stats", "validate", "types", "types a"}},
		{"cuedeck", "", []string{"map", "list", "list todo", "next 100", "find card", "files", "validate", "doctor", "stats"}},
	} {
		t.Run(tt.domain, func(t *testing.T) {
			dir := t.TempDir()
			args := []string{"--plugin", testwasm.Build(t, "plugins/"+tt.domain)}
			open := "open ."
			if tt.file != "" {
				source := filepath.Join(testwasm.DataDir(t, filepath.Dir(tt.file)), filepath.Base(tt.file))
				data, err := os.ReadFile(source)
				if err != nil {
					t.Skipf("the real file is not there: %v", err)
				}
				var record struct{ FlowData string }
				if tt.domain == "flowise" && json.Unmarshal(data, &record) == nil { // a server's record of the flow
					data = []byte(record.FlowData)
				}
				if err := os.WriteFile(filepath.Join(dir, filepath.Base(tt.file)), data, 0o644); err != nil {
					t.Fatal(err)
				}
				open = "open ./" + filepath.Base(tt.file)
			} else {
				inWorkspace(t, dir, cards)
				args = append(args, "--grant", "cuedeck=folder")
			}
			c := serveProcess(t, dir, args...)
			opened, n := c.session(tt.domain, open), 0
			for line := range strings.Lines(opened) {
				if shown, isMap := strings.CutPrefix(line, "  "); isMap && !strings.HasPrefix(shown, "… ") {
					n += utf8.RuneCountInString(shown)
				}
			}
			if n == 0 || n > 1500 {
				t.Errorf("the map that open prints has %d characters: %s", n, opened)
			}
			for _, q := range tt.queries {
				text := c.must(tt.domain+"_query", map[string]any{"q": q})
				if n := utf8.RuneCountInString(text); n > 4200 {
					t.Errorf("%s answers with %d characters: %.300s", q, n, text)
				}
				text, _, _ = strings.Cut(text, "\n? ")
				if at := strings.LastIndexByte(text, '\n'); strings.Contains(text, " folded; all of them: ") && !strings.HasPrefix(text[at+1:], "… ") {
					t.Errorf("%s does not end with the query for the whole answer: %s", q, text[at+1:])
				}
			}
			c.end()
		})
	}
}
