package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
)

const crane = "github.com/google/go-containerregistry/cmd/crane@v0.21.3"

func TestJudgeReleaseImageIsPushedPulledAndRuns(t *testing.T) {
	r := builtRelease(t)
	addr := ociRegistry(t)
	dir := filepath.Join(t.TempDir(), "lay out")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	must(t, dir, nil, "tar", "-xf", r.file("fcp-host_"+releaseVersion+"_image.tar"))
	env := append(cleanEnv(), "GOFLAGS=-trimpath", "HOME="+os.Getenv("HOME"))
	do := func(args ...string) string {
		t.Helper()
		return must(t, t.TempDir(), env, append([]string{"go", "run", crane, "--insecure"}, args...)...)
	}
	image := addr + "/fcp-host:" + releaseVersion
	do("push", dir, image)
	do("validate", "--remote", image)
	for _, arch := range []string{"amd64", "arm64"} {
		var c imageConfig
		if err := json.Unmarshal([]byte(do("config", "--platform", "linux/"+arch, image)), &c); err != nil {
			t.Fatal(err)
		}
		if c.Architecture != arch || c.Config.User != "65532:65532" || c.Config.Labels["org.opencontainers.image.revision"] != r.commit {
			t.Errorf("the image for %s is %+v", arch, c)
		}
	}
	root := t.TempDir()
	do("export", "--platform", "linux/amd64", image, filepath.Join(root, "..", "root.tar"))
	must(t, root, nil, "tar", "-xpf", "../root.tar")
	// The image contains only the program and its licences.
	var names []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(root, path)
			names = append(names, rel)
		}
		return err
	})
	if err != nil || !slices.Equal(names, []string{"usr/local/bin/fcp-host", "usr/share/doc/fcp-host/LICENSE", "usr/share/doc/fcp-host/THIRD_PARTY_NOTICES"}) {
		t.Errorf("it holds %q, %v", names, err)
	}
	inImage(t, r, root, "65532:65532")
	inImage(t, r, root, "1000:1000") // as with docker run --user and the user's folder at /work
}

// ociRegistry starts Debian's registry on the loopback, empty.
func ociRegistry(t *testing.T) (addr string) {
	t.Helper()
	program := judge.Program(t, "docker-registry")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr = l.Addr().String()
	l.Close()
	config := filepath.Join(t.TempDir(), "config.yml")
	text := fmt.Sprintf("version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: %q}}\nhttp: {addr: %q}\n", t.TempDir(), addr)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "serve", config)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	t.Cleanup(func() { cmd.Process.Kill(); <-ended })
	for {
		res, err := http.Get("http://" + addr + "/v2/")
		if err == nil {
			res.Body.Close()
			return addr
		}
		select {
		case <-ended:
			t.Fatalf("the registry ended: %s", &out)
		default:
		}
	}
}

// inImage runs the program as a user in the root of an image, which is all it can see.
func inImage(t *testing.T, r *release, root, user string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root changes the root of a process")
	}
	unshare := judge.Program(t, "unshare")
	// Container engines provide these.
	for _, dir := range []string{"proc", "dev"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	work := filepath.Join(root, "work")
	var uid, gid int
	if _, err := fmt.Sscanf(user, "%d:%d", &uid, &gid); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chown(work, uid, gid), os.RemoveAll(filepath.Join(work, "first.mid"))); err != nil {
		t.Fatal(err)
	}
	start := []string{unshare, "--mount", "--pid", "--fork", "--net", "sh", "-c",
		`mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && root=$1 user=$2 && shift 2 && exec chroot --userspec="$user" "$root" "$@"`, "sh", root, user, "/usr/local/bin/fcp-host"}
	env := []string{"HOME=/home/fcp", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}
	if out, err := exec.Command(unshare, "--mount", "--pid", "--fork", "--net", "true").CombinedOutput(); err != nil {
		t.Skipf("no namespaces here: %v %s", err, out)
	}
	checkProgram(t, r, must(t, root, env, append(start, "version", "--json")...))
	checkEditing(t, root, work, env, append(start, "--root", "/work")...)
	if info, err := os.Stat(filepath.Join(work, "first.mid")); err != nil || info.Sys() == nil {
		t.Errorf("%v %v", info, err)
	}
}
