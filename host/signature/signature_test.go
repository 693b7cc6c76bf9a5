package signature

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"

	"aead.dev/minisign"
)

var module = []byte("a module")

// pair is a key with what signs by it.
type pair struct {
	Key
	sign func(message []byte) []byte
}

func cosignPair(t *testing.T, private crypto.Signer) pair {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(private.Public())
	if err != nil {
		t.Fatal(err)
	}
	k, err := ParseKey(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	if err != nil {
		t.Fatal(err)
	}
	return pair{k, func(message []byte) []byte {
		sum := sha256.Sum256(message)
		digest, opts := sum[:], crypto.SignerOpts(crypto.SHA256)
		if _, ok := private.(ed25519.PrivateKey); ok {
			digest, opts = message, crypto.Hash(0)
		}
		sig, err := private.Sign(rand.Reader, digest, opts)
		if err != nil {
			t.Fatal(err)
		}
		return sig
	}}
}

func pairs(t *testing.T) map[string]pair {
	t.Helper()
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, ed, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	rs, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]pair{"ecdsa": cosignPair(t, ec), "ed25519": cosignPair(t, ed), "rsa": cosignPair(t, rs)}
}

func minisignPair(t *testing.T) pair {
	t.Helper()
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := public.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	k, err := ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return pair{k, func(m []byte) []byte { return minisign.Sign(private, m) }}
}

func manifestOf(module []byte) []byte {
	return fmt.Appendf(nil, `{"schemaVersion":2,"artifactType":%q,"layers":[{"mediaType":"application/wasm","digest":%q,"size":%d}]}`, ArtifactType, Digest(module), len(module))
}

func statement(kind string, manifest []byte) []byte {
	return fmt.Appendf(nil, `{"_type":"https://in-toto.io/Statement/v1","predicateType":%q,"subject":[{"digest":{"sha256":%q}}]}`, kind, strings.TrimPrefix(Digest(manifest), "sha256:"))
}

func claim(kind string, manifest []byte) []byte {
	return fmt.Appendf(nil, `{"critical":{"identity":{"docker-reference":"x"},"image":{"docker-manifest-digest":%q},"type":%q}}`, Digest(manifest), kind)
}

const intoto, simple = "application/vnd.in-toto+json", "cosign container image signature"

func TestEachFormSignsThisModuleByThisKeyAlone(t *testing.T) {
	manifest := manifestOf(module)
	mini, other := minisignPair(t), minisignPair(t)
	check := func(name string, s Signature, by, notBy Key) {
		t.Helper()
		if k, _, ok := Verify(module, []Signature{{Form: Blob, Signature: []byte("x")}, s}, []Key{notBy, by}); !ok || !k.Same(by) {
			t.Errorf("%s: it does not count", name)
		}
		for what, ok := range map[string]bool{
			"another key":    s.by(notBy, module),
			"no key":         s.by(Key{}, module),
			"another module": s.by(by, []byte("b module")),
		} {
			if ok {
				t.Errorf("%s: it counts for %s", name, what)
			}
		}
	}
	s, err := ParseMinisig(mini.sign(module))
	if err != nil || !s.Claims(mini.Key) || s.Claims(other.Key) {
		t.Fatal(err)
	}
	check("minisign", s, mini.Key, other.Key)
	all := pairs(t)
	for name, k := range all {
		notBy := all[map[string]string{"ecdsa": "rsa", "rsa": "ed25519", "ed25519": "ecdsa"}[name]].Key
		blob, err := ParseBlobSig([]byte(base64.StdEncoding.EncodeToString(k.sign(module)) + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		check(name+" blob", blob, k.Key, notBy)
		payload := claim(simple, manifest)
		check(name+" image", Signature{Form: Simple, Signature: k.sign(payload), Payload: payload, Manifest: manifest}, k.Key, notBy)
		payload = statement(signs, manifest)
		check(name+" envelope", Signature{Form: Envelope, Type: intoto, Signature: k.sign(envelope(intoto, payload)), Payload: payload, Manifest: manifest}, k.Key, notBy)

		for what, s := range map[string]Signature{
			"a claim of another kind":              {Form: Simple, Payload: claim("a list of parts", manifest), Manifest: manifest},
			"a claim on another manifest":          {Form: Simple, Payload: claim(simple, []byte("{}")), Manifest: manifest},
			"a statement of another kind":          {Form: Envelope, Type: intoto, Payload: statement("https://slsa.dev/provenance/v1", manifest), Manifest: manifest},
			"a statement on another manifest":      {Form: Envelope, Type: intoto, Payload: statement(signs, []byte("{}")), Manifest: manifest},
			"a payload of another type":            {Form: Envelope, Type: "text/plain", Payload: statement(signs, manifest), Manifest: manifest},
			"a manifest without the artifact type": {Form: Simple, Payload: claim(simple, []byte(`{"layers":[]}`)), Manifest: []byte(`{"layers":[]}`)},
			"an unknown form":                      {Form: "x", Payload: claim(simple, manifest), Manifest: manifest},
			"no JSON":                              {Form: Simple, Payload: []byte("{"), Manifest: manifest},
		} {
			s.Signature = k.sign(s.Payload)
			if s.Form == Envelope {
				s.Signature = k.sign(envelope(s.Type, s.Payload))
			}
			if s.by(k.Key, module) {
				t.Errorf("%s: %s counts", name, what)
			}
		}
	}
	for _, k := range []pair{mini, all["ecdsa"], all["ed25519"]} {
		again, err := ParseKey([]byte(k.String()))
		if err != nil || !again.Same(k.Key) || again.Words() != k.Words() {
			t.Errorf("%s is read as %s (%v)", k, again, err)
		}
	}
}

func TestBundlesAreReadByWhereTheyLie(t *testing.T) {
	k := pairs(t)["ecdsa"]
	manifest := manifestOf(module)
	bundle := func(material, content any) []byte {
		m := map[string]any{"mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json", "verificationMaterial": material}
		for key, v := range content.(map[string]any) {
			m[key] = v
		}
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	key := map[string]any{"publicKey": map[string]any{"hint": "x"}}
	payload := statement(signs, manifest)
	blob := map[string]any{"messageSignature": map[string]any{"signature": k.sign(module)}}
	dsse := map[string]any{"dsseEnvelope": map[string]any{"payload": payload, "payloadType": intoto, "signatures": []any{map[string]any{"sig": k.sign(envelope(intoto, payload))}}}}
	for name, tt := range map[string]struct {
		file, manifest []byte
		err            string
	}{
		"a blob beside its file":        {bundle(key, blob), nil, ""},
		"an envelope in a registry":     {bundle(key, dsse), manifest, ""},
		"a blob in a registry":          {bundle(key, blob), manifest, "the bundle contains neither a signature of a file nor one of a manifest"},
		"an envelope beside a file":     {bundle(key, dsse), nil, "the bundle contains neither a signature of a file nor one of a manifest"},
		"neither":                       {bundle(key, map[string]any{}), nil, "the bundle contains neither a signature of a file nor one of a manifest"},
		"a certificate":                 {bundle(map[string]any{"certificate": map[string]any{}}, blob), nil, ErrKeyless.Error()},
		"a chain of certificates":       {bundle(map[string]any{"x509CertificateChain": map[string]any{}}, dsse), manifest, ErrKeyless.Error()},
		"no bundle":                     {[]byte(`{"mediaType":"text/html"}`), nil, "it is not a sigstore bundle"},
		"no JSON":                       {[]byte(`<html>`), nil, "it is not a sigstore bundle"},
		"base64 that is none, as a sig": {bundle(key, map[string]any{"messageSignature": map[string]any{"signature": "?"}}), nil, "it is not a sigstore bundle"},
	} {
		s, err := ParseBundle(tt.file, tt.manifest)
		if tt.err != "" {
			if err == nil || err.Error() != tt.err {
				t.Errorf("%s: %v, want %s", name, err, tt.err)
			}
			continue
		}
		if err != nil || !s.by(k.Key, module) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOnlyAManifestOfOneModuleIsAccepted(t *testing.T) {
	layer := fmt.Sprintf(`{"digest":%q,"size":8}`, Digest(module))
	wasm := strings.Replace(layer, "{", `{"mediaType":"application/wasm",`, 1)
	const cncf = `{"schemaVersion":2,"config":{"mediaType":"application/vnd.wasm.config.v0+json","size":2},"layers":`
	for manifest, want := range map[string]string{
		string(manifestOf(module)): "",
		`{"config":{"mediaType":"` + ArtifactType + `"},"layers":[` + layer + `]}`:                             "",
		`{"artifactType":"` + ArtifactType + `","layers":[` + layer + `,` + layer + `]}`:                       "it has 2 layers",
		`{"artifactType":"` + ArtifactType + `","layers":[]}`:                                                  "it has 0 layers",
		`{"artifactType":"` + ArtifactType + `","layers":[` + strings.Repeat(layer+",", 10_000) + layer + `]}`: "it has 10001 layers",
		`{"artifactType":"` + ArtifactType + `","layers":[{"digest":"sha512:00","size":8}]}`:                   "the digest of its module",
		`{"artifactType":"` + ArtifactType + `","layers":[{"digest":"../../etc","size":8}]}`:                   "the digest of its module",
		`{"artifactType":"` + ArtifactType + `","layers":[{"digest":"` + Digest(module) + `","size":-1}]}`:     "the digest of its module",
		`{"artifactType":"application/vnd.oci.image","layers":[` + layer + `]}`:                                "neither application/vnd.fcp.plugin",
		cncf + `[` + wasm + `]}`: "",
		strings.Replace(cncf, `{`, `{"artifactType":"application/vnd.acme.thing",`, 1) + `[` + wasm + `]}`: "",
		cncf + `[` + wasm + `,` + wasm + `]}`: "it has 2 layers",
		cncf + `[]}`:                          "it has 0 layers",
		cncf + `[` + layer + `]}`:             `the type of its layer is "", not application/wasm`,
		cncf + `[` + strings.Replace(wasm, "application/wasm", "application/vnd.oci.image.layer.v1.tar", 1) + `]}`: "not application/wasm",
		strings.Replace(cncf, "v0+json", "v9+json", 1) + `[` + wasm + `]}`:                                         `its type is "application/vnd.wasm.config.v9+json"`,
		`{"artifactType":"` + ArtifactType + `","manifests":[],"layers":[` + layer + `]}`:                          "an index of several",
		`[`: "not the JSON",
	} {
		_, _, err := Layer([]byte(manifest))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.200s: %v, want %q", manifest, err, want)
		}
	}
}

func TestInvalidKeysAndSignaturesAreRefused(t *testing.T) {
	weak, err := rsa.GenerateKey(rand.Reader, 1024)
	if err == nil {
		der, _ := x509.MarshalPKIXPublicKey(weak.Public())
		if _, err := ParseKey(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})); err == nil || !strings.Contains(err.Error(), "2048") {
			t.Errorf("a weak key: %v", err)
		}
	}
	for _, text := range []string{"", "x", "RWQ", "minisign:", "cosign:", "cosign:!", "cosign:AAAA", strings.Repeat("A", 56), "a\nb\nc",
		"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", strings.Repeat("x", MaxKey)} {
		if k, err := ParseKey([]byte(text)); err == nil {
			t.Errorf("%.40q is read as %s", text, k)
		}
	}
	if _, err := ParseMinisig([]byte("untrusted comment: x\nAAAA\ntrusted comment: y\nAAAA\n")); err == nil {
		t.Error("a damaged signature of minisign is read")
	}
	if _, err := ParseBlobSig([]byte("\n")); err == nil {
		t.Error("an empty signature is read")
	}
}
