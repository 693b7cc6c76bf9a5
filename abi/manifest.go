package abi

// Manifest describes a domain. It is a constant of the module: the host reads
// it once, caches it by the module's sha256, and builds tool descriptions,
// parsing rules, suggestions and help from it.
type Manifest struct {
	ABI     int    `msgpack:"abi" json:"abi"`         // always Version
	Domain  string `msgpack:"domain" json:"domain"`   // the tool prefix: [a-z][a-z0-9]{0,31}, words joined by "-" or "_"
	Title   string `msgpack:"title" json:"title"`     // for people: "MIDI"
	Version string `msgpack:"version" json:"version"` // of the plugin, semver
	Summary string `msgpack:"summary" json:"summary"` // one sentence: what it edits

	Extensions []string `msgpack:"extensions" json:"extensions"`           // file name endings with their dot, the first is the default
	MIME       []string `msgpack:"mime,omitempty" json:"mime,omitempty"`   // media types of the files, the first is the default
	Magic      []Magic  `msgpack:"magic,omitempty" json:"magic,omitempty"` // how a file may start

	Verbs       []Verb     `msgpack:"verbs" json:"verbs"`                                 // in the order of the reference card
	Selectors   []Selector `msgpack:"selectors,omitempty" json:"selectors,omitempty"`     // in addition to @all, @recent and @not:…
	Queries     []Query    `msgpack:"queries,omitempty" json:"queries,omitempty"`         // in addition to the host's own
	Session     []Session  `msgpack:"session,omitempty" json:"session,omitempty"`         // its own session actions; needs fcp_session
	Exports     []Format   `msgpack:"exports,omitempty" json:"exports,omitempty"`         // formats it exports; needs fcp_export
	NewParams   []Param    `msgpack:"new_params,omitempty" json:"new_params,omitempty"`   // accepted by `new "Title" key:value`
	Positionals []string   `msgpack:"positionals,omitempty" json:"positionals,omitempty"` // RE2, matched against whole tokens, which are then no parameters; of queries, those that have takes
	Vocabulary  []Section  `msgpack:"vocabulary,omitempty" json:"vocabulary,omitempty"`   // named values, in the reference card
	Conventions []string   `msgpack:"conventions,omitempty" json:"conventions,omitempty"` // one line each, in the reference card
	Example     []string   `msgpack:"example,omitempty" json:"example,omitempty"`         // a short working script of ops, in the reference card
	Synonyms    []Synonym  `msgpack:"synonyms,omitempty" json:"synonyms,omitempty"`       // other words for its verbs and keys: never run, only suggested
	Snapshots   bool       `msgpack:"snapshots,omitempty" json:"snapshots,omitempty"`     // fcp_save and fcp_open support Snapshot

	Wants        []Want     `msgpack:"wants,omitempty" json:"wants,omitempty"`                 // what it can use outside the sandbox
	Stamps       bool       `msgpack:"stamps,omitempty" json:"stamps,omitempty"`               // requests carry Now, and those that change a document also a Nonce
	Folder       *Folder    `msgpack:"folder,omitempty" json:"folder,omitempty"`               // folders are documents, too
	Autosave     bool       `msgpack:"autosave,omitempty" json:"autosave,omitempty"`           // each call that changes a document with a file or folder saves it
	Media        []string   `msgpack:"media,omitempty" json:"media,omitempty"`                 // extensions of files that are opened as resources of a new document
	Schemes      []string   `msgpack:"schemes,omitempty" json:"schemes,omitempty"`             // of remote documents: "flow" for flow:NAME; needs fcp_fetch
	NewResources []Resource `msgpack:"new_resources,omitempty" json:"new_resources,omitempty"` // of `new`, and of Media
	Tools        []Tool     `msgpack:"tools,omitempty" json:"tools,omitempty"`                 // typed tools; needs fcp_tool
	Commands     []Command  `msgpack:"commands,omitempty" json:"commands,omitempty"`           // of the command line
	View         *View      `msgpack:"view,omitempty" json:"view,omitempty"`                   // how the view shows its documents
	Jobs         []string   `msgpack:"jobs,omitempty" json:"jobs,omitempty"`                   // what people ask for most: a title, then lines of a script for fcp-host exec, each job on the document of those before it
	Common       []string   `msgpack:"common,omitempty" json:"common,omitempty"`               // names of the verbs of everyday work, the most used first: the tool's description has their syntax, and only the names of the others
	Keywords     []string   `msgpack:"keywords,omitempty" json:"keywords,omitempty"`           // words in which people ask for it, by which clients find its tools: "song", "chords"
}

// View says how the host's page (docs/view.md) shows documents to people. Without it the page asks the query preview.
type View struct {
	Picture string `msgpack:"picture,omitempty" json:"picture,omitempty"` // the query whose picture is shown, which may be an SVG: "preview format:svg"; with page:N for a page that a person chose
	Audio   string `msgpack:"audio,omitempty" json:"audio,omitempty"`     // query that answers with Notes, which are played: "events * format:notes"
}

// Magic is a sequence of bytes at a fixed offset by which a file is recognised.
type Magic struct {
	Offset int    `msgpack:"offset" json:"offset"` // bytes from the start of the file
	Bytes  []byte `msgpack:"bytes" json:"bytes"`   // the bytes there
}

// Verb is one verb of the domain's registry.
type Verb struct {
	Name     string   `msgpack:"name" json:"name"`                               // in lower case, unique
	Syntax   string   `msgpack:"syntax" json:"syntax"`                           // "note TRACK PITCH… [at:POS]", for people
	Summary  string   `msgpack:"summary" json:"summary"`                         // what it does, a few words
	Brief    string   `msgpack:"brief,omitempty" json:"brief,omitempty"`         // its line in the reference card, instead of syntax and summary
	Category string   `msgpack:"category,omitempty" json:"category,omitempty"`   // heading in the reference card
	Params   []Param  `msgpack:"params,omitempty" json:"params,omitempty"`       // all its keys
	AnyParam bool     `msgpack:"any_param,omitempty" json:"any_param,omitempty"` // accepts other keys than Params
	Select   bool     `msgpack:"select,omitempty" json:"select,omitempty"`       // accepts selectors
	Min      int      `msgpack:"min,omitempty" json:"min,omitempty"`             // minimum number of positionals
	Max      int      `msgpack:"max" json:"max"`                                 // maximum number of positionals; -1 for any number
	Block    string   `msgpack:"block,omitempty" json:"block,omitempty"`         // the line that ends its raw block
	Examples []string `msgpack:"examples,omitempty" json:"examples,omitempty"`   // each parses and names this verb
	Hidden   bool     `msgpack:"hidden,omitempty" json:"hidden,omitempty"`       // accepted, but not in the card (a second spelling)

	Resources []Resource `msgpack:"resources,omitempty" json:"resources,omitempty"` // words that name resources
}

// Synonym is one or more words that the domain does not know, and what they probably mean. An op that starts with them is
// refused, with the suggestion of the same op with Means instead of Word, if the manifest accepts that. If Means is a key of
// the verb, Word is another name for the key. Word may also be a key ("name:", with Means "label:"), a selector ("@label",
// with Means "@text"), or an arrow after the first word of an op without a verb ("->", with Means "connect").
type Synonym struct {
	Word  string `msgpack:"word" json:"word"`   // lower case: "label", "rename track"
	Means string `msgpack:"means" json:"means"` // how an op, query or session action starts: "label", "track rename"
}

// Param is one key of a verb, or of `new`.
type Param struct {
	Key   string `msgpack:"key" json:"key"`     // as written before the colon
	Value string `msgpack:"value" json:"value"` // what it takes, for people: "POS", "1-16", "blue|green"
}

// Selector is one selector type of the domain, in addition to the universal ones.
type Selector struct {
	Type    string `msgpack:"type" json:"type"`                       // the word after the @, lower case
	Syntax  string `msgpack:"syntax" json:"syntax"`                   // "@track:NAME"
	Summary string `msgpack:"summary" json:"summary"`                 // what it selects
	Brief   string `msgpack:"brief,omitempty" json:"brief,omitempty"` // its line in the reference card, instead of syntax and summary
}

// Query is one query of the domain. The host itself answers status, history, diff, checkpoints and documents; a domain with
// Schemes may have a query diff of its own, which is used of remote documents without checkpoint: and lists
// differences from the remote copy.
type Query struct {
	Name    string   `msgpack:"name" json:"name"`                       // its first word, lower case
	Syntax  string   `msgpack:"syntax" json:"syntax"`                   // "tracks [@SEL]", for people
	Summary string   `msgpack:"summary" json:"summary"`                 // what it answers
	Brief   string   `msgpack:"brief,omitempty" json:"brief,omitempty"` // its line in the reference card, instead of syntax and summary
	Takes   *Takes   `msgpack:"takes,omitempty" json:"takes,omitempty"` // what may follow its name: the host refuses everything else; without it the guest must
	Wants   []string `msgpack:"wants,omitempty" json:"wants,omitempty"` // the wants it requires: "http:api"
	Exact   bool     `msgpack:"exact,omitempty" json:"exact,omitempty"` // its text is used as it is, such as a source: the host never folds it
	Bulk    bool     `msgpack:"bulk,omitempty" json:"bulk,omitempty"`   // the words after its name narrow a long answer without naming an element or a range, such as a text to find: the host folds it even so
}

// Takes is what may follow the name of a query.
type Takes struct {
	Params []Param `msgpack:"params,omitempty" json:"params,omitempty"` // every key
	Select bool    `msgpack:"select,omitempty" json:"select,omitempty"` // accepts selectors
	Min    int     `msgpack:"min,omitempty" json:"min,omitempty"`       // minimum number of positionals, if there is no selector
	Max    int     `msgpack:"max" json:"max"`                           // maximum number of positionals; -1 for any number
}

// Session is one of the domain's own session actions, run by fcp_session.
type Session struct {
	Name      string     `msgpack:"name" json:"name"`                               // its first word, lower case
	Syntax    string     `msgpack:"syntax" json:"syntax"`                           // "import FILE", for people
	Summary   string     `msgpack:"summary" json:"summary"`                         // what it does
	Brief     string     `msgpack:"brief,omitempty" json:"brief,omitempty"`         // its line in the reference card, instead of syntax and summary
	File      int        `msgpack:"file,omitempty" json:"file,omitempty"`           // the positional (1 is the first) that is a path; the host reads the file and sends its bytes
	SaveAs    bool       `msgpack:"save_as,omitempty" json:"save_as,omitempty"`     // accepts as:PATH, which the host does not pass on: it saves the document there afterwards, as save as:PATH does
	Wants     []string   `msgpack:"wants,omitempty" json:"wants,omitempty"`         // the wants it requires: "http:api"
	Resources []Resource `msgpack:"resources,omitempty" json:"resources,omitempty"` // words that name resources
}

// Format is a format fcp_export can write.
type Format struct {
	Name      string   `msgpack:"name" json:"name"`                       // as in `export NAME`, lower case
	Extension string   `msgpack:"extension" json:"extension"`             // file name ending with its dot
	MIME      string   `msgpack:"mime" json:"mime"`                       // media type
	Summary   string   `msgpack:"summary" json:"summary"`                 // what it is for
	Wants     []string `msgpack:"wants,omitempty" json:"wants,omitempty"` // the wants it requires: "http:api"
}

// Section is a titled list of lines in the reference card.
type Section struct {
	Title string   `msgpack:"title" json:"title"`                     // one line
	Lines []string `msgpack:"lines" json:"lines"`                     // one entry each, without line breaks
	Brief string   `msgpack:"brief,omitempty" json:"brief,omitempty"` // its text in the reference card, if the lines are too long for it
}
