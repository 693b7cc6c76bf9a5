package judge

import (
	"net"
	"os/exec"
	"path/filepath"
	"testing"
)

// NATS runs a new NATS server with JetStream until the test ends, and returns its address. make judges builds the
// server.
func NATS(t testing.TB) (address string) {
	t.Helper()
	server, dir := builtProgram(t, "nats-server"), t.TempDir()
	address = freeAddress(t)
	host, port, _ := net.SplitHostPort(address)
	startServer(t, address, exec.Command(server, "-a", host, "-p", port, "-js", "-sd", filepath.Join(dir, "data")))
	return address
}
