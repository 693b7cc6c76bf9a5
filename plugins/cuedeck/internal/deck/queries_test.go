package deck

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func TestQueriesAnswer(t *testing.T) {
	doc := workspace(t)
	for q, want := range map[string]string{
		"map":                              "7c 3todo 1act 1done 0arc 4dep 3doc 0.3kt\nactive: 1\n  bbbbbb \"Design the schema\" critical @dev #db #design 1/3 after aaaaaa items: \"indexes\", \"see the plan\"\ntodo: 3\n",
		"list":                             "aaaaaa \"Set up the build\" done high ana #infra\nbbbbbb",
		"list @status:todo @priority:high": `cccccc "Write the API" todo high #api waits for bbbbbb`,
		"list todo priority:low":           `dddddd "Deploy: staging" todo low #infra #ops waits for cccccc after aaaaaa`,
		"list blocked":                     "cccccc \"Write the API\" todo high #api waits for bbbbbb\ndddddd",
		"list @ready":                      `eeeeee "Write docs" todo medium`,
		"list @orphan":                     "eeeeee \"Write docs\" todo medium\n\"By hand\" \"By hand\" without a status",
		"list @assignee:dev":               "bbbbbb",
		"list @assignee":                   "aaaaaa \"Set up the build\" done high ana #infra\nbbbbbb",
		"list @tag:infra @not:status:done": "dddddd",
		"list @tag":                        "aaaaaa",
		"list tags:ops":                    "dddddd",
		"list @depends:aaaaaa":             "bbbbbb \"Design the schema\" active critical @dev #db #design 1/3 after aaaaaa\ncccccc",
		"list @path:*hand*":                `"By hand"`,
		"list @created:2025-12-03":         "cccccc",
		"list @created:<2025-12-02":        "aaaaaa",
		"list @created:>2025-12-04":        "eeeeee",
		"list @updated:2025-12":            "aaaaaa",
		"list @updated:>3w":                "bbbbbb",
		"list @updated:<4w":                "aaaaaa",
		"list @created:<2024":              "no cards",
		"next":                             "eeeeee \"Write docs\" medium\n(active: bbbbbb \"Design the schema\"; 2 blocked)",
		"next @tag:api":                    "nothing can be started: 1 blocked",
		"next @status:done":                "nothing is left to do",
		"describe bbbbbb":                  "  .cuedeck/cards/bbbbbb.md 89 tokens, created 2025-12-02T08:00:00Z, updated 2025-12-20T08:00:00Z\n  also has: estimate\n  depends on aaaaaa \"Set up the build\" done\n  needed by cccccc \"Write the API\" todo\n    ## Notes lines 21-23 8t\n  item 1 [x] tables\n",
		"describe docs/plan.md":            "  # Plan lines 1-16 29t\n    ## Risks lines 5-12 12t\n      ### Licence lines 9-12 7t\n",
		"describe ffffff":                  "broken: line 3: '@' is a reserved character",
		"read docs/plan.md#licence":        "docs/plan.md#Licence lines 9-12, 7 tokens:\n  ### Licence\n\n  Not settled.",
		"read cccccc":                      ".cuedeck/cards/cccccc.md 10 lines, 37 tokens:\n  ---\n  title: Write the API\n",
		"read ffffff":                      "  assignee: @dev\n",
		"find VerifyToken":                 "src/auth.go 24t\n  line 3: // VerifyToken checks a token.",
		"find login":                       "docs/api.md 20t\n  line 10: ## Login flow",
		"find zzzqqq":                      `nothing has "zzzqqq"`,
		"deps dddddd":                      "dddddd \"Deploy: staging\" depends on 2 cards:\n  aaaaaa \"Set up the build\" done\n  cccccc \"Write the API\" todo",
		"deps dddddd all":                  "depends on 3 cards:\n  aaaaaa \"Set up the build\" done\n  cccccc \"Write the API\" todo\n    bbbbbb \"Design the schema\" active\n      aaaaaa \"Set up the build\" done",
		"deps aaaaaa reverse all":          "aaaaaa \"Set up the build\" is needed by 3 cards:\n  bbbbbb",
		"deps eeeeee":                      "depends on nothing",
		"graph":                            "aaaaaa \"Set up the build\" done\n  bbbbbb \"Design the schema\" active\n    cccccc \"Write the API\" todo, waits for bbbbbb\n      dddddd \"Deploy: staging\" todo, waits for cccccc\n  dddddd \"Deploy: staging\" todo, waits for cccccc\n",
		"graph mermaid":                    "graph LR\n  c_aaaaaa[\"Set up the build\"]:::done\n",
		"graph dot @status:todo":           "  \"cccccc\" -> \"dddddd\";\n}",
		"graph json":                       `{"id":"cccccc","title":"Write the API","status":"todo","priority":"high","depends_on":["bbbbbb"],"waits_for":["bbbbbb"]},`,
		"validate":                         ".cuedeck/cards/ffffff.md cannot be read, so its dependencies are unknown: repair ffffff",
		"validate dddddd":                  "the dependencies of dddddd \"Deploy: staging\" are consistent: 4 cards, 4 dependencies, no cycles, none missing", // not those of the card that cannot be read
		"stats":                            "  status: todo 3, active 1, done 1, none 1\n  priority: critical 1, high 2, medium 1, low 1, none 1\n",
		"scene":                            "# Scene: Northwind\n",
		"board":                            "board: todo 3, active 1, done 1, other 2",
		"files auth":                       "src/auth.go  VerifyToken",
	} {
		if got := doc.Query(q); !strings.Contains(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", q, got, want)
		}
	}
	for q, wants := range map[string][]string{
		"list doing":             {"todo active done archived", "not doing", "try: find doing"},
		"list @tag:aip":          {"no card has the tag aip", "try: list @tag:api"},
		"next many":              {"how many", "not many"},
		"graph mermade":          {"ascii mermaid dot json", "try: graph mermaid"},
		"deps dddddd down":       {"reverse and all, not down"},
		"deps nobody":            {"no card nobody"},
		"read docs/plan.md#Risk": {"no heading Risk;", "try: read docs/plan.md#Risks"},
		"read docs/plen.md":      {"nearest: docs/plan.md", "try: read docs/plan.md"},
		"read ../secret.md":      {"no doc ../secret.md"},
		"describe Write":         {"Write may be"},
		"list @created:soon":     {"not a time"},
		"board width:1":          {"16 to"},
		"validate nobody":        {"no card nobody"},
		"scene limit:0":          {"1 to"},
		"find ''":                {"needs a text"},
	} {
		if len(wants) > 0 {
			doc.QueryFails(q, wants...)
		}
	}
	doc.QueryFails("preview @status:todo format:gif", "format:png and format:svg", "preview @status:todo format:png")
	if c := doc.QueryContent("preview @status:todo width:300"); len(c) != 1 || string(c[0].Data[1:4]) != "PNG" {
		t.Errorf("preview gives %v", c)
	}
	if got := string(doc.Export("svg")); !strings.Contains(got, "Design the schema</text>") || !strings.Contains(got, ">waits for cccccc</text>") {
		t.Errorf("exported %s", got)
	}
	if got := doc.Export("png width:200"); string(got[1:4]) != "PNG" {
		t.Errorf("exported %.20q", got)
	}
}

// Planted faults must be reported: by doctor with a fix, by validate, and as warnings of the state.
func TestDoctorFindsPlantedFaults(t *testing.T) {
	card := func(front string) string { return "---\n" + front + "\n---\n" }
	for _, c := range []struct {
		file, text, doctor string
		warned             bool
	}{
		{Cards + "x.md", card("title: X\ndepends_on: [gone]"), `x "X" depends on gone, which does not exist: disconnect x -> gone`, true},
		{Cards + "aaaaaa.md", card("title: A\ndepends_on: [bbbbbb]"), "a cycle of dependencies: bbbbbb → aaaaaa → bbbbbb: disconnect aaaaaa -> bbbbbb", true},
		{Cards + "x.md", card("title: X\nstatus: active"), `x "X" is active and unassigned: modify x assignee:NAME`, true},
		{Cards + "x.md", card("title: X\nstatus: active\nassignee: a\nupdated: 2025-09-01"), `x "X" is active and has not been touched since 2025-09-01`, true},
		{Cards + "x.md", card("title: X\nstatus: wip"), "has the status wip, which is not one of todo active done archived", true},
		{Cards + "x.md", card("title: X\npriority: p0"), "has the priority p0, which is not one of critical high medium low", true},
		{Cards + "x.md", card("title: X\ntags: [infar]"), "the tag infar is used once, by x, and infra 2 times: tag x +infra \"-infar\"", true},
		{Cards + "x.md", card("title: X") + "[a](../../docs/none.md)", ".cuedeck/cards/x.md line 4 links to ../../docs/none.md: no such file", true},
		{"docs/x.md", "[a](plan.md#risk)\n[b](plan.md#risks) [c](https://x.y/z.md) [d](../src/auth.go) [e](pic.png) `[f](no.md)` [g](.hidden/x.md) [h](../../out.md)", "docs/x.md line 1 links to plan.md#risk: no such heading", true},
		{Cards + "sub/aaaaaa.md", card("title: Twin"), "have one id: rename one of the files", true},
		{Config, "[scene\n", ".cuedeck/config.toml: toml:", true},
		{Config, "[docs]\nignore = [\"[\"]\n", "has the pattern \"[\", which is malformed", true},
		{Config, "[security]\nsecret_patterns = [\"(\"]\n", ".cuedeck/config.toml line 2: the secret pattern \"(\" is not a regular expression (missing closing )): fix or remove it; until then no scene is built", false},
		{Config, "[scene]\ntoken_limit = 120\n", "the scene does not fit into 120 tokens", false},
		{"docs/x.md", "# X\n", "tags used once: api, db, design, ops", false},
		{"docs/x.md", "# X\u200b\n", `docs/x.md has 1 hidden character (\u200b)`, false},
	} {
		files := maps.Clone(project)
		files[c.file] = c.text
		doc := pdktest.OpenFolder(t, Domain(), files, world())
		got := doc.Query("doctor")
		if !strings.Contains(got, c.doctor) || strings.Count(got, "links to") > 1 {
			t.Errorf("%s %q: %s\nwant %s", c.file, c.text, got, c.doctor)
		}
		if warned := strings.Count(strings.Join(doc.State().Warnings, "\n"), "\n"); (warned > 0) != c.warned {
			t.Errorf("%s %q: the warnings are %q", c.file, c.text, doc.State().Warnings)
		}
		if !maps.Equal(doc.Files(), files) {
			t.Errorf("%s: opening it changed files", c.file)
		}
	}
	files := maps.Clone(project)
	delete(files, Cards+"ffffff.md")
	got := pdktest.OpenFolder(t, Domain(), files, world()).Query("doctor")
	if want := "tags used once: api, db, design, ops\nnothing is wrong: 6 cards, 3 docs"; got != want {
		t.Errorf("of what is well the doctor says %s", got)
	}
	cyclic := maps.Clone(project)
	cyclic[Cards+"aaaaaa.md"] = card("title: A\ndepends_on: [dddddd, gone]")
	got = pdktest.OpenFolder(t, Domain(), cyclic, world()).Query("validate aaaaaa")
	for _, want := range []string{"a cycle: aaaaaa → dddddd → aaaaaa", "aaaaaa \"A\" depends on gone, which does not exist; remove it with: disconnect aaaaaa -> gone"} {
		if !strings.Contains(got, want) {
			t.Errorf("validate says %s", got)
		}
	}
}

// Changes by others to the folder must be in the document at once, and can be undone.
func TestChangesByOtherPrograms(t *testing.T) {
	doc := workspace(t)
	before := doc.Files()
	doc.Outside(Cards+"eeeeee.md", []byte("---\ntitle: Theirs\nstatus: done\n---\n"))
	doc.Outside("docs/plan.md", nil)
	doc.Outside(Cards+"new.md", []byte("# New\n"))
	doc.Outside(Config, []byte("name = \"Other\"\n[docs]\nignore = [\"docs\"]\n"))
	if got := doc.Query("list Done"); !strings.Contains(got, `eeeeee "Theirs"`) {
		t.Error(got)
	}
	if got := doc.Digest(); !strings.HasPrefix(got, "8c") || !strings.Contains(got, "1doc") {
		t.Errorf("the digest is %s", got)
	}
	if got := doc.Query("scene"); !strings.HasPrefix(got, "# Scene: Other") {
		t.Error(got)
	}
	doc.Do("modify Theirs priority:high")
	doc.Undo(5)
	if !maps.Equal(doc.Files(), before) || !strings.Contains(doc.Query("find VerifyToken"), "src/auth.go") {
		t.Error("what others did cannot be undone")
	}
}

// Long answers come in pages, and pictures of many cards stay small.
func TestManyCardsAreBounded(t *testing.T) {
	files := map[string]string{}
	for i := range 600 {
		files[fmt.Sprintf("%sc%05d.md", Cards, i)] = fmt.Sprintf("---\ntitle: Card %d %s\nstatus: active\ntags: [t%d]\ndepends_on: [nobody]\n---\n", i, strings.Repeat("long ", 50), i)
	}
	doc := pdktest.OpenFolder(t, Domain(), files, world())
	if n := len(doc.State().Warnings); n > 20 || !strings.Contains(doc.State().Warnings[n-1], "doctor lists them") {
		t.Errorf("%d warnings: %s", n, doc.State().Warnings[n-1])
	}
	if got := doc.Do("modify @all priority:low"); len(got) > 1000 {
		t.Errorf("a reply of %d bytes: %s", len(got), got)
	}
	if got := len(doc.Export("svg")); got > 40_000 {
		t.Errorf("a board of %d bytes", got)
	}
	if got := doc.Query("map"); strings.Count(got, "\n") < 600 {
		t.Errorf("map has %d lines", strings.Count(got, "\n"))
	}
}

func TestDoctorNamesMistypedValues(t *testing.T) {
	doc := pdktest.OpenFolder(t, Domain(), map[string]string{
		".cuedeck/cards/aaaa01.md": "---\ntitle: {a: 1}\nstatus: [todo]\ndepends_on: {x: [1]}\ntags: {a: b}\ncreated: yesterday\n---\n# A\n",
		".cuedeck/cards/aaaa02.md": "---\n{title: B}\n---\n",
		".cuedeck/cards/aaaa03.md": "---\n? title\n: C\n---\n",
		".cuedeck/cards/aaaa04.md": "---\ntitle: D\nstatus:\ntags: a, b\ndepends_on: [{a: 1}]\ncreated: 2026-01-02\n---\n",
	}, world())
	got := doc.Query("doctor")
	for _, want := range []string{
		`aaaa01 "A": its title is a mapping, and must be a text`, `its status is a list, and must be a text`, `its depends_on is a mapping, and must be a list`, `its tags is a mapping, and must be a list`,
		`aaaa01 "A": its created is yesterday, and must be a time such as`, `aaaa02 "B" has a front matter that cannot be edited key by key: put each KEY: VALUE on a line of its own`, `aaaa03 "C" has a front matter that cannot`,
		`aaaa04 "D": its depends_on contains something that is not a word`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "aaaa04"); n != 1 {
		t.Errorf("aaaa04 stands there %d times:\n%s", n, got)
	}
}

// Without the mask of the settings a scene would show secrets.
func TestNoSceneIsBuiltWithoutItsMask(t *testing.T) {
	for text, want := range map[string]string{
		"[security]\nsecret_patterns = [\"a\"\n":                    ".cuedeck/config.toml: toml: line",
		"[security]\nsecret_patterns = \"a\"\n":                     ".cuedeck/config.toml: toml: ",
		"[security]\nsecret_patterns = [\n'ok', '\\d(']\n":          `.cuedeck/config.toml line 3: the secret pattern "\\d(" is not a regular expression (missing closing )): fix or remove that line`,
		"[security]\nsecret_patterns = [\n\n\"\\\\d*\"]\n":          `.cuedeck/config.toml line 4: the secret pattern "\\d*" matches the empty text`,
		"[security]\nsecret_patterns = [" + strings.Repeat("[", 99): "line 2 is nested more than",
	} {
		files := maps.Clone(project)
		files[Config] = text
		doc := pdktest.OpenFolder(t, Domain(), files, world())
		doc.QueryFails("scene", "no scene is built", want)
		if got := doc.Query("doctor"); strings.Count(got, Config) != 1 || !strings.Contains(got, "no scene is built") {
			t.Errorf("%q: the doctor says %s", text, got)
		}
	}
}
