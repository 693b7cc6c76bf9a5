package conformance

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestASuiteIsNamedByTheFileTheCallerTheFilesNameOrItsTests(t *testing.T) {
	const op = `"tests":[{"name":"a","input":"a","expected":{}}]`
	for _, c := range []struct{ file, content, given, want string }{
		{"x.json", `{"suite":"grammar/tokenizer",` + op + `}`, "", "grammar/tokenizer"},
		{"x.json", `{"suite":"grammar",` + op + `}`, "", "grammar/parsed-op"},
		{"x.json", `{"suite":"Tokenizer",` + op + `}`, "session", "grammar/tokenizer"},
		{"x.json", `{"suite":"theirs",` + op + `}`, "classifier", "grammar/classifier"},
		{"x.json", `{` + op + `}`, "event-log", "events/cursor"},
		{"tokenizer.json", `{` + op + `}`, "", "grammar/tokenizer"},
		{"parse-op.json", `{` + op + `}`, "", "grammar/parsed-op"},
		{"parse-op.json", `{` + op + `}`, "session", "session/commands"},
		{"event-log.json", `{` + op + `}`, "", "events/cursor"},
		{"x.json", `{"tests":[{"name":"a","operations":[],"assertions":{}}]}`, "", "events/cursor"},
	} {
		all, err := Read(write(t, c.file, c.content), c.given)
		if err != nil || len(all) != 1 || all[0].Suite != c.want {
			t.Errorf("%s %s with %q: %v, %v, want %s", c.file, c.content, c.given, all, err, c.want)
		}
	}
	for name, c := range map[string]struct{ content, given, says string }{
		"a name nobody knows":    {`{"suite":"theirs",` + op + `}`, "", "--suite"},
		"no name at all":         {`{` + op + `}`, "", "--suite"},
		"a wrong suite given":    {`{` + op + `}`, "theirs", "no suite"},
		"no tests":               {`{"suite":"grammar"}`, "", "no tests"},
		"no JSON":                {`{`, "", "not a fixture"},
		"tests that are no list": {`{"suite":"grammar","tests":3}`, "", "not a fixture: tests contains number"},
		"a list":                 {`[]`, "", "not a fixture: the file contains array"},
	} {
		if _, err := Read(write(t, "x.json", c.content), c.given); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(t.TempDir(), ""); err == nil {
		t.Error("an empty folder is read")
	}
}

// A case that expects something other than what the adapter returns fails, and the failure says where they differ.
func TestADifferenceIsFoundAndNamed(t *testing.T) {
	got := map[string]any{"verb": "add", "positionals": []string{"a", "b"}, "params": map[string]string{"k": "v"},
		"selectors": []any{map[string]any{"raw": "@not:t:v", "type": "t", "value": "v", "negated": true}}, "n": 3, "empty": "", "undo_error": "no"}
	adapt := func(*Case) (any, error) { return got, nil }
	for expected, where := range map[string]string{
		`{}`:                           "",
		`{"verb":"add"}`:               "",
		`{"verb":"ad"}`:                "verb: ",
		`{"positionals":["a","b"]}`:    "",
		`{"positionals":["a"]}`:        "positionals: ",
		`{"positionals":["a","c"]}`:    "positionals[1]: ",
		`{"params":{"k":"v"}}`:         "",
		`{"params":{}}`:                "params: ",
		`{"params":{"k":"w"}}`:         "params.k: ",
		`{"params":{"k":"v","l":"w"}}`: "params.l: ",
		`{"selectors":["@not:t:v"]}`:   "",
		`{"selectors":["@t:v"]}`:       "selectors[0]: ",
		`{"selectors":[{"type":"t","value":"v","negated":true}]}`: "",
		`{"selectors":[{"negated":false}]}`:                       "selectors[0].negated: ",
		`{"selectors":[]}`:                                        "selectors: ",
		`{"n":3}`:                                                 "",
		`{"n":4}`:                                                 "n: ",
		`{"n":"3"}`:                                               "n: ",
		`{"empty":null}`:                                          "",
		`{"verb":null}`:                                           "verb: ",
		`{"other":1}`:                                             "other: ",
		`{"undo_error":true}`:                                     "",
		`{"undo_error":false}`:                                    "undo_error: ",
		`{"verb":{"contains":"dd"}}`:                              "",
		`{"verb":{"contains":["x"]}}`:                             "verb: ",
		`{"verb":{"matches":"^a"}}`:                               "",
		`{"verb":{"matches":"^b"}}`:                               "verb: ",
		`{"description":"left out"}`:                              "",
		`[]`:                                                      "expected [], got",
		`3`:                                                       "expected 3, got",
	} {
		c := Case{Name: "x", Input: []byte(`"x"`), Expected: []byte(expected)}
		failure, err := c.Check(adapt, false)
		switch {
		case err != nil:
			t.Errorf("%s: %v", expected, err)
		case where == "" && failure != nil:
			t.Errorf("%s: %v", expected, failure)
		case where != "" && (failure == nil || !strings.HasPrefix(failure.Where, where)):
			t.Errorf("%s: %v, want it at %q", expected, failure, where)
		}
	}
}

func TestAnErrorIsComparedWithTheExpectedError(t *testing.T) {
	refuse := func(*Case) (any, error) { return nil, errors.New("no checkpoint at column 5") }
	accept := func(*Case) (any, error) { return 1, nil }
	for says, ok := range map[string]bool{
		`true`: true, `"column 5"`: true, `"Column"`: true, `"row"`: false,
		`{"contains":["checkpoint","5"]}`: true, `{"contains":["checkpoint","6"]}`: false, `{"error":true}`: true, `{"column":5}`: false,
	} {
		c := Case{Name: "x", Input: []byte(`"x"`), ExpectedError: []byte(says)}
		if failure, _ := c.Check(refuse, true); (failure == nil) != ok {
			t.Errorf("%s: %v", says, failure)
		}
		if failure, _ := c.Check(accept, true); failure == nil {
			t.Errorf("%s: what is accepted passes", says)
		}
	}
	c := Case{Name: "x", Input: []byte(`"x"`), Expected: []byte(`1`)}
	if failure, _ := c.Check(refuse, false); failure == nil || !strings.Contains(failure.Got, "column 5") {
		t.Errorf("an error instead of a value: %v", failure)
	}
	if _, err := c.Check(func(*Case) (any, error) { return nil, ErrNotApplicable }, false); !errors.Is(err, ErrNotApplicable) {
		t.Errorf("what does not apply: %v", err)
	}
}

func TestCasesOfASuiteHaveUniqueNames(t *testing.T) {
	for _, f := range Builtin() {
		seen := map[string]bool{}
		f.Each(func(c *Case, _ bool) {
			if seen[c.Name] {
				t.Errorf("%s has two cases called %q", f.Suite, c.Name)
			}
			seen[c.Name] = true
		})
		if f.Description == "" || f.Spec == "" {
			t.Errorf("%s does not say what it is about", f.Suite)
		}
	}
}

func TestATestWithoutANameIsNamedByItsPosition(t *testing.T) {
	all, err := Read(write(t, "tokenizer.json", `{"tests":[{"name":"a","input":"a"},{"input":"b"}],"error_tests":[{"input":"c"}]}`), "")
	if err != nil || all[0].Tests[1].Name != "test 2" || all[0].ErrorTests[0].Name != "error test 1" {
		t.Error(all, err)
	}
}

func TestAnErrorTestOfALogPassesIfAnOperationFails(t *testing.T) {
	for operations, ok := range map[string]bool{
		`[{"action":"append","event":1},{"action":"undo_to","name":"nowhere"}]`:                          true,
		`[{"action":"append","event":1},{"action":"checkpoint","name":"a"},{"action":"undo","count":1}]`: false,
	} {
		c := Case{Name: "x", Operations: []byte(operations), ExpectedError: []byte("true")}
		if failure, _ := c.Check(EventLog, true); (failure == nil) != ok {
			t.Errorf("%s: %v", operations, failure)
		}
	}
}

func TestAFileThatIsNotAFixtureIsAFailureAndTheOthersAreRun(t *testing.T) {
	path := write(t, "a.json", `{"suite":`)
	for name, content := range map[string]string{
		"b.JSON": "\ufeff" + `{"suite":"grammar","tests":[{"name":"one","input":"a","expected":{"verb":"a"}}]}`,
		"c.json": `{"suite":"theirs","tests":[{"name":"one","input":"a","expected":{}}]}`,
	} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all, err := Read(filepath.Dir(path), "")
	if err != nil {
		t.Fatal(err)
	}
	r := Run(all, Native())
	if r.Passed != 1 || len(r.Failures) != 2 || r.OK() {
		t.Fatalf("%d passed, %v", r.Passed, r.Failures)
	}
	for i, says := range []string{"a.json: not a fixture", `c.json: unknown suite "theirs"`} {
		if line := r.Failures[i].String(); !strings.HasPrefix(line, "FAIL ") || !strings.Contains(line, says) {
			t.Errorf("the line is %s", line)
		}
	}
}

// An error test whose input is missing, or invalid for its suite, must not pass.
func TestAMistakeInAFixtureIsNotARefusal(t *testing.T) {
	for suite, c := range map[string]Case{
		"grammar/tokenizer":  {},
		"grammar/classifier": {Input: []byte(`5`)},
		"grammar/parsed-op":  {Input: []byte(`"a"`), Rules: &Rules{Positionals: []string{"("}}},
		"session/commands":   {Input: []byte(`["new"]`)},
		"events/cursor":      {Operations: []byte(`[{"action":"fly"}]`)},
		"events/checkpoint":  {Operations: []byte(`"undo"`)},
		"references/cascade": {Input: []byte(`"a"`)},
		"replies/format":     {Input: []byte(`{"results":[{"kind":"odd"}]}`)},
	} {
		c.Name, c.ExpectedError = "x", []byte("true")
		failure, err := c.Check(Native()[suite], true)
		if err != nil || failure == nil || !strings.Contains(failure.Where, "the fixture") {
			t.Errorf("%s: %v, %v", suite, failure, err)
		}
	}
}

func TestALifecycleOfActionsIsReadAsCommands(t *testing.T) {
	for tests, want := range map[string]string{
		`[{"name":"a","input":"undo 2","expected":{"command":"undo"}}]`:       "session/commands",
		`[{"name":"a","input":[{"session":"new"}],"expected":[{"ok":true}]}]`: "session/lifecycle",
	} {
		all, err := Read(write(t, "x.json", `{"suite":"session/lifecycle","tests":`+tests+`}`), "")
		if err != nil || all[0].Suite != want {
			t.Errorf("%s: %v, %v", tests, all, err)
		}
	}
}
