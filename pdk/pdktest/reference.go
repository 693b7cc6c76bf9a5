package pdktest

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// Reference makes a page of Markdown with everything that a domain's manifest
// lists: verbs with their parameters and examples, values, conventions, parameters of
// new documents, selectors, queries, session actions, export formats, typed tools and
// commands.
func Reference[M any](d *pdk.Domain[M]) string {
	m := d.Manifest()
	var b strings.Builder
	fmt.Fprintf(&b, "# Everything in the %s domain\n\nGenerated from the domain's manifest; FCP_UPDATE=1 go test regenerates it.\n", m.Domain)
	for _, category := range categories(m.Verbs) {
		fmt.Fprintf(&b, "\n## %s\n", sentence(cell(category, "verbs")))
		for i := range m.Verbs {
			if v := &m.Verbs[i]; v.Category == category {
				writeVerb(&b, v)
			}
		}
	}
	table := func(title string, rows [][2]string) {
		if len(rows) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n## %s\n\n| | |\n|---|---|\n", title)
		for _, r := range rows {
			fmt.Fprintf(&b, "| `%s` | %s |\n", escaped(r[0]), escaped(r[1]))
		}
	}
	for i, section := range m.Vocabulary {
		if i == 0 {
			b.WriteString("\n## Values\n")
		}
		fmt.Fprintf(&b, "\n### %s\n\n```\n%s\n```\n", sentence(section.Title), strings.Join(section.Lines, "\n"))
	}
	if len(m.Conventions) > 0 {
		fmt.Fprintf(&b, "\n## Conventions\n\n```\n%s\n```\n", strings.Join(m.Conventions, "\n"))
	}
	table("Parameters of new documents", rows(m.NewParams, func(p abi.Param) [2]string { return [2]string{p.Key + ":", p.Value} }))
	table("Selectors", rows(m.Selectors, func(s abi.Selector) [2]string { return [2]string{s.Syntax, s.Summary} }))
	table("Queries", rows(m.Queries, func(q abi.Query) [2]string { return [2]string{q.Syntax, q.Summary} }))
	table("Session actions", rows(m.Session, func(s abi.Session) [2]string { return [2]string{s.Syntax, s.Summary} }))
	table("Export formats", rows(m.Exports, func(f abi.Format) [2]string { return [2]string{f.Name, f.Summary} }))
	table("Typed tools", rows(m.Tools, func(t abi.Tool) [2]string { return [2]string{call(&t), firstSentence(t.Description)} }))
	table("Commands", rows(m.Commands, func(c abi.Command) [2]string { return [2]string{c.Syntax, c.Summary} }))
	return b.String()
}

// categories lists the categories of verbs, in the order in which they first appear.
func categories(verbs []abi.Verb) (list []string) {
	for i := range verbs {
		if c := verbs[i].Category; !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

func writeVerb(b *strings.Builder, v *abi.Verb) {
	fmt.Fprintf(b, "\n### `%s`\n\n`%s`\n\n", v.Name, v.Syntax)
	if v.Summary != "" {
		fmt.Fprintf(b, "%s.", sentence(v.Summary))
		if v.Hidden {
			b.WriteString(" Not on the reference card.")
		}
		b.WriteString("\n")
	}
	if len(v.Params) > 0 {
		b.WriteString("\n| parameter | takes |\n|---|---|\n")
		for _, p := range v.Params {
			fmt.Fprintf(b, "| `%s:` | `%s` |\n", p.Key, escaped(p.Value))
		}
	}
	if len(v.Examples) > 0 {
		fmt.Fprintf(b, "\n```\n%s\n```\n", strings.Join(v.Examples, "\n"))
	}
}

// call is a typed tool's name with the names of its arguments; optional ones are in
// brackets.
func call(t *abi.Tool) string {
	var s struct {
		Properties map[string]any `json:"properties"`
		Required   []string       `json:"required"`
	}
	_ = json.Unmarshal(t.InputSchema, &s) // a schema of another shape has no names to show
	args := slices.Clone(s.Required)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(s.Required, name) {
			args = append(args, "["+name+"]")
		}
	}
	return strings.Join(append([]string{t.Name}, args...), " ")
}

// firstSentence is a text's first line, up to the end of its first sentence.
func firstSentence(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	first, _, _ := strings.Cut(line, ". ")
	return strings.TrimSuffix(first, ".")
}

func rows[T any](list []T, row func(T) [2]string) (out [][2]string) {
	for _, x := range list {
		out = append(out, row(x))
	}
	return out
}

func cell(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".")
}

func escaped(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

// Sources names the files in which a domain's verbs are tested and documented.
// Paths are relative to the test's folder.
type Sources struct {
	Tests     []string // patterns of Go files, as filepath.Glob has them
	Generator string   // a Go file that makes random ops, "" for none
	Reference string   // the page that Reference makes
}

// Complete reports an error for each verb without an op in a test or in the
// generator, for each query, action and selector that no test uses, and for a reference that differs from the result of Reference. It names
// the files to change. If FCP_UPDATE is set, it writes the reference.
func Complete[M any](t testing.TB, d *pdk.Domain[M], s Sources) {
	t.Helper()
	var tests []string
	for _, pattern := range s.Tests {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			t.Errorf("no file matches %s", pattern)
		}
		for _, f := range files {
			if f != s.Generator {
				tests = append(tests, f)
			}
		}
	}
	tried, made := opsIn(t, tests...), map[string]bool(nil)
	if s.Generator != "" {
		made = opsIn(t, s.Generator)
	}
	m := d.Manifest()
	for _, v := range m.Verbs {
		if !tried[v.Name] {
			t.Errorf("the verb %s is in no test: add one to %s", v.Name, strings.Join(s.Tests, " or "))
		}
		if made != nil && !made[v.Name] {
			t.Errorf("the verb %s is never generated: add a line to %s", v.Name, s.Generator)
		}
	}
	untested := func(kind, name, word string) {
		if !tried[word] {
			t.Errorf("the %s %s is in no test: add one to %s", kind, name, strings.Join(s.Tests, " or "))
		}
	}
	for _, q := range m.Queries {
		untested("query", q.Name, q.Name)
	}
	for _, a := range m.Session {
		untested("session action", a.Name, a.Name)
	}
	for _, sel := range m.Selectors {
		untested("selector", "@"+sel.Type, "@"+sel.Type)
	}
	want := Reference(d)
	if os.Getenv("FCP_UPDATE") != "" {
		if err := os.WriteFile(s.Reference, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(s.Reference); err != nil || string(got) != want {
		t.Errorf("%s is missing or out of date: FCP_UPDATE=1 go test -run %s writes it", s.Reference, t.Name())
	}
}

var selectorIn = regexp.MustCompile(`@[a-z][a-z0-9-]*`)

// opsIn is the set of words that string literals of Go files start with, line by line,
// and of the selectors in them, as @type.
func opsIn(t testing.TB, files ...string) map[string]bool {
	t.Helper()
	words := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, _ := strconv.Unquote(lit.Value)
				for line := range strings.Lines(text) {
					if w := strings.Fields(line); len(w) > 0 {
						words[w[0]] = true
					}
					for _, sel := range selectorIn.FindAllString(line, -1) {
						words[sel] = true
					}
				}
			}
			return true
		})
	}
	return words
}
