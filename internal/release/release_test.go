package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// testKit returns a kit with fake programs for all platforms.
func testKit(t *testing.T) *kit {
	t.Helper()
	k := &kit{version: "1.2.3", commit: strings.Repeat("c0ffee", 6) + "beef", at: time.Unix(1_700_000_000, 0).UTC(),
		repository: "https://forge.example/x/fcp-host", out: t.TempDir(), legal: []entry{{name: "LICENSE", mode: 0o644, content: []byte("do what you like\n")}}}
	k.downloads = k.repository + "/v1.2.3"
	in := t.TempDir()
	for _, platform := range []string{"darwin/all", "darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64"} {
		goos, goarch, _ := strings.Cut(platform, "/")
		b := binary{goos, goarch, filepath.Join(in, goos+goarch)}
		if err := os.WriteFile(b.file, []byte("the program for "+platform), 0o755); err != nil {
			t.Fatal(err)
		}
		k.binaries = append(k.binaries, b)
		if goos != "windows" && goarch != "all" {
			k.put("fcp-host_1.2.3_"+goos+"_"+goarch+".tar.gz", []byte("the archive for "+platform))
		}
	}
	return k
}

func (k *kit) read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(k.out, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func untar(t *testing.T, data []byte) (headers []*tar.Header, contents map[string][]byte) {
	t.Helper()
	contents = map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return headers, contents
		}
		if err != nil {
			t.Fatal(err)
		}
		headers = append(headers, h)
		if contents[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

func gunzip(t *testing.T, data []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDebianPackagesHaveNoArchitectureVariant(t *testing.T) {
	control, err := tarGz(time.Unix(1_700_000_000, 0), []entry{{name: "./control", mode: 0o644, content: []byte("Package: x\nArchitecture: amd64\nArchitecture-Variant: amd64v1\nVersion: 1\n")},
		{name: "./md5sums", mode: 0o644, content: []byte("sums\n")}})
	if err != nil {
		t.Fatal(err)
	}
	ar := func(bodies ...[]byte) []byte {
		out := []byte("!<arch>\n")
		for i, name := range []string{"debian-binary", "control.tar.gz/", "data.tar.gz"} {
			out = fmt.Appendf(out, "%-16s%-12d%-6d%-6d%-8s%-10d`\n%s", name, 1_700_000_000, 0, 0, "100644", len(bodies[i]), bodies[i])
			if len(bodies[i])%2 > 0 {
				out = append(out, '\n')
			}
		}
		return out
	}
	out, err := baselineDeb(ar([]byte("2.0\n"), control, []byte("odd")))
	if err != nil {
		t.Fatal(err)
	}
	at := 8 + 60 + 4 // of the head of control.tar.gz
	size, err := strconv.Atoi(strings.TrimSpace(string(out[at+48 : at+58])))
	if err != nil {
		t.Fatal(err)
	}
	is := out[at+60 : at+60+size]
	if !bytes.Equal(out, ar([]byte("2.0\n"), is, []byte("odd"))) {
		t.Errorf("it is %q", out)
	}
	headers, contents := untar(t, gunzip(t, is))
	if len(headers) != 2 || string(contents["./control"]) != "Package: x\nArchitecture: amd64\nVersion: 1\n" || string(contents["./md5sums"]) != "sums\n" {
		t.Errorf("it holds %q", contents)
	}
	for _, broken := range []string{"", "!<arch>\n", "!<arch>\nxyz", string(out[:len(out)-5])} {
		if _, err := baselineDeb([]byte(broken)); err == nil {
			t.Errorf("%.20q is taken", broken)
		}
	}
}

func TestArchivesKeepModesAndHaveOneTime(t *testing.T) {
	at := time.Unix(1_700_000_000, 0).UTC()
	entries := []entry{{name: "tmp/", mode: 0o777 | os.ModeSticky, owner: 7}, {name: "run", mode: 0o755, content: []byte("x")}, {name: "read", mode: 0o644}}
	var plain, zipped bytes.Buffer
	if err := errors.Join(writeTar(&plain, at, entries), writeZip(&zipped, at, entries[1:])); err != nil {
		t.Fatal(err)
	}
	headers, _ := untar(t, plain.Bytes())
	for i, want := range []int64{0o1777, 0o755, 0o644} {
		if h := headers[i]; h.Mode != want || !h.ModTime.Equal(at) || h.Uid != entries[i].owner {
			t.Errorf("tar has %+v", h)
		}
	}
	z, err := zip.NewReader(bytes.NewReader(zipped.Bytes()), int64(zipped.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range z.File {
		if f.Mode() != entries[i+1].mode || !f.Modified.Equal(at) {
			t.Errorf("zip has %s %v %v", f.Name, f.Mode(), f.Modified)
		}
	}
}

func TestThePackageForNpmDependsOnThoseOfAllPlatforms(t *testing.T) {
	k := testKit(t)
	k.npm()
	manifest := func(file string) (m npmManifest, headers []*tar.Header) {
		headers, contents := untar(t, gunzip(t, k.read(t, file)))
		if err := json.Unmarshal(contents["package/package.json"], &m); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if contents["package/LICENSE"] == nil {
			t.Errorf("%s has no licence", file)
		}
		return m, headers
	}
	main, _ := manifest("npm-fcp-host-1.2.3.tgz")
	if len(main.Optional) != 6 || main.McpName != serverName {
		t.Errorf("it is %+v", main)
	}
	for name, version := range main.Optional {
		platform := strings.TrimPrefix(name, "@fcp-host/")
		m, headers := manifest("npm-fcp-host-" + platform + "-1.2.3.tgz")
		if m.Name != name || m.Version != version || version != "1.2.3" || strings.Join(slices.Concat(m.OS, m.CPU), "-") != platform {
			t.Errorf("%s is %+v", name, m)
		}
		program := "package/bin/fcp-host"
		if m.OS[0] == "win32" {
			program += ".exe"
		}
		if !slices.ContainsFunc(headers, func(h *tar.Header) bool { return h.Name == program && h.Mode == 0o755 }) {
			t.Errorf("%s does not hold the program %s", name, program)
		}
	}
}

func TestTheImageIsALayoutWhoseDigestsHold(t *testing.T) {
	k := testKit(t)
	k.image()
	_, blobs := untar(t, k.read(t, "fcp-host_1.2.3_image.tar"))
	get := func(d descriptor, v any) []byte {
		t.Helper()
		data := blobs["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")]
		if len(data) != d.Size || digest(data) != d.Digest {
			t.Fatalf("%s %s is %d bytes", d.MediaType, d.Digest, len(data))
		}
		if v != nil {
			if err := json.Unmarshal(data, v); err != nil {
				t.Fatal(err)
			}
		}
		return data
	}
	var top, index manifest
	if err := json.Unmarshal(blobs["index.json"], &top); err != nil {
		t.Fatal(err)
	}
	get(top.Manifests[0], &index)
	var platforms []string
	for _, d := range index.Manifests {
		platforms = append(platforms, d.Platform.OS+"/"+d.Platform.Architecture)
		var m manifest
		var c imageConfig
		get(d, &m)
		get(*m.Config, &c)
		layer := gunzip(t, get(m.Layers[0], nil))
		if digest(layer) != c.Rootfs.DiffIDs[0] || c.Architecture != d.Platform.Architecture || c.Config.User != "65532:65532" {
			t.Errorf("the image for %s is %+v", platforms[len(platforms)-1], c)
		}
		_, files := untar(t, layer)
		if got := string(files["usr/local/bin/fcp-host"]); got != "the program for linux/"+c.Architecture || files["usr/share/doc/fcp-host/LICENSE"] == nil {
			t.Errorf("it holds %q", got)
		}
	}
	if !slices.Equal(platforms, []string{"linux/amd64", "linux/arm64"}) {
		t.Errorf("there are images for %q", platforms)
	}
}

func TestTheFormulaAndTheServerEntryHaveTheChecksumsOfTheFiles(t *testing.T) {
	k := testKit(t)
	k.put("fcp-host_1.2.3_darwin_all.mcpb", []byte("a bundle"))
	k.formula()
	k.serverJSON()
	k.checksums()
	ruby, server, sums := string(k.read(t, "fcp-host.rb")), string(k.read(t, "server.json")), string(k.read(t, "checksums.txt"))
	for _, name := range k.made {
		sum := k.sum(name)
		if name != "checksums.txt" && !strings.Contains(sums, sum+"  "+name+"\n") {
			t.Errorf("checksums.txt lacks %s", name)
		}
		if strings.HasSuffix(name, ".tar.gz") && !strings.Contains(ruby, `url "`+k.downloads+"/"+name+"\"\n      sha256 \""+sum+`"`) {
			t.Errorf("the formula lacks %s", name)
		}
		if strings.HasSuffix(name, ".mcpb") && (!strings.Contains(server, k.downloads+"/"+name) || !strings.Contains(server, sum)) {
			t.Errorf("server.json lacks %s", name)
		}
	}
}

func TestABillOfMaterialsNamesWhatIsInDomainsAndIsTheSameEachTime(t *testing.T) {
	k := testKit(t)
	made := func(created, namespace string) string {
		return string(k.bill([]byte(`{"creationInfo":{"created":"`+created+`"},"documentNamespace":"`+namespace+`","packages":[{"name":"fcp-host"},{"name":"a.example/b"}],
			"relationships":[{"spdxElementId":"SPDXRef-DOCUMENT","relatedSpdxElement":"SPDXRef-root","relationshipType":"DESCRIBES"}]}`),
			[]module{{path: "a.example/b", version: "v1.0.0"}, {path: "c.example/D_e", version: "v2.0.0"}}))
	}
	one, two := made("2026-01-01T00:00:00Z", "x"), made("2027-01-01T00:00:00Z", "y")
	if one != two {
		t.Errorf("once it is\n%s\nthen\n%s", one, two)
	}
	if strings.Count(one, `"a.example/b"`) != 1 || !strings.Contains(one, "pkg:golang/c.example/d_e@v2.0.0") || !strings.Contains(one, "2023-11-14T22:13:20Z") {
		t.Errorf("it is %s", one)
	}
}

func TestTheNoticesContainTheLicenceOfEachModule(t *testing.T) {
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	text, err := notices()
	if err != nil {
		t.Fatal(err)
	}
	list, err := modules(true)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"github.com/tetratelabs/wazero", "golang.org/x/sys", "The Go Authors", "JGraph Ltd", "creativecommons.org/licenses/by/4.0", "FlowiseAI", "github.com/yuin/goldmark"} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("%s is not named", want)
		}
	}
	for _, m := range list {
		if !bytes.Contains(text, []byte("\n"+m.path+" "+m.version+"\n")) {
			t.Errorf("%s is not named", m.path)
		}
	}
}

func TestATagIsACommitBesideTheBranch(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@localhost"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write := func(name, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@localhost", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@localhost", "GIT_CONFIG_GLOBAL": os.DevNull} {
		t.Setenv(name, value)
	}
	git("init", "-q", "-b", "main")
	write("built/.gitignore", "*\n!.gitignore\n")
	write("main.go", "package main\n")
	git("add", ".")
	git("commit", "-q", "-m", "Begin")
	write("built/domains.zip", "domains")
	head := git("rev-parse", "HEAD")
	if err := tag(dir, "1.0", "built/domains.zip"); err == nil {
		t.Error("1.0 is taken for a version")
	}
	if err := tag(dir, "v1.0.0", "built/domains.zip"); err != nil {
		t.Fatal(err)
	}
	if git("rev-parse", "HEAD") != head || git("status", "--porcelain") != "" || git("ls-files", "built/domains.zip") != "" {
		t.Error("the branch or the working tree changed")
	}
	if got := git("show", "v1.0.0:built/domains.zip"); got != "domains" || git("rev-parse", "v1.0.0^") != head {
		t.Errorf("the tag holds %q", got)
	}
	if err := tag(dir, "v1.0.0", "built/domains.zip"); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("a second tag: %v", err)
	}
	write("main.go", "package main // changed\n")
	if err := tag(dir, "v1.0.1", "built/domains.zip"); err == nil || !strings.Contains(err.Error(), "not committed") {
		t.Errorf("with changes: %v", err)
	}
	git("checkout", "-q", "-f", "v1.0.0")
	if err := tag(dir, "v1.0.1", "built/domains.zip"); err == nil || !strings.Contains(err.Error(), "holds built domains already") {
		t.Errorf("on a release: %v", err)
	}
}
