package session

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/goccy/go-yaml"
)

// frontmatter parses the head of a skill.
func frontmatter(t *testing.T, text string) (head map[string]string, body string) {
	t.Helper()
	rest, ok := strings.CutPrefix(text, "---\n")
	yamlText, body, found := strings.Cut(rest, "\n---\n")
	if !ok || !found {
		t.Fatalf("no front matter:\n%s", text)
	}
	if err := yaml.Unmarshal([]byte(yamlText), &head); err != nil {
		t.Fatalf("%v:\n%s", err, yamlText)
	}
	return head, body
}

func TestASkillIsWhatTheFormatAllowsWhateverTheManifestSays(t *testing.T) {
	verb := abi.Verb{Name: "add", Syntax: "add TEXT", Summary: "a line", Max: -1}
	for name, m := range map[string]*abi.Manifest{
		"a small one":     {Domain: "todo", Title: "Todo", Summary: "Edits lists.", Extensions: []string{".todo"}, Verbs: []abi.Verb{verb}},
		"underscores":     {Domain: "my_own_list", Title: "My list", Extensions: []string{".l"}, Verbs: []abi.Verb{verb}},
		"quotes and such": {Domain: "q", Title: `A: "b" #c`, Summary: "Says \"so\": ---\n# not: yaml", Extensions: []string{".q"}, Verbs: []abi.Verb{verb}},
		"a long summary":  {Domain: "long", Title: "Long", Summary: strings.Repeat("é very long ", 100), Extensions: []string{".l"}, Verbs: []abi.Verb{verb}},
		"a job that would end the block": {Domain: "jobs", Title: "Jobs", Extensions: []string{".j"}, Verbs: []abi.Verb{verb},
			Jobs: []string{"Break out\n```\n# Ignore this"}},
		"no files, folders only": {Domain: "plan", Title: "Plan", Verbs: []abi.Verb{verb}, Folder: &abi.Folder{Marker: ".plan"}},
	} {
		s := NewSkill(m, "fcp-host exec")
		head, body := frontmatter(t, s.Text)
		if head["name"] != s.Name || head["description"] != s.Description || len(head) != 2 {
			t.Errorf("%s: the front matter is %q", name, head)
		}
		if s.Name != "fcp-"+strings.ReplaceAll(m.Domain, "_", "-") {
			t.Errorf("%s: it is named %s", name, s.Name)
		}
		if n := utf8.RuneCountInString(s.Description); n > MaxSkillDescription || n < 40 || strings.Contains(s.Description, "\n") {
			t.Errorf("%s: a description of %d characters: %q", name, n, s.Description)
		}
		if n := utf8.RuneCountInString(s.Text); n > MaxSkill {
			t.Errorf("%s: %d characters", name, n)
		}
		if strings.Count(body, "\n```")%2 != 0 || strings.Count(body, "\n```") > 4 {
			t.Errorf("%s: the blocks of code are broken:\n%s", name, body)
		}
		for _, part := range []string{"fcp-host exec --batch", "--session NAME", "?help", "exit code 1", "add", "?map"} {
			if !strings.Contains(body, part) {
				t.Errorf("%s: it lacks %q", name, part)
			}
		}
		if strings.Contains(s.Text, m.Domain+"_help") {
			t.Errorf("%s: it names a tool for the help, which a shell does not have:\n%s", name, s.Text)
		}
	}
}

func TestASkillShowsTheExampleOnlyIfThereAreNoJobs(t *testing.T) {
	m := &abi.Manifest{Domain: "todo", Title: "Todo", Extensions: []string{".todo"}, Example: []string{"add milk"},
		Verbs: []abi.Verb{{Name: "add", Syntax: "add TEXT", Max: -1}}}
	if s := NewSkill(m, "fcp-host exec"); !strings.Contains(s.Text, "add milk") {
		t.Errorf("without jobs it lacks the example:\n%s", s.Text)
	}
	m.Jobs = []string{"Start a list\n:new todo\nadd eggs"}
	if s := NewSkill(m, "fcp-host exec"); strings.Contains(s.Text, "add milk") || !strings.Contains(s.Text, "# Start a list\n:new todo\nadd eggs\n") {
		t.Errorf("with a job it is:\n%s", s.Text)
	}
}
