package command

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// dockerRegistry starts Debian's docker-registry and returns its address.
func dockerRegistry(t *testing.T, more string) string {
	t.Helper()
	program, dir := judge.Program(t, "docker-registry"), t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	l.Close()
	put(t, dir, "config.yml", fmt.Sprintf("version: 0.1\nlog: {level: info, formatter: json}\nstorage: {filesystem: {rootdirectory: %q}}\nhttp: {addr: %q}\n%s", filepath.Join(dir, "data"), at, more))
	cmd := exec.Command(program, "serve", filepath.Join(dir, "config.yml"))
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	seen, b := "", make([]byte, 4096)
	for !strings.Contains(seen, "listening on") {
		n, err := log.Read(b)
		if seen += string(b[:n]); err != nil {
			t.Fatalf("the registry ended: %s", seen)
		}
	}
	go func() {
		for err == nil {
			_, err = log.Read(b)
		}
	}()
	return at
}

// cosign returns the path of a cosign binary: the installed one, or one built from its module.
func cosign(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("cosign"); err == nil {
		return path
	}
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "bin", "judges", "cosign")
	if _, err := os.Stat(path); err != nil {
		t.Skip("not installed (make bin/judges/cosign builds it): cosign")
	}
	return path
}

func must(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "COSIGN_PASSWORD=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(program), strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestJudgePluginsComeAsWasmArtifactsFromARealRegistry(t *testing.T) {
	addsWasmArtifacts(t, dockerRegistry(t, ""))
}

// A real registry stores what is pushed, accepts the credentials of Docker's configuration, and shows the same as oras
// would.
func TestJudgePluginsComeFromARealRegistry(t *testing.T) {
	list := testwasm.List(t)
	u := newPerson(t)
	at := dockerRegistry(t, "")
	ref := "oci://" + at + "/fcp/list:1.0"
	out := u.does("push "+list+" "+ref, "pushed list 1.0.0")
	digest := out[strings.Index(out, "@sha256:"):][:72]
	u.does("add --yes "+ref, "added list 1.0.0")
	u.does("update", "nothing newer")
	u.does("remove list")
	u.does("add --yes oci://"+at+"/fcp/list"+digest, "added list 1.0.0")
	u.does("update", "its source has a fixed hash")
	put(t, u.dir, "script", ":new \"T\"\nadd one\n?map\n")
	if out, code := u.runs("exec", "--no-builtin", "script"); code != exitOK || !strings.Contains(out, "#list T\none") {
		t.Errorf("exec: %s", out)
	}

	put(t, u.dir, "htpasswd", "me:$2b$04$GmNsJ8u2qwyfU/gh47jIoOhKLV20S0BEFOB2qMUO..rL.0DUdCgVO\n") // bcrypt of "secret"
	closed := dockerRegistry(t, fmt.Sprintf("auth: {htpasswd: {realm: test, path: %q}}\n", filepath.Join(u.dir, "htpasswd")))
	u.fails("push "+list+" oci://"+closed+"/list:1", closed)
	put(t, os.Getenv("DOCKER_CONFIG"), "config.json", fmt.Sprintf(`{"auths":{%q:{"username":"me","password":"secret"}}}`, closed))
	u.does("push "+list+" oci://"+closed+"/list:1", "pushed list")
	u.does("add --yes --replace oci://"+closed+"/list:1", "added list")
}

func TestJudgePluginsSignedByMinisign(t *testing.T) {
	minisign := judge.Program(t, "minisign")
	u := newPerson(t)
	must(t, u.dir, minisign, "-G", "-W", "-p", "alice.pub", "-s", "alice.key")
	for _, legacy := range []string{"", "-l"} {
		u.puts("todo.wasm", "1.0", nil)
		must(t, u.dir, minisign, strings.Fields("-S "+legacy+" -s alice.key -m todo.wasm")...)
		u.does("add --yes --replace --key alice.pub ./todo.wasm", "signed    by minisign key")
		u.does("verify", "signed by minisign key")
		u.puts("todo.wasm", "1.1", nil)
		u.fails("add --yes --replace --key alice.pub ./todo.wasm", "does not match this module")
		u.does("remove todo")
	}
	// In a registry the signature is an annotation.
	u.puts("todo.wasm", "1.0", nil)
	must(t, u.dir, minisign, "-S", "-s", "alice.key", "-m", "todo.wasm")
	ref := startRegistry(t) + "/todo:1"
	u.does("push ./todo.wasm "+ref, "with ./todo.wasm.minisig")
	u.does("add --yes --key alice.pub "+ref, "signed    by minisign key")
}

// Current versions of cosign write bundles, older ones tags. Signatures of either with a trusted key are accepted, those
// with another key are not.
func TestJudgePluginsSignedByCosign(t *testing.T) {
	cosign := cosign(t)
	u := newPerson(t)
	at := dockerRegistry(t, "")
	must(t, u.dir, cosign, "generate-key-pair")
	must(t, u.dir, cosign, "generate-key-pair", "--output-key-prefix", "bob")
	for i, format := range []string{"--new-bundle-format=false", "--new-bundle-format=true"} {
		u.puts("todo.wasm", fmt.Sprintf("1.%d", i), nil) // a module with another digest
		ref := fmt.Sprintf("%s/fcp/todo:1.%d", at, i)
		out := u.does("push ./todo.wasm oci://" + ref)
		digest := out[strings.Index(out, "@sha256:"):][:72]
		u.fails("add --yes --key cosign.pub oci://"+ref, "it is not signed, but must be signed by cosign key")
		must(t, u.dir, cosign, "sign", "--key", "cosign.key", "--yes", "--tlog-upload=false", "--use-signing-config=false", "--allow-insecure-registry", format, at+"/fcp/todo"+digest)
		u.fails("add --yes --key bob.pub oci://"+ref, "it is not signed by cosign key")
		u.does("add --yes --key cosign.pub oci://"+ref, "signed    by cosign key")
		u.does("verify", "signed by cosign key")
		u.does("remove todo")

		must(t, u.dir, cosign, "sign-blob", "--key", "cosign.key", "--yes", "--tlog-upload=false", "--use-signing-config=false", format,
			[]string{"--output-signature=todo.wasm.sig", "--bundle=todo.wasm.sigstore.json"}[i], "todo.wasm")
		u.does("add --yes --key cosign.pub ./todo.wasm", "signed    by cosign key")
		u.does("remove todo")
		u.fails("add --yes --key bob.pub ./todo.wasm", "it is not signed by cosign key")
		u.puts("todo.wasm", "2.0", nil)
		u.fails("add --yes --key cosign.pub ./todo.wasm", "it is not signed by cosign key")
		os.Remove(filepath.Join(u.dir, "todo.wasm.sig"))
		os.Remove(filepath.Join(u.dir, "todo.wasm.sigstore.json"))
	}
}
