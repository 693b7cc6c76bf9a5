package session

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestHostQueriesRefuseSuperfluousWords(t *testing.T) {
	c := newClient(t, "list")
	c.act("new T")
	c.edit("add a", "add b")
	c.act("checkpoint p")
	for q, says := range map[string]string{
		"status now":               "! status takes no \"now\"\n  try: status",
		"status k:v":               "! status takes no k:\n  try: status",
		"status @all":              "! status takes no selector\n  try: status",
		"checkpoints p":            "! checkpoints takes no \"p\"\n  try: checkpoints",
		"documents x":              "! documents takes no \"x\"\n  try: documents",
		"history x":                "! history \"x\": N is a whole number from 1\n  try: history 10",
		"history 0":                "! history \"0\": N is a whole number from 1\n  try: history 10",
		"history 1 2":              "! history takes no \"2\"\n  try: history 1",
		"history n:5":              "! history takes no n:\n  try: history 5\n  try: history",
		"diff p":                   "! diff needs checkpoint:NAME; the query checkpoints lists the names\n  try: checkpoints",
		"diff checkpoint:":         "! diff needs checkpoint:NAME; the query checkpoints lists the names\n  try: checkpoints",
		"diff checkpoint:p x":      "! diff takes no \"x\"\n  try: diff checkpoint:p",
		"diff checkpoint:q":        "! no checkpoint \"q\"; there are: p\n  try: checkpoints",
		"mp":                       "! unknown query \"mp\"\n  try: map",
		"hist":                     "! unknown query \"hist\"\n  try: history",
		"fnd x":                    "! unknown query \"fnd\"\n  try: find x",
		"frobnicate":               "! unknown query \"frobnicate\"; there are spin find map panic status history diff checkpoints documents help\n  try: help",
		"":                         "! empty query: expected a word\n  try: status",
		`"map"`:                    "! expected a query, found the quoted text \"map\"\n  try: status",
		"find x @bogus":            "! unknown selector @bogus; the selectors are @all @recent\n  try: find x",
		"find":                     "! list| find takes one text\n  try: find x",
		"map from-line:0":          "! from-line: takes a line number from 1, not \"0\"\n  try: map",
		"map from-line:x":          "! from-line: takes a line number from 1, not \"x\"\n  try: map",
		"map from-line:4":          "! from-line:4 is past the end: the answer has 3 lines\n  try: map",
		strings.Repeat("q", 50000): "! unknown query \"" + strings.Repeat("q", 63) + "…\"; there are spin find map panic status history diff checkpoints documents help\n  try: help",
	} {
		c.says(c.ask(q), says)
	}
	c.says(c.ask("map"), "#list T\na\nb")
	c.says(c.ask("MAP"), "#list T\na\nb")
	c.says(c.ask("map from-line:2"), "a\nb")
	c.says(c.ask("find a"), "a")
	c.says(c.ask("history 1"), "2. add b  → line b")
	c.says(c.ask("diff checkpoint:p"), "nothing changed since \"p\"")
	c.edit("add a2")
	c.says(c.ask("find a @recent"), "a\na2") // more ids are sent than asked for, since some elements are gone
	c.says(c.ask("find a a:1 a:2"), "a\na2\n? a: is given more than once; the last value counts")
}

var continues = regexp.MustCompile(`(?m)^… (\d+) more lines?; continue with: (.*)$`)

// whole reads an answer page by page, by the queries that the pages print.
func (c *client) whole(q string) (text string, pages int) {
	c.t.Helper()
	for {
		r := c.ok(c.ask(q))
		pages++
		m := continues.FindStringSubmatch(r.Text)
		if m == nil {
			return text + r.Text, pages
		}
		if !strings.HasSuffix(r.Text, m[0]+"\n") {
			c.t.Fatalf("the way on is not the last line of %q", r.Text)
		}
		text += strings.TrimSuffix(r.Text, m[0]+"\n")
		q = m[2]
		if pages > 100 {
			c.t.Fatal("it never ends")
		}
	}
}

func TestLongAnswersComeInPagesThatNameTheNext(t *testing.T) {
	c := newClient(t, "list")
	c.act("new T")
	want := "#list T"
	var ops []string
	for i := range 1500 {
		ops = append(ops, fmt.Sprintf("add it's-line-%d", i))
		want += fmt.Sprintf("\nit's-line-%d", i)
	}
	c.ok(c.edit(ops...))
	for q, pages := range map[string]int{"map from-line:1": 4, "find it's": 4, `find "it's"`: 4, "find line-1": 2, "find nothing": 1, "history 1500": 4} {
		text, n := c.whole(q)
		if n != pages {
			t.Errorf("%s came in %d pages", q, n)
		}
		if q == "map from-line:1" && strings.TrimSuffix(text, "\n") != want {
			t.Errorf("the pages together are %d bytes, want %d", len(text), len(want))
		}
		if q == "find nothing" && text != "" {
			t.Errorf("got %q", text)
		}
	}
}

// A domain may return only the requested lines and the total number, which may be
// false.
func TestAPartOfAnAnswerIsAPage(t *testing.T) {
	lines := func(from, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "line %d\n", from+i)
		}
		return b.String()
	}
	op := &grammar.Op{Op: abi.Op{Verb: "map"}}
	for _, tt := range []struct {
		name                string
		text                string
		first, total, shown int
		left                string // what the last line says is left, or the error
	}{
		{"the first part", lines(1, pageLines), 1, 1000, pageLines, "… 600 more lines; continue with: map from-line:401\n"},
		{"one in the middle", lines(401, pageLines), 401, 1000, pageLines, "… 200 more lines; continue with: map from-line:801\n"},
		{"the last", lines(801, 200), 801, 1000, 200, ""},
		{"less than was asked for", lines(1, 3), 1, 9, 3, "… 6 more lines; continue with: map from-line:4\n"},
		{"more than was asked for", lines(1, 500), 1, 500, pageLines, "… 100 more lines; continue with: map from-line:401\n"},
		{"more than there is", lines(5, 3), 5, 2, 3, ""},
		{"past the end", "", 9, 8, 0, "from-line:9 is past the end: the answer has 8 lines"},
		{"nothing where there should be something", "", 9, 1000, 0, "from-line:9 is past the end: the answer has 8 lines"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := page(&reply.Reply{Text: tt.text, Total: tt.total}, op, tt.first)
			if r.Failed {
				if r.Results[0].Text != tt.left {
					t.Errorf("refused: %s", r.Results[0].Text)
				}
				return
			}
			if want := lines(tt.first, tt.shown) + tt.left; r.Text != want {
				t.Errorf("got %d bytes, ending in %q", len(r.Text), r.Text[max(0, len(r.Text)-80):])
			}
		})
	}
}

func TestAPageIsBoundedInBytesToo(t *testing.T) {
	c := newClient(t, "list")
	c.act("new T")
	long := strings.Repeat("é", 15_000)
	c.ok(c.edit("add "+long, "add "+long, "add "+long, "add "+long))
	text, pages := c.whole("map from-line:1")
	if pages != 2 || text != "#list T\n"+strings.Repeat(long+"\n", 4)[:4*len(long)+3] && text != "#list T\n"+strings.Repeat(long+"\n", 4) {
		t.Errorf("%d pages, %d bytes", pages, len(text))
	}
	c.put("huge.txt", strings.Repeat("日", 100_000))
	c.ok(c.act("include huge.txt"))
	r := c.ok(c.ask("find huge"))
	if len(r.Text) > pageBytes+200 || !strings.Contains(r.Text, " bytes of this line left out)") || !utf8.ValidString(r.Text) {
		t.Errorf("a line of %d bytes: …%q", len(r.Text), r.Text[len(r.Text)-60:])
	}
}

func TestAQueryMayBeSuggestedAfterAnOp(t *testing.T) {
	d := loadOnce(t, "asker", func() ([]byte, error) {
		m := testwasm.MinimalManifest()
		m.Domain = "asker"
		m.Queries = append(m.Queries, abi.Query{Name: "add", Syntax: "add"})
		acts := testwasm.Minimal()
		acts[abi.ExportManifest] = testwasm.Answers(m)
		acts[abi.ExportApply] = testwasm.Answers(abi.ApplyResponse{Results: []abi.Result{{Error: &abi.Error{Message: "no", Try: []abi.Suggestion{{Text: "map x"}, {Text: "add"}, {Text: "mapped"}, {Kind: abi.TryQuery, Text: "add"}}}}}})
		return testwasm.Scripted(acts), nil
	})
	// As an op, add would be refused again: only the query is left.
	want := []reply.Suggestion{reply.Query("map x"), reply.Query("add")}
	for _, dom := range []string{"asker", ""} {
		c := newClient(t, dom, d)
		c.ok(c.Session.Session(ctx, dom, "", "new "+map[bool]string{true: "asker "}[dom == ""]+"T"))
		if r := c.Edit(ctx, dom, "", []string{"add"}, nil); !slices.Equal(r.Results[0].Try, want) {
			t.Errorf("%q: %s", dom, r)
		}
	}
}

// Sent as an op, save is suggested as the action that works: a document without
// a file needs a path.
func TestAnActionThatIsSuggestedAfterAnOpWorks(t *testing.T) {
	c := newClient(t, "list")
	c.ok(c.act("new T"))
	for range 2 {
		r := c.edit("save")
		if !r.Failed || len(r.Results[0].Try) != 1 || r.Results[0].Try[0].Kind != abi.TryAction {
			t.Fatalf("%s", r)
		}
		c.ok(c.act(r.Results[0].Try[0].Text)) // the second time there is a file
	}
}

func TestOneCallAnswersSeveralQueriesOneALine(t *testing.T) {
	c := newClient(t, "list")
	c.act(`new "A"`)
	c.edit("add x", `add "y z"`)
	ask := func(q string) *reply.Reply { return c.Query(ctx, "list", "", q) }
	c.says(ask("map"), "#list A\nx\ny z")
	c.says(ask(" map\n\n find x \r\n"), "> map\n#list A\nx\ny z\n> find x\nx")
	c.says(ask("find \"y z\"\nmap"), "> find \"y z\"\ny z\n> map\n#list A\nx\ny z")
	// One that fails does not keep the others from being answered.
	r := ask("fnd x\nfind y")
	c.says(r, "! \"fnd x\": unknown query \"fnd\"\n  try: find x\n> find y\ny z")
	if !r.Failed {
		t.Error("a failed query is no failure")
	}
	// A line break within quotes does not separate queries.
	c.says(ask("find \"x\nmap\""), "")
	c.bad(ask(strings.Repeat("map\n", 33)), "a call answers at most 32 queries, this one holds 33")
}

func TestQueriesThatFillAPageKeepOthersFromBeingAsked(t *testing.T) {
	c := newClient(t, "list")
	c.act(`new "A"`)
	long := strings.Repeat("x", 900)
	for range 10 {
		c.edit("add "+long, "add "+long, "add "+long, "add "+long, "add "+long, "add "+long, "add "+long, "add "+long, "add "+long, "add "+long)
	}
	r := c.Query(ctx, "list", "", "map from-line:1\nmap from-line:1\nfind y\nstatus")
	if len(r.Then) != 2 || r.Failed || !strings.Contains(r.String(), "? not asked, since the answers above fill a page: find y, status") {
		t.Errorf("%d answers; %.200s", len(r.Then), r.String()[len(r.String())-200:])
	}
}
