package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// make test runs what needs Go alone, make judge the rest. The name of a test
// says where it belongs, so that none is left out of both or slips into the wrong one.
func TestWhatNeedsAJudgeIsCalledSo(t *testing.T) {
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	judging := map[string]map[string]bool{} // by folder: functions that call a judge
	calls := map[string]map[string][]string{}
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "bin" || strings.HasPrefix(e.Name(), ".") && path != root) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, src, 0)
		if err != nil {
			return err
		}
		pkg := ""
		for _, i := range file.Imports {
			if i.Path.Value == `"`+module+`internal/judge"` {
				if pkg = "judge"; i.Name != nil {
					pkg = i.Name.Name
				}
			}
		}
		dir := filepath.Dir(path)
		if judging[dir] == nil {
			judging[dir], calls[dir] = map[string]bool{}, map[string][]string{}
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || f.Body == nil {
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && pkg != "" && x.Name == pkg {
						judging[dir][f.Name.Name] = true
					}
				case *ast.Ident:
					calls[dir][f.Name.Name] = append(calls[dir][f.Name.Name], n.Name)
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for dir, names := range judging {
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
			if named := strings.HasPrefix(f, "TestJudge"); named != names[f] {
				t.Errorf("%s in %s: TestJudge… is what calls internal/judge, and nothing else", f, dir)
			}
			if names[f] {
				found++
			}
		}
	}
	if found < 8 {
		t.Errorf("%d tests need a judge", found)
	}
}
