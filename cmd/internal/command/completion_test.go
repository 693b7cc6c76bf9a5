package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// Completion and the manual page are generated from each command's help text.
func TestEachCommandSaysHowItIsUsed(t *testing.T) {
	for _, c := range commands() {
		var out, errs bytes.Buffer
		if code := c.run(t.Context(), []string{"--help"}, stdio{strings.NewReader(""), &out, &errs}); code != exitOK || errs.Len() > 0 {
			t.Errorf("%s --help exits with %d and says %q", c.name, code, &errs)
		}
		if !strings.Contains(strings.ToLower(out.String()), "usage:") {
			t.Errorf("%s --help says %q", c.name, &out)
		}
	}
}

func TestCompletionListsWhatMayFollow(t *testing.T) {
	for words, want := range map[string]string{
		"":                     "serve exec view doctor inspect setup grants parse conform version completion man",
		"se":                   "serve setup",
		"--http-t":             "--http-token-file",
		"serve --http-c":       "--http-cert",
		"serve --http-k":       "--http-key",
		"exec --keep":          "--keep-going",
		"doctor --keep":        "",
		"doctor --root":        "--root",
		"setup vs":             "vscode",
		"setup --re":           "--remove",
		"setup vscode ":        "",
		"grants ":              "list add revoke",
		"plugin ":              "add list info update remove pin verify push",
		"plugin update --ro":   "--rollback",
		"completion ":          "bash fish zsh",
		"exec script":          "",
		"serve --root /t":      "",
		"conform --fix":        "--fixtures",
		"nothing that there i": "",
	} {
		var got []string
		for _, a := range candidates(t.Context(), strings.Split(words, " ")) {
			got = append(got, a.term)
		}
		for _, w := range strings.Fields(want) {
			if !slices.Contains(got, w) {
				t.Errorf("%q is answered with %q, without %s", words, got, w)
			}
		}
		if want == "" && len(got) > 0 {
			t.Errorf("%q is answered with %q", words, got)
		}
	}
}

func TestCommandsOfDomainsAreCompleted(t *testing.T) {
	m := &abi.Manifest{}
	for name, syntax := range map[string]string{"todo": "", "todo list": " [--status S] [@SELECTOR…]", "todo card": " CARD", "todo card new": " TITLE [-d|--dry-run] [--tags a,b]",
		"todo graph": " [--all] [ascii|dot]", "serve todo": ""} {
		m.Commands = append(m.Commands, abi.Command{Name: name, Syntax: name + syntax, Summary: "does\x1b[31m it"})
	}
	known := addCommands(nil, m, nil)
	for words, want := range map[string]string{
		"todo ":                    "card graph list mcp",
		"todo card ":               "new",
		"todo list ":               "",
		"todo list x --":           "--help --in --status",
		"todo list --status ":      "",
		"todo card new -":          "--dry-run --help --in --tags -d",
		"todo card new A --tags x": "",
		"todo card --":             "--help --in",
		"todo graph ":              "ascii dot",
		"todo graph --":            "--all --help --in",
		"todo --":                  "--help --in",
		"serve ":                   "",
		"other --":                 "--help",
	} {
		fields := strings.Split(words, " ")
		n := len(fields) - 1
		var got []string
		for _, a := range startingWith(fields[n], domainCandidates(known, fields[:n], fields[n])) {
			got = append(got, a.term)
			if strings.Contains(a.text, "\x1b") {
				t.Errorf("%q is answered with %q", words, a.text)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%q is answered with %q, want %s", words, got, want)
		}
	}
}

func TestHelpTextsAreParsed(t *testing.T) {
	for text, want := range map[string]string{
		"Flags of a:\n  --root DIR   allow this\n               folder\n": "Flags of a: --root DIR = allow this folder",
		"  -k, --keep  go on":                                 ": -k, --keep = go on",
		"  --late D how long":                                 ": --late D = how long",
		"  --grant A=B:C\n      let it":                       ": --grant A=B:C = let it",
		"  --cert FILE, --key FILE  serve it":                 ": --cert FILE, --key FILE = serve it",
		"  --server 'CMD …'  a server":                        ": --server 'CMD …' = a server",
		"usage: x [--json]\n  --json  as JSON\nthat is all\n": ": --json = as JSON | usage: x [--json] | that is all",
	} {
		var got []string
		for _, s := range parseHelp(text) {
			for _, e := range s.entries {
				got = append(got, s.title+": "+e.term+" = "+e.text)
			}
			got = append(got, s.prose...)
		}
		if strings.Join(got, " | ") != want {
			t.Errorf("%q is %q", text, got)
		}
	}
}

func TestTheManualHoldsEachCommandAndFlag(t *testing.T) {
	var page bytes.Buffer
	writeManual(t.Context(), &page)
	text := strings.NewReplacer(`\-`, "-", `\fB`, "", `\fR`, "", `\e`, `\`).Replace(page.String())
	for _, c := range commands() {
		if !strings.Contains(text, "\nfcp-host "+c.name+" ") {
			t.Errorf("it does not hold the command %s", c.name)
		}
		for _, flag := range helpFlag.FindAllString(c.help(t.Context()), -1) {
			if flag != "--help" && !regexp.MustCompile(flag+`\b`).MatchString(text) {
				t.Errorf("it does not hold %s of %s", flag, c.name)
			}
		}
	}
	if strings.Contains(text, "\n.\n") || strings.Contains(text, "\n\n") {
		t.Error("it has empty lines, which man prints")
	}
}

func TestTheVersionNamesTheBinarysParts(t *testing.T) {
	host := testwasm.Host(t)
	var b build
	out, err := exec.Command(host, "version", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &b); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := exec.Command(host, "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(string(text), "\n")
	if !strings.HasPrefix(first, "fcp-host "+b.Version) || !strings.Contains(first, b.Commit) || !strings.HasSuffix(first, " "+b.OS+"/"+b.Arch) {
		t.Errorf("it is %+v, and says %q", b, first)
	}
	var names []string
	for _, d := range b.Domains {
		names = append(names, d.Name)
		if line := fmt.Sprintf("builtin:%s %s sha256 %s", d.Name, d.Version, d.SHA256); !strings.Contains(rest, line) || len(d.SHA256) != 64 {
			t.Errorf("it does not say %q:\n%s", line, rest)
		}
	}
	if strings.Join(names, " ") != "cuedeck drawio flowise midi svg video" {
		t.Errorf("it has the domains %q", names)
	}
}

// Runs the completion script in each installed shell, with the program in a folder whose name contains a space.
func TestJudgeShellsCompleteWithTheScriptsOfCompletion(t *testing.T) {
	dir := t.TempDir() + "/a b"
	if err := errors.Join(os.Mkdir(dir, 0o755), os.Symlink(testwasm.Host(t), filepath.Join(dir, "fcp-host"))); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/local/bin:/usr/bin:/bin")
	t.Setenv("HOME", t.TempDir())
	for shell, script := range map[string]string{
		"bash": `source <(fcp-host completion bash)
			COMP_WORDS=(fcp-host setup vs) COMP_CWORD=2; _fcp_host; echo "${COMPREPLY[*]}"
			COMP_WORDS=(fcp-host "") COMP_CWORD=1; _fcp_host; echo "${COMPREPLY[*]}"
			COMP_WORDS=(fcp-host --plugin mi) COMP_CWORD=2; _fcp_host; echo "${COMPREPLY[*]}"
			complete -p fcp-host`,
		"zsh": `autoload -Uz compinit && compinit -u -D; source <(fcp-host completion zsh)
			_describe() { print -l -- ${(P)2} }; _files() { print files }
			words=(fcp-host setup vs) CURRENT=3; _fcp-host; words=(fcp-host "") CURRENT=2; _fcp-host; words=(fcp-host --plugin mi) CURRENT=3; _fcp-host
			words=(fcp-host serve --root x) CURRENT=4; _fcp-host`,
		"fish": `fcp-host completion fish | source
			complete -C 'fcp-host setup vs'; complete -C 'fcp-host '; complete -C 'fcp-host --plugin mi'`,
	} {
		t.Run(shell, func(t *testing.T) {
			out, err := exec.Command(judge.Program(t, shell), "-c", script).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, want := range []string{"vscode", "inspect", "doctor", "midi"} {
				if !strings.Contains(string(out), want) {
					t.Errorf("it does not complete %s:\n%s", want, out)
				}
			}
			if shell == "zsh" && !strings.HasSuffix(string(out), "files\n") {
				t.Errorf("no files where a file is meant:\n%s", out)
			}
		})
	}
}

func TestJudgeManReadsTheManualPage(t *testing.T) {
	man := judge.Program(t, "man")
	cmd := exec.Command(man, "--warnings=w", "-l", "-")
	var page, errs bytes.Buffer
	writeManual(t.Context(), &page)
	cmd.Stdin, cmd.Stderr = &page, &errs
	cmd.Env = append(cmd.Environ(), "MANWIDTH=100", "LC_ALL=C.UTF-8")
	out, err := cmd.Output()
	if err != nil || errs.Len() > 0 {
		t.Fatalf("%v\n%s", err, &errs)
	}
	for _, want := range []string{"fcp-host - serve file formats", "--http-token-file FILE", "fcp-host setup CLIENT [flags] [-- ARGS…]"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the page does not show %q", want)
		}
	}
}
