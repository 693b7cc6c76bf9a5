package command

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testissuer"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// authorized is a program that uses the official client. It is told only the server's address and discovers the rest by
// MCP's authorization.
const authorized = `
import {Client, StreamableHTTPClientTransport, UnauthorizedError} from "CLIENT/dist/index.mjs";

const server = new URL(process.argv[2]), said = {scopes: [], versions: []};
const kept = {};
let callback;
const provider = {
  redirectUrl: "http://127.0.0.1:1/callback",
  clientMetadata: {client_name: "judge", redirect_uris: ["http://127.0.0.1:1/callback"], grant_types: ["authorization_code"], response_types: ["code"], token_endpoint_auth_method: "none"},
  clientInformation: () => kept.client,
  saveClientInformation: (c) => { kept.client = c; },
  tokens: () => kept.tokens,
  saveTokens: (t) => { kept.tokens = t; said.scopes.push(t.scope); },
  saveCodeVerifier: (v) => { kept.verifier = v; },
  codeVerifier: () => kept.verifier,
  // Instead of a browser: the issuer redirects at once.
  redirectToAuthorization: async (url) => {
    const answer = await fetch(url, {redirect: "manual"});
    callback = new URL(answer.headers.get("location")).searchParams;
  },
};
const connect = async (options) => {
  for (let tries = 0; ; tries++) {
    const transport = new StreamableHTTPClientTransport(server, {authProvider: provider});
    const client = new Client({name: "judge", version: "1"}, options);
    try {
      await client.connect(transport);
      return [client, transport];
    } catch (e) {
      if (!(e instanceof UnauthorizedError) || tries > 0) throw e;
      await transport.finishAuth(callback);
    }
  }
};
const [client, transport] = await connect({versionNegotiation: {mode: process.argv[3] ? {pin: process.argv[3]} : "legacy"}});
const call = async (name, args) => {
  const run = () => client.callTool({name, arguments: args}).then((r) => (r.isError ? "FAILED " : "") + r.content[0].text);
  try { return await run(); } catch (e) {
    if (!(e instanceof UnauthorizedError)) throw e;
    await transport.finishAuth(callback);
    return await run();
  }
};
said.listed = (await client.listTools()).tools.map((t) => t.name);
said.reads = await call("list_session", {action: "plugins"});
said.made = await call("list_session", {action: 'new "Shopping"'});
said.after = (await client.listTools()).tools.map((t) => t.name);
const [, handle] = /document:"([^"]+)"/.exec(said.made) || [];
said.edited = await call("list", {ops: ["add milk"], ...(handle ? {document: handle} : {})});
said.map = await call("list_query", {q: "map", ...(handle ? {document: handle} : {})});
await client.close();
console.log(JSON.stringify(said));
`

func TestJudgeTheOfficialClientFindsTheIssuerAndAsksForWhatItLacks(t *testing.T) {
	t.Parallel()
	node, modules := judge.Npm(t, "@modelcontextprotocol/client")
	issuer := testissuer.New(t)
	given := 0
	issuer.Grant = func(asked string) string { // the user grants less than the client asks for, and more the second time
		if given++; given%2 == 1 && asked == "fcp" {
			return "fcp:read"
		}
		return asked
	}
	audit := filepath.Join(t.TempDir(), "audit")
	url := serveHTTP(t, "--http", "127.0.0.1:0", "--oauth-issuer", issuer.URL, "--audit-log", audit, "--plugin", testwasm.List(t))
	program := filepath.Join(t.TempDir(), "authorized.mjs")
	if err := os.WriteFile(program, []byte(strings.ReplaceAll(authorized, "CLIENT", "file://"+filepath.Join(modules, "@modelcontextprotocol/client"))), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, revision := range []string{"", "2026-07-28"} { // with and without a session
		cmd := exec.Command(node, program, url, revision)
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v\n%s%s", revision, err, out, errs.String())
		}
		var said struct {
			Scopes, Listed, After    []string
			Reads, Made, Edited, Map string
		}
		if err := json.Unmarshal(out, &said); err != nil {
			t.Fatalf("%q: %v\n%s", revision, err, out)
		}
		if got := strings.Join(said.Scopes, ", "); got != "fcp:read, fcp:read fcp:list" {
			t.Errorf("%q: the client got tokens with the scopes %s", revision, got)
		}
		if got := strings.Join(said.Listed, " "); got != "list_help list_query list_session" {
			t.Errorf("%q: with the first token, listed are %s", revision, got)
		}
		if got := strings.Join(said.After, " "); got != "list list_help list_query list_session" {
			t.Errorf("%q: with the second token, listed are %s", revision, got)
		}
		if strings.Contains(said.Reads, "FAILED") || !strings.Contains(said.Made, `new list document`) || !strings.Contains(said.Edited, "milk") || !strings.Contains(said.Map, "milk") {
			t.Errorf("%q: the tools answered %s", revision, out)
		}
	}
	lines, err := os.ReadFile(audit)
	if err != nil {
		t.Fatal(err)
	}
	if who := `"who":"` + issuer.URL + `#ann"`; !strings.Contains(string(lines), who) || strings.Contains(string(lines), "eyJ") || !strings.Contains(string(lines), `"status":403`) ||
		!strings.Contains(string(lines), `"session":"none"`) {
		t.Errorf("the audit log is %s", lines)
	}
}
