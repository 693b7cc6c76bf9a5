package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aead.dev/minisign"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/registry/remote"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/registry"
)

// startRegistry serves a registry and returns the start of its oci:// references.
func startRegistry(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(&registry.Registry{})
	t.Cleanup(s.Close)
	return "oci://" + strings.TrimPrefix(s.URL, "http://")
}

// A module that another tool pushed in CNCF's layout for Wasm artifacts is added and updated like one that push wrote; a
// component is refused.
func TestPluginsComeAsWasmArtifacts(t *testing.T) {
	addsWasmArtifacts(t, strings.TrimPrefix(startRegistry(t), "oci://"))
}

func addsWasmArtifacts(t *testing.T, at string) {
	t.Helper()
	u := newPerson(t)
	push := func(tag string, wasm []byte) string {
		t.Helper()
		repo, err := remote.NewRepository(at + "/fcp/todo")
		if err != nil {
			t.Fatal(err)
		}
		repo.PlainHTTP = true
		layer := content.NewDescriptorFromBytes("application/wasm", wasm)
		settings := fmt.Appendf(nil, `{"created":"2026-07-28T00:00:00Z","architecture":"wasm","os":"wasip1","layerDigests":[%q]}`, layer.Digest)
		config := content.NewDescriptorFromBytes("application/vnd.wasm.config.v0+json", settings)
		manifest, err := json.Marshal(ocispec.Manifest{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, Config: config, Layers: []ocispec.Descriptor{layer}})
		if err != nil {
			t.Fatal(err)
		}
		for _, blob := range [][]byte{wasm, settings} {
			if err := repo.Blobs().Push(t.Context(), content.NewDescriptorFromBytes("", blob), bytes.NewReader(blob)); err != nil {
				t.Fatal(err)
			}
		}
		desc := content.NewDescriptorFromBytes(ocispec.MediaTypeImageManifest, manifest)
		if err := repo.Manifests().PushReference(t.Context(), desc, bytes.NewReader(manifest), tag); err != nil {
			t.Fatal(err)
		}
		return "oci://" + at + "/fcp/todo:" + tag
	}
	ref := push("latest", u.puts("todo.wasm", "1.0", nil))
	u.does("add --yes "+ref, "source    "+ref, "added todo 1.0")
	u.does("verify", "todo 1.0: as it was added, not signed")
	push("latest", u.puts("todo.wasm", "1.1", nil))
	u.does("update --yes", "todo 1.0 → 1.1")
	u.fails("add --yes --replace "+push("wasip2", []byte("\x00asm\x0d\x00\x01\x00")), "a WebAssembly component")
}

func TestUpdateShowsWhatChangesAndAsksAgain(t *testing.T) {
	u := newPerson(t)
	todo := startRegistry(t) + "/fcp/todo:latest"
	first := u.puts("todo.wasm", "1.0", wantingAPI)
	u.does("push ./todo.wasm "+todo, "pushed todo 1.0", "cosign sign --key cosign.key")
	u.does("add --yes --grant http:api "+todo, "source    "+todo, "added todo 1.0")
	u.does("update", "todo 1.0: nothing newer")
	publish := func(version string, change func(*abi.Manifest)) {
		t.Helper()
		u.puts("todo.wasm", version, change)
		u.does("push ./todo.wasm " + todo)
	}
	publish("1.1", func(m *abi.Manifest) {
		wantingAPI(m)
		m.Wants = append(m.Wants, abi.Want{Kind: abi.WantProgram, Name: "ffmpeg", Reason: "It films."})
		m.Verbs = append(m.Verbs, abi.Verb{Name: "film", Syntax: "film", Max: -1})
	})
	u.fails("update", "todo 1.0 → 1.1", "verbs     new: film", "wants     new: program:ffmpeg", "cannot ask here")
	if !strings.Contains(u.lock(), "1.0") {
		t.Errorf("it was updated without an answer: %s", u.lock())
	}
	u.does("pin todo", "todo 1.0 is pinned")
	u.does("update --yes", "todo 1.0 is pinned; fcp-host plugin pin --off todo lets update change it")
	u.does("pin --off todo")
	out := u.does("update --yes", "GRANTED", "not granted; to grant it: --grant program:ffmpeg", "todo 1.0 is 1.1")
	if strings.Count(out, "GRANTED") != 1 || strings.Contains(u.lock(), `want = "program`) || !strings.Contains(u.lock(), `want = "http:api"`) {
		t.Errorf("grants: %s%s", out, u.lock())
	}
	u.does("info todo", "before    1.0", "--rollback todo")
	// A want whose meaning changes must be granted again, even if its name is the same.
	publish("1.2", func(m *abi.Manifest) {
		m.Wants = []abi.Want{api}
		m.Wants[0].Base = "https://elsewhere.invalid"
	})
	u.does("update --yes todo", "http:api was granted, but the want has changed: grant it again", "verbs     gone: film", "wants     gone: program:ffmpeg")
	if strings.Contains(u.lock(), "grant") {
		t.Errorf("it is still granted: %s", u.lock())
	}
	// An older version needs a confirmation.
	put(t, u.dir, "todo.wasm", string(first))
	u.does("push ./todo.wasm " + todo)
	u.fails("update --yes", "its source now has todo 1.0, which is older than todo 1.2; --yes refuses that")
	u.does("update --rollback --yes todo", "todo 1.2 → 1.1", "OLDER", "todo 1.2 is 1.1")
	u.does("list", "todo  1.1", "pinned")
	u.does("update", "is pinned")
	u.does("update --rollback --yes todo", "todo 1.1 is 1.2") // and back again
	if len(u.modules()) != 2 {
		t.Errorf("the modules are %q", u.modules())
	}
	// A module of another domain at the same place is not an update.
	publish("1.3", ofDomain("diary"))
	u.does("pin --off todo")
	u.fails("update --yes", "now has the domain diary; use fcp-host plugin add to add it as another plugin")
	u.does("verify", "todo 1.2: as it was added")
	u.fails("add --yes "+todo[:strings.LastIndex(todo, ":")], "names no version")
	u.fails("add --yes "+strings.Replace(todo, "latest", "none", 1), "the registry has no such artifact")
}

func TestAURLNeedsAHash(t *testing.T) {
	u := newPerson(t)
	wasm := u.puts("todo.wasm", "1.0", nil)
	s := httptest.NewServer(http.FileServer(http.Dir(u.dir)))
	defer s.Close()
	hash := "#sha256=" + string(sum(wasm))
	u.fails("add "+s.URL+"/todo.wasm", "The address has no hash: compare the sha256", "cannot ask here")
	u.fails("add --yes "+s.URL+"/todo.wasm", "--yes refuses an unsigned file without a hash: append #sha256=… to the address")
	u.fails("add --yes "+s.URL+"/todo.wasm#sha256="+strings.Repeat("0", 64), "it is another module")
	u.does("add --yes "+s.URL+"/todo.wasm"+hash, "added todo 1.0")
	u.does("update --yes", "its source has a fixed hash")
	u.fails("add --yes http://192.0.2.1/todo.wasm"+hash, "http://192.0.2.1 is not encrypted")
}

func TestAnUpdateMustBeSignedByTheSameSigner(t *testing.T) {
	u := newPerson(t)
	alice, aliceSigns := minisigner(t)
	bob, bobSigns := minisigner(t)
	sign := func(by func([]byte) []byte) func(version string) {
		return func(version string) {
			t.Helper()
			put(t, u.dir, "todo.wasm.minisig", string(by(u.puts("todo.wasm", version, nil))))
		}
	}
	sign(aliceSigns)("1.0")
	u.fails("add ./todo.wasm", "signed    not checked: there is a signature of minisign key", "and no such key in trusted-keys or --key")
	u.fails("add --yes --key "+bob+" ./todo.wasm", "it is not signed by minisign key", "but by minisign key")
	put(t, u.dir, "alice.pub", "untrusted comment: alice\n"+alice+"\n")
	u.does("add --yes --key ./alice.pub ./todo.wasm", "signed    by minisign key")
	u.does("verify", "as it was added, signed by minisign key")
	u.puts("todo.wasm", "1.1", nil)
	u.fails("update --yes", "its signature by minisign key", "does not match this module")
	os.Remove(filepath.Join(u.dir, "todo.wasm.minisig"))
	u.fails("update --yes", "it is not signed, but must be signed by minisign key")
	sign(bobSigns)("1.1")
	u.fails("update --yes", "it is not signed by minisign key", "but by minisign key")
	u.configures("[trusted-keys]\nalice = \"" + alice + "\"\nbob = \"" + bob + "\"\n")
	u.does("update --yes", "signed    by bob (minisign key", "BEFORE by alice (minisign key")
	u.does("update --rollback --yes todo", "signed    by alice")
	u.does("list", "signed by alice (minisign key", "pinned")
	// With the policy that requires signatures, only signed plugins are added.
	u.puts("diary.wasm", "1.0", ofDomain("diary"))
	u.does("add --yes ./diary.wasm", "signed    no")
	policy := "require-signature = true\n[trusted-keys]\n"
	u.configures(policy + "alice = \"" + filepath.Join(u.dir, "alice.pub") + "\"\n")
	u.does("remove diary")
	u.fails("add --yes ./diary.wasm", "require-signature is set, but no key in trusted-keys signed it")
	u.configures("")
	u.does("add --yes ./diary.wasm")
	u.configures(policy + "alice = \"" + alice + "\"\n")
	served := func() string {
		out, _ := u.runs("doctor", "--no-builtin")
		_, plugins, _ := strings.Cut(out, "\nplugins\n")
		return plugins
	}
	if got := served(); !strings.Contains(got, "todo 1.0") || !strings.Contains(got, "added:diary: require-signature is set, and it had no signature by a known key when it was added") {
		t.Errorf("with alice trusted: %s", got)
	}
	u.fails("verify", "! diary 1.0: require-signature is set")
	u.configures(policy + "bob = \"" + bob + "\"\n")
	if got := served(); !strings.Contains(got, "added:todo: require-signature is set, but the minisign key") || strings.Contains(got, "  todo") {
		t.Errorf("with bob trusted: %s", got)
	}
	// A signature that was changed, or added to the lock file by hand, is rejected.
	u.configures(policy + "alice = \"" + alice + "\"\n")
	sigs, err := filepath.Glob(filepath.Join(os.Getenv("XDG_DATA_HOME"), "fcp-host", "added", "*.signature.json"))
	if err != nil || len(sigs) == 0 {
		t.Fatal(sigs, err)
	}
	for _, sig := range sigs {
		put(t, filepath.Dir(sig), filepath.Base(sig), "{}")
	}
	if got := served(); !strings.Contains(got, "added:todo: require-signature is set, and its signature is not by alice (minisign key") {
		t.Errorf("without its signature: %s", got)
	}
	u.fails("verify todo", "! todo 1.0: its signature is not by alice (minisign key")
	for text, says := range map[string]string{
		"[trusted-keys]\nalice = \"none\"\n":   "trusted-keys: alice: \"none\" is neither a minisign or cosign public key nor a file",
		"[trusted-keys]\nalice = \"./none\"\n": "trusted-keys: alice: ",
		"[trusted-keys]\nalice = 3\n":          "trusted-keys",
	} {
		u.configures(text)
		u.says(exitUsage, "list", says)
	}
}

// minisigner makes a key pair and returns the public key and a function that signs.
func minisigner(t *testing.T) (public string, sign func([]byte) []byte) {
	t.Helper()
	k, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return k.String(), func(m []byte) []byte { return minisign.Sign(private, m) }
}

func TestAVersionIsOlderUnlessItIsKnownNotToBe(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"1.0", "1.1", true}, {"1.1", "1.0", false}, {"1.10", "1.9", false}, {"v1.0.0", "1.0.0", false}, {"1.0+x", "1.0", false},
		{"", "1.0.0", true}, {"latest", "1.0.0", true}, {"1.x", "1.0", true}, {"", "", false}, {"1.0", "", false}, {"b", "a", false},
		{"1.0-rc.1", "1.0", true}, {"1.0", "1.0-rc.1", false}, {"1.0-rc.1", "1.0-rc.2", true}, {"1.1-rc.1", "1.0", false}, {"1.0-rc.1", "1.0-rc.1", false},
	} {
		if older(tt.a, tt.b) != tt.want {
			t.Errorf("%q before %q: want %v", tt.a, tt.b, tt.want)
		}
	}
}
