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

// Form is how a module is signed.
type Form string

// The forms of signatures.
const (
	Minisign Form = "minisign"     // of the module, as minisign -S writes it
	Blob     Form = "cosign-blob"  // of the module, as cosign sign-blob writes it
	Simple   Form = "cosign-image" // of a manifest in a registry that names the module, as cosign sign writes it to a tag
	Envelope Form = "cosign-dsse"  // of such a manifest, as cosign sign writes it to a bundle
)

// Signature is a signature with all that is needed to check it but the module and the key.
type Signature struct {
	Form      Form   `json:"form"`
	Signature []byte `json:"signature"`          // of Minisign its whole file
	Payload   []byte `json:"payload,omitempty"`  // what is signed, of Simple and Envelope
	Type      string `json:"type,omitempty"`     // of the payload, of Envelope
	Manifest  []byte `json:"manifest,omitempty"` // of Simple and Envelope
}

// MaxFile bounds a file or a part of a registry that holds a signature, in bytes.
const MaxFile = 256 << 10

// ArtifactType is the type of manifests in a registry that name a module.
const ArtifactType = "application/vnd.fcp.plugin.v1+wasm"

// ErrKeyless is told of a signature that stands on a certificate.
var ErrKeyless = errors.New("it stands on a certificate instead of a key, which is not checked here")

// Verify returns the first of some keys by which one of some signatures signs a module, and that signature. ok is false where there is none.
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

// by reports whether the signature is the key's, of this module.
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

// Claims reports whether the signature says itself that it is the key's, which those of cosign do not.
func (s *Signature) Claims(k Key) bool {
	var m minisign.Signature
	return s.Form == Minisign && k.minisign != nil && m.UnmarshalText(s.Signature) == nil && m.KeyID == k.minisign.ID()
}

// Words say of a signature which key it would take.
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

// descriptor is one of OCI.
type descriptor struct {
	MediaType string `json:"mediaType"`
	Digest    string `json:"digest"`
	Size      int64  `json:"size"`
}

// Layer finds the one module that a manifest names. No other layout than that of ArtifactType is taken.
func Layer(manifest []byte) (digest string, size int64, err error) {
	var m struct {
		ArtifactType string       `json:"artifactType"`
		Config       descriptor   `json:"config"`
		Layers       []descriptor `json:"layers"`
		Manifests    []descriptor `json:"manifests"`
	}
	switch err := json.Unmarshal(manifest, &m); {
	case err != nil:
		return "", 0, errors.New("its manifest is no JSON of an OCI manifest")
	case m.Manifests != nil:
		return "", 0, errors.New("it is an index of several artifacts, and a plugin is one for all systems; name one of them by its digest")
	case m.ArtifactType != ArtifactType && m.Config.MediaType != ArtifactType:
		return "", 0, fmt.Errorf("it is of type %q and no plugin, which has the artifact type %s", cut(m.ArtifactType+m.Config.MediaType), ArtifactType)
	case len(m.Layers) != 1:
		return "", 0, fmt.Errorf("it has %d layers, and a plugin has one, its module", len(m.Layers))
	}
	l := m.Layers[0]
	if !strings.HasPrefix(l.Digest, "sha256:") || len(l.Digest) != len("sha256:")+2*sha256.Size || l.Size < 0 {
		return "", 0, fmt.Errorf("the digest of its module is %q and has to be a sha256", cut(l.Digest))
	}
	return l.Digest, l.Size, nil
}

func cut(s string) string { return s[:min(len(s), 100)] }

// Names reports whether a manifest names this module.
func Names(manifest, module []byte) bool {
	digest, size, err := Layer(manifest)
	return err == nil && digest == Digest(module) && size == int64(len(module))
}

// Digest is how registries name some bytes.
func Digest(b []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(b)) }

// signsImage reports whether the payload says that the manifest is signed.
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

// signs is the claim that something is signed, and nothing more: other claims, such as lists of parts, may be signed by the same key.
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

// envelope is what DSSE signs.
func envelope(kind string, payload []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(kind), kind, len(payload), payload)
}

// ParseMinisig reads a file of minisign.
func ParseMinisig(file []byte) (Signature, error) {
	var m minisign.Signature
	if err := m.UnmarshalText(file); err != nil {
		return Signature{}, errors.New("it is no signature of minisign")
	}
	return Signature{Form: Minisign, Signature: file}, nil
}

// ParseBlobSig reads the base64 that cosign sign-blob writes.
func ParseBlobSig(file []byte) (Signature, error) {
	sig, err := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(file)))
	if err != nil || len(sig) == 0 {
		return Signature{}, errors.New("it is no signature of cosign")
	}
	return Signature{Form: Blob, Signature: sig}, nil
}

// ParseBundle reads a bundle of sigstore. manifest is what it may sign where it lies in a registry, nil of a file beside a module.
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
		return Signature{}, errors.New("it is no bundle of sigstore")
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
	return Signature{}, errors.New("the bundle holds no signature of a plugin")
}
