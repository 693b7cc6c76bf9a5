// Command world is the plugin for tests of access to the world: a list of lines that makes every
// request that a domain can make, including forbidden ones.
package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

func main() {}

func init() { pdk.Serve(domain()) }

// list is the model: one string for each line, which is its own id. The model of a folder also has
// files.
type list struct {
	lines []string
	files *pdk.Files
}

// insert inserts a line. Data from outside is in Text, so that a replay makes no requests.
type insert struct {
	At   int
	Text string
}

func (e *insert) Type() string { return "insert" }
func (e *insert) Do(l *list) error {
	l.lines = slices.Insert(l.lines, e.At, e.Text)
	return nil
}
func (e *insert) Undo(l *list) error {
	l.lines = slices.Delete(l.lines, e.At, e.At+1)
	return nil
}

type remove struct {
	At   int
	Text string
}

func (e *remove) Type() string { return "remove" }
func (e *remove) Do(l *list) error {
	e.Text = l.lines[e.At]
	l.lines = slices.Delete(l.lines, e.At, e.At+1)
	return nil
}
func (e *remove) Undo(l *list) error {
	l.lines = slices.Insert(l.lines, e.At, e.Text)
	return nil
}

// add appends a line.
func add(c *pdk.Ctx[*list], format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	id := text[:min(len(text), 40)]
	if err := c.Do(&insert{At: len(c.Model.lines), Text: text}, "line "+id, id); err != nil {
		return err
	}
	c.Created("%s", text)
	return nil
}

// domain declares the plugin.
//
// Over 80 lines: it is one table.
func domain() *pdk.Domain[*list] {
	return &pdk.Domain[*list]{
		Name: "world", Title: "World", Version: "1.0.0", Summary: "Lists that reach the world, for tests", Extensions: []string{".world"},
		New: func(r *abi.NewRequest) (*list, error) {
			l := &list{lines: []string{"#world " + r.Title}}
			for _, s := range r.Resources {
				l.lines = append(l.lines, formatSupply(&s))
			}
			return l, nil
		},
		NewParams:    []abi.Param{{Key: "from", Value: "FILE"}, {Key: "media", Value: "FILE"}},
		NewResources: []abi.Resource{{Key: "from", Kind: abi.ResourceBytes, Accept: []string{".txt"}}, probe(abi.Resource{Key: "media"})},
		Media:        []string{".wav", ".mp4"},
		Open: func(name string, data []byte) (*list, []string, error) {
			if !strings.HasPrefix(string(data), "#world") {
				return nil, nil, pdk.Errorf("%s does not start with #world (offset 0)", name)
			}
			return &list{lines: strings.Split(string(data), "\n")}, nil, nil
		},
		References: func(l *list) (names []string) {
			for _, line := range l.lines {
				if name, ok := strings.CutPrefix(line, "refers to "); ok {
					names = append(names, name)
				}
			}
			return names
		},
		Save: func(l *list) ([]byte, error) { return []byte(strings.Join(l.lines, "\n")), nil },
		SaveAs: func(l *list, to pdk.Target) ([]byte, error) {
			var lines []string
			for _, line := range l.lines {
				if name, ok := strings.CutPrefix(line, "refers to "); ok && to.Files[name] != "" {
					line = "refers to " + to.Files[name]
				}
				lines = append(lines, line)
			}
			return []byte(strings.Join(lines, "\n")), nil
		},
		State: func(l *list) abi.State {
			if l.files != nil {
				return abi.State{Digest: fmt.Sprintf("%d files", len(l.files.Names()))}
			}
			return abi.State{Digest: fmt.Sprintf("%d lines", len(l.lines)), Title: strings.TrimPrefix(l.lines[0], "#world ")}
		},
		Edits: func(typ string) pdk.Edit[*list] {
			switch typ {
			case "insert":
				return &insert{}
			case "remove":
				return &remove{}
			}
			return nil
		},
		Wants: []abi.Want{
			{Kind: abi.WantHTTP, Name: "api", Reason: "It keeps the things of this list.", Base: "${WORLD_URL}",
				Headers: []abi.KeyValue{{Key: "Authorization", Value: "Bearer ${WORLD_KEY}"}}, Reads: true},
			{Kind: abi.WantHTTP, Name: "mute", Reason: "Here nothing may be read.", Base: "${WORLD_URL}"},
			{Kind: abi.WantProgram, Name: "ffmpeg", Reason: "It makes a video of this list."},
			{Kind: abi.WantProgram, Name: "ffprobe", Reason: "It measures videos.", Reads: true},
			{Kind: abi.WantFolder, Reason: "A folder of texts is a list, too."},
		},
		Folder: &pdk.Folder[*list]{
			Folder: abi.Folder{Include: []string{"**/*.txt"}, Exclude: []string{"skipped"}, Marker: ".world"},
			Open: func(f *pdk.Files) (*list, []string, error) {
				return &list{lines: []string{"#world"}, files: f}, nil, nil
			},
			Files: func(l *list) *pdk.Files { return l.files },
		},
		Stamps:  true,
		Verbs:   verbs(),
		Queries: queries(),
		Session: actions(),
		Formats: formats(),
		Tools:   tools(),
		Schemes: []string{"thing"},
		Fetch:   fetch,
		Store:   store,
		Commands: []abi.Command{
			{Name: "add", Syntax: "add TEXT [--n N]", Summary: "append a line", Kind: abi.TryOp, Text: "add"},
			{Name: "line list", Syntax: "line list", Summary: "all lines", Kind: abi.TryQuery, Text: "map"},
			{Name: "line push", Syntax: "line push PATH… [--body TEXT]", Summary: "POST, and keep the answer", Kind: abi.TryAction, Text: "push"},
		},
	}
}
