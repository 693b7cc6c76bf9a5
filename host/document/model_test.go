package document

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fcp-host/fcp-host/host/journal"
)

// model is the expected document of the list plugin: every state it has had, as a list of lines.
type model struct {
	states []state // states[0] is the baseline
	cursor int
	marks  []mark
	serial int
	batch  int
	saved  int
	each   bool
}

type state struct {
	lines []string
	id    int // unique
	batch int
}

type mark struct {
	name string
	at   int
}

func (m *model) now() *state { return &m.states[m.cursor] }

// run does one op to lines. changed is false for an op without events.
func run(op string, lines []string) (out []string, changed, ok bool) {
	words := strings.Fields(op)
	lines = slices.Clone(lines)
	switch words[0] {
	case "add":
		n := 1
		if len(words) == 3 {
			fmt.Sscanf(words[2], "n:%d", &n)
		}
		for range n {
			lines = append(lines, words[1])
		}
		return lines, true, true
	case "remove":
		i := slices.Index(lines, words[1])
		if i < 1 {
			return lines, false, false
		}
		return slices.Delete(lines, i, i+1), true, true
	case "quiet":
		return lines, false, true
	}
	return lines, false, false // half, stray, nonsense, panic
}

// apply runs a call on the model, and reports whether it succeeded as a whole.
func (m *model) apply(ops []string) bool {
	lines, all := m.now().lines, true
	var fresh []state
	for _, op := range ops {
		if op == "panic" {
			return false
		}
		next, changed, ok := run(op, lines)
		if !ok {
			all = false
			if !m.each {
				return false
			}
			continue
		}
		lines = next
		if changed {
			m.serial++
			fresh = append(fresh, state{lines, m.serial, m.batch + 1})
		}
	}
	if len(fresh) > 0 {
		m.batch++
		m.cut()
		m.states = append(m.states, fresh...)
		m.cursor = len(m.states) - 1
	}
	return all
}

func (m *model) cut() {
	m.states = m.states[:m.cursor+1]
	m.marks = slices.DeleteFunc(m.marks, func(k mark) bool { return k.at > m.cursor })
}

func TestADocumentIsAlwaysWhatASimpleModelSaysItIs(t *testing.T) {
	dom, journals := list(t), journalDir(t, journal.Limits{})
	rapid.Check(t, func(rt *rapid.T) {
		d := blank(t, dom)
		defer func() { d.Close() }()
		d.keep(journals)
		m := &model{states: []state{{lines: []string{"#list T"}}}}
		expect := func(what string, failed, want bool, text fmt.Stringer) {
			if failed != want {
				rt.Fatalf("%s: failed is %v, want %v:\n%s", what, failed, want, text)
			}
		}
		word := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		op := rapid.Custom(func(t *rapid.T) string {
			switch rapid.IntRange(0, 11).Draw(t, "kind") {
			case 0, 1, 2, 3, 4:
				return "add " + word.Draw(t, "word")
			case 5:
				return fmt.Sprintf("add %s n:%d", word.Draw(t, "word"), rapid.IntRange(1, 5).Draw(t, "n"))
			case 6, 7, 8:
				return "remove " + word.Draw(t, "word")
			case 9:
				return "quiet"
			case 10:
				return rapid.SampledFrom([]string{"half", "half", "nonsense", "add x y:1", "stray"}).Draw(t, "refusal")
			}
			return rapid.SampledFrom([]string{"panic", "quiet", "quiet"}).Draw(t, "rare")
		})
		name := rapid.SampledFrom([]string{"p", "q"})
		rt.Repeat(map[string]func(*rapid.T){
			"apply": func(t *rapid.T) {
				ops := rapid.SliceOfN(op, 1, 6).Draw(t, "ops")
				for i, o := range ops {
					switch {
					case o == "add x y:1":
						ops[i] = "nonsense" // both are refused by the host
					case o == "stray" && m.each:
						ops[i] = "half" // otherwise the ops after it would depend on its leftovers
					}
				}
				ok := m.apply(ops)
				r := d.Apply(ctx, ops)
				expect(strings.Join(ops, "; "), r.Failed, !ok, r)
			},
			"undo": func(t *rapid.T) {
				n := rapid.IntRange(1, 4).Draw(t, "n")
				r := d.Undo(ctx, n, false)
				expect("undo", r.Failed, m.cursor == 0, r)
				m.cursor = max(0, m.cursor-n)
			},
			"undo batch": func(t *rapid.T) {
				r := d.UndoBatch(ctx, false)
				expect("undo batch", r.Failed, m.cursor == 0, r)
				for b := m.now().batch; m.cursor > 0 && m.now().batch == b; {
					m.cursor--
				}
			},
			"redo": func(t *rapid.T) {
				n := rapid.IntRange(1, 4).Draw(t, "n")
				r := d.Redo(ctx, n)
				expect("redo", r.Failed, m.cursor == len(m.states)-1, r)
				m.cursor = min(len(m.states)-1, m.cursor+n)
			},
			"checkpoint": func(t *rapid.T) {
				k := name.Draw(t, "name")
				r := d.Checkpoint(ctx, k)
				expect("checkpoint", r.Failed, false, r)
				m.cut()
				m.marks = slices.DeleteFunc(m.marks, func(x mark) bool { return x.name == k })
				m.marks = append(m.marks, mark{k, m.cursor})
			},
			"undo to": func(t *rapid.T) {
				k := name.Draw(t, "name")
				i := slices.IndexFunc(m.marks, func(x mark) bool { return x.name == k })
				ok := i >= 0 && m.marks[i].at < m.cursor
				r := d.UndoTo(ctx, k, false)
				expect("undo to "+k, r.Failed, !ok, r)
				if ok {
					m.cursor = m.marks[i].at
				}
			},
			"batch mode": func(t *rapid.T) {
				m.each = rapid.Bool().Draw(t, "each")
				d.Each(ctx, m.each)
			},
			"save": func(t *rapid.T) {
				r := d.Save(ctx, "./t.list", false)
				expect("save", r.Failed, false, r)
				m.saved = m.now().id
			},
			"lose the host":     func(t *rapid.T) { d.die() },
			"lose the journal":  func(t *rapid.T) { d.rewrite() },
			"lose the instance": func(t *rapid.T) { d.drop() },
			"kill the worker": func(t *rapid.T) {
				if rapid.IntRange(0, 15).Draw(t, "luck") == 0 {
					d.kill()
				}
			},
			"": func(t *rapid.T) {
				want := strings.Join(m.now().lines, "\n")
				if got := d.bytes(); got != want {
					t.Fatalf("the document is %q, want %q", got, want)
				}
				sum := d.Summary()
				if want := fmt.Sprintf("%d lines", len(m.now().lines)); sum.Digest != want {
					t.Fatalf("the digest is %s, want %s", sum.Digest, want)
				}
				if want := m.now().id != m.saved; sum.Dirty != want {
					t.Fatalf("unsaved changes: %v, want %v", sum.Dirty, want)
				}
				if u, r := d.log.Cursor(), d.log.Len()-d.log.Cursor(); u != m.cursor || r != len(m.states)-1-m.cursor {
					t.Fatalf("%d to undo and %d to redo, want %d and %d", u, r, m.cursor, len(m.states)-1-m.cursor)
				}
			},
		})
		if got, want := d.replayed(), strings.Join(m.now().lines, "\n"); got != want {
			rt.Fatalf("replayed on a fresh instance: %q, want %q", got, want)
		}
	})
}
