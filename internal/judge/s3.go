package judge

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Credentials of the server's user.
const (
	S3User   = "judge"
	S3Secret = "a-secret-that-nobody-is-told"
)

// S3 runs a new S3 server until the test ends, the Versity gateway on a temporary folder, and returns its address,
// which has no TLS. make judges builds the server. The server stores metadata in extended attributes, because with
// --sidecar a reader may see the bytes of one version with the ETag of another.
func S3(t testing.TB) (address string) {
	t.Helper()
	server, dir := builtProgram(t, "versitygw"), t.TempDir()
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	address = freeAddress(t)
	cmd := exec.Command(server, "--access", S3User, "--secret", S3Secret, "--port", address, "--quiet", "posix", data)
	cmd.Dir = dir
	startServer(t, address, cmd)
	return address
}
