package command

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/docs"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/journal"
)

// withStores gives this program stores until the test ends.
func withStores(t *testing.T) {
	before := self
	t.Cleanup(func() { self = before })
	self = Program{Name: "fcp-hostd", Stores: map[string]Store{
		"mem": {Example: "mem://NAME", Open: func(context.Context, string, StoreHost) (journal.Store, func(), error) { panic("opened") }},
		"old": {}}}
}

func TestTheFlagsOfStoresAreOnTheirPage(t *testing.T) {
	withStores(t)
	var help strings.Builder
	usage(&help, nil)
	_, part, ok := strings.Cut(help.String(), "several hosts that share documents:")
	if !ok {
		t.Fatal("the help does not have them")
	}
	flags := regexp.MustCompile(`(?m)^  (--[a-z-]+) `).FindAllStringSubmatch(part, -1)
	if len(flags) < 5 {
		t.Errorf("the help has %q", flags)
	}
	for _, f := range flags {
		if !strings.Contains(docs.Scale, "`"+f[1]+" ") {
			t.Errorf("scale.md does not have %s", f[1])
		}
	}
	if !strings.Contains(part, "mem://NAME") || strings.Contains(part, "old://") {
		t.Errorf("the help shows other stores: %s", part)
	}
}

func TestInvalidStoreSettingsAreRefusedBeforeAnythingStarts(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"--store mem://x --journal-dir /j", "contradict"},
		{"--store mem://x --no-journal", "contradict"},
		{"--store foo://user:secret@x", "write it as mem://NAME"},
		{"--store mem:x", "write it as"},
		{"--store mem://x --advertise example.com:80", "write it as http://HOST:PORT"},
		{"--store mem://x --advertise ftp://x", "write it as"},
		{"--store mem://x --advertise http://user:pw@x", "write it as"},
		{"--store mem://x --advertise http://x/mcp", "write it as"},
		{"--advertise http://x", "--store"},
		{"--advertise-ca x", "--store"},
		{"--store mem://x --store-lease 1ms", "at least"},
		{"--store mem://x --store-wait never", "at least"},
	} {
		t.Run(c.args, func(t *testing.T) {
			withStores(t)
			var out, errs bytes.Buffer
			code := run(t.Context(), append([]string{"serve", "--config", "off"}, strings.Fields(c.args)...), stdio{strings.NewReader(""), &out, &errs})
			if code != exitUsage || !strings.Contains(errs.String(), c.says) || !strings.HasPrefix(errs.String(), "fcp-hostd: ") {
				t.Errorf("%d: %s", code, errs.String())
			}
			if strings.Contains(errs.String(), "secret") {
				t.Errorf("a password is shown: %s", errs.String())
			}
		})
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"serve", "--config", "off", "--store", "mem://x"}, stdio{strings.NewReader(""), &out, &errs}); code != exitUsage || !strings.Contains(errs.String(), "unknown flag --store") {
		t.Errorf("fcp-host takes --store: %d %s", code, errs.String())
	}
}

// known is a store that reports whether this host is alive.
type known struct {
	journal.Store
	at  string
	err error
}

func (k *known) Host() string                   { return "a" }
func (k *known) Holder(string) (string, error)  { return "", nil }
func (k *known) Address(string) (string, error) { return k.at, k.err }

// A host that the store does not regard as alive is not ready: the store may still answer but not accept writes.
func TestAHostIsReadyWhileItsStoreKnowsThatItLives(t *testing.T) {
	store := &known{at: "http://a"}
	ready := keeper{shelf: document.NewShelf(store)}.ready()
	if err := ready(); err != nil {
		t.Error(err)
	}
	store.at = ""
	if ready() == nil {
		t.Error("it is ready, and its store does not know it")
	}
	store.err = errors.New("silent")
	if ready() != store.err {
		t.Error("it is ready while the store is silent")
	}
}
