package deck

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// Domain describes cuedeck.
func Domain() *pdk.Domain[*Workspace] {
	return &pdk.Domain[*Workspace]{
		Name:    "cuedeck",
		Title:   "CueDeck",
		Version: "0.1.0",
		Summary: "Plans work in a folder of Markdown: task cards with dependencies, and docs.",
		Wants:   []abi.Want{{Kind: abi.WantFolder, Reason: "It reads and edits the cards and docs of your workspace, and looks for context in its texts and sources."}},
		Folder: &pdk.Folder[*Workspace]{
			Folder: abi.Folder{Include: included(), Exclude: []string{"**/node_modules", "**/vendor", "**/target", "**/dist", "**/build", "**/__pycache__"}, Marker: Marker},
			Open:   open,
			Files:  func(w *Workspace) *pdk.Files { return w.Files },
			New:    create,
		},
		Autosave:  true,
		Stamps:    true,
		State:     state,
		Verbs:     []verb{addVerb(), modifyVerb()},
		Selectors: selectors(),
		Queries:   queries(),
	}
}

// included are the files of a workspace: Markdown, what belongs to cuedeck, and the texts and sources that search knows.
func included() []string {
	out := []string{"**/*.md", Config, ".gitignore", Marker + "/*/.gitkeep"}
	for _, ext := range strings.Fields("txt rst adoc org toml yaml yml json go rs py js ts tsx jsx java kt c h cc cpp hpp cs rb php swift scala sh sql html css proto lua ex exs zig") {
		out = append(out, "**/*."+ext)
	}
	return out
}

// create makes a folder a workspace.
func create(f *pdk.Files, _ *abi.NewRequest) error {
	for _, name := range []string{Cards + ".gitkeep", Marker + "/docs/.gitkeep"} {
		f.Put(name, nil)
	}
	f.Put(Config, []byte(defaults))
	ignored := string(f.Get(".gitignore"))
	if ignored != "" && !strings.HasSuffix(ignored, "\n") {
		ignored += "\n"
	}
	for _, l := range []string{Marker + "/.cache/", Scene} {
		if !strings.Contains("\n"+strings.ReplaceAll(ignored, "\r\n", "\n"), "\n"+l+"\n") {
			ignored += l + "\n"
		}
	}
	f.Put(".gitignore", []byte(ignored))
	return nil
}

// defaults is the configuration of a new workspace.
const defaults = `# Settings of this workspace. Lines that are commented out show the defaults.

[scene]
# token_limit = 32000

[security]
# secret_patterns = []   # more patterns (RE2) of what scenes mask
`
