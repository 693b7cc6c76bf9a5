// Package pdk is the Go SDK for domains of fcp-host: describe a domain as a
// value of Domain, hand it to Serve from an init function of package main (main
// itself never runs), and build it with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o mine.wasm .
//
// The same value runs natively under pdk/pdktest, so a domain is tested as
// plain Go.
//
// # The one rule
//
// A verb never changes the model itself. It builds edits and gives each to
// Ctx.Do, which runs it and keeps it as an event. Undo, redo, recovery and
// rollback of a failed op all follow from that, and cannot be forgotten.
package pdk

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

// Domain describes one domain over its model M, usually a pointer.
type Domain[M any] struct {
	Name       string   // tool prefix, [a-z][a-z0-9_-]*
	Title      string   // for people
	Version    string   // semver of the plugin
	Summary    string   // one sentence
	Keywords   []string // words in which people ask for it: "song", "chords"
	Extensions []string // with their dot, the default first
	MIME       []string
	Magic      []abi.Magic

	New  func(r *abi.NewRequest) (M, error)
	Open func(name string, data []byte) (m M, warnings []string, err error) // data is the domain's to keep
	Save func(m M) ([]byte, error)                                          // must not change m

	// SaveAs, if set, is Save for a file of a known name, so that the bytes may depend on its extension and its folder.
	SaveAs func(m M, to Target) ([]byte, error)

	// Snapshot and Restore (both or neither) carry the whole model, ids included, so that old
	// log entries can be folded away. Without them Save and Open are used,
	// which is right only when ids survive a save.
	Snapshot func(m M) ([]byte, error)
	Restore  func(name string, data []byte) (M, error)

	State func(m M) abi.State // digest, counts, structural warnings; must not change m
	Edits func(typ string) Edit[M]

	// Watch, if set, is called before the ops of a call, and the function that it returns is called after them. That
	// function returns a line for each problem that State had already warned of and that has become worse; they are added to
	// the last op's warnings. Neither may change m.
	Watch func(m M) func() []string

	Verbs       []Verb[M]
	Common      []string       // names of the verbs of everyday work, the most used first
	Selectors   []abi.Selector // described here, matched by a Selection
	Queries     []Query[M]
	Session     []SessionAction[M]
	Formats     []Format[M]
	NewParams   []abi.Param
	Positionals []string      // RE2 of whole tokens that are never parameters
	Vocabulary  []abi.Section // named values
	Conventions []string
	Synonyms    []abi.Synonym // other words for verbs, to be suggested
	Example     []string
	Help        func(m M) []abi.Section // what this document adds to the reference card; m is the zero M on a fresh instance

	// What the domain needs from outside of the sandbox: see Host. A domain without wants cannot ask for anything.
	Wants        []abi.Want
	Tools        []Tool[M]
	Folder       Folders[M]     // a *Folder, if folders are documents, too; a domain of folders alone has no New, Open or Save
	Autosave     bool           // each call that changes a document with a file or folder saves it
	Stamps       bool           // Host.Now, Nonce and ID work
	Media        []string       // extensions of files that are opened as resources of a new document
	NewResources []abi.Resource // of `new`, and of Media
	Commands     []abi.Command  // of fcp-host's command line
	View         *abi.View      // how the view shows documents to people
	Jobs         []string       // what people ask for most, for skills: a title, then lines of a script, on the document of the jobs before it

	// References, if set, lists the files that the document mentions, for the inputs of programs.
	References func(m M) []string

	// Schemes are the schemes of remote documents: "flow" for `open flow:NAME`. Fetch gets a document, Store writes it back.
	Schemes []string
	Fetch   func(h *Host, ref string) (abi.FetchResponse, error)
	Store   func(h *Host, r *abi.StoreRequest) (abi.StoreResponse, error)
}

// Jobs splits a text, such as an embedded file, into the jobs that blank lines separate.
func Jobs(text string) []string { return strings.Split(strings.TrimSpace(text), "\n\n") }

// asks reports whether exports of the domain may ask the host for something.
func (d *Domain[M]) asks() bool {
	return len(d.Wants) > 0 || len(d.Tools) > 0 || len(d.Schemes) > 0 ||
		slices.ContainsFunc(d.Session, func(s SessionAction[M]) bool { return len(s.Resources) > 0 })
}

// Target is the file that is written.
type Target struct {
	Name string // base name, "" in exports
	// Files maps the name that a call or the document used for a file to the name to write: a path relative to the folder of
	// the written file.
	Files map[string]string
}

// target makes a Target from the fields of a request.
func target(name string, files []abi.KeyValue) Target {
	t := Target{Name: name}
	for _, f := range files {
		if t.Files == nil {
			t.Files = map[string]string{}
		}
		t.Files[f.Key] = f.Value
	}
	return t
}

// Edit is one reversible change of the model.
//
// Do makes the change: the first time, and again when it is replayed on the
// state that it was first made on. It may set its own fields to what Undo needs.
// The edit is encoded (msgpack) after Do returns, so whatever Undo and a later Do
// need must be in exported fields. Maps must have string keys and string, bool or
// any values, since only those are written in a fixed order. A Do that fails must
// leave the model as it was. Undo restores exactly the state before Do, down to
// the bytes that Save writes.
type Edit[M any] interface {
	Type() string // event type, a constant such as "note.add"
	Do(m M) error
	Undo(m M) error
}

// Verb is one verb: its entry in the manifest and what it does.
type Verb[M any] struct {
	abi.Verb
	Keys []Parameter // its keys that have a type: Run is called only if their values are of it
	Run  func(c *Ctx[M], a Args) error
}

// Query is one query. It must not change the model.
type Query[M any] struct {
	abi.Query
	Keys []Parameter // its keys that have a type: Run is called only if their values are of it
	Run  func(c *View[M], a Args) (abi.QueryResponse, error)
}

// SessionAction is a session action of the domain's own. file holds the bytes of
// the file named by the positional with the number Session.File. Keys that are not
// in its syntax are refused; override.KEY:VALUE stands for every key that begins with override.
type SessionAction[M any] struct {
	abi.Session
	Run func(c *Ctx[M], a Args, file []byte) error
}

// Format is an export format. It has either Write or Run. Run is for exports that
// ask the host, or that a program makes: the response then holds the run of the
// program instead of data.
type Format[M any] struct {
	abi.Format
	Params []string // the keys that it takes, "*" for any: an export with another is refused
	Write  func(m M, a Args) ([]byte, error)
	Run    func(v *View[M], a Args) (abi.SaveResponse, error)
}

// Manifest is what fcp_manifest answers.
func (d *Domain[M]) Manifest() *abi.Manifest {
	m := &abi.Manifest{
		ABI: abi.Version, Domain: d.Name, Title: d.Title, Version: d.Version, Summary: d.Summary,
		Extensions: d.Extensions, MIME: d.MIME, Magic: d.Magic,
		Selectors: d.Selectors, NewParams: d.NewParams, Positionals: d.Positionals,
		Vocabulary: d.Vocabulary, Conventions: d.Conventions, Synonyms: d.Synonyms, Example: d.Example,
		Snapshots: d.Snapshot != nil && d.Restore != nil,
		Wants:     d.Wants, Stamps: d.Stamps, Media: d.Media, NewResources: d.NewResources, Commands: d.Commands, Schemes: d.Schemes,
		Autosave: d.Autosave, View: d.View, Jobs: d.Jobs, Common: d.Common, Keywords: d.Keywords,
	}
	if d.Folder != nil {
		m.Folder, m.Snapshots = d.Folder.manifest(), true
	}
	for _, v := range d.Verbs {
		m.Verbs = append(m.Verbs, v.Verb)
	}
	for _, q := range d.Queries {
		m.Queries = append(m.Queries, q.Query)
	}
	for _, s := range d.Session {
		m.Session = append(m.Session, s.Session)
	}
	for _, f := range d.Formats {
		m.Exports = append(m.Exports, f.Format)
	}
	for _, t := range d.Tools {
		t.Explains = t.Misfit != nil
		m.Tools = append(m.Tools, t.Tool)
	}
	return m
}
