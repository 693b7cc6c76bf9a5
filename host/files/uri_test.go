package files

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestAPathIsReadAsAURIOrPercentEncodedToo(t *testing.T) {
	p := newPlace(t)
	for _, name := range []string{"plain.txt", "two words.txt", "raw%20name.txt", "both%20.txt", "both .txt", "100%.txt"} {
		p.put(name, name)
	}
	if err := os.Mkdir(filepath.Join(p.in, "My Music"), 0o755); err != nil {
		t.Fatal(err)
	}
	in := filepath.ToSlash(p.in)
	for path, want := range map[string]string{
		"file://" + in + "/plain.txt":                 "plain.txt",
		"FILE://" + in + "/plain.txt":                 "plain.txt",
		"file://localhost" + in + "/plain.txt":        "plain.txt",
		"file:" + in + "/plain.txt":                   "plain.txt",
		"file://./plain.txt":                          "plain.txt",
		"file:plain.txt":                              "plain.txt",
		"file://" + in + "/sub/../plain.txt":          "plain.txt",
		"file://" + in + "/two%20words.txt":           "two words.txt",
		"file://" + in + "/two words.txt":             "two words.txt",
		"file://" + in + "/%74wo%20words.txt":         "two words.txt",
		in + "/two%20words.txt":                       "two words.txt",
		"./two%20words.txt":                           "two words.txt",
		"two%20words.txt":                             "two words.txt",
		"raw%20name.txt":                              "raw%20name.txt", // it exists as it is written
		"file://" + in + "/raw%20name.txt":            "raw%20name.txt",
		"file://" + in + "/raw%2520name.txt":          "raw%20name.txt",
		"both%20.txt":                                 "both%20.txt",
		"file://" + in + "/both%20.txt":               "both .txt",
		"100%.txt":                                    "100%.txt",
		"file://" + in + "/100%.txt":                  "100%.txt",
		"file://" + in + "/100%25.txt":                "100%.txt",
		"new%20file.txt":                              "new file.txt",
		"file://" + in + "/new%20file.txt":            "new file.txt",
		"new%2520file.txt":                            "new%20file.txt",
		"50%off.txt":                                  "50%off.txt", // not an encoding
		"My%20Music/a%20b.txt":                        "My Music/a b.txt",
		"file://localhost" + in + "/My%20Music/n.txt": "My Music/n.txt",
		"a%2Fb.txt":                                   "a%2Fb.txt", // a name with a slash cannot be meant
		"tab%09.txt":                                  "tab%09.txt",
	} {
		real, err := p.Resolve(path)
		if err != nil || real != filepath.Join(p.in, filepath.FromSlash(want)) {
			t.Errorf("%s: %s, %v; want %s", path, real, err, want)
		}
	}
	for path, want := range map[string]string{
		"file://server/share/a.txt":                    "names a file of the computer server; a file of this one is file:///PATH",
		"file://" + in + "/sub%2fa.txt":                "holds an encoded slash or control character",
		"file://" + in + "/a%00.txt":                   "holds an encoded slash or control character",
		"file://" + filepath.ToSlash(p.out) + "/a.txt": ErrOutside.Error(),
		"file://" + in + "/%2e%2e/out/a.txt":           ErrOutside.Error(),
		"%2e%2e/out/a.txt":                             ErrOutside.Error(),
		"file:///":                                     ErrOutside.Error(),
		"file://" + in + "/none/a%20b.txt":             "there is no folder " + p.in + "/none",
	} {
		if real, err := p.Resolve(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v; want an error with %q", path, real, err, want)
		}
	}
}

func TestAPathOfWindowsIsRefusedElsewhere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("these are paths here")
	}
	p := newPlace(t)
	for _, path := range []string{`C:\Users\x\a.mid`, "c:/Users/x/a.mid", `\\server\share\a.mid`, "file:///C:/Users/x/a.mid", "file:///c%3A/Users/x/a.mid",
		"file://C:/Users/x/a.mid", `songs\a.mid`, `.\a.mid`, "C:\new\a.mid"} {
		real, err := p.Resolve(path)
		if err == nil || !strings.Contains(err.Error(), "is a path of Windows, and fcp-host runs on ") || !strings.Contains(err.Error(), p.in) && !strings.Contains(err.Error(), "/mnt/c/") {
			t.Errorf("%s: %s, %v", path, real, err)
		}
	}
	p.put(`odd\name.txt`, "") // a name that exists is not refused
	if real, err := p.Resolve(`odd\name.txt`); err != nil || real != filepath.Join(p.in, `odd\name.txt`) {
		t.Errorf("%s, %v", real, err)
	}
}

func TestARootMayBeAFileURI(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "My Music")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	uri := "file://" + strings.ReplaceAll(filepath.ToSlash(real), " ", "%20")
	r, err := NewRoots(uri)
	if err != nil || len(r.Dirs()) != 1 || r.Dirs()[0] != real {
		t.Errorf("%v, %v", r, err)
	}
	if _, err := NewRoots("file://server/share"); err == nil || !strings.Contains(err.Error(), "root file://server/share names a file of the computer server") {
		t.Error(err)
	}
}
