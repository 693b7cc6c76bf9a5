package pdk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// A guest list: the model, the one edit that changes it, and a verb.
type guests struct{ names []string }

// invite is the edit. Its exported fields are the event: all that Do and Undo need.
type invite struct{ Name string }

func (e *invite) Type() string { return "invite" }

func (e *invite) Do(g *guests) error {
	g.names = append(g.names, e.Name)
	return nil
}

func (e *invite) Undo(g *guests) error {
	g.names = g.names[:len(g.names)-1]
	return nil
}

func inviteVerb(c *pdk.Ctx[*guests], a pdk.Args) error {
	name := a.Text(0)
	if slices.Contains(c.Model.names, name) {
		return pdk.Unchanged("%s is already invited", pdk.Quote(name))
	}
	c.Created("%s", pdk.Quote(name))
	return c.Do(&invite{name}, "invite "+name, name)
}

func guestList() *pdk.Domain[*guests] {
	return &pdk.Domain[*guests]{
		Name: "guests", Title: "Guest list", Version: "1.0.0", Summary: "Edits lists of guests.", Extensions: []string{".guests"},
		New: func(*abi.NewRequest) (*guests, error) { return &guests{}, nil },
		Open: func(_ string, data []byte) (*guests, []string, error) {
			return &guests{strings.Fields(string(data))}, nil, nil
		},
		Save:  func(g *guests) ([]byte, error) { return []byte(strings.Join(g.names, "\n")), nil },
		State: func(g *guests) abi.State { return abi.State{Digest: pdk.Count(len(g.names), "guest")} },
		Edits: func(typ string) pdk.Edit[*guests] {
			if typ == "invite" {
				return &invite{}
			}
			return nil
		},
		Verbs: []pdk.Verb[*guests]{pdk.NewVerb("invite NAME", "invite somebody", inviteVerb, "invite Ann")},
		Queries: []pdk.Query[*guests]{pdk.NewQuery("list", "everybody", func(v *pdk.View[*guests], _ pdk.Args) (string, error) {
			return strings.Join(v.Model.names, ", "), nil
		})},
	}
}

// A plugin hands its domain to Serve, from an init function of package main. Natively it runs under pdktest.
func Example() {
	doc := pdktest.New(test{}, guestList(), "")
	fmt.Println(doc.Do("invite Ann", `invite "Bob B."`, "invite Ann"))
	fmt.Println(doc.Query("list"))
	doc.Undo(1)
	fmt.Println(doc.Query("list"))
	// Output:
	// + Ann
	// + "Bob B."
	// ? Ann is already invited
	// Ann, Bob B.
	// Ann
}

// NewVerb derives what the host checks from the syntax line.
func ExampleNewVerb() {
	v := pdk.NewVerb("move GUEST|@SEL TABLE [seat:N]", "seat somebody", func(*pdk.Ctx[*guests], pdk.Args) error { return nil })
	fmt.Println(v.Name, v.Min, v.Max, v.Select, v.Params)
	// Output: move 2 2 true [{seat N}]
}

// An Index resolves names in the same way in all domains. An error lists names that would resolve.
func ExampleIndex() {
	var x pdk.Index[int]
	x.Put(1, "User DB", "db", "Backend")
	x.Put(2, "User Service", "svc", "Backend")
	for _, ref := range []string{"user-db", "svc:User Service", "User", "Uzer DB"} {
		n, err := x.One(ref, "shape", false)
		fmt.Println(n, err)
	}
	fmt.Println(x.Name(2))
	// Output:
	// 1 <nil>
	// 2 <nil>
	// 0 shape "User" is ambiguous: "User DB", "User Service"
	// 0 shape "Uzer DB" not found; nearest: "User DB"
	// "User Service"
}

// A Selection matches selectors. It handles @all, @recent and @not:… itself.
func ExampleSelection() {
	selection := pdk.Selection[[]string, string]{
		All:  func(words []string) []string { return words },
		ByID: func(words []string, id string) (string, bool) { return id, slices.Contains(words, id) },
		Table: []pdk.SelectorType[[]string, string]{{
			Selector: abi.Selector{Syntax: "@long", Summary: "words of more than three letters"},
			Match: func([]string, string) (func(string) bool, error) {
				return func(w string) bool { return len(w) > 3 }, nil
			},
		}},
	}
	words := []string{"one", "three", "four"}
	list, err := selection.Select(words, nil, []abi.Select{{Raw: "@long", Type: "long"}})
	fmt.Println(list, err)
	list, err = selection.Select(words, nil, []abi.Select{{Raw: "@not:long", Type: "long", Negated: true}})
	fmt.Println(list, err)
	_, err = selection.Select(words, nil, []abi.Select{{Raw: "@lng", Type: "lng"}})
	fmt.Println(err)
	// Output:
	// [three four] <nil>
	// [one] <nil>
	// unknown selector @lng; nearest: @long
}

// A refusal suggests what would work. The host tries a suggestion out before it shows it.
func ExampleErrorf() {
	err := pdk.Errorf("tempo %d is out of range 20-300", 0).Try("tempo 120").TryQuery("tempos")
	fmt.Println(pdk.Text(err))
	// Output:
	// tempo 0 is out of range 20-300
	// try: tempo 120
	// try query: tempos
}

// Mended prints a refused op with its mistake corrected.
func ExampleArgs_Mended() {
	a := pdk.Args{Op: &abi.Op{Verb: "label", Positionals: []abi.Positional{{Text: "Web App"}}, Params: []abi.KeyValue{{Key: "side", Value: "upper"}}}}
	fmt.Println(a.Mended(pdk.WithParam("side", "top")))
	// Output: label "Web App" side:top
}

func ExampleQuote() {
	fmt.Println(pdk.Quote("Auth"), pdk.Quote("Web App"), pdk.Quote("at:1.1"))
	// Output: Auth "Web App" "at:1.1"
}

// Steps are an edit of several parts, done and undone as a whole. An add is a number to add.
func ExampleSteps() {
	total := 0
	run := func(s *add) error {
		if total+int(*s) > 9 {
			return pdk.Errorf("%d is too much", total+int(*s))
		}
		total += int(*s)
		return nil
	}
	steps := pdk.Steps[add]{3, 4}
	fmt.Println(steps.Do(run), total)
	fmt.Println(steps.Undo(run), total)
	fmt.Println(pdk.Steps[add]{5, 6}.Do(run), total) // the first step is undone
	// Output:
	// <nil> 7
	// <nil> 0
	// step 1: 11 is too much 0
}

// A Page formats only the lines that are shown.
func ExampleView_Page() {
	v := &pdk.View[[]string]{Model: []string{"one", "two", "three"}}
	page := v.Page()
	for _, line := range v.Model {
		if !page.Line(func(b []byte) []byte { return append(b, line...) }) {
			break
		}
	}
	answer := page.Answer(len(v.Model))
	fmt.Println(answer.Text)
	// Output:
	// one
	// two
	// three
}

// test stands in for the *testing.T of a test.
type test struct{ testing.TB }

func (test) Helper()                           {}
func (test) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (test) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
