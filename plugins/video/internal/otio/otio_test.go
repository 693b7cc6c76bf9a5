package otio

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vmihailenco/msgpack/v5"
	"pgregory.net/rapid"
)

func samples(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	paths, err := filepath.Glob("testdata/*.otio*")
	if err != nil || len(paths) < 7 {
		t.Fatal("samples are missing", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, ".gz") {
			r, err := gzip.NewReader(bytes.NewReader(data))
			if err == nil {
				data, err = io.ReadAll(r)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		out[filepath.Base(path)] = string(data)
	}
	return out
}

// open unfolds all nodes, so that none is written from its original text.
func open(n *Node) {
	n.unfold()
	for i := range n.parts {
		open(n.parts[i].value)
	}
}

func TestFilesAreWrittenAsTheyWereRead(t *testing.T) {
	files := samples(t)
	files["odd"] = "\uFEFF \r\n{ \"a\" :[ ] ,\t\"b\": [1 , 2\n] , \"a\":{\"c\" : \"x\\u00e9\"}  }\n\n"
	for name, text := range files {
		d, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d.Text() != text {
			t.Errorf("%s is written differently", name)
		}
		open(d.root)
		if d.Text() != text {
			t.Errorf("%s, opened, is written differently", name)
		}
	}
}

func TestAStepChangesOnlyWhatItNames(t *testing.T) {
	text := samples(t)["clip_example.otio"]
	d, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	n := d.At("tracks/children/0/children/1")
	changed := d.Edited(n, Change{[]string{"source_range", "duration", "value"}, 5.0}, Change{[]string{"metadata", "fcp", "volume"}, -6.0}, Change{[]string{"name"}, nil})
	s := d.Set("tracks/children/0/children", 1, changed)
	if err := d.Do(&s); err != nil {
		t.Fatal(err)
	}
	if d.At("tracks/children/0/children/1").Value().Get("metadata", "fcp", "volume").Float() != -6 {
		t.Errorf("the clip is %s", changed)
	}
	head, rest, _ := strings.Cut(text, `"Clip-001"`)
	i := strings.LastIndex(head, `"metadata": {}`)
	want := head[:i] + `"metadata": {
              "fcp": {
                "volume": -6.0
              }
            }` + strings.Replace(strings.Replace(head[i+len(`"metadata": {}`):]+`"Clip-001"`+rest, ",\n            \"name\": \"Clip-001\"", "", 1), `"value": 3`, `"value": 5.0`, 1)
	if d.Text() != want {
		t.Errorf("the text is\n%s\nnot\n%s", d.Text(), want)
	}
	back := s.Inverse()
	if err := d.Do(&back); err != nil || d.Text() != text {
		t.Errorf("the inverse does not lead back: %v", err)
	}
}

// Random steps must have exact inverses, apply to a document parsed from the saved text as well, and encode
// as the msgpack package encodes them.
func TestStepsHaveInverses(t *testing.T) {
	files := samples(t)
	files["flat"] = `{"tracks": {"children": [], "metadata": {}}, "metadata":{"fcp":{}}}`
	paths := []string{"tracks/children", "tracks/children/0/children", "metadata", "tracks/metadata", "tracks/children/0/children/0/markers", "metadata/fcp"}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"flat", "clip_example.otio", "big_int.otio", "nested_example.otio", "transition_test.otio"}).Draw(t, "file")
		d, err := Parse(files[name])
		if err != nil {
			t.Fatal(err)
		}
		value := Object{{"a", List{Raw("1"), "x", nil, true, 2.5, Object{}}}, {"b", List{}}}
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			path := rapid.SampledFrom(paths).Draw(t, "path")
			n := d.At(path)
			if n == nil {
				continue
			}
			n.unfold()
			var s Step
			switch at := rapid.IntRange(0, 3).Draw(t, "at"); {
			case n.array && at <= len(n.parts) && rapid.Bool().Draw(t, "insert"):
				s = d.Insert(path, at, value)
			case at < len(n.parts) && rapid.Bool().Draw(t, "set"):
				s = d.Set(path, at, d.Edited(n.parts[at].value, Change{[]string{"x", "y"}, value}, Change{[]string{"name"}, nil}))
			case at < len(n.parts):
				s = d.Remove(path, at)
			case !n.array:
				s, _ = d.Put(path, rapid.SampledFrom([]string{"fcp", "new"}).Draw(t, "key"), value)
			}
			if s.Old == s.New {
				continue
			}
			before := d.Text()
			if err := d.Do(&s); err != nil {
				t.Fatal(err)
			}
			after := d.Text()
			again, err := Parse(before)
			if err != nil {
				t.Fatal(err)
			}
			same := s
			if err := again.Do(&same); err != nil || again.Text() != after {
				t.Fatalf("on what was written %+v makes\n%s\nnot\n%s (%v)", s, again.Text(), after, err)
			}
			back := s.Inverse()
			for _, doc := range []*Document{again, d} {
				undo := back
				if err := doc.Do(&undo); err != nil || doc.Text() != before {
					t.Fatalf("the inverse of %+v makes\n%s\nnot\n%s (%v)", s, doc.Text(), before, err)
				}
			}
			if err := d.Do(&s); err != nil || d.Text() != after {
				t.Fatalf("%+v is not done again: %v", s, err)
			}
			var buf bytes.Buffer
			enc := msgpack.NewEncoder(&buf)
			enc.UseCompactInts(true)
			if err := enc.Encode(&s); err != nil {
				t.Fatal(err)
			}
			if got := s.AppendMsgpack(nil); !bytes.Equal(got, buf.Bytes()) {
				t.Fatalf("%+v is written as %q, not %q", s, got, buf.Bytes())
			}
		}
	})
}

func TestAWrongStepIsRefusedAndChangesNothing(t *testing.T) {
	text := samples(t)["simple_cut.otio"]
	d, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Step{
		{Path: "nowhere", New: "1"}, {Path: "tracks/children/7", New: "1"}, {Path: "tracks/children", At: -1, New: "1"}, {Path: "tracks/children", At: 1, Old: "x"}, {Path: "tracks/children", Old: "other", New: "1"}, {Path: "tracks/children"}, {Path: "name", New: "1"}, {Path: "tracks/x/y", New: "1"},
	} {
		if err := d.Do(&s); err == nil {
			t.Errorf("%+v is done", s)
		}
	}
	if d.Text() != text {
		t.Error("the text is another")
	}
}
