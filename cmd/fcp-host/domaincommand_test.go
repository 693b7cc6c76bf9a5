package main

import (
	"testing"

	"github.com/fcp-host/fcp-host/abi"
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
		text, in, err := c.text(tt.words)
		fail := ""
		if err != nil {
			fail = err.Error()
		}
		if text != tt.text || in != tt.in || fail != tt.fail {
			t.Errorf("%q: %s, in %q, %s", tt.words, text, in, fail)
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
	if got := called("/usr/bin/other", []string{"x"}); len(got) != 1 {
		t.Errorf("a link of another name runs %q", got)
	}
}
