package source

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"aead.dev/minisign"

	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/signature"
	"github.com/fcp-host/fcp-host/internal/registry"
)

var ctx = context.Background()

var module = []byte("\x00asm, so to say")

// world answers for all hosts, by their names.
type world map[string]http.Handler

// RoundTrip implements http.RoundTripper.
func (w world) RoundTrip(req *http.Request) (*http.Response, error) {
	h := w[req.URL.Scheme+"://"+req.URL.Host]
	if h == nil {
		return nil, fmt.Errorf("no such host %s", req.URL)
	}
	res := httptest.NewRecorder()
	h.ServeHTTP(res, req)
	out := res.Result()
	out.Request = req
	return out, nil
}

func serves(data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		if !strings.HasSuffix(req.URL.Path, ".wasm") {
			http.NotFound(w, req)
			return
		}
		w.Write(data)
	}
}

func leads(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		http.Redirect(w, req, to+req.URL.Path, http.StatusFound)
	}
}

func TestAnAddressGivesTheModuleItNames(t *testing.T) {
	right, wrong := fmt.Sprintf("#sha256=%x", sha256.Sum256(module)), fmt.Sprintf("#sha256=%x", sha256.Sum256(nil))
	endless := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range plugin.MaxFile>>20 + 1 {
			w.Write(make([]byte, 1<<20))
		}
	})
	boast := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "99999999999") })
	w := world{"https://a.example": serves(module), "http://a.example": serves(module), "http://127.0.0.1:1": serves(module), "https://b.example": leads("https://a.example"),
		"https://c.example": leads("http://a.example"), "https://d.example": leads("http://127.0.0.1:1"), "https://e.example": leads("https://e.example"),
		"https://f.example": endless, "https://g.example": boast, "http://localhost:1": leads("http://127.0.0.1:1"), "http://localhost:2": leads("http://a.example"),
		"https://h.example": leads("ftp://a.example")}
	for _, tt := range []struct {
		ref     string
		plain   bool
		err     string
		checked bool
		notes   string
	}{
		{ref: "https://a.example/x.wasm" + right, checked: true},
		{ref: "https://a.example/x.wasm"},
		{ref: "https://a.example/x.wasm" + wrong, err: "it is another module"},
		{ref: "https://a.example/x.wasm#sha256=12", err: "64 hexadecimal digits"},
		{ref: "https://a.example/x.wasm#md5=12", err: "64 hexadecimal digits"},
		{ref: "https://a.example/none", err: "a.example answered 404"},
		{ref: "https://me:secret@a.example/x.wasm", err: "leave it out"},
		{ref: "https://b.example/x.wasm", notes: "the address led to another host, a.example"},
		{ref: "https://c.example/x.wasm" + right, err: "http://a.example is not encrypted"},
		{ref: "https://d.example/x.wasm" + right, err: "http://127.0.0.1:1 is not encrypted"},
		{ref: "https://e.example/x.wasm", err: "too many redirects"},
		{ref: "https://f.example/x.wasm", err: "it is larger than 32 MiB"},
		{ref: "https://g.example/x.wasm", err: "it is larger than 32 MiB"},
		{ref: "https://h.example/x.wasm", err: "ftp://a.example is not encrypted"},
		{ref: "http://a.example/x.wasm" + right, err: "http://a.example is not encrypted"},
		{ref: "http://a.example/x.wasm" + right, plain: true, checked: true},
		{ref: "http://127.0.0.1:1/x.wasm"},
		{ref: "http://localhost:1/x.wasm", notes: "the address led to another host, 127.0.0.1"},
		{ref: "http://localhost:2/x.wasm", err: "http://a.example is not encrypted"},
		{ref: "https:///x.wasm", err: "is not a URL"},
		{ref: "https://[::1/x.wasm", err: "is not a URL"},
		{ref: "ftp://a.example/x.wasm", err: "is not a source"},
		{ref: "file:///etc/passwd", err: "is not a source"},
	} {
		m, err := Fetch(ctx, tt.ref, Options{PlainHTTP: tt.plain, Transport: w})
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %v, want %s", tt.ref, err, tt.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.ref, err)
		} else if m.Source != tt.ref || !bytes.Equal(m.Wasm, module) || m.Checked != tt.checked || strings.Join(m.Notes, "|") != tt.notes || len(m.Signatures) > 0 {
			t.Errorf("%s: %+v", tt.ref, m)
		}
	}
}

func TestSignaturesLieBesideAFileAndAnAddress(t *testing.T) {
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	k, err := signature.ParseKey([]byte(public.String()))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string]string{"x.wasm": string(module), "x.wasm.minisig": string(minisign.Sign(private, module)), "x.wasm.sig": "no base64!", "y.wasm": string(module), "y.wasm.minisig": strings.Repeat("x", signature.MaxFile+1)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "y.wasm.sig"), 0o700); err != nil {
		t.Fatal(err)
	}
	files := http.FileServer(http.Dir(dir))
	page := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.RawQuery != "v=1" {
			t.Errorf("%s is asked for without what was behind the address", req.URL)
		}
		if strings.HasSuffix(req.URL.Path, ".wasm") || strings.HasSuffix(req.URL.Path, ".minisig") {
			files.ServeHTTP(w, req)
			return
		}
		fmt.Fprint(w, "<!doctype html>not here, and this server says so with 200")
	})
	for _, tt := range []struct {
		ref   string
		notes string
		not   bool
	}{
		{ref: "x.wasm", notes: "x.wasm.sig does not count: it is not a cosign signature"},
		{ref: filepath.Join(dir, "x.wasm"), notes: "x.wasm.sig does not count: it is not a cosign signature"},
		{ref: "https://a.example/x.wasm", notes: "x.wasm.sig does not count: it is not a cosign signature"},
		{ref: "https://b.example/x.wasm?v=1"},
		{ref: "y.wasm", notes: "y.wasm.minisig does not count: it is not a regular file of at most 256 KiB|y.wasm.sig does not count: it is not a regular file of at most 256 KiB", not: true},
	} {
		m, err := Fetch(ctx, tt.ref, Options{Dir: dir, Transport: world{"https://a.example": files, "https://b.example": page}})
		if err != nil {
			t.Errorf("%s: %v", tt.ref, err)
			continue
		}
		by, _, ok := signature.Verify(m.Wasm, m.Signatures, []signature.Key{k})
		if ok == tt.not || ok && !by.Same(k) || strings.Join(m.Notes, "|") != tt.notes {
			t.Errorf("%s: signed %v by %v, notes %q", tt.ref, ok, by, m.Notes)
		}
	}
	if _, err := Fetch(ctx, dir, Options{}); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Error(err)
	}
}

// shop is a registry under test.
type shop struct {
	*registry.Registry
	t *testing.T
	o Options
}

func newShop(t *testing.T, r *registry.Registry) shop {
	t.Helper()
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	return shop{r, t, Options{Transport: world{"https://r.example": r, "http://localhost:5000": r, "http://[::1]:5000": r}}}
}

// manifestFor returns the OCI manifest of a module, with annotations.
func manifestFor(layer string, size int, more string) []byte {
	return fmt.Appendf(nil, `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":%q,
"config":{"mediaType":"application/vnd.oci.empty.v1+json","digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","size":2},
"layers":[{"mediaType":"application/wasm","digest":%q,"size":%d,"annotations":{"org.opencontainers.image.title":"../../../etc/passwd"}}]%s}`, signature.ArtifactType, layer, size, more)
}

const imageManifest = "application/vnd.oci.image.manifest.v1+json"

func TestWhatIsPushedIsWhatIsFetched(t *testing.T) {
	for _, where := range []string{"r.example/fcp/thing", "localhost:5000/thing", "[::1]:5000/thing"} {
		s := newShop(t, &registry.Registry{})
		notes := map[string]string{"org.opencontainers.image.version": "1.0"}
		digest, err := Push(ctx, "oci://"+where+":1.0", module, notes, s.o)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Push(ctx, "oci://"+where+":2.0", module, notes, s.o); err != nil || again != digest {
			t.Errorf("pushed again it is %s (%v), not %s", again, err, digest)
		}
		for ref, checked := range map[string]bool{":1.0": false, ":2.0": false, "@" + digest: true} {
			m, err := Fetch(ctx, "oci://"+where+ref, s.o)
			if err != nil || !bytes.Equal(m.Wasm, module) || m.Manifest != digest || m.Checked != checked || m.Source != "oci://"+where+ref || len(m.Notes) > 0 {
				t.Errorf("%s%s: %+v %v", where, ref, m, err)
			}
		}
		if _, err := Push(ctx, "oci://"+where+"@"+digest, module, nil, s.o); err == nil {
			t.Error("a digest is pushed to")
		}
	}
}

func TestARegistryThatLiesIsRefused(t *testing.T) {
	s := newShop(t, &registry.Registry{})
	good := s.Put(module)
	s.Manifest("thing", "shorter", imageManifest, manifestFor(good, len(module)-1, ""))
	s.Manifest("thing", "longer", imageManifest, manifestFor(good, len(module)+1, ""))
	s.Manifest("thing", "huge", imageManifest, manifestFor(good, 1<<40, ""))
	s.Manifest("thing", "none", imageManifest, manifestFor(registry.Digest([]byte("nothing")), 7, ""))
	s.Manifest("thing", "junk", imageManifest, []byte("junk"))
	s.Manifest("thing", "bomb", imageManifest, append(manifestFor(good, len(module), ""), bytes.Repeat([]byte(" "), maxManifest)...))
	s.Manifest("thing", "index", "application/vnd.oci.image.index.v1+json", []byte(`{"schemaVersion":2,"manifests":[]}`))
	s.Manifest("thing", "right", imageManifest, manifestFor(good, len(module), ""))
	right := registry.Digest(manifestFor(good, len(module), ""))
	// liar sends another manifest, or other bytes, than the digest says.
	liar := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", imageManifest)
		data := manifestFor(good, len(module), "")
		if strings.Contains(req.URL.Path, "/blobs/") {
			data = bytes.ToUpper(module)
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		w.Write(data)
	})
	s.o.Transport.(world)["https://liar.example"] = liar
	s.o.Transport.(world)["https://away.example"] = leads("http://r.example")
	s.o.Transport.(world)["https://cdn.example"] = leads("https://r.example")
	s.o.Transport.(world)["https://rude.example"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `{"errors":[{"code":"DENIED","message":"go\u001b[2J\n%s"}]}`, strings.Repeat("away ", 1000))
	})
	for ref, want := range map[string]string{
		"rude.example/thing:1":       `go\u001b[2J\u000aaway`,
		"r.example/thing:shorter":    "its module: ",
		"r.example/thing:longer":     "its module: ",
		"r.example/thing:huge":       "it is larger than 32 MiB",
		"r.example/thing:none":       "its module: ",
		"r.example/thing:junk":       "not the JSON of an OCI manifest",
		"r.example/thing:bomb":       "its manifest: ",
		"r.example/thing:index":      "an index of several artifacts",
		"r.example/thing:missing":    "the registry has no such artifact",
		"r.example/thing":            "names no version",
		"r.example":                  "is not an artifact in a registry",
		"../../etc/passwd":           "is not an artifact in a registry",
		"r.example/Thing:1":          "is not an artifact in a registry",
		"liar.example/thing:1":       "its module: ",
		"liar.example/thing@" + good: "its manifest: ",
		"away.example/thing:right":   "http://r.example is not encrypted",
		"cdn.example/thing:right":    "",
		"r.example/thing@" + right:   "",
	} {
		m, err := Fetch(ctx, "oci://"+ref, s.o)
		if want == "" {
			if err != nil || !bytes.Equal(m.Wasm, module) {
				t.Errorf("%s: %v", ref, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 600 || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%s: %v, want %q", ref, err, want)
		}
	}
}

func TestCredentialsAreThoseOfDocker(t *testing.T) {
	s := newShop(t, &registry.Registry{User: "me", Password: "secret"})
	if _, err := Push(ctx, "oci://r.example/thing:1", module, nil, s.o); err == nil || !strings.Contains(err.Error(), "401") && !strings.Contains(err.Error(), "credential") {
		t.Errorf("without credentials: %v", err)
	}
	config := fmt.Sprintf(`{"auths":{"r.example":{"auth":%q}}}`, base64.StdEncoding.EncodeToString([]byte("me:secret")))
	if err := os.WriteFile(filepath.Join(os.Getenv("DOCKER_CONFIG"), "config.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Push(ctx, "oci://r.example/thing:1", module, nil, s.o); err != nil {
		t.Fatal(err)
	}
	if m, err := Fetch(ctx, "oci://r.example/thing:1", s.o); err != nil || len(m.Notes) > 0 {
		t.Errorf("%+v %v", m, err)
	}
	if err := os.WriteFile(filepath.Join(os.Getenv("DOCKER_CONFIG"), "config.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Fetch(ctx, "oci://r.example/thing:1", s.o); err == nil || !strings.Contains(err.Error(), "Docker's configuration") {
		t.Errorf("with a damaged file: %v", err)
	}
}

// Each kind of signature of an artifact in a registry is found, and anything that is not a signature is reported.
func TestSignaturesOfARegistryAreFound(t *testing.T) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(private.Public())
	if err != nil {
		t.Fatal(err)
	}
	cosign, err := signature.ParseKey(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	if err != nil {
		t.Fatal(err)
	}
	sign := func(message []byte) string {
		sum := sha256.Sum256(message)
		sig, err := ecdsa.SignASN1(rand.Reader, private, sum[:])
		if err != nil {
			t.Fatal(err)
		}
		return base64.StdEncoding.EncodeToString(sig)
	}
	public, mini, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	minisigned, err := signature.ParseKey([]byte(public.String()))
	if err != nil {
		t.Fatal(err)
	}
	encode := func(v any) []byte {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	type object = map[string]any
	for _, api := range []bool{true, false} {
		s := newShop(t, &registry.Registry{Referrers: api})
		layer := s.Put(module)
		manifest := manifestFor(layer, len(module), fmt.Sprintf(`,"annotations":{%q:%q}`, MinisigAnnotation, minisign.Sign(mini, module)))
		digest := s.Manifest("thing", "1", imageManifest, manifest)
		hex := strings.TrimPrefix(digest, "sha256:")

		claim := encode(object{"critical": object{"image": object{"docker-manifest-digest": digest}, "type": "cosign container image signature"}})
		simple := object{"mediaType": simpleType, "digest": s.Put(claim), "size": len(claim), "annotations": object{"dev.cosignproject.cosign/signature": sign(claim)}}
		keyless := object{"mediaType": simpleType, "digest": s.Put(claim), "size": len(claim), "annotations": object{"dev.cosignproject.cosign/signature": sign(claim), "dev.sigstore.cosign/certificate": "x"}}
		s.Manifest("thing", "sha256-"+hex+".sig", imageManifest, encode(object{"schemaVersion": 2, "layers": []any{keyless, object{"mediaType": "text/plain"}, simple}}))

		st := encode(object{"_type": "https://in-toto.io/Statement/v1", "predicateType": "https://sigstore.dev/cosign/sign/v1", "subject": []any{object{"digest": object{"sha256": hex}}}})
		bundle := encode(object{"mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json", "dsseEnvelope": object{"payload": st, "payloadType": "application/vnd.in-toto+json",
			"signatures": []any{object{"sig": sign(fmt.Appendf(nil, "DSSEv1 28 application/vnd.in-toto+json %d %s", len(st), st))}}}})
		refers := encode(object{"schemaVersion": 2, "mediaType": imageManifest, "artifactType": "application/vnd.dev.sigstore.bundle.v0.3+json", "subject": object{"mediaType": imageManifest, "digest": digest, "size": len(manifest)},
			"layers": []any{object{"mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json", "digest": s.Put(bundle), "size": len(bundle)}}})
		at := s.Manifest("thing", "", imageManifest, refers)
		if !api { // then a tag has the list
			s.Manifest("thing", "sha256-"+hex, "application/vnd.oci.image.index.v1+json", encode(object{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
				"manifests": []any{object{"mediaType": imageManifest, "digest": at, "size": len(refers), "artifactType": "application/vnd.dev.sigstore.bundle.v0.3+json"}}}))
		}
		m, err := Fetch(ctx, "oci://r.example/thing:1", s.o)
		if err != nil {
			t.Fatal(err)
		}
		var forms []string
		for _, sig := range m.Signatures {
			for _, k := range []signature.Key{cosign, minisigned} {
				if _, s, ok := signature.Verify(module, []signature.Signature{sig}, []signature.Key{k}); ok {
					forms = append(forms, string(s.Form))
				}
			}
		}
		if got := strings.Join(forms, " "); got != "minisign cosign-image cosign-dsse" || len(m.Signatures) != 3 {
			t.Errorf("referrers %v: found %s of %d", api, got, len(m.Signatures))
		}
		if strings.Join(m.Notes, "|") != "a signature does not count: "+signature.ErrKeyless.Error() {
			t.Errorf("notes %q", m.Notes)
		}
	}
}
