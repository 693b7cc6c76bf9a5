package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/host/broker"
	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/resource"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/host/signature"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // a call, a plugin or the server failed
	exitUsage  = 2
)

type stdio struct {
	in       io.Reader
	out, err io.Writer
}

// complain writes a line for the person who started the program.
func (o stdio) complain(format string, args ...any) {
	fmt.Fprintf(o.err, self.Name+": "+format+"\n", args...)
}

// shared is a writer for several goroutines.
type shared struct {
	mu sync.Mutex
	w  io.Writer
}

// Write writes to the writer that is shared.
func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}

// command is one word of the command line.
type command struct {
	name, args, summary string
	run                 func(ctx context.Context, args []string, io stdio) int
}

func commands() []command {
	return []command{
		{"serve", "[flags]", "serve the domains to an MCP client over stdio (the default)", serve},
		{"exec", "[flags] [SCRIPT]", "run a script of ops, queries and session actions, from a file or stdin", runScript},
		{"view", "[flags] FILE…", "show files in a browser on this machine, until Ctrl-C", viewFiles},
		{"doctor", "[flags]", "show what protects from plugins, and try it", doctor},
		{"inspect", "PLUGIN…", "show what a module is and imports, exports and says of itself", inspect},
		{"setup", "[CLIENT]", "let an MCP client start this server: claude-code, claude-desktop, cursor, vscode, codex, …", setup},
		{"plugin", "add | list | info | …", "add plugins of others, update and remove them: files, https, registries", plugins},
		{"grants", "[list | add | revoke] …", "show and change what plugins may reach outside of their sandbox", grants},
		{"parse", "'OP'", "print how an op is read, as JSON", parse},
		{"new", "NAME [--lang L]", "write a domain to start from, in Go or another language", newDomain},
		{"dev", "[DIR] [--serve]", "build a domain at each save, look at its module, and serve it", dev},
		{"conform", "[PLUGIN…]", "hold this host, a plugin or any FCP server against the conformance checks", conform},
		{"version", "[--json]", "print the version, the commit and the domains that are built in", printVersion},
		{"completion", "SHELL", "print the completion for bash, zsh or fish", completion},
		{"man", "", "print the manual page", manual},
	}
}

func run(ctx context.Context, args []string, io stdio) int {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		if len(args) > 0 && (args[0] == "-h" || args[0] == "-help" || args[0] == "--help") {
			usage(io.out, knownCommands())
			return exitOK
		}
		if len(args) > 0 && (args[0] == "-version" || args[0] == "--version") {
			return printVersion(ctx, nil, io)
		}
		return serve(ctx, args, io)
	}
	if args[0] == "help" {
		usage(io.out, knownCommands())
		return exitOK
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(ctx, args[1:], io)
		}
	}
	return runDomain(ctx, args, io)
}

// usage prints what there is, with the commands of domains.
func usage(w io.Writer, domains []domainCommand) {
	fmt.Fprint(w, self.Name+" runs file formats as sandboxed plugins and serves each as four MCP tools.\n\nUsage:\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %s %-10s %-18s %s\n", self.Name, c.name, c.args, c.summary)
	}
	if len(domains) > 0 {
		fmt.Fprintln(w, "\nCommands of domains:")
		printWords(w, domains)
	}
	fmt.Fprint(w, `
Flags of serve, exec, view and doctor:
  --plugin PLUGIN    load this plugin: a .wasm file, or the name of one that is built in or lies in
                     a plugin folder, such as midi (repeatable)
  --plugins DIR      load every .wasm file of this folder (repeatable);
                     without either: the built-in domains, those that fcp-host plugin added,
                     plugins/ beside the binary, the user's data folder
  --no-builtin       without the built-in domains
  --only-pinned      load no file that was neither added nor is pinned to a sha256 by the configuration
  --require-signature
                     of what was added, load only what a trusted key of the configuration signed
  --require-layers   run no plugin where the system lacks a layer that doctor names
  --unconfined-plugins
                     run plugins that are not built in even where the system confines nothing
  --root DIR         allow files below this folder (repeatable; default: the working directory)
  --grant DOMAIN=KIND:NAME
                     let a domain use what its plugin wants, such as flowise=http:api (repeatable; inspect lists it)
  --request-timeout D how long what a call asks of the world may take together (default 50s)
  --now TIME         the time that domains are told, such as 2026-01-02T10:30:00Z, with ids that come
                     again in the next run: for tests
  --backup           keep what save and export replace as NAME.bak
  --unified          four tools for all domains: fcp_edit, fcp_query, fcp_session, fcp_help
  --cache DIR        folder of compiled plugins (default: the user's cache folder; "off" for none)
  --timeout D        how long a plugin may run for one call of a tool (default 10s)
  --memory MIB       memory of one document's instance (default 256)
  --limit NAME=VALUE any limit (repeatable; docs/operations.md lists them), such as --limit history=64MiB
  --config FILE      settings, as docs/operations.md says (default: fcp-host/fcp-host.toml
                     in the user's configuration folder; "off" for none)
  --journal-dir DIR  where open documents are kept safe from a crash (default: the user's state folder)
  --no-journal       keep them nowhere; exec keeps them only where --journal-dir says
  --log-level L      debug, info, warn or error, on stderr (default warn)

Flags of serve, exec and view:
  --pprof ADDR       serve profiles of this process to this machine, such as 127.0.0.1:0,
                     at an address with a secret in it that stderr tells

Flags of exec, whose scripts hold ops, ":ACTION", "?QUERY", "?help TOPIC" and "#" comments, a line each:
  -k, --keep-going   go on after a call that failed
  --batch            make one call of ops that follow each other, which all succeed or are rolled back;
                     a blank line ends it (default: each op is a call of its own)

Flags of serve:
  --tools DOMAIN     offer the typed tools of this domain beside its four, or one of them, as DOMAIN/TOOL
                     (repeatable)
  --literal-schemas  describe typed tools by their domains' own schemas, which some vendors' APIs refuse
  --no-rate-limits   let typed tools be called as often as the client likes
  --view             show a person the documents as they change, in a browser on this machine, at an
                     address that stderr and the session action view tell (docs/view.md)
  --structured       send replies as structuredContent, too; many clients then show their model nothing else
  --http ADDR        serve Streamable HTTP at http://ADDR/mcp instead of stdio, such as 127.0.0.1:8080,
                     or on a socket, unix:PATH; each client has documents of its own
  --http-token-file FILE  who may use it: a bearer token a line, or NAME TOKEN; nobody else may read the file
  --oauth-issuer URL  who may use it: those with a JWT that this authorization server issued (repeatable)
  --oauth-resource URI  the server's address in such tokens (default: by --http-host, https://NAME/mcp)
  --oauth-plain-jwt  take tokens whose typ is JWT, or that have none, as well as at+jwt
  --http-open        everybody who reaches ADDR may
  --http-user NAME   this user may use the socket, too, besides you and root (repeatable)
  --http-cert FILE, --http-key FILE  serve https://ADDR/mcp; needed for an ADDR that other machines reach
  --http-host NAME   a name or address, beside the loopback's, by which clients reach the server (repeatable)
  --http-grants      let clients of other machines use what is granted of HTTP and programs, too
  --audit-log FILE   append a line a call: who, session, document, tool, outcome (default: the log, level info)
  --http-drain D     when told to end, answer for this long, while /readyz says no (default: not at all)
  --http-idle D      end a session, documents included, after this time without a call (default 30m)
`)
	if self.Stores != nil {
		fmt.Fprintf(w, storeUsage, storeExamples())
	}
	if self.Roots != nil {
		fmt.Fprintf(w, rootUsage, rootExamples())
	}
	if self.Watch != nil {
		fmt.Fprint(w, watchUsage)
	}
	fmt.Fprint(w, "\nExit codes: 0 done, 1 something failed, 2 wrong usage.\n")
}

// settings are the configuration file and the flags of serve and exec.
type settings struct {
	files, dirs, roots list
	configDirs         list // of the configuration, whatever the flags say
	noBuiltin          bool
	requireLayers      bool
	unconfined         bool
	onlyPinned         bool
	onlySigned         bool            // of what was added, only what a trusted key signed
	trusted            []signature.Key // of those who sign plugins
	plugins            []pluginConfig
	open               map[string]string // domains by file extension
	backup             bool
	unified            bool
	structured         bool // serve
	otel               bool // serve
	tools              list // typed tools that are offered, serve
	literal            bool // with the domains' own schemas
	unrated            bool // without bounds on how often they are called
	cache              string
	limits             limits
	memory             session.Memory // what limits makes of it, from loaded on
	level              slog.Level
	journalDir         string
	noJournal          bool

	store    stored   // serve, of a program that has any
	rootHost RootHost // of a program that has other roots than folders

	view  bool // people see the documents in a browser, serve
	web   web  // serve
	watch bool // plugins are looked at anew when their files change, serve
	brief bool // modules are compiled when a call needs them

	keepGoing bool // exec
	batch     bool // exec

	grantFlags     list              // DOMAIN=KIND:NAME
	variables      map[string]string // files with their values
	requestTimeout time.Duration
	stamp          func() (int, []byte) // nil for the clock
	httpGrants     bool                 // what is granted is there for clients of other machines, too
	broker         *broker.Broker

	programPaths map[string]string // by their names
	programs     *program.Set
	probes       *resource.Probes

	pprof string // address of the profiles, "" for none
}

type list []string

func (l *list) String() string     { return strings.Join(*l, ", ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

// flags parses args into a settings value and the words that are left. The
// configuration file is read first; a list that flags give replaces its list.
func flags(name string, args []string, io stdio) (*settings, []string, int) {
	s := &settings{limits: defaultLimits(), level: slog.LevelWarn, requestTimeout: domain.DefaultRequests}
	fail := func(err error) (*settings, []string, int) {
		io.complain("%v", err)
		return nil, nil, exitUsage
	}
	if path := home(configFlag(args)); path != "off" {
		if path == "" {
			path = defaultConfig()
		}
		if path != "" {
			if err := s.configure(path); err != nil {
				return fail(err)
			}
		}
	}
	f := newFlags()
	var files, dirs, roots, tools list
	f.Var(&files, "plugin", "")
	f.Var(&dirs, "plugins", "")
	f.Var(&roots, "root", "")
	if self.Roots != nil {
		s.rootHost.flags(f)
	}
	f.BoolVar(&s.noBuiltin, "no-builtin", s.noBuiltin, "")
	f.BoolVar(&s.requireLayers, "require-layers", s.requireLayers, "")
	f.BoolVar(&s.unconfined, "unconfined-plugins", s.unconfined, "")
	f.BoolVar(&s.onlyPinned, "only-pinned", s.onlyPinned, "")
	f.BoolVar(&s.onlySigned, "require-signature", s.onlySigned, "")
	f.Func("grant", "", func(v string) error {
		_, _, err := broker.ParseGrant(v)
		s.grantFlags = append(s.grantFlags, v)
		return err
	})
	f.Func("request-timeout", "", func(v string) error { return setRequestTimeout(&s.requestTimeout, v) })
	f.Func("now", "", func(v string) (err error) {
		s.stamp, err = fixed(v)
		return err
	})
	f.BoolVar(&s.backup, "backup", s.backup, "")
	f.BoolVar(&s.unified, "unified", s.unified, "")
	f.StringVar(&s.cache, "cache", s.cache, "")
	f.Var(limitFlag{&s.limits}, "limit", "")
	f.Func("timeout", "", func(v string) error { return s.limits.set("call", v, false) })
	f.Func("memory", "", func(v string) error {
		n, err := strconv.ParseUint(v, 10, 16)
		if err != nil || n < 16 || n > 2048 {
			return errors.New("it must be from 16 to 2048, in MiB")
		}
		s.limits.sandbox.Memory = n << 20
		return nil
	})
	f.StringVar(&s.journalDir, "journal-dir", s.journalDir, "")
	f.BoolVar(&s.noJournal, "no-journal", s.noJournal, "")
	if name != "doctor" {
		f.StringVar(&s.pprof, "pprof", "", "")
	}
	switch name {
	case "serve":
		f.BoolVar(&s.structured, "structured", s.structured, "")
		f.Func("tools", "", func(v string) error {
			if !isOffer(v) {
				return errors.New("write it as DOMAIN or DOMAIN/TOOL")
			}
			tools = append(tools, v)
			return nil
		})
		f.BoolVar(&s.literal, "literal-schemas", s.literal, "")
		f.BoolVar(&s.unrated, "no-rate-limits", s.unrated, "")
		f.BoolVar(&s.view, "view", s.view, "")
		s.web.flags(f)
		if self.Stores != nil {
			s.store.flags(f)
		}
		if self.Watch != nil {
			f.BoolVar(&s.otel, "otel", false, "")
		}
		f.BoolVar(&s.httpGrants, "http-grants", s.httpGrants, "")
	case "exec":
		f.BoolVar(&s.batch, "batch", false, "")
		f.BoolVar(&s.keepGoing, "k", false, "")
		f.BoolVar(&s.keepGoing, "keep-going", false, "")
	}
	f.Func("log-level", "", func(v string) error { return setLevel(&s.level, v) })
	f.String("config", "", "") // read already
	rest, err := interspersed(f, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		usage(io.out, knownCommands())
		return nil, nil, exitOK
	case err != nil:
		return fail(wrongFlag(err))
	}
	for _, l := range []list{files, dirs, roots} {
		for i := range l {
			l[i] = home(l[i])
		}
	}
	for _, path := range []*string{&s.cache, &s.journalDir, &s.web.tokens, &s.web.cert, &s.web.key, &s.web.audit, &s.store.authorities} {
		*path = home(*path)
	}
	if len(files)+len(dirs) > 0 {
		s.files, s.dirs = files, dirs
	}
	if len(roots) > 0 {
		s.roots = roots
	}
	if len(tools) > 0 {
		s.tools = tools
	}
	set := map[string]bool{}
	f.Visit(func(f *flag.Flag) { set[f.Name] = true })
	if set["journal-dir"] && !set["no-journal"] {
		s.noJournal = false
	}
	s.programs, s.probes = s.newPrograms(), &resource.Probes{}
	s.broker = s.newBroker()
	return s, rest, exitOK
}

// isOffer reports whether s names a domain, or one of its typed tools.
func isOffer(s string) bool {
	dom, tool, one := strings.Cut(s, "/")
	return dom != "" && (tool != "" || !one) && !strings.ContainsAny(tool, "/ ")
}

// newFlags is a set that prints nothing of its own: an error has one line.
func newFlags() *flag.FlagSet {
	f := flag.NewFlagSet("", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	return f
}

// wrongFlag says what is wrong with the command line, in the spelling of --help.
func wrongFlag(err error) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		text = "there is no flag --" + name
	} else if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		text = "--" + name + " needs a value"
	}
	return errors.New(strings.Replace(text, " for flag -", " for --", 1) + "; --help lists the flags")
}

// setLevel reads a log level.
func setLevel(l *slog.Level, text string) error {
	if slices.Contains([]string{"debug", "info", "warn", "error"}, text) {
		return l.UnmarshalText([]byte(text))
	}
	return fmt.Errorf("log-level %q: there are debug, info, warn and error", text)
}

// configFlag is what --config says, which is needed before the other flags.
func configFlag(args []string) string {
	value := ""
	for i, a := range args {
		if a == "--" {
			break
		}
		name := strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-")
		if name == a {
			continue
		}
		if v, ok := strings.CutPrefix(name, "config="); ok {
			value = v
		} else if name == "config" && i+1 < len(args) {
			value = args[i+1]
		}
	}
	return value
}

func (s *settings) log(io stdio) *slog.Logger {
	return slog.New(slog.NewTextHandler(io.err, &slog.HandlerOptions{Level: s.level}))
}

// load starts the plugins that the settings name, and reports what is broken,
// then and later. nil means that the settings are wrong.
func (s *settings) load(io stdio, log *slog.Logger) (*plugin.Set, *files.Roots) {
	roots, err := s.newRoots()
	if err != nil {
		io.complain("%v", err)
		return nil, nil
	}
	if s.backup {
		roots = roots.Backup()
	}
	if len(roots.All()) == 0 {
		log.Warn("no folder is allowed, since the working directory is the root of the file system; --root DIR allows one")
	}
	cache, err := s.cacheDir()
	if err != nil {
		log.Warn("no cache folder; every start compiles the plugins", "error", err)
	}
	o, err := s.options(cache, roots, log)
	if err != nil {
		io.complain("%v", err)
		return nil, nil
	}
	o.World, o.Requests, o.Stamp, o.Watch, o.Brief = s.worlds(io), s.requestTimeout, s.stamp, s.watch, s.brief
	s.house(roots)
	o.Report = func(p plugin.Problem) { io.complain("%v", p) }
	set := plugin.Start(o)
	switch none := len(set.Catalog().Domains)+len(set.Catalog().Absent) == 0; {
	case none && s.watch && len(s.dirs) > 0:
		io.complain("no plugin found; what comes to %s is served then", strings.Join(s.dirs, " or "))
	case none:
		io.complain("no plugin found%s; name one with --plugin FILE.wasm, or put it into %s", withoutDomains(), strings.Join(plugin.DefaultDirs(), " or "))
	}
	return set, roots
}

// cacheDir is the folder that the settings name or mean, "" for none.
func (s *settings) cacheDir() (string, error) {
	switch s.cache {
	case "off":
		return "", nil
	case "":
		dir, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		return filepath.Join(dir, "fcp-host"), nil
	}
	return s.cache, nil
}
