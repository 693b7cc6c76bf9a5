package docs_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/docs"
)

var update = flag.Bool("update", false, "regenerate the generated parts of abi.md and protocol.md")

var generated = regexp.MustCompile(`(?s)<!-- generated: ([^>]*) -->\n(.*?)<!-- end -->`)

// source returns the declarations of package abi.
func source(t *testing.T) []ast.Decl {
	t.Helper()
	var decls []ast.Decl
	names, err := filepath.Glob("../abi/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		decls = append(decls, f.Decls...)
	}
	return decls
}

func TestTheABIPageAgreesWithTheCode(t *testing.T) {
	g := generator{t: t, decls: source(t)}
	page := generated.ReplaceAllStringFunc(docs.ABI, func(old string) string {
		what := generated.FindStringSubmatch(old)[1]
		return "<!-- generated: " + what + " -->\n" + g.part(what) + "<!-- end -->"
	})
	g.checkComplete()
	if page == docs.ABI {
		return
	}
	if *update {
		if err := os.WriteFile("abi.md", []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, got := strings.Split(page, "\n"), strings.Split(docs.ABI, "\n")
	for i := range want {
		if i >= len(got) || want[i] != got[i] {
			t.Fatalf("abi.md differs from package abi in line %d (go test ./docs -update regenerates it)\ncode: %s\npage: %s", i+1, want[i], got[min(i, len(got)-1)])
		}
	}
}

// generator writes parts of abi.md from the declarations of package abi.
type generator struct {
	t       *testing.T
	decls   []ast.Decl
	structs []string // written so far
}

func (g *generator) part(what string) string {
	kind, names, _ := strings.Cut(what, " ")
	var b strings.Builder
	switch kind {
	case "exports":
		g.exports(&b)
	case "limits":
		fmt.Fprintf(&b, "| limit | value | of |\n|---|---|---|\n")
		for _, c := range g.constants("Max") {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.name, c.number, c.comment)
		}
	case "kinds":
		fmt.Fprintf(&b, "Kinds of a result, and the prefix that the host writes for each:\n\n| kind | prefix |\n|---|---|\n")
		for _, c := range g.constants("") {
			if c.typ == "Kind" {
				fmt.Fprintf(&b, "| `%s` | `%s` |\n", c.value, c.comment)
			}
		}
		b.WriteString("\n")
	case "struct":
		for _, name := range strings.Fields(names) {
			g.structure(&b, name)
		}
	case "exchange":
		for _, c := range exchange(g.t) {
			fmt.Fprintf(&b, "%s Call `%s` with\n\n%s\nand it answers\n\n%s\n", c.title, c.export, g.hex(c.in), g.hex(c.out))
		}
	default:
		g.t.Fatalf("abi.md asks for %q", what)
	}
	return b.String()
}

func (g *generator) exports(b *strings.Builder) {
	fmt.Fprintf(b, "| export | input | output | |\n|---|---|---|---|\n")
	link := func(s string) string {
		if s[0] >= 'a' { // no message of its own
			return s
		}
		name, rest, _ := strings.Cut(s, " ")
		return strings.TrimSpace(fmt.Sprintf("[%s](#%s) %s", name, strings.ToLower(name), rest))
	}
	for _, c := range g.constants("Export") {
		in, out, ok := strings.Cut(strings.TrimSuffix(c.comment, " (optional)"), " → ")
		if !ok {
			g.t.Errorf("%s: the comment %q is not INPUT → OUTPUT", c.name, c.comment)
		}
		need := "required"
		if slices.Contains(abi.Optional(), c.value) {
			need = "optional"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", c.value, link(in), link(out), need)
	}
}

// constant is one constant of package abi.
type constant struct{ name, typ, value, number, comment string }

func (g *generator) constants(prefix string) (list []constant) {
	for _, d := range g.decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST {
			continue
		}
		for _, s := range gen.Specs {
			v := s.(*ast.ValueSpec)
			if !strings.HasPrefix(v.Names[0].Name, prefix) || len(v.Values) != 1 {
				continue
			}
			c := constant{name: v.Names[0].Name, comment: strings.TrimSpace(v.Comment.Text())}
			if id, ok := v.Type.(*ast.Ident); ok {
				c.typ = id.Name
			}
			if lit, ok := v.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				c.value, _ = strconv.Unquote(lit.Value)
			} else {
				c.number = number(g.t, v.Values[0])
			}
			list = append(list, c)
		}
	}
	return list
}

// number evaluates a literal or a shift, and returns it with grouped digits.
func number(t *testing.T, e ast.Expr) string {
	literal := func(e ast.Expr) int {
		lit, ok := e.(*ast.BasicLit)
		if !ok {
			t.Fatalf("a limit is neither a number nor a shift")
		}
		n, err := strconv.Atoi(strings.ReplaceAll(lit.Value, "_", ""))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	n := 0
	if shift, ok := e.(*ast.BinaryExpr); ok && shift.Op == token.SHL {
		n = literal(shift.X) << literal(shift.Y)
	} else {
		n = literal(e)
	}
	return grouped(n)
}

// grouped formats n with commas between groups of three digits.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// structure writes a struct's comment, table and sample.
func (g *generator) structure(b *strings.Builder, name string) {
	g.structs = append(g.structs, name)
	for _, d := range g.decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, s := range gen.Specs {
			spec := s.(*ast.TypeSpec)
			st, ok := spec.Type.(*ast.StructType)
			if !ok || spec.Name.Name != name {
				continue
			}
			fmt.Fprintf(b, "#### %s\n\n%s\n\n| field | type | meaning |\n|---|---|---|\n", name, strings.Join(strings.Fields(gen.Doc.Text()), " "))
			for _, f := range st.Fields.List {
				g.field(b, name, f)
			}
			b.WriteString("\n")
			if m, ok := samples()[name]; ok {
				b.WriteString(g.hex(m) + "\n")
			}
			return
		}
	}
	g.t.Errorf("abi.md names the message %s, which does not exist", name)
}

func (g *generator) field(b *strings.Builder, of string, f *ast.Field) {
	tag, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		g.t.Fatal(err)
	}
	key, option, _ := strings.Cut(reflect.StructTag(tag).Get("msgpack"), ",")
	typ := wireType(f.Type)
	if option == "omitempty" {
		typ += ", optional"
	}
	comment := strings.TrimSpace(f.Comment.Text())
	if comment == "" {
		g.t.Errorf("%s.%s has no comment, which would be its meaning on the page", of, f.Names[0].Name)
	}
	fmt.Fprintf(b, "| `%s` | %s | %s |\n", key, typ, strings.ReplaceAll(comment, "|", `\|`))
}

func wireType(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return wireType(e.X)
	case *ast.ArrayType:
		if id, ok := e.Elt.(*ast.Ident); ok && id.Name == "byte" {
			return "bytes"
		}
		return "list of " + wireType(e.Elt)
	case *ast.Ident:
		switch e.Name {
		case "string", "Kind":
			return "text"
		case "int", "bool":
			return e.Name
		}
		return fmt.Sprintf("[%s](#%s)", e.Name, strings.ToLower(e.Name))
	}
	return "?"
}

// checkComplete fails the test unless every exported struct of package abi is on the page.
func (g *generator) checkComplete() {
	for _, d := range g.decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, s := range gen.Specs {
			spec := s.(*ast.TypeSpec)
			if _, ok := spec.Type.(*ast.StructType); ok && spec.Name.IsExported() && !slices.Contains(g.structs, spec.Name.Name) {
				g.t.Errorf("abi.md does not show %s", spec.Name.Name)
			}
		}
	}
}

// hex returns a message as a fenced hexadecimal dump.
func (g *generator) hex(message any) string {
	data, err := abi.Marshal(message)
	if err != nil {
		g.t.Fatal(err)
	}
	return "```text\n" + dump(g.t, data) + "```\n"
}

func TestTheABIPageListsTheFunctionsTheHostServes(t *testing.T) {
	literal := regexp.MustCompile(`\{"([a-z0-9_]+)", "([il]*)"(?:, "([il]*)")?`)
	served := func(file string) map[string]string {
		code, err := os.ReadFile(filepath.Join("../host/sandbox/internal/engine", file))
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, m := range literal.FindAllStringSubmatch(string(code), -1) {
			out[m[1]] = m[2] + ">" + m[3]
		}
		return out
	}
	row := regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\| `\\(([^)]*)\\)(?: -> (i32|i64))?` \\|")
	shown := map[string]string{}
	for _, m := range row.FindAllStringSubmatch(docs.ABI, -1) {
		letters := ""
		for _, p := range strings.Split(m[2], ", ") {
			if p != "" {
				letters += map[string]string{"i32": "i", "i64": "l"}[strings.Fields(p)[0]]
			}
		}
		shown[m[1]] = letters + ">" + map[string]string{"i32": "i", "i64": "l"}[m[3]]
	}
	all := map[string]string{}
	for _, file := range []string{"extism.go", "bulk.go"} {
		for name, typ := range served(file) {
			all[name] = typ
		}
	}
	if len(all) < 27 {
		t.Fatalf("found %d functions in host/sandbox/internal/engine", len(all))
	}
	if !reflect.DeepEqual(all, shown) {
		t.Errorf("the host serves\n%v\nthe page shows\n%v", all, shown)
	}
	_, list, _ := strings.Cut(docs.ABI, "\nServed: ")
	list, _, _ = strings.Cut(list, ", with the types")
	system := map[string]bool{}
	for _, name := range strings.Fields(list) {
		system[strings.Trim(name, "`")] = true
	}
	for name := range served("wasi.go") {
		if !system[name] {
			t.Errorf("the page does not list the system function %s", name)
		}
		delete(system, name)
	}
	for name := range system {
		t.Errorf("the page lists the system function %s, which the host does not serve", name)
	}
}
