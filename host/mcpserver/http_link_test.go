package mcpserver

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/host/gate"
)

var linkText = regexp.MustCompile(`https://edit\.example(/files/[A-Z2-7-]+[a-z]?)`)

// startRemote starts a web whose clients are on other machines and have tokens, with its files in root.
func startRemote(t *testing.T, root string, more gate.Config) (w *web, tokens string) {
	t.Helper()
	own, path := twoTokens(t)
	more.Tokens, more.Hosts = own, []string{"edit.example"}
	return startWith(t, root, nil, HTTPConfig{}, more), path
}

// far calls a tool as a client that reaches the server by its name.
func (w *web) far(session, body string) string {
	w.t.Helper()
	res, m := w.send("POST", body, map[string]string{"Mcp-Session-Id": session, "Host": "edit.example"})
	return w.result(res, m).text()
}

// link returns the path of the link in a reply.
func (w *web) link(text string) string {
	w.t.Helper()
	m := linkText.FindStringSubmatch(text)
	if m == nil {
		w.t.Fatalf("no link in %q", text)
	}
	return m[1]
}

// follow sends a request without a token to a link.
func (w *web) follow(method, link string, body io.Reader) (status int, header http.Header, text string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.server.URL+link, body)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Host = "edit.example"
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(data)
}

func TestAFileIsDownloadedAndUploadedByLinks(t *testing.T) {
	root := t.TempDir()
	w, _ := startRemote(t, root, gate.Config{})
	ann := w.as(annToken)
	s := ann.join()
	ann.far(s, action(1, `new "T"`))
	for i, body := range []string{edit(2, "add one"), action(3, "save as:a.list")} {
		if text := ann.far(s, body); strings.Contains(text, "/files/") != (i == 1) {
			t.Errorf("%s: %s", body, text)
		}
	}
	text := ann.far(s, action(4, "save as:héllo.list"))
	if !strings.Contains(text, "download it within 10m0s from https://edit.example/files/") {
		t.Errorf("save says %s", text)
	}
	status, head, data := w.follow("GET", w.link(text), nil)
	if status != 200 || data != "#list T\none" && data != "#list T\none\n" || head.Get("Content-Disposition") != "attachment; filename*=utf-8''h%C3%A9llo.list" ||
		head.Get("X-Content-Type-Options") != "nosniff" || head.Get("Content-Security-Policy") != "default-src 'none'; sandbox" || head.Get("Cache-Control") != "no-store" {
		t.Errorf("the download: %d %q %v", status, data, head)
	}
	for _, method := range []string{"PUT", "POST", "DELETE"} {
		if status, head, _ := w.follow(method, w.link(text), strings.NewReader("x")); status != 405 || head.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s of a download: %d", method, status)
		}
	}

	text = ann.far(s, action(5, "open b.list"))
	if !strings.Contains(text, "no such file") || !strings.Contains(text, "(curl -T b.list LINK), then open it") {
		t.Errorf("open says %s", text)
	}
	up := w.link(text)
	for _, method := range []string{"GET", "HEAD", "POST", "DELETE"} {
		if status, _, _ := w.follow(method, up, nil); status != 405 {
			t.Errorf("%s of an upload: %d", method, status)
		}
	}
	if status, _, said := w.follow("PUT", up, strings.NewReader("#list B\nfrom afar\n")); status != 201 || said != "stored b.list (18 bytes); now open it\n" {
		t.Errorf("the upload: %d %s", status, said)
	}
	if status, _, said := w.follow("PUT", up, strings.NewReader("again")); status != 404 || !strings.Contains(said, "expired or was used") {
		t.Errorf("the second upload: %d %s", status, said)
	}
	if text := ann.far(s, action(6, "open b.list")); !strings.Contains(text, `opened b.list as "b"`) || strings.Contains(text, "/files/") {
		t.Errorf("open says %s", text)
	}
	// Replies in then offer links, too; clients on this machine get none.
	if text := ann.far(s, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"list","arguments":{"ops":["add x"],"then":["save as:c.list"]}}}`); !linkText.MatchString(text) {
		t.Errorf("save in then says %s", text)
	}
	for i, what := range []string{"save as:d.list", "open e.list"} {
		if text := ann.call(s, action(8+i, what)).text(); strings.Contains(text, "/files/") {
			t.Errorf("%s says %s to a client on this machine", what, text)
		}
	}
}

func TestLinksAreAuditedUnderTheirPrincipalWithoutTheirSecrets(t *testing.T) {
	own, _ := twoTokens(t)
	var audit bytes.Buffer
	w := startWith(t, t.TempDir(), nil, HTTPConfig{Unified: true}, gate.Config{Tokens: own, Hosts: []string{"edit.example"}, Audit: slog.New(slog.NewTextHandler(&audit, nil))})
	bob := w.as(bobToken)
	s := bob.join()
	session := func(id int, action string) string {
		return w.link(bob.far(s, call(id, "fcp_session", map[string]any{"action": action})))
	}
	up := session(1, "open u.list")
	if status, _, said := w.follow("PUT", up, strings.NewReader("#list U\none\n")); status != 201 {
		t.Fatalf("the upload: %d %s", status, said)
	}
	bob.far(s, call(2, "fcp_session", map[string]any{"action": "open u.list"}))
	down := session(3, "save as:v.list")
	if status, _, data := w.follow("GET", down, nil); status != 200 || !strings.Contains(data, "one") {
		t.Errorf("the download: %d %s", status, data)
	}
	w.follow("GET", down+"x", nil)
	w.server.Close() // until the lines are written
	for _, line := range []string{"who=bob session=\"\" method=files/upload tool=\"\" document=u.list outcome=ok status=201", "who=bob session=\"\" method=files/download tool=\"\" document=v.list outcome=ok status=200",
		"who=?link session=\"\" method=GET tool=\"\" document=\"\" outcome=refused status=404"} {
		if !strings.Contains(audit.String(), line) {
			t.Errorf("the log lacks %s:\n%s", line, &audit)
		}
	}
	if strings.Contains(audit.String(), strings.TrimPrefix(down, gate.LinkPath)) || strings.Contains(audit.String(), strings.TrimPrefix(up, gate.LinkPath)) {
		t.Errorf("a secret is in the log:\n%s", &audit)
	}
}

func TestALinkGrantsNothingElse(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	w, tokens := startRemote(t, root, gate.Config{Bodies: 4 << 20})
	ann := w.as(annToken)
	s := ann.join()
	ann.far(s, action(1, `new "T"`))
	if err := os.Symlink(outside, filepath.Join(root, "out")); err != nil {
		t.Skip(err)
	}
	if err := os.Mkdir(filepath.Join(root, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i, path := range []string{"../x.list", outside + "/x.list", "out/x.list", "nowhere/x.list", ".bashrc", "x.sh", "sub", ""} {
		if text := ann.far(s, action(10+i, fmt.Sprintf("open %q", path))); strings.Contains(text, "/files/") {
			t.Errorf("open %q says %s", path, text)
		}
	}
	up := func(name string) string { t.Helper(); return w.link(ann.far(s, action(30, "open "+name))) }

	// What the path leads to is decided when the body is there.
	link := up("sub/x.list")
	if err := os.Remove(filepath.Join(root, "sub")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(root, "sub")); err != nil {
		t.Fatal(err)
	}
	if status, _, said := w.follow("PUT", link, strings.NewReader("x")); status != 409 {
		t.Errorf("through a symbolic link: %d %s", status, said)
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("outside of the roots there is %v", left)
	}
	// A file that somebody made meanwhile is not replaced.
	link = up("there.list")
	if err := os.WriteFile(filepath.Join(root, "there.list"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, _, said := w.follow("PUT", link, strings.NewReader("yours")); status != 409 || !strings.Contains(said, "is not replaced") {
		t.Errorf("over a file: %d %s", status, said)
	}
	// A body that is too large writes nothing, and the link can be used again.
	link = up("large.list")
	if status, _, said := w.follow("PUT", link, bytes.NewReader(make([]byte, 5<<20))); status != 413 && status != 503 {
		t.Errorf("too large: %d %s", status, said)
	}
	// Of many at once exactly one is stored.
	var wait sync.WaitGroup
	stored := make([]int, 8)
	for i := range stored {
		wait.Go(func() { stored[i], _, _ = w.follow("PUT", link, strings.NewReader(fmt.Sprint("body ", i))) })
	}
	wait.Wait()
	data, err := os.ReadFile(filepath.Join(root, "large.list"))
	for i, status := range stored {
		if (status == 201) != (string(data) == fmt.Sprint("body ", i)) {
			t.Errorf("%d of %v: the file is %q %v", i, stored, data, err)
		}
	}
	// Only the secret counts: neither a token nor a session lets one read by a guess, and a link opens nothing but itself.
	down := w.link(ann.far(s, action(40, "save as:secret.list")))
	for _, path := range []string{gate.LinkPath, down[:len(down)-1], down + "A", down + "/..", gate.LinkPath + "../mcp", strings.ToLower(down), gate.LinkPath + "secret.list"} {
		if status, _, said := w.follow("GET", path, nil); status == 200 || strings.Contains(said, "#list") {
			t.Errorf("%s: %d %s", path, status, said)
		}
	}
	if status, _, _ := w.follow("GET", HTTPPath, nil); status != 401 {
		t.Errorf("MCP without a token: %d", status)
	}
	// The links of a principal that is no longer admitted end.
	if err := os.WriteFile(tokens, []byte("bob "+bobToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for status := 200; status != 404; {
		if status, _, _ = w.follow("GET", down, nil); status != 200 && status != 404 {
			t.Fatalf("a link of a principal without a token: %d", status)
		}
	}
}

func TestAnyHostAnswersALink(t *testing.T) {
	all, dir := &hosts{holders: map[string]string{}, at: map[string]string{}}, filepath.Join(t.TempDir(), "journal")
	a, b := all.start(t, "a", dir), all.start(t, "b", dir)
	s := a.join()
	a.far(s, action(1, `new "T"`))
	down, up := b.link(a.far(s, action(2, "save as:t.list"))), b.link(a.far(s, action(3, "open up.list")))
	if status, head, data := b.follow("GET", down, nil); status != 200 || !strings.HasPrefix(data, "#list T") || head.Get("Content-Disposition") != "attachment; filename=t.list" {
		t.Errorf("the other host answers %d %q %v", status, data, head)
	}
	if status, _, said := b.follow("PUT", up, strings.NewReader("#list U\n")); status != 201 {
		t.Errorf("the other host answers %d %s", status, said)
	}
	all.moves("a", "")
	if status, _, said := b.follow("GET", down, nil); status != 404 {
		t.Errorf("after the host's end: %d %s", status, said)
	}
}
