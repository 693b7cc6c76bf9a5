package testwasm

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Host returns an fcp-host with built-in domains: the one in the folder FCP_WASM, which the Makefile builds, otherwise
// a newly built one.
func Host(t testing.TB) string {
	t.Helper()
	once, _ := builds.LoadOrStore("fcp-host", sync.OnceValues(buildHost))
	file, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Hostd returns an fcp-hostd with built-in domains, like [Host].
func Hostd(t testing.TB) string {
	t.Helper()
	once, _ := builds.LoadOrStore("fcp-hostd", sync.OnceValues(func() (string, error) { return buildProgram("fcp-hostd") }))
	file, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Plugins returns the names of the built-in domains.
func Plugins(t testing.TB) []string {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	names, err := plugins(root)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func plugins(root string) (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(root, "plugins"))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

func buildHost() (string, error) { return buildProgram("fcp-host") }

func buildProgram(name string) (string, error) {
	if file, ok := prebuilt(name); ok {
		return file, nil
	}
	root, err := Root()
	if err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp("", "fcp-host-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	// The pack in the checkout may be older than its sources.
	pack := []string{"run", "./internal/pack", filepath.Join(tmp, "domains.zip")}
	domains, err := plugins(root)
	if err != nil {
		return "", err
	}
	for _, domain := range domains {
		wasm, err := build("plugins/" + domain)
		if err != nil {
			return "", err
		}
		pack = append(pack, wasm)
	}
	cmd := exec.Command("go", pack...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", &buildError{"the domains", string(out), err}
	}
	overlay := filepath.Join(tmp, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(root, "cmd", "internal", "command", "builtin", "domains.zip"): filepath.Join(tmp, "domains.zip")}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, replace, 0o600); err != nil {
		return "", err
	}
	return goBuild(name, append(os.Environ(), "CGO_ENABLED=0"), "-trimpath", "-overlay", overlay, "./cmd/"+name)
}
