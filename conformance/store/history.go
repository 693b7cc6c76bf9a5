package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fcp-host/fcp-host/host/journal"
)

// anyHistory: whatever two hosts do in turn, the store has the content of the model.
func anyHistory(t *testing.T, s System) {
	hosts := []journal.Store{s.Open(t, journal.Limits{}), s.Open(t, journal.Limits{})}
	rapid.Check(t, func(t *rapid.T) {
		m := &model{t: t, hosts: hosts, there: map[string]*modelled{}}
		t.Repeat(map[string]func(*rapid.T){
			"create":  m.create,
			"append":  m.append,
			"rewrite": m.rewrite,
			"close":   m.close,
			"take":    m.take,
			"remove":  m.remove,
			"":        m.check,
		})
		for _, id := range m.ids() {
			if j := m.there[id].owned; j != nil {
				j.Remove()
			} else if err := hosts[0].Discard(id); err != nil {
				t.Error(err)
			}
		}
	})
}

// model is the expected content of the store.
type model struct {
	t     *rapid.T
	hosts []journal.Store
	there map[string]*modelled
	order []string // in order of creation
	last  string   // the journal of the last action
}

type modelled struct {
	records []journal.Record
	owned   journal.Journal // nil: a leftover
}

func (m *model) ids() (ids []string) {
	for _, id := range m.order {
		if m.there[id] != nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// one draws a journal that is owned, or one that is not, and skips the action if there is none.
func (m *model) one(t *rapid.T, owned bool) (string, *modelled) {
	ids := slices.DeleteFunc(m.ids(), func(id string) bool { return (m.there[id].owned != nil) != owned })
	if len(ids) == 0 {
		t.Skip("there is none")
	}
	m.last = rapid.SampledFrom(ids).Draw(t, "journal")
	return m.last, m.there[m.last]
}

func (m *model) host(t *rapid.T) journal.Store { return rapid.SampledFrom(m.hosts).Draw(t, "host") }

func drawRecords(t *rapid.T) []journal.Record {
	return rapid.SliceOfN(rapid.Custom(drawRecord), 0, 4).Draw(t, "records")
}

func drawRecord(t *rapid.T) journal.Record {
	return journal.Record{Kind: rapid.Byte().Draw(t, "kind"), Data: rapid.SliceOfN(rapid.Byte(), 0, 30).Draw(t, "data")}
}

func (m *model) create(t *rapid.T) {
	if len(m.ids()) == 4 {
		t.Skip("there are enough")
	}
	records := drawRecords(t)
	j, err := m.host(t).Create("ann", journal.NewKey(), slices.Values(records))
	if err != nil {
		t.Fatal(err)
	}
	m.last = j.ID()
	m.there[j.ID()] = &modelled{records, j}
	m.order = append(m.order, j.ID())
}

func (m *model) append(t *rapid.T) {
	_, d := m.one(t, true)
	r := drawRecord(t)
	var err error
	if rapid.Bool().Draw(t, "durable") {
		err = d.owned.Append(r)
	} else {
		err = d.owned.Note(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	d.records = append(d.records, r)
}

func (m *model) rewrite(t *rapid.T) {
	_, d := m.one(t, true)
	records := drawRecords(t)
	if err := d.owned.Rewrite(slices.Values(records)); err != nil {
		t.Fatal(err)
	}
	d.records = records
}

func (m *model) close(t *rapid.T) {
	_, d := m.one(t, true)
	if err := d.owned.Close(); err != nil {
		t.Fatal(err)
	}
	d.owned = nil
}

func (m *model) take(t *rapid.T) {
	id, d := m.one(t, false)
	j, c, err := m.host(t).Take(id)
	if err != nil {
		t.Fatal(err)
	}
	if text(c.Records) != text(d.records) {
		t.Fatalf("%s taken: %s; want %s", id, text(c.Records), text(d.records))
	}
	d.owned = j
}

func (m *model) remove(t *rapid.T) {
	id, d := m.one(t, rapid.Bool().Draw(t, "owned"))
	var err error
	if d.owned != nil {
		err = d.owned.Remove()
	} else {
		err = m.host(t).Discard(id)
	}
	if err != nil {
		t.Fatal(err)
	}
	delete(m.there, id)
}

// check compares the lists, and the journal of the last action, with the model.
func (m *model) check(t *rapid.T) {
	if m.last == "" {
		return
	}
	host := m.hosts[len(m.order)%len(m.hosts)]
	c, err := host.Read(m.last)
	switch d := m.there[m.last]; {
	case d == nil:
		if err == nil {
			t.Fatalf("%s was removed but exists", m.last)
		}
		if _, _, err := host.Take(m.last); !errors.Is(err, journal.ErrGone) {
			t.Fatalf("take %s, which was removed: %v", m.last, err)
		}
	case err != nil:
		t.Fatal(err)
	case c.Damaged || c.Cut > 0 || text(c.Records) != text(d.records):
		t.Fatalf("%s contains %s; want %s", m.last, text(c.Records), text(d.records))
	}
	list, err := host.Left()
	if err != nil {
		t.Fatal(err)
	}
	held, err := host.Held("ann")
	if err != nil {
		t.Fatal(err)
	}
	is := map[string]bool{}
	for _, l := range list {
		is[l.ID] = false
	}
	for _, id := range held {
		is[id] = true
	}
	want := map[string]bool{}
	for _, id := range m.ids() {
		want[id] = m.there[id].owned != nil
	}
	if fmt.Sprint(is) != fmt.Sprint(want) {
		t.Fatalf("held: %v; want %v", is, want)
	}
}
