package signature

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"aead.dev/minisign"
)

// Form is the form of a signature.
type Form string

// Forms of signatures.
const (
	Minisign Form = "minisign"     // of the module, by minisign -S
	Blob     Form = "cosign-blob"  // of the module, by cosign sign-blob
	Simple   Form = "cosign-image" // of an OCI manifest that names the module, by cosign sign, at a tag
	Envelope Form = "cosign-dsse"  // of an OCI manifest that names the module, by cosign sign, as a bundle
)

// Signature is a signature with all that is needed to verify it, except the module and the key.
type Signature struct {
	Form      Form   `json:"form"`
	Signature []byte `json:"signature"`          // for Minisign, the whole file
	Payload   []byte `json:"payload,omitempty"`  // for Simple and Envelope: the signed payload
	Type      string `json:"type,omitempty"`     // for Envelope: the type of the payload
	Manifest  []byte `json:"manifest,omitempty"` // for Simple and Envelope: the OCI manifest
}

// MaxFile is the largest file or blob with a signature, in bytes.
const MaxFile = 256 << 10

// Types of OCI manifests that name a module.
const (
	ArtifactType = "application/vnd.fcp.plugin.v1+wasm"  // what plugin push writes
	configType   = "application/vnd.wasm.config.v0+json" // of the config in CNCF's Wasm OCI artifact layout, as other tools write it
)

// ModuleType is the media type of the layer that holds the module.
const ModuleType = "application/wasm"

// ErrKeyless means that the signature relies on a certificate.
var ErrKeyless = errors.New("it is based on a certificate instead of a key, which fcp-host does not check")

// Verify returns the first of keys that made one of the signatures of the module, and that signature. ok is false if
// there is none.
func Verify(module []byte, signatures []Signature, keys []Key) (key Key, signature Signature, ok bool) {
	for _, s := range signatures {
		for _, k := range keys {
			if s.by(k, module) {
				return k, s, true
			}
		}
	}
	return Key{}, Signature{}, false
}

// by reports whether the signature is of this module and by the key.
func (s *Signature) by(k Key, module []byte) bool {
	switch s.Form {
	case Minisign:
		return k.minisign != nil && minisign.Verify(*k.minisign, module, s.Signature)
	case Blob:
		return k.verify(module, s.Signature)
	case Simple:
		return k.verify(s.Payload, s.Signature) && s.signsImage() && Names(s.Manifest, module)
	case Envelope:
		return k.verify(envelope(s.Type, s.Payload), s.Signature) && s.statesSigned() && Names(s.Manifest, module)
	}
	return false
}

// Claims reports whether the signature says that it is by the key. Signatures of cosign never do.
func (s *Signature) Claims(k Key) bool {
	var m minisign.Signature
	return s.Form == Minisign && k.minisign != nil && m.UnmarshalText(s.Signature) == nil && m.KeyID == k.minisign.ID()
}

// Words says which key could verify the signature.
func (s *Signature) Words() string {
	if s.Form == Minisign {
		var m minisign.Signature
		if m.UnmarshalText(s.Signature) == nil {
			return fmt.Sprintf("minisign key %016X", m.KeyID)
		}
		return "minisign, damaged"
	}
	return "a cosign key"
}

// descriptor is an OCI descriptor.
type descriptor struct {
	MediaType string `json:"mediaType"`
	Digest    string `json:"digest"`
	Size      int64  `json:"size"`
}

// Layer returns the digest and size of the one module in an OCI manifest. It accepts the layout of ArtifactType and CNCF's,
// which tells readers to refuse several layers.
func Layer(manifest []byte) (digest string, size int64, err error) {
	var m struct {
		ArtifactType string       `json:"artifactType"`
		Config       descriptor   `json:"config"`
		Layers       []descriptor `json:"layers"`
		Manifests    []descriptor `json:"manifests"`
	}
	switch err := json.Unmarshal(manifest, &m); {
	case err != nil:
		return "", 0, errors.New("its manifest is not the JSON of an OCI manifest")
	case m.Manifests != nil:
		return "", 0, errors.New("it is an index of several artifacts, and a plugin is one for all systems; name one of them by its digest")
	case m.ArtifactType != ArtifactType && m.Config.MediaType != ArtifactType && m.Config.MediaType != configType:
		return "", 0, fmt.Errorf("its type is %q, neither %s nor that of a Wasm artifact, %s", cut(m.ArtifactType+m.Config.MediaType), ArtifactType, configType)
	case len(m.Layers) != 1:
		return "", 0, fmt.Errorf("it has %d layers; a plugin has exactly one", len(m.Layers))
	case m.Config.MediaType == configType && m.Layers[0].MediaType != ModuleType:
		return "", 0, fmt.Errorf("the type of its layer is %q, not %s", cut(m.Layers[0].MediaType), ModuleType)
	}
	l := m.Layers[0]
	if !strings.HasPrefix(l.Digest, "sha256:") || len(l.Digest) != len("sha256:")+2*sha256.Size || l.Size < 0 {
		return "", 0, fmt.Errorf("the digest of its module is %q, but must be a sha256", cut(l.Digest))
	}
	return l.Digest, l.Size, nil
}

func cut(s string) string { return s[:min(len(s), 100)] }

// Names reports whether an OCI manifest names this module.
func Names(manifest, module []byte) bool {
	digest, size, err := Layer(manifest)
	return err == nil && digest == Digest(module) && size == int64(len(module))
}

// Digest returns the digest of bytes as registries write it.
func Digest(b []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(b)) }

// signsImage reports whether the payload says that it signs the manifest.
func (s *Signature) signsImage() bool {
	var p struct {
		Critical struct {
			Image struct {
				Digest string `json:"docker-manifest-digest"`
			} `json:"image"`
			Type string `json:"type"`
		} `json:"critical"`
	}
	return json.Unmarshal(s.Payload, &p) == nil && p.Critical.Image.Digest == Digest(s.Manifest) &&
		(p.Critical.Type == "cosign container image signature" || p.Critical.Type == signs)
}

// signs is the type of statement that something is signed. Other statements, such as an SBOM, may be signed by the same
// key.
const signs = "https://sigstore.dev/cosign/sign/v1"

// statesSigned reports whether the payload is a statement that the manifest is signed.
func (s *Signature) statesSigned() bool {
	var st struct {
		Type          string `json:"_type"`
		PredicateType string `json:"predicateType"`
		Subject       []struct {
			Digest map[string]string `json:"digest"`
		} `json:"subject"`
	}
	if s.Type != "application/vnd.in-toto+json" || json.Unmarshal(s.Payload, &st) != nil || !strings.HasPrefix(st.Type, "https://in-toto.io/Statement/") || st.PredicateType != signs {
		return false
	}
	for _, subject := range st.Subject {
		if "sha256:"+subject.Digest["sha256"] == Digest(s.Manifest) {
			return true
		}
	}
	return false
}

// envelope returns the bytes that DSSE signs.
func envelope(kind string, payload []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(kind), kind, len(payload), payload)
}

// ParseMinisig parses a signature file of minisign.
func ParseMinisig(file []byte) (Signature, error) {
	var m minisign.Signature
	if err := m.UnmarshalText(file); err != nil {
		return Signature{}, errors.New("it is not a minisign signature")
	}
	return Signature{Form: Minisign, Signature: file}, nil
}

// ParseBlobSig parses the base64 that cosign sign-blob writes.
func ParseBlobSig(file []byte) (Signature, error) {
	sig, err := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(file)))
	if err != nil || len(sig) == 0 {
		return Signature{}, errors.New("it is not a cosign signature")
	}
	return Signature{Form: Blob, Signature: sig}, nil
}

// ParseBundle parses a Sigstore bundle. manifest is the OCI manifest that it may sign; nil for a bundle beside a
// module.
func ParseBundle(file, manifest []byte) (Signature, error) {
	var b struct {
		MediaType string `json:"mediaType"`
		Material  struct {
			Certificate json.RawMessage `json:"certificate"`
			Chain       json.RawMessage `json:"x509CertificateChain"`
		} `json:"verificationMaterial"`
		Message *struct {
			Signature []byte `json:"signature"`
		} `json:"messageSignature"`
		Envelope *struct {
			Payload    []byte `json:"payload"`
			Type       string `json:"payloadType"`
			Signatures []struct {
				Sig []byte `json:"sig"`
			} `json:"signatures"`
		} `json:"dsseEnvelope"`
	}
	if err := json.Unmarshal(file, &b); err != nil || !strings.HasPrefix(b.MediaType, "application/vnd.dev.sigstore.bundle") {
		return Signature{}, errors.New("it is not a sigstore bundle")
	}
	switch {
	case b.Material.Certificate != nil || b.Material.Chain != nil:
		return Signature{}, ErrKeyless
	case b.Message != nil && manifest == nil:
		return Signature{Form: Blob, Signature: b.Message.Signature}, nil
	case b.Envelope != nil && manifest != nil && len(b.Envelope.Signatures) == 1:
		e := b.Envelope
		return Signature{Form: Envelope, Signature: e.Signatures[0].Sig, Payload: e.Payload, Type: e.Type, Manifest: manifest}, nil
	}
	return Signature{}, errors.New("the bundle contains neither a signature of a file nor one of a manifest")
}
