package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/conformance/roots"
	"github.com/fcp-host/fcp-host/docs"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// withMemory gives the program roots that are kept in memory.
func withMemory(t *testing.T) (m *roots.Memory, asked *RootHost) {
	t.Helper()
	was := self
	t.Cleanup(func() { self = was })
	m, asked = &roots.Memory{}, &RootHost{}
	self = Program{Name: "fcp-hostd", Roots: map[string]Root{"mem": {Example: "mem://BUCKET/PREFIX", Open: func(_ string, h RootHost) (files.Tree, error) {
		*asked = h
		return m, nil
	}}}}
	return m, asked
}

func TestRootsThatAreURLsAreOpenedAsTheFlagsSay(t *testing.T) {
	_, asked := withMemory(t)
	dir := t.TempDir()
	config := filepath.Join(dir, "c.toml")
	if err := os.WriteFile(config, []byte("roots = [\"mem://bucket/prefix\", \"here\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "here"), 0o700); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s, _, code := flags("serve", []string{"--config", config, "--s3-endpoint", "https://host", "--s3-region", "mars-1", "--s3-wait", "3s"}, stdio{nil, &out, &out})
	if s == nil {
		t.Fatalf("exit code %d: %s", code, &out)
	}
	r, err := s.newRoots()
	if err != nil {
		t.Fatal(err)
	}
	if all := r.All(); len(all) != 2 || all[1] != "mem://bucket/prefix" || r.Folder() != "mem://bucket/prefix" {
		t.Errorf("the roots are %q, and paths start in %s", all, r.Folder())
	}
	if asked.Endpoint != "https://host" || asked.Region != "mars-1" || asked.Wait.Seconds() != 3 {
		t.Errorf("asked as %+v", asked)
	}
	usage(&out, nil)
	if !strings.Contains(out.String(), "--root mem://BUCKET/PREFIX") {
		t.Error("the help says nothing of roots that are URLs")
	}
	for _, flag := range []string{"--s3-endpoint", "--s3-region", "--s3-wait"} {
		if !strings.Contains(docs.Operations, "`"+flag) || !strings.Contains(out.String(), "  "+flag+" ") {
			t.Errorf("operations.md or the help does not hold %s", flag)
		}
	}
}

func TestAProgramWithoutSuchRootsSaysWhichHasThem(t *testing.T) {
	var out bytes.Buffer
	s, _, _ := flags("serve", []string{"--config", "off", "--root", "s3://bucket/prefix"}, stdio{nil, &out, &out})
	if s == nil {
		t.Fatal(&out)
	}
	if _, err := s.newRoots(); err == nil || !strings.Contains(err.Error(), "fcp-hostd has s3://BUCKET/PREFIX") {
		t.Errorf("it says %v", err)
	}
	if s, _, _ := flags("serve", []string{"--config", "off", "--s3-endpoint", "https://host"}, stdio{nil, &out, &out}); s != nil {
		t.Error("fcp-host takes --s3-endpoint")
	}
}

// The client sees a server that works, and is told why it opens no files.
func TestAServerWithoutItsRootsServesAndSaysWhatIsMissing(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.list"), []byte("#list A\none"), 0o600); err != nil {
		t.Fatal(err)
	}
	for root, why := range map[string]string{
		"${workspaceFolder}":              "root ${workspaceFolder} grants nothing: the program that started fcp-host did not replace ${workspaceFolder}",
		filepath.Join(dir, "no", "Music"): "root " + filepath.Join(dir, "no", "Music") + " grants nothing: no such file or directory",
		"":                                "a root is empty and grants nothing: name a folder",
	} {
		var complaints bytes.Buffer
		c, begun := serveAnswering(t, dir, &complaints, map[string]any{}, "--root="+root, "--plugin", testwasm.List(t))
		if !strings.Contains(begun.Instructions, "\n- "+why+"\n") {
			t.Errorf("%q: the instructions are %s", root, begun.Instructions)
		}
		c.session("list", `new "T"`)
		if got := c.session("list", "status"); !strings.Contains(got, "\n? "+why) {
			t.Errorf("%q: status says %s", root, got)
		}
		if got := c.must("list_query", map[string]any{"q": "status"}); !strings.Contains(got, "\n? "+why) {
			t.Errorf("%q: the query status says %s", root, got)
		}
		for _, action := range []string{"open ./a.list", "save as:./b.list"} {
			if got, failed := c.call("list_session", map[string]any{"action": action}); !failed || !strings.Contains(got, "no folder is allowed, "+why+"; start fcp-host with --root DIR to allow one") {
				t.Errorf("%q: %s answers %s", root, action, got)
			}
		}
		c.end()
		if !strings.HasPrefix(complaints.String(), "fcp-host: "+why+"\n") {
			t.Errorf("%q: stderr holds %s", root, &complaints)
		}
	}
}
