package session

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
)

func TestHelpAddsWhatTheDocumentDefines(t *testing.T) {
	c := newClient(t, "list", list(t), thing(t))
	card := Card(list(t).Manifest, "list") + pluginSection("list")
	if r := c.Help(ctx, "list", "", ""); r.Text != card {
		t.Errorf("before any session: %s", r)
	}
	c.act(`new "T"`)
	if r := c.Help(ctx, "list", "", ""); r.Text != card+"\n# In \"T\"\n\n## Lines\n  1\n" {
		t.Errorf("with a document: …%s", r.Text[len(card):])
	}
	if r := c.Help(ctx, "", "", ""); !strings.HasPrefix(r.Text, "# List reference card\n") || !strings.Contains(r.Text, "# In \"T\"") {
		t.Errorf("unified, with a document: %s", r)
	}
	if r := c.Help(ctx, "", "thing", ""); !strings.HasPrefix(r.Text, "# thing \"Things\" reference card\n") {
		t.Errorf("unified, named: %s", r)
	}
	if r := c.Help(ctx, "", "nope", ""); !r.Failed || r.String() != `! no domain "nope"; there are list, thing` {
		t.Errorf("unified, unknown: %s", r)
	}
	if r := c.Session.Session(ctx, "thing", "", "new U"); r.Failed {
		t.Fatal(r)
	}
	if r := c.Help(ctx, "thing", "", ""); r.Text != Card(thing(t).Manifest, "thing")+pluginSection("thing") {
		t.Errorf("a plugin without help of its own: %s", r)
	}
	for _, d := range c.Documents() {
		if got := d.Status(ctx); got.Failed {
			t.Error(got)
		}
	}
}

func TestAParameterIsExplainedByTheFirstVerbThatDoes(t *testing.T) {
	took := []abi.Param{{Key: "n", Value: "N"}}
	all := parameters(&abi.Manifest{Verbs: []abi.Verb{{Name: "add", Summary: "a line", Params: took}, {Name: "cut", Summary: "lines go; n: how many, all without; quickly", Params: took},
		{Name: "keep", Summary: "n: is another", Params: took}}})
	if len(all) != 1 || all[0].text != "parameter n:N · of add cut keep\n  cut: n: how many, all without\n" {
		t.Errorf("%+v", all)
	}
}

func TestHelpOnATopicIsAllAboutIt(t *testing.T) {
	c := newClient(t, "list", list(t))
	c.act(`new "T"`)
	for _, q := range []struct{ topic, want string }{
		{"remove", "## remove\nremove TEXT\n  n:N\n  example: add x\n"},
		{" ReMove ", "## remove\n"},
		{`"remove"`, "## remove\n"},
		{"paste", "  then raw lines; the last line is: END\n"},
		{"n", "parameter n:N · of add remove"},
		{"n:", "parameter n:N · of add"},
		{"include", "session action include PATH · append a file's lines\n"},
		{"undo", "session action undo [N|to:NAME|batch] · take back the last op"},
		{"export", "session action export upper as:PATH [force] · "},
		{"upper", "session action export upper as:PATH"},
		{"diff", "query diff [checkpoint:NAME] · what was done since a checkpoint, or since the file was saved or opened\n"},
		{"status", "query status · file, unsaved changes, history, checkpoints\n  example: status\nsession action status · file"},
		{"@all", "selector @all · everything\n"},
		{"@recent:3", "selector @recent[:N]"},
		{"all", "selector @all · everything\n"},
		{"lines", "## Lines\n  1\n"}, // of the document
		{"delete", "remove TEXT\n"},  // what it means
		{"add or remove", "remove TEXT"},
		{"checkpoint", "session action checkpoint NAME"},
	} {
		if r := c.Help(ctx, "list", "", q.topic); r.Failed || !strings.Contains(r.Text, q.want) {
			t.Errorf("%q: %s", q.topic, r)
		}
	}
	for _, q := range []struct{ topic, want string }{
		{"remvoe", "! no topic \"remvoe\"; topics are the verbs, headings, queries, actions, selectors, parameters and values of the card\n  try: help remove\n"},
		{"zzqxv", "! no topic \"zzqxv\"; topics are the verbs, headings, queries, actions, selectors, parameters and values of the card\n  try: help"},
	} {
		if r := c.Help(ctx, "list", "", q.topic); !r.Failed || !strings.HasPrefix(r.String(), q.want) {
			t.Errorf("%q: %s", q.topic, r)
		}
	}
}

func TestHeadingsAndWordsOfTheVocabularyAreTopics(t *testing.T) {
	h := help{d: &domain.Domain{Manifest: &abi.Manifest{Domain: "d", Title: "D",
		Verbs: []abi.Verb{{Name: "go", Syntax: "go PLACE", Category: "Moving", Summary: "there, by a road", Examples: []string{"go Rome"}},
			{Name: "stay", Syntax: "stay", Category: "moving on"}, {Name: "run", Syntax: "run", Category: "Moving", Hidden: true}},
		Vocabulary:  []abi.Section{{Title: "Places (PLACE)", Brief: "Rome …", Lines: []string{"Italy: Rome Milan", "Norway: Oslo"}}},
		Conventions: []string{"Left is left."}}},
		added: []abi.Section{{Title: "Own places", Lines: []string{"Atlantis"}}}}
	places := "## Places (PLACE)\n  Italy: Rome Milan\n  Norway: Oslo\n"
	for topic, want := range map[string]string{
		"Moving":         "## go\ngo PLACE\n  there, by a road\n  example: go Rome\n",
		"moving on":      "## stay\nstay\n",
		"Places (PLACE)": places,
		"PLACE":          places,
		"places":         places + "## Own places\n  Atlantis\n",
		"oslo":           "## Places (PLACE)\n  Norway: Oslo\n", // the lines that hold it
		"atlantis":       "## Own places\n  Atlantis\n",
		"road":           "go PLACE · there, by a road\n  example: go Rome\n", // what mentions it
		"left":           "## Conventions\n  Left is left.\n",
		"values":         places,
		"ops":            "## go\ngo PLACE\n  there, by a road\n  example: go Rome\n## stay\nstay\n",
		"selectors":      "selector @all · everything\nselector @recent[:N] · the last N touched (1)\n",
		"run":            "## run\nrun\n",
	} {
		if r := h.answer(topic); r.Failed || r.Text != want {
			t.Errorf("%q: %s\nwant: %s", topic, r, want)
		}
	}
}

func TestWordsFindWhatHasMostOfThem(t *testing.T) {
	h := help{d: &domain.Domain{Manifest: &abi.Manifest{Domain: "d", Title: "D",
		Verbs: []abi.Verb{
			{Name: "add", Syntax: "add TYPE [rows:A,B]", Summary: "a table has rows", Params: []abi.Param{{Key: "rows", Value: "A,B"}}, Examples: []string{"add table rows:1,2"}},
			{Name: "label", Syntax: "label EDGE TEXT", Summary: "at the ends of a line, too", Examples: []string{`label A "1"`}},
			{Name: "style", Syntax: "style REF fill:", Summary: "looks of lines", Examples: []string{"style A fill:red"}},
			{Name: "secret", Syntax: "secret", Hidden: true}},
		Synonyms:    []abi.Synonym{{Word: "recolor", Means: "style"}},
		Conventions: []string{"An edge has two ends."}}}}
	style := "style REF fill: · looks of lines\n  example: style A fill:red\n"
	for topic, want := range map[string]string{
		"end labels":          "label EDGE TEXT · at the ends of a line, too\n  example: label A \"1\"\n",
		"row":                 "parameter rows:A,B · of add\n",
		"recolor":             style,
		"recolor shapes":      style,
		"how to add a row":    "add TYPE [rows:A,B] · a table has rows\n  example: add table rows:1,2\n",
		"the line looks":      "style REF fill: · looks of lines\n",
		"ends of lines":       "label EDGE TEXT · at the ends of a line, too\n",
		"edges with two ends": "Conventions: An edge has two ends.\n",
	} {
		if r := h.answer(topic); r.Failed || !strings.HasPrefix(r.Text, want) {
			t.Errorf("%q: %s\nwant: %s", topic, r, want)
		}
	}
	if r := h.answer("zzqxv frobs"); !r.Failed {
		t.Errorf("what nothing has finds %s", r)
	}
}

func TestEveryNameOfTheCardIsATopic(t *testing.T) {
	c := newClient(t, "list", list(t))
	m := list(t).Manifest
	for i := range m.Verbs {
		v := &m.Verbs[i]
		r := c.Help(ctx, "list", "", v.Name)
		for _, e := range v.Examples {
			if r.Failed || !strings.Contains(r.Text, "example: "+indentRest(e)+"\n") {
				t.Errorf("%s lacks %q: %s", v.Name, e, r)
			}
		}
	}
	for _, list := range [][]item{selectorsOf(m), queriesOf(m), actionsOf(m, "list")} {
		for _, it := range list {
			if r := c.Help(ctx, "list", "", it.name); r.Failed || !strings.Contains(r.Text, it.syntax) {
				t.Errorf("%s: %s", it.name, r)
			}
		}
	}
}

func TestUnifiedHelpOnATopicNeedsADomain(t *testing.T) {
	c := newClient(t, "", list(t), thing(t))
	want := fmt.Sprintf("! no document is open, so which domain's %q? Name the domain: list, thing", "add")
	if r := c.Help(ctx, "", "", "add"); !r.Failed || !strings.HasPrefix(r.String(), want) {
		t.Errorf("%s", r)
	}
	if r := c.Help(ctx, "", "list", "add"); r.Failed || !strings.HasPrefix(r.Text, "## add\n") {
		t.Errorf("%s", r)
	}
	if r := c.Help(ctx, "", "", "thing"); r.Failed || !strings.HasPrefix(r.Text, "# thing \"Things\" reference card\n") {
		t.Errorf("a domain's name as the topic: %s", r)
	}
	c.act(`new list "T"`)
	if r := c.Help(ctx, "", "", "add"); r.Failed || !strings.HasPrefix(r.Text, "## add\n") {
		t.Errorf("with a document: %s", r)
	}
}
