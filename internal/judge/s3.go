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

// What S3's programs know the user of the server by.
const (
	S3User   = "judge"
	S3Secret = "a-secret-that-nobody-is-told"
)

// S3 runs a new server of the S3 API until the test ends, the Versity gateway on a temporary folder, and returns its address, which has
// no TLS. The server is the one that make judges builds; it keeps what it knows of a file in the file's attributes, since beside it (its
// --sidecar) a reader may see the bytes of one version with the ETag of another.
func S3(t testing.TB) (address string) {
	t.Helper()
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	server := filepath.Join(root, "bin", "judges", "versitygw")
	if _, err := os.Stat(server); err != nil {
		server = Program(t, "versitygw")
	}
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = l.Addr().String()
	l.Close()
	cmd := exec.Command(server, "--access", S3User, "--secret", S3Secret, "--port", address, "--quiet", "posix", data)
	cmd.Dir, cmd.Stderr = dir, t.Output()
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
			t.Fatalf("the gateway does not start: %v", err)
		}
	}
}
