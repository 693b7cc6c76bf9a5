package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestTheWordsOfAShellBecomeThoseOfADomain(t *testing.T) {
	c := domainCommand{Command: abi.Command{Name: "cue scene", Text: "scene",
		Syntax: "cue scene [TITLE] [-d|--dry-run] [--token-limit <N>] [--status=S] [--force]"}}
	for _, tt := range []struct {
		words          []string
		text, in, fail string
	}{
		{nil, `scene`, "", ""},
		{[]string{"Shop", "--token-limit", "12"}, `scene Shop token-limit:"12"`, "", ""},
		{[]string{"--token-limit=a b", "--force"}, `scene token-limit:"a b" force`, "", ""},
		{[]string{"-d", "--dry-run", "--status", "to do"}, `scene d dry-run status:"to do"`, "", ""},
		{[]string{"a: b", "x:y", `q"uote`, "->", "@status:todo", "@a b"}, `scene "a: b" "x:y" "q\"uote" -> @status:todo "@a b"`, "", ""},
		{[]string{"--in", "./a b", "x"}, `scene x`, "./a b", ""},
		{[]string{"--", "--force", "-x"}, `scene "--force" "-x"`, "", ""},
		{[]string{"--status"}, "", "", "--status needs a value"},
		{[]string{"--none"}, "", "", "cue scene takes no --none"},
		{[]string{"--force=1"}, "", "", "--force=1 takes no value"},
		{[]string{"line\nbreak"}, `scene "line\nbreak"`, "", ""},
	} {
		text, in, dry, err := c.text(tt.words)
		fail := ""
		if err != nil {
			fail = err.Error()
		}
		if text != tt.text || in != tt.in || fail != tt.fail || dry {
			t.Errorf("%q: %s, in %q, %s", tt.words, text, in, fail)
		}
	}
}

func TestDryRunIsNotPassedOnAsAWord(t *testing.T) {
	c := domainCommand{Command: abi.Command{Name: "cue scene", Text: "scene", Answer: abi.AnswerCopy, Syntax: "cue scene [-d|--dry-run] [--token-limit <N>]"}}
	for _, tt := range []struct {
		words []string
		text  string
		dry   bool
	}{
		{nil, "scene", false},
		{[]string{"-d", "--token-limit", "9"}, `scene token-limit:"9"`, true},
		{[]string{"--dry-run"}, "scene", true},
		{[]string{"--", "-d"}, `scene "-d"`, false},
	} {
		if text, _, dry, err := c.text(tt.words); text != tt.text || dry != tt.dry || err != nil {
			t.Errorf("%q: %s %v %v", tt.words, text, dry, err)
		}
	}
}

func TestTheFolderAroundACommandIsFoundByTheMarker(t *testing.T) {
	top := t.TempDir()
	deep := filepath.Join(top, "a", "b")
	if err := os.MkdirAll(deep, 0o777); err != nil {
		t.Fatal(err)
	}
	m := testwasm.MinimalManifest()
	m.Folder, m.Commands = &abi.Folder{Include: []string{"*.md"}, Marker: ".cue"}, []abi.Command{{Name: "cue list"}}
	raw, err := abi.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	all := []plugin.Builtin{{Manifest: raw}}
	if got := markers(all, "other"); len(got) > 0 {
		t.Errorf("markers of others: %q", got)
	}
	if got := nearestMarked(deep, markers(all, "cue")); got != "" {
		t.Errorf("found %s", got)
	}
	if err := os.Mkdir(filepath.Join(top, ".cue"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{deep, top} {
		if got := nearestMarked(dir, markers(all, "cue")); got != top {
			t.Errorf("found %s, not %s", got, top)
		}
	}
}

func TestNoDomainTakesACommandOfTheHosts(t *testing.T) {
	m := &abi.Manifest{}
	for _, name := range []string{"serve", "exec now", "help", "cue", "cue list"} {
		m.Commands = append(m.Commands, abi.Command{Name: name})
	}
	list := addCommands(addCommands(nil, m, nil), m, nil)
	if len(list) != 2 || list[0].Name != "cue" || list[1].Name != "cue list" {
		t.Errorf("there are %+v", list)
	}
	if got := commandLineFor("/usr/bin/other", []string{"x"}); len(got) != 1 {
		t.Errorf("a link of another name runs %q", got)
	}
}

func TestTheHelpNamesTheCommandsOfAWordInALine(t *testing.T) {
	var list []domainCommand
	for _, name := range []string{"cue", "cue init", "add", "cue card new"} {
		list = append(list, domainCommand{Command: abi.Command{Name: name, Syntax: name + " " + strings.Repeat("W", len(name)), Summary: "does it"}})
	}
	var out strings.Builder
	printCommands(&out, list[3:])
	printCommands(&out, list[:1])
	printWords(&out, list)
	want := "  fcp-host cue card new WWWWWWWWWWWW   does it\n  fcp-host cue WWW                     does it\n" +
		"  fcp-host cue        [COMMAND | --help] init, card new\n  fcp-host add        [COMMAND | --help] \n"
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}

func TestNoDomainHasTheNameOfACommand(t *testing.T) {
	names := []string{"help"}
	for _, c := range commands() {
		names = append(names, c.name)
	}
	for _, c := range builtinCommands() {
		names = append(names, firstWord(c.Name))
	}
	for _, name := range names {
		if domain.CheckName(name) == nil {
			t.Errorf("a domain may be called %s", name)
		}
	}
}
