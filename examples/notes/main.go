// The notes domain edits a folder of Markdown files. It is the example of
// docs/authoring.md for a domain whose documents are folders.
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// Notes is the model: the files, and what was parsed from them.
type Notes struct {
	files *pdk.Files
	note  map[string]Note // by file
}

// Note is what was parsed from a file.
type Note struct {
	Title  string
	Tags   []string
	Broken string // why the file is not a note
}

func open(f *pdk.Files) (*Notes, []string, error) {
	n := &Notes{files: f, note: map[string]Note{}}
	for _, name := range f.Names() {
		n.parse(name)
	}
	f.Changed = n.parse // called after any change: by an op, by undo, or by another program
	return n, n.broken(), nil
}

// parse reads one file again. A file that is not a note stays in the folder.
func (n *Notes) parse(name string) {
	data := n.files.Get(name)
	if data == nil {
		delete(n.note, name)
		return
	}
	var note Note
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "# "); ok && note.Title == "" {
			note.Title = title
		}
		if tags, ok := strings.CutPrefix(line, "tags: "); ok {
			note.Tags = strings.Fields(tags)
		}
	}
	switch {
	case !utf8.Valid(data):
		note = Note{Broken: "it is not UTF-8 text"}
	case note.Title == "":
		note.Broken = "it has no line \"# TITLE\""
	}
	n.note[name] = note
}

func (n *Notes) broken() (out []string) {
	for _, name := range n.files.Names() {
		if why := n.note[name].Broken; why != "" {
			out = append(out, name+" is not a note: "+why)
		}
	}
	return out
}

// find resolves a file by its name or title.
func (n *Notes) find(ref string, exact bool) (string, error) {
	if n.files.Has(ref) {
		return ref, nil
	}
	var titles pdk.Index[string]
	for _, name := range n.files.Names() {
		titles.Put(name, cmp.Or(n.note[name].Title, name), "", "")
	}
	return titles.One(ref, "note", exact)
}

func add(c *pdk.Ctx[*Notes], title, text string) error {
	name := strings.ToLower(strings.Join(strings.FieldsFunc(title, func(r rune) bool {
		return r < 128 && !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	}), "-")) + ".md"
	if c.Model.files.Has(name) {
		return pdk.Errorf("the file %s already exists", name)
	}
	c.Created("%s", name)
	return c.PutFile(name, []byte("# "+title+"\n\n"+strings.TrimSpace(text)+"\n"), "add "+name, name)
}

// on makes a verb that changes the text of one note.
func on(exact bool, change func(c *pdk.Ctx[*Notes], name, text string, a pdk.Args) error) func(*pdk.Ctx[*Notes], pdk.Args) error {
	return func(c *pdk.Ctx[*Notes], a pdk.Args) error {
		name, err := c.Model.find(a.Text(0), exact)
		if err != nil {
			return err
		}
		return change(c, name, string(c.Model.files.Get(name)), a)
	}
}

func extend(c *pdk.Ctx[*Notes], name, text string, a pdk.Args) error {
	c.Changed("%s", name)
	return c.PutFile(name, []byte(text+strings.Join(a.Texts(1), " ")+"\n"), "append to "+name, name)
}

func tag(c *pdk.Ctx[*Notes], name, text string, a pdk.Args) error {
	if slices.Contains(c.Model.note[name].Tags, a.Text(1)) {
		return pdk.Unchanged("%s already has the tag %s", name, a.Text(1))
	}
	c.Changed("%s tag %s", name, a.Text(1))
	if before, after, ok := strings.Cut(text, "\ntags: "); ok {
		return c.PutFile(name, []byte(before+"\ntags: "+a.Text(1)+" "+after), "tag "+name, name)
	}
	return c.PutFile(name, []byte(text+"\ntags: "+a.Text(1)+"\n"), "tag "+name, name)
}

func remove(c *pdk.Ctx[*Notes], name, _ string, _ pdk.Args) error {
	c.Deleted("%s", name)
	return c.RemoveFile(name, "remove "+name, name)
}

func list(v *pdk.View[*Notes], a pdk.Args) (abi.QueryResponse, error) {
	out := []string{}
	for _, name := range v.Model.files.Names() {
		note := v.Model.note[name]
		if a.Text(0) == "" || slices.Contains(note.Tags, a.Text(0)) {
			out = append(out, strings.TrimSpace(name+": "+note.Title+" "+strings.Join(note.Tags, " ")))
		}
	}
	return abi.QueryResponse{Text: strings.Join(out, "\n")}, nil
}

func stats(v *pdk.View[*Notes], _ pdk.Args) (abi.QueryResponse, error) {
	return abi.QueryResponse{Text: fmt.Sprintf("%d notes", len(v.Model.note))}, nil
}

func show(v *pdk.View[*Notes], a pdk.Args) (abi.QueryResponse, error) {
	name, err := v.Model.find(a.Text(0), false)
	return abi.QueryResponse{Text: string(v.Model.files.Get(name))}, err
}

// jot is a typed tool. It works on the folder that contains a .notes folder, found from
// the working folder upwards, without open.
func jot(c *pdk.Ctx[*Notes], args []byte) (pdk.ToolResult, error) {
	var in struct{ Title, Text string }
	if err := json.Unmarshal(args, &in); err != nil {
		return pdk.ToolResult{}, err
	}
	return pdk.ToolResult{Text: "noted " + in.Title}, add(c, in.Title, in.Text)
}

func verb(name, takes, summary, example string, most int, run func(*pdk.Ctx[*Notes], pdk.Args) error) pdk.Verb[*Notes] {
	return pdk.Verb[*Notes]{Run: run, Verb: abi.Verb{Name: name, Syntax: name + " " + takes, Summary: summary, Min: 1, Max: most, Examples: []string{example}}}
}

var domain = &pdk.Domain[*Notes]{
	Name: "notes", Title: "Notes", Version: "1.0.0", Summary: "folders of Markdown notes",
	Wants: []abi.Want{{Kind: abi.WantFolder, Reason: "It edits the Markdown files of a folder."}},
	Folder: &pdk.Folder[*Notes]{
		Folder: abi.Folder{Include: []string{"**/*.md"}, Exclude: []string{"node_modules"}, Marker: ".notes"},
		Open:   open,
		Files:  func(n *Notes) *pdk.Files { return n.files },
	},
	Autosave: true,
	State: func(n *Notes) abi.State {
		return abi.State{Digest: fmt.Sprintf("%d notes", len(n.note)), Warnings: n.broken()}
	},
	Verbs: []pdk.Verb[*Notes]{
		verb("add", "TITLE [TEXT]", "write a note", `add "Shopping" "Milk and bread"`, 2, func(c *pdk.Ctx[*Notes], a pdk.Args) error { return add(c, a.Text(0), a.Text(1)) }),
		verb("append", "NOTE TEXT", "add a line", "append shopping Eggs", 2, on(false, extend)),
		verb("tag", "NOTE TAG", "give a note a tag", "tag shopping home", 2, on(false, tag)),
		verb("remove", "NOTE", "delete a note's file", "remove shopping.md", 1, on(true, remove)),
	},
	Queries: []pdk.Query[*Notes]{
		{Query: abi.Query{Name: "map", Syntax: "map [TAG]", Summary: "files, titles and tags", Takes: &abi.Takes{Max: 1}}, Run: list},
		{Query: abi.Query{Name: "stats", Syntax: "stats", Summary: "how many", Takes: &abi.Takes{}}, Run: stats},
		{Query: abi.Query{Name: "show", Syntax: "show NOTE", Summary: "a note's text", Takes: &abi.Takes{Min: 1, Max: 1}}, Run: show},
	},
	Tools: []pdk.Tool[*Notes]{{Run: jot, Tool: abi.Tool{Name: "jot_note", Description: "Write a note down.", On: abi.OnFolder,
		InputSchema: []byte(`{"type":"object","properties":{"title":{"type":"string","minLength":1},"text":{"type":"string"}},"required":["title","text"]}`)}}},
}

func init() { pdk.Serve(domain) }

func main() {}
