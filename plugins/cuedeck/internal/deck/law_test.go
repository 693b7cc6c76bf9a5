package deck

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/awkward"
	"pgregory.net/rapid"
)

// keyLine matches the first line of a key in a front matter.
var keyLine = regexp.MustCompile(`^["']?([A-Za-z_][\w.-]*)["']?[ \t]*:`)

// partsOf divides a card without our own reader: the lines of each key of its front matter, and what follows it under "".
func partsOf(text string) map[string]string {
	lines := strings.SplitAfter(text, "\n")
	out := map[string]string{}
	end := slices.IndexFunc(lines[1:], func(l string) bool { return slices.Contains([]string{"---", "..."}, strings.TrimRight(l, " \t\r\n")) }) + 1
	if strings.TrimRight(strings.TrimPrefix(lines[0], "\ufeff"), " \t\r\n") != "---" || end == 0 {
		return map[string]string{"": text}
	}
	key := "---"
	for _, l := range lines[:end] {
		if m := keyLine.FindStringSubmatch(l); m != nil {
			key = m[1]
		}
		out[key] += l
	}
	out[""] = strings.Join(lines[end:], "")
	return out
}

// An op on one card changes only that card's file, and in it only what the op names, and updated. Other cards and docs change only if
// the reply names them.
func TestAnOpChangesOnlyWhatItNames(t *testing.T) {
	const text = ""
	ops := []struct {
		op      string
		changes []string // the keys, "" for the text
	}{
		{"modify %s status:active", []string{"status"}}, {"modify %s priority:low", []string{"priority"}}, {"modify %s assignee:%s", []string{"assignee"}}, {"modify %s tags:x,y", []string{"tags"}},
		{"modify %s depends:aaaaaa", []string{"depends_on"}}, {"modify %s depends:", []string{"depends_on"}}, {"modify %s title:%s", []string{"title", text}}, {"modify %s text:%s", []string{text}},
		{"tag %s +web -db", []string{"tags"}}, {"connect %s -> eeeeee", []string{"depends_on"}}, {"disconnect %s -> aaaaaa", []string{"depends_on"}}, {"note %s %s", []string{text}},
		{"section %s append %s", []string{text}}, {"section %s#Notes set %s", []string{text}}, {"check %s 1", []string{text}}, {"check %s all", []string{text}}, {"archive %s", []string{"status"}},
		{"copy %s", nil}, {"repeat %s count:2", nil}, {"add card %s depends:aaaaaa", nil}, {"add doc docs/new.md text:%s", nil},
		{"remove %s", []string{"---", "title", "status", text}}, {"modify @status:todo priority:high", []string{"priority"}}, {"tag @ready +now", []string{"tags"}},
	}
	rapid.Check(t, func(rt *rapid.T) {
		g := &gen{Draw: soak.Draw{T: rt}}
		g.r = rand.New(rand.NewPCG(uint64(g.Num("seed", 0, 1<<30)), 2))
		doc := pdktest.OpenFolder(t, Domain(), awkwardProject(g.r), world())
		var ids []string
		for name := range doc.Files() {
			if isCard(name) {
				ids = append(ids, idOf(name))
			}
		}
		slices.Sort(ids)
		for range g.Num("ops", 1, 4) {
			before := doc.Files()
			o := ops[g.Num("op", 0, len(ops)-1)]
			id := ids[g.Num("card", 0, len(ids)-1)]
			op := strings.Replace(strings.Replace(o.op, "%s", fmt.Sprintf("%q", id), 1), "%s", fmt.Sprintf("%q", strings.Join(strings.Fields(awkward.Word(g.r)), " ")), 1)
			reply, ok := doc.Try(op)
			after := doc.Files()
			for name, was := range before {
				now, there := after[name]
				if there && now == was {
					continue
				}
				if !ok {
					rt.Fatalf("%s is refused and changes %s", op, name)
				}
				if named := idOf(name) == id || strings.Contains(reply, idOf(name)); !named || o.changes == nil {
					rt.Fatalf("%s\n%s\nchanges %s, which neither names:\n%s\n%s", op, reply, name, was, now)
				}
				if !there {
					continue // removed
				}
				old, is := partsOf(was), partsOf(now)
				for key := range old {
					if key == "" && len(old) == 1 && strings.HasSuffix(now, was) {
						continue // it has a front matter now
					}
					if old[key] != is[key] && key != "updated" && key != "---" && !slices.Contains(o.changes, key) && !(strings.HasPrefix(op, "remove") && key == "depends_on") {
						rt.Fatalf("%s\n%s\nchanges %q of %s:\n%s\n%s", op, reply, key, name, was, now)
					}
				}
			}
		}
	})
}

func TestNoVerbOrQueryIgnoresAParameter(t *testing.T) {
	doc := workspace(t)
	for _, v := range Domain().Verbs {
		for _, example := range v.Examples {
			doc.Fail(example+" bogus:1", "bogus")
		}
	}
	for _, q := range Domain().Queries {
		if q.Takes == nil {
			t.Errorf("%s: the manifest does not say what it takes", q.Name)
		}
	}
}
