package session

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/conformance/roots"
	"github.com/fcp-host/fcp-host/host/domain"
)

// treeClient is a session whose only root is a tree.
func treeClient(t *testing.T, m *roots.Memory, domains ...*domain.Domain) *client {
	t.Helper()
	c := &client{t, New(domain.List(domains), m.Roots(t)), domains[0].Name(), t.TempDir()}
	t.Cleanup(c.Close)
	return c
}

func TestFilesOfAServerAreOpenedAndSaved(t *testing.T) {
	m := &roots.Memory{}
	m.Put(t, "a.list", []byte("#list A\none"))
	m.Put(t, "songs/b.list", []byte("#list B"))
	c := treeClient(t, m, list(t))
	at := func(name string) string {
		data, _ := m.Get(t, name)
		return string(data)
	}
	c.says(c.act("open nope.list"), `! cannot open: nope.list: file does not exist; its folder holds "a.list"`+"\n  try: open \"./a.list\"")
	c.says(c.act("open"), "! open needs a path\n  try: open \"./a.list\"")
	c.says(c.act("open ../a.list"), "! cannot open: mem://bucket/a.list is outside the allowed folders (mem://bucket/prefix); start fcp-host with --root to allow another")
	c.says(c.act("open mem://bucket/prefix/songs/b.list"), "+ opened songs/b.list as \"b\" (list)\n  #list B\n[1 lines]")
	c.says(c.act("open a.list"), "+ opened a.list as \"a\" (list)\n  #list A\n  one\n[2 lines]")
	c.ok(c.edit("add two"))
	c.says(c.act("save"), "* saved a.list (15 bytes)\n[3 lines]")
	if at("a.list") != "#list A\none\ntwo" {
		t.Errorf("it holds %q", at("a.list"))
	}
	// Somebody else, such as another host, writes.
	m.Put(t, "a.list", []byte("#list A\ntheirs"))
	c.ok(c.edit("add three"))
	c.says(c.act("save"), "! a.list changed on disk since it was opened; nothing was written\n  try: save force\n  try: save as:\"a-2.list\"\n[4 lines]")
	c.says(c.act("open a.list as:theirs"), "+ opened a.list as \"theirs\" (list)\n  #list A\n  theirs\n? \"a\" has unsaved changes and stays open\n  try: use \"a\"\n? \"a\" holds unsaved changes of the same file\n[2 lines]")
	c.ok(c.edit("add ours"))
	c.ok(c.act("save"))
	c.ok(c.act("use a"))
	c.says(c.act("save as:a.list"), "! a.list changed on disk since it was opened; nothing was written\n  try: save force\n  try: save as:\"a-2.list\"\n[4 lines]")
	c.says(c.act("save as:a-2.list"), "* saved a-2.list (21 bytes)\n[4 lines]")
	c.says(c.act("save as:a.list force"), "* saved a.list (21 bytes)\n[4 lines]")
	c.says(c.act("export upper as:./t.txt"), "+ exported t.txt (upper, 21 bytes)\n[4 lines]")
	c.says(c.act("export upper as:./t.txt"), "+ exported t.txt (upper, 21 bytes)\n[4 lines]")
	m.Put(t, "t.txt", []byte("theirs"))
	if r := c.act("export upper as:./t.txt"); !strings.Contains(r.String(), "t.txt already exists") || at("t.txt") != "theirs" {
		t.Errorf("over somebody else's it says %s", r)
	}
	c.says(c.act("save as:new/folder/c.list"), "* saved new/folder/c.list (21 bytes)\n[4 lines]")
	if r := c.ask("status"); !strings.Contains(r.String(), "file: new/folder/c.list") {
		t.Errorf("the status is %s", r)
	}
	if r := c.act("save as:../c.list"); !strings.Contains(r.String(), "outside the allowed folders") {
		t.Errorf("outside it says %s", r)
	}
}

// A save whose answer did not come says so, and the next one is no conflict.
func TestTheNextSaveResolvesAnUnansweredOne(t *testing.T) {
	for _, came := range []bool{true, false} {
		m := &roots.Memory{}
		m.Put(t, "a.list", []byte("#list A"))
		c := treeClient(t, m, list(t))
		c.ok(c.act("open a.list"))
		c.ok(c.act("save"))
		c.ok(c.edit("add one"))
		m.Fault = func(_ context.Context, what, _ string, done bool) error {
			if what == "write" && done != came {
				return nil
			}
			return errors.New("the connection was cut")
		}
		for range 2 {
			c.ok(c.edit("add more"))
			if r := c.act("save"); !r.Failed || !strings.Contains(r.String(), "the connection was cut") || strings.Contains(r.String(), "changed on disk") {
				t.Errorf("it says %s", r)
			}
		}
		m.Fault = nil
		c.ok(c.edit("add two"))
		c.ok(c.act("save"))
		if data, _ := m.Get(t, "a.list"); !strings.HasSuffix(string(data), "two") {
			t.Errorf("it holds %q", data)
		}
	}
}

func TestFoldersNeedAFolder(t *testing.T) {
	m := &roots.Memory{}
	m.Put(t, "deck/card.md", []byte("# A"))
	c := treeClient(t, m, deck(t, folders, func(m *abi.Manifest) { m.Extensions = nil }))
	for _, action := range []string{"open ./deck", "new ./other"} {
		if r := c.act(action); !r.Failed || !strings.Contains(r.String(), "is in an object store: folders and programs need a folder of this machine") {
			t.Errorf("%s says %s", action, r)
		}
	}
}

// Another host recovers a document and reports what has happened to its file.
func TestADocumentOfAServersFileIsRecovered(t *testing.T) {
	for _, c := range []struct {
		what string
		do   func(m *roots.Memory)
		says string
		save string
	}{
		{"nothing", func(*roots.Memory) {}, "recovered \"a\" (list): 1 op to undo, unsaved changes\n  #list A\n  one\n  two\n[3 lines *unsaved]", "* saved a.list"},
		{"changed", func(m *roots.Memory) { m.Put(t, "a.list", []byte("#list A\ntheirs")) }, "its file a.list was changed by somebody else meanwhile", "! a.list changed on disk"},
		{"gone", func(m *roots.Memory) { m.Drop(t, "a.list") }, "its file a.list is gone; save writes it again", "* saved a.list"},
	} {
		m := &roots.Memory{}
		m.Put(t, "a.list", []byte("#list A\none"))
		e := newLeftoverFolder(t)
		e.roots = m.Roots(t)
		first := e.clientOf(t, "")
		first.ok(first.act("open a.list"))
		first.ok(first.edit("add two"))
		first.Close()
		c.do(m)
		e.roots = m.Roots(t) // of a host that knows nothing
		next := e.clientOf(t, "")
		if r := next.act("recover"); !strings.Contains(r.String(), c.says) {
			t.Errorf("%s: it says %s", c.what, r)
		}
		if r := next.act("save"); !strings.HasPrefix(r.String(), c.save) {
			t.Errorf("%s: the save says %s", c.what, r)
		}
	}
}
