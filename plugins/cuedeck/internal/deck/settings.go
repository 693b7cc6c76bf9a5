package deck

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Settings are what .cuedeck/config.toml says.
type Settings struct {
	Name string `toml:"name"`

	Scene struct {
		TokenLimit int `toml:"token_limit"`
	} `toml:"scene"`
	Security struct {
		SecretPatterns []string `toml:"secret_patterns"`
	} `toml:"security"`
	Docs struct {
		Ignore []string `toml:"ignore"` // folders and files, patterns as path.Match has them
	} `toml:"docs"`

	Wrong error // why the file cannot be read, nil where it can
}

// DefaultLimit is how many tokens a scene may have unless it is said otherwise.
const DefaultLimit = 32_000

// defaults is the configuration of a new workspace.
const defaults = `# Settings of this workspace. A line that is commented out shows the default.

# name = "…"               # of the workspace; without it the first heading of README.md

[scene]
# token_limit = 32000      # of a scene, 4 bytes each

[docs]
# ignore = []              # folders and files that are no docs: ["drafts", "docs/old*"]

[security]
# secret_patterns = []     # what scenes mask beside keys: patterns (RE2)
`

// Settings reads them. Where they are broken, all are as they would be without the file.
func (w *Workspace) Settings() *Settings {
	if w.settings == nil {
		s := &Settings{}
		if _, err := toml.Decode(string(w.Files.Get(Config)), s); err != nil {
			s = &Settings{Wrong: fmt.Errorf("%s: %w", Config, err)}
		}
		for _, p := range s.Docs.Ignore {
			if _, err := path.Match(p, ""); err != nil && s.Wrong == nil {
				s.Wrong = fmt.Errorf("%s: docs.ignore has the pattern %q, which is malformed", Config, p)
			}
		}
		if s.Scene.TokenLimit <= 0 {
			s.Scene.TokenLimit = DefaultLimit
		}
		w.settings = s
	}
	return w.settings
}

// ignores reports whether a file, or a folder above it, is none of the docs.
func (s *Settings) ignores(name string) bool {
	for at := name; at != "."; at = path.Dir(at) {
		if slices.ContainsFunc(s.Docs.Ignore, func(p string) bool {
			p = strings.TrimSuffix(p, "/")
			ok, _ := path.Match(p, at) // one that is malformed matches nothing, and is told
			return ok
		}) {
			return true
		}
	}
	return false
}
