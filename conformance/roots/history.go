package roots

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fcp-host/fcp-host/host/files"
)

// anyHistory: whatever two hosts and another writer do in turn, the files have the content of the model, and a host
// replaces only content that it knows.
func anyHistory(t *testing.T, s System) {
	hosts := []*files.Roots{s.Open(t), s.Open(t)}
	paths := []string{"a", "b.txt"}
	rapid.Check(t, func(rt *rapid.T) {
		for _, name := range s.Other.Names(t) {
			s.Other.Drop(t, name)
		}
		m := &model{t: t, s: s, hosts: hosts, paths: paths, there: map[string]string{}, known: []map[string][]files.Stamp{{}, {}}}
		rt.Repeat(map[string]func(*rapid.T){
			"read": m.read, "write": m.write, "force": m.force, "put": m.put, "drop": m.drop, "check": m.checks, "list": m.list,
			"": m.check,
		})
	})
}

// model is the expected content of the files.
type model struct {
	t     *testing.T
	s     System
	hosts []*files.Roots
	paths []string
	there map[string]string
	known []map[string][]files.Stamp // for each host, what it last read or wrote
}

func (m *model) draw(t *rapid.T) (host int, path, real string) {
	host = rapid.IntRange(0, len(m.hosts)-1).Draw(t, "host")
	path = rapid.SampledFrom(m.paths).Draw(t, "path")
	return host, path, resolve(m.t, m.hosts[host], path)
}

// text draws one of a few texts with few lengths.
func text(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "x", "y", "xx", "xy", strings.Repeat("x", 9000), strings.Repeat("y", 9000)}).Draw(t, "text")
}

func (m *model) read(t *rapid.T) {
	h, path, real := m.draw(t)
	data, is, err := m.hosts[h].Read(real)
	want, there := m.there[path]
	if (err == nil) != there || string(data) != want {
		t.Fatalf("%s: read %.20q, %v; want %.20q", path, data, err, want)
	}
	if there {
		m.known[h][path] = []files.Stamp{is}
	}
}

// may reports whether a host that knows stamps may write.
func (m *model) may(path string, known []files.Stamp, next string) (ok bool, no error) {
	now, there := m.there[path]
	switch {
	case !there, now == next, slices.Contains(known, files.StampOf([]byte(now))):
		return true, nil
	case len(known) == 0:
		return false, files.ErrThere
	}
	return false, files.ErrChanged
}

func (m *model) write(t *rapid.T) {
	h, path, real := m.draw(t)
	next := text(t)
	known := m.known[h][path]
	ok, no := m.may(path, known, next)
	is, err := m.hosts[h].Write(real, []byte(next), files.Over{Known: known})
	if ok != (err == nil) || !ok && !errors.Is(err, no) {
		t.Fatalf("%s: error %v; want %v", path, err, no)
	}
	if ok {
		m.there[path], m.known[h][path] = next, []files.Stamp{is}
	}
}

func (m *model) force(t *rapid.T) {
	h, path, real := m.draw(t)
	next := text(t)
	is, err := m.hosts[h].Write(real, []byte(next), files.Over{Any: true})
	if err != nil {
		t.Fatal(err)
	}
	m.there[path], m.known[h][path] = next, []files.Stamp{is}
}

func (m *model) put(t *rapid.T) {
	_, path, _ := m.draw(t)
	m.there[path] = text(t)
	m.s.Other.Put(m.t, path, []byte(m.there[path]))
}

func (m *model) drop(t *rapid.T) {
	_, path, _ := m.draw(t)
	delete(m.there, path)
	m.s.Other.Drop(m.t, path)
}

func (m *model) checks(t *rapid.T) {
	h, path, real := m.draw(t)
	known := m.known[h][path]
	ok, no := m.may(path, known, "\x00")
	if err := m.hosts[h].Check(real, files.Over{Known: known}); ok != (err == nil) || !ok && !errors.Is(err, no) {
		t.Fatalf("%s: error %v; want %v", path, err, no)
	}
	if _, there := m.there[path]; m.hosts[h].Exists(real) != there || m.hosts[h].Gone(real) == there {
		t.Fatalf("%s: exists: %v", path, !there)
	}
}

func (m *model) list(t *rapid.T) {
	h, _, _ := m.draw(t)
	if got, want := m.hosts[h].List(resolve(m.t, m.hosts[h], ".")), slices.Sorted(maps.Keys(m.there)); !slices.Equal(got, want) {
		t.Fatalf("listed %q; want %q", got, want)
	}
}

func (m *model) check(t *rapid.T) {
	names := slices.Sorted(maps.Keys(m.there))
	if got := m.s.Other.Names(m.t); !slices.Equal(got, names) {
		t.Fatalf("the root contains %q; want %q", got, names)
	}
	for _, name := range names {
		if data, _ := m.s.Other.Get(m.t, name); string(data) != m.there[name] {
			t.Fatalf("%s contains %.20q; want %.20q", name, data, m.there[name])
		}
	}
}
