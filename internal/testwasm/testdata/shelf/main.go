// Command shelf is the plugin for tests of folders: a folder of texts, saved by each call.
// Its model is parsed from the files: the first line of each is its title, and a file that does not
// begin with "# " is broken.
package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

func main() {}

func init() { pdk.Serve(domain()) }

type shelf struct {
	files  *pdk.Files
	titles map[string]string // by file; "" for a broken one
}

func open(f *pdk.Files) (*shelf, []string, error) {
	s := &shelf{files: f, titles: map[string]string{}}
	for _, name := range f.Names() {
		s.parse(name)
	}
	f.Changed = s.parse
	return s, s.broken(), nil
}

// parse parses a changed file.
func (s *shelf) parse(name string) {
	if !s.files.Has(name) {
		delete(s.titles, name)
		return
	}
	first, _, _ := strings.Cut(string(s.files.Get(name)), "\n")
	title, ok := strings.CutPrefix(first, "# ")
	if s.titles[name] = title; !ok {
		s.titles[name] = ""
	}
}

func (s *shelf) broken() (out []string) {
	for _, name := range s.files.Names() {
		if s.titles[name] == "" {
			out = append(out, name+" does not begin with a title")
		}
	}
	return out
}

func put(c *pdk.Ctx[*shelf], name, text string) error {
	c.Changed("%s", name)
	return c.PutFile(name, []byte(text), "put "+name, name)
}

// domain declares the plugin.
//
// Over 80 lines: it is one table.
func domain() *pdk.Domain[*shelf] {
	return &pdk.Domain[*shelf]{
		Name: "shelf", Title: "Shelf", Version: "1.0.0", Summary: "Folders of texts, for tests",
		Wants: []abi.Want{{Kind: abi.WantFolder, Reason: "A folder of texts is a shelf."}},
		Folder: &pdk.Folder[*shelf]{
			Folder: abi.Folder{Include: []string{"**/*.txt"}, Marker: ".shelf"},
			Open:   open,
			Files:  func(s *shelf) *pdk.Files { return s.files },
			New: func(f *pdk.Files, r *abi.NewRequest) error {
				f.Put("readme.txt", []byte("# "+r.Title+"\n"))
				return nil
			},
		},
		Autosave: true,
		State: func(s *shelf) abi.State {
			return abi.State{Digest: fmt.Sprintf("%d texts", len(s.titles)), Warnings: s.broken(), Counts: []abi.Count{{Name: "texts", Value: len(s.titles)}}}
		},
		Verbs: []pdk.Verb[*shelf]{
			{Verb: abi.Verb{Name: "put", Syntax: "put FILE TEXT", Summary: "make a file hold a text", Min: 2, Max: 2, Examples: []string{`put a.txt "# A"`}},
				Run: func(c *pdk.Ctx[*shelf], a pdk.Args) error { return put(c, a.Text(0), a.Text(1)+"\n") }},
			{Verb: abi.Verb{Name: "append", Syntax: "append FILE TEXT", Summary: "add a line to a file", Min: 2, Max: 2, Examples: []string{"append a.txt x"}},
				Run: func(c *pdk.Ctx[*shelf], a pdk.Args) error {
					if !c.Model.files.Has(a.Text(0)) {
						return pdk.Errorf("no file %s", a.Text(0)).Instead(a.Text(0), pdk.Nearest(a.Text(0), c.Model.files.Names())...)
					}
					return put(c, a.Text(0), string(c.Model.files.Get(a.Text(0)))+a.Text(1)+"\n")
				}},
			{Verb: abi.Verb{Name: "drop", Syntax: "drop FILE", Summary: "take a file away", Min: 1, Max: 1, Examples: []string{"drop a.txt"}},
				Run: func(c *pdk.Ctx[*shelf], a pdk.Args) error {
					if !c.Model.files.Has(a.Text(0)) {
						return pdk.Errorf("no file %s", a.Text(0))
					}
					c.Deleted("%s", a.Text(0))
					return c.RemoveFile(a.Text(0), "drop "+a.Text(0), a.Text(0))
				}},
			{Verb: abi.Verb{Name: "move", Syntax: "move FILE FILE", Summary: "give a file another name", Min: 2, Max: 2, Examples: []string{"move a.txt b.txt"}},
				Run: func(c *pdk.Ctx[*shelf], a pdk.Args) error {
					data := c.Model.files.Get(a.Text(0))
					if data == nil {
						return pdk.Errorf("no file %s", a.Text(0))
					}
					if err := c.RemoveFile(a.Text(0), "move "+a.Text(0), a.Text(0)); err != nil {
						return err
					}
					c.Changed("%s", a.Text(1))
					return c.PutFile(a.Text(1), data, "move to "+a.Text(1), a.Text(1))
				}},
		},
		Queries: []pdk.Query[*shelf]{
			{Query: abi.Query{Name: "map", Syntax: "map", Summary: "files and their titles"}, Run: func(v *pdk.View[*shelf], a pdk.Args) (abi.QueryResponse, error) {
				out := []string{}
				for _, name := range v.Model.files.Names() {
					out = append(out, name+": "+v.Model.titles[name])
				}
				return abi.QueryResponse{Text: strings.Join(out, "\n")}, nil
			}},
			{Query: abi.Query{Name: "titles", Syntax: "titles", Summary: "files and their titles, as a list to pick from"}, Run: func(v *pdk.View[*shelf], a pdk.Args) (abi.QueryResponse, error) {
				out := []string{}
				for _, name := range v.Model.files.Names() {
					out = append(out, name+"  "+v.Model.titles[name])
				}
				return abi.QueryResponse{Text: strings.Join(out, "\n")}, nil
			}},
			{Query: abi.Query{Name: "show", Syntax: "show FILE", Summary: "what a file holds"}, Run: func(v *pdk.View[*shelf], a pdk.Args) (abi.QueryResponse, error) {
				return abi.QueryResponse{Text: string(v.Model.files.Get(a.Text(0)))}, nil
			}},
		},
		Tools: []pdk.Tool[*shelf]{
			{Tool: abi.Tool{Name: "text_list", Description: "The titles of the texts around the working folder.", On: abi.OnFolder, ReadOnly: true,
				InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"array","items":{"type":"string"}}`)},
				Run: func(c *pdk.Ctx[*shelf], _ []byte) (pdk.ToolResult, error) {
					out := []string{}
					for _, title := range c.Model.titles {
						out = append(out, title)
					}
					slices.Sort(out)
					data, err := json.Marshal(out)
					return pdk.ToolResult{JSON: data}, err
				}},
			{Tool: abi.Tool{Name: "text_put", Description: "Makes a file hold a text.", On: abi.OnFolder,
				InputSchema: []byte(`{"type":"object","properties":{"file":{"type":"string"},"text":{"type":"string"}},"required":["file","text"]}`)},
				Run: func(c *pdk.Ctx[*shelf], args []byte) (pdk.ToolResult, error) {
					var a struct{ File, Text string }
					if err := json.Unmarshal(args, &a); err != nil {
						return pdk.ToolResult{}, err
					}
					return pdk.ToolResult{Text: "put " + a.File}, put(c, a.File, a.Text)
				}},
		},
		Commands: []abi.Command{
			{Name: "texts", Syntax: "texts", Summary: "files and their titles", Kind: abi.TryQuery, Text: "map"},
			{Name: "texts put new", Syntax: "texts put new FILE TEXT", Summary: "make a file", Kind: abi.TryOp, Text: "put"},
			{Name: "texts copy", Syntax: "texts copy [-d|--dry-run]", Summary: "copy the titles", Kind: abi.TryQuery, Text: "titles", Answer: abi.AnswerCopy, Into: "titles.md"},
			{Name: "texts watch", Syntax: "texts watch", Summary: "copy the titles whenever they change", Kind: abi.TryQuery, Text: "titles", Answer: abi.AnswerWatch, Into: "titles.md"},
			{Name: "texts keep", Syntax: "texts keep", Summary: "write the titles over a text, which is refused", Kind: abi.TryQuery, Text: "titles", Answer: abi.AnswerCopy, Into: "own.txt"},
			{Name: "texts open", Syntax: "texts open", Summary: "pick a text to edit", Kind: abi.TryQuery, Text: "titles", Answer: abi.AnswerPick},
			{Name: "texts init", Syntax: "texts init [--force]", Summary: "make the folder a shelf", Kind: abi.TryAction, Text: "new ."},
			{Name: "texts clean", Syntax: "texts clean", Summary: "remove .shelf/.cache", Kind: abi.CommandClean},
			{Name: "texts upgrade", Syntax: "texts upgrade", Summary: "say how to upgrade this program", Kind: abi.CommandUpgrade},
		},
	}
}
