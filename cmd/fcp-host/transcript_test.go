package main

import (
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

var update = flag.Bool("update", false, "rewrite the replies of the transcripts in README.md and docs/")

// The transcripts of the documentation are fenced blocks marked "transcript".
// In them, "> TOOL ARGUMENT" is a call (the edit tool's argument is a JSON list
// of ops, perhaps with "then" and a list of what follows) and what comes next is its reply. Each block is replayed by a fresh
// server with both plugins and an empty working directory.
func TestTranscriptsOfTheDocsAreReal(t *testing.T) {
	t.Parallel()
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(string(data), "```transcript\n")
		for i := 1; i < len(parts); i++ {
			block, rest, ok := strings.Cut(parts[i], "```")
			if !ok {
				t.Fatalf("%s: a transcript does not end", filepath.Base(page))
			}
			blocks++
			got := replay(t, block)
			if got != block && !*update {
				t.Errorf("%s: the transcript and what the server says differ; run go test ./cmd/fcp-host -run Transcripts -update and read the difference\n--- page\n%s--- server\n%s", filepath.Base(page), block, got)
			}
			parts[i] = got + "```" + rest
		}
		if *update {
			if err := os.WriteFile(page, []byte(strings.Join(parts, "```transcript\n")), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if blocks == 0 {
		t.Error("no page holds a transcript")
	}
}

// replay runs the calls of a block and gives it back with their real replies.
func replay(t *testing.T, block string) string {
	t.Helper()
	c := serveProcess(t, t.TempDir(), "--plugin", testwasm.Build(t, "plugins/midi"), "--plugin", testwasm.Build(t, "plugins/drawio"))
	var b strings.Builder
	for line := range strings.Lines(block) {
		call, ok := strings.CutPrefix(line, "> ")
		if !ok {
			continue
		}
		b.WriteString(line)
		tool, arg, _ := strings.Cut(strings.TrimSpace(call), " ")
		args := map[string]any{}
		switch {
		case strings.HasSuffix(tool, "_session"):
			args["action"] = arg
		case strings.HasSuffix(tool, "_query"):
			args["q"] = arg
		case strings.HasSuffix(tool, "_help"):
		default:
			lists := json.NewDecoder(strings.NewReader(strings.Replace(arg, "] then [", "] [", 1)))
			for _, key := range []string{"ops", "then"} {
				var list []string
				if err := lists.Decode(&list); err == nil {
					args[key] = list
				} else if key == "ops" || err != io.EOF {
					t.Fatalf("%q: the %s are no JSON list: %v", call, key, err)
				}
			}
		}
		text, _ := c.call(tool, args)
		b.WriteString(text)
		b.WriteString("\n")
	}
	return b.String()
}
