//go:build unix

package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/fcp-host/fcp-host/conformance/store"
	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// deploy/cluster works: the test runs the hosts with the commands of the compose file, the proxy
// with its nginx.conf, and the files of its setup. Without containers, only addresses and folders
// differ.
func TestJudgeTheClusterOfTheComposeFileWorks(t *testing.T) {
	nginx, sh := judge.Program(t, "nginx"), judge.Program(t, "sh")
	judge.Program(t, "openssl")
	socket := judge.PostgreSQL(t)
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	deploy := filepath.Join(root, "deploy", "cluster")
	text, err := os.ReadFile(filepath.Join(deploy, "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]struct {
			Command     []string          `yaml:"command"`
			Environment map[string]string `yaml:"environment"`
			Entrypoint  []string          `yaml:"entrypoint"`
			Ports       []string          `yaml:"ports"`
			Healthcheck struct {
				Test []string `yaml:"test"`
			} `yaml:"healthcheck"`
		} `yaml:"services"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	secrets, work := t.TempDir(), t.TempDir()
	setup := file.Services["setup"].Entrypoint
	if len(setup) != 4 || setup[1] != "/setup.sh" || setup[2] != "/secrets" || setup[3] != "${FCP_NAME:-localhost}" {
		t.Fatalf("setup is %q", setup)
	}
	for range 2 { // the second run changes nothing
		if out, err := exec.Command(sh, filepath.Join(deploy, "setup.sh"), secrets, "localhost").CombinedOutput(); err != nil {
			t.Fatalf("setup: %v\n%s", err, out)
		}
	}
	for _, name := range []string{"tokens", "host.key", "pgpass"} { // these belong to the containers' user
		if err := os.Chown(filepath.Join(secrets, name), os.Getuid(), -1); err != nil {
			t.Fatal(err)
		}
	}
	local := map[string]string{} // local addresses, by those of the file
	free := func(named string) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		local[named] = l.Addr().String()
		return local[named]
	}
	c := &cluster{t: t, dir: work}
	for _, name := range []string{"a", "b", "c"} {
		free(name + ":8443")
	}
	for _, name := range []string{"a", "b", "c"} {
		service := file.Services[name]
		proxy := store.NewProxy(t, "unix", socket)
		h := &host{at: local[name+":8443"], proxy: proxy, url: strings.Replace(service.Environment["FCP_STORE"], "fcp@store:5432/fcp", "postgres@"+proxy.Addr()+"/postgres", 1)}
		replace := strings.NewReplacer("0.0.0.0:8443", h.at, "https://"+name+":8443", "https://"+h.at, "/secrets/", secrets+"/", "/work", work, "/cache", testwasm.CacheDir(t), "${FCP_NAME:-localhost}", "localhost")
		for _, arg := range service.Command {
			h.args = append(h.args, replace.Replace(arg))
		}
		if !slices.Contains(h.args, "https://"+h.at) || h.url == service.Environment["FCP_STORE"] {
			t.Fatalf("%s is started as %q on %s", name, h.args, h.url)
		}
		c.hosts = append(c.hosts, h)
	}
	for _, h := range c.hosts {
		c.run(h)
	}
	defer func() {
		for _, h := range c.hosts {
			h.cmd.Process.Kill()
			h.cmd.Wait()
		}
	}()
	conf, err := os.ReadFile(filepath.Join(deploy, "nginx.conf"))
	if err != nil {
		t.Fatal(err)
	}
	proxy := free("proxy")
	adapted := strings.NewReplacer("listen 8443 ", "listen "+proxy+" ", "a:8443", local["a:8443"], "b:8443", local["b:8443"], "c:8443", local["c:8443"], "/secrets/", secrets+"/",
		"events {}", "pid "+work+"/nginx.pid; error_log stderr; daemon off; events {}", "http {", "http { access_log off;").Replace(string(conf))
	if err := os.WriteFile(filepath.Join(work, "nginx.conf"), []byte(adapted), 0o600); err != nil {
		t.Fatal(err)
	}
	n := exec.Command(nginx, "-p", work, "-c", filepath.Join(work, "nginx.conf"))
	n.Stderr = t.Output()
	if err := n.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		n.Process.Signal(syscall.SIGTERM)
		n.Wait()
	}()
	pem, err := os.ReadFile(filepath.Join(secrets, "ca.pem"))
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(pem)
	tokens, err := os.ReadFile(filepath.Join(secrets, "tokens"))
	if err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(strings.TrimSpace(string(tokens)), " ")
	_, port, _ := net.SplitHostPort(proxy)
	to := endpoint{"https://localhost:" + port + "/mcp", token, &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}}}

	// The health check that `up --wait` waits for.
	check := file.Services["proxy"].Healthcheck.Test
	if len(check) < 3 || check[0] != "CMD" {
		t.Fatalf("the proxy is checked by %q", check)
	}
	judge.Program(t, check[1])
	for i, arg := range check {
		check[i] = strings.NewReplacer("/secrets/", secrets+"/", "localhost:8443", "localhost:"+port).Replace(arg)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) { // nginx starts
		out, err := exec.Command(check[1], check[2:]...).CombinedOutput()
		if err == nil && strings.Contains(string(out), "ready") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%q: %s %v", check, out, err)
		}
	}
	if check := file.Services["store"].Healthcheck.Test; !slices.Contains(check, "-h") {
		t.Errorf("the store is checked by %q, at its socket", check)
	}

	w := &writer{to: to}
	if err := w.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	add := func(n int) {
		t.Helper()
		for range n {
			w.tried++
			line := fmt.Sprint("op", w.tried)
			for {
				text, failed, err := call(t.Context(), to, "list", map[string]any{"ops": []string{"add " + line}, "document": w.doc})
				if err == nil && !failed {
					break
				}
				t.Logf("add %s: %q %v", line, text, err)
				w.tried++
				w.doubts++
				line = fmt.Sprint("op", w.tried)
			}
			w.acked = append(w.acked, line)
		}
	}
	add(10)
	for _, h := range c.hosts { // whichever host had it
		c.kill(h, 0)
		add(5)
	}
	w.checkSaved(t, fileOf(t, work))
	to.token = strings.Repeat("x", 48)
	if text, _, err := call(t.Context(), to, "list_query", map[string]any{"q": "map", "document": w.doc}); err == nil {
		t.Errorf("without the token: %q", text)
	}
}
