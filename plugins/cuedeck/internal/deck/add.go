package deck

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/card"
)

func fieldParams() []abi.Param {
	return []abi.Param{{Key: "status", Value: strings.Join(card.Statuses, "|")}, {Key: "priority", Value: strings.Join(card.Priorities, "|")}, {Key: "assignee", Value: "NAME"}, {Key: "tags", Value: "a,b"}, {Key: "depends", Value: "CARD,CARD"}}
}

func addVerb() verb {
	return verb{Run: add, Verb: abi.Verb{
		Name: "add", Syntax: "add card TITLE [status:S] [priority:P] [assignee:NAME] [tags:a,b] [depends:CARD,CARD] [text:MARKDOWN] | add doc PATH [text:MARKDOWN]",
		Summary: "make a card, or a Markdown file; a card that an earlier op of the same call made can be named by its title",
		Brief:   `add card TITLE [status:todo|active|done priority: assignee: tags:a,b depends:CARD|"TITLE,TITLE" text:MARKDOWN] · todo and medium unless said | add doc PATH [text:]`, Category: "cards",
		Params: append(fieldParams(), abi.Param{Key: "text", Value: "MARKDOWN"}), Min: 2, Max: -1,
		Examples: []string{`add card "Set up the build"`, `add card "Write the login page" priority:high assignee:@dev tags:auth,web depends:"Set up the build" text:"- [ ] form\n- [ ] errors"`, `add doc docs/plan.md text:"# Plan"`},
	}}
}

func add(c *ctx, a pdk.Args) error {
	what, ok := pdk.OneOf(a.Text(0), []string{"card", "doc"})
	switch {
	case !ok && isOne(a.Text(0), "item", "check", "step", "checkbox", "subtask") && len(a.Positionals) == 3:
		return pdk.Errorf("an item is a line of a card's text").Tryf("section %s append %s", pdk.Quote(a.Text(1)), pdk.Quote("- [ ] "+a.Text(2)))
	case !ok && len(a.Positionals) > 2:
		return pdk.Errorf("add makes a card or a doc, not %s", pdk.Quote(a.Text(0)))
	case len(a.Positionals) > 2:
		return c.Model.unquotedWords(a, 1)
	case !ok:
		return pdk.Errorf("add makes a card or a doc, not %s", pdk.Quote(a.Text(0))).Try(a.Mended(pdk.WithWords(0, 1, "card")))
	case what == "card":
		return addCard(c, a)
	}
	return addDoc(c, a)
}

func isOne(word string, list ...string) bool {
	_, ok := pdk.OneOf(word, list)
	return ok
}

// unquotedWords returns the error for words that need quotes: the items of a list, or the words of a title.
func (w *Workspace) unquotedWords(a pdk.Args, at int) error {
	for _, kv := range a.Params {
		if strings.Contains(kv.Value, `,"`) {
			return pdk.Errorf("several titles need one pair of quotes: %s:\"A,B\"", kv.Key).Try(strings.ReplaceAll(a.Raw, `","`, ","))
		}
	}
	err := pdk.Errorf("%s takes one title here, and texts with spaces are quoted", a.Verb)
	if _, unknown := w.find(strings.Join(a.Texts(0), " "), false); a.Verb == "add" || unknown == nil {
		err.Try(a.Mended(pdk.WithJoined(at)))
	}
	return err
}

func addDoc(c *ctx, a pdk.Args) error {
	w, name := c.Model, a.Text(1)
	if len(a.Params) > 1 || len(a.Params) == 1 && !a.Has("text") {
		return pdk.Errorf("a doc takes only text:")
	}
	if err := checkDocPath(name); err != nil {
		if fixed := name + ".md"; checkDocPath(fixed) == nil && !w.Files.Has(fixed) {
			err.Try(a.Mended(pdk.WithWords(1, 1, fixed)))
		}
		return err
	}
	for _, there := range w.Files.Names() {
		if strings.EqualFold(there, name) {
			return pdk.Errorf("%s already exists", there).TryQuery("describe " + pdk.Quote(there))
		}
	}
	text := strings.ToValidUTF8(a.String("text", ""), "\ufffd")
	if text == "" {
		text = "# " + strings.TrimSuffix(path.Base(name), path.Ext(name))
	}
	if err := c.PutFile(name, []byte(strings.TrimRight(text, "\n")+"\n"), short("add doc %s", name), fileID(name)...); err != nil {
		return err
	}
	c.Created("%s %d tokens", pdk.Quote(name), Tokens(len(w.Files.Get(name))))
	return nil
}

// checkDocPath refuses a path that a new doc cannot have.
func checkDocPath(name string) *pdk.Error {
	switch {
	case !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, "\\\x00"):
		return pdk.Errorf("%s is not a path below the workspace, such as docs/plan.md", pdk.Quote(pdk.Line(name, 80)))
	case !strings.HasSuffix(name, ".md"):
		return pdk.Errorf("a doc is a .md file")
	case isCard(name):
		return pdk.Errorf("%s holds cards: add card TITLE makes one", Cards)
	case !IsDoc(name):
		return pdk.Errorf("%s is reserved for the scene", Scene)
	}
	for i, e := range strings.Split(name, "/") {
		if strings.HasPrefix(e, ".") && (i > 0 || e != Marker) {
			return pdk.Errorf("%s is hidden, and a workspace has no hidden files", e)
		}
	}
	return nil
}

func addCard(c *ctx, a pdk.Args) error {
	f := card.Fields{Title: a.Text(1), Text: a.String("text", ""), Assignee: a.String("assignee", "")}
	changes, err := fields(c, a)
	if err != nil {
		return err
	}
	for _, ch := range changes {
		switch ch.Key {
		case "status":
			f.Status = ch.Text
		case "priority":
			f.Priority = ch.Text
		case "tags":
			f.Tags = ch.List
		case "depends_on":
			f.DependsOn = ch.List
		}
	}
	k, err := Create(c, f)
	if err != nil {
		return err
	}
	c.Created("%s", c.Model.cardLine(k))
	if twins, _ := c.Model.titles.Find(k.Title, true); len(twins) > 1 {
		c.Warn("%s", short("%s have the same title: name them by their ids", printCards(twins)))
	}
	return nil
}

// fields reads the parameters that set keys of the front matter.
func fields(c *ctx, a pdk.Args) (out []Change, err error) {
	for _, kv := range a.Params {
		ch := Change{Key: kv.Key, Text: kv.Value}
		switch kv.Key {
		case "status":
			ch.Text, err = word(a, kv, card.Statuses)
		case "priority":
			ch.Text, err = word(a, kv, card.Priorities)
		case "title":
			if ch.Text = strings.Join(strings.Fields(strings.ToValidUTF8(kv.Value, "\ufffd")), " "); ch.Text == "" {
				err = pdk.Errorf("a card needs a title")
			}
		case "assignee":
			ch.Text = strings.Join(strings.Fields(strings.ToValidUTF8(kv.Value, "\ufffd")), " ")
		case "tags":
			ch.List = tags(kv.Value)
		case "depends":
			ch.Key = "depends_on"
			ch.List, err = c.Model.resolve(kv.Value)
		default:
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, ch)
	}
	return out, nil
}

// word reads a value that must be one of list.
func word(a pdk.Args, kv abi.KeyValue, list []string) (string, error) {
	if w, ok := pdk.OneOf(kv.Value, list); ok {
		return w, nil
	}
	err := pdk.Errorf("%s:%s is not one of %s", kv.Key, pdk.Quote(pdk.Line(kv.Value, 40)), strings.Join(list, " "))
	near := pdk.Nearest(kv.Value, list)
	if means, ok := otherWords[strings.ToLower(kv.Value)]; ok && slices.Contains(list, means) {
		near = []string{means}
	}
	for _, near := range near {
		err.Try(a.Mended(pdk.WithParam(kv.Key, near)))
	}
	return "", err
}

// otherWords maps other names of statuses and priorities to ours.
var otherWords = map[string]string{
	"open": "todo", "pending": "todo", "backlog": "todo", "new": "todo", "ready": "todo", "to-do": "todo",
	"doing": "active", "in-progress": "active", "in_progress": "active", "in progress": "active", "started": "active", "wip": "active", "progress": "active",
	"complete": "done", "completed": "done", "finished": "done", "closed": "done", "resolved": "done", "cancelled": "archived", "canceled": "archived", "dropped": "archived",
	"urgent": "critical", "highest": "critical", "p0": "critical", "p1": "high", "normal": "medium", "p2": "medium", "minor": "low", "lowest": "low", "p3": "low",
}

// tags reads a list of tags.
func tags(value string) []string {
	out := []string{}
	for t := range strings.SplitSeq(strings.ToValidUTF8(value, "\ufffd"), ",") {
		if t = strings.Join(strings.Fields(t), " "); t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

func modifyVerb() verb {
	return verb{Run: modify, Verb: abi.Verb{
		Name: "modify", Syntax: "modify CARD|SEL [title:T] [status:S] [priority:P] [assignee:NAME] [tags:a,b] [depends:CARD,CARD] [text:MARKDOWN]", Summary: "change the front matter, and with text: everything below the title; an empty value removes a key, lists are replaced",
		Brief: "modify CARD|SEL [title: status: priority: assignee: tags: depends: text:] · lists and text replace, assignee:\"\" removes it", Category: "cards",
		Params: append([]abi.Param{{Key: "title", Value: "TEXT"}, {Key: "text", Value: "MARKDOWN"}}, fieldParams()...), Select: true, Min: 0, Max: -1,
		Examples: []string{`modify "Set up the build" status:active assignee:@dev`, "modify @tag:auth priority:high"},
	}}
}

func modify(c *ctx, a pdk.Args) error {
	if len(a.Positionals) > 1 {
		return c.Model.unquotedWords(a, 0)
	}
	cards, err := targets(c, a, false)
	if err != nil {
		return err
	}
	if len(a.Params) == 0 {
		return pdk.Errorf("modify needs something to change: title: status: priority: assignee: tags: depends: or text:")
	}
	changes, err := fields(c, a)
	if err != nil {
		return err
	}
	text, replaces := a.Param("text")
	if replaces && len(cards) > 1 {
		return pdk.Errorf("text: is for one card, and these are %d", len(cards))
	}
	var said []string
	for _, ch := range changes {
		value := ch.Text
		if ch.List != nil {
			value = strings.Join(ch.List, ",")
		}
		said = append(said, strings.TrimSuffix(ch.Key, "_on")+":"+pdk.Quote(pdk.Line(value, 60)))
	}
	if replaces {
		said = append(said, "text")
	}
	what := strings.Join(said, " ")
	var done []*Card
	before := c.Model.readyCards()
	for _, k := range cards {
		for _, ch := range changes {
			if ch.Key == "depends_on" {
				if way := c.Model.cycleWith(k, ch.List); way != nil {
					return cycleError(way)
				}
			}
		}
		is, err := Update(c, k, "modify "+k.ID+" "+what, changes...)
		if err == nil && replaces {
			is, err = k, c.Model.write(c, k.Path, c.Model.withText(k.Path, text), "modify "+k.ID+" text")
			is = c.Model.byPath[k.Path]
		}
		if err != nil {
			return err
		}
		if is != k {
			done = append(done, is)
		}
	}
	if len(done) == 0 {
		return pdk.Unchanged("%s %s is unchanged", printCards(cards), what)
	}
	c.Changed("%s %s%s", printCards(done), what, c.Model.newlyReady(before, done))
	for _, k := range done {
		c.Model.warnBlocked(c, k, a.Has("status"))
	}
	return nil
}

// newlyReady names the cards that can be started now and could not before. before and changed are the cards that were ready before
// and those that the op changed.
func (w *Workspace) newlyReady(before, changed []*Card) string {
	known := map[string]bool{}
	for _, k := range slices.Concat(before, changed) {
		known[k.ID] = true
	}
	now := slices.DeleteFunc(w.readyCards(), func(k *Card) bool { return known[k.ID] })
	if len(now) == 0 {
		return ""
	}
	return "; can be started now: " + printCards(now)
}

// warnBlocked warns if a card is active or done before its dependencies are done. status is whether the op set the status.
func (w *Workspace) warnBlocked(c *ctx, k *Card, status bool) {
	if waits := w.unfinishedDeps(k); status && len(waits) > 0 && (k.Status == "active" || k.Status == "done") {
		c.Warn("%s", short("%s is %s, and waits for %s", k, k.Status, strings.Join(waits, " ")))
	}
}
