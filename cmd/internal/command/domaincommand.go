package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/printable"
)

// A domain may have commands of its own on the command line: an op, a query or a session action
// written as shell words. Only built-in and added domains and those named in the configuration have
// commands: a file in a plugin folder must not decide what a user's command means.

// domainCommand is a command of a domain.
type domainCommand struct {
	abi.Command
	d *domain.Domain // nil if the command is only listed
}

// commandsOf lists the commands of the domains that a set serves, except names of the host's own
// commands. If several have one name, the first wins.
func (s *settings) commandsOf(set *plugin.Set) (list []domainCommand) {
	for _, p := range set.Plugins() {
		named := slices.ContainsFunc(s.plugins, func(c pluginConfig) bool { return plugin.Real(c.File) == plugin.Real(p.Path) })
		if plugin.IsBuiltin(p.Path) || plugin.IsAdded(p.Path) || named {
			list = addCommands(list, p.Domain.Manifest, p.Domain)
		}
	}
	return list
}

func addCommands(list []domainCommand, m *abi.Manifest, d *domain.Domain) []domainCommand {
	for _, c := range m.Commands {
		first := firstWord(c.Name)
		taken := first == "help" || slices.ContainsFunc(commands(), func(own command) bool { return own.name == first }) ||
			slices.ContainsFunc(list, func(other domainCommand) bool { return other.Name == c.Name })
		if !taken {
			list = append(list, domainCommand{c, d})
		}
	}
	return list
}

// builtinCommands lists the commands of built-in domains.
func builtinCommands() (list []domainCommand) {
	all, err := builtin()
	if err != nil {
		return nil // loading reports the error
	}
	for _, b := range all {
		if m, err := domain.DecodeManifest(b.Manifest); err == nil {
			list = addCommands(list, m, nil)
		}
	}
	return list
}

// knownCommands lists the commands of built-in domains, and of added ones whose manifest an earlier
// start cached. It runs no plugin.
func knownCommands() []domainCommand {
	list := builtinCommands()
	plugins, err := addedFolder().Plugins()
	if err != nil || len(plugins) == 0 {
		return list
	}
	s, err := readConfig("")
	if err != nil {
		return list
	}
	cache, err := s.cacheDir()
	if err != nil {
		return list
	}
	for _, p := range plugins {
		if m := plugin.Remembered(cache, p.SHA256); m != nil {
			list = addCommands(list, m, nil)
		}
	}
	return list
}

// markers returns the markers of built-in domains with commands that start with a word.
func markers(all []plugin.Builtin, word string) (list []string) {
	for _, b := range all {
		m, err := domain.DecodeManifest(b.Manifest)
		if err == nil && m.Folder != nil && m.Folder.Marker != "" && slices.ContainsFunc(m.Commands, func(c abi.Command) bool { return firstWord(c.Name) == word }) {
			list = append(list, m.Folder.Marker)
		}
	}
	return list
}

// nearestMarked returns the nearest folder at or above dir that contains one of the markers, or "".
func nearestMarked(dir string, markers []string) string {
	for {
		for _, marker := range markers {
			if info, err := os.Lstat(filepath.Join(dir, marker)); err == nil && info.IsDir() {
				return dir
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

func firstWord(s string) string {
	first, _, _ := strings.Cut(s, " ")
	return first
}

// commandLineFor returns the command line of a program that was started under a name: a link named like the
// first word of built-in commands runs these. Names such as fcp-host-linux or fcp-host-1.2 are
// recognized without listing commands.
func commandLineFor(path string, args []string) []string {
	name := strings.TrimSuffix(filepath.Base(path), ".exe")
	if !strings.HasPrefix(name, "fcp-host") && slices.ContainsFunc(builtinCommands(), func(c domainCommand) bool { return firstWord(c.Name) == name }) {
		return append([]string{name}, args...)
	}
	return args
}

func printCommands(w io.Writer, list []domainCommand) {
	for _, c := range list {
		sep := " "
		if len(c.Syntax) > 27 {
			sep = "\n" + strings.Repeat(" ", 39)
		}
		fmt.Fprintf(w, "  fcp-host %-27s%s%s\n", c.Syntax, sep, c.Summary)
	}
}

// mcpSummary describes the command mcp, which each domain with commands has unless it has one of its own.
const mcpSummary = "serve MCP over stdio, with the typed tools; takes the flags of serve"

// printWords prints a line for each first word of commands.
func printWords(w io.Writer, list []domainCommand) {
	for len(list) > 0 {
		first := firstWord(list[0].Name)
		var rest []string
		list = slices.DeleteFunc(list, func(c domainCommand) bool {
			if firstWord(c.Name) != first {
				return false
			}
			if _, more, ok := strings.Cut(c.Name, " "); ok {
				rest = append(rest, more)
			}
			return true
		})
		fmt.Fprintf(w, "  fcp-host %-10s %-18s %s\n", printable.Line(first), "[COMMAND | --help]", printable.Line(strings.Join(rest, ", ")))
	}
}

// runDomain runs a command of a domain on the document that --in names, else on the nearest folder
// document at or above the working directory. It saves the changes.
func runDomain(ctx context.Context, args []string, io stdio) int {
	s, _, code := flags("exec", nil, io)
	if s == nil {
		return code
	}
	unknown := func() int {
		io.complain("no command %q; fcp-host --help lists them", args[0])
		return exitUsage
	}
	if len(s.plugins)+len(s.pinnedPlugins()) == 0 && !slices.ContainsFunc(builtinCommands(), func(c domainCommand) bool { return firstWord(c.Name) == args[0] }) {
		return unknown()
	}
	io.err = &lockedWriter{w: s.broker.Writer(io.err)}
	log := s.log(io)
	if all, err := builtin(); err == nil && len(s.roots) == 0 {
		// As with git, a command that is run in a folder works on the document around it.
		if dir, err := os.Getwd(); err == nil {
			if at := nearestMarked(dir, markers(all, args[0])); at != "" {
				s.roots = list{at}
			}
		}
	}
	o, ok := s.once(ctx, io, log)
	if !ok {
		return exitFailed
	}
	defer o.close()
	meant := func() []domainCommand {
		return slices.DeleteFunc(s.commandsOf(o.set), func(c domainCommand) bool { return firstWord(c.Name) != args[0] })
	}
	// A new module whose manifest is not known yet may have this command.
	if o.set.Until(ctx, func() bool { return len(meant()) > 0 }) != nil {
		return exitFailed
	}
	list := meant()
	if len(list) == 0 {
		return unknown()
	}
	own := slices.ContainsFunc(list, func(c domainCommand) bool { return c.Name == args[0]+" mcp" }) // a command mcp of the domain's own
	if len(args) > 1 && args[1] == "mcp" && !own {
		o.close()
		return serve(ctx, append([]string{"--tools", list[0].d.Name()}, args[2:]...), io)
	}
	i := longestMatch(list, args)
	if i < 0 || slices.Contains(args, "--help") || slices.Contains(args, "-h") {
		if !own {
			list = append(list, domainCommand{Command: abi.Command{Syntax: args[0] + " mcp [FLAG…]", Summary: mcpSummary}})
		}
		printDomainHelp(io.out, list)
		if i < 0 && len(args) > 1 && !strings.HasPrefix(args[1], "-") {
			io.complain("no command %q", args[0]+" "+args[1])
			return exitUsage
		}
		return exitOK
	}
	c := list[i]
	text, in, dry, err := c.text(args[strings.Count(c.Name, " ")+1:])
	if err != nil {
		io.complain("%v\nusage: fcp-host %s", err, c.Syntax)
		return exitUsage
	}
	if c.Kind == abi.CommandUpgrade {
		upgrade(io)
		return exitOK
	}
	x := &script{ctx: ctx, s: o.session, out: io, log: log, commands: list}
	x.domainCommand(c, text, in, dry)
	if x.open != "" {
		o.close() // an editor may run for a long time
		if err := edit(x.open, io); err != nil {
			io.complain("%v", err)
			return exitFailed
		}
	}
	if x.failed {
		return exitFailed
	}
	return exitOK
}

func printDomainHelp(w io.Writer, list []domainCommand) {
	fmt.Fprintln(w, "Usage:")
	printCommands(w, list)
	fmt.Fprintln(w, "\n  --in PATH  the document's file or folder (default: the nearest folder document at or above the working directory)")
}

// longestMatch returns the index of the command whose name has the most words of those that args starts with, or -1.
func longestMatch(list []domainCommand, args []string) int {
	i := -1
	for n, c := range list {
		words := strings.Fields(c.Name)
		if len(words) <= len(args) && slices.Equal(words, args[:len(words)]) && (i < 0 || len(words) > strings.Count(list[i].Name, " ")+1) {
			i = n
		}
	}
	return i
}

// upgrade prints how to upgrade this program. It never downloads and runs a new version itself.
func upgrade(io stdio) {
	path, err := os.Executable()
	if err != nil {
		path = "fcp-host"
	}
	fmt.Fprintf(io.out, "fcp-host %s, at %s\nIt does not upgrade itself. Install a newer version the way you installed this one\n(make in a newer checkout, or your package manager). Documents and settings are kept.\n", hostVersion(), path)
}

// domainCommand makes the calls of a command.
func (x *script) domainCommand(c domainCommand, text, in string, dry bool) {
	dom := c.d.Name()
	quiet := func(run func() *reply.Reply) bool {
		r := run()
		if r.Failed {
			x.call("session", 0, 0, func(context.Context) *reply.Reply { return r })
		}
		return !r.Failed
	}
	act := func(action string) func() *reply.Reply {
		return func() *reply.Reply { return x.s.Session(x.ctx, dom, "", action) }
	}
	verb := firstWord(text)
	starts := c.Kind == abi.TryAction && (verb == "new" || verb == "open" || verb == "documents" || verb == "recover")
	switch folder := c.d.Manifest.Folder; {
	case in != "":
		if !quiet(act("open " + grammar.Quote(in))) {
			return
		}
	case !starts && folder != nil && folder.Marker != "":
		if !quiet(func() *reply.Reply {
			if _, err := x.s.Folder(x.ctx, c.d); err != nil {
				return document.Failure(err)
			}
			return &reply.Reply{}
		}) {
			return
		}
	case !starts:
		x.call("session", 0, 0, func(context.Context) *reply.Reply {
			return reply.Errorf(nil, "%s works on a file: name it with --in FILE", c.Name)
		})
		return
	}
	switch {
	case c.Kind == abi.CommandClean:
		x.clean(dom)
		return
	case c.Kind == abi.TryQuery:
		x.answer(c, text, dry)
		return
	}
	x.call(c.Kind, len(text), 0, func(ctx context.Context) *reply.Reply {
		if c.Kind == abi.TryAction {
			return x.s.Session(ctx, dom, "", text)
		}
		return x.s.Edit(ctx, dom, "", []string{text}, nil)
	})
	if doc := x.s.Current(dom); !x.failed && doc != nil {
		if sum := doc.Summary(); sum.Dirty && sum.Path != "" {
			quiet(act("save"))
		}
	}
}

// flagForm matches the flags in a command's syntax, with the value if they take one: [--status S]
// does, [--force] does not.
var flagForm = regexp.MustCompile(`(?:^|[\s\[|(,])--?([A-Za-z][A-Za-z0-9-]*)(?:[ =]([^\s\[\]|(),-][^\s\[\]|(),]*))?`)

// text converts the words after a command to an op, query or action: --key value becomes key:value,
// a flag without a value becomes its word. in is the value of --in; dry reports --dry-run or -d,
// for a command whose answer is copied.
func (c *domainCommand) text(words []string) (text, in string, dry bool, err error) {
	values := map[string]bool{"in": true}
	for _, m := range flagForm.FindAllStringSubmatch(c.Syntax, -1) {
		values[m[1]] = m[2] != ""
	}
	out := []string{c.Text}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w == "--" {
			for _, rest := range words[i+1:] {
				out = append(out, quoteWord(rest))
			}
			break
		}
		name, value, given := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(w, "-"), "-"), "=")
		takes, known := values[name]
		switch {
		case !strings.HasPrefix(w, "-") || w == "-" || w == "->":
			out = append(out, quoteWord(w))
			continue
		case !known:
			return "", "", false, fmt.Errorf("%s takes no %s", c.Name, w)
		case !takes && given:
			return "", "", false, fmt.Errorf("%s takes no value", w)
		case !takes && c.Answer == abi.AnswerCopy && (name == "dry-run" || name == "d"):
			dry = true
			continue
		case !takes:
			out = append(out, name)
			continue
		case !given && i+1 == len(words):
			return "", "", false, fmt.Errorf("%s needs a value", w)
		case !given:
			i++
			value = words[i]
		}
		if name == "in" {
			in = value
			continue
		}
		out = append(out, name+":"+grammar.Quote(value))
	}
	return strings.TrimSpace(strings.Join(out, " ")), in, dry, nil
}

// bareWord matches words that need no quotes in the grammar: plain ones, selectors and arrows.
var bareWord = regexp.MustCompile(`^([A-Za-z0-9_.][A-Za-z0-9_./-]*|@[a-z-]+(:[A-Za-z0-9_.,<>=/-]+)*|->|<->|<-)$`)

// quoteWord writes a shell word as a token of the grammar.
func quoteWord(w string) string {
	if bareWord.MatchString(w) {
		return w
	}
	return grammar.Quote(w)
}
