package judge

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// NATS runs a new NATS server with JetStream until the test ends, and returns its address. The server is the one that make judges builds.
func NATS(t testing.TB) (address string) {
	t.Helper()
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	server := filepath.Join(root, "bin", "judges", "nats-server")
	if _, err := os.Stat(server); err != nil {
		server = Program(t, "nats-server")
	}
	dir := t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = l.Addr().String()
	l.Close()
	host, port, _ := net.SplitHostPort(address)
	cmd := exec.Command(server, "-a", host, "-p", port, "-js", "-sd", filepath.Join(dir, "data"))
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
			return address
		}
		if time.Now().After(end) {
			t.Fatalf("NATS does not start: %v", err)
		}
	}
}
