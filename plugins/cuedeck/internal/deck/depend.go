package deck

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// cycleWith returns the path from a card back to itself that would exist if its dependencies were deps.
func (w *Workspace) cycleWith(k *Card, deps []string) []string {
	if slices.Contains(deps, k.ID) {
		return []string{k.ID, k.ID}
	}
	for _, id := range deps {
		if slices.Contains(w.allDeps(id), k.ID) {
			return append([]string{k.ID}, w.pathTo(id, k.ID)...)
		}
	}
	return nil
}

// pathTo returns a path of dependencies from one card to another.
func (w *Workspace) pathTo(from, to string) []string {
	before := map[string]string{}
	queue := []string{from}
	for len(queue) > 0 && before[to] == "" {
		id := queue[0]
		queue = queue[1:]
		for _, next := range w.directDeps(id) {
			if before[next] == "" {
				before[next] = id
				queue = append(queue, next)
			}
		}
	}
	out := []string{to}
	for at := before[to]; ; at = before[at] {
		out = append(out, at)
		if at == from {
			break
		}
	}
	slices.Reverse(out)
	return out
}

func connectVerb() verb {
	return verb{Run: connect, Verb: abi.Verb{
		Name: "connect", Syntax: "connect CARD -> CARD [-> CARD…]", Summary: "make the first card depend on the second, so that it waits until that is done; cycles are refused",
		Brief: `connect A -> B · A depends on B, or on each of "B,C"`, Category: "cards", Min: 2, Max: -1, Examples: []string{`connect "Write the login page" -> "Set up the build"`},
	}}
}

func disconnectVerb() verb {
	return verb{Run: disconnect, Verb: abi.Verb{
		Name: "disconnect", Syntax: "disconnect CARD -> CARD", Summary: "remove the dependency of the first card on the second", Brief: "disconnect A -> B", Category: "cards",
		Min: 2, Max: -1, Examples: []string{`disconnect "Write the login page" -> "Set up the build"`},
	}}
}

// pairs reads A -> B -> C as pairs of a card and a dependency. The dependency is an id, possibly of a card that no longer exists.
func pairs(c *ctx, a pdk.Args) (out [][2]string, err error) {
	words := a.Positionals
	if len(words)%2 == 0 {
		return nil, needsArrows(a)
	}
	ref := func(i int) ([]string, error) {
		ids, err := c.Model.resolve(words[i].Text)
		if err == nil && len(ids) > 0 {
			return ids, nil
		}
		if i > 0 && slices.ContainsFunc(c.Model.Missing(), func(m [2]string) bool { return m[1] == words[i].Text }) && a.Verb == "disconnect" {
			return []string{words[i].Text}, nil
		}
		if err == nil {
			err = needsArrows(a)
		}
		return nil, err
	}
	for i := 1; i < len(words); i += 2 {
		if !a.IsArrow(i) || words[i].Text != "->" && words[i].Text != "<-" {
			return nil, needsArrows(a)
		}
		from, to := i-1, i+1
		if words[i].Text == "<-" {
			from, to = to, from
		}
		waiting, err := ref(from)
		if err != nil {
			return nil, err
		}
		needed, err := ref(to)
		if err != nil {
			return nil, err
		}
		for _, x := range waiting {
			if c.Model.byID[x] == nil {
				return nil, pdk.Errorf("no card %s", pdk.Quote(x))
			}
			for _, y := range needed {
				out = append(out, [2]string{x, y})
			}
		}
	}
	return out, nil
}

// needsArrows returns the error for an op without the arrows it needs.
func needsArrows(a pdk.Args) error {
	err := pdk.Errorf("%s is CARD -> CARD; a title of several words is quoted", a.Verb)
	if joined := strings.NewReplacer(`", "`, ",", `","`, ",").Replace(a.Raw); joined != a.Raw {
		return pdk.Errorf("several titles need one pair of quotes: %s A -> \"B,C\"", a.Verb).Try(joined)
	}
	if len(a.Positionals) == 2 && len(a.Arrows) == 0 {
		err.Try(a.Verb + " " + pdk.Quote(a.Text(0)) + " -> " + pdk.Quote(a.Text(1)))
	}
	return err
}

func connect(c *ctx, a pdk.Args) error {
	list, err := pairs(c, a)
	if err != nil {
		return err
	}
	var said []string
	for _, p := range list {
		k := c.Model.byID[p[0]]
		if k.Broken != nil {
			return k.unreadable()
		}
		if slices.Contains(k.DependsOn, p[1]) {
			continue
		}
		if way := c.Model.cycleWith(k, []string{p[1]}); way != nil {
			return cycleError(way)
		}
		if _, err := Update(c, k, "connect "+p[0]+" -> "+p[1], Change{Key: "depends_on", List: append(slices.Clone(k.DependsOn), p[1]), Part: true}); err != nil {
			return err
		}
		said = append(said, c.Model.byID[p[0]].String()+" -> "+c.Model.byID[p[1]].String())
	}
	if len(said) == 0 {
		return pdk.Unchanged("%s already depends on %s", c.Model.byID[list[0][0]], c.Model.byID[list[0][1]])
	}
	c.Connected("%s", pdk.List(said, 5))
	return nil
}

func disconnect(c *ctx, a pdk.Args) error {
	list, err := pairs(c, a)
	if err != nil {
		return err
	}
	var said []string
	for _, p := range list {
		k := c.Model.byID[p[0]]
		if k.Broken != nil {
			return k.unreadable()
		}
		if !slices.Contains(k.DependsOn, p[1]) {
			err := pdk.Errorf("%s does not depend on %s", k, pdk.Quote(p[1]))
			if on := c.Model.byID[p[1]]; on != nil && slices.Contains(c.Model.directDeps(p[1]), p[0]) {
				err.Message += "; it is the other way round"
				err.Tryf("disconnect %s -> %s", pdk.Quote(p[1]), pdk.Quote(p[0]))
			} else {
				err.TryQuery("deps " + pdk.Quote(p[0]))
			}
			return err
		}
		if _, err := Update(c, k, "disconnect "+p[0]+" -> "+p[1], Change{Key: "depends_on", List: without(k.DependsOn, p[1]), Part: true}); err != nil {
			return err
		}
		said = append(said, c.Model.byID[p[0]].String()+" -> "+pdk.Quote(p[1]))
	}
	c.Deleted("%s", pdk.List(said, 5))
	return nil
}

// without returns a list without a word. It is never nil.
func without(list []string, word string) []string {
	return slices.DeleteFunc(append([]string{}, list...), func(s string) bool { return s == word })
}

func tagVerb() verb {
	return verb{Run: tag, Verb: abi.Verb{
		Name: "tag", Syntax: "tag CARD|SEL +TAG… -TAG…", Summary: "add tags to cards, and remove others", Brief: "tag CARD|SEL +x -y", Category: "cards",
		Select: true, Min: 1, Max: -1, Examples: []string{`tag "Set up the build" +infra -auth`, "tag @status:todo +later", `tag "Set up the build" "+two words"`},
	}}
}

// quotedTags refuses tags with quotes in them, for which the quotes belong around the sign, too: "-two words". A tag that a card
// has can be removed.
func quotedTags(a pdk.Args, words []string, cards []*Card) error {
	bad := func(word string) bool {
		has := slices.ContainsFunc(cards, func(k *Card) bool {
			return k.Card != nil && strings.HasPrefix(word, "-") && slices.Contains(k.Tags, word[1:])
		})
		return !has && (strings.Contains(word, `"`) || strings.HasPrefix(strings.TrimLeft(word, "+-"), "'"))
	}
	if !slices.ContainsFunc(words, bad) {
		return nil
	}
	var meant []string
	open := false
	for _, word := range words {
		bare := strings.NewReplacer(`"`, "", "'", "").Replace(word)
		if open {
			meant[len(meant)-1] += " " + bare
		} else {
			meant = append(meant, bare)
		}
		if strings.Count(word, `"`)%2+strings.Count(word, "'")%2 == 1 {
			open = !open
		}
	}
	at := len(a.Positionals) - len(words)
	return pdk.Errorf(`a tag has no quotes in it; put those around a tag with blanks before its sign: "-two words"`).Try(a.Mended(pdk.WithWords(at, len(words), meant...)))
}

func tag(c *ctx, a pdk.Args) error {
	w := c.Model
	words := a.Texts(0)
	var cards []*Card
	var err error
	w.now = c.Now()
	if len(a.Selectors) > 0 {
		if cards, err = selection.Select(w, c.Recent, a.Selectors); err == nil && len(cards) == 0 {
			err = pdk.NothingMatches(a.Selectors)
		}
	} else {
		var k *Card
		k, err = w.find(words[0], false)
		cards, words = []*Card{k}, words[1:]
	}
	if err != nil {
		return err
	}
	if err := quotedTags(a, words, cards); err != nil {
		return err
	}
	var more, less []string
	for _, word := range words {
		name := strings.TrimPrefix(strings.TrimLeft(word, "+-"), "#")
		list := tags(name)
		if len(list) != 1 {
			return pdk.Errorf("%s is not a tag: tag CARD +new -old", pdk.Quote(word))
		}
		if strings.HasPrefix(word, "-") {
			less = append(less, list[0])
		} else {
			more = append(more, list[0])
		}
	}
	if len(more)+len(less) == 0 {
		return pdk.Errorf("tag needs +TAG or -TAG")
	}
	what := pdk.Line(strings.Join(words, " "), 300)
	var done []*Card
	for _, k := range cards {
		if k.Broken != nil {
			return k.unreadable()
		}
		want := slices.DeleteFunc(append([]string{}, k.Tags...), func(t string) bool { return slices.Contains(less, t) })
		for _, t := range more {
			if !slices.Contains(want, t) {
				want = append(want, t)
			}
		}
		is, err := Update(c, k, "tag "+k.ID+" "+what, Change{Key: "tags", List: want, Part: true})
		if err != nil {
			return err
		}
		if is != k {
			done = append(done, is)
		}
	}
	if len(done) == 0 {
		return pdk.Unchanged("%s already has these tags", printCards(cards))
	}
	if len(done) == 1 {
		c.Changed("%s tags: %s", done[0], cmp.Or(pdk.Line(strings.Join(done[0].Tags, ", "), 300), "none"))
	} else {
		c.Changed("%s: %s", what, printCards(done))
	}
	return nil
}
