package deck

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Settings are the contents of .cuedeck/config.toml.
type Settings struct {
	Name string `toml:"name"`

	Scene struct {
		TokenLimit int `toml:"token_limit"`
	} `toml:"scene"`
	Security struct {
		SecretPatterns []string `toml:"secret_patterns"`
	} `toml:"security"`
	Docs struct {
		Ignore []string `toml:"ignore"` // folders and files, patterns of path.Match
	} `toml:"docs"`

	Wrong      error // what is wrong with the file, or nil
	unreadable bool  // the file cannot be parsed
}

// DefaultLimit is the default size of a scene in tokens.
const DefaultLimit = 32_000

// defaults is the settings file of a new workspace.
const defaults = `# Settings of this workspace. A line that is commented out shows the default.

# name = "…"               # of the workspace; without it the first heading of README.md

[scene]
# token_limit = 32000      # of a scene, 4 bytes each

[docs]
# ignore = []              # folders and files that are no docs: ["drafts", "docs/old*"]

[security]
# secret_patterns = []     # what scenes mask beside keys: patterns (RE2)
`

// Settings returns the settings. If the file is broken, it returns the defaults.
func (w *Workspace) Settings() *Settings {
	if w.settings == nil {
		s := &Settings{}
		text := string(w.Files.Get(Config))
		err := checkNesting(text)
		if err == nil {
			_, err = toml.Decode(text, s)
		}
		if err != nil {
			s = &Settings{Wrong: fmt.Errorf("%s: %w", Config, err), unreadable: true}
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

// checkNesting refuses settings that would take the parser too much time and memory: it does not limit nesting, and names each
// level by all levels above it.
func checkNesting(text string) error {
	const longest, deepest = 64 << 10, 32
	if len(text) > longest {
		return fmt.Errorf("it has %d bytes, more than %d", len(text), longest)
	}
	line, brackets, dots := 1, 0, 0
	for i := 0; i < len(text); i++ {
		switch b := text[i]; b {
		case '[', '{':
			brackets++
		case ']', '}':
			brackets--
		case '.':
			dots++
		case '=', ',':
			dots = 0
		case '\n':
			line++
			dots = 0
		case '#':
			i += len(textBefore(text[i:], "\n")) - 1
		case '"', '\'':
			q := text[i : i+1]
			if strings.HasPrefix(text[i:], strings.Repeat(q, 3)) {
				q = text[i : i+3]
			}
			at := i
			for i += len(q); i < len(text) && !strings.HasPrefix(text[i:], q) && (len(q) > 1 || text[i] != '\n'); i++ {
				if b == '"' && text[i] == '\\' {
					i++
				}
			}
			i = min(i+len(q), len(text)) - 1
			line += strings.Count(text[at:i+1], "\n")
		}
		if brackets+dots > deepest {
			return fmt.Errorf("line %d is nested more than %d levels deep", line, deepest)
		}
	}
	return nil
}

// textBefore returns a text up to the first occurrence of end.
func textBefore(text, end string) string {
	before, _, _ := strings.Cut(text, end)
	return before
}

// ignores reports whether the settings exclude a file, or a folder above it, from the docs.
func (s *Settings) ignores(name string) bool {
	for at := name; at != "."; at = path.Dir(at) {
		if slices.ContainsFunc(s.Docs.Ignore, func(p string) bool {
			p = strings.TrimSuffix(p, "/")
			ok, _ := path.Match(p, at) // an invalid pattern matches nothing, and is reported
			return ok
		}) {
			return true
		}
	}
	return false
}
