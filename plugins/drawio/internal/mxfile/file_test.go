package mxfile

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// samples lists the real files beside the repository, or skips.
func samples(t testing.TB) []string {
	t.Helper()
	dir := os.Getenv("FCP_SHARED")
	if dir == "" {
		at, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
				dir = filepath.Join(at, "..", "shared")
				break
			}
			if at == filepath.Dir(at) {
				t.Fatal("no go.mod above the test")
			}
			at = filepath.Dir(at)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "data", "drawio", "*.xml"))
	if len(files) == 0 {
		t.Skipf("no sample files in %s; set FCP_SHARED", dir)
	}
	return files
}

func TestRealFilesAreSavedUnchanged(t *testing.T) {
	n := 0
	for _, path := range samples(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Open(data)
		if filepath.Base(path) == "index.xml" {
			if err == nil {
				t.Error("index.xml is not a diagram, but opened")
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		n++
		out, err := f.Bytes()
		if err != nil || string(out) != string(data) {
			t.Errorf("%s: changed by opening and saving (%v)", path, err)
		}
		// Repeat this with every page assembled from its cells.
		for _, p := range f.Pages {
			p.intact = false
		}
		if out, err = f.Bytes(); err != nil || string(out) != string(data) {
			t.Errorf("%s: changed by joining its cells (%v)", path, err)
		}
	}
	t.Logf("%d files", n)
}

func TestDamagedFilesAreRefusedWithTheReason(t *testing.T) {
	var bomb bytes.Buffer
	w, err := flate.NewWriter(&bomb, 9)
	if err != nil {
		t.Fatal(err)
	}
	zeros := bytes.Repeat([]byte("a"), 1<<20)
	for range MaxPage>>20 + 1 {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, src, want string }{
		{"nothing", "", "empty"},
		{"text", "hello", "byte 0: text outside"},
		{"another format", "<svg/>", "holds no diagram"},
		{"no page", "<mxfile></mxfile>", "no <diagram>"},
		{"cut", "<mxfile><diagram>", "ends inside"},
		{"UTF-16", "\xff\xfe<\x00m\x00", "UTF-16"},
		{"Latin-1", "<?xml version='1.0' encoding='ISO-8859-1'?><mxfile><diagram name='\xe9'/></mxfile>", "not UTF-8"},
		{"a declared encoding", "<?xml version='1.0' encoding='windows-1252'?><mxfile><diagram name='é'/></mxfile>", "windows-1252"},
		{"not base64", "<mxfile><diagram>!!!</diagram></mxfile>", "page 1 cannot be read: byte 17: the page is neither XML nor base64"},
		{"not deflate", "<mxfile><diagram>aGVsbG8gd29ybGQ=</diagram></mxfile>", "does not inflate"},
		{"a bomb", "<mxfile><diagram>" + base64.StdEncoding.EncodeToString(bomb.Bytes()) + "</diagram></mxfile>", "larger than 32 MiB"},
		{"another page", "<mxfile><diagram><other/></diagram></mxfile>", "no mxGraphModel"},
		{"entities", "<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><mxfile>&b;</mxfile>", "no <diagram>"},
		{"depth", "<mxfile>" + strings.Repeat("<a>", 10_000), "nest deeper"},
	} {
		f, err := Open([]byte(c.src))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v (opened: %v), want %q", c.name, err, f != nil, c.want)
		}
	}
}

func TestPlainTextIsWhatDrawIOShows(t *testing.T) {
	for value, want := range map[string]string{
		"plain":                              "plain",
		"a &amp; b &lt;c&gt;":                "a & b <c>",
		"<b>bold</b><br>next":                "bold\nnext",
		"<div>one</div><div>two</div>":       "one\ntwo",
		"<font color=\"#23497d\">Rep</font>": "Rep",
		"1 < 2":                              "1 < 2",
		"a&nbsp;b":                           "a b",
		"<style>p{}</style>x":                "x",
		"<!-- c -->y":                        "y",
		"<h1>T</h1><p>text</p>":              "T\ntext",
		"unfinished <b":                      "unfinished <b",
	} {
		if got := PlainText(value, true); got != want {
			t.Errorf("%q is shown as %q, want %q", value, got, want)
		}
	}
	if got := PlainText("<b>x</b>", false); got != "<b>x</b>" {
		t.Errorf("without html: %q", got)
	}
}

func TestLabelsReadBackAsTheyWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-zA-Z<>&"';= #éÜ]{0,20}`).Draw(t, "text")
		text = strings.TrimSpace(text)
		if got := PlainText(LabelValue(text, true), true); got != text {
			t.Fatalf("%q reads back as %q", text, got)
		}
	})
}

func TestPackingIsDrawIOs(t *testing.T) {
	for _, text := range []string{"", "<mxGraphModel a=\"ü&amp;%\"/>", strings.Repeat("x y\n", 5000)} {
		packed, err := pack(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := unpack(packed); err != nil || got != text {
			t.Errorf("%.30q reads back as %.30q (%v)", text, got, err)
		}
	}
	if got := string(percentEncode("aZ09-_.!~*'() <ü>%")); got != "aZ09-_.!~*'()%20%3C%C3%BC%3E%25" {
		t.Errorf("percent-encoded to %s", got)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add("<mxfile><diagram>jZJNb4MwDIZ/DfcQ1o1e</diagram></mxfile>")
	f.Add(`<mxGraphModel><root><mxCell id="0"/><!-- x --><UserObject id="1"><mxCell parent="0"/></UserObject></root></mxGraphModel>`)
	f.Add(`<mxfile pages="1"> <diagram name="a"/> <diagram><mxGraphModel><root/></mxGraphModel></diagram></mxfile>`)
	f.Fuzz(func(t *testing.T, src string) {
		file, err := Open([]byte(src))
		if err != nil {
			return
		}
		for _, p := range file.Pages {
			p.intact = false
		}
		out, err := file.Bytes()
		if err != nil || string(out) != src {
			t.Fatalf("%q is saved as %q (%v)", src, out, err)
		}
		snap, err := file.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Restore(snap)
		if err != nil {
			t.Fatal(err)
		}
		if out, _ := again.Bytes(); string(out) != src {
			t.Fatalf("%q is restored as %q", src, out)
		}
	})
}
