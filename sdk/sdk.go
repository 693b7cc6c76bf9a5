// Package sdk holds the files that `fcp-host new` writes: for each language its SDK and a small domain that uses it.
// The small domain, todo, is the template: `fcp-host new` replaces its name.
package sdk

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/fcp-host/fcp-host/docs"
)

// Name each file, so that build products in these folders are not embedded.
//
//go:embed shared/README.md shared/basic.fcp shared/basic.want shared/ci.yml shared/gitignore shared/test.mk
//go:embed assemblyscript/Makefile assemblyscript/package.json assemblyscript/tsconfig.json assemblyscript/assembly/*.ts
//go:embed c/Makefile c/fcp.h c/todo.c
//go:embed go/Makefile go/go.sum
//go:embed rust/Makefile rust/Cargo.toml rust/src/*.rs
//go:embed zig/Makefile zig/src/*.zig
var sources embed.FS

// example is the name of the template.
const example = "todo"

// Language is a language for writing domains.
type Language struct {
	Name     string // the value of --lang
	Language string // its proper name
	Needs    string // what must be installed
	Tests    string // what make test does
	More     string // for the README, after Needs
	Start    string // where to start with changes
	CI       string // steps that install Needs
	Files    [][2]string

	module bool // the domain is a Go module
}

// Table returns the rows of the README's table of files.
func (l Language) Table() string {
	var b strings.Builder
	for _, f := range l.Files {
		fmt.Fprintf(&b, "| `%s` | %s |\n", f[0], f[1])
	}
	return b.String()
}

const viaHost = "runs tests/basic.fcp and fcp-host conform"

// Languages lists the languages; the first is the default.
func Languages() []Language {
	return []Language{
		{Name: "go", Language: "Go", Needs: "Go 1.26.5", Tests: "runs go test, tests/basic.fcp and fcp-host conform", module: true,
			Files: [][2]string{{"main.go", "the domain"}, {"main_test.go", "its tests, as plain Go"}},
			Start: "Change `main.go`: what `open` takes, `places` for what ops name, then the verbs. `go doc github.com/fcp-host/fcp-host/pdk` is the SDK.",
			CI:    "      - uses: actions/setup-go@v5\n        with: {go-version: \"^1.26.5\"}\n"},
		{Name: "c", Language: "C", Needs: "`clang` and `wasm-ld` (the packages `clang` and `lld`)", Tests: viaHost,
			Files: [][2]string{{"todo.c", "the domain"}, {"fcp.h", "the SDK, which needs no library"}},
			Start: "Change `todo.c`: `check` and `next` say what is in the file, then the verbs. The start of `fcp.h` shows what it offers.",
			CI:    "      - run: sudo apt-get update && sudo apt-get install -y clang lld\n"},
		{Name: "rust", Language: "Rust", Needs: "`rustc` with the target wasm32-unknown-unknown (`rustup target add wasm32-unknown-unknown`, or Debian's `rustc libstd-rust-dev-wasm32 lld`)", Tests: viaHost,
			Files: [][2]string{{"src/lib.rs", "the domain"}, {"src/fcp.rs", "the SDK, which needs only std"}, {"Cargo.toml", "for cargo and editors; the Makefile calls rustc"}},
			Start: "Change `src/lib.rs`: `check` and `tasks` say what is in the file, then the verbs. The start of `src/fcp.rs` shows what it offers.",
			CI:    "      - run: rustup target add wasm32-unknown-unknown\n"},
		{Name: "assemblyscript", Language: "AssemblyScript", Needs: "Node.js 20 and npm", Tests: viaHost,
			Files: [][2]string{{"assembly/index.ts", "the domain"}, {"assembly/fcp.ts", "the SDK"}, {"package.json", "the compiler, which make installs"}},
			Start: "Change `assembly/index.ts`: `tasks` says what is in the file, then the verbs. The start of `assembly/fcp.ts` shows what it offers.",
			CI:    "      - uses: actions/setup-node@v4\n        with: {node-version: \"22\"}\n"},
		{Name: "zig", Language: "Zig", Needs: "Zig 0.11 or newer (tested with 0.11.0 and 0.14)", Tests: viaHost,
			Files: [][2]string{{"src/main.zig", "the domain"}, {"src/fcp.zig", "the SDK"}},
			Start: "Change `src/main.zig`: `check` and `next` say what is in the file, then the verbs. The start of `src/fcp.zig` shows what it offers.",
			CI:    "      - uses: mlugg/setup-zig@v1\n        with: {version: \"0.11.0\"}\n"},
	}
}

// Names lists the names of the languages.
func Names() (list []string) {
	for _, l := range Languages() {
		list = append(list, l.Name)
	}
	return list
}

// Find returns the language with a name.
func Find(name string) (Language, bool) {
	all := Languages()
	i := slices.IndexFunc(all, func(l Language) bool { return l.Name == name })
	if i < 0 {
		return Language{}, false
	}
	return all[i], true
}

// Module is the source of the SDK for a Go domain.
type Module struct {
	Version  string // a published version, or ""
	Checkout string // a folder with fcp-host's sources, or ""
}

// Write creates a domain with this name in dir, a folder that does not exist or is empty. It returns the names of the files, sorted.
func (l Language) Write(dir, name string, m Module) ([]string, error) {
	if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
		return nil, fmt.Errorf("%s exists and is not empty: nothing is written over", dir)
	} else if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	files, err := l.files(name, m)
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(files)) // in this order, so that go.sum is not older than go.mod, of which make would write it again
	for _, file := range names {
		content := files[file]
		at := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(at, content, 0o666); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// files returns the files by name.
func (l Language) files(name string, m Module) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(sources, l.Name, func(at string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := sources.ReadFile(at)
		file := strings.TrimPrefix(at, l.Name+"/")
		files[file] = content
		return err
	})
	if err != nil {
		return nil, err
	}
	if l.module {
		for file, content := range docs.Files(docs.Authoring) {
			files[file] = []byte(content)
		}
		files["go.mod"] = m.file(files["go.sum"])
		if m.Checkout == "" {
			delete(files, "go.sum") // it has no sums of a published SDK: make gets them
		}
		l.More = m.readme()
	}
	read := func(file string) []byte {
		content, err := sources.ReadFile("shared/" + file)
		if err != nil {
			panic(err) // the file is embedded
		}
		return content
	}
	files["Makefile"] = append(files["Makefile"], read("test.mk")...)
	files["tests/basic.fcp"] = read("basic.fcp")
	files["tests/basic.want"] = read("basic.want")
	files[".gitignore"] = read("gitignore")
	for file, from := range map[string]string{"README.md": "README.md", ".github/workflows/ci.yml": "ci.yml"} {
		t, err := template.New(from).Parse(string(read(from)))
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, l); err != nil {
			return nil, err
		}
		files[file] = b.Bytes()
	}
	named := map[string][]byte{}
	for file, content := range files {
		named[path.Clean(strings.ReplaceAll(file, example, name))] = rename(content, name)
	}
	return named, nil
}

// rename replaces the example's name, and its title, by a name.
func rename(content []byte, name string) []byte {
	title := strings.ToUpper(name[:1]) + strings.NewReplacer("-", " ", "_", " ").Replace(name[1:])
	content = bytes.ReplaceAll(content, []byte(`"Checklist"`), []byte(`"`+title+`"`))
	return bytes.ReplaceAll(content, []byte(example), []byte(name))
}

// Path is the module path of the Go SDK.
const Path = "github.com/fcp-host/fcp-host"

// file returns the go.mod. It requires the modules with these sums, which the SDK uses: then go needs no network if they are in its cache,
// as they are where fcp-host was built.
func (m Module) file(sums []byte) []byte {
	version := m.Version
	if version == "" {
		version = "v0.0.0"
	}
	text := "module example.com/" + example + "\n\ngo 1.26.5\n\nrequire " + Path + " " + version + "\n"
	text += "\nrequire (\n"
	for line := range strings.Lines(string(sums)) {
		if f := strings.Fields(line); !strings.HasSuffix(f[1], "/go.mod") {
			text += "\t" + f[0] + " " + f[1] + " // indirect\n"
		}
	}
	text += ")\n"
	switch {
	case m.Checkout != "":
		text += fmt.Sprintf("\nreplace %s => %q\n", Path, filepath.ToSlash(m.Checkout))
	case m.Version == "":
		text += "\n// This fcp-host was built from sources and is not a published version: name the folder of its sources.\n// replace " + Path + " => ../fcp-host\n"
	}
	return []byte(text)
}

// readme returns the paragraph that says where the SDK comes from and how to change that.
func (m Module) readme() string {
	switch {
	case m.Checkout != "":
		return "\n\n`go.mod` takes the SDK from a checkout of fcp-host, by its line `replace`. Once a version is published: delete that line, then\n`go get " + Path + "/pdk@latest`."
	case m.Version == "":
		return "\n\n**First** name the sources of fcp-host in the last line of `go.mod` (`replace`), since the fcp-host that wrote this is not a published version;\nor, once one is published, `go get " + Path + "/pdk@latest`."
	}
	return "\n\n`go.mod` takes the SDK " + m.Version + ", which is that of the fcp-host that wrote this. To build against sources of your own:\n`go mod edit -replace=" + Path + "=PATH`."
}
