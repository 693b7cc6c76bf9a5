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
