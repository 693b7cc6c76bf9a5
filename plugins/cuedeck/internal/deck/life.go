package deck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/card"
)

func archiveVerb() verb {
	return verb{Run: archive, Verb: abi.Verb{
		Syntax: "archive CARD|SEL", Summary: "archive cards: status archived; the file stays", Category: "cards",
		Examples: []string{`archive "Set up the build"`, "archive @priority:low"},
	}}
}

func archive(c *ctx, a pdk.Args) error {
	cards, err := targets(c, a, true)
	if err != nil {
		return err
	}
	var done []*Card
	before := c.Model.readyCards()
	for _, k := range cards {
		is, err := Update(c, k, "archive "+k.ID, Change{Key: "status", Text: "archived"})
		if err != nil {
			return err
		}
		if is != k {
			done = append(done, is)
		}
	}
	if len(done) == 0 {
		return pdk.Unchanged("%s: already archived", printCards(cards))
	}
	c.Changed("archived %s%s", printCards(done), c.Model.newlyReady(before, done))
	return nil
}

func removeVerb() verb {
	return verb{Run: remove, Verb: abi.Verb{
		Syntax: "remove CARD|PATH|SEL", Summary: "delete the files of cards or of a doc, and dependencies on them (archive keeps them)", Brief: "remove CARD|PATH|SEL · deletes files; archive keeps them", Category: "cards",
		Examples: []string{`remove "Set up the build"`, "remove @priority:low", "remove docs/plan.md"},
	}}
}

func remove(c *ctx, a pdk.Args) error {
	w := c.Model
	if name := strings.TrimPrefix(a.Text(0), "./"); len(a.Selectors) == 0 && w.Files.Has(name) && IsDoc(name) {
		if err := c.RemoveFile(name, short("remove %s", name), fileID(name)...); err != nil {
			return err
		}
		c.Deleted("%s", pdk.Quote(name))
		return nil
	}
	cards, err := targets(c, a, true)
	if err != nil {
		return err
	}
	what := printCards(cards)
	var freed []string
	for _, k := range cards {
		if err := c.RemoveFile(k.Path, short("remove %s", k.ID), fileID(k.ID)...); err != nil {
			return err
		}
	}
	for _, k := range slices.Clone(w.Cards()) {
		if k.Card == nil {
			continue
		}
		left := slices.DeleteFunc(append([]string{}, k.DependsOn...), func(id string) bool {
			return w.byID[id] == nil && slices.ContainsFunc(cards, func(gone *Card) bool { return gone.ID == id })
		})
		if len(left) == len(k.DependsOn) {
			continue
		}
		if _, err := Update(c, k, "disconnect "+k.ID, Change{Key: "depends_on", List: left, Part: true}); err != nil {
			return err
		}
		freed = append(freed, k.ID)
	}
	if len(freed) > 0 {
		what += "; no longer wait for it: " + pdk.List(freed, 5)
	}
	c.Deleted("%s", what)
	return nil
}

func copyVerb() verb {
	return verb{Run: copyCard, Verb: abi.Verb{
		Syntax: "copy CARD [title:T]", Summary: "copy a card with its text, tags and dependencies; the copy is todo", Category: "cards",
		Examples: []string{`copy "Set up the build" title:"Set up the release"`},
	}}
}

var copies = value.Key[int]{Name: "count", Type: value.Int(1, 50), Default: 1}

func repeatVerb() verb {
	return verb{Run: repeat, Keys: []pdk.Parameter{copies}, Verb: abi.Verb{
		Syntax: "repeat CARD count:N", Summary: "make N copies of a card, numbered", Category: "cards",
		Examples: []string{`repeat "Set up the build" count:2`},
	}}
}

func copyCard(c *ctx, a pdk.Args) error {
	k, err := c.Model.find(a.Text(0), false)
	if err != nil {
		return err
	}
	if k.Broken != nil {
		return k.unreadable()
	}
	is, err := copyOf(c, k, strings.Join(strings.Fields(strings.ToValidUTF8(a.String("title", k.Title+" (copy)"), "\ufffd")), " "))
	if err != nil {
		return err
	}
	c.Created("%s", c.Model.cardLine(is))
	return nil
}

func repeat(c *ctx, a pdk.Args) error {
	if !a.Has("count") {
		return pdk.Errorf("repeat needs count:N").Try(a.Mended(pdk.WithParam("count", "2")))
	}
	k, err := c.Model.find(a.Text(0), false)
	if err != nil {
		return err
	}
	if k.Broken != nil {
		return k.unreadable()
	}
	var made []*Card
	for number := 2; len(made) < copies.Of(a); number++ {
		title := fmt.Sprintf("%s %d", k.Title, number)
		if hits, _ := c.Model.titles.Find(title, true); len(hits) > 0 {
			continue
		}
		is, err := copyOf(c, k, title)
		if err != nil {
			return err
		}
		made = append(made, is)
	}
	c.Created("%s: %s", pdk.Count(len(made), "card"), printCards(made))
	return nil
}

// copyOf adds a copy of a card. Fields that do not change keep their notation.
func copyOf(c *ctx, k *Card, title string) (*Card, error) {
	w := c.Model
	if title == "" {
		return nil, pdk.Errorf("a card needs a title")
	}
	at := stamp(w.creationTime(c.Now()))
	next, err := k.SetTitle(title)
	for _, ch := range [][2]string{{"status", "todo"}, {"created", at}, {"updated", at}} {
		if err == nil {
			next, err = next.Set(ch[0], ch[1])
		}
	}
	if err != nil {
		return nil, pdk.Errorf("%s: %v", k.Path, err)
	}
	id := w.unused(c.Now(), c.Nonce(), title)
	name := Cards + id + ".md"
	if err := c.PutFile(name, []byte(next.Text), short("copy %s to %s", k.ID, id), id); err != nil {
		return nil, err
	}
	return w.byPath[name], nil
}

func repairVerb() verb {
	return verb{Run: repair, Verb: abi.Verb{
		Syntax: "repair CARD|all", Summary: "repair the front matter of broken cards: values that need quotes, duplicate keys, a missing ---; no text is lost", Category: "cards",
		Examples: []string{"repair all"},
	}}
}

func repair(c *ctx, a pdk.Args) error {
	w := c.Model
	var cards []*Card
	if strings.EqualFold(a.Text(0), "all") && w.byID[a.Text(0)] == nil {
		cards = slices.DeleteFunc(slices.Clone(w.Cards()), func(k *Card) bool { return k.Broken == nil })
		if len(cards) == 0 {
			return pdk.Unchanged("no card is broken")
		}
	} else {
		k, err := w.find(a.Text(0), true)
		if err != nil {
			return err
		}
		if k.Broken == nil {
			return pdk.Unchanged("%s is not broken", k)
		}
		cards = []*Card{k}
	}
	var said []string
	for _, k := range cards {
		text, did, err := card.Repair(string(w.Files.Get(k.Path)))
		if err != nil {
			if len(cards) > 1 {
				c.Warn("%s", short("%s is left as it is: %v", k.Path, err))
				continue
			}
			return pdk.Errorf("%s cannot be repaired: %v; it is unchanged", k.Path, err).TryQuery("read " + pdk.Quote(k.Path))
		}
		if err := c.PutFile(k.Path, []byte(text), short("repair %s", k.ID), fileID(k.ID)...); err != nil {
			return err
		}
		said = append(said, w.byPath[k.Path].String()+": "+pdk.Line(strings.Join(did, "; "), 150))
	}
	if len(said) == 0 {
		return pdk.Errorf("%s cannot be repaired: edit them by hand", pdk.Count(len(cards), "card")).TryQuery("doctor")
	}
	const shown = 20
	if more := len(said) - shown; more > 0 {
		said = append(said[:shown], fmt.Sprintf("and %d more", more))
	}
	c.Changed("%s", strings.Join(said, "\n"))
	return nil
}
