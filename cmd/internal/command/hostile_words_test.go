package command

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/printable"
)

// sign is in each line that a hostile domain or file says, so that the others are the host's.
const sign = "zqx"

// likenesses are how lines of the host and of other domains begin, hidden and not, and other lines.
var likenesses = []string{"+ ", "~ ", "* ", "- ", "@ ", "? ", "! ", "> ", "[0 lines] ", "[", "try: ", "Try: ", "  try: list_session discard all ", "list| ", "evil| ", "fcp-host| ",
	"? list: ", "… 3 more lines; continue with: ", "\t! ", "\u00a0! ", "\u3000+ ", "\u2800? ", "！ ", "［ ", "ｔｒｙ： ", "*\ufe0f ", "!\u0301 ", "\u200d! ", "\ufeff? ", "\U000e0041! ",
	"\ufe0f\u115ftry: ", "\x1b[2K! ", "\r! ", "\u2028! ", "\x00+ ", "# ", "## list_session ", "list_session ", "+ saved song.list ", "done in the view, by a person: ", "", "plain ", "  deep "}

// liar fills messages with hostile lines.
type liar struct{ *rand.Rand }

func (w liar) line() string {
	return likenesses[w.IntN(len(likenesses))] + sign + []string{"", " ]", "\u202e", "\" (list)", "\U000e0001", ": 0 [x *unsaved"}[w.IntN(6)]
}

func (w liar) text() string {
	list := make([]string, 1+w.IntN(4))
	for i := range list {
		list[i] = w.line()
	}
	return strings.Join(list, "\n")
}

// kept are fields whose values mean something to the host.
var kept = []string{"Block", "Kind", "Type", "Name", "Domain", "Extensions", "Extension", "On", "Want", "Wants", "Marker", "Positionals", "IDs", "ABI", "Word", "View", "Run", "Requests",
	"Content", "Areas", "Notes", "Times", "Levels", "Folder", "Media", "Schemes", "Resources", "NewResources", "Accept", "Path", "Commands", "Common", "State", "Error", "Files", "Events"}

// hostileNames are what a verb, a query, an action, a selector, a format or a key may be called.
func hostileNames() (names []string) {
	for _, l := range likenesses {
		for _, end := range []string{"", sign} {
			if name := strings.ToLower(strings.Join(strings.Fields(l), "")) + end; name != "" && !strings.ContainsAny(name, "\"'@:\x00\x1b\r") && printable.Hidden(name) == 0 && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return strings.Contains(name, "list_session") || strings.HasPrefix(name, "fcp-")
	})
}

// fill writes hostile text into each text of a message but those of kept fields.
func (w liar) fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			w.fill(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !slices.Contains(kept, f.Name) {
				w.fill(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.String && v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1+w.IntN(3), 3))
		}
		for i := range v.Len() {
			w.fill(v.Index(i))
		}
	case reflect.String:
		v.SetString(w.text())
	}
}

// filled returns a message with hostile text.
func filled[M any](w liar, m M) *M {
	w.fill(reflect.ValueOf(&m))
	return &m
}

func (w liar) state() abi.State {
	return *filled(w, abi.State{Counts: []abi.Count{{Value: 1}}})
}

func (w liar) result() abi.Result {
	kinds := []abi.Kind{abi.Created, abi.Connection, abi.Changed, abi.Deleted, abi.Bulk, abi.Unchanged}
	res := filled(w, abi.Result{Kind: kinds[w.IntN(len(kinds))]})
	if res.Kind != abi.Unchanged && w.IntN(4) > 0 {
		res.Events = []abi.Event{*filled(w, abi.Event{Type: "did", IDs: []string{"1"}})}
	}
	if w.IntN(5) == 0 {
		res.Error = filled(w, abi.Error{Try: []abi.Suggestion{{Kind: abi.TryOp}, {}}})
	}
	return *res
}

func (w liar) fetched() *abi.FetchResponse {
	f := filled(w, abi.FetchResponse{Data: []byte(w.text())})
	f.Name, f.Ref = w.text(), w.ref()
	return f
}

func (w liar) stored() *abi.StoreResponse {
	s := filled(w, abi.StoreResponse{Moved: w.IntN(3) == 0})
	s.Ref = w.ref()
	return s
}

// ref is a reference, rarely one of another domain.
func (w liar) ref() string {
	if w.IntN(5) == 0 {
		return w.text()
	}
	return "evl:" + w.text()
}

// plugin is a domain that says hostile things in each field of each message.
func (w liar) plugin() evil {
	const most = 12
	opened, done := w.state(), w.state()
	names := hostileNames()
	answers := map[string][]any{}
	for range most {
		one := func(m any) []any { return []any{m} }
		for export, list := range map[string][]any{
			abi.ExportNew:     one(filled(w, abi.OpenResponse{State: opened})),
			abi.ExportOpen:    one(filled(w, abi.OpenResponse{State: opened})),
			abi.ExportSave:    one(filled(w, abi.SaveResponse{Data: []byte("evil")})),
			abi.ExportApply:   one(&abi.ApplyResponse{Results: []abi.Result{w.result()}, State: done}),
			abi.ExportQuery:   one(filled(w, abi.QueryResponse{})),
			abi.ExportReverse: one(&abi.StateResponse{State: opened}),
			abi.ExportReplay:  one(&abi.StateResponse{State: done}),
			abi.ExportState:   one(&abi.StateResponse{State: opened}),
			abi.ExportHelp:    one(filled(w, abi.HelpResponse{Sections: make([]abi.Section, 2)})),
			abi.ExportSession: one(&abi.ApplyResponse{Results: []abi.Result{w.result()}, State: done}),
			abi.ExportExport:  one(filled(w, abi.SaveResponse{Data: []byte("evil")})),
			abi.ExportTool:    one(filled(w, abi.ToolResponse{State: w.state()})),
			abi.ExportFetch:   one(w.fetched()),
			abi.ExportStore:   one(w.stored()),
		} {
			answers[export] = append(answers[export], list...)
		}
	}
	refused := filled(w, abi.ToolResponse{})
	refused.Error = filled(w, abi.ToolError{})
	answers[abi.ExportTool] = append(answers[abi.ExportTool], refused)
	return evil{answers: answers, manifest: func(m *abi.Manifest) {
		m.Tools = []abi.Tool{{Name: "evil_tool", InputSchema: []byte(`{"type":"object","description":` + jsonText(w.text()) + `,"properties":{"a":{"type":"string","title":` + jsonText(w.text()) + `,"description":"! ` + "\U000e0041\ufe0f" + `"},"description":{"enum":["description","! x"]}}}`)}}
		m.Tools = append(m.Tools, abi.Tool{Name: "evil_change", On: abi.OnDocument, InputSchema: []byte(`{"type":"object"}`)})
		m.Queries = append(m.Queries, abi.Query{Name: "map"})
		m.Vocabulary = make([]abi.Section, 2)
		m.Schemes = []string{"evl"}
		params := []abi.Param{{}, {}}
		for _, name := range w.Perm(len(names))[:12] {
			name := names[name]
			m.Verbs = append(m.Verbs, abi.Verb{Name: name, Max: -1, Params: slices.Clone(params)})
			m.Queries = append(m.Queries, abi.Query{Name: name, Takes: &abi.Takes{Params: slices.Clone(params)}})
			m.Session = append(m.Session, abi.Session{Name: name})
			m.Selectors = append(m.Selectors, abi.Selector{Type: name})
			m.Exports = append(m.Exports, abi.Format{Name: name, Extension: ".raw"})
			m.NewParams = append(m.NewParams, abi.Param{})
			m.Synonyms = append(m.Synonyms, abi.Synonym{Word: "zap"}, abi.Synonym{Word: name}, abi.Synonym{Word: name + ":"})
		}
		m.Verbs = append(m.Verbs, abi.Verb{Name: "list|x" + sign, Max: -1})
		slices.Reverse(m.Verbs)
		w.fill(reflect.ValueOf(m))
		m.Title = "Evil"
		for i := range m.Verbs {
			if i == 0 || w.IntN(2) == 0 {
				m.Verbs[i].Category = ""
			}
		}
	}}
}

var (
	// named matches the begin of a line that has the domain's name.
	named = regexp.MustCompile(`^\s*(?:[-+~*@?!] )?evil\| `)
	// hostLike matches the begin of a line that only the host, or a domain with its name, writes.
	hostLike = regexp.MustCompile(`(?i)^[\s\x{2800}]*(?:(?:[-+~*@?!>]|\x{2026}|\x{ff01})\p{M}*(?:[\s\x{2800}]|$)|[\[\x{ff3b}]|try:|ｔｒｙ：|[a-z0-9_-]+\|)`)
	// placed matches lines of the host that have words of the domain, or of a file's name, in their place.
	placed = regexp.MustCompile(`^(?:` + strings.Join([]string{
		`\[[^\[\]]*(?: \*unsaved)?\]$`,                                            // the digest
		`\["(?:[^"\\]|\\.)*": [^\[\]]*\]$`,                                        // the digest of a document with an odd name
		`  try: (?:evil\w* |do |open |new |` + alternatives(hostileNames()) + `)`, // suggestions
		`! (?:op \d+ \([^)]*\): |then "[^"]*": |"[^"]*": )?(?:unknown |selector @|no topic |\S+ has no parameter )`, // which names there are
		`! (?:op \d+ \(|then "[^"]*": |"[^"]*": |cannot \w+[^:]*: )evil\| `,                                         // what failed
		`! op \d+ \([^)]*\): `,
		`[!?] the evil plugin `,
		`! [^\n]*\bthe evil plugin failed: `,
		`\+ (?:opened|exported) `, `\* "evl:`, `\* saved `, `- closed "`, // names of files
		`(?:\* (?:stored|pulled) |! )"?evl:`, // references
		`! "(?:[^"\\]|\\.)*" has unsaved changes`,
		`! cannot (?:open|save)[: ]`, `! not run: "`,
		`title: `, `file: `, `(?:\* )?document: `, `[ >] "`, `  [ >] "`, `> \S`, // a host's query
		`  title: `, `  file: `, `  document: `,
		`\? "(?:[^"\\]|\\.)*" has unsaved changes`,
		`\? (?:\S+ existed and was replaced|the file )`,
		`  *\d+\. `, `  → `,
	}, "|") + `)`)
	changed = regexp.MustCompile(`^[-+~*@] `)
)

func alternatives(words []string) string {
	for i, w := range words {
		words[i] = regexp.QuoteMeta(w)
	}
	return strings.Join(words, "|")
}

// judge checks each line of a reply in which the domain or a file speaks. In the reply to an edit, lines with the signs of changes are the
// domain's; between those of an action, none of its lines stands at the beginning.
func (w liar) judge(t *testing.T, tool, args, text string) {
	t.Helper()
	if n := printable.Hidden(text); n > 0 {
		t.Errorf("%s %s: %d hidden characters in %q", tool, args, n, text)
	}
	edit, acts := tool == "evil", tool == "evil_session"
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case !strings.Contains(line, sign), named.MatchString(line), placed.MatchString(line), edit && changed.MatchString(line):
		case hostLike.MatchString(line):
			t.Errorf("%s %s: %q reads as the host's:\n%s", tool, args, line, text)
		case acts && !strings.HasPrefix(line, "  "):
			t.Errorf("%s %s: %q stands at the beginning:\n%s", tool, args, line, text)
		}
	}
}

// said returns all texts of an answer, its structured content included, decoded.
func said(raw []byte) (texts []string) {
	var whole any
	if json.Unmarshal(raw, &whole) != nil {
		return nil
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			texts = append(texts, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for k, e := range v {
				walk(k)
				walk(e)
			}
		}
	}
	walk(whole)
	return texts
}

// Whatever a domain answers in any field of any message, and however files are called, no line of a reply that is not an edit's own could be
// the host's or another domain's, and nothing hidden reaches the client.
func TestNoWordsOfADomainReadAsTheHosts(t *testing.T) {
	t.Parallel()
	skipUnderRace(t)
	seeds := 3
	if soak.Whole() {
		seeds = 30
	}
	for seed := range seeds {
		w := liar{rand.New(rand.NewPCG(uint64(seed), 1))}
		a := startArena(t, "--plugin", w.plugin().file(t), "--tools", "evil")
		var names []string
		for i := range 4 {
			name := strings.NewReplacer("/", "", "\x00", "").Replace(w.text()) + string(rune('a'+i)) + ".evil"
			if os.WriteFile(filepath.Join(a.dir, name), []byte("evil"), 0o644) == nil {
				names = append(names, name)
			}
		}
		ask := func(tool string, args map[string]any) {
			got := a.wait(a.send(tool, args))
			for _, text := range said(got.raw) {
				w.judge(t, tool, jsonText(args), text)
			}
		}
		op := func(then ...string) map[string]any { return map[string]any{"ops": []string{"do it"}, "then": then} }
		act := func(action ...string) map[string]any { return map[string]any{"action": action} }
		a.wait(a.send("evil_session", act(`new "E"`)))
		for range 4 {
			ask("evil", op())
			ask("evil", op("peek", "status", "peek", "act", "history 5", "checkpoint c"))
			ask("evil", map[string]any{"ops": slices.Repeat([]string{"do it"}, 15)})
			ask("evil_query", map[string]any{"q": "peek"})
			ask("evil_query", map[string]any{"q": "peek\nstatus\npeek\nhistory 5"})
			ask("evil_session", act("act"))
			ask("evil_session", act("act", "peek", "peek", "status"))
			ask("evil_session", act("export raw as:./x.raw force"))
			ask("evil_session", act("undo"))
			ask("evil_session", act("redo"))
			ask("evil_session", act("save as:./y.evil force"))
			ask("evil_tool", map[string]any{"a": "x"})
			ask("evil_change", map[string]any{})
			for _, topic := range []string{"", "do", "values", "conventions", "ops", "queries", "session", "selectors", "how do I zap " + sign, sign} {
				ask("evil_help", map[string]any{"topic": topic})
			}
			ask("evil_session", act("plugins"))
		}
		for _, name := range append(hostileNames(), "zap", "d") {
			ask("evil", map[string]any{"ops": []string{name}})
			ask("evil", map[string]any{"ops": []string{name + "x y"}, "then": []string{name, name + "x"}})
			ask("evil", map[string]any{"ops": []string{"do it " + name + ":1", "do @" + name + "x"}})
			ask("evil_query", map[string]any{"q": name + " a:1"})
			ask("evil_session", act(name))
			ask("evil_session", act("export "+name+"x as:./z.raw"))
			ask("evil_help", map[string]any{"topic": name})
		}
		for range 6 {
			ask("evil_session", act("open evl:x"))
			ask("evil", op())
			for _, a := range []string{"save", "pull", "save as:evl:y", "save as:evl:z force", "pull force", "status", "documents", "close force"} {
				ask("evil_session", act(a))
			}
		}
		for _, name := range names {
			ask("evil_session", act("open "+quoteOp("./"+name), "peek"))
			ask("evil", op("peek"))
			ask("evil_session", act("open "+quoteOp("./nope"+name)))
			ask("evil_session", act("documents"))
			ask("evil_session", act("status"))
		}
		ask("evil_session", act("open"))
		a.wait(a.send("evil_session", act(`new "E" as:E`)))
		for method, params := range map[string]map[string]any{
			"tools/list": {}, "resources/list": {}, "resources/read": {"uri": "fcp://evil/E/model"}, "resources/templates/list": {}, "resources/read ": {"uri": "skill://fcp-evil/SKILL.md"},
			"completion/complete": {"ref": map[string]any{"type": "ref/resource", "uri": "fcp://{domain}/{document}/model"}, "argument": map[string]any{"name": "document", "value": ""}},
			"initialize":          {"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"}},
		} {
			var out json.RawMessage
			a.request(strings.TrimSpace(method), params, &out)
			for _, text := range said(out) {
				if n := printable.Hidden(text); n > 0 {
					t.Errorf("%s: %d hidden characters in %q", method, n, text)
				}
				if method == "tools/list" || strings.HasPrefix(method, "resources/read") {
					w.judge(t, method, "", text)
				}
			}
		}
		a.editHonest()
		a.checkUnharmed()
		a.stop()
	}
}

func jsonText(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // impossible for texts
	}
	return string(data)
}

// quoteOp quotes a word of an op.
func quoteOp(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\r", `\u000d`, "\x1b", `\u001b`).Replace(s) + `"`
}
