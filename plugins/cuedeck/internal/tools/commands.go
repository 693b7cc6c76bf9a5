package tools

import "github.com/fcp-host/fcp-host/abi"

// Commands returns the commands of the command line.
func Commands() []abi.Command {
	q := func(name, takes, summary, text string) abi.Command {
		syntax := name
		if takes != "" {
			syntax += " " + takes
		}
		return abi.Command{Name: name, Syntax: syntax, Summary: summary, Kind: abi.TryQuery, Text: text}
	}
	of := func(c abi.Command, kind string) abi.Command { c.Kind = kind; return c }
	shown := func(c abi.Command, answer, into string) abi.Command { c.Answer, c.Into = answer, into; return c }
	const scene = "SCENE.md"
	return []abi.Command{
		of(q("cue init", "[--force]", "make this folder a workspace; --force writes its settings again", "new ."), abi.TryAction),
		shown(q("cue scene", "[-d|--dry-run] [--token-limit <N>]", "the context for a model: into .cuedeck/SCENE.md and the clipboard", "scene"), abi.AnswerCopy, scene),
		shown(q("cue open", "[QUERY…]", "pick a file, and open it in the editor", "files"), abi.AnswerPick, ""),
		shown(q("cue watch", "[--token-limit <N>]", "keep the scene up to date, in the file and the clipboard", "scene"), abi.AnswerWatch, scene),
		q("cue doctor", "", "report problems of settings, cards, links and cycles", "doctor"),
		of(q("cue card new", "TITLE [--priority P] [--assignee NAME] [--tags a,b] [--depends CARD,CARD] [--text MARKDOWN]", "make a card", "add card"), abi.TryOp),
		of(q("cue card set", "CARD [--status S] [--priority P] [--assignee NAME] [--tags a,b] [--depends CARD,CARD] [--title T]", "change a card", "modify"), abi.TryOp),
		of(q("cue card note", "CARD TEXT", "write a note on a card", "note"), abi.TryOp),
		q("cue list", "[@SELECTOR…] [--status S] [--priority P] [--assignee NAME] [--tag T] [--created WHEN] [--updated WHEN]", "list cards", "list"),
		q("cue next", "[--limit N]", "what can be started now", "next"),
		q("cue find", "TEXT… [--limit N]", "search cards, docs and sources", "find"),
		q("cue read", "PATH|CARD[#Heading]", "a text, or a section of it", "read"),
		q("cue deps", "CARD [--reverse] [--all]", "what a card depends on, or what depends on it", "deps"),
		q("cue graph", "[ascii|mermaid|dot|json] [@SELECTOR…]", "cards and their dependencies", "graph"),
		q("cue validate", "[CARD]", "check the dependencies", "validate"),
		q("cue stats", "", "show counts by status, priority, assignee and tag", "stats"),
		of(q("cue clean", "", "remove .cuedeck/.cache", ""), abi.CommandClean),
		of(q("cue upgrade", "", "say how to upgrade this program", ""), abi.CommandUpgrade),
	}
}
