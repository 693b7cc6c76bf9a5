package deck

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/awkward"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/card"
	"pgregory.net/rapid"
)

// gen generates ops, most of which fit the workspace.
type gen struct {
	soak.Draw
	cards []string // ids and titles
	r     *rand.Rand
}

// card returns a card, sometimes one that does not exist.
func (g *gen) card() string {
	if g.Num("bogus", 0, 20) == 0 || len(g.cards) == 0 {
		return "nobody"
	}
	return pdk.Quote(rapid.SampledFrom(g.cards).Draw(g.T, "card"))
}

func (g *gen) targets() string {
	if g.Num("targets", 0, 3) == 0 {
		return g.Pick("selector", "@all", "@status:todo", "@ready", "@blocked", "@orphan", "@tag", "@recent:2", "@path:a*", "@created:>2w", "@not:status:done")
	}
	return g.card()
}

func (g *gen) word() string { return pdk.Quote(awkward.Word(g.r)) }

func (g *gen) text() string {
	return pdk.Quote(awkward.Body(g.r, "\n"))
}

func (g *gen) fields() string {
	return g.Maybe("status:"+g.Pick("status", card.Statuses...)) + g.Maybe("priority:"+g.Pick("priority", card.Priorities...)) + g.Maybe("assignee:"+g.word()) + g.Maybe("tags:"+g.word()) + g.Maybe("depends:"+g.card())
}

func (g *gen) op() string {
	switch g.Num("verb", 0, 15) {
	case 0, 1:
		title := awkward.Word(g.r)
		g.cards = append(g.cards, strings.Join(strings.Fields(title), " "))
		return "add card " + pdk.Quote(title) + g.fields() + g.Maybe("text:"+g.text())
	case 2:
		return "add doc docs/" + g.Pick("doc", "a", "b", "plan") + ".md" + g.Maybe("text:"+g.text())
	case 3, 4, 5:
		return "modify " + g.targets() + g.fields() + g.Maybe("title:"+g.word())
	case 6:
		return "tag " + g.targets() + " " + pdk.Quote("+"+awkward.Word(g.r)) + " " + g.Pick("less", "-db", "-infra", "-none")
	case 7:
		return "connect " + g.card() + g.Pick("arrow", " -> ", " <- ") + g.card()
	case 8:
		return "disconnect " + g.card() + " -> " + g.card()
	case 9:
		return "note " + g.card() + " " + g.word()
	case 10:
		return "section " + g.Pick("where", "docs/plan.md", "docs/plan.md#Risks", "docs/api.md#login-flow", "bbbbbb", "bbbbbb#Notes") + " " + g.Pick("how", "set", "append", "rename", "replace e") + " " + g.text()
	case 11:
		return "check " + g.card() + " " + g.Pick("item", "1", "all", "tables", "item") + g.Maybe("done:false")
	case 12:
		return "archive " + g.targets()
	case 13:
		return "remove " + g.Pick("what", g.targets(), "docs/api.md", "docs/a.md")
	case 14:
		return g.Pick("twin", "copy "+g.card()+g.Maybe("title:"+g.word()), "repeat "+g.card()+" count:2")
	}
	return "repair " + g.Pick("what", "all", g.card())
}

// awkwardProject returns the project with some awkward cards.
func awkwardProject(r *rand.Rand) map[string]string {
	files := maps.Clone(project)
	for i := range r.IntN(4) {
		files[fmt.Sprintf("%swild%02d.md", Cards, i)] = awkward.New(r).Text()
	}
	return files
}

// Undo, redo, replay and saving must be exact to the byte for random ops. No op may make a file unreadable, and files that no event
// names keep their bytes.
func TestRandomOpsKeepTheLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := &gen{Draw: soak.Draw{T: rt}}
		g.r = rand.New(rand.NewPCG(uint64(g.Num("seed", 0, 1<<30)), 1))
		files := awkwardProject(g.r)
		doc := pdktest.OpenFolder(t, Domain(), maps.Clone(files), world())
		for name := range files {
			if isCard(name) {
				g.cards = append(g.cards, idOf(name))
			}
		}
		slices.Sort(g.cards)
		ops := []string{"tag eeeeee +kept"}
		for range g.Num("ops", 1, 8) {
			ops = append(ops, g.op())
		}
		doc.Laws(ops...)
		for name, text := range doc.Files() {
			if _, err := card.Parse(text); err != nil && isCard(name) && text != files[name] {
				rt.Fatalf("%q made of %s what cannot be read: %v\n%s", ops, name, err, text)
			}
		}
	})
}

// A thousand awkward cards are created, updated and listed, and undo must restore them to the byte.
func TestAwkwardCardsThroughAllOps(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const each = 100
	for range soak.Times(2, 10) {
		files := map[string]string{}
		for i := range each {
			files[fmt.Sprintf("%sw%05d.md", Cards, i)] = awkward.New(r).Text()
		}
		doc := pdktest.OpenFolder(t, Domain(), maps.Clone(files), world())
		if broken := strings.Count(doc.Query("list"), " broken: "); broken > 0 {
			t.Fatalf("%d cards cannot be read", broken)
		}
		var made []string
		for range each {
			title := strings.Join(strings.Fields(awkward.Word(r)), " ")
			if title == "" {
				title = "x"
			}
			made = append(made, title)
			doc.Do("add card " + pdk.Quote(title) + " assignee:" + pdk.Quote(awkward.Word(r)) + " tags:" + pdk.Quote(awkward.Word(r)+","+awkward.Word(r)))
		}
		listed := strings.Split(doc.Query("list @created:2026-01-02"), "\n")
		for i, title := range made {
			if want := quoted(pdk.Line(title, 60)); !strings.Contains(listed[i], want) {
				t.Fatalf("%q is listed as %s", title, listed[i])
			}
		}
		before := doc.Files()
		for name := range files {
			id := idOf(name)
			op := "modify " + id + " status:done priority:high assignee:" + pdk.Quote(awkward.Word(r))
			doc.Do(op)
			after := doc.Files()
			for other, text := range after {
				if text != before[other] && other != name {
					t.Fatalf("%s changed %s", op, other)
				}
			}
			if k, err := card.Parse(after[name]); err != nil || k.Status != "done" || !strings.HasSuffix(after[name], tail(t, before[name])) {
				t.Fatalf("%s: %v\n%q\n%q", op, err, before[name], after[name])
			}
			before = after
		}
		doc.Undo(2 * each)
		if !maps.Equal(doc.Files(), files) {
			t.Fatal("what was undone is not as it was")
		}
	}
}

// tail returns the text after the front matter.
func tail(t *testing.T, text string) string {
	k, err := card.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return text[k.Body:]
}
