package judge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// flowiseVersion is the version that is installed and was recorded.
const flowiseVersion = "3.1.2"

// flowiseFolder returns the folder where make judge-flowise installed Flowise, or that FCP_FLOWISE names. If it does
// not exist, the test is skipped.
func flowiseFolder(t testing.TB) string {
	t.Helper()
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "bin", "flowise")
	if own := os.Getenv("FCP_FLOWISE"); own != "" {
		dir = own
	}
	var p struct{ Version string }
	data, err := os.ReadFile(filepath.Join(dir, "node_modules", "flowise", "package.json"))
	if err != nil || json.Unmarshal(data, &p) != nil || p.Version != flowiseVersion {
		t.Skipf("Flowise %s is not installed in %s (make judge-flowise does it; FCP_FLOWISE names another folder): %v", flowiseVersion, dir, err)
	}
	return dir
}

// FlowiseServer is a real Flowise, started for a test.
type FlowiseServer struct {
	URL        string            // "http://127.0.0.1:PORT"
	Keys       map[string]string // full, weak and wrong
	Credential string            // id of a credential for chatOpenAI
	Model      string            // base URL of the stub that replaces OpenAI
	Log        string            // file with the server's output
	Install    string            // the folder it is installed in
}

// Flowise starts a server with an empty database, and creates keys as its web pages would. It ends with the test.
func Flowise(t testing.TB) *FlowiseServer {
	t.Helper()
	install := flowiseFolder(t)
	node := Program(t, "node")
	dir := t.TempDir()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, node, filepath.Join(install, "node_modules", "flowise", "bin", "run"), "start")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	stub := httptest.NewServer(http.HandlerFunc(flowiseModel))
	t.Cleanup(stub.Close)
	cmd.Env = []string{"OPENAI_BASE_URL=" + stub.URL + "/v1", "PATH=" + os.Getenv("PATH"), "HOME=" + dir, "HOST=127.0.0.1", fmt.Sprint("PORT=", port), "DISABLE_FLOWISE_TELEMETRY=true", "FLOWISE_SECRETKEY_OVERWRITE=0123456789abcdef0123456789abcdef",
		"DATABASE_PATH=" + dir, "SECRETKEY_PATH=" + dir, "LOG_PATH=" + dir + "/logs", "BLOB_STORAGE_PATH=" + dir + "/storage",
		"JWT_AUTH_TOKEN_SECRET=one", "JWT_REFRESH_TOKEN_SECRET=two", "EXPRESS_SESSION_SECRET=three", "TOKEN_HASH_SECRET=four"}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		cmd.Wait()
		log.Close()
	})
	r := &FlowiseServer{URL: fmt.Sprint("http://127.0.0.1:", port), Model: stub.URL + "/v1", Log: log.Name(), Install: install}
	up := false
	for end := time.Now().Add(2 * time.Minute); !up && time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if res, err := http.Get(r.URL + "/api/v1/ping"); err == nil {
			res.Body.Close()
			up = res.StatusCode == http.StatusOK
		}
	}
	if !up {
		said, _ := os.ReadFile(log.Name())
		t.Fatalf("Flowise does not start:\n%s", said)
	}
	if err := r.register(t); err != nil {
		t.Fatal(err)
	}
	return r
}

// register creates an account, the keys, and a credential for the stub.
func (r *FlowiseServer) register(t testing.TB) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	client := &http.Client{Jar: jar}
	post := func(path string, body, into any) error {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		req, err := http.NewRequest("POST", r.URL+"/api/v1/"+path, bytes.NewReader(data))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("x-request-from", "internal")
		res, err := client.Do(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		answer, err := io.ReadAll(res.Body)
		if err == nil && res.StatusCode/100 != 2 {
			err = fmt.Errorf("%s: %d %s", path, res.StatusCode, answer)
		}
		if err == nil && into != nil {
			err = json.Unmarshal(answer, into)
		}
		return err
	}
	type m = map[string]any
	const mail, password = "judge@example.com", "Judge-1234567"
	if err := post("account/register", m{"user": m{"name": "Judge", "email": mail, "type": "pro", "credential": password}}, nil); err != nil {
		return err
	}
	if err := post("auth/login", m{"email": mail, "password": password}, nil); err != nil {
		return err
	}
	r.Keys = map[string]string{"wrong": "no-key-of-this-server"}
	for name, permissions := range map[string][]string{"weak": {"chatflows:view"}, "full": {"chatflows:view", "chatflows:create", "chatflows:update", "chatflows:delete",
		"agentflows:view", "agentflows:create", "agentflows:update", "agentflows:delete", "credentials:view", "executions:view"}} {
		var keys []struct{ KeyName, APIKey string }
		if err := post("apikey", m{"keyName": name, "permissions": permissions}, &keys); err != nil {
			return err
		}
		for _, k := range keys {
			if k.KeyName == name {
				r.Keys[name] = k.APIKey
			}
		}
	}
	var made struct{ ID string }
	err = post("credentials", m{"name": "A stub", "credentialName": "openAIApi", "plainDataObj": m{"openAIApiKey": "none"}}, &made)
	r.Credential = made.ID
	return err
}

// flowiseModel answers like an OpenAI chat model that was asked for a flow: with a flow that greets and needs no tools.
func flowiseModel(w http.ResponseWriter, r *http.Request) {
	asked, _ := io.ReadAll(r.Body)
	said := "[]"
	if !strings.Contains(string(asked), "select the") {
		node := func(name, label string, x int) string {
			return fmt.Sprintf(`{"id":"%s_0","type":"agentFlow","position":{"x":%d,"y":0},"width":140,"height":66,"data":{"name":%q,"label":%q}}`, name, x, name, label)
		}
		said = `{"description":"Greets whoever writes","usecases":["Greeting"],"nodes":[` + node("startAgentflow", "Start", 0) + "," + node("directReplyAgentflow", "Greet", 240) +
			`],"edges":[{"id":"startAgentflow_0-startAgentflow_0-output-startAgentflow-directReplyAgentflow_0-directReplyAgentflow_0","type":"agentFlow","source":"startAgentflow_0","sourceHandle":"startAgentflow_0-output-startAgentflow",` +
			`"target":"directReplyAgentflow_0","targetHandle":"directReplyAgentflow_0","data":{"sourceColor":"#7EE787","targetColor":"#4DDBBB","isHumanInput":false}}]}`
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"id": "chatcmpl-1", "object": "chat.completion", "model": "stub", "usage": map[string]int{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": "```json\n" + said + "\n```"}}}})
}
