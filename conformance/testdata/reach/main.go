// Command reach is the plugin that tests the checks of folders, typed tools and requests: a folder of texts that asks a server.
// Each instance has the bug that its seed selects.
package main

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/conformance/testdata/bug"
	"github.com/fcp-host/fcp-host/pdk"
)

var bugged = bug.Of("ask-other", "ask-writes", "ask-forever", "ask-dies", "ask-part", "outside-dies", "outside-lost", "broken-refused",
	"tool-untyped", "tool-dies", "tool-silent", "parse-late")

func main() {}

func init() {
	pdk.Serve(&pdk.Domain[*folder]{
		Name: "reach", Title: "Reach", Version: "1.0.0", Summary: "folders of texts",
		Wants: []abi.Want{
			{Kind: abi.WantFolder, Reason: "It edits the texts of a folder."},
			{Kind: abi.WantHTTP, Name: "api", Reason: "It asks for more.", Base: "${REACH_URL}", Reads: true},
		},
		Folder: &pdk.Folder[*folder]{
			Folder: abi.Folder{Include: []string{"**/*.txt"}, Marker: ".reach"},
			Open:   open,
			Files:  func(f *folder) *pdk.Files { return f.files },
			New: func(f *pdk.Files, r *abi.NewRequest) error {
				f.Put("title.txt", []byte(r.Title))
				return nil
			},
		},
		State: func(f *folder) abi.State {
			return abi.State{Digest: fmt.Sprintf("%d texts %d bytes", len(f.files.Names()), f.size)}
		},
		Verbs: []pdk.Verb[*folder]{
			{Verb: abi.Verb{Name: "add", Syntax: "add FILE TEXT", Summary: "write a text", Min: 2, Max: 2, Examples: []string{"add a.txt x", "add b.txt y"}}, Run: add},
			{Verb: abi.Verb{Name: "remove", Syntax: "remove FILE", Summary: "take one away", Min: 1, Max: 1, Examples: []string{"remove a.txt"}}, Run: remove},
		},
		Queries: []pdk.Query[*folder]{
			{Query: abi.Query{Name: "map", Syntax: "map", Summary: "all texts", Takes: &abi.Takes{}}, Run: func(v *pdk.View[*folder], _ pdk.Args) (abi.QueryResponse, error) {
				return abi.QueryResponse{Text: strings.Join(v.Model.files.Names(), "\n")}, nil
			}},
			{Query: abi.Query{Name: "stats", Syntax: "stats", Summary: "how many, here and on the server", Takes: &abi.Takes{}}, Run: stats},
		},
		Session: []pdk.SessionAction[*folder]{{Session: abi.Session{Name: "send", Syntax: "send", Summary: "send all texts"}, Run: func(c *pdk.Ctx[*folder], _ pdk.Args, _ []byte) error {
			_, err := c.HTTP("api", pdk.Post("texts"))
			if err != nil && bugged("ask-dies") {
				panic(err)
			}
			return err
		}}},
		Formats: []pdk.Format[*folder]{{Format: abi.Format{Name: "parts", Extension: ".txt", Summary: "all texts in one file, written in parts"}, Run: export}},
		Schemes: []string{"reach"},
		Fetch: func(h *pdk.Host, ref string) (abi.FetchResponse, error) {
			res, err := h.HTTP("api", pdk.Get("texts", ref))
			if err != nil {
				return abi.FetchResponse{}, err
			}
			return abi.FetchResponse{Name: ref, Data: res.Body, Revision: res.Header("ETag")}, nil
		},
		Tools: []pdk.Tool[*folder]{
			{Tool: abi.Tool{Name: "text_add", Description: "Writes a text.", On: abi.OnFolder, OutputSchema: []byte(`{"type":"object","required":["size"]}`),
				InputSchema: []byte(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`)}, Run: addText},
			{Tool: abi.Tool{Name: "text_get", Description: "Asks for a text.", ReadOnly: true, InputSchema: []byte(`{"type":"object"}`)},
				Run: func(c *pdk.Ctx[*folder], _ []byte) (pdk.ToolResult, error) {
					_, err := c.HTTP("api", pdk.Get("texts"))
					return pdk.ToolResult{Text: "got it"}, err
				}},
		},
	})
}

type folder struct {
	files *pdk.Files
	size  int
}

func open(files *pdk.Files) (*folder, []string, error) {
	f := &folder{files: files}
	for _, name := range files.Names() {
		f.size += len(files.Get(name))
		if bugged("broken-refused") && strings.Contains(string(files.Get(name)), "\xff") {
			return nil, nil, pdk.Errorf("%s is broken", name)
		}
	}
	files.Changed = func(name string) {
		if bugged("parse-late") {
			return
		}
		if strings.Contains(string(files.Get(name)), "\xff") {
			if bugged("outside-dies") {
				panic("not text")
			}
			if bugged("outside-lost") {
				files.Put(name, nil)
			}
		}
		f.size = 0
		for _, name := range files.Names() {
			f.size += len(files.Get(name))
		}
	}
	return f, nil, nil
}

func add(c *pdk.Ctx[*folder], a pdk.Args) error {
	if !strings.HasSuffix(a.Text(0), ".txt") {
		return pdk.Errorf("a text is a file like a.txt").Tryf("add %s %s", pdk.Quote(a.Text(0)+".txt"), pdk.Quote(a.Text(1)))
	}
	if string(c.Model.files.Get(a.Text(0))) == a.Text(1) && c.Model.files.Has(a.Text(0)) {
		return pdk.Unchanged("%s is already set", a.Text(0))
	}
	c.Created("%s", a.Text(0))
	return c.PutFile(a.Text(0), []byte(a.Text(1)), "add", a.Text(0))
}

func remove(c *pdk.Ctx[*folder], a pdk.Args) error {
	if !c.Model.files.Has(a.Text(0)) {
		return pdk.Errorf("no text %s", a.Text(0)).TryQuery("map")
	}
	c.Deleted("%s", a.Text(0))
	return c.RemoveFile(a.Text(0), "remove", a.Text(0))
}

func stats(v *pdk.View[*folder], _ pdk.Args) (abi.QueryResponse, error) {
	here := fmt.Sprintf("%d here", len(v.Model.files.Names()))
	if bugged("ask-part") {
		_ = v.Part([]byte("here"))
	}
	request := pdk.Get("count").To("api")
	switch {
	case bugged("ask-other"):
		request = pdk.Get("count").To("elsewhere")
	case bugged("ask-writes"):
		request = pdk.Post("count").To("api")
	}
	answer := pdk.All(v, request)[0]
	for answer.Err != nil && bugged("ask-forever") {
		answer = pdk.All(v, request)[0]
	}
	if answer.Err != nil {
		return abi.QueryResponse{Text: here}, nil
	}
	return abi.QueryResponse{Text: here + ", there " + string(answer.Response.Body)}, nil
}

func export(v *pdk.View[*folder], _ pdk.Args) (abi.SaveResponse, error) {
	for _, name := range v.Model.files.Names() {
		if err := v.Part(v.Model.files.Get(name)); err != nil {
			return abi.SaveResponse{}, err
		}
	}
	return abi.SaveResponse{Data: []byte("all texts\n")}, nil
}

func addText(c *pdk.Ctx[*folder], args []byte) (pdk.ToolResult, error) {
	switch {
	case bugged("tool-dies"):
		panic("as asked")
	case bugged("tool-untyped"):
		return pdk.ToolResult{JSON: []byte(`{"text":1}`)}, nil
	}
	if !bugged("tool-silent") {
		c.Created("tool.txt")
	}
	return pdk.ToolResult{JSON: []byte(fmt.Sprintf(`{"size":%d}`, len(args)))}, c.PutFile("tool.txt", args, "add", "tool.txt")
}
