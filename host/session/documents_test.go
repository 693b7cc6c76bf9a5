package session

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestACleanDocumentIsReplacedUnlessItWasNamed(t *testing.T) {
	c := newClient(t, "list")
	c.put("a.list", "#list A")
	names := func() string {
		var out []string
		for _, d := range c.Documents() {
			out = append(out, d.Name)
		}
		return strings.Join(out, " ")
	}
	c.act("new One")
	c.act("new Two")
	if names() != "Two" {
		t.Errorf("open: %s", names())
	}
	c.act("open a.list as:intro")
	c.act("new Three")
	c.act("new Four")
	if names() != "intro Four" {
		t.Errorf("open: %s", names())
	}
	c.edit("add x")
	c.says(c.act("new Five"), "+ new list document \"Five\"\n? \"Four\" has unsaved changes and stays open\n  try: use \"Four\"\n[1 lines]")
	c.edit("add y")
	c.ok(c.act("undo"))
	c.act("new Six") // Five is as it was
	if names() != "intro Four Six" {
		t.Errorf("open: %s", names())
	}
	c.ok(c.act("use Four"))
	c.ok(c.act("save as:./four.list"))
	c.act("new Seven")
	if names() != "intro Four Six Seven" { // Four has a file
		t.Errorf("open: %s", names())
	}
}

func TestUseAndDocuments(t *testing.T) {
	c := newClient(t, "list")
	c.act("new A as:alpha")
	c.edit("add x")
	c.act(`new B as:"beta two"`)
	c.says(c.act("documents"), "* open documents:\n    \"alpha\" (list), unsaved changes [2 lines]\n  > \"beta two\" (list) [1 lines]\n[1 lines]")
	c.says(c.act("use alpha"), "* now editing \"alpha\" (list)\n[2 lines]")
	c.says(c.act("use ALPHA"), "* now editing \"alpha\" (list)\n[2 lines]")
	c.says(c.act(`use "beta two"`), "* now editing \"beta two\" (list)\n[1 lines]")
	c.says(c.act("use alpa"), "! no open document is named \"alpa\"\n  try: use \"alpha\"")
	c.says(c.act("use"), "! use needs the name of an open document\n  try: documents")
	c.says(c.act("use beta two"), "! a name of several words goes in double quotes\n  try: use \"beta two\"\n  try: documents")
	c.says(c.act("documents all"), "! documents: \"all\" is one word too many; text with spaces goes in double quotes\n  try: documents")
	if r := c.Edit(ctx, "list", "alpha", []string{"add y"}, nil); r.Failed || r.Document != "alpha" || r.Digest != "3 lines" {
		t.Errorf("beside the ops: %s", r)
	}
	c.bad(c.Edit(ctx, "list", "gamma", []string{"add y"}, nil), `no open document is named "gamma"`)
}

func TestNamesAreUniqueAmongTheDocumentsOfTheSameTools(t *testing.T) {
	c := newClient(t, "list", list(t), thing(t))
	c.act("new X as:x")
	c.act("new x") // another document of that domain
	if got := c.Current("list").Name; got != "x-2" {
		t.Errorf("got %s", got)
	}
	if r := c.Session.Session(ctx, "thing", "", "new X"); r.Failed || r.Document != "X" {
		t.Errorf("in another domain: %s", r)
	}
	if r := c.Session.Session(ctx, "", "", "new thing X"); r.Failed || r.Document != "X-3" { // x-2 is taken, too
		t.Errorf("unified: %s", r)
	}
}

func TestDocumentsMadeAtTheSameTimeGetDifferentNames(t *testing.T) {
	c := newClient(t, "list")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			r := c.Session.Session(ctx, "list", "", "new Same")
			if r.Failed {
				t.Error(r)
			}
			c.Edit(ctx, "list", r.Document, []string{"add x"}, nil)
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, d := range c.Documents() {
		if seen[d.Name] {
			t.Errorf("two are named %s", d.Name)
		}
		seen[d.Name] = true
	}
}

func TestASessionHasAtMostSixtyFourDocuments(t *testing.T) {
	c := newClient(t, "thing", thing(t), list(t))
	for i := range DefaultDocuments {
		c.ok(c.Session.Session(ctx, "thing", "", fmt.Sprintf("new D as:d%d", i)))
	}
	want := "! 64 documents open, which is the limit: close one first\n  try: documents\n  try: close"
	c.says(c.Session.Session(ctx, "thing", "", "new E"), want)
	c.put("x.thing", "x")
	c.says(c.Session.Session(ctx, "thing", "", "open x.thing"), want)
	// Only the tools of a domain with an open document can close one.
	c.says(c.Session.Session(ctx, "list", "", "new E"), want)
	c.ok(c.Session.Session(ctx, "thing", "", "close"))
	c.ok(c.Session.Session(ctx, "thing", "", "new E"))
}
