package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/evals"
	"github.com/fcp-host/fcp-host/evals/judge"
	"github.com/fcp-host/fcp-host/evals/model"
)

// evalFlags are the flags of eval.
type evalFlags struct {
	model, json, transcripts, facts, command string
	arms                                     list
	runs, maxCalls, maxRead                  int
}

func evalForm() form {
	e := evalFlags{runs: 1, maxCalls: 60, maxRead: 1_000_000}
	return form{
		usage: `usage:
  fcp-host eval CARD… --model MODEL [flags] [-- SERVER FLAGS]
  fcp-host eval --facts KIND FILE

Measures what tasks cost a language model, and whether they are done and all else is unchanged. A card is a TOML file;
a folder stands for all cards in it. docs/evals.md describes cards. The words after -- are flags of the server of the tools
and unified arms, such as --plugin ./todo.wasm for a domain of your own.

flags:
`,
		flags: []option{
			{"model", "MODEL", &e.model, "anthropic:MODEL, openai:MODEL, or stdio: each request is a line of JSON on stdout, and each answer one on " +
				"stdin; the table is then on stderr. Addresses and keys of APIs come from ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY, " +
				"OPENAI_BASE_URL and OPENAI_API_KEY"},
			{"arm", "ARM", &e.arms, "what the model works with (repeatable): tools, the four tools of the domain (the default); unified, the four " +
				"tools of all domains; files, reading and writing files"},
			{"command", "COMMAND", &e.command, "the arm tools is the tools of this MCP server instead, a program with its arguments, in quotes if " +
				"they have spaces; it is started in the folder of the card's files and speaks over stdio"},
			{"runs", "N", &e.runs, "how often each card is played in each arm (default 1)"},
			{"max-calls", "N", &e.maxCalls, "end a run after this many calls (default 60)"},
			{"max-read", "N", &e.maxRead, "end a run that has read more characters than this (default 1000000)"},
			{"json", "FILE", &e.json, "write the runs as JSON, too"},
			{"transcripts", "DIR", &e.transcripts, "write each conversation into this folder"},
			{"facts", "KIND", &e.facts, "print the facts of a file that cards of this kind judge"},
		},
		notes: "\nexit codes: 0 all runs came to their end, whatever the judge says; 1 one did not; 2 wrong usage\n",
		run:   func(ctx context.Context, in input, io stdio) int { return e.run(ctx, in, io) },
	}
}

func (e evalFlags) run(ctx context.Context, in input, io stdio) int {
	words := in.words
	unknown := slices.IndexFunc(e.arms, func(a string) bool { return !slices.Contains(evals.Arms, a) })
	switch {
	case len(words) == 0 || e.facts == "" && e.model == "":
		return wrongUsage
	case unknown >= 0:
		io.complain("unknown arm %q; there are %s", e.arms[unknown], strings.Join(evals.Arms, ", "))
		return exitUsage
	case e.runs < 1 || e.maxCalls < 1 || e.maxRead < 1:
		io.complain("--runs, --max-calls and --max-read must be more than 0")
		return exitUsage
	case e.facts != "":
		return printFacts(e.facts, words, io)
	}
	if len(e.arms) == 0 {
		e.arms = list{"tools"}
	}
	theirs, err := commandWords(e.command)
	if err == nil && e.command != "" && !slices.Contains(e.arms, "tools") {
		err = errors.New("it is for the arm tools")
	}
	if err != nil {
		io.complain("--command: %v", err)
		return exitUsage
	}
	cards, err := evals.ReadCards(words...)
	if err != nil {
		io.complain("%v", err)
		return exitUsage
	}
	m, err := model.New(e.model, os.Getenv, io.in, io.out)
	if err != nil {
		io.complain("--model: %v", err)
		return exitUsage
	}
	return e.play(ctx, cards, m, theirs, in.rest, io)
}

// play plays each card in each arm. theirs is the server of the arm tools, unless it is empty; flags are for our own.
func (e evalFlags) play(ctx context.Context, cards []evals.Card, m model.Model, theirs, flags []string, io stdio) int {
	exe, err := os.Executable()
	if err != nil {
		io.complain("%v", err)
		return exitFailed
	}
	r := evals.Runner{Model: m, Stderr: io.err, MaxCalls: e.maxCalls, MaxRead: e.maxRead, Server: func(domain string, unified bool) []string {
		if len(theirs) > 0 && !unified {
			return theirs
		}
		argv := append([]string{exe, "serve", "--config", "off", "--no-journal"}, flags...)
		if !slices.Contains(flags, "--plugin") {
			argv = append(argv, "--plugin", domain)
		}
		if unified {
			argv = append(argv, "--unified")
		}
		return argv
	}}
	report := evals.Report{Model: e.model, Command: e.command}
	code := exitOK
	for _, c := range cards {
		for _, arm := range e.arms {
			for n := range e.runs {
				if ctx.Err() != nil {
					code = exitFailed
					continue
				}
				t := r.Play(ctx, c, arm, n+1)
				report.Runs = append(report.Runs, t.Run)
				if t.Run.Error != "" {
					code = exitFailed
				}
				if e.transcripts == "" {
					continue
				}
				if err := t.Save(e.transcripts); err != nil {
					io.complain("--transcripts: %v", err)
					return exitFailed
				}
			}
		}
	}
	if e.json != "" {
		if err := evals.WriteJSON(e.json, report); err != nil {
			io.complain("--json: %v", err)
			return exitFailed
		}
	}
	out := io.out
	if e.model == "stdio" {
		out = io.err
	}
	if err := report.Write(out); err != nil {
		io.complain("%v", err)
		return exitFailed
	}
	return code
}

// commandWords splits a command at spaces outside of quotes, and looks its program up.
func commandWords(command string) (words []string, err error) {
	word, quote := "", rune(0)
	begun := false
	for _, r := range command + " " {
		switch {
		case quote == 0 && unicode.IsSpace(r):
			if begun {
				words = append(words, word)
			}
			word, begun = "", false
		case quote == 0 && (r == '"' || r == '\''):
			quote, begun = r, true
		case r == quote:
			quote = 0
		default:
			word, begun = word+string(r), true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote %c has no end", quote)
	}
	if len(words) == 0 {
		return nil, nil
	}
	if words[0], err = exec.LookPath(words[0]); err != nil {
		return nil, err
	}
	words[0], err = filepath.Abs(words[0]) // it is started in another folder
	return words, err
}

// printFacts prints the facts of files.
func printFacts(kind string, names []string, io stdio) int {
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			io.complain("%v", err)
			return exitUsage
		}
		facts, err := judge.Facts(kind, data)
		if err != nil {
			io.complain("%s: %v", name, err)
			return exitUsage
		}
		for _, f := range facts {
			fmt.Fprintln(io.out, f)
		}
	}
	return exitOK
}
