package domain

import (
	"slices"

	"github.com/fcp-host/fcp-host/abi"
)

// Scope says which domains have a word of the host.
type Scope int

const (
	Always   Scope = iota // every domain
	Rare                  // every domain; about plugins and people: only the help lists it, not the reference cards
	Programs              // domains that want programs
	Remote                // domains with remote documents
)

// A Word is a session action or a query that the host answers. Package session runs it.
type Word struct {
	Name, Syntax, Summary string
	For                   Scope
	Brief                 string // its line in the reference card; "" for the syntax
	Long                  bool   // its line is syntax and summary
	Example               string // a complete op; Syntax has placeholders

	Form     *Form // nil if it depends on the domain
	Late     bool  // an action that checks Form itself
	Reads    bool  // an action that changes neither a document nor a file
	Discards bool  // an action that may drop something, and more with fewer words
}

// Form is how many words an action takes, and which keys.
type Form struct {
	Least, Most int
	Keys        []string
}

var hostActions = []Word{
	{Name: "new", Syntax: `new "Title" [key:value…]`, Example: `new "Title"`, Long: true, Summary: "an empty document"},
	{Name: "open", Syntax: "open PATH [as:NAME]", Example: "open ./file",
		Form: &Form{Most: 1, Keys: []string{"as", "path", "with"}}, Late: true, Reads: true,
		Summary: "a document from a file; as: names it, so that it stays open beside others"},
	{Name: "save", Syntax: "save [as:PATH|copy:PATH] [force]", Example: "save",
		Form: &Form{Most: 2, Keys: []string{"as", "copy"}}, Late: true,
		Summary: "write it to its file, or to another, which is its file from then on unless copy: says so; force: over one that others wrote"},
	{Name: "close", Syntax: "close [force]", Example: "close", Form: &Form{Most: 1}, Reads: true, Discards: true,
		Summary: "close it; force drops unsaved changes"},
	{Name: "checkpoint", Syntax: "checkpoint NAME", Example: "checkpoint before-changes",
		Form: &Form{Least: 1, Most: 1}, Summary: "name this place in the history"},
	{Name: "undo", Syntax: "undo [N|to:NAME|batch]", Example: "undo", Brief: "undo [N|to:CHECKPOINT|batch]",
		Form: &Form{Most: 2, Keys: []string{"to"}}, Late: true, Discards: true,
		Summary: "take back the last op, N ops, all since a checkpoint, or the whole last call"},
	{Name: "redo", Syntax: "redo [N]", Example: "redo",
		Form: &Form{Most: 1}, Discards: true, Summary: "do undone ops again"},
	{Name: "status", Syntax: "status", Example: "status", Form: &Form{}, Reads: true,
		Summary: "file, unsaved changes, history, checkpoints"},
	{Name: "batch", Syntax: "batch atomic|each|lines|joined", Example: "batch atomic", Brief: "batch atomic|each",
		Form:    &Form{Least: 1, Most: 1},
		Summary: "whether a failed op undoes its whole call (atomic, the default), and whether each of many ops has a line of its own (joined, the default, joins those that differ only in names and places)"},
	{Name: "export", Syntax: "export FORMAT as:PATH [force]", Example: "export FORMAT as:./out", Long: true,
		Summary: "write it in another format"},
	{Name: "use", Syntax: "use NAME", Example: `use "Title"`,
		Form: &Form{Least: 1, Most: 1}, Late: true, Reads: true, Summary: "make another open document the current one"},
	{Name: "documents", Syntax: "documents", Example: "documents",
		Form: &Form{}, Reads: true, Summary: "list the open documents"},
	{Name: "recover", Syntax: "recover [N] [force]", Example: "recover", Brief: "recover [N]",
		Form: &Form{Most: 2}, Discards: true, Summary: "bring back a document of an earlier session, or list them"},
	{Name: "discard", Syntax: "discard N|all", Example: "discard all", Form: &Form{Least: 1, Most: 1}, Discards: true,
		Summary: "drop a document of an earlier session, or all of them"},
	{Name: "enable", Syntax: "enable", Example: "enable", Form: &Form{Most: 1},
		Summary: "let the plugin run again after it was disabled for failing too often"},
	{Name: "plugins", For: Rare, Syntax: "plugins", Example: "plugins", Long: true, Form: &Form{}, Reads: true,
		Summary: "which plugins are served and which are not, with version, sha256, path and documents"},
	{Name: "reload", For: Rare, Syntax: "reload", Example: "reload", Long: true, Form: &Form{},
		Summary: "read the plugins' files again, in case a change was missed"},
	{Name: "view", For: Rare, Syntax: "view", Example: "view", Long: true, Form: &Form{},
		Summary: "where to watch the documents change in a browser"},
	{Name: "job", For: Programs, Syntax: "job N", Example: "job 1", Brief: "job N · its result",
		Summary: "wait some seconds for a job to end, and report its result"},
	{Name: "cancel", For: Programs, Syntax: "cancel N", Example: "cancel 1",
		Summary: "end a job; its file stays as it was"},
	{Name: PullAction, For: Remote, Syntax: "pull [force]", Example: "pull", Brief: "pull [force] · fetch a remote document again",
		Form: &Form{Most: 1}, Summary: "fetch a remote document again; force drops unsaved changes"},
}

var hostQueries = []Word{
	{Name: "status", Syntax: "status", Example: "status", Form: &Form{}, Summary: "file, unsaved changes, history, checkpoints"},
	{Name: "history", Syntax: "history [N]", Example: "history 10", Form: &Form{Most: 1}, Summary: "the last N ops (10)"},
	{Name: "diff", Syntax: "diff [checkpoint:NAME]", Example: "diff checkpoint:before-changes",
		Form:    &Form{Keys: []string{"checkpoint"}},
		Summary: "what was done since a checkpoint, or since the file was saved or opened"},
	{Name: "checkpoints", Syntax: "checkpoints", Example: "checkpoints", Form: &Form{},
		Summary: "the checkpoints, and how far back"},
	{Name: "documents", Syntax: "documents", Example: "documents", Form: &Form{}, Summary: "the open documents"},
	{Name: HelpQuery, Syntax: "help [WORDS]", Example: "help save", Brief: "help WORDS",
		Summary: "what the tool D_help answers, beside other queries"},
	{Name: "jobs", For: Programs, Syntax: "jobs", Example: "jobs", Long: true, Form: &Form{}, Summary: "your running and finished jobs"},
}

// HelpQuery is the query for help, which needs no document.
const HelpQuery = "help"

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

// Actions lists the host's session actions of some scopes.
func Actions(scopes ...Scope) []Word { return inScope(hostActions, scopes) }

// Queries lists the queries that the host answers, of some scopes.
func Queries(scopes ...Scope) []Word { return inScope(hostQueries, scopes) }

func inScope(words []Word, scopes []Scope) []Word {
	return slices.DeleteFunc(slices.Clone(words), func(w Word) bool { return !slices.Contains(scopes, w.For) })
}

// scopesOf lists the scopes that a domain is in, but for Rare.
func scopesOf(m *abi.Manifest) []Scope {
	scopes := []Scope{Always}
	if WantsPrograms(m) {
		scopes = append(scopes, Programs)
	}
	if len(m.Schemes) > 0 {
		scopes = append(scopes, Remote)
	}
	return scopes
}

// ActionsOf lists the host's session actions for a domain, without the rare ones.
func ActionsOf(m *abi.Manifest) []Word { return Actions(scopesOf(m)...) }

// QueriesOf lists the queries that the host answers for a domain.
func QueriesOf(m *abi.Manifest) []Word { return Queries(scopesOf(m)...) }

// WantsPrograms reports whether the manifest has a want for programs.
func WantsPrograms(m *abi.Manifest) bool {
	return slices.ContainsFunc(m.Wants, func(w abi.Want) bool { return w.Kind == abi.WantProgram })
}

// HostAction is the host's action of a name, and the zero value if there is none.
func HostAction(name string) Word { return named(hostActions, name) }

// HostQuery is the host's query of a name, and the zero value if there is none.
func HostQuery(name string) Word { return named(hostQueries, name) }

func named(words []Word, name string) (w Word) {
	if i := slices.IndexFunc(words, func(w Word) bool { return w.Name == name }); i >= 0 {
		w = words[i]
	}
	return w
}

// HostRuns reports whether the host runs the session action for the domain.
func (d *Domain) HostRuns(action string) bool {
	w := HostAction(action)
	return w.Name != "" && slices.Contains(append(scopesOf(d.Manifest), Rare), w.For)
}

// HostAnswers reports whether the host answers the query for the domain.
func (d *Domain) HostAnswers(query string) bool {
	w := HostQuery(query)
	return w.Name != "" && slices.Contains(scopesOf(d.Manifest), w.For)
}

// Names returns the names of words.
func Names(words []Word) (names []string) {
	for _, w := range words {
		names = append(names, w.Name)
	}
	return names
}
