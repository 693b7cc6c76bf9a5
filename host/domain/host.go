package domain

import (
	"slices"

	"github.com/fcp-host/fcp-host/abi"
)

// A Word is a session action or a query that the host answers for every domain.
type Word struct {
	Name, Syntax, Summary string
	Brief                 string // its line in the reference card; "" for syntax and summary
	Example               string // a complete op; Syntax has placeholders
}

// hostActions and hostQueries exist for every domain; package session runs them.
var hostActions = []Word{
	{"new", `new "Title" [key:value…]`, "an empty document", "", `new "Title"`},
	{"open", "open PATH [as:NAME]", "a document from a file; as: names it, so that it stays open beside others", "open PATH [as:NAME]", "open ./file"},
	{"save", "save [as:PATH|copy:PATH] [force]", "write it to its file, or to another, which is its file from then on unless copy: says so; force: over one that others wrote", "save [as:PATH|copy:PATH] [force]", "save"},
	{"close", "close [force]", "close it; force drops unsaved changes", "close [force]", "close"},
	{"checkpoint", "checkpoint NAME", "name this place in the history", "checkpoint NAME", "checkpoint before-changes"},
	{"undo", "undo [N|to:NAME|batch]", "take back the last op, N ops, all since a checkpoint, or the whole last call", "undo [N|to:CHECKPOINT|batch]", "undo"},
	{"redo", "redo [N]", "do undone ops again", "redo [N]", "redo"},
	{"status", "status", "file, unsaved changes, history, checkpoints", "status", "status"},
	{"batch", "batch atomic|each|lines|joined", "whether a failed op undoes its whole call (atomic, the default), and whether each of many ops has a line of its own (joined, the default, joins those that differ only in names and places)", "batch atomic|each", "batch atomic"},
	{"export", "export FORMAT as:PATH [force]", "write it in another format", "", "export FORMAT as:./out"},
	{"use", "use NAME", "make another open document the current one", "use NAME", `use "Title"`},
	{"documents", "documents", "list the open documents", "documents", "documents"},
	{"recover", "recover [N] [force]", "bring back a document of an earlier session, or list them", "recover [N]", "recover"},
	{"discard", "discard N|all", "drop a document of an earlier session, or all of them", "discard N|all", "discard all"},
	{"enable", "enable", "let the plugin run again after it was disabled for failing too often", "enable", "enable"},
}

// rareActions exist for every domain as well. They concern plugins and people rather than documents, so only the help
// lists them, not the reference cards.
var rareActions = []Word{
	{"plugins", "plugins", "which plugins are served and which are not, with version, sha256, path and documents", "", "plugins"},
	{"reload", "reload", "read the plugins' files again, in case a change was missed", "", "reload"},
	{"view", "view", "where to watch the documents change in a browser", "", "view"},
}

var hostQueries = []Word{
	{"status", "status", "file, unsaved changes, history, checkpoints", "status", "status"},
	{"history", "history [N]", "the last N ops (10)", "history [N]", "history 10"},
	{"diff", "diff [checkpoint:NAME]", "what was done since a checkpoint, or since the file was saved or opened", "diff [checkpoint:NAME]", "diff checkpoint:before-changes"},
	{"checkpoints", "checkpoints", "the checkpoints, and how far back", "checkpoints", "checkpoints"},
	{"documents", "documents", "the open documents", "documents", "documents"},
	{HelpQuery, "help [WORDS]", "what the tool D_help answers, beside other queries", "help WORDS", "help save"},
}

// HelpQuery is the query for help, which needs no document.
const HelpQuery = "help"

// jobActions and jobQueries exist for domains that want programs.
var jobActions = []Word{
	{"job", "job N", "wait some seconds for a job to end, and report its result", "job N · its result", "job 1"},
	{"cancel", "cancel N", "end a job; its file stays as it was", "cancel N", "cancel 1"},
}

var jobQueries = []Word{
	{"jobs", "jobs", "your running and finished jobs", "", "jobs"},
}

// remoteActions exist for domains with remote documents.
var remoteActions = []Word{
	{PullAction, "pull [force]", "fetch a remote document again; force drops unsaved changes", "pull [force] · fetch a remote document again", "pull"},
}

// PullAction is the name of the action that fetches a remote document again.
const PullAction = "pull"

// DiffQuery is a query of the host that a domain with remote documents may answer too: without a checkpoint, the domain
// compares a remote document with its remote copy.
const DiffQuery = "diff"

// AnswersDiff reports whether the domain answers DiffQuery.
func (d *Domain) AnswersDiff() bool {
	return slices.ContainsFunc(d.Manifest.Queries, func(q abi.Query) bool { return q.Name == DiffQuery })
}

// reservedQueriesOf lists the names that no query of the domain may have.
func reservedQueriesOf(m *abi.Manifest) []string {
	names := Names(QueriesOf(m))
	if len(m.Schemes) > 0 {
		names = slices.DeleteFunc(names, func(name string) bool { return name == DiffQuery })
	}
	return names
}

var allQueries = slices.Concat(hostQueries, jobQueries)

// ActionsOf lists the host's session actions for a domain. The caller must not change the list.
func ActionsOf(m *abi.Manifest) []Word {
	list := hostActions
	if WantsPrograms(m) {
		list = slices.Concat(list, jobActions)
	}
	if len(m.Schemes) > 0 {
		list = slices.Concat(list, remoteActions)
	}
	return list
}

// QueriesOf lists the queries that the host answers for a domain. The caller must not change the list.
func QueriesOf(m *abi.Manifest) []Word {
	if WantsPrograms(m) {
		return allQueries
	}
	return hostQueries
}

// WantsPrograms reports whether the manifest has a want for programs.
func WantsPrograms(m *abi.Manifest) bool {
	return slices.ContainsFunc(m.Wants, func(w abi.Want) bool { return w.Kind == abi.WantProgram })
}

// HostRuns reports whether the host runs the session action for the domain.
func (d *Domain) HostRuns(action string) bool {
	return has(ActionsOf(d.Manifest), action) || has(rareActions, action)
}

// HostAnswers reports whether the host answers the query for the domain.
func (d *Domain) HostAnswers(query string) bool { return has(QueriesOf(d.Manifest), query) }

func has(words []Word, name string) bool {
	return slices.ContainsFunc(words, func(w Word) bool { return w.Name == name })
}

// Names returns the names of words.
func Names(words []Word) (names []string) {
	for _, w := range words {
		names = append(names, w.Name)
	}
	return names
}

var reservedActions, reservedQueries = Names(slices.Concat(hostActions, rareActions)), Names(hostQueries)

// HostActions lists the session actions that the host runs for every domain. The caller must not change the list.
func HostActions() []Word { return hostActions }

// HostQueries lists the queries that the host answers for every domain. The caller must not change the list.
func HostQueries() []Word { return hostQueries }

// RareActions lists the host's session actions that only the help shows. The caller must not change the list.
func RareActions() []Word { return rareActions }

// ReservedActions lists the names of HostActions and RareActions, which no domain may take.
func ReservedActions() []string { return reservedActions }

// ReservedQueries lists the names of HostQueries, which no domain may take.
func ReservedQueries() []string { return reservedQueries }
