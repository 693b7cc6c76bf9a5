package timeline

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"pgregory.net/rapid"
)

// realTimelines returns the timelines of other programs that lie in ../shared/data/otio.
func realTimelines(t testing.TB) map[string]string {
	t.Helper()
	at, err := os.Getwd()
	for err == nil && at != filepath.Dir(at) {
		paths, _ := filepath.Glob(filepath.Join(at, "shared", "data", "otio", "*.otio"))
		out := map[string]string{}
		for _, path := range paths {
			if data, err := os.ReadFile(path); err == nil && len(data) < 1<<16 {
				out[filepath.Base(path)] = string(data)
			}
		}
		if len(out) > 0 {
			return out
		}
		at = filepath.Dir(at)
	}
	t.Skip("timelines of other programs are not here: they belong into ../shared/data/otio")
	return nil
}

// parts lists what a file holds: each clip, nested composition, transition and marker, each gap that carries something, and the
// metadata of other programs, with the words by which an op or a reply may name it.
func parts(t *rapid.T, text string) (out []part) {
	root, err := jsontree.ParseNonFinite(text)
	if err != nil {
		t.Fatal(err)
	}
	var walk func(v *jsontree.Value, names []string)
	walk = func(v *jsontree.Value, names []string) {
		schema, _, _ := strings.Cut(v.Get("OTIO_SCHEMA").Text(), ".")
		if v == root || v == root.Get("tracks") || slices.Contains(root.Get("tracks", "children").Items, v) {
			schema = "" // they hold all others
		} else if name := v.Get("name").Text(); name != "" {
			names = append(names[:len(names):len(names)], name)
		}
		switch schema {
		case "Clip", "Stack", "Transition", "Marker", "Effect", "LinearTimeWarp", "FreezeFrame", "ExternalReference", "MissingReference", "GeneratorReference":
			out = append(out, part{schema, v.Raw(), names})
		}
		for _, m := range v.Members {
			if m.Key == "metadata" && m.Value.Is(jsontree.Object) {
				for _, others := range m.Value.Members {
					if others.Key != "fcp" {
						out = append(out, part{"metadata " + others.Key, others.Value.Raw(), names})
					}
				}
				continue
			}
			walk(m.Value, names)
		}
		for _, item := range v.Items {
			walk(item, names)
		}
	}
	walk(root, nil)
	return out
}

type part struct {
	what, raw string
	names     []string // its own, and those of what it is in
}

// key is equal for parts that nothing tells apart.
func (p *part) key() string { return p.what + "\x00" + strings.Join(p.names, "\x00") + "\x00" + p.raw }

// An op leaves all that neither it nor its reply names byte for byte as it was.
func TestWhatNoOpNamesKeepsItsBytes(t *testing.T) {
	files := realTimelines(t)
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	rapid.Check(t, func(rt *rapid.T) {
		g := &gen{Draw: soak.Draw{T: rt}}
		file := g.Pick("file", names...)
		doc := pdktest.Open(t, Domain(), "f.otio", []byte(files[file]), world())
		for range g.Num("ops", 1, 6) {
			before := string(doc.Save())
			f, err := film.Open(before)
			if err != nil {
				rt.Fatal(err)
			}
			g.clips = nil
			for _, c := range f.Clips() {
				g.clips = append(g.clips, c.ID)
			}
			op := g.op()
			said, ok := doc.Try(op)
			if !ok || string(doc.Save()) == before {
				continue
			}
			doc.Undo(1)
			for _, word := range strings.Fields(op) { // what its selectors matched
				if strings.HasPrefix(word, "@") {
					said += doc.Query("list " + word)
				}
			}
			doc.Redo(1)
			count := map[string]int{}
			for _, p := range parts(rt, string(doc.Save())) {
				count[p.key()]++
			}
			for _, p := range parts(rt, before) {
				if count[p.key()]--; count[p.key()] >= 0 {
					continue
				}
				named := false
				for _, name := range p.names {
					named = named || strings.Contains(said+" "+op, name)
				}
				if !named {
					rt.Fatalf("%s: %s changed a %s that nothing names (%q): %s\n%s", file, op, p.what, p.names, said, p.raw)
				}
			}
		}
	})
}
