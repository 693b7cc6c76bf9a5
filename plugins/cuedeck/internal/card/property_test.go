package card

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/awkward"
	"github.com/goccy/go-yaml"
)

// edit is a change of a card, with the expected value of its key.
type edit struct {
	Text  string   `json:"text"` // of the file before
	After string   `json:"after"`
	Key   string   `json:"key"`
	Want  string   `json:"want"`
	List  []string `json:"list"` // not nil for a list
}

// randomEdits edits random cards, and checks that each edit keeps all other bytes.
func randomEdits(t *testing.T, n int) (out []edit) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for i := range n {
		f := awkward.New(r)
		text := f.Text()
		c, err := Parse(text)
		if err != nil {
			t.Fatalf("card %d cannot be read: %v\n%s", i, err, text)
		}
		if c.uneditable {
			t.Fatalf("card %d cannot be edited\n%s", i, text)
		}
		keys := []string{"title", "status", "priority", "assignee", "tags", "depends_on", "updated", "fresh"}
		r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		for _, key := range keys[:3] {
			e := edit{Text: text, Key: key}
			var next *Card
			switch key {
			case "tags", "depends_on":
				e.List = randomList(r, c, key)
				next, err = c.SetList(key, e.List)
			case "updated":
				e.Want = "2026-01-02T10:30:00.000Z"
				next, err = c.Set(key, e.Want)
			default:
				e.Want = awkward.Word(r)
				if r.IntN(20) == 0 && key != "title" {
					e.Want = ""
				}
				next, err = c.Set(key, e.Want)
			}
			if err != nil {
				refused++
				t.Logf("card %d: %s: %v\n%s", i, key, err, text)
				continue
			}
			e.After = next.Text
			checkOnlyKeyChanged(t, f, e)
			out = append(out, e)
		}
	}
	if refused > 0 {
		t.Errorf("%d changes were refused", refused)
	}
	return out
}

// randomList returns a list with some of a card's items and a new one.
func randomList(r *rand.Rand, c *Card, key string) []string {
	has := c.Tags
	if key == "depends_on" {
		has = c.DependsOn
	}
	out := []string{}
	for _, w := range has {
		if r.IntN(2) == 0 && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	for range r.IntN(3) {
		if w := strings.Join(strings.Fields(awkward.Word(r)), " "); w != "" && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// checkOnlyKeyChanged checks that an edit changed only the lines of its key.
func checkOnlyKeyChanged(t *testing.T, f *awkward.File, e edit) {
	t.Helper()
	before, after := f.Head, f.Tail
	at := slices.IndexFunc(f.Keys, func(c awkward.Chunk) bool { return c.Key == e.Key })
	switch {
	case f.Plain:
		if !strings.HasPrefix(e.After, f.Head) || !strings.HasSuffix(e.After, f.Tail) {
			t.Fatalf("%s of a card without a front matter: bytes changed\n%q\n%q", e.Key, e.Text, e.After)
		}
		return
	case at < 0:
		before += f.Front()
	default:
		for _, c := range f.Keys[:at] {
			before += c.Text
		}
		for _, c := range slices.Backward(f.Keys[at+1:]) {
			after = c.Text + after
		}
	}
	if !strings.HasPrefix(e.After, before) || !strings.HasSuffix(e.After, after) || len(e.After) < len(before)+len(after) {
		t.Fatalf("%s: bytes of something else changed\n%q\n%q", e.Key, e.Text, e.After)
	}
	// Comments on the key's own lines must stay.
	mine := e.After[len(before) : len(e.After)-len(after)]
	if at >= 0 && e.List == nil {
		for l := range strings.Lines(f.Keys[at].Text) {
			if _, comment, ok := strings.Cut(l, " # why"); ok && !strings.Contains(mine, " # why"+comment) {
				t.Fatalf("%s: the comment is lost\n%q\n%q", e.Key, f.Keys[at].Text, mine)
			}
			break
		}
	}
}

func TestEditsKeepAllOtherBytes(t *testing.T) {
	for _, e := range randomEdits(t, 1000) {
		c, err := Parse(e.After)
		if err != nil {
			t.Fatal(err)
		}
		var before, after map[string]any
		old, _ := Parse(e.Text)
		if err := yaml.Unmarshal([]byte(old.front()), &before); err != nil {
			t.Fatalf("%v\n%s", err, e.Text)
		}
		if err := yaml.Unmarshal([]byte(c.front()), &after); err != nil {
			t.Fatalf("%s %q: %v\n%s", e.Key, e.Want, err, e.After)
		}
		if got := fmt.Sprint(after[e.Key]); e.List == nil && e.Want != "" && got != e.Want {
			t.Fatalf("%s is %q, and should be %q\n%s", e.Key, got, e.Want, e.After)
		}
		delete(before, e.Key)
		delete(after, e.Key)
		if got, want := fmt.Sprint(after), fmt.Sprint(before); got != want {
			t.Fatalf("%s: other keys changed\n%s\n%s", e.Key, want, got)
		}
	}
}

// New's text must parse to the fields it was made of, also for goccy's own decoder.
func TestNewCardsParseToTheirFields(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		f := random(r)
		text := New(f)
		c, err := Parse(text)
		if err != nil {
			t.Fatalf("%+v: %v\n%s", f, err, text)
		}
		var all struct {
			Title, Status, Priority, Assignee string
			Tags                              []string
		}
		if err := yaml.Unmarshal([]byte(c.front()), &all); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if c.Title != oneLine(f.Title) || all.Title != f.Title || all.Assignee != f.Assignee || c.Status != f.Status || !slices.Equal(all.Tags, f.Tags) || len(c.Others) > 0 {
			t.Fatalf("%+v\nis read as %+v\n%s", f, all, text)
		}
	}
}

func random(r *rand.Rand) Fields {
	f := Fields{Title: awkward.Word(r), Status: "todo", Priority: "medium", Created: "2026-01-02T10:30:00.000Z", Tags: []string{}}
	if r.IntN(2) == 0 {
		f.Assignee = awkward.Word(r)
	}
	for range r.IntN(4) {
		f.Tags = append(f.Tags, awkward.Word(r))
	}
	if r.IntN(2) == 0 {
		f.Text = awkward.Body(r, "\n")
	}
	return f
}
