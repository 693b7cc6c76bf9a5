package oauth

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	jose "github.com/go-jose/go-jose/v4"
)

// How long the keys of an issuer are used.
const (
	fresh = 10 * time.Minute // after that they are fetched again in the background
	stale = time.Hour        // how long they are used if that fails
	pause = 10 * time.Second // minimum time between attempts, however many tokens need one
)

// Limits of an issuer's answers.
const (
	fetchTime = 5 * time.Second // of one answer
	maxAnswer = 256 << 10       // bytes
	maxKeys   = 64
	minRSA    = 2048 // bits
	maxRSA    = 8192
)

// issuer is an issuer with its keys.
type issuer struct {
	url    string
	client *http.Client
	log    *slog.Logger
	now    func() time.Time
	time   time.Duration // of one answer

	mu     sync.Mutex
	have   set
	tried  time.Time     // when the last attempt began
	flight chan struct{} // closed when the running attempt ends; nil if none runs
	err    error         // of the last attempt
}

// set is the keys of an issuer at some time.
type set struct {
	keys    []jose.JSONWebKey
	fetched time.Time // zero if there are none
}

// usable returns the keys, if they are recent enough to use. The caller holds mu.
func (i *issuer) usable() (s set, ok bool) {
	if i.have.fetched.IsZero() || i.now().Sub(i.have.fetched) > stale {
		return set{}, false
	}
	return i.have, true
}

// current returns the keys, and starts fetching newer ones if they are not fresh.
func (i *issuer) current() (s set, ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.have.fetched.IsZero() || i.now().Sub(i.have.fetched) > fresh {
		i.begin()
	}
	return i.usable()
}

// renew returns the keys after fetching them again, unless that was tried a moment ago.
func (i *issuer) renew(ctx context.Context) (set, error) {
	i.mu.Lock()
	i.begin()
	flight := i.flight
	i.mu.Unlock()
	if flight != nil {
		select {
		case <-flight:
		case <-ctx.Done():
			return set{}, ctx.Err()
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if s, ok := i.usable(); ok {
		return s, nil
	}
	return set{}, i.err
}

// begin starts an attempt, unless one is running or began a moment ago. The caller holds mu.
func (i *issuer) begin() {
	now := i.now()
	if i.flight != nil || !i.tried.IsZero() && now.Sub(i.tried) < pause {
		return
	}
	flight := make(chan struct{})
	i.flight, i.tried = flight, now
	go func() {
		keys, err := i.fetch()
		i.mu.Lock()
		defer i.mu.Unlock()
		if err == nil {
			i.have = set{keys, now}
		} else if i.err == nil || i.err.Error() != err.Error() {
			i.log.Warn("the keys of a token issuer cannot be fetched", "issuer", i.url, "error", err)
		}
		i.err, i.flight = err, nil
		close(flight)
	}()
}

// fetch fetches the keys.
func (i *issuer) fetch() ([]jose.JSONWebKey, error) {
	from, err := i.discover()
	if err != nil {
		return nil, err
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if _, err := i.get(from, &set); err != nil {
		return nil, err
	}
	if len(set.Keys) > maxKeys {
		return nil, fmt.Errorf("%s holds more than %d keys", from, maxKeys)
	}
	var keys []jose.JSONWebKey
	for _, raw := range set.Keys {
		var k jose.JSONWebKey
		var of struct {
			Operations []string `json:"key_ops"`
		}
		// Skip a key of another kind: the others are still valid.
		if json.Unmarshal(raw, &k) == nil && k.Use != "enc" && json.Unmarshal(raw, &of) == nil && (of.Operations == nil || slices.Contains(of.Operations, "verify")) && k.Valid() && len(algorithmsOf(&k)) > 0 {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("%s holds no key that tokens may be signed with", from)
	}
	return keys, nil
}

// discover finds out where the keys are.
func (i *issuer) discover() (jwks string, err error) {
	var failed []error
	for _, at := range wellKnown(i.url) {
		var m struct {
			Issuer string `json:"issuer"`
			JWKS   string `json:"jwks_uri"`
		}
		found, err := i.get(at, &m)
		if err != nil {
			failed = append(failed, err)
			if found {
				break // it is there and is wrong
			}
			continue
		}
		if m.Issuer != i.url {
			return "", fmt.Errorf("%s is the metadata of another issuer, %.100q", at, m.Issuer)
		}
		if _, err := address(m.JWKS); err != nil {
			return "", fmt.Errorf("%s: jwks_uri %.100q: %w", at, m.JWKS, err)
		}
		return m.JWKS, nil
	}
	return "", errors.Join(failed...)
}

// get reads the JSON at a URL. found is true if the URL exists.
func (i *issuer) get(from string, into any) (found bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), i.time)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return false, err
	}
	req.Header.Set("Accept", "application/json")
	res, err := i.client.Do(req)
	if err != nil {
		return false, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return false, fmt.Errorf("%s answered %s", from, res.Status)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return true, fmt.Errorf("%s: %w", from, err)
	}
	if len(body) > maxAnswer {
		return true, fmt.Errorf("%s answered with more than %d KiB", from, maxAnswer>>10)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return true, fmt.Errorf("%s did not answer with JSON of the right form", from)
	}
	return true, nil
}

// algorithmsOf lists the algorithms that an issuer's key may sign with: none for a
// key that is of another kind, secret or too short.
func algorithmsOf(k *jose.JSONWebKey) []jose.SignatureAlgorithm {
	var list []jose.SignatureAlgorithm
	switch key := k.Key.(type) {
	case *rsa.PublicKey:
		if bits := key.N.BitLen(); bits >= minRSA && bits <= maxRSA {
			list = []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512}
		}
	case *ecdsa.PublicKey:
		switch key.Curve {
		case elliptic.P256():
			list = []jose.SignatureAlgorithm{jose.ES256}
		case elliptic.P384():
			list = []jose.SignatureAlgorithm{jose.ES384}
		case elliptic.P521():
			list = []jose.SignatureAlgorithm{jose.ES512}
		}
	case ed25519.PublicKey:
		list = []jose.SignatureAlgorithm{jose.EdDSA}
	}
	if k.Algorithm == "" {
		return list
	}
	for _, a := range list {
		if strings.EqualFold(k.Algorithm, string(a)) || a == jose.EdDSA && k.Algorithm == "Ed25519" {
			return []jose.SignatureAlgorithm{a}
		}
	}
	return nil
}
