package command

import (
	"fmt"
	"io"
)

// usage prints the help of the program: its commands, those of domains, and the flags.
//
// Over 80 lines: it is the text itself.
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
  --plugin PLUGIN    load this plugin: a .wasm file, or the name of one that is built in, was added
                     or is in a plugin folder, such as midi (repeatable)
  --plugins DIR      load every .wasm file in this folder (repeatable);
                     default for both: the built-in domains, plugins added by fcp-host plugin,
                     plugins/ beside the binary, the user's data folder
  --no-builtin       do not load the built-in domains
  --only-pinned      load a plugin file only if it was added or the configuration has its sha256
  --require-signature
                     load an added plugin only if a trusted key of the configuration signed it
  --require-layers   run no plugins if the system lacks a layer that doctor lists
  --unconfined-plugins
                     run plugins that are not built in even if the system cannot confine them
  --root DIR         allow files below this folder (repeatable; default: the working directory)
  --grant DOMAIN=KIND:NAME
                     let a domain use a want of its plugin, such as flowise=http:api (repeatable; inspect lists wants)
  --request-timeout D time for all requests of a call to the world together (default 50s)
  --now TIME         use a fixed time for domains, such as 2026-01-02T10:30:00Z, and repeatable ids: for tests
  --backup           keep files that save and export replace as NAME.bak
  --unified          four tools for all domains: fcp_edit, fcp_query, fcp_session, fcp_help
  --cache DIR        folder of compiled plugins (default: the user's cache folder; "off" for none)
  --timeout D        processor time of a plugin for one tool call (default 10s)
  --memory MIB       memory of one document's instance (default 256)
  --limit NAME=VALUE set a limit (repeatable; docs/operations.md lists them), such as --limit history=64MiB
  --config FILE      configuration file, see docs/operations.md (default: fcp-host/fcp-host.toml
                     in the user's configuration folder; "off" for none)
  --journal-dir DIR  where open documents are kept safe from a crash (default: the user's state folder)
  --no-journal       keep no journal; exec keeps one only with --journal-dir or --session
  --log-level L      debug, info, warn or error, on stderr (default warn)

Flags of serve, exec and view:
  --pprof ADDR       serve profiles of this process on the loopback, such as 127.0.0.1:0,
                     at an address with a secret in it, printed on stderr

Flags of doctor:
  --deep             also run each plugin's examples compiled and interpreted, and compare all answers

Flags of exec; a script has ops, ":ACTION", "?QUERY", "?help TOPIC" and "#" comments, one on each line:
  -e, --line LINE    run this line (repeatable), instead of a script
  -k, --keep-going   continue after a failed call
  -b, --batch        run consecutive ops as one call, which succeeds or is rolled back as a whole;
                     a blank line ends it (default: each op is a call of its own)
  --session NAME     keep the documents, with their history, for the next run with this name
  --sessions         list the sessions and their documents
  --json             print each reply as a line of JSON on stdout
  --pictures DIR     folder for the pictures of replies, whose paths are printed (default: the system's
                     folder for temporary files)

Flags of serve:
  --tools DOMAIN     offer the typed tools of this domain beside its four, or one of them, as DOMAIN/TOOL
                     (repeatable)
  --literal-schemas  describe typed tools by their domains' own schemas, which some vendors' APIs refuse
  --no-rate-limits   do not limit how often a client may call typed tools
  --view             show the documents, as they change, in a browser on this machine, at an
                     address that stderr and the session action view show (docs/view.md)
  --structured       send replies as structuredContent, too; many clients then show their model nothing else
  --write-through    save a document that has a file with each call that changes it (stdio only)
  --http ADDR        serve Streamable HTTP at http://ADDR/mcp instead of stdio, such as 127.0.0.1:8080,
                     or on a socket, unix:PATH; each client has documents of its own
  --http-token-file FILE  allow requests with a bearer token from this file, which has a TOKEN or NAME TOKEN
                     on each line, and which nobody else may be able to read
  --oauth-issuer URL  allow requests with a JWT that this authorization server issued (repeatable)
  --oauth-resource URI  the server's address in such tokens (default: from --http-host, https://NAME/mcp)
  --oauth-plain-jwt  accept tokens whose typ is JWT or missing, as well as at+jwt
  --http-open        allow every request that reaches ADDR
  --http-user NAME   allow this user, besides you and root, to use the socket (repeatable)
  --http-cert FILE, --http-key FILE  serve https://ADDR/mcp; required if other machines can reach ADDR
  --http-host NAME   a name or address, besides the loopback's, by which clients reach the server (repeatable)
  --http-grants      let clients on other machines use grants of http and program, too
  --audit-log FILE   append a line for each call: who, session, document, tool, outcome (default: the log, level info)
  --http-drain D     after SIGTERM, keep answering for this long, while /readyz answers 503 (default: not at all)
  --http-idle D      end a session and its documents after this time without a call (default 30m)
`)
	if self.Stores != nil {
		fmt.Fprintf(w, storeUsage, storeExamples())
	}
	if self.Roots != nil {
		fmt.Fprintf(w, rootUsage, rootExamples())
	}
	if self.StartTelemetry != nil {
		fmt.Fprint(w, telemetryUsage)
	}
	fmt.Fprint(w, "\nExit codes: 0 done, 1 something failed, 2 wrong usage; of exec also 3: the script could not be run to its end.\n")
}
