package broker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/host/capability/web"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/printable"
)

// Options configure a broker.
type Options struct {
	Lookup   func(name string) (value string, err error) // returns the value of a variable, from the environment or a file; "" if it is not set
	File     *File                                       // the file that `fcp-host grants` writes; nil for none
	Withheld string                                      // why http and program are withheld from this host's clients, and how to change that; "" if they are not
	Programs *program.Set                                // nil: no programs run
	Resolver *net.Resolver                               // resolves the names of servers; nil for the system's resolver
}

// Broker decides what domains may reach, and performs their requests.
type Broker struct {
	o        Options
	ctx      context.Context // cancelled by End
	end      context.CancelFunc
	redactor atomic.Pointer[web.Redactor]

	mu      sync.Mutex
	secrets map[string]*web.Endpoint // the latest endpoint of each domain and want
}

// New returns a broker.
func New(o Options) *Broker {
	if o.Lookup == nil {
		o.Lookup = func(string) (string, error) { return "", nil }
	}
	b := &Broker{o: o, secrets: map[string]*web.Endpoint{}}
	b.ctx, b.end = context.WithCancel(context.Background())
	return b
}

// End cancels all requests, now and later: the host shuts down.
func (b *Broker) End() { b.end() }

// value returns the value of a variable, or an error that says how to set it.
func (b *Broker) value(name string) (string, error) {
	v, err := b.o.Lookup(name)
	switch {
	case err != nil:
		return "", fmt.Errorf("%s cannot be read: %w", name, err)
	case v == "":
		return "", fmt.Errorf("%s is not set; set it in the environment that starts fcp-host, or name a file that holds it under [variables] of fcp-host.toml", name)
	}
	return v, nil
}

// Writer returns a writer that removes the broker's secrets from what is written to w, one whole line at a time. It is
// for what net/http logs about servers' answers through package log.
func (b *Broker) Writer(w io.Writer) io.Writer { return redacted{b, w} }

type redacted struct {
	b *Broker
	w io.Writer
}

// Write implements io.Writer.
func (r redacted) Write(p []byte) (int, error) {
	out := r.b.redactor.Load().Bytes(p)
	if n, err := r.w.Write(out); err != nil {
		return min(n, len(p)), err
	}
	return len(p), nil
}

// hideSecrets keeps the secrets of an endpoint, and of the one it replaces, out of the log from now on.
func (b *Broker) hideSecrets(key string, e *web.Endpoint) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if old := b.secrets[key]; old != nil {
		b.secrets[key+" before"] = old
	}
	b.secrets[key] = e
	b.redactor.Store(web.RedactorOf(slices.Collect(maps.Values(b.secrets))...))
}

// World returns the broker as one domain sees it: the domain may request what grants, the file and the user allow. It
// is nil for a domain that wants nothing and reads no files.
func (b *Broker) World(d *domain.Domain, grants []Grant) domain.World {
	if len(d.Manifest.Wants) == 0 && !d.ReadsFiles("") {
		return nil
	}
	w := &world{b: b, d: d, once: map[string]bool{}, http: map[string]*endpoint{}}
	for _, g := range grants {
		if w.want(g.Want) != nil && w.grantOf(g.Want) == nil { // the first grant of a want wins
			w.grants = append(w.grants, g)
		}
	}
	return w
}

// world is what one domain may reach.
type world struct {
	b      *Broker
	d      *domain.Domain
	grants []Grant // from flags and the configuration

	mu   sync.Mutex
	once map[string]bool // the user's answers, by want
	http map[string]*endpoint
}

var _ domain.World = (*world)(nil)

// want returns the manifest's want with this key, or nil.
func (w *world) want(key string) *abi.Want {
	for i := range w.d.Manifest.Wants {
		if w.d.Manifest.Wants[i].Key() == key {
			return &w.d.Manifest.Wants[i]
		}
	}
	return nil
}

// grantOf returns the grant of a want, or nil.
func (w *world) grantOf(key string) *Grant {
	if i := slices.IndexFunc(w.grants, func(g Grant) bool { return g.Want == key }); i >= 0 {
		return &w.grants[i]
	}
	return nil
}

// grant returns what allows a want now, whether or not it is usable. The error says why nothing does.
func (w *world) grant(want *abi.Want) (*Grant, error) {
	key := want.Key()
	kind, known := kinds[want.Kind]
	switch {
	case !known:
		return nil, errors.New(domain.Needs + key + ", of a kind that this host does not know and does not grant")
	case kind.withheld && w.b.o.Withheld != "":
		return nil, errors.New(domain.Needs + key + ", " + w.b.o.Withheld)
	}
	why := "which is not granted"
	if g := w.grantOf(key); g != nil {
		revoked := g.Shipped && w.b.o.File != nil
		var err error
		if revoked {
			revoked, err = w.b.o.File.Revokes(w.d.Name(), key)
		}
		if !revoked {
			return g, nil
		}
		if why = fmt.Sprintf("which came granted with fcp-host and is revoked; to grant it again: fcp-host grants add %s %s", w.d.Name(), key); err != nil {
			why = err.Error()
		}
	}
	if w.b.o.File != nil {
		switch ok, err := w.b.o.File.grants(w.d, want, w.b.value); {
		case ok:
			return &Grant{Want: key, By: "fcp-host grants", Variables: foreignVariables(w.d.Name(), want)}, nil // which the file names
		case err != nil:
			why = err.Error()
		}
	}
	w.mu.Lock()
	once := w.once[key]
	w.mu.Unlock()
	if once {
		return &Grant{Want: key, By: "the user"}, nil
	}
	return nil, &ungranted{fmt.Sprintf(domain.Needs+"%s, %s; start fcp-host with --grant %s=%s", key, why, w.d.Name(), Naming(w.d.Name(), want))}
}

// ungranted says why a want is not granted, if a person could grant it.
type ungranted struct{ why string }

func (u *ungranted) Error() string { return u.why }

// usable returns the grant of a want that is usable now. The error says what is missing and how to mend it.
func (w *world) usable(want *abi.Want) (*Grant, error) {
	g, err := w.grant(want)
	if err == nil && kinds[want.Kind].usable != nil {
		err = kinds[want.Kind].usable(w, want, g)
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// Can lists the wants that are granted and usable now.
func (w *world) Can() []string {
	var can []string
	for i := range w.d.Manifest.Wants {
		if want := &w.d.Manifest.Wants[i]; kinds[want.Kind].words != nil {
			if _, err := w.usable(want); err == nil {
				can = append(can, want.Key())
			}
		}
	}
	return can
}

// Settings returns the settings that granted wants ask for. It leaves out those that are not set, and values that are a
// secret of any domain.
func (w *world) Settings() []abi.KeyValue {
	var told []abi.KeyValue
	for i := range w.d.Manifest.Wants {
		want := &w.d.Manifest.Wants[i]
		if len(want.Settings) == 0 {
			continue
		}
		if _, err := w.usable(want); err != nil {
			continue
		}
		for _, name := range want.Settings {
			if v, err := w.setting(name); err == nil && v != "" {
				told = append(told, abi.KeyValue{Key: name, Value: v})
			}
		}
	}
	return told
}

// maxSetting is the longest value of a setting, in bytes.
const maxSetting = 1000

// setting returns the value of a setting, or "" if it is not set.
func (w *world) setting(name string) (string, error) {
	v, err := w.b.o.Lookup(name)
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", name, err)
	}
	v = strings.TrimSpace(v)
	if len(v) > maxSetting || printable.Line(v) != v {
		return "", fmt.Errorf("%s is a setting, and its value is not one printable line of at most %d bytes", name, maxSetting)
	}
	return w.b.redactor.Load().Text(v), nil
}

// Missing returns why the domain cannot use a want, or nil if it can.
func (w *world) Missing(ctx context.Context, key string) *domain.Refusal {
	want := w.want(key)
	if want == nil {
		return &domain.Refusal{Message: fmt.Sprintf("its manifest does not list %s", printableLine(key, maxShown))}
	}
	_, err := w.usable(want)
	if errors.As(err, new(*ungranted)) && w.ask(ctx, want) {
		_, err = w.usable(want)
	}
	if err != nil {
		return &domain.Refusal{Message: err.Error()}
	}
	return nil
}

// ask asks the user, if the client supports that, and reports whether the want is granted for the rest of this run. It
// asks once for each want.
func (w *world) ask(ctx context.Context, want *abi.Want) bool {
	key := want.Key()
	if len((*Grant)(nil).variables(want)) > 0 || want.Kind == abi.WantHTTP && !mayName(want) {
		return false
	}
	w.mu.Lock()
	_, told := w.once[key]
	w.mu.Unlock()
	if told {
		return false
	}
	yes, asked := domain.Confirm(ctx, w.question(want), fmt.Sprintf("Grant %s to %s until fcp-host ends", key, w.d.Name()))
	if !asked {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.once[key] = w.once[key] || yes
	return w.once[key]
}

// mayName reports whether the manifest itself may name the want's server.
func mayName(want *abi.Want) bool {
	_, err := web.NewEndpoint(want.Name, want.Base, headersOf(want), web.Options{})
	return err == nil
}

// question returns what the user is asked: the host's words first, then the plugin's.
func (w *world) question(want *abi.Want) string {
	var q strings.Builder
	fmt.Fprintf(&q, "The plugin %s (sha256 %s) asks for %s\n", w.d.Name(), w.d.Build, w.b.Words(w.d.Manifest, want, nil))
	if want.Kind == abi.WantHTTP {
		fmt.Fprintln(&q, CarriesAway)
	}
	fmt.Fprintf(&q, "Allow it until fcp-host ends? The plugin says why: %s", quote(want.Reason))
	return q.String()
}

// Do runs the requests of a round concurrently.
func (w *world) Do(ctx context.Context, a domain.Asker, requests []abi.Request) []abi.Outcome {
	out := make([]abi.Outcome, len(requests))
	room := web.NewRoom(abi.MaxRound)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.b.ctx, cancel)()
	if len(requests) == 1 {
		out[0] = w.do(ctx, a, &requests[0], room)
		return out
	}
	var all sync.WaitGroup
	for i := range requests {
		all.Go(func() { out[i] = w.do(ctx, a, &requests[i], room) })
	}
	all.Wait()
	return out
}
