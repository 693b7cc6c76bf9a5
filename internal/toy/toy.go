// Package toy builds the domain that docs/authoring.md shows, for tests that
// need a small real plugin. It calls the go command.
package toy

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/fcp-host/fcp-host/docs"
)

// Domain is the name of the domain, and of its tools.
const Domain = "todo"

// repository is a link to this repository in the module's folder. The build contains this relative name instead of a path,
// so every checkout builds the same bytes, and finds their compiled code in the cache.
const repository = "fcp-host"

// Write writes the domain into dir as a module that takes the SDK from this repository. dir must exist.
func Write(dir string) error {
	root, err := root()
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	files := docs.Files(docs.Authoring)
	files["go.sum"] = string(sums)
	files["go.mod"] = "module example.com/todo\n\ngo 1.26.5\n\n" +
		"require github.com/fcp-host/fcp-host v0.0.0\n\nreplace github.com/fcp-host/fcp-host => ./" + repository + "\n"
	if err := os.Symlink(root, filepath.Join(dir, repository)); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Go runs the go command in a module that Write wrote. The error contains the command's output.
func Go(dir string, env []string, args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	// The module's go.mod has no versions: use this repository's. Keep paths of this machine out of the build.
	cmd.Env = append(append(os.Environ(), "GOFLAGS=-mod=mod -trimpath -buildvcs=false", "GOWORK=off"), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out.Bytes())
	}
	return nil
}

// Build compiles the domain in dir, an empty folder, and returns the path of
// todo.wasm there.
func Build(dir string) (string, error) {
	if err := Write(dir); err != nil {
		return "", err
	}
	wasm := filepath.Join(dir, Domain+".wasm")
	return wasm, Go(dir, []string{"GOOS=wasip1", "GOARCH=wasm"}, "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", wasm, ".")
}

// root returns the folder of this repository's go.mod, from anywhere below it.
func root() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	mod := strings.TrimSpace(string(out))
	if mod == "" || mod == os.DevNull {
		return "", fmt.Errorf("not inside this repository")
	}
	return filepath.Dir(mod), nil
}
