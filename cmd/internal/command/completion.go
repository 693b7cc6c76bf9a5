package command

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/clients"
	"github.com/fcp-host/fcp-host/printable"
)

// completionScripts are the scripts of the shells. Each runs the program for its candidates, one on each
// line: the word, a tab, and a description. If there are none, the shell completes file names.
var completionScripts = map[string]string{
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

// completionForm prints the script of a shell. With words after --, it prints the candidates for the
// last of them.
func completionForm() form {
	return form{
		usage: "usage: fcp-host completion bash | zsh | fish\n",
		notes: `  bash   source <(fcp-host completion bash), in ~/.bashrc
  zsh    source <(fcp-host completion zsh), in ~/.zshrc after compinit
  fish   fcp-host completion fish | source, in ~/.config/fish/config.fish
`,
		complete: first(func() (list []candidate) {
			for _, shell := range slices.Sorted(maps.Keys(completionScripts)) {
				list = append(list, candidate{shell, "the script for " + shell})
			}
			return list
		}),
		run: func(_ context.Context, in input, io stdio) int {
			switch {
			case in.rest != nil:
				for _, c := range candidates(in.rest) {
					fmt.Fprintf(io.out, "%s\t%s\n", c.word, c.about)
				}
			case len(in.words) != 1 || completionScripts[in.words[0]] == "":
				return wrongUsage
			default:
				fmt.Fprint(io.out, completionScripts[in.words[0]])
			}
			return exitOK
		},
	}
}

// candidate is a word that a shell may complete, and what it is.
type candidate struct{ word, about string }

// first offers candidates for the first word only.
func first(list func() []candidate) func(before []string) []candidate {
	return func(before []string) []candidate {
		if len(before) > 0 {
			return nil
		}
		return list()
	}
}

// subcommands offers the first word of a command.
func subcommands(command string, words ...string) (list []candidate) {
	for _, w := range words {
		list = append(list, candidate{w, "fcp-host " + command + " " + w})
	}
	return list
}

// kinds returns the candidates for the values of flags by what the values are called. Others are files, or unknown.
func kinds() map[string]func() []candidate {
	return map[string]func() []candidate{"PLUGIN": pluginNames, "CLIENT": skillClients}
}

// candidates returns the candidates for the last of the words.
func candidates(words []string) (list []candidate) {
	if len(words) == 0 {
		return nil
	}
	before, begun := words[:len(words)-1], words[len(words)-1]
	c := commands()[0]
	isFirst := len(before) == 0
	if !isFirst && !strings.HasPrefix(before[0], "-") {
		i := slices.IndexFunc(commands(), func(c command) bool { return c.name == before[0] })
		if i < 0 {
			return startingWith(begun, domainCandidates(knownCommands(), before, begun))
		}
		c, before = commands()[i], before[1:]
	}
	for _, o := range c.flags() {
		for name := range strings.FieldsSeq(o.name) {
			switch kind := kinds()[o.value]; {
			case o.to == nil:
			case kind != nil && len(before) > 0 && before[len(before)-1] == dashed(name):
				return startingWith(begun, kind())
			case strings.HasPrefix(begun, "-"):
				list = append(list, candidate{dashed(name), o.help})
			}
		}
	}
	switch {
	case strings.HasPrefix(begun, "-"):
	case isFirst:
		for _, c := range commands() {
			list = append(list, candidate{c.name, c.summary})
		}
		for _, d := range knownCommands() {
			list = append(list, candidate{firstWord(d.Name), "commands of a domain"})
		}
	case c.form != nil && c.form().complete != nil:
		list = c.form().complete(before)
	}
	return startingWith(begun, list)
}

// pluginNames lists the built-in domains and the added plugins.
func pluginNames() []candidate { return append(builtinNames(), addedNames()...) }

// skillClients lists the clients that read skills.
func skillClients() (list []candidate) {
	for _, f := range clients.SkillFolders() {
		list = append(list, candidate{f.Name, f.Title})
	}
	return list
}

// builtinNames lists the built-in domains.
func builtinNames() (list []candidate) {
	b, err := thisBuild()
	if err != nil {
		return nil // what serves them says so
	}
	for _, d := range b.Domains {
		list = append(list, candidate{d.Name, "the built-in domain"})
	}
	return list
}

// addedNames lists the added plugins.
func addedNames() (list []candidate) {
	added, _ := addedFolder().Plugins() // an unreadable lock file has no names
	for _, p := range added {
		list = append(list, candidate{p.Name, "added, " + printable.Line(p.Version)})
	}
	return list
}

// choices matches a choice of words in a command's syntax: [ascii|dot].
var choices = regexp.MustCompile(`[[ ]([a-z]+(?:\|[a-z]+)+)\]`)

// domainCandidates returns the candidates after the words of a domain's command: the rest of its name,
// its flags, and its choices.
func domainCandidates(known []domainCommand, before []string, begun string) (list []candidate) {
	var c *domainCommand // the one of most words
	for i, d := range known {
		words := strings.Fields(d.Name)
		switch n := len(before); {
		case len(words) == n+1 && slices.Equal(words[:n], before):
			list = append(list, candidate{words[n], printable.Line(d.Summary)})
		case len(words) > n && slices.Equal(words[:n], before):
			list = append(list, candidate{words[n], "commands of a domain"})
		case len(words) <= n && slices.Equal(words, before[:len(words)]) && (c == nil || len(words) > len(strings.Fields(c.Name))):
			c = &known[i]
		}
	}
	if len(before) == 1 && len(list) > 0 {
		list = append(list, candidate{"mcp", mcpSummary})
	}
	if !strings.HasPrefix(begun, "-") {
		if c != nil {
			for _, m := range choices.FindAllStringSubmatch(c.Syntax, -1) {
				for word := range strings.SplitSeq(m[1], "|") {
					list = append(list, candidate{word, printable.Line(c.Syntax)})
				}
			}
		}
		return list
	}
	list = []candidate{{"--help", "how it is used"}}
	if c != nil {
		list = append(list, candidate{"--in", "the file or folder that is meant"})
		for _, m := range flagForm.FindAllStringSubmatch(c.Syntax, -1) {
			list = append(list, candidate{dashed(m[1]), printable.Line(c.Summary)})
		}
	}
	return list
}

// startingWith returns the entries whose word has the prefix, without duplicates.
func startingWith(begun string, list []candidate) (out []candidate) {
	for _, e := range list {
		if strings.HasPrefix(e.word, begun) && !slices.ContainsFunc(out, func(o candidate) bool { return o.word == e.word }) {
			out = append(out, e)
		}
	}
	return out
}
