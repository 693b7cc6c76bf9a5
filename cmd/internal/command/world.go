package command

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/broker"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/reply"
)

// tableGrants reads the grants of a [[plugin]] in the configuration.
func tableGrants(base string, list []any) ([]broker.Grant, error) {
	var out []broker.Grant
	for _, v := range list {
		table, ok := v.(map[string]any)
		if !ok {
			table = map[string]any{"want": v}
		}
		g, err := broker.TableGrant(table, func(path string) ([]byte, error) { return os.ReadFile(expandOne(base, path)) })
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o broker.Grant) bool { return o.Want == g.Want }) {
			return nil, fmt.Errorf("grant %s is given twice", g.Want)
		}
		g.By = configName
		out = append(out, g)
	}
	return out, nil
}

func setRequestTimeout(to *time.Duration, text string) error {
	return durationIn(to, time.Millisecond, time.Hour, "from 1ms to 1h, such as 50s")(text)
}

// newBroker makes the broker that the settings describe.
func (s *settings) newBroker() *broker.Broker {
	o := broker.Options{Lookup: s.variable, Programs: s.programs}
	if path, err := grantsFile(); err == nil {
		o.File = broker.NewFile(path)
		o.File.Others = addedGrants(addedFolder())
	}
	if s.web.remote() && !s.HTTPGrants {
		o.Withheld = "which is withheld from clients on other machines; start fcp-host with --http-grants"
	}
	return broker.New(o)
}

// remote reports whether clients on other machines are served.
func (w *web) remote() bool {
	_, unix := gate.UnixPath(w.addr)
	host, _, err := net.SplitHostPort(w.addr)
	return w.addr != "" && !unix && (err != nil || !gate.Loopback(host))
}

// variable returns the value of a variable, from the file that the configuration names for it, else
// from the environment.
func (s *settings) variable(name string) (string, error) {
	path, ok := s.variables[name]
	if !ok {
		return os.Getenv(name), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular() || info.Size() > maxVariable:
		return "", fmt.Errorf("%s is not a regular file of at most %d KiB", path, maxVariable>>10)
	}
	if err := files.CheckPrivate(info); err != nil {
		return "", &fs.PathError{Op: "open", Path: path, Err: err}
	}
	data := make([]byte, info.Size())
	n, err := f.ReadAt(data, 0)
	if n < len(data) {
		return "", err
	}
	return strings.TrimRight(string(data), "\r\n"), nil
}

// worlds gives each domain its grants, and prints which module gets the grants of flags: only the
// first one that serves the domain, because nobody had checked a later one when the flag was
// written.
func (s *settings) worlds(io stdio) func(*plugin.Plugin) domain.World {
	flagged := map[string]string{} // sha256 of modules by domain
	return func(p *plugin.Plugin) domain.World {
		m := p.Domain.Manifest
		var given []broker.Grant
		for _, c := range s.plugins {
			if plugin.Real(c.File) == plugin.Real(p.Path) {
				given = c.grants
			}
		}
		for _, text := range s.grantFlags {
			name, g, _ := broker.ParseGrant(text) // flags has parsed it
			if name != m.Domain {
				continue
			}
			if sum, ok := flagged[name]; ok && sum != p.Sum {
				io.complain("%s, sha256 %s, is not granted %s: --grant applies to sha256 %s, which it replaces; check the new module, then restart fcp-host or use fcp-host grants add", name, p.Sum, g.Want, sum)
				continue
			}
			flagged[name] = p.Sum
			g.By = "--grant"
			given = append(slices.Clip(given), g)
		}
		if plugin.IsBuiltin(p.Path) {
			for _, w := range m.Wants { // last, because the first grant of a want wins
				if isDefault(m, w.Key()) {
					given = append(slices.Clip(given), broker.Grant{Want: w.Key(), By: "fcp-host", Shipped: true})
				}
			}
		}
		for i := range given {
			g := &given[i]
			at := slices.IndexFunc(m.Wants, func(w abi.Want) bool { return w.Key() == g.Want })
			switch {
			case at < 0:
				io.complain("%s grants %s to %s, which does not want it; fcp-host inspect lists what it wants", g.By, g.Want, reply.Line(p.Path))
			case g.By == "--grant":
				io.complain("%s, sha256 %s, is granted %s", m.Domain, p.Sum, s.broker.Words(m, &m.Wants[at], g))
			}
		}
		return s.broker.World(p.Domain, given)
	}
}

// reportStrayGrants reports flags that grant something to a domain which is not served, once all
// domains are known.
func (s *settings) reportStrayGrants(ctx context.Context, set *plugin.Set, io stdio) {
	if len(s.grantFlags) == 0 {
		return
	}
	select {
	case <-set.Opened():
	case <-ctx.Done():
		return
	}
	for _, text := range s.grantFlags {
		name, _, _ := broker.ParseGrant(text)
		c := set.Catalog()
		if c.Pending == 0 && !slices.ContainsFunc(c.Domains, func(d *domain.Domain) bool { return d.Name() == name }) {
			io.complain("--grant %s: no domain %s is served", text, name)
		}
	}
}
