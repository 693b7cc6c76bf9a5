// Command list is the plugin for the host's tests: a list of lines,
// with verbs that misbehave in every way a plugin can.
package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

func main() {}

func init() { pdk.Serve(domain()) }

// list is the model: one string a line.
type list struct {
	lines []string
	lie   bool // the digest changes with each read
	reads int
	ran   int // verbs run by this instance; a replay runs none
}

type insert struct {
	At   int
	Text string
	Bad  bool // Undo fails
	Sham bool // Undo does nothing and reports success
	Done bool // set by the first Do, so the next one is a replay
}

func (e *insert) Type() string { return "insert" }
func (e *insert) Do(l *list) error {
	if e.At < 0 || e.At > len(l.lines) {
		return errors.New("no such line")
	}
	if e.Done && e.Text == "poison-replay" {
		panic("replayed, as asked")
	}
	e.Done = true
	l.lines = slices.Insert(l.lines, e.At, e.Text)
	return nil
}
func (e *insert) Undo(l *list) error {
	if e.Bad {
		return errors.New("this plugin does not reverse")
	}
	if e.Sham {
		return nil
	}
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

// drift adds one line or two; its event does not determine which.
type drift struct{ N int }

func (e *drift) Type() string { return "drift" }
func (e *drift) Do(l *list) error {
	e.N = 1 + min(1, l.ran)
	for range e.N {
		l.lines = append(l.lines, "drift")
	}
	return nil
}
func (e *drift) Undo(l *list) error {
	l.lines = l.lines[:len(l.lines)-e.N]
	return nil
}

func add(l *list, c *pdk.Ctx[*list], text string, bad bool) error {
	id := text
	if len(id) > abi.MaxID {
		id = "long"
	}
	if err := c.Do(&insert{At: len(l.lines), Text: text, Bad: bad}, "line "+text, id); err != nil {
		return err
	}
	c.Created("%s", text)
	return nil
}

func verb(name, syntax string, max int, run func(c *pdk.Ctx[*list], a pdk.Args) error) pdk.Verb[*list] {
	return pdk.Verb[*list]{Verb: abi.Verb{Name: name, Syntax: syntax, Max: max, Select: true,
		Params: []abi.Param{{Key: "n", Value: "N"}}, Examples: []string{"add x"}}, Run: func(c *pdk.Ctx[*list], a pdk.Args) error {
		c.Model.ran++
		return run(c, a)
	}}
}

// spin never ends.
func spin() {
	for i := 0; ; i++ {
		if i < 0 {
			return
		}
	}
}

var hog [][]byte

// domain declares the plugin.
//
// Over 80 lines: it is one table.
func domain() *pdk.Domain[*list] {
	return &pdk.Domain[*list]{
		Name: "list", Title: "List", Version: "1.0.0", Summary: "Lists of lines, for tests", Extensions: []string{".list"},
		Magic: []abi.Magic{{Bytes: []byte("#list")}},
		New: func(r *abi.NewRequest) (*list, error) {
			l := &list{lines: []string{"#list " + r.Title}}
			for _, p := range r.Params {
				l.lines = append(l.lines, p.Value)
			}
			return l, nil
		},
		NewParams:   []abi.Param{{Key: "first", Value: "TEXT"}},
		Positionals: []string{`at:\d+`},
		Open: func(name string, data []byte) (*list, []string, error) {
			if !strings.HasPrefix(string(data), "#list") {
				return nil, nil, pdk.Errorf("%s is not a list: it does not start with #list (offset 0)", name)
			}
			return &list{lines: strings.Split(string(data), "\n")}, nil, nil
		},
		Save: func(l *list) ([]byte, error) {
			if slices.Contains(l.lines, "poison-save") {
				panic("saved, as asked")
			}
			if slices.Contains(l.lines, "secret") {
				return nil, pdk.Errorf("this list is not for disks").Tryf("remove secret")
			}
			return []byte(strings.Join(l.lines, "\n")), nil
		},
		State: func(l *list) abi.State {
			l.reads++
			s := abi.State{Digest: fmt.Sprintf("%d lines", len(l.lines)), Title: strings.TrimPrefix(l.lines[0], "#list ")}
			if l.lie {
				s.Digest += fmt.Sprintf(" %d", l.reads)
			}
			for _, x := range l.lines {
				if strings.HasPrefix(x, "warn") {
					s.Warnings = append(s.Warnings, "line "+x)
				}
			}
			return s
		},
		Edits: func(typ string) pdk.Edit[*list] {
			switch typ {
			case "insert":
				return &insert{}
			case "remove":
				return &remove{}
			case "drift":
				return &drift{}
			}
			return nil
		},
		Verbs: []pdk.Verb[*list]{
			verb("add", "add TEXT [n:N]", -1, func(c *pdk.Ctx[*list], a pdk.Args) error {
				n, err := a.Int("n", 1, 1, 100_000)
				if err != nil {
					return err
				}
				for range n {
					if err := add(c.Model, c, strings.Join(a.Texts(0), " "), false); err != nil {
						return err
					}
				}
				return nil
			}),
			verb("remove", "remove TEXT", 1, func(c *pdk.Ctx[*list], a pdk.Args) error {
				word := a.Text(0)
				if len(a.Selectors) == 1 && len(c.Recent) > 0 {
					word = c.Recent[0]
				}
				i := slices.Index(c.Model.lines, word)
				if i < 1 {
					return pdk.Errorf("no line %q", word).Tryf("add %s", pdk.Quote(word))
				}
				c.Deleted("%s", word)
				return c.Do(&remove{At: i}, "remove "+word, word)
			}),
			verb("half", "half", 0, func(c *pdk.Ctx[*list], a pdk.Args) error {
				if err := add(c.Model, c, "half", false); err != nil {
					return err
				}
				return pdk.Errorf("failed in the middle").Tryf("add x")
			}),
			verb("panic", "panic", 0, func(c *pdk.Ctx[*list], a pdk.Args) error { panic("as asked") }),
			verb("exit", "exit", 0, func(c *pdk.Ctx[*list], a pdk.Args) error { os.Exit(3); return nil }),
			verb("spin", "spin", 0, func(c *pdk.Ctx[*list], a pdk.Args) error { spin(); return nil }),
			verb("hog", "hog", 0, func(c *pdk.Ctx[*list], a pdk.Args) error {
				for {
					b := make([]byte, 8<<20)
					for i := range b {
						b[i] = 1
					}
					hog = append(hog, b)
				}
			}),
			verb("irreversible", "irreversible", 0, func(c *pdk.Ctx[*list], a pdk.Args) error {
				return add(c.Model, c, "irreversible", true)
			}),
			verb("lie", "lie", 0, func(c *pdk.Ctx[*list], a pdk.Args) error {
				c.Model.lie = true
				return add(c.Model, c, "lie", false)
			}),
			verb("escape", "escape", 0, func(c *pdk.Ctx[*list], a pdk.Args) error {
				if err := add(c.Model, c, "escape", false); err != nil {
					return err
				}
				c.Created("\x1b[31mred\u202e\x00 {\"jsonrpc\":\"2.0\"}")
				return nil
			}),
			verb("sneak", "sneak", 0, func(c *pdk.Ctx[*list], a pdk.Args) error {
				c.Model.lines = append(c.Model.lines, "sneaked")
				c.Created("nothing to see")
				return nil
			}),
			verb("quiet", "quiet", 0, func(c *pdk.Ctx[*list], a pdk.Args) error {
				c.Changed("as it was")
				return nil
			}),
			verb("sham", "sham", 0, func(c *pdk.Ctx[*list], a pdk.Args) error {
				c.Created("sham")
				return c.Do(&insert{At: len(c.Model.lines), Text: "sham", Sham: true}, "line sham", "sham")
			}),
			verb("drift", "drift", 0, func(c *pdk.Ctx[*list], a pdk.Args) error {
				c.Created("drift")
				return c.Do(&drift{}, "drift", "drift")
			}),
			verb("malformed", "malformed", 0, func(c *pdk.Ctx[*list], a pdk.Args) error {
				if err := add(c.Model, c, "malformed", false); err != nil {
					return err
				}
				c.Touch(strings.Repeat("x", abi.MaxID+1))
				return nil
			}),
			verb("hint", "hint", 0, func(c *pdk.Ctx[*list], a pdk.Args) error {
				return pdk.Errorf("no hint").Tryf("add \"x").Tryf("").Tryf("add y")
			}),
			{Verb: abi.Verb{Name: "paste", Syntax: "paste", Summary: "one line each", Block: "END"}, Run: func(c *pdk.Ctx[*list], a pdk.Args) error {
				for _, x := range a.Block {
					if err := add(c.Model, c, x, false); err != nil {
						return err
					}
				}
				return nil
			}},
			verb("stray", "stray", 0, func(c *pdk.Ctx[*list], a pdk.Args) error {
				// Changes the model without an event.
				c.Model.lines = append(c.Model.lines, "stray")
				return pdk.Errorf("failed, and left something behind")
			}),
		},
		Queries: []pdk.Query[*list]{
			{Query: abi.Query{Name: "spin", Syntax: "spin", Summary: "never ends"}, Run: func(v *pdk.View[*list], a pdk.Args) (abi.QueryResponse, error) {
				spin()
				return abi.QueryResponse{}, nil
			}},
			{Query: abi.Query{Name: "find", Syntax: "find TEXT [@recent:N]", Summary: "lines that hold a text"}, Run: func(v *pdk.View[*list], a pdk.Args) (abi.QueryResponse, error) {
				if len(a.Positionals) != 1 {
					return abi.QueryResponse{}, pdk.Errorf("find takes one text").Tryf("find x").Tryf("find \"unclosed")
				}
				var hits []string
				for _, x := range v.Model.lines {
					if strings.Contains(x, a.Text(0)) && (len(a.Selectors) == 0 || slices.Contains(v.Recent, x)) {
						hits = append(hits, x)
					}
				}
				return abi.QueryResponse{Text: strings.Join(hits, "\n")}, nil
			}},
			{Query: abi.Query{Name: "map", Syntax: "map", Summary: "all lines"}, Run: func(v *pdk.View[*list], a pdk.Args) (abi.QueryResponse, error) {
				out := v.Page()
				for _, l := range v.Model.lines {
					if !out.Line(func(b []byte) []byte { return append(b, l...) }) {
						break
					}
				}
				return out.Answer(len(v.Model.lines)), nil
			}},
			{Query: abi.Query{Name: "panic", Syntax: "panic", Summary: "traps"}, Run: func(v *pdk.View[*list], a pdk.Args) (abi.QueryResponse, error) {
				panic("as asked")
			}},
		},
		Session: []pdk.SessionAction[*list]{
			{Session: abi.Session{Name: "include", Syntax: "include PATH", Summary: "append a file's lines", File: 1},
				Run: func(c *pdk.Ctx[*list], a pdk.Args, file []byte) error {
					return add(c.Model, c, a.Text(0)+": "+string(file)+" ("+a.Raw+")", false)
				}},
			{Session: abi.Session{Name: "boom", Syntax: "boom [WHEN]", Summary: "traps"},
				Run: func(c *pdk.Ctx[*list], a pdk.Args, file []byte) error { panic("as asked") }},
			{Session: abi.Session{Name: "deny", Syntax: "deny", Summary: "refuses"},
				Run: func(c *pdk.Ctx[*list], a pdk.Args, file []byte) error {
					return pdk.Errorf("denied").Tryf("include ./x")
				}},
		},
		Formats: []pdk.Format[*list]{{Format: abi.Format{Name: "upper", Extension: ".txt", MIME: "text/plain", Summary: "in capitals"},
			Write: func(l *list, a pdk.Args) ([]byte, error) {
				return []byte(strings.ToUpper(strings.Join(l.lines, "\n"))), nil
			}}},
		Help: func(l *list) []abi.Section {
			if l == nil {
				return nil
			}
			return []abi.Section{{Title: "Lines", Lines: []string{fmt.Sprint(len(l.lines))}}}
		},
	}
}
