package tools

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/card"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/deck"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/search"
)

type listArgs struct {
	Status, Assignee, Priority, Created, Updated string
	Tags                                         []string
}

// listed is a card in a list. A card whose file name is not a valid id in the contract has a path instead.
type listed struct {
	ID       string  `json:"id,omitempty"`
	Path     string  `json:"path,omitempty"`
	Title    string  `json:"title"`
	Priority string  `json:"priority,omitempty"`
	Assignee *string `json:"assignee"`
}

func listTasks(c *ctx, a listArgs) (any, error) {
	var times []func(k *deck.Card) bool
	for _, t := range []struct {
		field, value string
		of           func(k *deck.Card) string
	}{{"created", a.Created, func(k *deck.Card) string { return k.Created }}, {"updated", a.Updated, func(k *deck.Card) string { return k.Updated }}} {
		if t.value == "" {
			continue
		}
		in, err := deck.When(t.value, c.Now())
		if err != nil {
			return nil, invalid(t.field, "%v", err)
		}
		times = append(times, func(k *deck.Card) bool {
			at, ok := deck.Instant(t.of(k))
			return ok && in(at)
		})
	}
	out := []listed{}
	for _, k := range c.Model.Cards() {
		switch {
		case k.Card == nil:
			continue
		case a.Status != "" && k.Status != a.Status, a.Priority != "" && k.Priority != a.Priority, a.Assignee != "" && !search.Same(k.Assignee, a.Assignee),
			len(a.Tags) > 0 && !slices.ContainsFunc(a.Tags, func(t string) bool {
				return slices.ContainsFunc(k.Tags, func(own string) bool { return search.Same(own, t) })
			}),
			slices.ContainsFunc(times, func(in func(*deck.Card) bool) bool { return !in(k) }):
			continue
		}
		l := listed{ID: k.ID, Title: k.Title, Priority: among(k.Priority, card.Priorities), Assignee: orNull(k.Assignee)}
		if !isID(k.ID) {
			l.ID, l.Path = "", k.Path
		}
		out = append(out, l)
	}
	if broken := len(c.Model.Unreadable()); broken > 0 {
		c.Warn("not listed: %s that cannot be read; cuedeck_query doctor says why", pdk.Count(broken, "card"))
	}
	return out, nil
}

type createArgs struct {
	Title, Priority, Assignee string
	Tags                      []string
	DependsOn                 []string `json:"depends_on"`
}

type created struct {
	ID       string   `json:"id"`
	Path     string   `json:"path"`
	Metadata metadata `json:"metadata"`
}

type metadata struct {
	Title     string   `json:"title"`
	Status    string   `json:"status"`
	Priority  string   `json:"priority"`
	Assignee  *string  `json:"assignee"`
	Tags      []string `json:"tags"`
	DependsOn []string `json:"depends_on"`
	Created   string   `json:"created"`
}

// The maximum number of tags, and of characters in each.
const maxTags, maxTag = 100, 100

func createTask(c *ctx, a createArgs) (any, error) {
	w := c.Model
	if err := oneLine("title", a.Title); err != nil {
		return nil, err
	}
	if strings.TrimSpace(a.Title) == "" {
		return nil, invalid("title", "it holds nothing but blanks")
	}
	if err := oneLine("assignee", a.Assignee); err != nil {
		return nil, err
	}
	tags := []string{}
	for _, t := range a.Tags {
		if err := oneLine("tags", t); err != nil {
			return nil, err
		}
		switch t = strings.TrimSpace(t); {
		case t == "":
			return nil, invalid("tags", "a tag holds nothing but blanks")
		case utf8.RuneCountInString(t) > maxTag:
			return nil, invalid("tags", "a tag has %d characters; the limit is %d", utf8.RuneCountInString(t), maxTag)
		case !slices.Contains(tags, t):
			tags = append(tags, t)
		}
	}
	if len(tags) > maxTags {
		return nil, invalid("tags", "there are %d, and may be %d", len(tags), maxTags)
	}
	needs := []string{}
	for _, id := range a.DependsOn {
		if _, err := task(c, id, "DependencyNotFound"); err != nil {
			return nil, err
		}
		if !slices.Contains(needs, id) {
			needs = append(needs, id)
		}
	}
	if way := cycleBehind(w, needs); way != nil {
		return nil, cyclic(way)
	}
	k, err := deck.Create(c, card.Fields{Title: a.Title, Priority: a.Priority, Assignee: strings.TrimSpace(a.Assignee), Tags: tags, DependsOn: needs})
	if err != nil {
		return nil, err
	}
	c.Created("card %s %q", k.ID, k.Title)
	return created{k.ID, k.Path, metadata{k.Title, k.Status, k.Priority, orNull(k.Assignee), tags, needs, k.Created}}, nil
}

// cycleBehind returns a cycle of dependencies that can be reached from cards, nil if there is none. Cards that depend on it can
// never start.
func cycleBehind(w *deck.Workspace, from []string) []string {
	reached := map[string]bool{}
	for queue := slices.Clone(from); len(queue) > 0; queue = queue[1:] {
		if k := w.Card(queue[0]); k != nil && k.Card != nil && !reached[k.ID] {
			reached[k.ID] = true
			queue = append(queue, k.DependsOn...)
		}
	}
	for _, way := range w.Cycles() {
		if reached[way[0]] {
			return way
		}
	}
	return nil
}

func cyclic(way []string) error {
	paths := make([]string, len(way))
	for i, id := range way {
		paths[i] = cardPath(id)
	}
	return refuse(cycleDetected, "Cycle Detected", struct {
		Error      string   `json:"error"`
		Path       []string `json:"cycle_path"`
		Suggestion string   `json:"suggestion"`
	}{"CircularDependency", paths, "Remove reference from " + paths[len(paths)-2]})
}

type updateArgs struct {
	ID      string
	Updates updates
}

type updates struct {
	Status, Assignee, Priority, Notes *string
	unknown                           []string // keys that are not in the contract's schema
}

// UnmarshalJSON implements json.Unmarshaler. Unlike encoding/json it compares keys case-sensitively, as the schema does.
func (u *updates) UnmarshalJSON(data []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	known := map[string]**string{"status": &u.Status, "assignee": &u.Assignee, "priority": &u.Priority, "notes": &u.Notes}
	for key, value := range all {
		to, ok := known[key]
		if !ok {
			u.unknown = append(u.unknown, key)
		} else if err := json.Unmarshal(value, to); err != nil {
			return err
		}
	}
	slices.Sort(u.unknown)
	return nil
}

type updated struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Status   string   `json:"status"`
	Assignee *string  `json:"assignee"`
	Priority string   `json:"priority,omitempty"`
	At       string   `json:"updated_at"`
	Fields   []string `json:"updated_fields"`
	Ignored  []string `json:"ignored_fields,omitempty"`
}

func updateTask(c *ctx, a updateArgs) (any, error) {
	k, err := task(c, a.ID, "")
	if err != nil {
		return nil, err
	}
	if k.Broken != nil {
		return nil, invalid("id", "%s cannot be read: %v", k.Path, k.Broken)
	}
	u := a.Updates
	if u.Assignee != nil {
		if err := oneLine("assignee", *u.Assignee); err != nil {
			return nil, err
		}
	}
	if u.Notes != nil {
		if i := strings.IndexFunc(*u.Notes, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) }); i >= 0 {
			return nil, invalid("notes", "they hold the control character %U", []rune((*u.Notes)[i:])[0])
		}
		if strings.TrimSpace(*u.Notes) == "" {
			return nil, invalid("notes", "they hold nothing but blanks")
		}
	}
	fields := []string{}
	var changes []deck.Change
	for _, f := range []struct {
		key, has string
		to       *string
	}{{"status", k.Status, u.Status}, {"assignee", k.Assignee, u.Assignee}, {"priority", k.Priority, u.Priority}} {
		if f.to == nil || strings.TrimSpace(*f.to) == f.has {
			continue
		}
		fields = append(fields, f.key)
		changes = append(changes, deck.Change{Key: f.key, Text: strings.TrimSpace(*f.to)})
	}
	if u.Notes != nil {
		fields = append(fields, "notes")
		if k, err = deck.Note(c, k, *u.Notes); err != nil {
			return nil, unchangeable(err)
		}
	}
	if len(changes) > 0 {
		if k, err = deck.Update(c, k, "update "+k.ID+" "+strings.Join(fields, ", "), changes...); err != nil {
			return nil, unchangeable(err)
		}
	}
	if len(u.unknown) > 0 {
		what := "they changed nothing"
		if len(fields) == 0 {
			what = "nothing was changed"
		}
		const shown = 5
		c.Warn("updates has %.40q, and may have status, assignee, priority, notes: %s", u.unknown[:min(len(u.unknown), shown)], what)
	}
	if len(fields) > 0 {
		c.Changed("card %s: %s", k.ID, strings.Join(fields, ", "))
	}
	out := updated{ID: k.ID, Title: k.Title, Status: among(k.Status, card.Statuses), Assignee: orNull(k.Assignee), Priority: among(k.Priority, card.Priorities), Fields: fields, Ignored: u.unknown}
	if out.Status == "" {
		out.Status = "todo"
		c.Warn("its status in the file is %q, which is not one of the contract's", k.Status)
	}
	at := time.UnixMilli(int64(c.Now())).UTC()
	for _, s := range []string{k.Created, k.Updated} {
		if t, ok := deck.Instant(s); ok {
			at = t
		}
	}
	out.At = at.Format("2006-01-02T15:04:05.999Z07:00")
	return out, nil
}

// unchangeable returns the contract's error for a card that cannot be edited.
func unchangeable(err error) error {
	if e := new(pdk.Error); errors.As(err, &e) {
		return invalid("id", "%s", e.Message)
	}
	return err
}

type dependencyArgs struct {
	ID      string
	Reverse bool
}

type dependencyList struct {
	ID    string       `json:"task_id"`
	Type  string       `json:"type"`
	Count int          `json:"count"`
	Tasks []dependency `json:"tasks"`
}

type dependency struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Status string `json:"status"`
}

func dependencies(c *ctx, a dependencyArgs) (any, error) {
	w := c.Model
	k, err := task(c, a.ID, "")
	if err != nil {
		return nil, err
	}
	out := dependencyList{ID: a.ID, Type: "dependencies", Tasks: []dependency{}}
	add := func(id string) {
		d := dependency{ID: id, Status: "missing"}
		if on := w.Card(id); on != nil {
			if d.Status = "unreadable"; on.Card != nil {
				d.Title, d.Status = on.Title, on.Status
			}
		}
		out.Tasks = append(out.Tasks, d)
	}
	switch {
	case a.Reverse:
		out.Type = "dependents"
		for _, other := range w.Cards() {
			if other.Card != nil && slices.Contains(other.DependsOn, a.ID) {
				add(other.ID)
			}
		}
	case k.Broken != nil:
		return nil, invalid("id", "%s cannot be read: %v", k.Path, k.Broken)
	default:
		for _, id := range k.DependsOn {
			add(id)
		}
	}
	out.Count = len(out.Tasks)
	return out, nil
}
