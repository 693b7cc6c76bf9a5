package card

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
)

// Python's YAML reader, which takes yes for true and 012 for ten, must read edited values as intended, and all others as before.
func TestJudgePythonReadsEditedCards(t *testing.T) {
	python := "/usr/bin/python3" // has Debian's packages
	if _, err := os.Stat(python); err != nil {
		python = "python3"
	}
	judge.Runs(t, python, "-c", "import yaml")
	all := randomEdits(t, 1000)
	r := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		f := random(r)
		text := New(f)
		all = append(all, edit{Text: text, After: text, Key: "title", Want: f.Title}, edit{Text: text, After: text, Key: "assignee", Want: f.Assignee})
		tagged, err := Parse("---\n---\n")
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string]string{"title": f.Title, "assignee": f.Assignee} {
			if tagged, err = tagged.Set(key, want); err != nil {
				t.Fatal(err)
			}
		}
		next, err := tagged.SetList("tags", f.Tags)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, edit{Text: tagged.Text, After: next.Text, Key: "tags", List: f.Tags})
	}
	data, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "changes.json")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, filepath.Join("testdata", "read.py"), file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	read := 0
	fmt.Sscan(lines[len(lines)-1], &read)
	if len(lines) > 1 || read < len(all)*9/10 {
		t.Errorf("of %d changes %s\n%.6000s", len(all), lines[len(lines)-1], out)
	}
}
