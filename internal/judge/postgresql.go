//go:build unix

package judge

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// PostgreSQL runs a new PostgreSQL server until the test ends, and returns the path of its socket. Its superuser
// postgres needs no password. The test is skipped if PostgreSQL is missing, or if there is no user to run it: it
// refuses to run as root.
func PostgreSQL(t testing.TB) (socket string) {
	t.Helper()
	initdb, server := postgres(t, "initdb"), postgres(t, "postgres")
	as := unprivileged(t, "postgres")
	dir, err := os.MkdirTemp("", "fcp-pg") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if as != nil {
		if err := os.Chown(dir, int(as.Credential.Uid), int(as.Credential.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	data := filepath.Join(dir, "data")
	init := exec.Command(initdb, "-D", data, "-U", "postgres", "-A", "trust", "--no-locale", "-E", "UTF8", "-N")
	init.Dir, init.SysProcAttr = dir, as
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	cmd := exec.Command(server, "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "max_connections=200")
	cmd.Dir, cmd.SysProcAttr, cmd.Stderr = dir, as, t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt) // a fast shutdown, which does not wait for clients
		cmd.Wait()
	})
	socket = filepath.Join(dir, ".s.PGSQL.5432")
	ready := postgres(t, "pg_isready")
	for end := time.Now().Add(time.Minute); exec.Command(ready, "-q", "-h", dir, "-U", "postgres").Run() != nil; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("PostgreSQL does not accept connections")
		}
	}
	return socket
}

// postgres finds a program of PostgreSQL, which Debian does not put on the PATH.
func postgres(t testing.TB, name string) string {
	t.Helper()
	list, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(list) > 0 {
		return list[len(list)-1]
	}
	return Program(t, name)
}

// unprivileged returns the user to run programs that refuse to run as root; nil if this user is not root.
func unprivileged(t testing.TB, name string) *syscall.SysProcAttr {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup(name)
	if err != nil {
		t.Skipf("there is no user %s, and root may not run it", name)
	}
	uid, _ := strconv.ParseUint(u.Uid, 10, 32)
	gid, _ := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}
