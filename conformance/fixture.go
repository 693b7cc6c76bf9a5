package conformance

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed fixtures
var embedded embed.FS

// Fixture is one file of tests.
type Fixture struct {
	Suite       string `json:"suite"`
	Version     string `json:"version"`
	Description string `json:"description"`
	Spec        string `json:"spec"`
	Tests       []Case `json:"tests"`
	ErrorTests  []Case `json:"error_tests"` // inputs that must be refused

	// File is the fixture's path.
	File string `json:"-"`
	// Err is why this file of a folder could not be read.
	Err error `json:"-"`
}

// Case is one test.
type Case struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input"`
	Expected    json.RawMessage `json:"expected"`
	// ExpectedError is true, a text that the error must contain, or an object to compare with the error.
	ExpectedError json.RawMessage `json:"expected_error"`
	// Operations and Assertions replace Input and Expected in suites for an event log.
	Operations json.RawMessage `json:"operations"`
	Assertions json.RawMessage `json:"assertions"`
	// Rules are a domain's additions to the grammar.
	Rules *Rules `json:"rules"`
}

// Rules are a domain's additions to the grammar, as in its manifest.
type Rules struct {
	Positionals []string          `json:"positionals"` // RE2 patterns of whole tokens
	Blocks      map[string]string `json:"blocks"`      // verb → the line that ends its block
}

// Suites lists the suites of this package, in the order of the protocol.
func Suites() []string {
	return []string{
		"grammar/tokenizer", "grammar/classifier", "grammar/parsed-op",
		"session/commands", "session/lifecycle",
		"events/cursor", "events/checkpoint",
		"batch/atomicity", "batch/then", "references/cascade", "replies/format",
	}
}

// StepSuites lists the suites whose tests are steps for a running server.
func StepSuites() []string { return []string{"session/lifecycle", "batch/atomicity", "batch/then"} }

// spellings maps other names of suites, in file names and in others' fixtures, to ours.
func spellings() map[string]string {
	return map[string]string{
		"grammar": "grammar/parsed-op", "parse-op": "grammar/parsed-op", "parsed-op": "grammar/parsed-op",
		"parse_op": "grammar/parsed-op", "parsedop": "grammar/parsed-op", "parse": "grammar/parsed-op",
		"grammar/parse-op": "grammar/parsed-op", "grammar/parser": "grammar/parsed-op",
		"tokenizer": "grammar/tokenizer", "tokenize": "grammar/tokenizer", "tokens": "grammar/tokenizer",
		"classifier": "grammar/classifier", "classify": "grammar/classifier",
		"session": "session/commands", "commands": "session/commands",
		"lifecycle": "session/lifecycle",
		"event-log": "events/cursor", "event_log": "events/cursor", "eventlog": "events/cursor",
		"events": "events/cursor", "events/log": "events/cursor", "cursor": "events/cursor",
		"checkpoint": "events/checkpoint", "checkpoints": "events/checkpoint",
		"batch": "batch/atomicity", "atomicity": "batch/atomicity", "then": "batch/then",
		"references": "references/cascade", "cascade": "references/cascade",
		"replies": "replies/format", "format": "replies/format",
	}
}

// SuiteName returns the suite with this name or short form ("tokenizer", "event-log"), or "".
func SuiteName(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if slices.Contains(Suites(), name) {
		return name
	}
	return spellings()[name]
}

// Builtin returns the fixtures of this package in the order of Suites.
func Builtin() []Fixture {
	var all []Fixture
	for _, suite := range Suites() {
		f, err := Suite(suite)
		if err != nil {
			panic(err) // embedded, and read by a test
		}
		all = append(all, f)
	}
	return all
}

// Suite returns the embedded fixture of that name.
func Suite(name string) (Fixture, error) {
	file := "fixtures/" + name + ".json"
	data, err := embedded.ReadFile(file)
	if err != nil {
		return Fixture{}, fmt.Errorf("no suite %q; there are %s", name, strings.Join(Suites(), ", "))
	}
	return parse(data, file, "")
}

// Read reads the fixture file at path, or every .json file below it. suite is the suite of files that do not name one;
// without it, their file names decide, such as tokenizer.json or event-log.json. An unreadable file in a folder becomes
// a fixture with Err set, so that one mistake does not hide others; if path itself is the file, Read returns the error.
func Read(path, suite string) ([]Fixture, error) {
	if suite != "" && SuiteName(suite) == "" {
		return nil, fmt.Errorf("no suite %q; there are %s", suite, strings.Join(Suites(), ", "))
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		f, err := readFile(path, suite)
		if err != nil {
			return nil, err
		}
		return []Fixture{f}, nil
	}
	var all []Fixture
	err = filepath.WalkDir(path, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.EqualFold(filepath.Ext(file), ".json") {
			return err
		}
		f, err := readFile(file, suite)
		if err != nil {
			f = Fixture{File: file, Err: err}
		}
		all = append(all, f)
		return nil
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s contains no .json file", path)
	}
	return all, err
}

func readFile(path, suite string) (Fixture, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Fixture{}, err
	}
	return parse(data, path, suite)
}

func parse(data []byte, file, suite string) (Fixture, error) {
	f := Fixture{File: file}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors write a byte order mark
	if err := json.Unmarshal(data, &f); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			where := "the file"
			if wrong.Field != "" {
				where = wrong.Field
			}
			return f, fmt.Errorf("%s: not a fixture: %s contains %s, which is not allowed there", file, where, wrong.Value)
		}
		return f, fmt.Errorf("%s: not a fixture: %w", file, err)
	}
	if len(f.Tests)+len(f.ErrorTests) == 0 {
		return f, fmt.Errorf("%s: not a fixture: it has no tests and no error_tests", file)
	}
	for kind, cases := range map[string][]Case{"test": f.Tests, "error test": f.ErrorTests} {
		for i := range cases {
			if cases[i].Name == "" {
				cases[i].Name = fmt.Sprintf("%s %d", kind, i+1)
			}
		}
	}
	name, err := f.suite(suite)
	if err != nil {
		return f, err
	}
	// The suite "commands" tests what actions mean; steps test what a server does.
	if name == "session/lifecycle" && f.ofTexts() {
		name = "session/commands"
	}
	f.Suite = name
	return f, nil
}

// ofTexts reports whether the input of every test is a single text.
func (f *Fixture) ofTexts() bool {
	all := true
	f.Each(func(c *Case, _ bool) {
		all = all && bytes.HasPrefix(bytes.TrimSpace(c.input()), []byte(`"`))
	})
	return all
}

// suite determines the fixture's suite: by its own field, then the caller's, then the file name, then the form of its
// tests.
func (f *Fixture) suite(given string) (string, error) {
	if f.Suite != "" {
		if name := SuiteName(f.Suite); name != "" {
			return name, nil
		}
		if given == "" {
			return "", fmt.Errorf("%s: unknown suite %q: name one with --suite; there are %s", f.File, f.Suite, strings.Join(Suites(), ", "))
		}
	}
	if given != "" {
		return SuiteName(given), nil
	}
	base := filepath.Base(f.File)
	if name := SuiteName(strings.TrimSuffix(base, filepath.Ext(base))); name != "" {
		return name, nil
	}
	for _, c := range f.Tests {
		if c.Operations != nil {
			return "events/cursor", nil
		}
	}
	return "", errors.New(f.File + ": it does not name its suite: name one with --suite; there are " + strings.Join(Suites(), ", "))
}

// input returns the test's input, or its operations.
func (c *Case) input() json.RawMessage {
	if c.Operations != nil {
		return c.Operations
	}
	return c.Input
}

// expected returns the expected output; nil if there is none.
func (c *Case) expected() json.RawMessage {
	if c.Assertions != nil {
		return c.Assertions
	}
	return c.Expected
}
