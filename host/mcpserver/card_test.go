package mcpserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// domains loads plugins of this repository.
func domains(t *testing.T, names ...string) []*domain.Domain {
	t.Helper()
	o := plugin.Options{CacheDir: testwasm.CacheDir(t), Command: testwasm.Worker(t), Limits: sandbox.DefaultLimits()}
	for _, name := range names {
		o.Files = append(o.Files, testwasm.Build(t, "plugins/"+name))
	}
	set, err := plugin.Load(t.Context(), o)
	if err != nil || len(set.Problems()) > 0 {
		t.Fatal(err, set.Problems())
	}
	t.Cleanup(set.Close)
	return set.Catalog().Domains
}

// listedTool is a tool in a list.
type listedTool struct {
	Name, Title, Description  string
	InputSchema, OutputSchema json.RawMessage
	Meta                      map[string]any `json:"_meta"`
}

// listOf returns the tools that a server of these domains lists, and how many characters the result has as JSON.
func listOf(t *testing.T, list []*domain.Domain, unified bool, structured ...bool) (tools []listedTool, size int) {
	t.Helper()
	roots, err := files.NewRoots(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sess := session.New(domain.List(list), roots)
	t.Cleanup(sess.Close)
	s := New(Config{Version: "1.2.3", Session: sess, Unified: unified, Structured: len(structured) > 0, Log: discard})
	all := talk(t, s, initialize, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var res struct{ Tools []listedTool }
	if err := json.Unmarshal(all[1].Result, &res); err != nil {
		t.Fatal(err)
	}
	return res.Tools, utf8.RuneCount(all[1].Result)
}

// tools is listOf for four tools, with their descriptions by name.
func tools(t *testing.T, list []*domain.Domain, unified bool, structured ...bool) (texts map[string]string, size int) {
	t.Helper()
	four, size := listOf(t, list, unified, structured...)
	texts = map[string]string{}
	for _, tool := range four {
		texts[tool.Name] = tool.Description
	}
	if len(texts) != 4 {
		t.Fatalf("%d tools", len(texts))
	}
	return texts, size
}

func TestUnracedTheHelpOfADomainHasWhatTheCardLacks(t *testing.T) {
	testwasm.Unraced(t)
	for _, d := range domains(t, testwasm.Plugins(t)...) {
		m := d.Manifest
		sess := session.New(domain.List{d}, nil)
		t.Cleanup(sess.Close)
		about := func(topic string, holds ...string) {
			t.Helper()
			r := sess.Help(t.Context(), m.Domain, "", topic)
			for _, s := range holds {
				s = strings.ReplaceAll(s, "\n", "\n  ") // examples of several lines are printed like this
				if r.Failed || !strings.Contains(r.Text, s) {
					t.Errorf("%s: the help on %s lacks %q: %.400s", m.Domain, topic, s, r)
				}
			}
		}
		for _, v := range soak.Some(t, m.Verbs, 5) {
			if len(v.Examples) == 0 {
				t.Errorf("%s: the verb %s has no example", m.Domain, v.Name)
			}
			about(v.Name, append([]string{v.Syntax, v.Summary}, v.Examples...)...)
			for _, p := range v.Params {
				about(v.Name, p.Key+":"+p.Value)
				about(p.Key, p.Key+":"+p.Value)
			}
			if !v.Hidden {
				about(v.Category, v.Examples...)
			}
		}
		for _, s := range m.Vocabulary {
			about(s.Title, s.Lines...)
		}
		for _, s := range m.Selectors {
			about("@"+s.Type, s.Syntax, s.Summary)
		}
		for _, q := range m.Queries {
			about(q.Name, q.Syntax, q.Summary)
		}
		for _, a := range m.Session {
			about(a.Name, a.Syntax, a.Summary)
		}
		if m.Folder != nil || len(m.Schemes) > 0 { // their new and open take other words
			continue
		}
		for _, a := range domain.Actions(domain.Always) {
			about(a.Name, a.Summary)
		}
	}
}

func TestUnracedEveryWordOfTheCardIsATopicOfTheHelp(t *testing.T) {
	testwasm.Unraced(t)
	word := regexp.MustCompile(`\b[A-Za-z][A-Za-z0-9#/-]+`)
	for _, d := range domains(t, "drawio", "midi") {
		name := d.Name()
		sess := session.New(domain.List{d}, nil)
		t.Cleanup(sess.Close)
		texts, _ := tools(t, []*domain.Domain{d}, false)
		seen := map[string]bool{"then": true}
		for _, text := range texts {
			for _, w := range word.FindAllString(text, -1) {
				seen[w] = true
			}
		}
		for _, w := range soak.Some(t, slices.Sorted(maps.Keys(seen)), 5) {
			if r := sess.Help(t.Context(), name, "", w); r.Failed || strings.TrimSpace(r.Text) == "" {
				t.Errorf("%s: no topic %s", name, w)
			}
		}
		t.Logf("%s: %d words", name, len(seen))
	}
}

// Topics that models asked for.
func TestUnracedTheHelpFindsTasks(t *testing.T) {
	testwasm.Unraced(t)
	for _, d := range domains(t, "drawio", "midi", "svg", "video", "cuedeck") {
		sess := session.New(domain.List{d}, nil)
		t.Cleanup(sess.Close)
		for topic, want := range map[string]map[string]string{
			"drawio":  {"end labels": "label", "row": "add row", "recolor": "style REF", "members": "fields:", "arrow heads": "target-arrow", "swimlanes": "lanes:"},
			"midi":    {"change the tempo": "tempo BPM", "drum pattern": "beat TRACK", "sustain pedal": "pedal", "velocity of notes on a track": "velocity"},
			"svg":     {"recolor": "style REF", "drop shadow": "shadow", "draw a line": "line", "round corners": "rx"},
			"video":   {"fade to black": "fade-black", "picture in picture": "overlay", "slow motion": "speed", "subtitles": "captions"},
			"cuedeck": {"mark done": "status", "add a task": "add ", "check item": "check "},
		}[d.Name()] {
			r := sess.Help(t.Context(), d.Name(), "", topic)
			if n := utf8.RuneCountInString(r.Text); r.Failed || !strings.Contains(r.Text, want) || n > 600 {
				t.Errorf("%s: the help on %q: %d characters, %q should be there: %s", d.Name(), topic, n, want, r)
			}
		}
	}
}

// example matches an example in the help on a topic.
var example = regexp.MustCompile(`(?m)^(?:query|session action) .*\n  example: (.*)$`)

func TestUnracedTheExamplesOfTheHostsActionsAndQueriesRun(t *testing.T) {
	testwasm.Unraced(t)
	for _, d := range domains(t, "drawio", "midi") {
		name := d.Name()
		roots, err := files.NewRoots(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		sess := session.New(domain.List{d}, roots)
		t.Cleanup(sess.Close)
		of := func(topic string) string {
			t.Helper()
			m := example.FindStringSubmatch(sess.Help(t.Context(), name, "", topic).Text)
			if m == nil {
				t.Fatalf("%s: the help on %s has no example", name, topic)
			}
			return m[1]
		}
		for _, q := range []string{"new", "checkpoint", "save", "open", "batch", "status", "documents", "undo", "redo", "export", "close"} {
			switch q {
			case "undo":
				for _, text := range []string{of("new"), of("checkpoint"), of("use")} {
					if r := sess.Session(t.Context(), name, "", text); r.Failed {
						t.Errorf("%s: %s: %s", name, text, r)
					}
				}
				if r := sess.Edit(t.Context(), name, "", d.Manifest.Example, nil); r.Failed {
					t.Fatalf("%s: %s", name, r)
				}
				for _, host := range domain.Queries(domain.Always) {
					if r := sess.Query(t.Context(), name, "", of(host.Name)); r.Failed {
						t.Errorf("%s: %s: %s", name, host.Name, r)
					}
				}
			case "close":
				sess.Session(t.Context(), name, "", "save as:./other"+d.Manifest.Extensions[0])
			}
			if r := sess.Session(t.Context(), name, "", of(q)); r.Failed {
				t.Errorf("%s: %s: %s", name, of(q), r)
			}
		}
		for _, a := range domain.Actions(domain.Always) { // the documents they name do not exist
			of(a.Name)
		}
	}
}

// many returns n domains with d's plugin and names of maximum length.
func many(t *testing.T, d *domain.Domain, n int) (out []*domain.Domain) {
	t.Helper()
	for i := range n {
		m := *d.Manifest
		m.Domain, m.Summary = fmt.Sprintf("%s%02d", strings.Repeat("d", 30), i), strings.Repeat("summary ", 50)
		one, err := domain.New(&m, d.Plugin())
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, one)
	}
	return out
}

func TestUnracedTheUnifiedToolsFitForAnyNumberOfDomains(t *testing.T) {
	testwasm.Unraced(t)
	real := domains(t, "drawio", "midi")
	for _, list := range [][]*domain.Domain{real, many(t, real[0], 10), many(t, real[1], 100)} {
		texts, size := tools(t, list, true)
		t.Logf("%d domains: %d characters", len(list), size)
		if size > maxUnified {
			t.Errorf("%d domains: the four tools take %d characters, the limit is %d", len(list), size, maxUnified)
		}
		if len(list) <= 10 {
			for _, d := range list {
				if !strings.Contains(texts["fcp_session"], d.Name()) {
					t.Errorf("%d domains: %s is not named", len(list), d.Name())
				}
			}
		}
	}
}

func TestUnracedTheToolsOfADomainWithLongTextsFit(t *testing.T) {
	testwasm.Unraced(t)
	d := domains(t, "midi")[0]
	m := *d.Manifest
	m.Domain, m.Title = strings.Repeat("d", 32), strings.Repeat("Ü", 250)
	m.Verbs = nil
	for i := range 300 {
		m.Verbs = append(m.Verbs, abi.Verb{Name: fmt.Sprintf("verb%d", i), Syntax: strings.Repeat("syntax [key:VALUE] ", 4), Summary: strings.Repeat("summary ", 4), Category: fmt.Sprint(i % 5)})
	}
	huge, err := domain.New(&m, d.Plugin())
	if err != nil {
		t.Fatal(err)
	}
	if _, size := tools(t, []*domain.Domain{huge}, false); size > maxTools {
		t.Errorf("the four tools take %d characters, the limit is %d", size, maxTools)
	}
}
