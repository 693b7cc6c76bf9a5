package judge

import (
	"regexp"
	"slices"
)

// fact is a fact of the original.
type fact struct {
	text  string
	forms []string // that it may have in the result, the preferred one first
}

// compare returns the facts that the result lacks, and those that are new, except for those that may be.
func (s Same) compare(original []fact, result []string) (lost, added []string) {
	except, adds := anyOf(s.Except), anyOf(slices.Concat(s.Except, s.Adds))
	about, known := regexp.MustCompile(s.New), map[string]bool{"": true}
	for _, f := range original {
		known[about.FindString(f.text)] = true
	}
	original = slices.DeleteFunc(original, func(f fact) bool { return except(f.text) })
	if readers()[s.Kind].ordered {
		lost, added = inOrder(original, result)
	} else {
		lost, added = inAnyOrder(original, result)
	}
	return lost, slices.DeleteFunc(added, func(f string) bool { return adds(f) || !known[about.FindString(f)] })
}

// inOrder compares the facts in their order. Of the result it takes the first occurrence of each.
func inOrder(original []fact, result []string) (lost, added []string) {
	at := 0
	for _, f := range original {
		i := slices.IndexFunc(result[at:], func(r string) bool { return slices.Contains(f.forms, r) })
		if i < 0 {
			lost = append(lost, f.text)
			continue
		}
		added = append(added, result[at:at+i]...)
		at += i + 1
	}
	return lost, append(added, result[at:]...)
}

func inAnyOrder(original []fact, result []string) (lost, added []string) {
	have := tally(result)
	for _, f := range original {
		i := slices.IndexFunc(f.forms, func(form string) bool { return have[form] > 0 })
		if i < 0 {
			lost = append(lost, f.text)
			continue
		}
		have[f.forms[i]]--
	}
	for _, r := range result {
		if have[r] > 0 {
			have[r]--
			added = append(added, r)
		}
	}
	return lost, added
}

// tally counts equal facts.
func tally(facts []string) map[string]int {
	n := map[string]int{}
	for _, f := range facts {
		n[f]++
	}
	return n
}

// anyOf returns whether a fact matches one of the patterns.
func anyOf(patterns []string) func(string) bool {
	var res []*regexp.Regexp
	for _, p := range patterns {
		res = append(res, regexp.MustCompile(p))
	}
	return func(f string) bool {
		return slices.ContainsFunc(res, func(re *regexp.Regexp) bool { return re.MatchString(f) })
	}
}
