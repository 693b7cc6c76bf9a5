package session

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/reply"
)

// then runs ops and what follows them, and tries all that is suggested.
func (c *client) then(ops, then []string) *reply.Reply {
	c.t.Helper()
	r := c.Edit(ctx, c.dom, "", ops, then)
	for _, part := range append([]*reply.Reply{r}, r.Then...) {
		c.tryAll(strings.Join(then, "; "), part)
	}
	return r
}

func TestQueriesAndActionsFollowOpsInOrderBeforeTheOneDigest(t *testing.T) {
	c := newClient(t, "list")
	c.act(`new "A"`)
	c.says(c.then([]string{"add x", "add y"}, []string{"map", "save as:./a.list", "undo", "checkpoints"}),
		"+ x\n+ y\n#list A\nx\ny\n* saved a.list (11 bytes)\n* undid add y\n> checkpoints\nno checkpoint yet\n[2 lines]")
	if got := c.file("a.list"); got != "#list A\nx\ny" {
		t.Errorf("saved %q", got)
	}
	r := c.then([]string{"add z"}, []string{"status"})
	if got := strings.Count(r.String(), "[3 lines"); got != 1 || !strings.HasSuffix(r.String(), "revision: 3\n[3 lines *unsaved]") {
		t.Errorf("the digest is there %d times:\n%s", got, r)
	}
	c.contains(c.then([]string{"add w"}, []string{"documents"}), `> "A" (list) a.list, unsaved changes [4 lines]`, "\n[4 lines]")
}

func TestWithoutOpsOnlyThenRuns(t *testing.T) {
	c := newClient(t, "list")
	c.act(`new "A"`)
	c.says(c.then([]string{}, []string{"save as:./a.list", "checkpoint here"}), "* saved a.list (7 bytes)\n+ checkpoint \"here\"\n[1 lines]")
	c.says(c.then(nil, nil), "! ops is empty\n[1 lines]")
	c.says(c.then([]string{}, []string{"mapp"}), "! then \"mapp\": unknown query or action\n  try: map\n[1 lines]")
	c.says(c.then([]string{}, []string{"map\ncheckpoints", "map"}), "#list A\n> checkpoints\nhere: here\n> map\n#list A\n[1 lines]")
	c.bad(c.then([]string{}, []string{"map\nadd z", "save"}), `unknown query or action`, `not run: "save"`)
	if r := c.bad(c.then([]string{" ", "\n"}, []string{"map"})); len(r.Then) > 0 {
		t.Error("what was to follow blank ops ran")
	}
	c.bad(newClient(t, "list").then([]string{}, []string{"map"}), "no document open")
}

func TestThenFollowsTheDocumentThatAnActionMadeCurrent(t *testing.T) {
	c := newClient(t, "list")
	c.act(`new "A" as:a`)
	c.act(`new "B" as:b`)
	r := c.Edit(ctx, "list", "a", []string{"add x"}, []string{`new "N"`, "map"})
	c.contains(r, "+ x\n+ new list document \"N\"", "\n#list N\n[1 lines]")
}

func TestASuggestedFileDoesNotExist(t *testing.T) {
	c := newClient(t, "list")
	c.put("A.list", "#list foreign")
	c.act(`new "A"`)
	c.edit("add x")
	c.bad(c.act("save"), "try: save as:\"./A-2.list\"")
	c.bad(c.act("export upper"), "try: export upper as:\"./A.txt\"")
	if r := c.act("import upper as:./A.list"); strings.Contains(r.String(), "try: export") {
		t.Errorf("import is not export:\n%s", r)
	}
}

func TestThenDoesNotRunAfterACallThatFailed(t *testing.T) {
	c := newClient(t, "list")
	for _, mode := range []string{"atomic", "each"} {
		c.act(`new "A"`)
		c.act("batch " + mode)
		r := c.bad(c.then([]string{"add x", "remove nothing"}, []string{"save as:./" + mode + ".list", "map"}), "! op 2 (remove nothing)")
		if len(r.Then) > 0 {
			t.Errorf("%s: what was to follow ran:\n%s", mode, r)
		}
		c.act("close force")
	}
	if names := c.roots.List(c.dir); len(names) > 0 {
		t.Errorf("there are files %v", names)
	}
}

func TestThenEndsAtTheFirstFailureAndTheOpsStay(t *testing.T) {
	c := newClient(t, "list")
	c.act(`new "A"`)
	for _, tt := range []struct {
		then []string
		want string
	}{
		{[]string{"map", "mapp", "save as:./a.list", "map"},
			"#list A\nx\n! then \"mapp\": unknown query or action\n  try: map\n! kept: what was done before; not run: \"save as:./a.list\", \"map\"\n[2 lines]"},
		{[]string{"sve as:./a.list"}, "! then \"sve as:./a.list\": unknown query or action\n  try: save as:./a.list\n[2 lines]"},
		{[]string{"export nothing as:./x", "map"}, "! then \"export nothing as:./x\": unknown export format"},
		{[]string{"history zero"}, "! then \"history zero\": history \"zero\": N is a whole number from 1\n  try: history 10"},
		{[]string{""}, "! then \"\": "},
		{[]string{"zzzz"}, "! then \"zzzz\": unknown query or action\n"},
		{[]string{`"open`}, "! then \"\\\"open\": "},
		{[]string{"save"}, "! then \"save\": the document has no file yet\n  try: save as:\"./A.list\""},
	} {
		r := c.bad(c.then([]string{"add x"}, tt.then), "+ x\n", strings.TrimPrefix(tt.want, "#list A\nx\n"))
		if lines := strings.Split(unmarked(r), "\n"); lines[len(lines)-1] != "[2 lines]" {
			t.Errorf("%q: the last line is %q", tt.then, lines[len(lines)-1])
		}
		c.ok(c.act("undo"))
	}
}

func TestThenIsAboutTheDocumentOfTheOps(t *testing.T) {
	c := newClient(t, "list")
	c.act(`new "A" as:a`)
	c.act(`new "B" as:b`)
	r := c.ok(c.Edit(ctx, "list", "a", []string{"add x"}, []string{"map", "checkpoint here", "undo"}))
	c.says(r, "+ x\n#list A\nx\n+ checkpoint \"here\"\n* undid add x\n[1 lines]")
	if got := c.Current("list").Name; got != "b" {
		t.Errorf("the current document is %s", got)
	}
	// After an action that makes another document current, the rest is about that document, as between calls.
	c.says(c.ok(c.then([]string{"add y"}, []string{"use a", "map"})), "+ y\n* now editing \"a\" (list)\n#list A\n[1 lines]")
	c.says(c.ok(c.then([]string{"add z"}, []string{`new "C" as:c`, "map"})),
		"+ z\n+ new list document \"c\"\n? \"a\" has unsaved changes and stays open\n  try: use \"a\"\n#list C\n[1 lines]")
	r = c.Edit(ctx, "list", "a", []string{"add y"}, []string{"use b", "map"})
	c.says(r, "+ y\n* now editing \"b\" (list)\n#list B\ny\n[2 lines]")
	c.bad(c.then([]string{"add q"}, []string{"close force", "undo"}), "- closed")
}

func TestOpsRunAfterOthersAllOrNone(t *testing.T) {
	c := newClient(t, "list")
	c.put("a.list", "#list A")
	text := c.ok(c.Actions(t.Context(), "list", "", []string{"open a.list", "add x", "add y", "save copy:b.list", "add z", "undo 2", "map"})).String()
	for _, part := range []string{"\n+ list| x\n+ list| y\n* saved b.list", "\n+ list| z\n* undid add z\n* undid add y\n", "\n  #list A\n  x\n"} {
		if !strings.Contains(text, part) {
			t.Errorf("the reply lacks %q:\n%s", part, text)
		}
	}
	if got := c.file("b.list"); got != "#list A\nx\ny\n" && got != "#list A\nx\ny" {
		t.Errorf("the copy holds %q", got)
	}
	text = c.bad(c.then([]string{"add one"}, []string{"add two", "ad three", "save", "map"}), "unknown").String()
	if !strings.Contains(text, `not run: "save"`) {
		t.Errorf("got %s", text)
	}
	text = c.bad(c.then(nil, []string{"add four", "remove nothing-like-it", "save"}), "nothing-like-it").String()
	if strings.Contains(c.ok(c.ask("map")).Text, "four") || !strings.Contains(text, `not run: "save"`) {
		t.Errorf("a part of the ops stayed: %s", text)
	}
}
