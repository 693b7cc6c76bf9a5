package command

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
)

// The domain of testdata/tally is freestanding C, written from docs/abi.md alone. It must behave like the plugins in Go.
func TestJudgeADomainInCIsServedLikeAnyOther(t *testing.T) {
	wasm := judge.C(t, "tally")
	module, err := os.ReadFile(wasm)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(module, []byte("extism:host/env")) || bytes.Contains(module, []byte("fcp:host/env")) {
		t.Error("the module is to exercise Extism's own way for input and output, and not ours")
	}

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "42") }))
	defer server.Close()
	t.Setenv("TALLY_URL", server.URL)
	dir := t.TempDir()
	c := serveProcess(t, dir, "--plugin", wasm, "--grant", "tally=http:totals")
	run := func(name string, f func()) {
		t.Run(name, func(sub *testing.T) {
			c.t = sub
			f()
		})
		c.t = t
	}
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			c.t.Fatal(err)
		}
	}
	want := func(what, got, want string) {
		c.t.Helper()
		if got != want {
			c.t.Errorf("%s:\n got %q\nwant %q", what, got, want)
		}
	}
	saved := func() string {
		c.t.Helper()
		c.session("tally", "save as:./now.tally force")
		data, err := os.ReadFile(filepath.Join(dir, "now.tally"))
		if err != nil {
			c.t.Fatal(err)
		}
		return string(data)
	}
	// fails runs ops that must fail, and checks that the document is unchanged.
	fails := func(reply string, ops ...string) {
		c.t.Helper()
		before := saved()
		text, failed := c.call("tally", map[string]any{"ops": ops})
		if !failed || !strings.Contains(text, reply) {
			c.t.Errorf("%q: %q does not hold %q", ops, text, reply)
		}
		want(strings.Join(ops, ", ")+" fails, and the document", saved(), before)
	}

	run("ops make, change and delete what the file holds", func() {
		c.session("tally", `new "Fruit"`)
		want("add", c.edit("tally", "add apples by:3", `add "green pears"`, "add apples", `add "-> \"x\"" by:-5`),
			"+ apples 3\n+ green pears 1\n* apples 4 (was 3)\n+ -> \"x\" -5\n[3 tallies sum 0]")
		want("rename", c.edit("tally", "rename green-p Pears"), "* rename \"green pears\" Pears\n[3 tallies sum 0]")
		want("@recent", c.edit("tally", "add kiwi", "add plum", "remove @recent:3 @not:recent"),
			"+ kiwi 1\n+ plum 1\n@ 2 tallies removed\n[3 tallies sum 0]")
		want("the file", saved(), "# Fruit\napples 4\n-> \"x\" -5\nplum 1\n")
		want("map", c.must("tally_query", map[string]any{"q": "map"}), "3 tallies sum 0\napples 4\n\"-> \\\"x\\\"\" -5\nplum 1")
		want("stats", c.must("tally_query", map[string]any{"q": "stats"}), "3 tallies sum 0")
	})

	run("a call that fails changes nothing and says what would work", func() {
		fails(`no tally is called grapes`, "add lost", "remove apples", "remove grapes")
		fails("try: add apples by:2", "add lost", "add apples by:many")
		fails("has no parameter to:", "add lost", "add apples to:3")
		fails("is called apples already", "rename plum apples")
		fails("a name is 1 to 200 bytes", "add "+strings.Repeat("x", 201))
		fails("try: rename Apples b", "add Apples", "rename APPLES b")
		if text, failed := c.call("tally_query", map[string]any{"q": "map x:1"}); !failed || !strings.Contains(text, "try: map") {
			c.t.Errorf("map x:1: %q", text)
		}
	})

	run("one by one, the ops before and after a failed one stand", func() {
		before := saved()
		c.session("tally", "batch each")
		text, _ := c.call("tally", map[string]any{"ops": []string{"add kiwi", "remove grapes", "add kiwi"}})
		if !strings.HasPrefix(text, "+ kiwi 1\n! op 2 ") || !strings.Contains(text, "* kiwi 2 (was 1)") {
			c.t.Errorf("got %q", text)
		}
		c.session("tally", "batch atomic")
		c.session("tally", "undo 2")
		want("undone", saved(), before)
	})

	run("undo and redo go through every state, byte for byte", func() {
		states := []string{saved()}
		ops := []string{"add apples by:96", `rename apples "a much longer name"`, "add figs", `remove plum "-> \"x\""`, "rename figs f", "remove @all"}
		for _, op := range ops {
			c.edit("tally", op)
			states = append(states, saved())
		}
		for i := len(ops) - 1; i >= 0; i-- {
			c.session("tally", "undo")
			want("undo "+ops[i], saved(), states[i])
		}
		for i, op := range ops {
			c.session("tally", "redo")
			want("redo "+op, saved(), states[i+1])
		}
		c.session("tally", "undo 6")
		want("undo 6", saved(), states[0])
	})

	run("a trap costs the call it happens in", func() {
		c.edit("tally", "add before")
		c.edit("tally", "remove @recent")
		c.session("tally", "undo")
		fails("the tally plugin failed: trap: unreachable", "add lost", "trap", "add never")
		c.session("tally", "redo") // runs on the fresh instance
		c.session("tally", "undo 2")
		if strings.Contains(saved(), "before") {
			c.t.Error("what was done before the trap is not undone after it")
		}
		c.edit("tally", "add after")
		c.session("tally", "undo")
	})

	run("open then save is the identity, and so is a change that is undone", func() {
		for name, content := range map[string]string{
			"empty":           "",
			"one line":        "a 1\n",
			"no end of line":  "a 1\nb 2",
			"Windows":         "# T\r\n\r\na b\t 1\r\n",
			"odd but right":   "\ufeff a  007 \n\n#x\n \t\nb -0\n# y",
			"not only ASCII":  "Äpfel 3\n苹果 4\n",
			"nearly the most": strings.Repeat("# "+strings.Repeat("x", 1021)+"\n", 15) + "a 1\n",
		} {
			write("in.tally", content)
			c.session("tally", "open ./in.tally")
			want(name, saved(), content)
			c.edit("tally", `add "something new" by:5`, "add a by:-3", "rename some else")
			if saved() == content {
				c.t.Errorf("%s: ops left no trace", name)
			}
			c.session("tally", "undo batch")
			want(name+", undone", saved(), content)
		}
	})

	run("what is no tally is refused with a reason, and the document before stays", func() {
		before := saved()
		for content, reason := range map[string]string{
			"\x00\xff\x80garbage":           "not UTF-8 text",
			"a 1\x1b[31m\n":                 "not UTF-8 text",
			"a 1\nlorem ipsum\n":            "line 2 is neither",
			"a 1234567890123\n":             "line 1 is neither",
			"a 1\n# x\na 2\n":               "line 3 counts a, which an earlier line does",
			strings.Repeat("# x\n", 20_000): "larger than 16384 bytes",
		} {
			write("bad.tally", content)
			text, failed := c.call("tally_session", map[string]any{"action": "open ./bad.tally"})
			if !failed || !strings.HasPrefix(text, "! cannot open bad.tally: tally| "+reason) {
				c.t.Errorf("%.30q is answered with %q, not with %q", content, text, reason)
			}
		}
		want("the document before", saved(), before)
	})

	run("export writes the format of the manifest", func() {
		write("in.tally", "# T\nsay \"hi\" 2\nb 1\n")
		c.session("tally", "open ./in.tally")
		c.session("tally", "export csv as:./out.csv")
		got, err := os.ReadFile(filepath.Join(dir, "out.csv"))
		if err != nil {
			c.t.Fatal(err)
		}
		want("csv", string(got), "name,count\r\n\"say \"\"hi\"\"\",2\r\n\"b\",1\r\n")
		if text, failed := c.call("tally_session", map[string]any{"action": "export csv as:./out.csv sep:tab"}); !failed {
			c.t.Errorf("an unknown parameter is taken: %q", text)
		}
	})

	run("a query asks a server and goes on with its answer", func() {
		write("in.tally", "a 1\nb 2\n")
		c.session("tally", "open ./in.tally")
		for range 3 {
			want("shared", c.must("tally_query", map[string]any{"q": "shared"}), "3 here, 42 on the server")
		}
		server.Close()
		if text, failed := c.call("tally_query", map[string]any{"q": "shared"}); !failed || !strings.Contains(text, "no connection") {
			c.t.Errorf("without a server: %q", text)
		}
		want("stats", c.must("tally_query", map[string]any{"q": "stats"}), "2 tallies sum 3")
	})
}
