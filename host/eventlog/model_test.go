package eventlog

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// model is the log as protocol.md describes it: one list in which checkpoints are sentinels. It searches from the start
// each time.
type model struct {
	items  []item
	cursor int
	folded int
	batch  uint64
}

type item struct {
	name     string
	sentinel bool
	batch    uint64
	ids      []string
}

func (m *model) cut() { m.items = slices.Clone(m.items[:m.cursor]) }

// settle moves the cursor past the sentinels right after it, so that a checkpoint at the cursor is not in the tail.
func (m *model) settle() {
	for m.cursor < len(m.items) && m.items[m.cursor].sentinel {
		m.cursor++
	}
}

func (m *model) append(items []item) {
	m.batch++
	m.cut()
	for _, it := range items {
		it.batch = m.batch
		m.items = append(m.items, it)
	}
	m.cursor = len(m.items)
}

func (m *model) checkpoint(name string) {
	m.cut()
	for i := len(m.items) - 1; i >= 0; i-- {
		if m.items[i].sentinel && m.items[i].name == name {
			m.items = slices.Delete(m.items, i, i+1)
		}
	}
	m.items = append(m.items, item{name: name, sentinel: true})
	m.cursor = len(m.items)
}

func (m *model) undo(n int) (names []string) {
	for m.cursor > 0 && n > 0 {
		m.cursor--
		if it := m.items[m.cursor]; !it.sentinel {
			names = append(names, it.name)
			n--
		}
	}
	m.settle()
	return names
}

func (m *model) redo(n int) (names []string) {
	for m.cursor < len(m.items) && n > 0 {
		if it := m.items[m.cursor]; !it.sentinel {
			names = append(names, it.name)
			n--
		}
		m.cursor++
	}
	m.settle()
	return names
}

// ago counts the ops between the checkpoint and the cursor.
func (m *model) ago(name string) (n int, ok bool) {
	at := slices.IndexFunc(m.items, func(it item) bool { return it.sentinel && it.name == name })
	if at < 0 {
		return 0, false
	}
	for i := at; i < m.cursor; i++ {
		if !m.items[i].sentinel {
			n++
		}
	}
	for i := m.cursor; i < at; i++ {
		if !m.items[i].sentinel {
			n--
		}
	}
	return n, true
}

func (m *model) fold(n int) (dropped []string) {
	for n > 0 {
		if m.items[0].sentinel {
			dropped = append(dropped, m.items[0].name)
		} else {
			n--
		}
		m.items = m.items[1:]
		m.cursor--
	}
	return dropped
}

func (m *model) applied() (names []string) {
	for _, it := range m.items[:m.cursor] {
		if !it.sentinel {
			names = append(names, it.name)
		}
	}
	return names
}

func (m *model) recent(n int) (ids []string) {
	for i := m.cursor - 1; i >= 0; i-- {
		for _, id := range slices.Backward(m.items[i].ids) {
			if len(ids) < n && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func names(es []Entry) (out []string) {
	for _, e := range es {
		out = append(out, e.Op)
	}
	return out
}

func TestTheLogBehavesLikeItsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, m := new(Log), new(model)
		serial := 0
		positions := map[Position]string{}
		counts := rapid.IntRange(1, 6)
		checkpoints := rapid.SampledFrom([]string{"x", "y", "z"})
		move := func(p Plan, err error, want []string) {
			t.Helper()
			if len(want) == 0 {
				if err == nil {
					t.Fatalf("a plan of %q where there is nothing", names(p.Entries))
				}
				return
			}
			if err == nil {
				err = l.Commit(p)
			}
			if err != nil || !slices.Equal(names(p.Entries), want) {
				t.Fatalf("planned %q (%v), want %q", names(p.Entries), err, want)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				var es []Entry
				var items []item
				for range rapid.IntRange(1, 4).Draw(t, "ops") {
					serial++
					ids := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 3, rapid.ID[string]).Draw(t, "ids")
					es = append(es, op(fmt.Sprint(serial), ids...))
					items = append(items, item{name: fmt.Sprint(serial), ids: ids})
				}
				l.Append(es...)
				m.append(items)
			},
			"checkpoint": func(t *rapid.T) {
				name := checkpoints.Draw(t, "name")
				if err := l.Checkpoint(name); err != nil {
					t.Fatal(err)
				}
				m.checkpoint(name)
			},
			"undo": func(t *rapid.T) {
				n := counts.Draw(t, "n")
				p, err := l.PlanUndo(n)
				move(p, err, m.undo(n))
			},
			"redo": func(t *rapid.T) {
				n := counts.Draw(t, "n")
				p, err := l.PlanRedo(n)
				move(p, err, m.redo(n))
			},
			"undo batch": func(t *rapid.T) {
				n, batch := 0, uint64(0)
				for _, it := range slices.Backward(m.items[:m.cursor]) {
					if it.sentinel {
						continue
					}
					if n > 0 && it.batch != batch {
						break
					}
					batch = it.batch
					n++
				}
				p, err := l.PlanUndoBatch()
				move(p, err, m.undo(n))
			},
			"undo to": func(t *rapid.T) {
				name := checkpoints.Draw(t, "name")
				n, _ := m.ago(name)
				p, err := l.PlanUndoTo(name)
				move(p, err, m.undo(max(n, 0)))
			},
			"fold": func(t *rapid.T) {
				n := rapid.IntRange(0, len(m.applied())).Draw(t, "n")
				if got, want := l.Fold(n), m.fold(n); !slices.Equal(got, want) {
					t.Fatalf("fold %d drops %q, want %q", n, got, want)
				}
				m.folded += n
			},
			"": func(t *rapid.T) {
				if got, want := names(slices.Collect(l.Applied())), m.applied(); !slices.Equal(got, want) {
					t.Fatalf("applied %q, want %q", got, want)
				}
				if got, want := l.Recent(3), m.recent(3); !slices.Equal(got, want) {
					t.Fatalf("recent %q, want %q", got, want)
				}
				if got, want := names(l.History(2)), m.applied(); !slices.Equal(got, want[max(0, len(want)-2):]) {
					t.Fatalf("history %q of %q", got, want)
				}
				for _, name := range []string{"x", "y", "z"} {
					n, ok := m.ago(name)
					at := slices.IndexFunc(l.Checkpoints(), func(c Checkpoint) bool { return c.Name == name })
					if (at >= 0) != ok || ok && l.Checkpoints()[at].Ago != n {
						t.Fatalf("checkpoint %s: %v, want %d ago (%v)", name, l.Checkpoints(), n, ok)
					}
					if d, err := l.Since(name); ok && (err != nil || len(d.Entries) != max(n, -n) || d.Undone != (n < 0)) {
						t.Fatalf("since %s: %+v (%v), want %d", name, d, err, n)
					}
				}
				var size int64
				for _, r := range l.records {
					size += cost(r.Entry)
				}
				if size != l.Bytes() {
					t.Fatalf("%d bytes, want %d", l.Bytes(), size)
				}
				// All folded and applied ops name the state; equal positions mean equal states, and the reverse.
				now := fmt.Sprint(m.folded, m.applied())
				if before, ok := positions[l.Position()]; ok && m.folded == 0 && before != now {
					t.Fatalf("position of %s is %s's too", before, now)
				}
				for p, before := range positions {
					if before == now && p != l.Position() {
						t.Fatalf("%s has two positions", now)
					}
				}
				positions[l.Position()] = now
			},
		})
	})
}
