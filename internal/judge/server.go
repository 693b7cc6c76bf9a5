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

// builtProgram returns a program that make judges builds, or that the system has.
func builtProgram(t testing.TB, name string) string {
	t.Helper()
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "bin", "judges", name)
	if _, err := os.Stat(file); err != nil {
		return Program(t, name)
	}
	return file
}

// freeAddress returns an unused address on the loopback interface.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// startServer starts a server, which runs until the test ends, and returns when it accepts connections.
func startServer(t testing.TB, address string, cmd *exec.Cmd) {
	t.Helper()
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
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not start: %v", filepath.Base(cmd.Path), err)
		}
	}
}
