package sdk

import (
	"os"
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
