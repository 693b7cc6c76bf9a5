package pdk_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// shelf is the smallest model that can go wrong: words in order.
type shelf struct {
	words []string
}

type insert struct {
	At   int
	Word string
	Tags map[string]string // to test that maps are written in a fixed order
}

func (e *insert) Type() string { return "insert" }

func (e *insert) Do(s *shelf) error {
	if e.Word == "poison" {
		return errors.New("poison is not for shelves")
	}
	s.words = slices.Insert(s.words, e.At, e.Word)
	return nil
}

func (e *insert) Undo(s *shelf) error {
	if e.Word == "sticky" {
		return errors.New("it sticks")
	}
	s.words = slices.Delete(s.words, e.At, e.At+1)
	return nil
}

// mute is an edit that cannot be encoded.
type mute struct{ C chan int }

func (*mute) Type() string { return "mute" }

func (*mute) Do(s *shelf) error { s.words = append(s.words, "mute"); return nil }

func (*mute) Undo(s *shelf) error { s.words = s.words[:len(s.words)-1]; return nil }

var words = pdk.Selection[*shelf, string]{
	All:  func(s *shelf) []string { return s.words },
	ByID: func(s *shelf, id string) (string, bool) { return id, slices.Contains(s.words, id) },
	Table: []pdk.SelectorType[*shelf, string]{
		{Selector: abi.Selector{Syntax: "@long", Summary: "words of more than three letters"}, Match: func(*shelf, string) (func(string) bool, error) {
			return func(w string) bool { return len(w) > 3 }, nil
		}},
		{Selector: abi.Selector{Syntax: "@size:N", Summary: "words of N letters"}, Match: func(_ *shelf, v string) (func(string) bool, error) {
			n, err := strconv.Atoi(v)
			if err != nil {
				return nil, pdk.Errorf("%s is no size", v)
			}
			return func(w string) bool { return len(w) == n }, nil
		}},
	},
}

// shelves is the domain of these tests.
func shelves() *pdk.Domain[*shelf] {
	put := func(c *pdk.Ctx[*shelf], w string) error {
		return c.Do(&insert{At: len(c.Model.words), Word: w, Tags: map[string]string{"b": "2", "a": "1", "c": "3"}}, "put "+w, w)
	}
	verb := func(name string, run func(*pdk.Ctx[*shelf], pdk.Args) error) pdk.Verb[*shelf] {
		return pdk.Verb[*shelf]{Verb: abi.Verb{Name: name, Syntax: name, Max: -1, Select: true}, Run: run}
	}
	return &pdk.Domain[*shelf]{
		Name: "shelf", Title: "Shelf", Version: "1.0.0", Summary: "words", Extensions: []string{".shelf"}, MIME: []string{"text/x-shelf"},
		New: func(r *abi.NewRequest) (*shelf, error) {
			if r.Title == "bad" {
				return nil, pdk.Errorf("no such shelf").Tryf(`new "good"`)
			}
			return &shelf{}, nil
		},
		Open: func(_ string, data []byte) (*shelf, []string, error) {
			return &shelf{words: strings.Fields(string(data))}, []string{"opened"}, nil
		},
		Save:     func(s *shelf) ([]byte, error) { return []byte(strings.Join(s.words, " ")), nil },
		Snapshot: func(s *shelf) ([]byte, error) { return []byte("snapshot " + strings.Join(s.words, " ")), nil },
		Restore: func(_ string, data []byte) (*shelf, error) {
			return &shelf{words: strings.Fields(string(data))[1:]}, nil
		},
		State: func(s *shelf) abi.State { return abi.State{Digest: fmt.Sprintf("%d words", len(s.words))} },
		Edits: func(typ string) pdk.Edit[*shelf] {
			if typ == "insert" {
				return &insert{}
			}
			return nil
		},
		Verbs: []pdk.Verb[*shelf]{
			verb("put", func(c *pdk.Ctx[*shelf], a pdk.Args) error {
				c.Warn("first")
				for _, w := range a.Texts(0) {
					if err := put(c, w); err != nil {
						return err
					}
				}
				c.Created("put %d", len(a.Positionals))
				return nil
			}),
			verb("mute", func(c *pdk.Ctx[*shelf], _ pdk.Args) error {
				if err := put(c, "first"); err != nil {
					return err
				}
				return c.Do(&mute{}, "")
			}),
			verb("echo", func(c *pdk.Ctx[*shelf], a pdk.Args) error {
				found, err := words.Select(c.Model, c.Recent, a.Selectors)
				if err != nil {
					return err
				}
				c.Touch(found...)
				c.Bulk("%s", strings.Join(found, ","))
				return nil
			}),
		},
		Queries: []pdk.Query[*shelf]{{Query: abi.Query{Name: "map"}, Run: func(v *pdk.View[*shelf], _ pdk.Args) (abi.QueryResponse, error) {
			if len(v.Model.words) == 0 {
				return abi.QueryResponse{}, pdk.Errorf("the shelf is empty").Tryf("put a")
			}
			return abi.QueryResponse{Text: strings.Join(v.Model.words, ",") + "|" + strings.Join(v.Recent, ",")}, nil
		}}},
		Session: []pdk.SessionAction[*shelf]{{Session: abi.Session{Name: "import", Syntax: "import FILE [as:NAME] [sep.KEY:TEXT…]", File: 1}, Run: func(c *pdk.Ctx[*shelf], a pdk.Args, file []byte) error {
			c.Created("imported %s", a.Text(0))
			return put(c, string(file))
		}}},
		Formats: []pdk.Format[*shelf]{{Format: abi.Format{Name: "csv", MIME: "text/csv"}, Params: []string{"sep"}, Write: func(s *shelf, a pdk.Args) ([]byte, error) {
			return []byte(strings.Join(s.words, a.String("sep", ","))), nil
		}}},
		Help: func(s *shelf) []abi.Section {
			if s == nil {
				return nil
			}
			return []abi.Section{{Title: "Words", Lines: s.words}}
		},
	}
}
