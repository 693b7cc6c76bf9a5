package main

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/mcptest"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// These tests run make release on the last commit twice, in two clones in different folders, then
// install and run the result in every way that this system supports. They publish nothing.

const (
	tagName        = "v0.9.0-rc.1"
	releaseVersion = "0.9.0-rc.1"
)

// release is a clone in which make release ran.
type release struct{ clone, commit string }

func (r *release) file(name string) string { return filepath.Join(r.clone, "bin", "release", name) }

var scratch string // for the clones

func TestMain(m *testing.M) {
	code := m.Run()
	if scratch != "" {
		os.RemoveAll(scratch)
	}
	os.Exit(code)
}

// first is the release that the tests install. FCP_RELEASE names a clone of an earlier run to use
// instead.
var first = sync.OnceValues(func() (*release, error) {
	if clone := os.Getenv("FCP_RELEASE"); clone != "" {
		commit, err := run1(clone, "git", "rev-parse", "HEAD")
		return &release{clone, commit}, err
	}
	root, err := testwasm.Root()
	if err != nil {
		return nil, err
	}
	if scratch, err = os.MkdirTemp("", "fcp-release-*"); err != nil {
		return nil, err
	}
	clone := filepath.Join(scratch, "one")
	if _, err := run1(scratch, "git", "clone", "-q", root, clone); err != nil {
		return nil, err
	}
	return runRelease(clone, func() error {
		_, err := run1(clone, "make", "tag", "TAG="+tagName)
		return err
	})
})

// runRelease runs make release on the tag that prepare makes.
func runRelease(clone string, prepare func() error) (*release, error) {
	if err := prepare(); err != nil {
		return nil, err
	}
	for _, args := range [][]string{{"git", "checkout", "-q", tagName}, {"make", "release"}} {
		if _, err := run1(clone, args...); err != nil {
			return nil, err
		}
	}
	commit, err := run1(clone, "git", "rev-parse", "HEAD")
	return &release{clone, commit}, err
}

// cleanEnv returns the environment without the variables of an outer make or test.
func cleanEnv() []string {
	return append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "MAKE") || name == "MFLAGS" || strings.HasPrefix(name, "RELEASE_") || name == "SOURCE_DATE_EPOCH" || name == "GOFLAGS" || strings.HasPrefix(name, "GIT_")
	}), "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@localhost", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@localhost")
}

func run1(dir string, args ...string) (string, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, cleanEnv()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%q: %w\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

func builtRelease(t *testing.T) *release {
	t.Helper()
	for _, program := range []string{"git", "make"} {
		judge.Program(t, program)
	}
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skip("releases are made of commits, and this is no checkout of git")
	}
	r, err := first()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// must runs a command in a folder and returns its output.
func must(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, env
	if env == nil {
		cmd.Env = cleanEnv()
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return string(out)
}

// caches is a shared cache folder, so that each installed program need not compile again.
var caches = sync.OnceValues(func() (string, error) {
	if scratch == "" {
		var err error
		if scratch, err = os.MkdirTemp("", "fcp-release-*"); err != nil {
			return "", err
		}
	}
	dir := filepath.Join(scratch, "cache")
	return dir, os.Mkdir(dir, 0o700)
})

// newUserEnv returns the environment of a new user with an empty home folder that has a space in
// its name.
func newUserEnv(t *testing.T, more ...string) (env []string, home string) {
	t.Helper()
	cache, err := caches()
	if err != nil {
		t.Fatal(err)
	}
	home = filepath.Join(t.TempDir(), "Ann B")
	if err := os.MkdirAll(filepath.Join(home, "Documents"), 0o755); err != nil {
		t.Fatal(err)
	}
	return append([]string{"HOME=" + home, "PATH=/usr/local/bin:/usr/bin:/bin", "XDG_CACHE_HOME=" + cache}, more...), home
}

// checkProgram checks that a program is the released one, with all its domains.
func checkProgram(t *testing.T, r *release, version string) {
	t.Helper()
	var v struct {
		Version, Commit string
		Domains         []struct{ SHA256 string }
	}
	if err := json.Unmarshal([]byte(version), &v); err != nil {
		t.Fatalf("%v: %s", err, version)
	}
	if v.Version != tagName || v.Commit != r.commit || len(v.Domains) != 6 {
		t.Errorf("it is %+v, made from %s", v, r.commit)
	}
}

// checkEditing has a client start a server, list its tools, and make, edit and save a document in
// the folder.
func checkEditing(t *testing.T, dir, folder string, env []string, argv ...string) {
	t.Helper()
	c := mcptest.Starts(t, dir, env, argv...)
	defer c.Ends()
	if len(c.Tools) != 20 {
		t.Errorf("it has %d tools", len(c.Tools))
	}
	c.Call("midi_session", "action", `new "First"`)
	c.Call("midi", "ops", []string{"track add Piano", "note Piano A4"})
	c.Call("midi_session", "action", "save as:./first.mid")
	if data, err := os.ReadFile(filepath.Join(folder, "first.mid")); err != nil || !bytes.HasPrefix(data, []byte("MThd")) {
		t.Errorf("saved %d bytes, %v", len(data), err)
	}
}

func TestJudgeReleaseHasTheSameBytesInTwoClones(t *testing.T) {
	one := builtRelease(t)
	clone := filepath.Join(t.TempDir(), "another place", "of its own")
	if err := os.MkdirAll(filepath.Dir(clone), 0o755); err != nil {
		t.Fatal(err)
	}
	two, err := runRelease(clone, func() error {
		_, err := run1(".", "git", "clone", "-q", one.clone, clone)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sums := must(t, filepath.Join(one.clone, "bin", "release"), nil, "cat", "checksums.txt")
	if again := must(t, filepath.Join(two.clone, "bin", "release"), nil, "cat", "checksums.txt"); sums != again {
		t.Errorf("once the sums are\n%s\nthen\n%s", sums, again)
	}
}

func TestJudgeReleaseListsTheChecksumsOfAllItsFiles(t *testing.T) {
	r := builtRelease(t)
	dir := filepath.Join(r.clone, "bin", "release")
	must(t, dir, nil, "sha256sum", "--check", "--quiet", "--strict", "checksums.txt")
	sums := must(t, dir, nil, "cat", "checksums.txt")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "checksums.txt" && !strings.Contains(sums, "  "+e.Name()+"\n") {
			t.Errorf("checksums.txt does not list %s", e.Name())
		}
		if strings.Trim(e.Name(), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != "" {
			t.Errorf("forges rename %s", e.Name())
		}
	}
	want := map[string]int{".tar.gz": 4, ".zip": 3, ".deb": 2, ".rpm": 2, ".tgz": 7, ".mcpb": 5, ".spdx.json": 6, ".tar": 1, ".rb": 1, ".txt": 1, "server.json": 1}
	for kind, n := range want {
		found := 0
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), kind) {
				found++
			}
		}
		if found != n {
			t.Errorf("there are %d files %s, want %d", found, kind, n)
		}
	}
}

// unpack unpacks an archive and returns the folder.
func unpack(t *testing.T, r *release, goos, goarch string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "un packed")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("fcp-host_%s_%s_%s", releaseVersion, goos, goarch)
	if goos == "windows" {
		must(t, dir, nil, judge.Program(t, "unzip"), "-q", r.file(name+".zip"))
	} else {
		must(t, dir, nil, "tar", "-xzf", r.file(name+".tar.gz"))
	}
	return filepath.Join(dir, name)
}

func TestJudgeReleaseArchivesContainAStrippedProgramForTheirPlatform(t *testing.T) {
	r := builtRelease(t)
	for _, b := range builds {
		if b.goos == "wasip1" {
			continue
		}
		t.Run(b.goos+"/"+b.goarch, func(t *testing.T) {
			dir := unpack(t, r, b.goos, b.goarch)
			program := filepath.Join(dir, binary{goos: b.goos}.program())
			info, err := os.Stat(program)
			if err != nil || info.Mode().Perm() != 0o755 {
				t.Fatalf("%v %v", info, err)
			}
			for _, name := range []string{"LICENSE", "THIRD_PARTY_NOTICES", "README.md", "share/fcp-host.1", "share/fcp-host.bash", "share/_fcp-host", "share/fcp-host.fish"} {
				if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 || info.Mode().Perm() != 0o644 {
					t.Errorf("%s: %v %v", name, info, err)
				}
			}
			build, err := buildinfo.ReadFile(program)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range build.Settings {
				want, ok := map[string]string{"GOOS": b.goos, "GOARCH": b.goarch, "CGO_ENABLED": "0", "-trimpath": "true"}[s.Key]
				if ok && s.Value != want {
					t.Errorf("it was built with %s=%s", s.Key, s.Value)
				}
			}
			symbols := 0
			switch b.goos {
			case "linux":
				f, err := elf.Open(program)
				if err != nil {
					t.Fatal(err)
				}
				list, _ := f.Symbols()
				symbols = len(list)
				if f.Section(".debug_info") != nil || f.Section(".interp") != nil {
					t.Error("it is not stripped, or not static")
				}
			case "darwin":
				f, err := macho.Open(program)
				if err != nil {
					t.Fatal(err)
				}
				if f.Section("__debug_info") != nil || f.Section("__zdebug_info") != nil {
					t.Error("it is not stripped")
				}
			case "windows":
				f, err := pe.Open(program)
				if err != nil {
					t.Fatal(err)
				}
				symbols = len(f.Symbols)
			}
			if symbols > 0 {
				t.Errorf("it is not stripped: %d symbols", symbols)
			}
			data, err := os.ReadFile(program)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(data, []byte(r.clone)) || !bytes.Contains(data, []byte(r.commit)) || !bytes.Contains(data, []byte(tagName)) {
				t.Error("the place where it was built is in it, or version and commit are not")
			}
		})
	}
}

func TestJudgeReleaseArchiveRuns(t *testing.T) {
	r := builtRelease(t)
	dir := unpack(t, r, "linux", "amd64")
	env, _ := newUserEnv(t)
	program := filepath.Join(dir, "fcp-host")
	checkProgram(t, r, must(t, dir, env, program, "version", "--json"))
	folder := t.TempDir()
	checkEditing(t, folder, folder, env, program)
	// The user has no home folder, and the program's folder is read-only.
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	if out := must(t, dir, []string{"LC_ALL=C"}, program, "version"); !strings.HasPrefix(out, "fcp-host "+tagName+", commit "+r.commit+", ") {
		t.Errorf("without a home it says %q", out)
	}
	checkEditing(t, folder, folder, []string{"LC_ALL=C"}, program, "--cache", "off")
}
