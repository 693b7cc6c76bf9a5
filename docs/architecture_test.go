package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/docs"
)

var (
	codeSpan = regexp.MustCompile("`([^`]+)`")
	goName   = regexp.MustCompile(`^[A-Za-z]\w*(\.[A-Za-z]\w*)?$`)
	pageLink = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	declared = regexp.MustCompile("`([A-Za-z]\\w*(?:\\.[A-Za-z]\\w*)?)(?:\\(\\))?`(?:[ \\n]+(?:in|of)[ \\n]+|[ \\n]+\\()`([^` ]+/[^` ]+\\.go)`")
	testSpan = regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z]\\w*)(…?)`")
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)[A-Z]\w*)\(`)
)

// In rows `FILE.go` | `Func`, `Type.Method`, each name is declared in one of the files, and each file declares one of the names.
func TestTheMapNamesExistingFilesAndFunctions(t *testing.T) {
	var top []string // folders of the repository
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		top = append(top, e.Name())
	}
	rows := 0
	for line := range strings.Lines(docs.Architecture) {
		for _, path := range spans(line) {
			if first, _, deep := strings.Cut(path, "/"); deep && !strings.ContainsAny(path, " …*") && slices.Contains(top, first) {
				if _, err := os.Stat(filepath.Join("..", path)); err != nil {
					t.Errorf("%s does not exist", path)
				}
			}
		}
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !strings.Contains(cells[1], ".go`") {
			continue
		}
		rows++
		files, names := spans(cells[1]), spans(cells[2])
		if !strings.HasSuffix(files[len(files)-1], ".go") { // `FILE.go`: `Func` | …
			names = slices.DeleteFunc(slices.Clone(files), func(s string) bool { return strings.HasSuffix(s, ".go") })
			files = slices.DeleteFunc(files, func(s string) bool { return !strings.HasSuffix(s, ".go") })
		}
		var declared []string
		for _, file := range files {
			here := declarations(t, file)
			if !slices.ContainsFunc(names, func(n string) bool { return slices.Contains(here, n) }) {
				t.Errorf("%s declares none of %s", file, strings.Join(names, ", "))
			}
			declared = append(declared, here...)
		}
		for _, name := range names {
			if goName.MatchString(name) && !slices.Contains(declared, name) {
				t.Errorf("%s is not declared in %s", name, strings.Join(files, ", "))
			}
		}
	}
	if rows < 50 {
		t.Errorf("the map has %d rows with files", rows)
	}
}

// In "`NAME` in `FILE.go`" and "`NAME` (`FILE.go`)", the file declares the name.
func TestPagesNameWhatAFileDeclares(t *testing.T) {
	checked := 0
	for _, page := range []string{"architecture.md", "../CONTRIBUTING.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			checked++
			name := strings.TrimPrefix(m[1], path.Base(path.Dir(m[2]))+".")
			if !slices.Contains(declarations(t, m[2]), name) {
				t.Errorf("%s: %s is not declared in %s", page, m[1], m[2])
			}
		}
	}
	if checked < 7 {
		t.Errorf("found only %d names with their files", checked)
	}
}

func TestTheMapNamesEveryRoom(t *testing.T) {
	_, rooms, _ := strings.Cut(docs.Architecture, "## Rooms")
	rooms, _, _ = strings.Cut(rooms, "\n## ")
	for _, parent := range []string{"", "host/"} {
		folders, err := os.ReadDir(filepath.Join("..", parent))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range folders {
			room := parent + e.Name()
			if code, _ := filepath.Glob(filepath.Join("..", room, "*.go")); len(code) > 0 && !strings.Contains(rooms, "`"+room+"`") {
				t.Errorf("the table of rooms lacks %s", room)
			}
		}
	}
}

func TestLinksOfPagesLeadToExistingFilesAndHeadings(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, more...) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		fenced := false
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if fenced {
				continue
			}
			for _, m := range pageLink.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, ""), -1) {
				target := filepath.Join(filepath.Dir(page), m[1])
				data, err := os.ReadFile(target)
				if info, statErr := os.Stat(target); statErr == nil && info.IsDir() {
					continue
				}
				if err != nil {
					t.Errorf("%s links to %s, which does not exist", page, m[1])
				} else if m[2] != "" && !slices.Contains(anchors(string(data)), m[2]) {
					t.Errorf("%s links to %s%s, and that page has no such heading", page, m[1], m[2])
				}
			}
		}
	}
}

func TestPagesNameExistingTests(t *testing.T) {
	var tests []string
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "bin" || len(e.Name()) > 2 && strings.HasPrefix(e.Name(), ".")):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		code, err := os.ReadFile(path)
		for _, m := range testFunc.FindAllStringSubmatch(string(code), -1) {
			tests = append(tests, m[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, glob := range []string{"*.md", "../*.md"} {
		pages, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range testSpan.FindAllStringSubmatch(string(text), -1) {
				if !slices.ContainsFunc(tests, func(name string) bool { return name == m[1] || m[2] != "" && strings.HasPrefix(name, m[1]) }) {
					t.Errorf("%s names the test %s, which does not exist", page, m[1])
				}
			}
		}
	}
}

func spans(line string) (list []string) {
	for _, m := range codeSpan.FindAllStringSubmatch(line, -1) {
		list = append(list, m[1])
	}
	return list
}

// declarations returns the names that a file declares: functions, methods, types, variables and constants.
func declarations(t *testing.T, file string) (names []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", file), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return nil
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = receiver(d.Recv.List[0].Type) + "." + name
			}
			names = append(names, name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// anchors returns the URL fragments of a page's headings.
func anchors(page string) (list []string) {
	drop := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for line := range strings.Lines(page) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			list = append(list, "#"+strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-"))
		}
	}
	return list
}
