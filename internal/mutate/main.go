// Mutate measures how much of the code the tests notice. It makes random small faults in the code that is not for tests, one at a time, runs
// the tests that should notice it, and prints the share that they did, and the faults that they did not.
//
//	mutate [-n 200] [-seed 1] [-in PACKAGES] [-- flags of go test]
//
// The sources stay as they are: the go command reads a changed file in place of one by -overlay. A fault that does not compile does not
// count. (go-gremlins runs all tests of a module for their coverage first, has no sample, and calls a package without tests of its own
// untested, as those are that the tests of their domain test.)
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const module = "github.com/fcp-host/fcp-host/"

// rooms hold the code that gets faults.
const rooms = "./abi/... ./cmd/... ./conformance/... ./grammar/... ./host/... ./pdk/... ./plugins/... ./printable"

// testers are the packages whose tests run if those of a fault's own package do not notice it, by prefixes of that package. The longest
// prefix counts.
var testers = map[string][]string{
	"abi":             {"pdk", "host/document"},
	"cmd":             {"cmd/internal/command"},
	"grammar":         {"host/session"},
	"printable":       {"host/session"},
	"host":            {"host/document", "host/session", "host/mcpserver"},
	"host/capability": {"host/broker", "cmd/internal/command"},
	"host/confine":    {"host/sandbox"},
	"host/filelock":   {"host/files", "host/journal"},
	"pdk":             {"plugins/drawio/internal/diagram", "plugins/svg/internal/drawing", "plugins/midi"},
	"pdk/jsontree":    {"plugins/flowise/internal/flow", "plugins/video/internal/otio"},
	"pdk/layout":      {"plugins/drawio/internal/diagram"},
	"pdk/picture":     {"plugins/drawio/internal/svg", "plugins/cuedeck/internal/deck"},
	"plugins/cuedeck": {"plugins/cuedeck/internal/deck", "plugins/cuedeck/internal/tools"},
	"plugins/drawio":  {"plugins/drawio/internal/diagram"},
	"plugins/flowise": {"plugins/flowise/internal/flow", "plugins/flowise/internal/tools"},
	"plugins/midi":    {"plugins/midi"},
	"plugins/svg":     {"plugins/svg/internal/drawing"},
	"plugins/video":   {"plugins/video/internal/timeline", "plugins/video/internal/render"},
}

// fault is a replacement of the bytes from from to to of a file. The replacement "!(" keeps them, and closes the parenthesis.
type fault struct {
	pkg, file string
	from, to  int
	by        string
}

var opposite = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==", token.LAND: "||", token.LOR: "&&",
}

// collect appends the faults that a file can get to those of each kind: operators, constants, conditions and statements.
func collect(all *[4][]fault, pkg, file string) error {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, file, nil, parser.ParseComments)
	if err != nil || ast.IsGenerated(tree) {
		return err
	}
	add := func(kind int, from, to token.Pos, by string) {
		all[kind] = append(all[kind], fault{pkg, file, files.Position(from).Offset, files.Position(to).Offset, by})
	}
	for _, d := range tree.Decls {
		if _, ok := d.(*ast.FuncDecl); !ok {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if by := opposite[n.Op]; by != "" {
					add(0, n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), by)
				}
			case *ast.BasicLit:
				if v, err := strconv.Atoi(n.Value); err == nil && n.Kind == token.INT {
					add(1, n.Pos(), n.End(), strconv.Itoa(v+1))
				}
			case *ast.IfStmt:
				add(2, n.Cond.Pos(), n.Cond.End(), "!(")
			case *ast.ExprStmt, *ast.IncDecStmt:
				add(3, n.Pos(), n.End(), "")
			case *ast.AssignStmt:
				if n.Tok != token.DEFINE {
					add(3, n.Pos(), n.End(), "")
				}
			}
			return true
		})
	}
	return nil
}

// apply returns the file with the fault, and a description of the fault.
func (f fault) apply() (changed []byte, description string, err error) {
	data, err := os.ReadFile(f.file)
	if err != nil {
		return nil, "", err
	}
	by := f.by
	if by == "!(" {
		by += string(data[f.from:f.to]) + ")"
	}
	changed = slices.Concat(data[:f.from], []byte(by), data[f.to:])
	n := bytes.Count(data[:f.from], []byte{'\n'})
	line := func(d []byte) []byte { return bytes.TrimSpace(bytes.Split(d, []byte{'\n'})[n]) }
	return changed, fmt.Sprintf("%s/%s:%d: %s → %s", f.pkg, filepath.Base(f.file), n+1, line(data), line(changed)), nil
}

// mutation runs tests.
type mutation struct {
	dir  string                   // for its files
	took map[string]time.Duration // by package: how long its tests take without a fault
}

// test runs the tests of a package and returns what they printed, and an error if they failed.
func (m *mutation) test(pkg string, flags ...string) (string, error) {
	args := slices.Concat([]string{"test", "-failfast", "-count=1", "-skip=^TestJudge"}, flag.Args(), flags, []string{module + pkg})
	out, err := exec.Command("go", args...).CombinedOutput()
	return string(out), err
}

// judge runs the tests of a fault, and reports whether it compiles and whether they notice it.
func (m *mutation) judge(f fault, changed []byte) (compiles, noticed bool, err error) {
	file, overlay := filepath.Join(m.dir, "changed.go"), filepath.Join(m.dir, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{f.file: file}})
	if err := cmp.Or(err, os.WriteFile(file, changed, 0o600), os.WriteFile(overlay, list, 0o600)); err != nil {
		return false, false, err
	}
	prefix := ""
	for p := range testers {
		if len(p) > len(prefix) && strings.HasPrefix(f.pkg+"/", p+"/") {
			prefix = p
		}
	}
	for _, pkg := range append([]string{f.pkg}, testers[prefix]...) {
		if m.took[pkg] == 0 {
			began := time.Now()
			if out, err := m.test(pkg); err != nil {
				return false, false, fmt.Errorf("the tests of %s fail without a fault:\n%s", pkg, out)
			}
			m.took[pkg] = time.Since(began)
		}
		if out, err := m.test(pkg, "-overlay="+overlay, "-timeout="+(4*m.took[pkg]+20*time.Second).String()); err != nil {
			return !strings.Contains(out, "[build failed]"), true, nil
		}
	}
	return true, false, nil
}

func run() error {
	n, seed, in := flag.Int("n", 200, "number of faults"), flag.Uint64("seed", 1, "seed of the random choice"), flag.String("in", rooms, "packages")
	flag.Parse()
	out, err := exec.Command("go", append([]string{"list", "-f", "{{$p := .}}{{range .GoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}\n{{end}}"}, strings.Fields(*in)...)...).Output()
	if err != nil {
		return err
	}
	var all [4][]fault
	for line := range strings.Lines(string(out)) {
		if pkg, file, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			if err := collect(&all, strings.TrimPrefix(pkg, module), file); err != nil {
				return err
			}
		}
	}
	random := rand.New(rand.NewPCG(*seed, 0))
	for _, list := range all {
		random.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	}
	m := &mutation{took: map[string]time.Duration{}}
	if m.dir, err = os.MkdirTemp("", "mutate"); err != nil {
		return err
	}
	defer os.RemoveAll(m.dir)
	var missed []string
	judged := 0
	for i := 0; judged < *n; i++ {
		f := all[i%4][i/4]
		changed, description, err := f.apply()
		if err != nil {
			return err
		}
		compiles, noticed, err := m.judge(f, changed)
		switch {
		case err != nil:
			return err
		case !compiles:
			continue
		case !noticed:
			missed = append(missed, description)
		}
		judged++
		log.Printf("%d of %d, %d missed: %s", judged, *n, len(missed), description)
	}
	fmt.Printf("%d of %d faults were noticed. These were not:\n%s\n", judged-len(missed), judged, strings.Join(missed, "\n"))
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
