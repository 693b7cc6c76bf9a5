package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// A test's name determines which command runs it, so that none is left out or run by the wrong one:
// make test runs the tests that need only Go, make judge the others.
func TestTestsThatNeedAJudgeAreNamedTestJudge(t *testing.T) {
	if n := checkPrefix(t, "TestJudge", "internal/judge", func(string) bool { return true }); n < 8 {
		t.Errorf("%d tests need a judge", n)
	}
}

// make test runs the host's tests with the race detector, and without it those that it skips.
func TestTestsWithoutTheRaceDetectorAreNamedTestUnraced(t *testing.T) {
	if n := checkPrefix(t, "TestUnraced", "internal/testwasm", func(f string) bool { return f == "Unraced" }); n < 5 {
		t.Errorf("%d tests are not raced", n)
	}
}

// checkPrefix fails for each test that uses one of these functions of our packages, directly or through
// others in its folder, but has a name without the prefix, and vice versa. It returns the number of
// tests that use one.
func checkPrefix(t *testing.T, prefix, path string, counts func(function string) bool) (found int) {
	t.Helper()
	using := map[string]map[string]bool{} // functions that use one, by folder
	calls := map[string]map[string][]string{}
	for _, name := range sources(t, "_test.go") {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		pkg := ""
		for _, i := range file.Imports {
			if i.Path.Value == `"`+module+path+`"` {
				if pkg = filepath.Base(path); i.Name != nil {
					pkg = i.Name.Name
				}
			}
		}
		dir := filepath.Dir(name)
		if using[dir] == nil {
			using[dir], calls[dir] = map[string]bool{}, map[string][]string{}
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || f.Body == nil {
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && pkg != "" && x.Name == pkg && counts(n.Sel.Name) {
						using[dir][f.Name.Name] = true
					}
				case *ast.Ident:
					calls[dir][f.Name.Name] = append(calls[dir][f.Name.Name], n.Name)
				}
				return true
			})
		}
	}
	for dir, names := range using {
		for more := true; more; {
			more = false
			for f, used := range calls[dir] {
				for _, u := range used {
					if names[u] && !names[f] {
						names[f], more = true, true
					}
				}
			}
		}
		for f := range calls[dir] {
			if !strings.HasPrefix(f, "Test") {
				continue
			}
			if so := strings.HasPrefix(f, prefix); so != names[f] {
				t.Errorf("%s in %s: what uses %s is called %s…, and nothing else", f, dir, path, prefix)
			}
			if names[f] {
				found++
			}
		}
	}
	return found
}

// sources returns the paths of all files of the repository whose names end with end.
func sources(t *testing.T, end string) (files []string) {
	t.Helper()
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "bin" || strings.HasPrefix(e.Name(), ".") && path != root) {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, end) {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// make test selects the tests of these folders that run with the race detector by parts of their
// names. Each part must match an existing test, so that renaming one is noticed.
func TestTheRacedTestsOfTheMakefileExist(t *testing.T) {
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for variable, folder := range map[string]string{"RACED_COMMANDS": "cmd/internal/command", "RACED_DOCUMENTS": "host/document"} {
		_, parts, ok := strings.Cut(string(makefile), "\n"+variable+" := ")
		if !ok {
			t.Fatalf("the Makefile has no %s", variable)
		}
		parts, _, _ = strings.Cut(parts, "\n")
		var code strings.Builder
		files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			code.Write(data)
		}
		for part := range strings.SplitSeq(parts, "|") {
			if !regexp.MustCompile(`\nfunc Test\w*` + part).MatchString(code.String()) {
				t.Errorf("no test of %s has %s in its name, as %s of the Makefile says", folder, part, variable)
			}
		}
	}
}
