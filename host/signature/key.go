package signature

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"aead.dev/minisign"
)

// MaxKey is the largest file with a public key, in bytes.
const MaxKey = 16 << 10

// Key is a public key.
type Key struct {
	Name string // the owner; "" if unknown

	minisign *minisign.PublicKey
	cosign   crypto.PublicKey // *ecdsa.PublicKey, *rsa.PublicKey or ed25519.PublicKey
	der      []byte           // cosign's key in PKIX form
}

const (
	byMinisign = "minisign:"
	byCosign   = "cosign:"
)

// ParseKey parses a public key: minisign's file or its line, cosign's PEM file, or the result of String.
func ParseKey(text []byte) (Key, error) {
	text = bytes.TrimSpace(text)
	if block, _ := pem.Decode(text); block != nil {
		if block.Type != "PUBLIC KEY" {
			return Key{}, fmt.Errorf("it holds %q instead of a PUBLIC KEY such as cosign.pub", block.Type)
		}
		return cosignKey(block.Bytes)
	}
	if rest, ok := strings.CutPrefix(string(text), byCosign); ok {
		der, err := base64.StdEncoding.DecodeString(rest)
		if err != nil {
			return Key{}, errors.New("it is not a cosign public key")
		}
		return cosignKey(der)
	}
	lines := strings.Split(strings.TrimPrefix(string(text), byMinisign), "\n")
	line := strings.TrimSpace(lines[len(lines)-1])
	var k minisign.PublicKey
	if len(lines) > 2 || len(line) != minisignText || k.UnmarshalText([]byte(line)) != nil {
		return Key{}, errors.New("it is neither a minisign nor a cosign public key")
	}
	return Key{minisign: &k}, nil
}

// minisignText is the length of minisign's public keys as text.
const minisignText = 56

func cosignKey(der []byte) (Key, error) {
	k, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return Key{}, errors.New("it is not a cosign public key")
	}
	switch k := k.(type) {
	case *ecdsa.PublicKey, ed25519.PublicKey:
	case *rsa.PublicKey:
		if k.N.BitLen() < 2048 {
			return Key{}, errors.New("an RSA key needs at least 2048 bits")
		}
	default:
		return Key{}, errors.New("there are keys of ECDSA, Ed25519 and RSA, and it is none of these")
	}
	return Key{cosign: k, der: der}, nil
}

// String returns the key on one line, for ParseKey.
func (k Key) String() string {
	switch {
	case k.minisign != nil:
		return byMinisign + k.minisign.String()
	case k.cosign != nil:
		return byCosign + base64.StdEncoding.EncodeToString(k.der)
	}
	return ""
}

// Words describes the key on one line: its owner and its identifier.
func (k Key) Words() string {
	id := ""
	switch {
	case k.minisign != nil:
		id = fmt.Sprintf("minisign key %016X", k.minisign.ID())
	case k.cosign != nil:
		id = fmt.Sprintf("cosign key sha256:%.8x", sha256.Sum256(k.der))
	}
	if k.Name == "" {
		return id
	}
	return k.Name + " (" + id + ")"
}

// Same reports whether two keys are equal.
func (k Key) Same(other Key) bool { return k.String() == other.String() }

// verify reports whether sig is the key's signature of a message.
func (k Key) verify(message, sig []byte) bool {
	sum := sha256.Sum256(message)
	switch key := k.cosign.(type) {
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(key, sum[:], sig)
	case ed25519.PublicKey:
		return ed25519.Verify(key, message, sig)
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], sig) == nil
	}
	return false
}
