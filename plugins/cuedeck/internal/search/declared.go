package search

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// declaration finds the declarations of a language: the first group that matches is the name. An expression is compiled when the
// first file of its language is met; compiling all of them takes longer than opening a workspace.
var declaration = map[string]func() *regexp.Regexp{
	"go":   pdk.Regexp(`^(?:func(?:\s*\([^)]*\))?|type|var|const)\s+([\pL_][\pL\pN_]*)`),
	"rust": pdk.Regexp(`^\s*(?:pub(?:\([^)]*\))?\s+)?(?:default\s+|const\s+|async\s+|unsafe\s+|extern\s+(?:"[^"]*"\s+)?)*(?:fn|struct|enum|union|trait|type|mod|static|const|macro_rules!)\s+(?:mut\s+)?([\pL_][\pL\pN_]*)`),
	"py":   pdk.Regexp(`^\s*(?:async\s+)?(?:def|class)\s+([\pL_][\pL\pN_]*)`),
	"js": pdk.Regexp(`^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:(?:async\s+)?function\s*\*?|class|interface|enum|namespace|type)\s+([\pL_$][\pL\pN_$]*)` +
		`|^(?:export\s+)?(?:const|let|var)\s+([\pL_$][\pL\pN_$]*)`),
	"c": pdk.Regexp(`^\s*(?:(?:public|private|protected|internal|static|final|abstract|sealed|partial|export|typedef|virtual|inline|template\s*<[^>]*>)\s+)*(?:class|struct|union|enum(?:\s+class)?|interface|record|namespace|trait|object)\s+([\pL_][\pL\pN_]*)` +
		`|^#\s*define\s+([\pL_][\pL\pN_]*)` +
		`|^(?:[\pL_][\pL\pN_:<>,*&\[\]]*\s+[*&]*)+([\pL_][\pL\pN_:~]*)\s*\([^;]*$`),
}

// languages maps file extensions to languages.
var languages = map[string]string{
	".go": "go", ".rs": "rust", ".py": "py", ".pyi": "py",
	".js": "js", ".jsx": "js", ".mjs": "js", ".cjs": "js", ".ts": "js", ".tsx": "js", ".mts": "js", ".cts": "js",
	".c": "c", ".h": "c", ".cc": "c", ".cpp": "c", ".cxx": "c", ".hh": "c", ".hpp": "c", ".java": "c", ".cs": "c", ".kt": "c", ".swift": "c", ".scala": "c", ".php": "c",
}

// statements are words that can be in the place of a type in C, but are not types.
var statements = []string{"return", "else", "if", "for", "while", "switch", "case", "do", "new", "delete", "throw", "goto", "using", "import", "package"}

// maxLine bounds the length of lines that are searched, in bytes. Longer ones are generated.
const maxLine = 400

// Declared returns the names that a source file declares, in order and without duplicates. It is empty for unknown languages.
func Declared(name, text string) (out []string) {
	compiled := declaration[languages[strings.ToLower(path.Ext(name))]]
	if compiled == nil {
		return nil
	}
	re := compiled()
	for line := range strings.Lines(text) {
		if len(line) > maxLine {
			continue
		}
		line = strings.TrimRight(line, "\r\n")
		first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if slices.Contains(statements, strings.TrimRight(first, "({")) {
			continue
		}
		for i, m := range re.FindStringSubmatch(line) {
			if i > 0 && m != "" && !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	return out
}

// Top returns at most n of a file's anchors. Those with words of the query come first, otherwise they are in the order of the file.
func Top(anchors []string, query string, n int) []string {
	asked := strings.Fields(fold(query))
	has := func(a string) bool {
		a = fold(a)
		return slices.ContainsFunc(asked, func(w string) bool { return strings.Contains(a, w) })
	}
	out := []string{}
	for _, wanted := range []bool{true, false} {
		for _, a := range anchors {
			if has(a) == wanted && len(out) < n {
				out = append(out, a)
			}
		}
	}
	return out
}
