package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
	"github.com/fcp-host/fcp-host/sdk"
)

// A domain that new writes builds, passes its own tests and conform, and is served like any other.
func TestJudgeANewDomainOfEachLanguageBuildsIsTestedAndServed(t *testing.T) {
	host := testwasm.Host(t)
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range sdk.Names() {
		t.Run(lang, func(t *testing.T) {
			variables := judge.Toolchain(t, lang)
			dir := t.TempDir()
			cmd := exec.Command(host, "new", "basket", "--lang", lang, "--sdk", root)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("new: %v\n%s", err, out)
			}
			cmd = exec.Command("make", append([]string{"test", "FCP_HOST=" + host, "CONFORM=--for 1s"}, variables...)...)
			cmd.Dir = filepath.Join(dir, "basket")
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "it keeps its promises") {
				t.Fatalf("make test: %v\n%s", err, out)
			}

			wasm := filepath.Join(dir, "basket", "basket.wasm")
			// A file from another program keeps every byte that no op names.
			const before = "\ufeff# Fruit\r\n\r\n - [ ] not ours\r\n- [x] Äpfel\r\n- [ ] last"
			if err := os.WriteFile(filepath.Join(dir, "a.basket"), []byte(before), 0o644); err != nil {
				t.Fatal(err)
			}
			c := serveProcess(t, dir, "--plugin", wasm)
			c.session("basket", "open ./a.basket")
			for _, op := range []string{"reopen Äpfel", "remove last", `add "new one"`, "remove @all", "add x"} {
				c.edit("basket", op)
			}
			c.session("basket", "undo 5")
			c.session("basket", "save as:./b.basket")
			if got, err := os.ReadFile(filepath.Join(dir, "b.basket")); err != nil || string(got) != before {
				t.Errorf("got %q, %v", got, err)
			}
			if text, failed := c.call("basket", map[string]any{"ops": []string{"add one", "done nothing"}}); !failed || !strings.Contains(text, "nothing") || !strings.Contains(text, "rolled back") {
				t.Errorf("a call that fails says %q", text)
			}
		})
	}
}
