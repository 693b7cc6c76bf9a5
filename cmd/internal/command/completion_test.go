package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestEachCommandSaysHowItIsUsed(t *testing.T) {
	for _, c := range commands() {
		var out, errs bytes.Buffer
		if code := c.start(t.Context(), []string{"--help"}, stdio{strings.NewReader(""), &out, &errs}); code != exitOK || errs.Len() > 0 {
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
		for _, a := range candidates(strings.Split(words, " ")) {
			got = append(got, a.word)
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
			got = append(got, a.word)
			if strings.Contains(a.about, "\x1b") {
				t.Errorf("%q is answered with %q", words, a.about)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%q is answered with %q, want %s", words, got, want)
		}
	}
}

func TestHelpTextsAreLaidOut(t *testing.T) {
	var out strings.Builder
	printOptions(&out, []option{
		{"NAME", "", nil, "a name"},
		{"k keep", "", new(bool), strings.Repeat("go on ", 20)},
		{"a-name-that-is-long", "VALUE", new(string), "in the same line"},
	})
	want := "  NAME        a name\n" +
		"  -k, --keep  " + strings.TrimSpace(strings.Repeat("go on ", 16)) + " go\n" +
		"              on go on go on go on\n" +
		"  --a-name-that-is-long VALUE  in the same line\n"
	if out.String() != want {
		t.Errorf("laid out as\n%s", &out)
	}
}

func TestTheManualHoldsEachCommandAndFlag(t *testing.T) {
	var page bytes.Buffer
	writeManual(&page)
	text := strings.NewReplacer(`\-`, "-", `\fB`, "", `\fR`, "", `\e`, `\`, `\(dq`, `"`).Replace(page.String())
	for _, c := range commands() {
		if !strings.Contains(text, "\nfcp-host "+c.name+" ") {
			t.Errorf("it does not hold the command %s", c.name)
		}
		for _, o := range c.flags() {
			if !strings.Contains(text, "\n"+o.term()+"\n"+o.help+"\n") {
				t.Errorf("it does not hold %s of %s", o.name, c.name)
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
	writeManual(&page)
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
