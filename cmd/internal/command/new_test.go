package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
	"github.com/fcp-host/fcp-host/sdk"
)

// A domain that new writes builds, passes its own tests and conform, and is served like any other.
func TestJudgeANewDomainOfEachLanguageBuildsIsTestedAndServed(t *testing.T) {
	for _, lang := range sdk.Names() {
		t.Run(lang, func(t *testing.T) {
			dir, build := newBasket(t, lang)
			if out := build("test", "CONFORM=--for 1s"); !strings.Contains(out, "it keeps its promises") {
				t.Fatalf("make test:\n%s", out)
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

// newBasket writes a domain in a language to the folder basket of dir. build runs make in it.
func newBasket(t *testing.T, lang string) (dir string, build func(args ...string) string) {
	t.Helper()
	host := testwasm.Host(t)
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	variables := append(judge.Toolchain(t, lang), "FCP_HOST="+host)
	dir = t.TempDir()
	cmd := exec.Command(host, "new", "basket", "--lang", lang, "--sdk", root)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("new: %v\n%s", err, out)
	}
	return dir, func(args ...string) string {
		t.Helper()
		cmd := exec.Command("make", slices.Concat(args, variables)...)
		cmd.Dir = filepath.Join(dir, "basket")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("make %s: %v\n%s", args, err, out)
		}
		return string(out)
	}
}

// Go's value types have tests of their own, in pdk/value.
func TestJudgeASyntaxLineGivesKeysTheirTypesAndABatchIsOneEvent(t *testing.T) {
	for _, lang := range sdk.Names()[1:] {
		t.Run(lang, func(t *testing.T) {
			dir, build := newBasket(t, lang)
			l, _ := sdk.Find(lang)
			source := filepath.Join(dir, "basket", strings.ReplaceAll(l.Files[0][0], "todo", "basket"))
			text, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			const before, after = "[box:open|done]", "[box:open|done] [pos:X,Y] [area:WxH] [scale:N] [part:-0.5-2] [level:auto|1-5] [note:TEXT]"
			if err := os.WriteFile(source, []byte(strings.Replace(string(text), before, after, 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			build()
			c := serveProcess(t, dir, "--plugin", filepath.Join(dir, "basket", "basket.wasm"))
			c.session("basket", `new "Types"`)
			for _, value := range []string{"box:DONE", "pos:1,-2.5", "pos:+.5,3.", "area:0x7", "area:140X60", "scale:-3.25", "part:2", "part:-0.5", "level:Auto", "level:5", "note:7;8", "at:+1"} {
				c.edit("basket", "add "+strings.NewReplacer(":", "-", ",", "-", ";", "-").Replace(value)+" "+value)
			}
			for _, tt := range []struct{ value, why, near string }{
				{"at:0", "is not a whole number from 1 to 9999", "at:1"},
				{"at:10000", "is not a whole number from 1 to 9999", "at:9999"},
				{"at:99999999999999999999999999999999", "is not a whole number from 1 to 9999", ""},
				{"at:1.5", "is not a whole number from 1 to 9999", ""},
				{"at:1e3", "is not a whole number from 1 to 9999", ""},
				{"box:dome", "is not one of open done", "box:done"},
				{"box:7", "is not one of open done", ""},
				{"pos:1", "is not a point X,Y, such as 200,120", ""},
				{"pos:1;-2", "is not a point X,Y, such as 200,120", "pos:1,-2"},
				{"pos:1,2,3", "is not a point X,Y, such as 200,120", ""},
				{"area:10*20", "is not a size WxH, such as 140x60", "area:10x20"},
				{"area:-1x20", "is not a size WxH, such as 140x60", ""},
				{"scale:much", "is not a number", ""},
				{"scale:-", "is not a number", ""},
				{"part:2.01", "is not a number from -0.5 to 2", "part:2"},
				{"part:-9", "is not a number from -0.5 to 2", "part:-0.5"},
				{"level:6", "is not one of auto 1-5", "level:5"},
				{"level:avto", "is not one of auto 1-5", "level:auto"},
			} {
				text, failed := c.call("basket", map[string]any{"ops": []string{"add it " + tt.value}})
				if !failed || !strings.Contains(text, tt.value+" "+tt.why+"\n") || strings.Contains(text, "try: add") != (tt.near != "") || !strings.Contains(strings.ReplaceAll(text, `"`, ""), tt.near) {
					t.Errorf("%s: %s", tt.value, text)
				}
			}

			var many strings.Builder
			for i := range 2000 {
				many.WriteString("- [ ] täsk " + strconv.Itoa(i%700) + "\r\n" + strings.Repeat("kept\n", i%2))
			}
			file := "- [ ] first\n\ufeff# Many\r\n" + many.String() + "- [ ] last"
			if err := os.WriteFile(filepath.Join(dir, "many.basket"), []byte(file), 0o644); err != nil {
				t.Fatal(err)
			}
			c.session("basket", "open ./many.basket")
			c.edit("basket", "done @all")
			c.edit("basket", `reopen "täsk 5#3"`)
			c.edit("basket", "remove @done")
			c.session("basket", "save as:./few.basket")
			if history := c.must("basket_query", map[string]any{"q": "history"}); !strings.Contains(history, "→ done 2002 tasks") {
				t.Errorf("%s", history)
			}
			c.session("basket", "undo 3")
			c.session("basket", "save as:./same.basket")
			if got, err := os.ReadFile(filepath.Join(dir, "same.basket")); err != nil || string(got) != file {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			c.session("basket", "redo 3")
			c.session("basket", "save as:./again.basket")
			want := "\ufeff# Many\r\n" + strings.Repeat("kept\n", 702) + "- [ ] täsk 5\r\n" + strings.Repeat("kept\n", 297) + "kept"
			for _, name := range []string{"few.basket", "again.basket"} {
				if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
					t.Errorf("%s has %d bytes: %v", name, len(got), err)
				}
			}
		})
	}
}
