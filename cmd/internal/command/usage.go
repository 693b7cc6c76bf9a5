package command

import (
	"fmt"
	"io"
)

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
