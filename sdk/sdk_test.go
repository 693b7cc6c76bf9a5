package sdk

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestADomainOfEachLanguageHasItsOwnName(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			l, _ := Find(name)
			dir := filepath.Join(t.TempDir(), "shop-list")
			files, err := l.Write(dir, "shop-list", Module{Version: "v1.2.3"})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"Makefile", "README.md", "tests/basic.fcp", "tests/basic.want", ".github/workflows/ci.yml", ".gitignore"} {
				if !strings.Contains("\n"+strings.Join(files, "\n")+"\n", "\n"+want+"\n") {
					t.Errorf("there is no %s among %v", want, files)
				}
			}
			for _, file := range files {
				content, err := os.ReadFile(filepath.Join(dir, file))
				if err != nil {
					t.Fatal(err)
				}
				for _, left := range []string{example, `"Checklist"`, "{{.", "<no value>"} {
					if strings.Contains(string(content), left) {
						t.Errorf("%s holds %q", file, left)
					}
				}
			}
			readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range l.Files {
				own := strings.ReplaceAll(f[0], example, "shop-list")
				if _, err := os.Stat(filepath.Join(dir, own)); err != nil || !strings.Contains(string(readme), own) {
					t.Errorf("%s, which the README lists: %v", own, err)
				}
			}
			if _, err := l.Write(dir, "shop-list", Module{}); err == nil || !strings.Contains(err.Error(), "not empty") {
				t.Errorf("writing again: %v", err)
			}
		})
	}
}

// What a new Go domain requires is in the module cache of whoever built fcp-host.
func TestANewGoDomainOfACheckoutNeedsNoNetwork(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	own, err := sources.ReadFile("go/go.sum")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(own)) {
		if !strings.Contains(string(sums), line) {
			t.Errorf("sdk/go/go.sum has %q, and go.sum has not", line)
		}
	}
	l, _ := Find("go")
	dir := filepath.Join(t.TempDir(), "shop")
	if _, err := l.Write(dir, "shop", Module{Checkout: root}); err != nil {
		t.Fatal(err)
	}
	for _, run := range [][]string{{"go", "list", "-deps", "-test", "./..."}, {"make", "-n", "test"}} {
		cmd := exec.Command(run[0], run[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "mod tidy") {
			t.Errorf("%s: %v\n%s", strings.Join(run, " "), err, out)
		}
	}
}

func TestAGoDomainSaysWhereItsSDKComesFrom(t *testing.T) {
	l, _ := Find("go")
	for _, tt := range []struct {
		module       Module
		file, readme string
	}{
		{Module{Version: "v1.2.3"}, "require github.com/fcp-host/fcp-host v1.2.3\n", "takes the SDK v1.2.3"},
		{Module{Checkout: "/src/fcp-host"}, "\nreplace github.com/fcp-host/fcp-host => \"/src/fcp-host\"\n", "Once a version is published: delete that line"},
		{Module{}, "\n// replace github.com/fcp-host/fcp-host => ../fcp-host\n", "**First** name the sources"},
	} {
		files, err := l.files("shop", tt.module)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(files["go.mod"]), tt.file) || !strings.Contains(string(files["README.md"]), tt.readme) {
			t.Errorf("%+v:\n%s\n%s", tt.module, files["go.mod"], files["README.md"])
		}
	}
}
