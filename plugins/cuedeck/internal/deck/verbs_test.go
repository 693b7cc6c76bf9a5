package deck

import (
	"maps"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func TestEachVerbChangesWhatItNamesAndIsUndone(t *testing.T) {
	const cards = ".cuedeck/cards/"
	for _, c := range []struct{ op, reply, file, wrote string }{
		{`add card "Login page" priority:high assignee:@dev tags:auth,web depends:"Write the API" text:"- [ ] form"`, `+ ID "Login page" todo high @dev #auth #web 0/1 waits for cccccc`, "", "---\ntitle: Login page\nstatus: todo\npriority: high\nassignee: \"@dev\"\ntags: [auth, web]\ndepends_on: [cccccc]\ncreated: 2026-01-02T10:30:00.000Z\nupdated: 2026-01-02T10:30:00.000Z\n---\n\n# Login page\n\n- [ ] form\n"},
		{`add doc docs/new.md text:"# New\n\ntext"`, `+ docs/new.md 3 tokens`, "docs/new.md", "# New\n\ntext\n"},
		{`modify "write the api" status:active`, `* cccccc "Write the API" status:active` + "\n" + `? cccccc "Write the API" is active, and waits for bbbbbb`, cards + "cccccc.md", "status: active\r\npriority"},
		{`modify bbbbbb status:done`, `* bbbbbb "Design the schema" status:done; can be started now: cccccc "Write the API"`, cards + "bbbbbb.md", "title: Design the schema # first\nstatus: done\n"},
		{`modify @status:todo assignee:bob`, `* cccccc "Write the API", dddddd "Deploy: staging", eeeeee "Write docs" assignee:bob`, cards + "dddddd.md", "\nassignee: bob\n"},
		{`modify bbbbbb title:"Design: the schema"`, `* bbbbbb "Design: the schema" title:"Design: the schema"`, cards + "bbbbbb.md", "title: \"Design: the schema\" # first\n"},
		{`modify "By hand" status:todo`, `* "By hand" "By hand" status:todo`, cards + "By hand.md", "---\nstatus: todo\nupdated: 2026-01-02T10:30:00.000Z\n---\n\n# By hand\n\nNo front matter.\n"},
		{`modify dddddd depends:""`, `* dddddd "Deploy: staging" depends:""`, cards + "dddddd.md", "depends_on: []\n"},
		{`tag bbbbbb +sql -design`, `* bbbbbb "Design the schema" tags: db, sql`, cards + "bbbbbb.md", "tags:\n  - db # the only one\n  - sql\n"},
		{`tag @tag:infra +later`, `* +later: aaaaaa "Set up the build", dddddd "Deploy: staging"`, cards + "aaaaaa.md", "tags: [infra, later]\n"},
		{`connect eeeeee -> cccccc -> aaaaaa`, `~ eeeeee "Write docs" -> cccccc "Write the API", cccccc "Write the API" -> aaaaaa "Set up the build"`, cards + "eeeeee.md", "depends_on: [cccccc]\n"},
		{`connect cccccc <- eeeeee`, `~ eeeeee "Write docs" -> cccccc "Write the API"`, cards + "eeeeee.md", "depends_on: [cccccc]\n"},
		{`disconnect dddddd -> aaaaaa`, `- dddddd "Deploy: staging" -> aaaaaa`, cards + "dddddd.md", "depends_on: [cccccc]\n"},
		{`note bbbbbb "Foreign keys\nare done"`, `* bbbbbb "Design the schema" note: "Foreign keys are done"`, cards + "bbbbbb.md", "- 2025-12-20: halfway\n- 2026-01-02: Foreign keys\n  are done\n"},
		{`note cccccc begun`, `* cccccc "Write the API" note: "begun"`, cards + "cccccc.md", "# Write the API\r\n\r\n## Notes\r\n\r\n- 2026-01-02: begun\r\n"},
		{`section docs/plan.md#risks set "One: the licence."`, `* docs/plan.md#Risks set, 5 lines replaced, 24 tokens in all`, "docs/plan.md", "## Risks\n\nOne: the licence.\n\n## Steps\n"},
		{`section docs/plan.md#Risks set "## Risks\n\nOne."`, `* docs/plan.md#Risks set, 5 lines replaced, 21 tokens in all`, "docs/plan.md", "## Risks\n\nOne.\n\n## Steps\n"},
		{`section docs/plan.md#Risks append "More."`, `* docs/plan.md#Risks appended, 31 tokens in all`, "docs/plan.md", "None yet.\n\nMore.\n\n### Licence\n"},
		{`section docs/plan.md#Risks append "### People\n\nFew."`, `* docs/plan.md#Risks appended, 34 tokens in all`, "docs/plan.md", "Not settled.\n\n### People\n\nFew.\n\n## Steps\n"},
		{`section docs/plan.md append "## End"`, `* docs/plan.md appended, 31 tokens in all`, "docs/plan.md", "2. [Risks](#risks)\n\n## End\n"},
		{`section docs/plan.md#Risks rename "Open questions"`, `* docs/plan.md#Risks is now #Open questions` + "\n" + `? links to #risks are dead now: docs/plan.md line 16, .cuedeck/cards/bbbbbb.md line 19`, "docs/plan.md", "## Open questions\n\nNone"},
		{`section docs/plan.md#Risks replace "Not settled" MIT`, `* docs/plan.md#Risks 1 place replaced, 27 tokens in all`, "docs/plan.md", "### Licence\n\nMIT.\n"},
		{`section docs/plan.md replace Risks Dangers`, `* docs/plan.md 2 places replaced, 30 tokens in all`, "docs/plan.md", "2. [Dangers](#risks)\n"},
		{`section docs/plan.md replace "yet.\n\n###" "now.\n\n###"`, `* docs/plan.md 1 place replaced, 29 tokens in all`, "docs/plan.md", "None now.\n\n### Licence"},
		{`section "Write docs" set "What to write."`, `* eeeeee "Write docs" set, 38 tokens in all`, cards + "eeeeee.md", "# Write docs\n\nWhat to write.\n"},
		{`section docs/api.md set "# API\n\nNew."`, `* docs/api.md set, 9 lines replaced, 8 tokens in all`, "docs/api.md", "---\nowner: ana\n---\n\n# API\n\nNew.\n"},
		{`check bbbbbb indexes`, `* bbbbbb "Design the schema" "indexes" checked, 2/3`, cards + "bbbbbb.md", "- [x] indexes\n"},
		{`check bbbbbb all`, `* bbbbbb "Design the schema" 3 items checked, 3/3` + "\n" + `? all items of bbbbbb "Design the schema" are checked, and it is active`, cards + "bbbbbb.md", "- [x] see [the plan]"},
		{`check bbbbbb 1 done:false`, `* bbbbbb "Design the schema" "tables" not checked, 0/3`, cards + "bbbbbb.md", "- [ ] tables\n"},
		{`modify eeeeee text:"New."`, `* eeeeee "Write docs" text`, cards + "eeeeee.md", "# Write docs\n\nNew.\n"},
		{`archive bbbbbb`, `* archived bbbbbb "Design the schema"; can be started now: cccccc "Write the API"`, cards + "bbbbbb.md", "status: archived\n"},
		{`connect eeeeee -> "Write the API,Set up the build"`, `~ eeeeee "Write docs" -> cccccc "Write the API", eeeeee "Write docs" -> aaaaaa "Set up the build"`, cards + "eeeeee.md", "depends_on: [cccccc, aaaaaa]\n"},
		{`archive "Write docs"`, `* archived eeeeee "Write docs"`, cards + "eeeeee.md", "status: archived\n"},
		{`copy bbbbbb title:"Design the index"`, `+ ID "Design the index" todo critical @dev #db #design 1/3 after aaaaaa`, "", "estimate: 3\n---\n\n# Design the index\n\n- [x] tables\n"},
		{`repeat "Write docs" count:2`, `+ 2 cards: ID "Write docs 2", ID "Write docs 3"`, "", "# Write docs 2\n"},
		{`remove "Set up the build"`, `- aaaaaa "Set up the build"; no longer wait for it: bbbbbb, dddddd`, cards + "dddddd.md", "depends_on: [cccccc]\n"},
		{`remove docs/api.md`, `- docs/api.md`, "docs/api.md", ""},
		{`repair ffffff`, `* ffffff "Broken": line 3: put the value of assignee in quotes`, cards + "ffffff.md", "assignee: \"@dev\"\n"},
		{`repair all`, `* ffffff "Broken": line 3: put the value of assignee in quotes`, cards + "ffffff.md", "title: Broken\n"},
		{`remove ffffff`, `- ffffff`, cards + "ffffff.md", ""},
	} {
		doc := workspace(t)
		before := doc.Files()
		reply := doc.Do(c.op)
		after := doc.Files()
		file := c.file
		for name := range after {
			if _, there := before[name]; !there && isCard(name) {
				if strings.Contains(after[name], c.wrote) {
					file = name
				}
				reply = strings.ReplaceAll(reply, idOf(name), "ID")
			}
		}
		if reply != c.reply {
			t.Errorf("%s said\n%s\nwant\n%s", c.op, reply, c.reply)
		}
		if text, there := after[file]; !strings.Contains(text, c.wrote) || there != (c.wrote != "") {
			t.Errorf("%s made %s\n%q\nwant %q", c.op, file, text, c.wrote)
		}
		doc.Undo(1)
		if !maps.Equal(doc.Files(), before) {
			t.Errorf("undo of %s does not lead back", c.op)
		}
		doc.Redo(1)
		if !maps.Equal(doc.Files(), after) {
			t.Errorf("redo of %s does not lead there again", c.op)
		}
	}
}

func TestRefusalsSuggestWorkingOps(t *testing.T) {
	for op, wants := range map[string][]string{
		`add task "A"`:                                          {"a card or a doc", `try: add card "A"`},
		`add card ""`:                                           {"needs a title"},
		`add card A status:doing`:                               {"status:doing is not one of todo active done archived"},
		`add card A priority:hihg`:                              {"is not one of critical high medium low", "try: add card A priority:high"},
		`add card A depends:"Write the APY"`:                    {`no card "Write the APY"; nearest: cccccc "Write the API"`, `try: add card A depends:"Write the API"`},
		`add card A depends:Later`:                              {"no card Later"},
		`add card A depends:Write`:                              {"Write is the beginning of", "give the id or the full title"},
		`add doc ../out.md`:                                     {"not a path below the workspace"},
		`add doc /etc/x.md`:                                     {"not a path below the workspace"},
		`add doc docs/x`:                                        {"a .md file", "try: add doc docs/x.md"},
		`add doc docs/PLAN.md`:                                  {"docs/plan.md already exists"},
		`add doc .git/x.md`:                                     {".git is hidden"},
		`add doc .cuedeck/cards/x.md`:                           {"holds cards"},
		`add doc .cuedeck/SCENE.md`:                             {"reserved for the scene"},
		`add doc docs/x.md priority:low`:                        {"takes only text:"},
		`modify nobody status:done`:                             {"no card nobody", "try query: map"},
		`modify write status:done`:                              {`write may be cccccc "Write the API", eeeeee "Write docs": give the id`, `try: modify "Write the API" status:done`},
		`modify bbbbbb`:                                         {"needs something to change"},
		`modify bbbbbb title:""`:                                {"needs a title"},
		`modify ffffff status:done`:                             {"ffffff.md cannot be read: line 3: '@' is a reserved character", "try: repair ffffff"},
		`modify bbbbbb depends:dddddd`:                          {"a cycle: bbbbbb → dddddd → cccccc → bbbbbb"},
		`modify @status:archived priority:low`:                  {"nothing matches @status:archived"},
		`modify @status:doing priority:low`:                     {"no card has the status doing"},
		`modify @tag:infa priority:low`:                         {"no card has the tag infa", "try: modify @tag:infra priority:low"},
		`modify @created:soon priority:low`:                     {"soon is not a time"},
		`modify @blocked:x priority:low`:                        {"takes no value"},
		`modify @path:[ priority:low`:                           {"not a pattern"},
		`modify @depends:nobody priority:low`:                   {"no card nobody"},
		`modify Set up the build status:todo`:                   {"one title here", `try: modify "Set up the build" status:todo`},
		`add card Two words`:                                    {"one title here", `try: add card "Two words"`},
		`add item bbbbbb new`:                                   {"a line of a card", `try: section bbbbbb append "- [ ] new"`},
		`modify bbbbbb status:doing`:                            {"try: modify bbbbbb status:active"},
		`modify @status:todo text:x`:                            {"is for one card"},
		`section bbbbbb#Later append x`:                         {`try: section bbbbbb append "## Later\n\nx"`},
		`connect eeeeee -> "Write the API", "Set up the build"`: {"one pair of quotes", `try: connect eeeeee -> "Write the API,Set up the build"`},
		`tag bbbbbb`:                                            {"tag needs +TAG or -TAG"},
		`tag bbbbbb +`:                                          {"is not a tag"},
		`tag ffffff +x`:                                         {"cannot be read"},
		`connect aaaaaa -> dddddd`:                              {"a cycle: aaaaaa → dddddd → aaaaaa"},
		`connect bbbbbb -> bbbbbb`:                              {"a cycle: bbbbbb → bbbbbb"},
		`connect bbbbbb cccccc`:                                 {"CARD -> CARD", "try: connect bbbbbb -> cccccc"},
		`connect bbbbbb -- cccccc`:                              {"CARD -> CARD"},
		`connect bbbbbb -> nobody`:                              {"no card nobody"},
		`connect ffffff -> aaaaaa`:                              {"cannot be read"},
		`disconnect aaaaaa -> bbbbbb`:                           {"does not depend on", "the other way round", "try: disconnect bbbbbb -> aaaaaa"},
		`disconnect eeeeee -> bbbbbb`:                           {"does not depend on", "try query: deps eeeeee"},
		`note bbbbbb ""`:                                        {"needs a text"},
		`note ffffff x`:                                         {"cannot be read"},
		`section docs/plan.md#Risk set x`:                       {"no heading Risk; it has: Plan, Risks, Licence, Steps", "try: section docs/plan.md#Risks set x"},
		`section docs/plan.md replace "none yet" Some`:          {`docs/plan.md does not have "none yet"; nearest: "None yet."`, `try: section docs/plan.md replace "None yet" Some`},
		`section docs/plan.md replace "It is not settled" x`:    {`nearest: "Not settled."`},
		`section docs/plan.md#Steps replace "Not settled" x`:    {`docs/plan.md#Steps does not have "Not settled"`, "try query: read docs/plan.md#Steps"},
		`section docs/plan.md replace x`:                        {"section docs/plan.md replace OLD NEW"},
		`section docs/plan.md shrink x`:                         {"set, append, rename or replace", "try: section docs/plan.md append x"},
		`section docs/plan.md rename x`:                         {"give a heading"},
		`section docs/plna.md set x`:                            {"no doc docs/plna.md; nearest: docs/plan.md", "try: section docs/plan.md set x"},
		`section plan.md set x`:                                 {"no doc plan.md; nearest: docs/plan.md"},
		`section docs/plan.md#Risks rename ""`:                  {"needs a text"},
		`section ffffff append x`:                               {"cannot be read"},
		`section ../x.md set y`:                                 {"no doc ../x.md"},
		`check bbbbbb table`:                                    {}, // a unique prefix
		`check bbbbbb indices`:                                  {"has no item indices", "try: check bbbbbb indexes"},
		`check bbbbbb e`:                                        {"e may be"},
		`check cccccc x`:                                        {"has no items - [ ]", `try: section cccccc append "- [ ] x"`},
		`archive Write`:                                         {"is the beginning of", "give the id or the full title"},
		`remove Write`:                                          {"is the beginning of"},
		`remove docs/none.md`:                                   {"no card docs/none.md"},
		`copy ffffff`:                                           {"cannot be read"},
		`repeat bbbbbb`:                                         {"needs count:N", "try: repeat bbbbbb count:2"},
		`repeat bbbbbb count:99`:                                {"1 to 50"},
		`repair nobody`:                                         {"no card nobody"},
	} {
		if len(wants) > 0 {
			workspace(t).Fail(op, wants...)
		}
	}
}

// Parts of a file that an op does not name keep their bytes, even in files with mixed line breaks.
func TestOtherLinesKeepTheirLineBreaks(t *testing.T) {
	const name, stamped = ".cuedeck/cards/aaaa01.md", "---\r\ntitle: M\r\nupdated: 2026-01-02T10:30:00.000Z\r\n---\r\n"
	for _, c := range []struct{ op, before, after string }{
		{`note aaaa01 z`, "xx\r\nyy\n", "xx\r\nyy\n\r\n## Notes\r\n\r\n- 2026-01-02: z\r\n"},
		{`note aaaa01 z`, "xx\r\nyy  ", "xx\r\nyy  \r\n\r\n## Notes\r\n\r\n- 2026-01-02: z\r\n"},
		{`note aaaa01 z`, "## Notes\r\n\r\n- a\n\n\n# B\n", "## Notes\r\n\r\n- a\n- 2026-01-02: z\r\n\n\n# B\n"},
		{`note aaaa01 z`, "## Notes\n# B\r\n", "## Notes\n\r\n- 2026-01-02: z\r\n\r\n# B\r\n"},
		{`section aaaa01 append z`, "xx\r\nyy\n", "xx\r\nyy\n\r\nz\r\n"},
		{`section aaaa01#B set z`, "xx\n# B\n\r\nyy\n", "xx\n# B\n\r\nz\r\n"},
	} {
		doc := pdktest.OpenFolder(t, Domain(), map[string]string{name: "---\r\ntitle: M\r\n---\r\n" + c.before}, world())
		doc.Do(c.op)
		if got := doc.Files()[name]; got != stamped+c.after {
			t.Errorf("%s of %q made\n%q, want\n%q", c.op, c.before, got, stamped+c.after)
		}
	}
}

func TestUnderlinedHeadingsAreRenamed(t *testing.T) {
	const name, front = ".cuedeck/cards/aaaa01.md", "---\ntitle: S\nupdated: 2026-01-02T10:30:00.000Z\n---\n\n"
	open := func() *pdktest.Doc {
		return pdktest.OpenFolder(t, Domain(), map[string]string{name: front + "S\n===\n\nSetext title\n---\n\nx\n"}, world())
	}
	for op, want := range map[string]string{
		`section "aaaa01#Setext title" rename "New one"`: front + "S\n===\n\nNew one\n---\n\nx\n",
		`section aaaa01#S rename New`:                    strings.Replace(front, "S", "New", 1) + "New\n===\n\nSetext title\n---\n\nx\n",
	} {
		doc := open()
		doc.Do(op)
		if got := doc.Files()[name]; got != want {
			t.Errorf("%s made %q, want %q", op, got, want)
		}
	}
	const try = `try: section "aaaa01#Setext title" rename "New one"`
	open().Fail(`section aaaa01#"Setext title" rename "New one"`, "needs quotes of its own", try)
	open().Fail(`section aaaa01#Setext title rename New one`, "needs quotes of its own", try)
	if said := open().Fail(`section aaaa01#"No such" rename "New one"`, "needs quotes of its own"); strings.Contains(said, "try") {
		t.Error(said)
	}
	open().Fail(`section "aaaa01#Setext title" rename "- a"`, "would not be a heading")
}

func TestTagsWithBlanksNeedQuotes(t *testing.T) {
	const name = ".cuedeck/cards/aaaa01.md"
	open := func() *pdktest.Doc {
		return pdktest.OpenFolder(t, Domain(), map[string]string{name: "---\ntags: [b c, 'c\"', null]\n---\n"}, world())
	}
	for op, want := range map[string]string{
		`tag aaaa01 "-b c" +x`: "tags: ['c\"', null, x]\n",
		`tag aaaa01 "+x y"`:    "tags: [b c, 'c\"', null, x y]\n",
		`tag aaaa01 '-c"'`:     "tags: [b c, null]\n",
	} {
		doc := open()
		doc.Do(op)
		if got := doc.Files()[name]; !strings.Contains(got, want) {
			t.Errorf("%s made %q", op, got)
		}
	}
	for op, try := range map[string]string{
		`tag aaaa01 -"b c"`:         `try: tag aaaa01 "-b c"`,
		`tag aaaa01 +x -"b c" +y`:   `try: tag aaaa01 +x "-b c" +y`,
		`tag aaaa01 +'x y'`:         `try: tag aaaa01 "+x y"`,
		`tag @tag:"b c" +"later o"`: `try: tag "+later o" @tag:"b c"`,
	} {
		open().Fail(op, "no quotes in it", try)
	}
}

func TestOpsThatChangeNothingSucceed(t *testing.T) {
	for op, want := range map[string]string{
		"modify bbbbbb status:active":                     `? bbbbbb "Design the schema" status:active is unchanged`,
		"modify bbbbbb tags:design,db":                    "is unchanged",
		"tag bbbbbb +db":                                  "already has these tags",
		"connect bbbbbb -> aaaaaa":                        "depends on",
		"check bbbbbb tables":                             "already checked",
		"repair bbbbbb":                                   "is not broken",
		`section docs/plan.md#Risks rename Risks`:         "already has that name",
		`section docs/plan.md#Licence set "Not settled."`: "already contains that",
	} {
		if got := workspace(t).Do(op); !strings.HasPrefix(got, "?") || !strings.Contains(got, want) {
			t.Errorf("%s: %s", op, got)
		}
	}
	doc := workspace(t)
	doc.Do("archive eeeeee", "repair all")
	for _, op := range []string{"archive eeeeee", "repair all"} {
		if got := doc.Do(op); !strings.HasPrefix(got, "?") {
			t.Errorf("%s: %s", op, got)
		}
	}
}

func TestOpsNameCardsOfTheSameCallByTitle(t *testing.T) {
	doc := pdktest.OpenFolder(t, Domain(), nil, world())
	doc.Do(`add card "One, two"`, `add card Three depends:"One, two"`, `add card Four depends:Three`, `connect Four -> "One, two"`)
	if got := doc.Query("deps Four"); !strings.Contains(got, `"Three" todo`) || !strings.Contains(got, "2 cards") {
		t.Error(got)
	}
	if got := doc.Do(`add card three`); strings.Contains(got, "same title") {
		t.Error(got)
	}
	if got := doc.Do(`add card Three`); !strings.Contains(got, "have the same title: name them by their ids") {
		t.Error(got)
	}
	doc.Fail(`modify Three status:done`, "Three may be", "give the id")
	doc.Fail(`add card Five depends:Three`, "Three may be", "give the id")
	got := strings.Split(doc.Query("list"), "\n") // in the order of creation
	for i, title := range []string{"One, two", "Three", "Four", "three", "Three"} {
		if !strings.Contains(got[i], `"`+title+`"`) {
			t.Errorf("line %d is %s, and should be of %s", i, got[i], title)
		}
	}
}

// Ids depend on the call, so that equal folders after equal calls are equal; and no two cards share one.
func TestIDsDependOnTheCallAndAreUnique(t *testing.T) {
	doc := pdktest.OpenFolder(t, Domain(), nil, world())
	other := pdktest.OpenFolder(t, Domain(), nil, world())
	seen := map[string]bool{}
	for range 40 {
		ops := []string{"add card Same", "add card Same", "add card Same status:archived"}
		doc.Do(ops...)
		other.Do(ops...)
	}
	for name := range doc.Files() {
		if id := idOf(name); len(id) != 6 || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789") != "" || seen[id] {
			t.Errorf("the id %q", id)
		} else {
			seen[id] = true
		}
	}
	if len(seen) != 120 || !maps.Equal(doc.Files(), other.Files()) {
		t.Errorf("%d ids", len(seen))
	}
}
