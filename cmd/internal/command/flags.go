package command

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/host/broker"
)

// flagSection is a group of the flags of serve, exec, view and doctor.
type flagSection struct {
	of    string // the commands that have them, in words
	about string // after these in the title
	flags []option
}

func (c flagSection) title() string { return "Flags of " + c.of + c.about }

// flagLists holds the lists given by flags. Unless empty, they replace those of the configuration.
type flagLists struct{ files, dirs, roots, tools list }

// sections returns the flags that this program has.
func (s *settings) sections(l *flagLists) []flagSection {
	const all = "serve, exec, view and doctor"
	list := []flagSection{
		{all, "", s.commonFlags(l)},
		{"serve, exec and view", "", []option{
			{"pprof", "ADDR", &s.pprof, "serve profiles of this process on the loopback, such as 127.0.0.1:0, at an address with a secret in it, " +
				"printed on stderr"},
		}},
		{"doctor", "", []option{
			{"deep", "", &s.deep, "also run each plugin's examples compiled and interpreted, and compare all answers"},
		}},
		{"exec", `; a script has ops, ":ACTION", "?QUERY", "?help TOPIC" and "#" comments, one on each line`, s.execFlags()},
		{"serve", "", s.serveFlags(&l.tools)},
	}
	if self.Stores != nil {
		list = append(list, flagSection{"serve", " for several hosts that share documents", s.store.flags()})
	}
	if self.Roots != nil {
		list = append(list, flagSection{all, " about files in an object store, --root " + rootExamples(), s.rootHost.flags()})
	}
	if self.StartTelemetry != nil {
		list = append(list, flagSection{"serve", " about telemetry", []option{
			{"otel", "", &s.otel, "send traces and metrics by OTLP over HTTP to http://localhost:4318, or to the address in the variables " +
				"OTEL_EXPORTER_OTLP_…, which also turn it on without this flag"},
		}})
	}
	return list
}

// flagsOf returns the flags of serve, exec, view or doctor.
func (s *settings) flagsOf(command string, l *flagLists) (flags []option) {
	for _, c := range s.sections(l) {
		if slices.Contains(strings.Fields(strings.ReplaceAll(c.of, ",", "")), command) {
			flags = append(flags, c.flags...)
		}
	}
	return flags
}

func (s *settings) commonFlags(l *flagLists) []option {
	grant := func(v string) error {
		_, _, err := broker.ParseGrant(v)
		s.grantFlags = append(s.grantFlags, v)
		return err
	}
	now := func(v string) (err error) {
		s.stamp, err = fixedClock(v)
		return err
	}
	limit := func(v string) error {
		name, value, ok := strings.Cut(v, "=")
		if !ok {
			return errors.New("write it as NAME=VALUE, such as memory=512MiB")
		}
		return s.limits.set(name, value, false)
	}
	memory := func(v string) error {
		n, err := strconv.ParseUint(v, 10, 16)
		if err != nil || n < 16 || n > 2048 {
			return errors.New("it must be from 16 to 2048, in MiB")
		}
		s.limits.sandbox.Memory = n << 20
		return nil
	}
	return []option{
		{"plugin", "PLUGIN", &l.files, "load this plugin: a .wasm file, or the name of one that is built in, was added or is in a plugin folder, " +
			"such as midi (repeatable)"},
		{"plugins", "DIR", &l.dirs, "load every .wasm file in this folder (repeatable); default for both: the built-in domains, plugins added by " +
			"fcp-host plugin, plugins/ beside the binary, the user's data folder"},
		{"no-builtin", "", &s.NoBuiltin, "do not load the built-in domains"},
		{"only-pinned", "", &s.OnlyPinned, "load a plugin file only if it was added or the configuration has its sha256"},
		{"require-signature", "", &s.OnlySigned, "load an added plugin only if a trusted key of the configuration signed it"},
		{"require-layers", "", &s.RequireLayers, "run no plugins if the system lacks a layer that doctor lists"},
		{"unconfined-plugins", "", &s.Unconfined, "run plugins that are not built in even if the system cannot confine them"},
		{"root", "DIR", &l.roots, "allow files below this folder (repeatable; default: the working directory)"},
		{"grant", "DOMAIN=KIND:NAME", grant, "let a domain use a want of its plugin, such as flowise=http:api (repeatable; inspect lists wants)"},
		{"request-timeout", "D", func(v string) error { return setRequestTimeout(&s.requestTimeout, v) },
			"time for all requests of a call to the world together (default 50s)"},
		{"now", "TIME", now, "use a fixed time for domains, such as 2026-01-02T10:30:00Z, and repeatable ids: for tests"},
		{"backup", "", &s.Backup, "keep files that save and export replace as NAME.bak"},
		{"unified", "", &s.Unified, "four tools for all domains: fcp_edit, fcp_query, fcp_session, fcp_help"},
		{"cache", "DIR", &s.Cache, `folder of compiled plugins (default: the user's cache folder; "off" for none)`},
		{"timeout", "D", func(v string) error { return s.limits.set("call", v, false) }, "processor time of a plugin for one tool call (default 10s)"},
		{"memory", "MIB", memory, "memory of one document's instance (default 256)"},
		{"limit", "NAME=VALUE", limit, "set a limit (repeatable; docs/operations.md lists them), such as --limit history=64MiB"},
		{"config", "FILE", new(string), "configuration file, see docs/operations.md (default: fcp-host/fcp-host.toml in the user's configuration " +
			`folder; "off" for none)`}, // read already
		{"journal-dir", "DIR", &s.journalDir, "where open documents are kept safe from a crash (default: the user's state folder)"},
		{"no-journal", "", &s.noJournal, "keep no journal; exec keeps one only with --journal-dir or --session"},
		{"log-level", "L", func(v string) error { return setLevel(&s.level, v) }, "debug, info, warn or error, on stderr (default warn)"},
	}
}

func (s *settings) execFlags() []option {
	return []option{
		{"e line", "LINE", &s.lines, "run this line (repeatable), instead of a script"},
		{"k keep-going", "", &s.keepGoing, "continue after a failed call"},
		{"b batch", "", &s.batch, "run consecutive ops as one call, which succeeds or is rolled back as a whole; a blank line ends it (default: each op " +
			"is a call of its own)"},
		{"session", "NAME", &s.session, "keep the documents, with their history, for the next run with this name"},
		{"sessions", "", &s.sessions, "list the sessions and their documents"},
		{"json", "", &s.json, "print each reply as a line of JSON on stdout"},
		{"pictures", "DIR", &s.pictures, "folder for the pictures of replies, whose paths are printed (default: the system's folder for temporary files)"},
	}
}

func (s *settings) serveFlags(tools *list) []option {
	offer := func(v string) error {
		if !isOffer(v) {
			return errors.New("write it as DOMAIN or DOMAIN/TOOL")
		}
		*tools = append(*tools, v)
		return nil
	}
	return append([]option{
		{"tools", "DOMAIN", offer, "offer the typed tools of this domain beside its four, or one of them, as DOMAIN/TOOL (repeatable)"},
		{"literal-schemas", "", &s.Literal, "describe typed tools by their domains' own schemas, which some vendors' APIs refuse"},
		{"no-rate-limits", "", &s.Unrated, "do not limit how often a client may call typed tools"},
		{"view", "", &s.View, "show the documents, as they change, in a browser on this machine, at an address that stderr and the session action " +
			"view show (docs/view.md)"},
		{"structured", "", &s.Structured, "send replies as structuredContent, too; many clients then show their model nothing else"},
		{"write-through", "", &s.WriteThrough, "save a document that has a file with each call that changes it (stdio only)"},
		{"http-grants", "", &s.HTTPGrants, "let clients on other machines use grants of http and program, too"},
	}, s.web.flags()...)
}

func (w *web) flags() []option {
	allow := func(v string) error {
		u, err := user.Lookup(v)
		if err != nil {
			u, err = user.LookupId(v)
		}
		if err != nil {
			return errors.New("unknown user")
		}
		uid, err := strconv.Atoi(u.Uid)
		w.users = append(w.users, uid)
		return err
	}
	return []option{
		{"http", "ADDR", &w.addr, "serve Streamable HTTP at http://ADDR/mcp instead of stdio, such as 127.0.0.1:8080, or on a socket, unix:PATH; each " +
			"client has documents of its own"},
		{"http-token-file", "FILE", &w.tokens, "allow requests with a bearer token from this file, which has a TOKEN or NAME TOKEN on each line, and " +
			"which nobody else may be able to read"},
		{"oauth-issuer", "URL", &w.issuers, "allow requests with a JWT that this authorization server issued (repeatable)"},
		{"oauth-resource", "URI", &w.resource, "the server's address in such tokens (default: from --http-host, https://NAME/mcp)"},
		{"oauth-plain-jwt", "", &w.plainJWT, "accept tokens whose typ is JWT or missing, as well as at+jwt"},
		{"http-open", "", &w.open, "allow every request that reaches ADDR"},
		{"http-user", "NAME", allow, "allow this user, besides you and root, to use the socket (repeatable)"},
		{"http-cert", "FILE", &w.cert, "serve https://ADDR/mcp with this certificate; required if other machines can reach ADDR"},
		{"http-key", "FILE", &w.key, "the key of the certificate"},
		{"http-host", "NAME", &w.hosts, "a name or address, besides the loopback's, by which clients reach the server (repeatable)"},
		{"audit-log", "FILE", &w.audit, "append a line for each call: who, session, document, tool, outcome (default: the log, level info)"},
		{"http-drain", "D", durationIn(&w.drain, 0, time.Hour, "of at most an hour, such as 10s"),
			"after SIGTERM, keep answering for this long, while /readyz answers 503 (default: not at all)"},
		{"http-idle", "D", durationIn(&w.idle, 1, math.MaxInt64, "longer than 0, such as 30m"),
			"end a session and its documents after this time without a call (default 30m)"},
	}
}

func (s *stored) flags() []option {
	return []option{
		{"store", "URL", &s.url, "keep journals in this store instead of a folder: " + storeExamples() + " (default: the variable FCP_STORE, which other " +
			"users of this machine cannot see)"},
		{"advertise", "URL", &s.address, "address at which other hosts reach this one, such as http://10.0.0.5:8080 (default: the --http address, if it is " +
			"a single address)"},
		{"advertise-ca", "FILE", &s.authorities, "CA certificates, in PEM, for the other hosts, in addition to the system's"},
		{"store-lease", "D", durationIn(&s.lease, 500*time.Millisecond, math.MaxInt64, "of at least 500ms"),
			"how long a document stays with a host that died or was cut off (default 1.5s)"},
		{"store-wait", "D", durationIn(&s.wait, 100*time.Millisecond, math.MaxInt64, "of at least 100ms"),
			"how long a call waits for the store (default 5s)"},
	}
}

func (h *RootHost) flags() []option {
	return []option{
		{"s3-endpoint", "URL", &h.Endpoint, "address of the store, https://HOST, or http://HOST:PORT without TLS (default: the variable " +
			"AWS_ENDPOINT_URL_S3, or Amazon's); credentials come from the environment or a file, as for the AWS and MinIO programs"},
		{"s3-region", "NAME", &h.Region, "region of the store (default: the variable AWS_REGION, or us-east-1)"},
		{"s3-wait", "D", durationIn(&h.Wait, 100*time.Millisecond, math.MaxInt64, "of at least 100ms"),
			"how long a call waits for the store, plus a second for each MiB (default 10s)"},
	}
}

// usage prints the help of the program: its commands, those of domains, and the flags.
func usage(w io.Writer, domains []domainCommand) {
	fmt.Fprint(w, self.Name+" runs file formats as sandboxed plugins and serves each as four MCP tools.\n\nUsage:\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %s %-10s %-18s %s\n", self.Name, c.name, c.args, c.summary)
	}
	if len(domains) > 0 {
		fmt.Fprintln(w, "\nCommands of domains:")
		printWords(w, domains)
	}
	for _, c := range newSettings().sections(&flagLists{}) {
		fmt.Fprintf(w, "\n%s:\n", c.title())
		printOptions(w, c.flags)
	}
	fmt.Fprint(w, "\nExit codes: 0 done, 1 something failed, 2 wrong usage; of exec also 3: the script could not be run to its end.\n")
}
