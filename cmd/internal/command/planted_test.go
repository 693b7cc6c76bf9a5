package command

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testissuer"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// plant writes the records of two saves that would overwrite, add and remove files: one as hosts wrote them that had no key, and one by
// the key of another user.
func plant(t *testing.T, dir string) {
	t.Helper()
	mine := sha256.Sum256([]byte("mine"))
	body, err := json.Marshal(map[string]any{"id": "0123456789abcdef", "entries": []map[string]any{
		{"path": "AGENTS.md", "before": mine[:], "before_size": 4, "after": []byte("evil")},
		{"path": "CLAUDE.md", "before": nil, "before_size": 0, "after": []byte("evil")},
		{"path": "README.md", "before": mine[:], "before_size": 4, "after": nil},
	}})
	if err != nil {
		t.Fatal(err)
	}
	plain, mac := sha256.Sum256(body), hmac.New(sha256.New, []byte("the key of another user"))
	mac.Write(body)
	put(t, dir, ".cuedeck/.fcp-save", "fcp-folder-save 1 "+hex.EncodeToString(plain[:])+"\n"+string(body))
	put(t, dir, ".cuedeck/.fcp-save-0123456789abcdef", "fcp-folder-save 2 "+hex.EncodeToString(mac.Sum(nil))+"\n"+string(body))
}

// filesBelow returns the content of all files below a folder by path.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A token that only reads opens a workspace with planted records: it reads what is there, and changes no file.
func TestAReadOnlyTokenFinishesNoPlantedSave(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, sub := range []string{"cards", "docs"} {
		if err := os.MkdirAll(filepath.Join(dir, ".cuedeck", sub), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	put(t, dir, ".cuedeck/config.toml", "")
	put(t, dir, ".cuedeck/cards/aaaaa1.md", "---\ntitle: Alpha\nstatus: todo\n---\n")
	put(t, dir, "AGENTS.md", "mine")
	put(t, dir, "README.md", "mine")
	plant(t, dir)
	before := filesBelow(t, dir)

	issuer := testissuer.New(t)
	url := serveHTTP(t, "--http", "127.0.0.1:0", "--oauth-issuer", issuer.URL, "--root", dir, "--plugin", testwasm.Build(t, "plugins/cuedeck"), "--grant", "cuedeck=folder", "--tools", "cuedeck")
	token, session := issuer.Sign(t, issuer.Claims(url, "fcp:cuedeck:read", nil), nil), ""
	ask := func(body string) string {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + token}, "Mcp-Session-Id": {session}}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		data, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %s, %v", body, res.Status, data, err)
		}
		if id := res.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		return string(data)
	}
	call := func(tool string, args map[string]any) string {
		t.Helper()
		body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args}})
		if err != nil {
			t.Fatal(err)
		}
		return ask(string(body))
	}
	ask(hello)
	has(t, call("cuedeck_session", map[string]any{"action": "open " + filepath.ToSlash(dir)}), "opened", ".fcp-save, a record of a save that no fcp-host of yours began, is left alone")
	has(t, call("cuedeck_query", map[string]any{"q": "list"}), "Alpha")
	has(t, call("cuedeck_query", map[string]any{"q": "read AGENTS.md"}), "mine")
	has(t, call("list_tasks", map[string]any{}), "Alpha")
	if after := filesBelow(t, dir); !maps.Equal(after, before) {
		t.Errorf("the files were\n%q\nand are\n%q", before, after)
	}
}
