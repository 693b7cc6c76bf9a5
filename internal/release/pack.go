package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/internal/ends"
)

// kit is the input of all packages.
type kit struct {
	version    string // without the v
	commit     string
	at         time.Time // time of the commit, which all files get
	repository string    // URL of the sources
	downloads  string    // URL of the folder with this release's files
	out        string
	legal      []entry // files that go with every binary
	binaries   []binary
	made       []string // names of the files in out
}

// binary is the program for one platform.
type binary struct {
	goos, goarch string // "all" for a universal binary for macOS
	file         string // its path
}

// program returns the file's name on its platform.
func (b binary) program() string {
	if b.goos == "windows" {
		return "fcp-host.exe"
	}
	return "fcp-host"
}

func (b binary) entry(name string) entry {
	return entry{name: name, mode: 0o755, content: ends.Unless(os.ReadFile(b.file))}
}

// pack makes everything that goreleaser does not. It puts that into the folder out, with goreleaser's output, and lists
// all files in checksums.txt.
func pack(dist, out string) {
	k := newKit(dist, out)
	for _, step := range []func(){k.bills, k.npm, k.bundles, k.plugin, k.image, k.formula, k.serverJSON, k.checksums} {
		step()
	}
}

// newKit reads the environment that make release sets, and goreleaser's list of artifacts. It copies those that are
// published.
func newKit(dist, out string) *kit {
	k := &kit{version: os.Getenv("RELEASE_VERSION"), commit: os.Getenv("RELEASE_COMMIT"), repository: os.Getenv("RELEASE_REPOSITORY"), out: out}
	if k.version == "" || k.commit == "" || k.repository == "" {
		ends.If(errors.New("RELEASE_VERSION, RELEASE_COMMIT and RELEASE_REPOSITORY have to be set, as make release does"))
	}
	k.downloads = k.repository + "/releases/download/v" + k.version
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	ends.In("SOURCE_DATE_EPOCH", err)
	k.at = time.Unix(seconds, 0).UTC()
	for _, file := range []string{"LICENSE", "bin/share/THIRD_PARTY_NOTICES"} {
		text := ends.Unless(os.ReadFile(filepath.FromSlash(file)))
		k.legal = append(k.legal, entry{name: filepath.Base(file), mode: 0o644, content: text})
	}
	text := ends.Unless(os.ReadFile(filepath.Join(dist, "artifacts.json")))
	var made []struct{ Name, Path, Goos, Goarch, Type string }
	ends.In("artifacts.json", json.Unmarshal(text, &made))
	ends.If(errors.Join(os.RemoveAll(out), os.MkdirAll(out, 0o755)))
	for _, a := range made {
		switch a.Type {
		case "Binary", "Universal Binary":
			k.binaries = append(k.binaries, binary{a.Goos, a.Goarch, a.Path})
		case "Archive", "Linux Package":
			data := ends.Unless(os.ReadFile(a.Path))
			if strings.HasSuffix(a.Name, ".deb") {
				data, err = baselineDeb(data)
				ends.In(a.Path, err)
			}
			// GitHub renames an uploaded file with a tilde, and checksums.txt would not match.
			k.put(strings.ReplaceAll(a.Name, "~", "-"), data)
		}
	}
	slices.SortFunc(k.binaries, func(a, b binary) int { return strings.Compare(a.goos+a.goarch, b.goos+b.goarch) })
	return k
}

// platforms returns the binaries for a single architecture.
func (k *kit) platforms() []binary {
	return slices.DeleteFunc(slices.Clone(k.binaries), func(b binary) bool { return b.goarch == "all" })
}

func (k *kit) put(name string, data []byte) {
	k.made = append(k.made, name)
	ends.If(os.WriteFile(filepath.Join(k.out, name), data, 0o644))
}

// sum returns the sha256 of a file in out.
func (k *kit) sum(name string) string {
	return fmt.Sprintf("%x", sha256.Sum256(ends.Unless(os.ReadFile(filepath.Join(k.out, name)))))
}

// checksums writes a list of all files in the format of sha256sum.
func (k *kit) checksums() {
	var b bytes.Buffer
	for _, name := range slices.Sorted(slices.Values(k.made)) {
		fmt.Fprintf(&b, "%s  %s\n", k.sum(name), name)
	}
	k.put("checksums.txt", b.Bytes())
}

// marshal returns indented JSON.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}
