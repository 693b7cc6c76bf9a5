package main

import (
	"bytes"
	"crypto/sha512"
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/mcptest"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// What make release makes of the last commit is built twice, in two clones at different places, then installed and run in all the ways
// that this system has. Nothing is published.

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

// first is the release that the tests install. FCP_RELEASE names a clone of an earlier run, which is taken as it is.
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
	return made(clone, func() error {
		_, err := run1(clone, "make", "tag", "TAG="+tagName)
		return err
	})
})

// made runs make release on the tag, which prepare makes.
func made(clone string, prepare func() error) (*release, error) {
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

// clean is the environment without what an outer make or test put there.
func clean() []string {
	return append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "MAKE") || name == "MFLAGS" || strings.HasPrefix(name, "RELEASE_") || name == "SOURCE_DATE_EPOCH" || name == "GOFLAGS" || strings.HasPrefix(name, "GIT_")
	}), "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@localhost", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@localhost")
}

func run1(dir string, args ...string) (string, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, clean()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%q: %w\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

func released(t *testing.T) *release {
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

// must runs a command in a folder and returns what it prints.
func must(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, env
	if env == nil {
		cmd.Env = clean()
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return string(out)
}

// caches holds what the installed programs compile, so that each need not.
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

// fresh is the environment of somebody who has nothing yet but a home, with a space in its name.
func fresh(t *testing.T, more ...string) (env []string, home string) {
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

// works holds what says that a program is the one that was released, with all its domains.
func works(t *testing.T, r *release, version string) {
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

// edits lets a client start a server, list its tools, and make, edit and save a document in the folder.
func edits(t *testing.T, dir, folder string, env []string, argv ...string) {
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
	one := released(t)
	clone := filepath.Join(t.TempDir(), "another place", "of its own")
	if err := os.MkdirAll(filepath.Dir(clone), 0o755); err != nil {
		t.Fatal(err)
	}
	two, err := made(clone, func() error {
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

func TestJudgeReleaseListsTheSumsOfAllThatItHolds(t *testing.T) {
	r := released(t)
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
	want := map[string]int{".tar.gz": 4, ".zip": 2, ".deb": 2, ".rpm": 2, ".tgz": 7, ".mcpb": 5, ".spdx.json": 6, ".tar": 1, ".rb": 1, ".txt": 1, "server.json": 1}
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

// unpacked is the folder that an archive is unpacked into.
func unpacked(t *testing.T, r *release, goos, goarch string) string {
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

func TestJudgeReleaseArchivesHoldAStrippedProgramForTheirPlatform(t *testing.T) {
	r := released(t)
	for _, b := range builds {
		if b.goos == "wasip1" {
			continue
		}
		t.Run(b.goos+"/"+b.goarch, func(t *testing.T) {
			dir := unpacked(t, r, b.goos, b.goarch)
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
	r := released(t)
	dir := unpacked(t, r, "linux", "amd64")
	env, _ := fresh(t)
	program := filepath.Join(dir, "fcp-host")
	works(t, r, must(t, dir, env, program, "version", "--json"))
	folder := t.TempDir()
	edits(t, folder, folder, env, program)
	// Whoever starts it has no home, and nothing may be written where it lies.
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	if out := must(t, dir, []string{"LC_ALL=C"}, program, "version"); !strings.HasPrefix(out, "fcp-host "+tagName+", commit "+r.commit+", ") {
		t.Errorf("without a home it says %q", out)
	}
	edits(t, folder, folder, []string{"LC_ALL=C"}, program, "--cache", "off")
}

func TestJudgeReleasePackagesOfSystemsInstall(t *testing.T) {
	r := released(t)
	for name, install := range map[string]func(t *testing.T, root string){
		"deb": func(t *testing.T, root string) {
			for _, dir := range []string{"updates", "info"} {
				if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg", dir), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			must(t, "/", nil, judge.Program(t, "dpkg"), "--root="+root, "--force-not-root", "--force-depends", "--log="+root+".log", "-i", r.file("fcp-host_"+releaseVersion+"_amd64.deb"))
			if got := must(t, "/", nil, "dpkg", "--root="+root, "-s", "fcp-host"); !strings.Contains(got, "Status: install ok installed") ||
				!strings.Contains(got, "Version: "+strings.Replace(releaseVersion, "-", "~", 1)+"\n") || strings.Contains(got, "Variant") {
				t.Errorf("dpkg says %s", got)
			}
		},
		"rpm": func(t *testing.T, root string) {
			file := r.file("fcp-host-" + releaseVersion + "-1.x86_64.rpm")
			if os.Getuid() != 0 {
				t.Skip("only root installs an rpm into a folder")
			}
			must(t, "/", nil, judge.Program(t, "rpm"), "--root", root, "-i", "--nosignature", file)
			if got := must(t, "/", nil, "rpm", "--root", root, "-q", "--queryformat", "%{LICENSE} %{BUILDHOST}", "fcp-host"); got != "Apache-2.0 localhost" {
				t.Errorf("rpm says %s", got)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			install(t, root)
			env, _ := fresh(t)
			program := filepath.Join(root, "usr/bin/fcp-host")
			works(t, r, must(t, root, env, program, "version", "--json"))
			folder := t.TempDir()
			edits(t, folder, folder, env, program)
			for _, file := range []string{"doc/fcp-host/copyright", "doc/fcp-host/THIRD_PARTY_NOTICES", "bash-completion/completions/fcp-host", "man/man1/fcp-host.1.gz",
				"zsh/site-functions/_fcp-host", "fish/vendor_completions.d/fcp-host.fish"} {
				if info, err := os.Stat(filepath.Join(root, "usr/share", file)); err != nil || info.Mode().Perm() != 0o644 {
					t.Errorf("%s: %v %v", file, info, err)
				}
			}
			if out := must(t, root, env, "man", "-l", filepath.Join(root, "usr/share/man/man1/fcp-host.1.gz")); !strings.Contains(out, "fcp-host "+tagName) {
				t.Error("the manual page does not name the version")
			}
		})
	}
}

// npmRegistry serves the packages of the release as the registry of npm does.
func npmRegistry(t *testing.T, r *release) (url string) {
	t.Helper()
	files, err := filepath.Glob(r.file("npm-*.tgz"))
	if err != nil || len(files) != 7 {
		t.Fatalf("%q %v", files, err)
	}
	answers := map[string][]byte{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if data, ok := answers[req.URL.Path]; ok { // a scope's slash comes escaped
			w.Write(data)
			return
		}
		http.NotFound(w, req)
	}))
	t.Cleanup(s.Close)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, contents := untar(t, gunzip(t, data))
		var m map[string]any
		if err := json.Unmarshal(contents["package/package.json"], &m); err != nil {
			t.Fatal(err)
		}
		sum := sha512.Sum512(data)
		name := filepath.Base(file)
		m["dist"] = map[string]string{"tarball": s.URL + "/-/" + name, "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
		about, err := json.Marshal(map[string]any{"name": m["name"], "dist-tags": map[string]any{"latest": m["version"]}, "versions": map[string]any{m["version"].(string): m}})
		if err != nil {
			t.Fatal(err)
		}
		answers["/"+m["name"].(string)], answers["/-/"+name] = about, data
	}
	return s.URL
}

func TestJudgeReleaseRunsByNpx(t *testing.T) {
	r := released(t)
	npx := judge.Program(t, "npx")
	env, home := fresh(t, "npm_config_registry="+npmRegistry(t, r), "npm_config_update_notifier=false", "npm_config_audit=false", "npm_config_fund=false")
	folder := filepath.Join(home, "My Songs")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	works(t, r, must(t, folder, env, npx, "-y", "fcp-host", "version", "--json"))
	edits(t, folder, folder, env, npx, "-y", "fcp-host")
	// What setup writes for clients starts it again, through npx.
	must(t, folder, env, npx, "-y", "fcp-host", "setup", "cursor")
	text, err := os.ReadFile(filepath.Join(home, ".cursor", "mcp.json"))
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		McpServers map[string]struct {
			Command string
			Args    []string
		}
	}
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	s := c.McpServers["fcp"]
	if s.Command != "npx" || !slices.Equal(s.Args[:2], []string{"-y", "fcp-host"}) {
		t.Fatalf("setup wrote %s", text)
	}
	for i := range s.Args {
		s.Args[i] = strings.ReplaceAll(s.Args[i], "${workspaceFolder}", folder)
	}
	if err := os.Remove(filepath.Join(folder, "first.mid")); err != nil {
		t.Fatal(err)
	}
	edits(t, t.TempDir(), folder, env, append([]string{s.Command}, s.Args...)...)
	// Exit codes and streams pass.
	cmd := exec.Command(npx, "-y", "fcp-host", "version", "x")
	cmd.Dir, cmd.Env = folder, env
	if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), `fcp-host: version takes no "x"`) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestJudgeReleaseInstallsByNpmFromItsFiles(t *testing.T) {
	r := released(t)
	npm := judge.Program(t, "npm")
	env, home := fresh(t, "npm_config_update_notifier=false", "npm_config_audit=false", "npm_config_fund=false")
	prefix := filepath.Join(home, "of npm")
	args := []string{npm, "install", "-g", "--offline", "--prefix", prefix, r.file("npm-fcp-host-" + releaseVersion + ".tgz")}
	must(t, home, env, append(args, r.file("npm-fcp-host-linux-x64-"+releaseVersion+".tgz"))...)
	program := filepath.Join(prefix, "bin", "fcp-host")
	works(t, r, must(t, home, env, program, "version", "--json"))
	folder := t.TempDir()
	edits(t, folder, folder, env, program)
	// A signal to what a client started ends the server, too: its output closes.
	cmd := exec.Command(program)
	cmd.Dir, cmd.Env = folder, env
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil { // which only a terminal would send to both
		t.Fatal(err)
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	var answers strings.Builder
	for buf := make([]byte, 1024); !strings.Contains(answers.String(), `"id":2`); {
		n, err := out.Read(buf)
		if err != nil {
			t.Fatalf("SIGINT to the launcher alone ended it: %v", err)
		}
		answers.Write(buf[:n])
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("SIGTERM ends it with %v", err)
	}
	// Without the package for this platform it says what is missing.
	alone := filepath.Join(home, "alone")
	args[5] = alone
	must(t, home, env, append(args, "--omit=optional")...)
	bare := exec.Command(filepath.Join(alone, "bin", "fcp-host"))
	bare.Env = env
	if text, err := bare.CombinedOutput(); err == nil || !strings.Contains(string(text), "install fcp-host again, without --omit=optional") {
		t.Errorf("alone it says %v %s", err, text)
	}
}

func TestJudgeReleaseBundleIsValidAndRuns(t *testing.T) {
	r := released(t)
	node, modules := judge.Npm(t, "@anthropic-ai/mcpb")
	mcpb := filepath.Join(modules, "@anthropic-ai", "mcpb", "dist", "cli", "cli.js")
	files, err := filepath.Glob(r.file("*.mcpb"))
	if err != nil || len(files) != 5 {
		t.Fatalf("%q %v", files, err)
	}
	env, home := fresh(t)
	for _, file := range files {
		dir := filepath.Join(home, "Claude Extensions", filepath.Base(file))
		must(t, home, env, node, mcpb, "unpack", file, dir)
		if out := must(t, home, env, node, mcpb, "validate", filepath.Join(dir, "manifest.json")); !strings.Contains(out, "passes") || strings.Contains(strings.ToLower(out), "warning") {
			t.Errorf("%s: %s", file, out)
		}
		if strings.Contains(file, "_darwin_all") {
			if fat, err := macho.OpenFat(filepath.Join(dir, "server", "fcp-host")); err != nil || len(fat.Arches) != 2 {
				t.Errorf("the program for macOS: %+v %v", fat, err)
			}
		}
		if !strings.HasSuffix(file, "_linux_amd64.mcpb") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		var m bundleManifest
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(filepath.Join(dir, m.Server.EntryPoint)); err != nil || info.Mode().Perm()&0o100 == 0 {
			t.Fatalf("the program of the bundle: %v %v", info, err)
		}
		// How Claude Desktop starts it once the folder was chosen, by its own library.
		folder := filepath.Join(home, "Documents")
		script := `import {getMcpConfigForManifest as config} from ` + quoted(t, "file://"+filepath.Join(modules, "@anthropic-ai", "mcpb", "dist", "shared", "config.js")) + `;
			console.log(JSON.stringify(await config({manifest: ` + string(text) + `, extensionPath: ` + quoted(t, dir) + `, systemDirs: {}, userConfig: {folder: ` + quoted(t, folder) + `}, pathSeparator: "/"})))`
		var c bundleConfig
		if err := json.Unmarshal([]byte(must(t, home, env, node, "--input-type=module", "-e", script)), &c); err != nil {
			t.Fatal(err)
		}
		argv := append([]string{c.Command}, c.Args...)
		works(t, r, must(t, home, env, argv[0], "version", "--json"))
		edits(t, "/", folder, env, argv...)
		if len(m.Tools) != 20 {
			t.Errorf("the manifest names %d tools", len(m.Tools))
		}
	}
}

// quoted is a string as JavaScript writes it.
func quoted(t *testing.T, s string) string {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestJudgeReleaseServerEntryFitsTheSchemaOfTheRegistry(t *testing.T) {
	r := released(t)
	// The registry's own module carries the schemas of its entries.
	out, err := run1(t.TempDir(), "go", "mod", "download", "-json", "github.com/modelcontextprotocol/registry@v1.5.0")
	if err != nil {
		t.Skipf("the registry's module cannot be had: %v", err)
	}
	var m struct{ Dir string }
	if err := json.Unmarshal([]byte(out), &m); err != nil {
		t.Fatal(err)
	}
	entry, err := os.ReadFile(r.file("server.json"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`schemas/([0-9-]+)/`).FindStringSubmatch(string(entry))
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(m.Dir, "internal", "validators", "schemas", version[1]+".json"))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(entry))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%v\n%s", err, entry)
	}
}

// What Homebrew has the formula do, on Linux with an Intel processor.
const brew = `
require "pathname"
require "fileutils"
class Pathname
  def install(*files)
    files.each do |f|
      from, to = f.is_a?(Hash) ? f.first : [f, File.basename(f)]
      mkpath
      FileUtils.cp from, self/to, preserve: true
    end
  end
end
class Formula
  class << self
    attr_reader :is, :tests
    %i[desc homepage version license url sha256].each { |k| define_method(k) { |v| (@is ||= {})[k] = v } }
    %i[on_linux on_intel].each { |k| define_method(k) { |&b| b.call } }
    %i[on_macos on_arm].each { |k| define_method(k) { |&b| } }
    def test(&b) = @tests = b
  end
  def prefix = Pathname(ARGV[1])
  def testpath = Pathname(ARGV[2])
  { bin: "bin", man1: "share/man/man1", bash_completion: "etc/bash_completion.d", zsh_completion: "share/zsh/site-functions", fish_completion: "share/fish/vendor_completions.d" }
    .each { |k, v| define_method(k) { prefix/v } }
  def system(*words) = Kernel.system(*words.map(&:to_s)) || raise(words.join(" "))
  def assert_path_exists(path) = path.exist? || raise(path.to_s)
end
load ARGV[0]
FcpHost.new.install
Dir.chdir(ARGV[2]) { FcpHost.new.instance_exec(&FcpHost.tests) }
puts FcpHost.is.values
`

func TestJudgeReleaseFormulaInstallsAndTestsTheProgram(t *testing.T) {
	r := released(t)
	env, _ := fresh(t)
	prefix, folder := filepath.Join(t.TempDir(), "Cellar of", "fcp-host"), t.TempDir()
	out := must(t, unpacked(t, r, "linux", "amd64"), env, judge.Program(t, "ruby"), "-W", "-e", brew, r.file("fcp-host.rb"), prefix, folder)
	archive := "fcp-host_" + releaseVersion + "_linux_amd64.tar.gz"
	sums := must(t, r.clone, nil, "cat", "bin/release/checksums.txt")
	for _, want := range []string{"\n" + releaseVersion + "\n", "\nApache-2.0\n", "/releases/download/" + tagName + "/" + archive + "\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q: %s", want, out)
		}
	}
	formula := must(t, r.clone, nil, "cat", "bin/release/fcp-host.rb")
	for _, m := range regexp.MustCompile(`(?m)url ".*/(.*)"\n +sha256 "(.*)"`).FindAllStringSubmatch(formula, -1) {
		if !strings.Contains(sums, m[2]+"  "+m[1]+"\n") {
			t.Errorf("%s has not the sum %s", m[1], m[2])
		}
	}
	for _, name := range []string{"bin/fcp-host", "THIRD_PARTY_NOTICES", "share/man/man1/fcp-host.1", "etc/bash_completion.d/fcp-host", "share/zsh/site-functions/_fcp-host", "share/fish/vendor_completions.d/fcp-host.fish"} {
		if _, err := os.Stat(filepath.Join(prefix, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestJudgeReleaseBillsNameTheModulesOfTheProgramAndItsDomains(t *testing.T) {
	r := released(t)
	for _, b := range builds {
		if b.goos == "wasip1" {
			continue
		}
		text, err := os.ReadFile(r.file(fmt.Sprintf("fcp-host_%s_%s_%s.spdx.json", releaseVersion, b.goos, b.goarch)))
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			SPDXVersion string
			Packages    []struct{ Name, VersionInfo string }
		}
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		var named []string
		for _, p := range doc.Packages {
			named = append(named, p.Name+" "+p.VersionInfo)
		}
		want := []string{"github.com/fcp-host/fcp-host " + tagName, "github.com/yuin/goldmark", "github.com/goccy/go-yaml", "github.com/extism/go-pdk"}
		build, err := buildinfo.ReadFile(filepath.Join(unpacked(t, r, b.goos, b.goarch), binary{goos: b.goos}.program()))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range build.Deps {
			want = append(want, d.Path+" "+d.Version)
		}
		for _, w := range want {
			if !slices.ContainsFunc(named, func(n string) bool { return n == w || strings.HasPrefix(n, w+" ") }) {
				t.Errorf("%s/%s: it does not name %s", b.goos, b.goarch, w)
			}
		}
		// A reader that was not written here.
		must(t, t.TempDir(), append(clean(), "GOFLAGS=-trimpath", "SYFT_CHECK_FOR_APP_UPDATE=false"), "go", "run", syft, "convert", r.file(fmt.Sprintf("fcp-host_%s_%s_%s.spdx.json", releaseVersion, b.goos, b.goarch)), "--output", "cyclonedx-json")
	}
}

const crane = "github.com/google/go-containerregistry/cmd/crane@v0.21.3"

func TestJudgeReleaseImageIsPushedPulledAndRuns(t *testing.T) {
	r := released(t)
	addr := ociRegistry(t)
	dir := filepath.Join(t.TempDir(), "lay out")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	must(t, dir, nil, "tar", "-xf", r.file("fcp-host_"+releaseVersion+"_image.tar"))
	env := append(clean(), "GOFLAGS=-trimpath", "HOME="+os.Getenv("HOME"))
	do := func(args ...string) string {
		t.Helper()
		return must(t, t.TempDir(), env, append([]string{"go", "run", crane, "--insecure"}, args...)...)
	}
	image := addr + "/fcp-host:" + releaseVersion
	do("push", dir, image)
	do("validate", "--remote", image)
	for _, arch := range []string{"amd64", "arm64"} {
		var c imageConfig
		if err := json.Unmarshal([]byte(do("config", "--platform", "linux/"+arch, image)), &c); err != nil {
			t.Fatal(err)
		}
		if c.Architecture != arch || c.Config.User != "65532:65532" || c.Config.Labels["org.opencontainers.image.revision"] != r.commit {
			t.Errorf("the image for %s is %+v", arch, c)
		}
	}
	root := t.TempDir()
	do("export", "--platform", "linux/amd64", image, filepath.Join(root, "..", "root.tar"))
	must(t, root, nil, "tar", "-xpf", "../root.tar")
	// Nothing but the program and its licences.
	var names []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(root, path)
			names = append(names, rel)
		}
		return err
	})
	if err != nil || !slices.Equal(names, []string{"usr/local/bin/fcp-host", "usr/share/doc/fcp-host/LICENSE", "usr/share/doc/fcp-host/THIRD_PARTY_NOTICES"}) {
		t.Errorf("it holds %q, %v", names, err)
	}
	inImage(t, r, root, "65532:65532")
	inImage(t, r, root, "1000:1000") // by docker run --user, with a folder of theirs at /work
}

// ociRegistry starts Debian's, on an address of this machine, with nothing in it.
func ociRegistry(t *testing.T) (addr string) {
	t.Helper()
	program := judge.Program(t, "docker-registry")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr = l.Addr().String()
	l.Close()
	config := filepath.Join(t.TempDir(), "config.yml")
	text := fmt.Sprintf("version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: %q}}\nhttp: {addr: %q}\n", t.TempDir(), addr)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "serve", config)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	t.Cleanup(func() { cmd.Process.Kill(); <-ended })
	for {
		res, err := http.Get("http://" + addr + "/v2/")
		if err == nil {
			res.Body.Close()
			return addr
		}
		select {
		case <-ended:
			t.Fatalf("the registry ended: %s", &out)
		default:
		}
	}
}

// inImage runs the program in the root of an image, as a user, with nothing else to be seen.
func inImage(t *testing.T, r *release, root, user string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root changes the root of a process")
	}
	unshare := judge.Program(t, "unshare")
	// Engines give every container these.
	for _, dir := range []string{"proc", "dev"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	work := filepath.Join(root, "work")
	var uid, gid int
	if _, err := fmt.Sscanf(user, "%d:%d", &uid, &gid); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chown(work, uid, gid), os.RemoveAll(filepath.Join(work, "first.mid"))); err != nil {
		t.Fatal(err)
	}
	start := []string{unshare, "--mount", "--pid", "--fork", "--net", "sh", "-c",
		`mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && root=$1 user=$2 && shift 2 && exec chroot --userspec="$user" "$root" "$@"`, "sh", root, user, "/usr/local/bin/fcp-host"}
	env := []string{"HOME=/home/fcp", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}
	if out, err := exec.Command(unshare, "--mount", "--pid", "--fork", "--net", "true").CombinedOutput(); err != nil {
		t.Skipf("no namespaces here: %v %s", err, out)
	}
	works(t, r, must(t, root, env, append(start, "version", "--json")...))
	edits(t, root, work, env, append(start, "--root", "/work")...)
	if info, err := os.Stat(filepath.Join(work, "first.mid")); err != nil || info.Sys() == nil {
		t.Errorf("%v %v", info, err)
	}
}

// The go command fetches the tag as it would from a forge: from git, where the branch has no built domains.
func TestJudgeReleaseTagInstallsByGoInstallWithItsDomains(t *testing.T) {
	r := released(t)
	const path = "github.com/fcp-host/fcp-host"
	gopath := t.TempDir()
	env := append(clean(), "GOFLAGS=-modcacherw", "GOBIN="+filepath.Join(gopath, "b in"), "GONOPROXY="+path, "GONOSUMDB="+path,
		"GIT_CONFIG_COUNT=3", "GIT_CONFIG_KEY_0=url.file://"+r.clone+".insteadOf", "GIT_CONFIG_VALUE_0=https://"+path,
		"GIT_CONFIG_KEY_1=safe.directory", "GIT_CONFIG_VALUE_1=*", "GIT_CONFIG_KEY_2=uploadpack.allowAnySHA1InWant", "GIT_CONFIG_VALUE_2=true")
	// A module cache of its own, filled from the one that is there.
	cache := strings.TrimSpace(must(t, gopath, nil, "go", "env", "GOMODCACHE"))
	proxy := strings.TrimSpace(must(t, gopath, nil, "go", "env", "GOPROXY"))
	env = append(env, "GOMODCACHE="+filepath.Join(gopath, "mod"), "GOPROXY=file://"+filepath.Join(cache, "cache", "download")+","+proxy)
	must(t, gopath, env, "go", "install", path+"/cmd/fcp-host@"+tagName)
	own, _ := fresh(t)
	program := filepath.Join(gopath, "b in", "fcp-host")
	var v struct {
		Version, Module string
		Domains         []struct{ SHA256 string }
	}
	if err := json.Unmarshal([]byte(must(t, gopath, own, program, "version", "--json")), &v); err != nil {
		t.Fatal(err)
	}
	if v.Version != tagName || !strings.HasPrefix(v.Module, "h1:") || len(v.Domains) != 6 {
		t.Errorf("it is %+v", v)
	}
	var released struct{ Domains []struct{ SHA256 string } }
	if err := json.Unmarshal([]byte(must(t, gopath, own, filepath.Join(unpacked(t, r, "linux", "amd64"), "fcp-host"), "version", "--json")), &released); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(v.Domains, released.Domains) {
		t.Errorf("its domains are %v, those of the archives %v", v.Domains, released.Domains)
	}
	folder := t.TempDir()
	edits(t, folder, folder, own, program)
	// The branch holds none, and says so.
	if names := must(t, r.clone, nil, "git", "ls-tree", "-r", "--name-only", tagName+"^", "cmd/internal/command/builtin"); strings.TrimSpace(names) != "cmd/internal/command/builtin/.gitignore" {
		t.Errorf("below the tag lie %s", names)
	}
}
