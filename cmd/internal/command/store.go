package command

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/host/mcpserver"
)

// Store is a kind of store that several hosts share.
type Store struct {
	Example string // an example URL, "" for an alias of another scheme
	// Open opens the store of a URL. end closes it.
	Open func(ctx context.Context, url string, h StoreHost) (s journal.Store, end func(), err error)
}

// StoreHost holds a host's settings for a store.
type StoreHost struct {
	Limits  journal.Limits
	Lease   time.Duration // how long a host keeps a document without renewing its lease
	Wait    time.Duration // how long a call waits for the store
	Address string        // where other hosts reach this one, "" for nowhere
}

// stored holds the flags of serve about a store.
type stored struct {
	url     string
	lease   time.Duration
	wait    time.Duration
	address string

	authorities string // file
}

// defaultLease is short enough for another host to take over a dead host's document within two
// seconds. It costs two messages a second.
const defaultLease = 1500 * time.Millisecond

// storeVariable is the variable with the URL if the flag is missing; other users can see command
// lines.
const storeVariable = "FCP_STORE"

// storeExamples returns example URLs of the stores that this program supports.
func storeExamples() string {
	var list []string
	for _, scheme := range slices.Sorted(maps.Keys(self.Stores)) {
		if e := self.Stores[scheme].Example; e != "" {
			list = append(list, e)
		}
	}
	return strings.Join(list, ", ")
}

// wrongStore returns why these settings are invalid, or "".
func (s *settings) wrongStore() string {
	if s.store.url == "" {
		if s.store.address != "" || s.store.authorities != "" {
			return "--advertise and --advertise-ca are for hosts that share a --store"
		}
		return ""
	}
	switch {
	case s.journalDir != "":
		return "--store and --journal-dir contradict each other: give one of them"
	case s.noJournal:
		return "--store and --no-journal contradict each other: give one of them"
	case s.kindOfStore() == nil:
		return "--store: write it as " + storeExamples() // not the URL: it may contain a password
	}
	if s.store.address != "" {
		u, err := url.Parse(s.store.address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Path != "" && u.Path != "/" || u.User != nil || u.RawQuery != "" {
			return fmt.Sprintf("--advertise %s: write it as http://HOST:PORT or https://HOST:PORT", s.store.address)
		}
	}
	return ""
}

func (s *settings) kindOfStore() *Store {
	scheme, _, ok := strings.Cut(s.store.url, "://")
	kind, known := self.Stores[scheme]
	if !ok || !known {
		return nil
	}
	return &kind
}

// advertise sets the address at which other hosts reach this one to that of the listener, unless
// the user gave one. It reports whether they can reach it.
func (s *settings) advertise(l net.Listener) bool {
	if s.store.address != "" {
		return true
	}
	at, ok := l.Addr().(*net.TCPAddr)
	if !ok || at.IP.IsUnspecified() {
		return false
	}
	s.store.address = "http://" + at.String()
	if s.web.cert != "" {
		s.store.address = "https://" + at.String()
	}
	return true
}

// cluster returns a keeper's store if hosts share it, else nil.
func (k keeper) cluster() journal.Cluster {
	if k.shelf == nil {
		return nil
	}
	c, _ := k.shelf.Store().(journal.Cluster)
	return c
}

var errUnseen = errors.New("this host cannot renew its entry in the store")

// ready returns a check that fails while the store does not answer or does not know that this host
// is alive, so that a proxy sends calls elsewhere. It returns nil without a shared store.
func (k keeper) ready() func() error {
	c := k.cluster()
	if c == nil {
		return nil
	}
	return func() error {
		at, err := c.Address(c.Host())
		if err == nil && at == "" {
			err = errUnseen
		}
		return err
	}
}

// peers returns the other hosts of a keeper's store, nil for none.
func (k keeper) peers(s *settings) (*mcpserver.Peers, error) {
	c := k.cluster()
	if c == nil {
		return nil, nil
	}
	secure := &tls.Config{}
	if s.store.authorities != "" {
		pem, err := os.ReadFile(s.store.authorities)
		if err != nil {
			return nil, fmt.Errorf("--advertise-ca: %w", err)
		}
		if secure.RootCAs, err = x509.SystemCertPool(); err != nil {
			secure.RootCAs = x509.NewCertPool()
		}
		if !secure.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("--advertise-ca %s: it contains no PEM certificate", s.store.authorities)
		}
	}
	return &mcpserver.Peers{Host: c.Host(), Address: c.Address, Wait: 2 * s.store.wait, Transport: &http.Transport{
		TLSClientConfig: secure, DialContext: (&net.Dialer{Timeout: time.Second}).DialContext, TLSHandshakeTimeout: 2 * time.Second, MaxIdleConnsPerHost: 64,
		IdleConnTimeout: time.Minute, DisableCompression: true}}, nil
}

// sharedKeeper opens the shared store that the settings name.
func (s *settings) sharedKeeper(io stdio) (k keeper, ok bool) {
	ctx, stop := context.WithTimeout(context.Background(), max(s.store.wait, 30*time.Second))
	defer stop()
	store, end, err := s.kindOfStore().Open(ctx, s.store.url, StoreHost{Limits: s.limits.journal, Lease: s.store.lease, Wait: s.store.wait,
		Address: strings.TrimSuffix(s.store.address, "/")})
	if err != nil {
		io.complain("--store: %v", err)
		return keeper{}, false
	}
	return keeper{shelf: document.NewShelf(store), end: end}, true
}
