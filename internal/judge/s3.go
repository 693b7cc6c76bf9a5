package judge

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
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
	server, dir := built(t, "versitygw"), t.TempDir()
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	address = free(t)
	cmd := exec.Command(server, "--access", S3User, "--secret", S3Secret, "--port", address, "--quiet", "posix", data)
	cmd.Dir = dir
	serves(t, address, cmd)
	return address
}
