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

const pluginUsage = `usage: fcp-host plugin add [flags] SOURCE       show what a plugin is, ask, and add it
       fcp-host plugin list [--json]            list the added plugins
       fcp-host plugin info [--json] NAME       show everything about one
       fcp-host plugin update [flags] [NAME…]   update these plugins, or all, from their sources
       fcp-host plugin remove NAME…             remove plugins and their grants
       fcp-host plugin pin [--off] NAME…        keep update from changing them
       fcp-host plugin verify [NAME…]           check files and signatures against the lock file
       fcp-host plugin push [flags] FILE oci://HOST/NAME:TAG   publish a module in a registry
  SOURCE            a .wasm file, https://HOST/FILE.wasm#sha256=…, or oci://HOST/NAME:TAG
  -y, --yes         add, update: do not ask (accepted by remove, too, which never asks)
  --grant KIND:NAME add, update: grant a want, such as http:api (repeatable; also DOMAIN=KIND:NAME, as for serve)
  --key KEY         add, update: require a signature by this minisign or cosign public key, or key file (repeatable)
  --replace         add: replace an added plugin of the same name from another source
  --rollback        update: restore the version that the last update of this plugin replaced, and pin it
  --plain-http      add, update, push: allow http to other hosts than this machine
  --token-server S  add, update, push: let a registry send its password to this server, HOST or HOST:PORT (repeatable)
  --off             pin: remove the pin
  --json            list, info: as JSON
  --config FILE     the configuration file, as for serve
  --cache DIR       the folder of compiled plugins, as for serve
`

// pluginCommand is a command of `fcp-host plugin` with its flags.
type pluginCommand struct {
	s      *settings
	folder *added.Folder
	ctx    context.Context
	io     stdio

	yes, replace, json, off, back bool
	keys                          []signature.Key // that --key names
	grants                        list            // KIND:NAME, or DOMAIN=KIND:NAME
	tokenServers                  list            // that may get a registry's password
	get                           source.Options
}

// plugins runs the commands of `fcp-host plugin`.
func plugins(ctx context.Context, args []string, io stdio) int {
	io = io.shown()
	if len(args) == 0 || slices.Contains([]string{"help", "-h", "-help", "--help"}, args[0]) {
		out := io.out
		if len(args) == 0 {
			out = io.err
		}
		fmt.Fprint(out, pluginUsage)
		return map[bool]int{true: exitUsage, false: exitOK}[len(args) == 0]
	}
	c := &pluginCommand{folder: addedFolder(), ctx: ctx, io: io}
	fail := func(code int, err error) int {
		io.complain("%v", err)
		return code
	}
	do, ok := map[string]struct {
		run         func([]string) error
		least, most int // words
		flags       string
	}{
		"add":    {c.add, 1, 1, "yes y grant key replace plain-http token-server"},
		"list":   {c.list, 0, 0, "json"},
		"info":   {c.info, 1, 1, "json"},
		"update": {c.update, 0, 1 << 10, "yes y grant key plain-http token-server rollback"},
		"remove": {c.remove, 1, 1 << 10, "yes y"},
		"pin":    {c.pin, 1, 1 << 10, "off"},
		"verify": {c.verify, 0, 1 << 10, ""},
		"push":   {c.push, 2, 2, "plain-http token-server"},
	}[args[0]]
	if !ok {
		return fail(exitUsage, fmt.Errorf("unknown command plugin %q; use add, list, info, update, remove, pin, verify and push", args[0]))
	}
	words, err := c.flags(args[1:], strings.Fields(do.flags))
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(io.out, pluginUsage)
		return exitOK
	case err != nil:
		return fail(exitUsage, err)
	case len(words) < do.least || len(words) > do.most:
		fmt.Fprint(io.err, pluginUsage)
		return exitUsage
	}
	if err := do.run(words); err != nil {
		return fail(exitFailed, err)
	}
	return exitOK
}

// flags reads the configuration and the flags of a command.
func (c *pluginCommand) flags(args, has []string) (words []string, err error) {
	if c.s, err = readConfig(args); err != nil {
		return nil, err
	}
	f := newFlags()
	for _, name := range has {
		switch name {
		case "yes", "y":
			f.BoolVar(&c.yes, name, false, "")
		case "replace":
			f.BoolVar(&c.replace, name, false, "")
		case "json":
			f.BoolVar(&c.json, name, false, "")
		case "off":
			f.BoolVar(&c.off, name, false, "")
		case "rollback":
			f.BoolVar(&c.back, name, false, "")
		case "plain-http":
			f.BoolVar(&c.get.PlainHTTP, name, false, "")
		case "token-server":
			f.Var(&c.tokenServers, name, "")
		case "grant":
			f.Func(name, "", func(v string) error {
				text := v
				if !strings.Contains(v, "=") {
					text = "it=" + v
				}
				_, _, err := broker.ParseGrant(text)
				c.grants = append(c.grants, v)
				return err
			})
		case "key":
			f.Func(name, "", func(v string) error {
				k, err := publicKey("", expandHome(v))
				c.keys = append(c.keys, k)
				return err
			})
		}
	}
	f.String("config", "", "") // read already
	f.StringVar(&c.s.cache, "cache", c.s.cache, "")
	if words, err = parseInterspersed(f, args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		return nil, errors.New(strings.Replace(wrongFlag(err).Error(), "--help", "fcp-host plugin --help", 1))
	}
	c.s.cache = expandHome(c.s.cache)
	c.s.broker = c.s.newBroker()
	c.get.Agent, c.get.MaySend = "fcp-host/"+hostVersion(), c.maySend
	return words, nil
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
