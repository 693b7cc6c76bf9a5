package command

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/clients"
	"github.com/fcp-host/fcp-host/printable"
)

const completionUsage = `usage: fcp-host completion bash | zsh | fish
  bash   source <(fcp-host completion bash), in ~/.bashrc
  zsh    source <(fcp-host completion zsh), in ~/.zshrc after compinit
  fish   fcp-host completion fish | source, in ~/.config/fish/config.fish
`

// completions are the scripts of the shells. Each runs the program for its candidates, one on each
// line: the word, a tab, and a description. If there are none, the shell completes file names.
var completions = map[string]string{
	"bash": `# completion of fcp-host for bash
_fcp_host() {
  local IFS=$'\n'
  COMPREPLY=($("${COMP_WORDS[0]}" completion -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o bashdefault -o default -F _fcp_host fcp-host
`,
	"zsh": `#compdef fcp-host
_fcp-host() {
  local line
  local -a answers
  for line in "${(@f)$("${words[1]}" completion -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && answers+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  if (( ${#answers} )); then _describe fcp-host answers; else _files; fi
}
if [[ ${funcstack[1]} = _fcp-host ]]; then _fcp-host "$@"; else compdef _fcp-host fcp-host; fi
`,
	"fish": `# completion of fcp-host for fish
function __fcp_host
  set -l words (commandline -opc)
  command $words[1] completion -- $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c fcp-host -n 'count (__fcp_host) >/dev/null' -f -a '(__fcp_host)'
`,
}

// completion prints the script of a shell. With words after --, it prints the candidates for the
// last of them.
func completion(ctx context.Context, args []string, io stdio) int {
	switch {
	case len(args) > 0 && args[0] == "--":
		for _, a := range candidates(ctx, args[1:]) {
			fmt.Fprintf(io.out, "%s\t%s\n", a.term, a.text)
		}
		return exitOK
	case len(args) == 1 && completions[args[0]] != "":
		fmt.Fprint(io.out, completions[args[0]])
		return exitOK
	case len(args) == 1 && (args[0] == "-h" || args[0] == "--help"):
		fmt.Fprint(io.out, completionUsage)
		return exitOK
	}
	fmt.Fprint(io.err, completionUsage)
	return exitUsage
}

// candidates returns the candidates for the last of the words.
func candidates(ctx context.Context, words []string) (list []helpEntry) {
	if len(words) == 0 {
		return nil
	}
	before, begun := words[:len(words)-1], words[len(words)-1]
	c, name := commands()[0], ""
	if len(before) > 0 && !strings.HasPrefix(before[0], "-") {
		name = before[0]
		i := slices.IndexFunc(commands(), func(c command) bool { return c.name == name })
		if i < 0 {
			return startingWith(begun, domainCandidates(knownCommands(), before, begun))
		}
		c = commands()[i]
	}
	flags := c.flags(ctx)
	if len(before) > 0 && takesValue(flags, before[len(before)-1], "PLUGIN") {
		return startingWith(begun, append(builtinNames(), addedNames()...))
	}
	if strings.HasPrefix(begun, "-") {
		for _, e := range flags {
			for _, f := range helpFlag.FindAllString(e.term, -1) {
				list = append(list, helpEntry{f, e.text})
			}
		}
		return startingWith(begun, list)
	}
	switch {
	case name == "" && len(before) == 0:
		for _, c := range commands() {
			list = append(list, helpEntry{c.name, c.summary})
		}
		for _, d := range knownCommands() {
			list = append(list, helpEntry{firstWord(d.Name), "commands of a domain"})
		}
	case name == "setup" && len(before) == 1:
		for _, c := range clients.All() {
			list = append(list, helpEntry{c.Name, c.Title})
		}
	case name == "skill" && (before[len(before)-1] == "--install" || before[len(before)-1] == "--remove"):
		for _, f := range clients.SkillFolders() {
			list = append(list, helpEntry{f.Name, f.Title})
		}
	case name == "skill":
		list = append(builtinNames(), addedNames()...)
	case name == "completion" && len(before) == 1:
		for _, shell := range []string{"bash", "fish", "zsh"} {
			list = append(list, helpEntry{shell, "the script for " + shell})
		}
	case name == "inspect" || name == "conform":
		list = append(builtinNames(), addedNames()...)
	case len(before) == 1:
		for _, m := range regexp.MustCompile(`fcp-host `+name+` \[?([a-z]+)`).FindAllStringSubmatch(c.help(ctx), -1) {
			list = append(list, helpEntry{m[1], "fcp-host " + name + " " + m[1]})
		}
	case name == "grants" && len(before) == 2:
		list = builtinNames()
	case name == "plugin" && slices.Contains([]string{"info", "update", "remove", "pin", "verify"}, before[1]):
		list = addedNames()
	}
	return startingWith(begun, list)
}

// takesValue reports whether the help shows a value of this name for a flag.
func takesValue(flags []helpEntry, flag, value string) bool {
	return slices.ContainsFunc(flags, func(e helpEntry) bool { return e.term == flag+" "+value })
}

// builtinNames lists the built-in domains.
func builtinNames() (list []helpEntry) {
	b, err := thisBuild()
	if err != nil {
		return nil // what serves them says so
	}
	for _, d := range b.Domains {
		list = append(list, helpEntry{d.Name, "the built-in domain"})
	}
	return list
}

// addedNames lists the added plugins.
func addedNames() (list []helpEntry) {
	added, _ := addedFolder().Plugins() // an unreadable lock file has no names
	for _, p := range added {
		list = append(list, helpEntry{p.Name, "added, " + printable.Line(p.Version)})
	}
	return list
}

// choices matches a choice of words in a command's syntax: [ascii|dot].
var choices = regexp.MustCompile(`[[ ]([a-z]+(?:\|[a-z]+)+)\]`)

// domainCandidates returns the candidates after the words of a domain's command: the rest of its name,
// its flags, and its choices.
func domainCandidates(known []domainCommand, before []string, begun string) (list []helpEntry) {
	var c *domainCommand // the one of most words
	for i, d := range known {
		words := strings.Fields(d.Name)
		switch n := len(before); {
		case len(words) == n+1 && slices.Equal(words[:n], before):
			list = append(list, helpEntry{words[n], printable.Line(d.Summary)})
		case len(words) > n && slices.Equal(words[:n], before):
			list = append(list, helpEntry{words[n], "commands of a domain"})
		case len(words) <= n && slices.Equal(words, before[:len(words)]) && (c == nil || len(words) > len(strings.Fields(c.Name))):
			c = &known[i]
		}
	}
	if len(before) == 1 && len(list) > 0 {
		list = append(list, helpEntry{"mcp", mcpSummary})
	}
	if !strings.HasPrefix(begun, "-") {
		if c != nil {
			for _, m := range choices.FindAllStringSubmatch(c.Syntax, -1) {
				for word := range strings.SplitSeq(m[1], "|") {
					list = append(list, helpEntry{word, printable.Line(c.Syntax)})
				}
			}
		}
		return list
	}
	list = []helpEntry{{"--help", "how it is used"}}
	if c != nil {
		list = append(list, helpEntry{"--in", "the file or folder that is meant"})
		for _, m := range flagForm.FindAllStringSubmatch(c.Syntax, -1) {
			dashes := "--"
			if len(m[1]) == 1 {
				dashes = "-"
			}
			list = append(list, helpEntry{dashes + m[1], printable.Line(c.Summary)})
		}
	}
	return list
}

// startingWith returns the entries whose word has the prefix, without duplicates.
func startingWith(begun string, list []helpEntry) (out []helpEntry) {
	for _, e := range list {
		if strings.HasPrefix(e.term, begun) && !slices.ContainsFunc(out, func(o helpEntry) bool { return o.term == e.term }) {
			out = append(out, e)
		}
	}
	return out
}
