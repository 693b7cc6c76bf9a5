package deck

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// Domain describes the cuedeck domain to the SDK.
func Domain() *pdk.Domain[*Workspace] {
	return &pdk.Domain[*Workspace]{
		Name:     "cuedeck",
		Title:    "CueDeck",
		Version:  "0.1.0",
		Summary:  "Plans work in a folder of Markdown: task cards with dependencies, and docs.",
		Keywords: []string{"task", "todo", "board", "kanban", "backlog", "plan", "notes"},
		Wants:    []abi.Want{{Kind: abi.WantFolder, Reason: "It reads and edits the cards and docs of your workspace, and looks for context in its texts and sources."}},
		Folder: &pdk.Folder[*Workspace]{
			Folder: abi.Folder{Include: includedFiles(), Exclude: excluded, Marker: Marker},
			Open:   open,
			Files:  func(w *Workspace) *pdk.Files { return w.Files },
			New:    create,
		},
		Autosave:  true,
		Stamps:    true,
		State:     state,
		Verbs:     pdk.Declare(addVerb(), modifyVerb(), connectVerb(), disconnectVerb(), tagVerb(), noteVerb(), sectionVerb(), checkVerb(), archiveVerb(), removeVerb(), copyVerb(), repeatVerb(), repairVerb()),
		Common:    []string{"add", "modify", "connect", "note", "remove", "check", "section", "tag"},
		Selectors: selection.Describe(),
		Queries:   queries(),
		Formats:   formats(),
		View:      &abi.View{Picture: "preview format:svg"},
		Jobs:      pdk.Jobs(jobs),
		Conventions: []string{
			"A CARD is an id or a title, also of a card that an earlier op of the call made; a unique beginning will do, but not in remove, archive, repair and depends:.",
			"depends: and connect A -> B: A waits until B is done or archived. The query next tells what can be started.",
			"Each call is written to the files at once; undo writes back. Only what an op names changes.",
		},
		Synonyms: synonyms(),
		Example: []string{
			`add card "Design the schema" priority:high tags:db`,
			`add card "Write the API" depends:"Design the schema" tags:api text:"- [ ] routes\n- [ ] tests"`,
			`modify "Design the schema" status:active assignee:@ana`,
			`note "Design the schema" "Ana has a draft"`,
			`check "Write the API" routes`,
		},
	}
}

// excluded are folders with generated or third-party files, and the scene, which is generated from the rest.
var excluded = []string{Scene, "**/node_modules", "**/vendor", "**/target", "**/dist", "**/build", "**/__pycache__"}

// synonyms maps other words for verbs, queries and keys to ours.
func synonyms() []abi.Synonym {
	var out []abi.Synonym
	for _, s := range [][2]string{
		{"add card", "card task todo create new issue ticket"}, {"modify", "set update change edit assign move rename"}, {"modify status:done", "done finish complete"}, {"modify status:active", "begin start"}, {"connect", "link depend block depends ->"}, {"disconnect", "unlink unblock"},
		{"tag", "label"}, {"note", "comment log"}, {"section", "write append replace"}, {"check", "tick"}, {"archive", "close hide"}, {"remove", "delete del rm"}, {"copy", "duplicate clone"}, {"repair", "fix mend"},
		{"map", "overview tree"}, {"list", "tasks cards ls"}, {"find", "search grep"}, {"read", "cat open"}, {"describe", "inspect get info show view"}, {"deps", "dependencies"}, {"doctor", "lint warnings problems"}, {"next", "ready"}, {"board", "picture kanban"},
	} {
		for w := range strings.FieldsSeq(s[1]) {
			out = append(out, abi.Synonym{Word: w, Means: s[0]})
		}
	}
	for _, s := range [][2]string{{"name:", "title:"}, {"state:", "status:"}, {"prio:", "priority:"}, {"owner:", "assignee:"}, {"assign:", "assignee:"}, {"tag:", "tags:"}, {"labels:", "tags:"}, {"depends_on:", "depends:"}, {"deps:", "depends:"}, {"after:", "depends:"}, {"body:", "text:"}, {"description:", "text:"}, {"desc:", "text:"}, {"notes:", "text:"},
		{"@owner", "@assignee"}, {"@tags", "@tag"}, {"@state", "@status"}, {"@prio", "@priority"}, {"@label", "@tag"}} {
		out = append(out, abi.Synonym{Word: s[0], Means: s[1]})
	}
	return out
}

// includedFiles are the files of a workspace: Markdown, cuedeck's own, and the texts and sources that search reads.
func includedFiles() []string {
	out := []string{"**/*.md", Config, ".gitignore", Marker + "/*/.gitkeep"}
	for _, ext := range strings.Fields("txt rst adoc org toml yaml yml json go rs py js ts tsx jsx java kt c h cc cpp hpp cs rb php swift scala sh sql html css proto lua ex exs zig") {
		out = append(out, "**/*."+ext)
	}
	return out
}

// create makes a workspace of a folder.
func create(f *pdk.Files, _ *abi.NewRequest) error {
	for _, name := range []string{Cards + ".gitkeep", Marker + "/docs/.gitkeep"} {
		f.Put(name, nil)
	}
	f.Put(Config, []byte(defaults))
	ignored := string(f.Get(".gitignore"))
	if ignored != "" && !strings.HasSuffix(ignored, "\n") {
		ignored += "\n"
	}
	for _, l := range []string{Marker + "/.cache/", Scene, Marker + "/.fcp-save-*"} { // the last is the host's record of an interrupted save
		if !strings.Contains("\n"+strings.ReplaceAll(ignored, "\r\n", "\n"), "\n"+l+"\n") {
			ignored += l + "\n"
		}
	}
	f.Put(".gitignore", []byte(ignored))
	return nil
}
