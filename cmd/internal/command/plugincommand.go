package command

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/added"
	"github.com/fcp-host/fcp-host/host/broker"
	"github.com/fcp-host/fcp-host/host/signature"
	"github.com/fcp-host/fcp-host/host/source"
	"github.com/fcp-host/fcp-host/printable"
)

// pluginCommand is a command of `fcp-host plugin` with its flags.
type pluginCommand struct {
	s      *settings
	folder *added.Folder
	ctx    context.Context
	io     stdio

	yes, replace, json, off, back bool
	config, cache                 string
	keys                          []signature.Key // that --key names
	grants                        list            // KIND:NAME, or DOMAIN=KIND:NAME
	tokenServers                  list            // that may get a registry's password
	get                           source.Options
}

// pluginAction is a command of `fcp-host plugin`.
type pluginAction struct {
	name        string
	run         func(*pluginCommand, []string) error
	least, most int // words
}

func pluginActions() []pluginAction {
	return []pluginAction{
		{"add", (*pluginCommand).add, 1, 1},
		{"list", (*pluginCommand).list, 0, 0},
		{"info", (*pluginCommand).info, 1, 1},
		{"update", (*pluginCommand).update, 0, 1 << 10},
		{"remove", (*pluginCommand).remove, 1, 1 << 10},
		{"pin", (*pluginCommand).pin, 1, 1 << 10},
		{"verify", (*pluginCommand).verify, 0, 1 << 10},
		{"push", (*pluginCommand).push, 2, 2},
	}
}

func pluginCommandNames() (names []string) {
	for _, w := range pluginActions() {
		names = append(names, w.name)
	}
	return names
}

// pluginForm adds, updates and removes plugins.
func pluginForm() form { return new(pluginCommand).form() }

func (c *pluginCommand) form() form {
	return form{
		usage: `usage: fcp-host plugin add [flags] SOURCE       show what a plugin is, ask, and add it
       fcp-host plugin list [--json]            list the added plugins
       fcp-host plugin info [--json] NAME       show everything about one
       fcp-host plugin update [flags] [NAME…]   update these plugins, or all, from their sources
       fcp-host plugin remove NAME…             remove plugins and their grants
       fcp-host plugin pin [--off] NAME…        keep update from changing them
       fcp-host plugin verify [NAME…]           check files and signatures against the lock file
       fcp-host plugin push [flags] FILE oci://HOST/NAME:TAG   publish a module in a registry
`,
		flags: append([]option{{"SOURCE", "", nil, "a .wasm file, https://HOST/FILE.wasm#sha256=…, or oci://HOST/NAME:TAG"}}, c.flags("")...),
		complete: func(before []string) []candidate {
			switch {
			case len(before) == 0:
				return subcommands("plugin", pluginCommandNames()...)
			case slices.Contains([]string{"info", "update", "remove", "pin", "verify"}, before[0]):
				return addedNames()
			}
			return nil
		},
	}
}

// flags returns the flags of a command; of "" those of all, explained with the commands that have them.
func (c *pluginCommand) flags(command string) (list []option) {
	grant := func(v string) error {
		text := v
		if !strings.Contains(v, "=") {
			text = "it=" + v
		}
		_, _, err := broker.ParseGrant(text)
		c.grants = append(c.grants, v)
		return err
	}
	key := func(v string) error {
		k, err := publicKey("", expandHome(v))
		c.keys = append(c.keys, k)
		return err
	}
	for _, o := range []struct {
		of string // the commands that have the flag, "" for all
		option
	}{
		{"add, update, remove", option{"y yes", "", &c.yes, "do not ask (remove never does)"}},
		{"add, update", option{"grant", "KIND:NAME", grant, "grant a want, such as http:api (repeatable; also DOMAIN=KIND:NAME, as for serve)"}},
		{"add, update", option{"key", "KEY", key, "require a signature by this minisign or cosign public key, or key file (repeatable)"}},
		{"add", option{"replace", "", &c.replace, "replace an added plugin of the same name from another source"}},
		{"update", option{"rollback", "", &c.back, "restore the version that the last update of this plugin replaced, and pin it"}},
		{"add, update, push", option{"plain-http", "", &c.get.PlainHTTP, "allow http to other hosts than this machine"}},
		{"add, update, push", option{"token-server", "S", &c.tokenServers, "let a registry send its password to this server, HOST or HOST:PORT (repeatable)"}},
		{"pin", option{"off", "", &c.off, "remove the pin"}},
		{"list, info", option{"json", "", &c.json, "as JSON"}},
		{"", option{"config", "FILE", &c.config, "the configuration file, as for serve"}},
		{"", option{"cache", "DIR", &c.cache, "the folder of compiled plugins, as for serve"}},
	} {
		switch {
		case o.of == "" || slices.Contains(strings.Split(o.of, ", "), command):
			list = append(list, o.option)
		case command == "":
			o.help = o.of + ": " + o.help
			list = append(list, o.option)
		}
	}
	return list
}

// plugins runs the commands of `fcp-host plugin`.
func plugins(ctx context.Context, args []string, io stdio) int {
	c := &pluginCommand{folder: addedFolder(), ctx: ctx, io: io.shown()}
	f := c.form()
	switch names := pluginCommandNames(); {
	case len(args) == 0:
		f.print(c.io.err)
		return exitUsage
	case slices.Contains([]string{"help", "-h", "-help", "--help"}, args[0]):
		f.print(c.io.out)
		return exitOK
	case !slices.Contains(names, args[0]):
		last := len(names) - 1
		c.io.complain("unknown command plugin %q; use %s and %s", args[0], strings.Join(names[:last], ", "), names[last])
		return exitUsage
	}
	in, err := parseFlags(c.flags(args[0]), args[1:])
	if errors.Is(err, flag.ErrHelp) {
		f.print(c.io.out)
		return exitOK
	}
	if err == nil {
		c.s, err = readConfig(c.config)
	}
	if err != nil {
		c.io.complain("%v", err)
		return exitUsage
	}
	if in.given["cache"] {
		c.s.Cache = expandHome(c.cache)
	}
	c.s.broker = c.s.newBroker()
	c.get.Agent, c.get.MaySend = "fcp-host/"+hostVersion(), c.maySend
	for _, w := range pluginActions() {
		switch {
		case w.name != args[0]:
			continue
		case len(in.words) < w.least || len(in.words) > w.most:
			f.print(c.io.err)
			return exitUsage
		}
		if err := w.run(c, in.words); err != nil {
			c.io.complain("%v", err)
			return exitFailed
		}
	}
	return exitOK
}

// maySend asks whether a registry's password may be sent to another server. --yes is no answer to that.
func (c *pluginCommand) maySend(registry, server string) error {
	if slices.Contains(c.tokenServers, server) {
		return nil
	}
	said := fmt.Sprintf("the registry %s wants its password to be sent to %s", printable.Line(registry), printable.Line(server))
	if !c.yes {
		if ok, err := c.ask(strings.ToUpper(said[:1]) + said[1:] + ". Send it?"); ok && err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s; pass --token-server %s if you trust that server with it", said, printable.Line(server))
}

var errNotAsked = errors.New("cannot ask here: read the above, and pass --yes if you want it")

// ask asks a question in the terminal, and reports whether the answer is yes.
func (c *pluginCommand) ask(question string) (bool, error) {
	if c.yes {
		return true, nil
	}
	if !isTerminal(c.io.in) {
		return false, errNotAsked
	}
	fmt.Fprintf(c.io.out, "%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(c.io.in).ReadString('\n')
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case a := <-answer:
		return a == "y" || a == "yes", nil
	case <-c.ctx.Done():
		fmt.Fprintln(c.io.out)
		return false, nil
	}
}

// all lists the added plugins, or those with the given names.
func (c *pluginCommand) all(names []string) ([]added.Plugin, error) {
	list, err := c.folder.Plugins()
	if err != nil || len(names) == 0 {
		return list, err
	}
	var out []added.Plugin
	for _, name := range names {
		i := slices.IndexFunc(list, func(p added.Plugin) bool { return p.Name == name })
		if i < 0 {
			return nil, notAdded(name)
		}
		out = append(out, list[i])
	}
	return out, nil
}

func notAdded(name string) error {
	if path := installedPath(name); path != "" && !strings.HasPrefix(path, "added:") {
		return fmt.Errorf("%s is built into fcp-host; fcp-host inspect %s shows it", name, name)
	}
	return fmt.Errorf("no plugin %q was added; fcp-host plugin list shows the added ones", name)
}

// sizeWords formats a number of bytes for people.
func sizeWords(n int) string {
	if n >= 1_000_000 {
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%d KB", (n+999)/1000)
}
