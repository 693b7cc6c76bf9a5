package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// serveHTTP starts the server process with these flags, which include --http, and returns the address that it prints.
func serveHTTP(t *testing.T, args ...string) (url string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, exe, append([]string{"serve", "--config", "off", "--no-journal", "--limit", "list-wait=1m", "--cache", testwasm.CacheDir(t)}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), asBinary+"=1")
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(log)
	t.Cleanup(func() {
		cancel()
		for lines.Scan() {
		}
		if cmd.Wait(); cmd.ProcessState.ExitCode() != exitOK {
			t.Errorf("the server ended with %s", cmd.ProcessState)
		}
	})
	for lines.Scan() {
		if _, at, ok := strings.Cut(lines.Text(), "serving "); ok {
			return at
		}
	}
	t.Fatal("the server does not say where it serves")
	return ""
}

func TestHTTPRequiresAccessSettings(t *testing.T) {
	for _, c := range []struct {
		args, want string
	}{
		{"--http 127.0.0.1:0", "--http-token-file FILE (one token per line), --oauth-issuer URL, or --http-open"},
		{"--http 127.0.0.1:0 --http-token-file t --http-open", "contradict"},
		{"--http 8080 --http-open", "write it as 127.0.0.1:8080 or unix:PATH"},
		{"--http unix: --http-open", "write it as"},
		{"--http unix:s --http-open", "--http-open has no effect on a unix socket"},
		{"--http unix:s --http-cert c --http-key k", "--http-cert is for network addresses"},
		{"--http 127.0.0.1:0 --http-open --http-user root", "--http-user needs a unix socket"},
		{"--http unix:s --http-user no.such.user", "unknown user"},
		{"--http 127.0.0.1:0 --http-open --http-cert c", "--http-cert and --http-key go together"},
		{"--http 0.0.0.0:0 --http-host h --http-token-file t", "would send tokens and documents unencrypted over the network"},
		{"--http 0.0.0.0:0 --http-host h --http-open --http-cert c --http-key k", "would let everybody in"},
		{"--http 127.0.0.1:0 --http-open --audit-log /dev/zero", "--audit-log: /dev/zero: it is not a regular file; name a regular file, /dev/stderr"},
		{"--http 127.0.0.1:0 --http-open --audit-log /no/such/folder/audit", "--audit-log: open /no/such/folder/audit: no such file or directory"},
		{"--http 0.0.0.0:0 --http-token-file t --http-cert c --http-key k", "name the server to other machines with --http-host"},
		{"--http 127.0.0.1:0 --http-open --oauth-issuer https://auth.example", "contradict"},
		{"--http 127.0.0.1:0 --http-open --oauth-resource https://edit.example/mcp", "need --oauth-issuer URL"},
		{"--http 127.0.0.1:0 --http-token-file t --oauth-plain-jwt", "need --oauth-issuer URL"},
		{"--http 127.0.0.1:0 --oauth-issuer http://auth.example", "--oauth-issuer http://auth.example: it must begin with https://"},
		{"--http 127.0.0.1:0 --oauth-issuer https://auth.example --oauth-resource edit.example", "--oauth-resource edit.example: it is not a URL"},
		{"--http 127.0.0.1:0 --oauth-issuer https://auth.example --http-host a --http-host b", "say for which address tokens are issued: --oauth-resource"},
		{"--http unix:s --oauth-issuer https://auth.example", "say for which address tokens are issued: --oauth-resource"},
		{"--http 0.0.0.0:0 --http-host h --oauth-issuer https://auth.example", "would send tokens and documents unencrypted over the network"},
	} {
		var out, said strings.Builder
		code := run(t.Context(), append([]string{"serve", "--config", "off"}, strings.Fields(c.args)...), stdio{strings.NewReader(""), &out, &said})
		if code != exitUsage || !strings.Contains(said.String(), c.want) || strings.Count(said.String(), "\n") != 1 {
			t.Errorf("%s: exit code %d, %s", c.args, code, said.String())
		}
	}
}

func TestTokensAreForTheAddressThatClientsUse(t *testing.T) {
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}
	for _, c := range []struct {
		w    web
		want string
	}{
		{web{addr: "127.0.0.1:0"}, "http://127.0.0.1:4711/mcp"},
		{web{addr: "localhost:4711"}, "http://localhost:4711/mcp"},
		{web{addr: "[::1]:0"}, "http://[::1]:4711/mcp"},
		{web{addr: "127.0.0.1:0", hosts: list{"edit.example"}}, "https://edit.example/mcp"}, // behind a proxy with TLS
		{web{addr: "127.0.0.1:0", hosts: list{"2001:db8::1"}}, "https://[2001:db8::1]/mcp"},
		{web{addr: "0.0.0.0:0", hosts: list{"edit.example"}, cert: "c"}, "https://edit.example:4711/mcp"},
		{web{addr: "127.0.0.1:0", cert: "c"}, "https://127.0.0.1:4711/mcp"},
		{web{addr: "unix:s", resource: "https://edit.example/x"}, "https://edit.example/x"},
	} {
		if got := c.w.resourceAt(at); got != c.want {
			t.Errorf("%+v: %s, want %s", c.w, got, c.want)
		}
	}
}

func TestATokenFileThatOthersMayReadEndsTheStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(path, []byte("ann-0123456789abcdef"), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, said strings.Builder
	code := run(t.Context(), []string{"serve", "--config", "off", "--http", "127.0.0.1:0", "--http-token-file", path, "--no-journal",
		"--cache", testwasm.CacheDir(t), "--plugin", testwasm.List(t)}, stdio{strings.NewReader(""), &out, &said})
	if code != exitFailed || !strings.Contains(said.String(), "chmod 600") {
		t.Errorf("exit code %d, %s", code, said.String())
	}
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

func TestAServerWithTokensKeepsAnAuditLog(t *testing.T) {
	const secret = "ann-0123456789abcdef"
	dir := t.TempDir()
	file, audit := filepath.Join(dir, "tokens"), filepath.Join(dir, "audit")
	if err := os.WriteFile(file, []byte("ann "+secret), 0o600); err != nil {
		t.Fatal(err)
	}
	url := serveHTTP(t, "--http", "127.0.0.1:0", "--http-token-file", file, "--audit-log", audit, "--plugin", testwasm.List(t))
	post := func(token string) int {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(hello))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		io.Copy(io.Discard, res.Body) // the audit line is written before the answer ends
		return res.StatusCode
	}
	if post("somebody-else-0123") != 401 || post(secret) != 200 {
		t.Error("the token does not decide")
	}
	data, err := os.ReadFile(audit)
	if err != nil {
		t.Fatal(err)
	}
	var line struct{ Level, Who, Session, Method, Outcome string }
	if err := json.Unmarshal(data, &line); err != nil || line.Who != "ann" || line.Session != "s1" || line.Method != "initialize" || line.Outcome != "ok" {
		t.Errorf("%v: %s", err, data)
	}
	if info, err := os.Stat(audit); err != nil || info.Mode().Perm() != 0o600 || bytes.Contains(data, []byte(secret)) {
		t.Errorf("%v %v: %s", info.Mode(), err, data)
	}
}

// A client on another machine, here behind a proxy, gets a saved file by a link, without its token.
func TestASavedFileIsDownloadedByItsLink(t *testing.T) {
	const secret = "ann-0123456789abcdef"
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte("ann "+secret), 0o600); err != nil {
		t.Fatal(err)
	}
	url := serveHTTP(t, "--http", "127.0.0.1:0", "--http-host", "edit.example", "--http-token-file", file, "--plugin", testwasm.List(t))
	session := ""
	ask := func(method, at, body string) (text string, res *http.Response) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, at, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "edit.example"
		if at == url {
			req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + secret}, "Mcp-Session-Id": {session}}
		}
		if res, err = http.DefaultClient.Do(req); err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		data, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(data), res
	}
	_, res := ask("POST", url, hello)
	session = res.Header.Get("Mcp-Session-Id")
	text := ""
	for _, action := range []string{`new \"T\"`, "save as:t.list"} {
		text, _ = ask("POST", url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_session","arguments":{"action":"`+action+`"}}}`)
	}
	_, link, ok := strings.Cut(text, "https://edit.example/")
	link, _, _ = strings.Cut(link, " ")
	if got, res := ask("GET", strings.TrimSuffix(url, "mcp")+link, ""); !ok || res.StatusCode != 200 || !strings.HasPrefix(got, "#list T") {
		t.Errorf("save says %s, and the link answers %s %s", text, res.Status, got)
	}
}

// Opening the pipe by name would not work: its other end may be read slowly, or never.
func TestAnAuditLogMayGoWhereTheServersOutputGoes(t *testing.T) {
	for _, name := range []string{"/dev/stdout", "/dev/stderr"} {
		var out, said bytes.Buffer
		cmd := exec.CommandContext(t.Context(), os.Args[0], "serve", "--config", "off", "--no-journal", "--limit", "list-wait=1m", "--cache", testwasm.CacheDir(t), "--plugin", testwasm.List(t),
			"--http", "127.0.0.1:0", "--http-open", "--audit-log", name)
		cmd.Env = append(os.Environ(), asBinary+"=1")
		log, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if cmd.Stdout = &out; cmd.Start() != nil {
			t.Fatal("it does not start")
		}
		for lines := bufio.NewScanner(log); lines.Scan(); {
			said.WriteString(lines.Text() + "\n")
			if _, url, ok := strings.Cut(lines.Text(), "serving "); ok {
				res, err := http.Post(url, "application/json", strings.NewReader(hello))
				if err != nil {
					t.Fatal(err)
				}
				io.Copy(io.Discard, res.Body)
				res.Body.Close()
				cmd.Process.Signal(os.Interrupt)
			}
		}
		err = cmd.Wait()
		got := map[string]string{"/dev/stdout": out.String(), "/dev/stderr": said.String()}
		for to, text := range got {
			if strings.Contains(text, `"method":"initialize"`) != (to == name) {
				t.Errorf("%s (%v): %s got %q", name, err, to, text)
			}
		}
	}
}

func TestAServerOnAUnixSocketRemovesItAtItsEnd(t *testing.T) {
	dir, err := os.MkdirTemp("", "fcp") // socket paths must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	t.Run("served", func(t *testing.T) {
		if at := serveHTTP(t, "--http", "unix:"+path, "--plugin", testwasm.List(t)); !strings.HasSuffix(at, path) {
			t.Errorf("it serves %s", at)
		}
		c := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		}}}
		res, err := c.Post("http://localhost/mcp", "application/json", strings.NewReader(hello))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if said, _ := bufio.NewReader(res.Body).ReadString('\n'); res.StatusCode != 200 || !strings.Contains(said, "serverInfo") {
			t.Errorf("%s %s", res.Status, said)
		}
	})
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after its end: %v", err)
	}
}
