package domain

import (
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestAManifestIsCheckedForMistakes(t *testing.T) {
	p := scripted(t, nil)
	tests := []struct {
		name   string
		change func(m *abi.Manifest)
		says   string // "" for fine
	}{
		{"the smallest one", func(m *abi.Manifest) {}, ""},
		{"an older ABI", func(m *abi.Manifest) { m.ABI = 0 }, "the plugin speaks ABI 0, this host speaks 1: rebuild the plugin with a current SDK"},
		{"a newer ABI", func(m *abi.Manifest) { m.ABI = 2 }, "the plugin speaks ABI 2, this host speaks 1: upgrade fcp-host"},
		{"no domain name", func(m *abi.Manifest) { m.Domain = "" }, `domain name "": use a to z, digits, - and _ (at most 32), starting with a letter`},
		{"a domain name with capitals", func(m *abi.Manifest) { m.Domain = "Thing" }, `domain name "Thing": use`},
		{"a domain name with a newline", func(m *abi.Manifest) { m.Domain = "a\nb" }, `domain name "a\u000ab": use`},
		{"a domain name that is too long", func(m *abi.Manifest) { m.Domain = strings.Repeat("a", 33) }, "domain name"},
		{"a domain name with a dash", func(m *abi.Manifest) { m.Domain = "my-thing2" }, ""},
		{"the unified tools' name", func(m *abi.Manifest) { m.Domain = "fcp" }, `the domain name "fcp" is taken by the host's unified tools: choose another`},
		{"a unified tool's name", func(m *abi.Manifest) { m.Domain = "fcp_edit" }, `the domain name "fcp_edit" is taken by`},
		{"another domain's tool", func(m *abi.Manifest) { m.Domain = "midi_session" }, `the domain name "midi_session" ends like a tool of another domain: choose one without _session`},
		{"a tool's name with a dash", func(m *abi.Manifest) { m.Domain = "midi-session" }, `the domain name "midi-session" ends like a tool of another domain: choose one without -session`},
		{"a tool's name in the plural", func(m *abi.Manifest) { m.Domain = "midi_sessions" }, `the domain name "midi_sessions" ends like a tool of another domain: choose one without _sessions`},
		{"a tool's name for the tool that edits", func(m *abi.Manifest) { m.Domain = "midi-edit" }, `the domain name "midi-edit" ends like`},
		{"a tool's name alone", func(m *abi.Manifest) { m.Domain = "help" }, `the domain name "help" ends like a tool of another domain: choose one without help`},
		{"a unified tool's name with a dash", func(m *abi.Manifest) { m.Domain = "fcp-edit" }, `the domain name "fcp-edit" is taken by`},
		{"a unified tool's name in one word", func(m *abi.Manifest) { m.Domain = "fcpquery" }, `the domain name "fcpquery" is taken by`},
		{"a name that only ends in the same letters", func(m *abi.Manifest) { m.Domain = "credit" }, ""},
		{"a verb like a tool", func(m *abi.Manifest) { m.Verbs[0].Name = "midi_session" }, `verb "midi_session" reads like a tool of a domain: choose another name`},
		{"a verb like a unified tool", func(m *abi.Manifest) { m.Verbs[0].Name = "fcp-anything" }, `verb "fcp-anything" reads like`},
		{"a verb called session", func(m *abi.Manifest) { m.Verbs[0].Name = "session" }, ""},
		{"no verb", func(m *abi.Manifest) { m.Verbs = nil }, "the manifest lists no verb"},
		{"a verb without a name", func(m *abi.Manifest) { m.Verbs[0].Name = "" }, `verb "": use one lower-case word of at most 64 bytes, without quotes, @ and colons`},
		{"a verb of two words", func(m *abi.Manifest) { m.Verbs[0].Name = "add it" }, `verb "add it": use`},
		{"a verb with capitals", func(m *abi.Manifest) { m.Verbs[0].Name = "Add" }, `verb "Add": use`},
		{"a verb with an escape", func(m *abi.Manifest) { m.Verbs[0].Name = "a\x1b[2J" }, `verb "a\u001b[2J": use`},
		{"a verb with an invisible letter", func(m *abi.Manifest) { m.Verbs[0].Name = "ad\u200bd" }, `verb "ad\u200bd": use`},
		{"a verb with a space of another kind", func(m *abi.Manifest) { m.Verbs[0].Name = "ad\u00a0d" }, "verb "},
		{"a verb in another script", func(m *abi.Manifest) { m.Verbs[0].Name = "добавь" }, ""},
		{"two verbs of one name", func(m *abi.Manifest) { m.Verbs = append(m.Verbs, m.Verbs[0]) }, `verb "add" is registered twice`},
		{"a query that the host answers", func(m *abi.Manifest) { m.Queries[0].Name = "history" }, `query "history" belongs to the host: remove it or choose another name`},
		{"two queries of one name", func(m *abi.Manifest) { m.Queries = append(m.Queries, m.Queries[0]) }, `query "map" is registered twice`},
		{"a session action that the host has", func(m *abi.Manifest) { m.Session = []abi.Session{{Name: "save"}} }, `session action "save" belongs to the host: remove it or choose another name`},
		{"a session action with its file before the first word", func(m *abi.Manifest) { m.Session = []abi.Session{{Name: "load", File: -1}} }, `session action "load": its file is positional -1; count from 1, 0 for none`},
		{"a session action without its export", func(m *abi.Manifest) { m.Session = []abi.Session{{Name: "load"}} }, "the manifest lists session actions, and the module does not export fcp_session as () -> i32"},
		{"a format without its export", func(m *abi.Manifest) { m.Exports = []abi.Format{{Name: "svg"}} }, "the manifest lists export formats, and the module does not export fcp_export as () -> i32"},
		{"a format whose extension is a path", func(m *abi.Manifest) { m.Exports = []abi.Format{{Name: "svg", Extension: "/../x"}} }, `export format "svg" has the file extension "/../x": write it as ".svg"`},
		{"a selector called not", func(m *abi.Manifest) { m.Selectors = []abi.Selector{{Type: "not"}} }, `selector "not" belongs to the host: remove it or choose another name`},
		{"a selector with a colon", func(m *abi.Manifest) { m.Selectors = []abi.Selector{{Type: "a:b"}} }, `selector "a:b": use`},
		{"an extension without its dot", func(m *abi.Manifest) { m.Extensions = []string{"mid"} }, `file extension "mid": write it as ".mid"`},
		{"an extension that is a path", func(m *abi.Manifest) { m.Extensions = []string{"./../x"} }, "file extension"},
		{"an extension that says something", func(m *abi.Manifest) { m.Extensions = []string{".mid)!"} }, `file extension ".mid)!": write it as ".mid"`},
		{"a hundred extensions", func(m *abi.Manifest) { m.Extensions = slices.Repeat([]string{".x"}, 100) }, "the manifest lists 100 file extensions, the limit is 32"},
		{"an extension of two parts", func(m *abi.Manifest) { m.Extensions = []string{".Thing.svg"} }, ""},
		{"a pattern that does not compile", func(m *abi.Manifest) { m.Positionals = []string{"("} }, `positional patterns: positional pattern "(": `},
		{"a pattern that would explode", func(m *abi.Manifest) { m.Positionals = []string{"((a{100}){100}){100}"} }, "positional patterns: "},
		{"a block that ends with nothing", func(m *abi.Manifest) { m.Verbs[0].Block = " " }, "positional patterns: block verb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := testwasm.MinimalManifest()
			tt.change(m)
			_, err := New(m, p)
			switch {
			case tt.says == "" && err != nil:
				t.Error(err)
			case tt.says != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.says)):
				t.Errorf("got %v\nwant %s", err, tt.says)
			case err != nil && strings.ContainsAny(err.Error(), "\n\x1b"):
				t.Errorf("not one printable line: %q", err.Error())
			}
		})
	}
}

func TestWhatAManifestSaysIsMadePrintableAndBounded(t *testing.T) {
	evil := "\x1b[2Jx\u202e\r\n" + strings.Repeat("y", 10_000)
	m := testwasm.MinimalManifest()
	m.Title, m.Version, m.Summary = "", evil, evil
	m.MIME = []string{evil}
	v := &m.Verbs[0]
	v.Syntax, v.Summary, v.Category = evil, evil, evil
	v.Params = []abi.Param{{Key: "k", Value: evil}}
	m.Queries[0].Syntax, m.Queries[0].Summary = evil, evil
	m.Selectors = []abi.Selector{{Type: "s", Syntax: evil, Summary: evil}}
	m.Vocabulary = []abi.Section{{Title: evil, Lines: []string{evil}}}
	m.Conventions, m.NewParams = []string{evil}, []abi.Param{{Key: "k", Value: evil}}
	d, err := New(m, scripted(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	if d.Name() != "thing" || m.Title != "thing" {
		t.Errorf("name %q, title %q", d.Name(), m.Title)
	}
	for _, s := range []string{m.Version, m.Summary, m.MIME[0], v.Syntax, v.Summary, v.Category, v.Params[0].Value, m.Queries[0].Syntax,
		m.Queries[0].Summary, m.Selectors[0].Syntax, m.Selectors[0].Summary, m.Vocabulary[0].Title, m.Vocabulary[0].Lines[0], m.Conventions[0], m.NewParams[0].Value} {
		if !strings.HasPrefix(s, `\u001b[2Jx\u202e\u000d\u000ayyy`) || len(s) > 4096 {
			t.Errorf("%d bytes: %.60q", len(s), s)
		}
	}
}

func TestAManifestThatCannotBeReadIsAnErrorOfOneLine(t *testing.T) {
	tests := []struct {
		name string
		act  testwasm.Act
		says string
	}{
		{"no bytes", testwasm.Says(nil), "the manifest is not a valid message"},
		{"not msgpack", testwasm.Says([]byte("hello")), "the manifest is not a valid message"},
		{"another type", testwasm.Answers("hello"), "the manifest is not a valid message"},
		{"300 KB", testwasm.Answers(&abi.Manifest{Summary: strings.Repeat("x", 300_000)}), "the manifest has 300"},
		{"a refusal", testwasm.Refuses("not\ntoday"), "not"},
		{"a trap", testwasm.Traps(), "unreachable"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := Describe(ctx, scripted(t, map[string]*testwasm.Act{abi.ExportManifest: &tt.act}))
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, %v", m, err)
			}
		})
	}
	if m, err := Describe(ctx, scripted(t, nil)); err != nil || m.Domain != "thing" {
		t.Errorf("a good one: %v, %v", m, err)
	}
}
