package folder

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"

	"pgregory.net/rapid"

	"github.com/fcp-host/fcp-host/host/files"
)

// Two hosts and an editor work on one folder, also in the middle of each other's
// saves; hosts die and are restarted.
func TestUnracedTheFolderHoldsWhatItsWritersWrote(t *testing.T) {
	testwasm.Unraced(t)
	inMemory(t)
	names := []string{"a.md", "b.md", "d/a.md", "d/e/c.md", ".deck/cards/k.md"}
	rapid.Check(t, func(r *rapid.T) {
		p := newPlace(t, nil)
		defer os.RemoveAll(p.dir)
		model := map[string]string{} // the expected files
		texts := 0
		text := func() string { // never twice the same, so that no edit is mistaken for another
			texts++
			return fmt.Sprint(texts)
		}
		edit := func(name string) (did bool) {
			switch rapid.SampledFrom([]string{"write", "swap", "remove"}).Draw(r, "the editor is to") {
			case "write":
				model[name] = text()
				p.put(name, model[name])
			case "swap":
				model[name] = text()
				p.swap(name, model[name])
			case "remove":
				delete(model, name)
				return os.Remove(p.path(name)) == nil
			}
			return true
		}
		type client struct {
			f    *Folder
			view map[string]string // as its user has it: from snapshots, saves and changes alone
		}
		open := func(c *client) {
			if c.f != nil {
				c.f.Close()
			}
			f, s, err := Open(p.root(), deck, userKey, Limits{})
			if err != nil {
				r.Fatal(err)
			}
			c.f, c.view = f, contents(s)
		}
		look := func(c *client) {
			changes, _, err := c.f.Changed()
			if err != nil {
				r.Fatal(err)
			}
			for _, change := range changes {
				if old, ok := c.view[change.Path]; ok != (change.Before != nil) || old != string(change.Before) {
					r.Fatalf("before: %s, the view has %q", spell(changes), old)
				}
				delete(c.view, change.Path)
				if change.After != nil {
					c.view[change.Path] = string(change.After)
				}
			}
			if !maps.Equal(c.view, model) {
				r.Fatalf("the view is\n%s\nwant\n%s", show(c.view), show(model))
			}
		}
		save := func(c *client, meanwhile string) {
			var changes []Change
			outdated := false
			saved := maps.Clone(model)
			for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 4, rapid.ID).Draw(r, "save") {
				ch := Change{Path: name}
				if old, ok := c.view[name]; ok {
					ch.Before = []byte(old)
				}
				was, there := model[name]
				outdated = outdated || there != (ch.Before != nil) || was != string(ch.Before)
				delete(saved, name)
				if ch.Before == nil || rapid.Bool().Draw(r, "not removed") {
					ch.After = []byte(text())
					saved[name] = string(ch.After)
				}
				changes = append(changes, ch)
			}
			at, n := rapid.IntRange(1, 30).Draw(r, "step"), 0
			edited := ""
			old := maps.Clone(model)
			c.f.between = func() {
				if n++; n != at {
					return
				}
				switch meanwhile {
				case "edit":
					if name := rapid.SampledFrom(names).Draw(r, "edit"); edit(name) {
						edited = name
					}
				case "die":
					panic(errDied)
				}
			}
			var err error
			if dying(t, func() { _, err = c.f.Save(changes) }) {
				open(c)
				if !maps.Equal(c.view, old) && !maps.Equal(c.view, saved) {
					r.Fatalf("after a death in %s there is\n%s\nwas\n%s", spell(changes), show(c.view), show(old))
				}
				model = maps.Clone(c.view)
				if _, err := c.f.Finish(); err != nil {
					r.Fatal(err)
				}
			} else {
				result := saved
				if err != nil {
					result = old
				}
				if outdated && err == nil || err != nil && !errors.Is(err, files.ErrChanged) {
					r.Fatalf("%s: %v; outdated: %v", spell(changes), err, outdated)
				}
				if !outdated && edited == "" && err != nil {
					r.Fatal(err)
				}
				if theirs, ok := model[edited]; ok {
					result[edited] = theirs
				} else if edited != "" {
					delete(result, edited)
				}
				model = result
				if err == nil {
					for _, change := range changes {
						delete(c.view, change.Path)
						if change.After != nil {
							c.view[change.Path] = string(change.After)
						}
					}
				}
			}
			c.f.between = func() {}
			all := p.all()
			maps.DeleteFunc(all, func(name, _ string) bool { return !slices.Contains(names, name) })
			if !maps.Equal(all, model) {
				r.Fatalf("%s with %q (%v) left\n%swant\n%s", spell(changes), edited, err, show(all), show(model))
			}
		}
		one, two := new(client), new(client)
		defer func() { one.f.Close(); two.f.Close() }()
		open(one)
		open(two)
		anyone := rapid.SampledFrom([]*client{one, two})
		r.Repeat(map[string]func(*rapid.T){
			"edit":  func(r *rapid.T) { edit(rapid.SampledFrom(names).Draw(r, "name")) },
			"look":  func(r *rapid.T) { look(anyone.Draw(r, "host")) },
			"open":  func(r *rapid.T) { open(anyone.Draw(r, "host")) },
			"save":  func(r *rapid.T) { save(anyone.Draw(r, "host"), "") },
			"die":   func(r *rapid.T) { c := anyone.Draw(r, "host"); look(c); save(c, "die") },
			"clash": func(r *rapid.T) { c := anyone.Draw(r, "host"); look(c); save(c, "edit") },
		})
		look(one)
		look(two)
		open(one)
		if !maps.Equal(one.view, model) {
			r.Fatalf("opened as\n%s\nwant\n%s", show(one.view), show(model))
		}
	})
}
