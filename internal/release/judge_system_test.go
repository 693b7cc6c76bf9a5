package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
)

func TestJudgeReleasePackagesOfSystemsInstall(t *testing.T) {
	r := builtRelease(t)
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
			env, _ := newUserEnv(t)
			program := filepath.Join(root, "usr/bin/fcp-host")
			checkProgram(t, r, must(t, root, env, program, "version", "--json"))
			folder := t.TempDir()
			checkEditing(t, folder, folder, env, program)
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

// Simulates what Homebrew does with the formula, on Linux with an Intel processor.
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
	r := builtRelease(t)
	env, _ := newUserEnv(t)
	prefix, folder := filepath.Join(t.TempDir(), "Cellar of", "fcp-host"), t.TempDir()
	out := must(t, unpack(t, r, "linux", "amd64"), env, judge.Program(t, "ruby"), "-W", "-e", brew, r.file("fcp-host.rb"), prefix, folder)
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

// The go command fetches the tag as it would from a forge: from git, where the branch has no built domains.
func TestJudgeReleaseTagInstallsByGoInstallWithItsDomains(t *testing.T) {
	r := builtRelease(t)
	const path = "github.com/fcp-host/fcp-host"
	gopath := t.TempDir()
	env := append(cleanEnv(), "GOFLAGS=-modcacherw", "GOBIN="+filepath.Join(gopath, "b in"), "GONOPROXY="+path, "GONOSUMDB="+path,
		"GIT_CONFIG_COUNT=3", "GIT_CONFIG_KEY_0=url.file://"+r.clone+".insteadOf", "GIT_CONFIG_VALUE_0=https://"+path,
		"GIT_CONFIG_KEY_1=safe.directory", "GIT_CONFIG_VALUE_1=*", "GIT_CONFIG_KEY_2=uploadpack.allowAnySHA1InWant", "GIT_CONFIG_VALUE_2=true")
	// A separate module cache, filled from the existing one.
	cache := strings.TrimSpace(must(t, gopath, nil, "go", "env", "GOMODCACHE"))
	proxy := strings.TrimSpace(must(t, gopath, nil, "go", "env", "GOPROXY"))
	env = append(env, "GOMODCACHE="+filepath.Join(gopath, "mod"), "GOPROXY=file://"+filepath.Join(cache, "cache", "download")+","+proxy)
	must(t, gopath, env, "go", "install", path+"/cmd/fcp-host@"+tagName)
	own, _ := newUserEnv(t)
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
	if err := json.Unmarshal([]byte(must(t, gopath, own, filepath.Join(unpack(t, r, "linux", "amd64"), "fcp-host"), "version", "--json")), &released); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(v.Domains, released.Domains) {
		t.Errorf("its domains are %v, those of the archives %v", v.Domains, released.Domains)
	}
	folder := t.TempDir()
	checkEditing(t, folder, folder, own, program)
	// The branch contains no domains, and the program says so.
	if names := must(t, r.clone, nil, "git", "ls-tree", "-r", "--name-only", tagName+"^", "cmd/internal/command/builtin"); strings.Contains(names, "domains.zip") {
		t.Errorf("below the tag lie %s", names)
	}
}
