package evals

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheFilesArmReachesOnlyItsFolder(t *testing.T) {
	outside := t.TempDir()
	dir := filepath.Join(outside, "scratch")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join(outside, "secret"), filepath.Join(dir, "mine")} {
		if err := os.WriteFile(file, []byte("a secret"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	arm, err := openScratch(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer arm.Close()
	for _, path := range []string{"../secret", "link/secret", filepath.Join(outside, "secret"), "a/../../secret"} {
		for tool, more := range map[string]string{"read_file": ``, "write_file": `,"content":"mine"`, "replace": `,"old":"secret","new":"mine"`} {
			name, _ := json.Marshal(path)
			res, err := arm.Call(t.Context(), tool, json.RawMessage(`{"path":`+string(name)+more+`}`))
			if err != nil || !res.Error || strings.Contains(res.Text, "a secret") {
				t.Errorf("%s of %s: %+v, %v", tool, path, res, err)
			}
		}
	}
	if data, _ := os.ReadFile(filepath.Join(outside, "secret")); string(data) != "a secret" {
		t.Errorf("outside is now %q", data)
	}
}

func TestTheFilesArmReadsAndWrites(t *testing.T) {
	dir := t.TempDir()
	arm, err := openScratch(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer arm.Close()
	names := map[string]bool{}
	for _, tool := range arm.Tools() {
		names[tool.Name] = json.Valid(tool.Schema)
	}
	for _, c := range []struct{ tool, arguments, want string }{ // an error begins with !
		{"write_file", `{"path":"a/b.txt","content":"one\ntwo\nthree\n"}`, "written"},
		{"list_files", `{}`, "a/b.txt 14\n"},
		{"read_file", `{"path":"a/b.txt"}`, "one\ntwo\nthree\n"},
		{"read_file", `{"path":"a/b.txt","first":2,"lines":1}`, "two\n"},
		{"read_file", `{"path":"a/b.txt","first":9}`, ""},
		{"read_file", `{"path":"a/b.txt","lines":2}`, "one\ntwo\n"},
		{"read_file", `{"path":"c.txt"}`, "!openat c.txt: no such file or directory"},
		{"replace", `{"path":"a/b.txt","old":"t","new":"T"}`, "!the old text occurs 2 times: give more of what surrounds it, or all:true"},
		{"replace", `{"path":"a/b.txt","old":"four","new":"4"}`, "!the old text does not occur"},
		{"replace", `{"path":"a/b.txt","old":"","new":"4"}`, "!old is empty"},
		{"replace", `{"path":"a/b.txt","old":"two","new":"2"}`, "replaced 1"},
		{"replace", `{"path":"a/b.txt","old":"e","new":"E","all":true}`, "replaced 3"},
		{"read_file", `{"path":"a/b.txt"}`, "onE\n2\nthrEE\n"},
		{"write_file", `{"path":"c.mid","content":"` + base64.StdEncoding.EncodeToString([]byte("MThd\xff")) + `","encoding":"base64"}`, "written"},
		{"read_file", `{"path":"c.mid"}`, "!c.mid is not text: read it with encoding base64"},
		{"read_file", `{"path":"c.mid","encoding":"base64"}`, base64.StdEncoding.EncodeToString([]byte("MThd\xff"))},
		{"write_file", `{"path":7}`, "!json: cannot unmarshal number into Go struct field scratchCall.Path of type string"},
	} {
		if !names[c.tool] {
			t.Errorf("there is no tool %s with a schema", c.tool)
		}
		res, err := arm.Call(t.Context(), c.tool, json.RawMessage(c.arguments))
		got := res.Text
		if res.Error {
			got = "!" + got
		}
		if err != nil || got != c.want {
			t.Errorf("%s %s: %q, %v", c.tool, c.arguments, got, err)
		}
	}
}
