// Package judge decides about the files that a model leaves: whether what was asked for is there, and whether everything else is unchanged.
// It shares no code with the domains that edit these files.
//
// A reader turns a file into facts, one line each, such as `track 1 bar 9 tick 15360 channel 1 note 60 for 240 velocity 80`. Cards say with
// regular expressions which facts there must be, and which may have changed.
package judge

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Judge is the part of a card that judges the result.
type Judge struct {
	Done []Done `toml:"done"`
	Same []Same `toml:"same"`
}

// Done describes what a file of the result must contain.
type Done struct {
	File  string         `toml:"file"` // a path.Match pattern; one of the files must comply
	Kind  string         `toml:"kind"` // of reader
	Has   []string       `toml:"has"`  // each matches at least one fact
	Lacks []string       `toml:"lacks"`
	Count map[string]int `toml:"count"` // how many facts match

	// Each fact of the original file that matches Was is in the result as Becomes, a template for regexp.Expand; or, if Plus is not 0, with
	// that added to the number that the first group matches.
	Was     string `toml:"was"`
	Becomes string `toml:"becomes"`
	Plus    int    `toml:"plus"`
}

// Same describes how files of the original may have changed, beside what Was and Becomes say. Other files must have the same bytes.
type Same struct {
	File   string   `toml:"file"` // a path.Match pattern
	Kind   string   `toml:"kind"`
	Except []string `toml:"except"` // facts that do not count, before and after
	Adds   []string `toml:"adds"`   // facts that may be new
	// New is a pattern for what a fact is about. Facts about what the original does not have may be new.
	New string `toml:"new"`
}

// Verdict is about the result of one run.
type Verdict struct {
	Done, Faithful bool
	Why            []string // why it is not
}

// reader turns a file into facts. If their order means nothing, ordered is false.
type reader struct {
	facts   func(data []byte) ([]string, error)
	ordered bool
}

// readers returns the kinds of readers.
func readers() map[string]reader {
	return map[string]reader{
		"text":     {textFacts, true},
		"xml":      {xmlFacts, true},
		"diagram":  {diagramFacts, true},
		"layout":   {layoutFacts, false},
		"shapes":   {shapesFacts, true},
		"tempo":    {tempoFacts, true},
		"json":     {jsonFacts, true},
		"yaml":     {yamlFacts, true},
		"markdown": {markdownFacts, true},
		"notes":    {notesFacts, false},
		"timeline": {timelineFacts, false},
	}
}

// Facts returns the facts of a file, for authors of cards.
func Facts(kind string, data []byte) ([]string, error) {
	r, ok := readers()[kind]
	if !ok {
		return nil, fmt.Errorf("unknown kind %q; there are %s", kind, strings.Join(slices.Sorted(maps.Keys(readers())), ", "))
	}
	return r.facts(data)
}

// Check reports mistakes in the judge of a card with these files.
func (j Judge) Check(files map[string][]byte) error {
	if len(j.Done) == 0 {
		return errors.New("it has no [[done]]")
	}
	for _, d := range j.Done {
		if err := check(d.File, d.Kind, slices.Concat(d.Has, d.Lacks, slices.Collect(maps.Keys(d.Count)), []string{d.Was})); err != nil {
			return err
		}
		if len(d.Has)+len(d.Lacks)+len(d.Count)+len(d.Was) == 0 {
			return fmt.Errorf("the [[done]] of %s asks for nothing", d.File)
		}
		if d.Was == "" {
			continue
		}
		facts, err := Facts(d.Kind, files[d.File])
		if err != nil {
			return fmt.Errorf("%s: %w", d.File, err)
		}
		if !slices.ContainsFunc(facts, regexp.MustCompile(d.Was).MatchString) {
			return fmt.Errorf("no fact of %s matches was = %q", d.File, d.Was)
		}
	}
	for _, s := range j.Same {
		if err := check(s.File, s.Kind, slices.Concat(s.Except, s.Adds, []string{s.New})); err != nil {
			return err
		}
		for _, name := range matching(s.File, files) {
			if _, err := Facts(s.Kind, files[name]); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

func check(file, kind string, patterns []string) error {
	if _, err := path.Match(file, ""); err != nil || file == "" {
		return fmt.Errorf("file = %q is no pattern of files", file)
	}
	if _, ok := readers()[kind]; !ok {
		_, err := Facts(kind, nil)
		return err
	}
	for _, p := range patterns {
		if _, err := regexp.Compile(p); err != nil {
			return err
		}
	}
	return nil
}

// matching lists the files that match a pattern.
func matching(pattern string, files map[string][]byte) (names []string) {
	for name := range files {
		if ok, _ := path.Match(pattern, name); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Verdict judges the files after a run.
func (j Judge) Verdict(before, after map[string][]byte) Verdict {
	v := Verdict{Done: true, Faithful: true}
	rewritten := map[string]bool{} // by file, whether what Was describes is done
	for _, d := range j.Done {
		why := d.missing(before, after)
		if why != "" {
			v.Done = false
			v.Why = append(v.Why, "not done: "+why)
		}
		if d.Was != "" {
			earlier, ok := rewritten[d.File]
			rewritten[d.File] = why == "" && (earlier || !ok)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if why := j.changed(name, before[name], after, rewritten[name]); why != "" {
			v.Faithful = false
			v.Why = append(v.Why, "not faithful: "+why)
		}
	}
	return v
}

// missing says what is not there, or "".
func (d Done) missing(before, after map[string][]byte) (why string) {
	names := matching(d.File, after)
	if len(names) == 0 {
		return "there is no " + d.File
	}
	for _, name := range names {
		facts, err := Facts(d.Kind, after[name])
		if err != nil {
			why = fmt.Sprintf("%s: %v", name, err)
		} else if lack := d.lack(before[d.File], facts); lack == "" {
			return ""
		} else {
			why = name + lack
		}
	}
	if len(names) > 1 {
		return fmt.Sprintf("no %s is as asked; the last one, %s", d.File, why)
	}
	return why
}

// lack says what a file with these facts lacks.
func (d Done) lack(original []byte, facts []string) string {
	count := func(pattern string) (n int) {
		re := regexp.MustCompile(pattern)
		for _, f := range facts {
			if re.MatchString(f) {
				n++
			}
		}
		return n
	}
	for _, p := range d.Has {
		if count(p) == 0 {
			return fmt.Sprintf(" has no fact that matches %q", p)
		}
	}
	for _, p := range d.Lacks {
		if count(p) > 0 {
			return fmt.Sprintf(" has a fact that matches %q", p)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(d.Count)) {
		if n := count(p); n != d.Count[p] {
			return fmt.Sprintf(" has %d facts that match %q, not %d", n, p, d.Count[p])
		}
	}
	if d.Was == "" {
		return ""
	}
	have := tally(facts)
	was, _ := Facts(d.Kind, original) // Check has read it
	for _, f := range was {
		if to := d.rewrite(f); regexp.MustCompile(d.Was).MatchString(f) {
			if have[to]--; have[to] < 0 {
				return fmt.Sprintf(" lacks %q, which was %q", to, f)
			}
		}
	}
	return ""
}

// rewrite returns a fact of the original as it is to become.
func (d Done) rewrite(fact string) string {
	re := regexp.MustCompile(d.Was)
	at := re.FindStringSubmatchIndex(fact)
	if at == nil || d.Was == "" {
		return fact
	}
	if d.Plus == 0 {
		return re.ReplaceAllString(fact, d.Becomes)
	}
	if len(at) < 4 || at[2] < 0 {
		return fact
	}
	n, _ := strconv.Atoi(fact[at[2]:at[3]])
	return fact[:at[2]] + strconv.Itoa(n+d.Plus) + fact[at[3]:]
}

// changed says what has changed in a file of the original that may not, or "". rewritten is whether all of it that should be rewritten is.
func (j Judge) changed(name string, before []byte, after map[string][]byte, rewritten bool) string {
	now, ok := after[name]
	if !ok {
		return name + " is gone"
	}
	if bytes.Equal(before, now) {
		return ""
	}
	named := false
	for _, s := range j.Same {
		if ok, _ := path.Match(s.File, name); !ok {
			continue
		}
		named = true
		was, err := Facts(s.Kind, before)
		is, err2 := Facts(s.Kind, now)
		if err != nil || err2 != nil {
			return fmt.Sprintf("%s: %v", name, err2)
		}
		original := make([]fact, 0, len(was))
		for _, f := range was {
			original = append(original, j.fact(name, s, f, rewritten))
		}
		if lost, added := s.compare(original, is); len(lost)+len(added) > 0 {
			return name + some(" lost", lost) + some(" got", added)
		}
	}
	if !named {
		return name + " has other bytes"
	}
	return ""
}

// fact returns a fact of the original with the forms that it may have in the result.
func (j Judge) fact(name string, s Same, text string, rewritten bool) fact {
	to := text
	for _, d := range j.Done {
		if ok, _ := path.Match(d.File, name); ok && d.Kind == s.Kind {
			to = d.rewrite(to)
		}
	}
	if rewritten {
		return fact{text, []string{to}}
	}
	return fact{text, []string{text, to}}
}

// some lists facts for a reader, the first few of them.
func some(title string, facts []string) string {
	const most = 3
	if len(facts) == 0 {
		return ""
	}
	out := fmt.Sprintf("%s %d facts:", title, len(facts))
	for _, f := range facts[:min(most, len(facts))] {
		out += fmt.Sprintf(" %.160q", f)
	}
	return out
}
