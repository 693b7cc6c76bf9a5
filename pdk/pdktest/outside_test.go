package pdktest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// heap is the model of a folder. It counts the empty files.
type heap struct {
	files *pdk.Files
	empty int
}

// heaps is a domain of folders with planted bugs: with deaf, the count is not updated after the folder was opened; with
// stray, a verb changes files without an event; with picky, the domain panics at bytes that are not text.
func heaps(deaf, stray, picky bool) *pdk.Domain[*heap] {
	return &pdk.Domain[*heap]{
		Name: "heap", Title: "Heap", Version: "1.0.0", Summary: "s",
		Folder: &pdk.Folder[*heap]{
			Folder: abi.Folder{Include: []string{"**"}},
			Open: func(f *pdk.Files) (*heap, []string, error) {
				h := &heap{files: f}
				count := func(string) {
					h.empty = 0
					for _, name := range f.Names() {
						if len(f.Get(name)) == 0 {
							h.empty++
						}
						if picky && strings.Contains(string(f.Get(name)), "\xff") {
							panic("not text")
						}
					}
				}
				count("")
				if !deaf {
					f.Changed = count
				}
				return h, nil, nil
			},
			Files: func(h *heap) *pdk.Files { return h.files },
		},
		State: func(h *heap) abi.State { return abi.State{Digest: fmt.Sprintf("%d empty", h.empty)} },
		Verbs: []pdk.Verb[*heap]{{Verb: abi.Verb{Name: "put", Syntax: "put FILE TEXT", Summary: "s", Min: 2, Max: 2, Examples: []string{"put a b"}},
			Run: func(c *pdk.Ctx[*heap], a pdk.Args) error {
				if stray {
					c.Model.files.Put("stray", []byte("x"))
				}
				c.Changed("%s", a.Text(0))
				return c.PutFile(a.Text(0), []byte(a.Text(1)), "put", a.Text(0))
			}}},
		Session: []pdk.SessionAction[*heap]{{Session: abi.Session{Name: "half", Syntax: "half", Summary: "s"}, Run: func(c *pdk.Ctx[*heap], _ pdk.Args, _ []byte) error {
			if err := c.RemoveFile("a", "remove"); err != nil {
				return err
			}
			return pdk.Errorf("half done")
		}}},
		Tools: []pdk.Tool[*heap]{
			{Tool: abi.Tool{Name: "mute", Description: "d", On: abi.OnFolder, InputSchema: []byte("{}")}, Run: func(c *pdk.Ctx[*heap], _ []byte) (pdk.ToolResult, error) {
				return pdk.ToolResult{}, c.PutFile("a", nil, "mute")
			}},
			{Tool: abi.Tool{Name: "untyped", Description: "d", InputSchema: []byte("{}"), OutputSchema: []byte("{}")}, Run: func(c *pdk.Ctx[*heap], args []byte) (pdk.ToolResult, error) {
				return pdk.ToolResult{JSON: args[:len(args)-1]}, nil
			}},
			{Tool: abi.Tool{Name: "fails", Description: "d", On: abi.OnFolder, InputSchema: []byte("{}")}, Run: func(c *pdk.Ctx[*heap], _ []byte) (pdk.ToolResult, error) {
				if err := c.PutFile("a", nil, "fails"); err != nil {
					return pdk.ToolResult{}, err
				}
				return pdk.ToolResult{}, &pdk.ToolError{Code: 7, Message: "it failed", Data: []byte("[1]")}
			}},
		},
	}
}

func TestAFolderThatFollowsItsFilesKeepsTheLaws(t *testing.T) {
	d := heaps(false, false, false)
	pdktest.Manifest(t, d)
	doc := pdktest.OpenFolder(t, d, map[string]string{"a": "", "b/c": "text"})
	doc.Laws("put a x", `put d ""`, "put a x")
	doc.SessionFails("half", "half done")
	if e := doc.ToolFails("fails", "{}", "it failed"); e.Code != 7 || string(e.Data) != "[1]" {
		t.Errorf("the tool's error is %+v", e)
	}
	doc.Outside("a", nil)
	doc.Outside("new", []byte("by others"))
	if got := fmt.Sprint(doc.Files()); got != "map[b/c:text d: new:by others]" {
		t.Errorf("the files are %s", got)
	}
	doc.Undo(2)
	if got := doc.Reopen(); got.Digest() != doc.Digest() {
		t.Errorf("reopened it is %s", got.Digest())
	}
}

func TestAFolderThatDoesNotFollowItsFilesIsFound(t *testing.T) {
	for name, tt := range map[string]struct {
		domain *pdk.Domain[*heap]
		says   string
	}{
		"deaf":  {heaps(true, false, false), "its model has to follow its files"},
		"stray": {heaps(false, true, false), "undo of op"},
	} {
		got := record(t, func(t testing.TB) {
			pdktest.OpenFolder(t, tt.domain, map[string]string{"a": "x"}).Laws(`put b ""`)
		})
		if !strings.Contains(got, tt.says) {
			t.Errorf("%s: %s", name, got)
		}
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a domain that panics at what others write passes")
			}
		}()
		pdktest.OpenFolder(t, heaps(false, false, true), nil).Laws(`put b ""`)
	}()
	got := record(t, func(t testing.TB) { pdktest.OpenFolder(t, heaps(false, false, false), nil).Tool("mute", "{}") })
	if !strings.Contains(got, "tool mute changed the document without a summary") {
		t.Errorf("mute: %s", got)
	}
	if _, err := pdktest.Tool(t, heaps(false, false, false), "untyped", "[]"); err == nil || !strings.Contains(err.Error(), "not JSON") {
		t.Errorf("untyped: %v", err)
	}
}
