package session

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Skill is what an agent reads to work with a domain, in the Agent Skills format (agentskills.io).
type Skill struct {
	Name        string // of its folder, too: lower case, digits and hyphens, at most 64 characters
	Description string // what it does and when to use it, at most MaxSkillDescription characters
	Text        string // of SKILL.md
}

// MaxSkill is the length of a skill that no job makes longer, and MaxSkillDescription that of its description, in
// characters. The format allows 1,024; a client in wide use allows 500.
const (
	MaxSkill            = 6000
	MaxSkillDescription = 500
)

// NewSkill writes the skill of a domain for agents that have a shell, in which run starts a script: "fcp-host exec". It
// depends on the manifest and run only, so it is the same in every run.
func NewSkill(m *abi.Manifest, run string) Skill {
	s := Skill{Name: SkillName(m.Domain), Description: skillDescription(m)}
	var b strings.Builder
	fmt.Fprintf(&b, "---\nname: %s\ndescription: %s\n---\n\n# %s\n\n", s.Name, strconv.Quote(s.Description), reply.Line(m.Title))
	file := "./FILE" + extension(m)
	if foldersOnly(m) {
		file = "./FOLDER"
	}
	save, saved := ":save\n", "Nothing is written before `:save`."
	if m.Autosave {
		save, saved = "", "Each call is written at once."
	}
	fmt.Fprintf(&b, "Send many lines in one command:\n\n```sh\n%s --batch <<'EOF'\n:open %s\nOPS, one a line\n?map\n%sEOF\n```\n\n", run, file, save)
	fmt.Fprintf(&b, skillRules, run, m.Domain, saved)
	if len(m.Jobs) > 0 {
		b.WriteString("\n## Jobs\n\nA script that works as printed; each part also on a file of your own.\n\n```\n")
		for i, job := range m.Jobs {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString("# " + reply.MarkRest(m.Domain, fence.ReplaceAllString(job, " $0")) + "\n")
		}
		b.WriteString("```\n")
	}
	fmt.Fprintf(&b, "\n## Queries and actions\n\n%s\n%s\n", names("?", queriesOf(m)), names(":", actionsOf(m, m.Domain)))
	s.Text = b.String() + skillCard(m, MaxSkill-utf8.RuneCountInString(b.String())) + "\n"
	return s
}

// SkillName is the name of a domain's skill.
func SkillName(domain string) string { return "fcp-" + strings.ReplaceAll(domain, "_", "-") }

// skillRules is a format of the command, the domain, and when files are written.
const skillRules = "A line is an op, `:ACTION`, `?QUERY`, `?help WORDS` (syntax and examples of anything below) or `# comment`. " + grammarText + " Neighbouring ops are one " +
	"call, all or none. The first failed call ends the script with exit code 1: a `try:` line works as printed, and what came after did not run. " +
	"%[3]s `picture: PATH` names a file: look at it.\n\n" +
	"- Short: `%[1]s -e ':open F' -e '?map'`.\n" +
	"- `--session NAME` keeps the document open for the next command, with undo (`:undo batch`); `:close` ends it.\n" +
	"- With the MCP tools %[2]s, %[2]s_query, %[2]s_session: the same ops, queries and actions, without `?` and `:`.\n"

// fence matches what would end the block of jobs.
var fence = regexp.MustCompile("(?m)^```")

// skillDescription says what the domain does, and when to use it: the words in which people ask for it come first, since
// clients shorten descriptions.
func skillDescription(m *abi.Manifest) string {
	when := fmt.Sprintf(" Use this to make, read, change, check or draw such files (%s), also for a small edit, instead of writing them by hand.", domain.Opens(m))
	if foldersOnly(m) {
		when = " Use this to plan, read or change such a folder."
	}
	if len(m.Keywords) > 0 {
		when = " For: " + reply.Line(strings.Join(m.Keywords, ", ")) + "." + when
	}
	what := reply.Line(m.Title + ": " + domain.Quoted(m.Summary))
	text := what + when
	if most := MaxSkillDescription - utf8.RuneCountInString(when); utf8.RuneCountInString(what) > most {
		text = string([]rune(what)[:max(0, most-1)]) + "…" + when
	}
	return reply.Line(string([]rune(text)[:min(MaxSkillDescription, utf8.RuneCountInString(text))]))
}

// names lists the names of queries or actions.
func names(mark string, list []item) string {
	var out []string
	for _, it := range list {
		out = append(out, mark+it.name)
	}
	return strings.Join(out, " ")
}

// skillCard is what the description of the edit tool says after its first paragraph, for a shell, in at most size
// characters if that is possible.
func skillCard(m *abi.Manifest, size int) string {
	if len(m.Jobs) > 0 { // they are the better example
		bare := *m
		bare.Example = nil
		m = &bare
	}
	t := Describe(m, m.Domain, 1<<20)
	room := t.size()
	for {
		card := t.Edit
		if _, parts, ok := strings.Cut(card, "\n## "); ok {
			card = "\n## " + parts
		}
		card = strings.ReplaceAll(card, m.Domain+"_help", "?help")
		over := utf8.RuneCountInString(card) - size
		if room -= over; over <= 0 || room <= 0 {
			return card
		}
		t = Describe(m, m.Domain, room)
	}
}
