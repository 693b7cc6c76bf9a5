package command

import (
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

var update = flag.Bool("update", false, "rewrite the replies of the transcripts in README.md and docs/")

// The transcripts of the documentation are fenced blocks marked "transcript". A line "> TOOL ARGUMENT" is a call, and the lines
// below it are its reply. The argument of an edit tool is a JSON list of ops, optionally followed by "then" and the list for it; that
// of a typed tool is a JSON object.
//
// If a block opens a file NAME that it does not write, the file is PAGE-NAME beside the page. If a block writes NAME and the page has
// a PAGE-NAME, both have the same bytes.
//
// Each block is replayed by a fresh server with the built-in plugins and an empty working directory. The server for flowise.md has
// that plugin and a fake Flowise server with one flow; the one for cuedeck.md has that plugin and a fixed time. make test replays
// every third block.
func TestTranscriptsOfTheDocsAreReal(t *testing.T) {
	t.Parallel()
	checkTranscripts(t, soak.Whole() || *update)
}

// interpreted returns flags with which no module is compiled in time, so that all calls are interpreted. The manifests are known: on a busy
// machine, interpreting one may take longer than a start waits for it.
func interpreted(t *testing.T) []string {
	t.Helper()
	cache := t.TempDir()
	if err := os.CopyFS(filepath.Join(cache, "manifests"), os.DirFS(filepath.Join(testwasm.CacheDir(t), "manifests"))); err != nil {
		t.Fatal(err)
	}
	return []string{"--cache", cache, "--limit", "compile=1ms"}
}

// The first calls of a new module are interpreted, and a compiler may have faults.
func TestTranscriptsOfTheDocsAreTheSameWhenInterpreted(t *testing.T) {
	if !soak.Whole() {
		t.Skip("make judge replays them, which takes minutes")
	}
	checkTranscripts(t, true, interpreted(t)...)
}

// checkTranscripts replays the transcripts, or every third one, by servers with these flags.
func checkTranscripts(t *testing.T, whole bool, flags ...string) {
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks, first := 0, soak.Seed(t)
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		if filepath.Base(page) == "video.md" {
			continue // needs ffmpeg: see TestJudgeTheTranscriptOfVideoIsReal
		}
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
			if !whole && (first+uint64(blocks))%3 != 0 {
				parts[i] = block + "```" + rest
				continue
			}
			dir := t.TempDir()
			own := filepath.Join(root, "docs", strings.ToLower(strings.TrimSuffix(filepath.Base(page), ".md"))+"-")
			for _, m := range opening.FindAllStringSubmatch(block, -1) {
				if data, err := os.ReadFile(own + m[1]); err == nil && !strings.Contains(block, "as:./"+m[1]) {
					put(t, dir, m[1], string(data))
				}
			}
			args := []string{"--plugin", testwasm.Build(t, "plugins/midi"), "--plugin", testwasm.Build(t, "plugins/drawio"), "--plugin", testwasm.Build(t, "plugins/svg")}
			switch filepath.Base(page) {
			case "flowise.md":
				args = withFlowise(t)
			case "cuedeck.md":
				args = []string{"--plugin", testwasm.Build(t, "plugins/cuedeck"), "--grant", "cuedeck=folder", "--now", "2026-03-02T09:00:00Z"}
			}
			got := replay(t, dir, block, append(args, flags...)...)
			for _, m := range writing.FindAllStringSubmatch(block, -1) {
				there, err := os.ReadFile(own + m[1])
				if err != nil {
					continue // not a picture of the page
				}
				now, err := os.ReadFile(filepath.Join(dir, m[1]))
				if err == nil && *update {
					err = os.WriteFile(own+m[1], now, 0o644)
				} else if err == nil && string(now) != string(there) {
					t.Errorf("%s: %s is not what its transcript writes", filepath.Base(page), own+m[1])
				}
				if err != nil {
					t.Error(err)
				}
			}
			if got != block && !*update {
				t.Errorf("%s: the transcript and what the server says differ; run go test ./cmd/internal/command -run Transcripts -update and read the difference\n--- page\n%s--- server\n%s", filepath.Base(page), block, got)
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

var opening, writing = regexp.MustCompile(`open \./(\S+)`), regexp.MustCompile(`as:\./(\S+)`)

// replay runs a block's calls in a folder and returns the block with the real replies.
func replay(t *testing.T, dir, block string, args ...string) string {
	t.Helper()
	c := serveProcess(t, dir, args...)
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
		case strings.HasPrefix(arg, "{"):
			if err := json.Unmarshal([]byte(arg), &args); err != nil {
				t.Fatalf("%q: %v", call, err)
			}
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
		text, _ := c.reply(tool, args)
		b.WriteString(text)
		b.WriteString("\n")
	}
	return b.String()
}
