package deck

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/scene"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/search"
)

// mask returns the mask for scenes, and the invalid patterns of the settings.
func (w *Workspace) mask() (m scene.Mask, wrong []string) {
	m, bad := scene.NewMask(w.Settings().Security.SecretPatterns)
	text := string(w.Files.Get(Config))
	for _, b := range bad {
		at := max(0, strings.Index(text, "secret_patterns"))
		for _, form := range []string{b.Pattern, strings.Trim(quoted(b.Pattern), `"`)} { // as it is printed in either kind of quotes
			if i := strings.Index(text[at:], form); i >= 0 {
				at += i
				break
			}
		}
		wrong = append(wrong, fmt.Sprintf("%s line %d: the secret pattern %s %s", Config, 1+strings.Count(text[:at], "\n"), quoted(pdk.Line(b.Pattern, 100)), b.Why))
	}
	return m, wrong
}

// scene builds the scene within a number of tokens; 0 means the limit of the settings. It fails if a pattern of the settings' mask
// is invalid.
func (w *Workspace) scene(limit int) (scene.Scene, error) {
	if limit == 0 {
		limit = w.Settings().Scene.TokenLimit
	}
	mask, wrong := w.mask()
	if w.Settings().unreadable {
		wrong = []string{pdk.Line(w.Settings().Wrong.Error(), 200)}
	}
	if len(wrong) > 0 {
		return scene.Scene{}, fmt.Errorf("no scene is built, because it would show what your settings mask: %s: fix or remove that line, then ask again", strings.Join(wrong, "; "))
	}
	in := scene.Input{Name: w.Name(), Limit: limit, Mask: mask}
	for _, k := range readable(w) {
		c := scene.Card{ID: k.ID, Path: k.Path, Title: k.Title, Status: k.Status, Priority: k.Priority, Assignee: k.Assignee, Tags: k.Tags, DependsOn: k.DependsOn, Body: k.Text[w.textStart(k.Path):]}
		for _, r := range w.refsOf(k.Path) {
			if IsDoc(r.path) {
				c.Links = append(c.Links, r.path)
			}
		}
		in.Cards = append(in.Cards, c)
	}
	for _, name := range w.Docs() {
		in.Docs = append(in.Docs, scene.Doc{Path: name, Text: string(w.Files.Get(name))})
	}
	return scene.Build(in)
}

// Name returns the workspace's name: that of the settings, or the first heading of its README.
func (w *Workspace) Name() string {
	if name := w.Settings().Name; name != "" {
		return name
	}
	const readme = "README.md"
	if w.Files.Has(readme) && len(w.Text(readme).Headings) > 0 {
		return w.Text(readme).Headings[0].Text
	}
	return "the workspace"
}

// flagLimit has the name of the command line's flag.
var (
	limit     = value.Key[int]{Name: "limit", Type: value.Int(1, 1_000_000)}
	flagLimit = value.Key[int]{Name: "token-limit", Type: value.Int(1, 1_000_000)}
)

func sceneQuery() query {
	return query{Keys: []pdk.Parameter{limit, flagLimit}, Query: abi.Query{Syntax: "scene [limit:TOKENS]", Summary: "one text of the active cards, their dependencies and the next cards, within a limit and without secrets"}, Run: func(v *view, a pdk.Args) (abi.QueryResponse, error) {
		s, err := v.Model.scene(cmp.Or(limit.Of(a), flagLimit.Of(a)))
		if err != nil {
			return abi.QueryResponse{}, pdk.Errorf("%v", err)
		}
		return pagedAnswer(v, s.Text), nil
	}}
}

// pagedAnswer answers with a text, one page at a time.
func pagedAnswer(v *view, text string) abi.QueryResponse {
	p := v.Page()
	for l := range strings.Lines(text) {
		p.Line(func(b []byte) []byte { return append(b, strings.TrimRight(l, "\r\n")...) })
	}
	return p.Answer(0)
}

var most = value.Key[int]{Name: "limit", Type: value.Int(1, 200), Default: 10}

func findQuery() query {
	return query{Keys: []pdk.Parameter{most}, Query: abi.Query{Syntax: "find TEXT… [limit:N]", Brief: "find TEXT [limit:N]", Summary: "cards, docs and sources by their words, the best first"}, Run: find}
}

func find(v *view, a pdk.Args) (abi.QueryResponse, error) {
	w := v.Model
	text := strings.Join(a.Texts(0), " ")
	if strings.TrimSpace(text) == "" {
		return abi.QueryResponse{}, pdk.Errorf("find needs a text")
	}
	limit := most.Of(a)
	hits := w.Search(search.Query{Text: text, Mode: search.Hybrid, Limit: limit})
	p := v.Page()
	say := func(s string) { p.Line(func(b []byte) []byte { return append(b, s...) }) }
	if len(hits) == 0 {
		say("nothing has " + quoted(pdk.Line(text, 80)))
	}
	words := strings.Fields(strings.ToLower(text))
	for _, h := range hits {
		data := string(w.Files.Get(h.Path))
		head, from := fmt.Sprintf("%s %dt", pdk.Quote(h.Path), Tokens(len(data))), 0
		if k := w.byPath[h.Path]; k != nil {
			head = w.cardLine(k)
			if k.Card != nil {
				from = w.textStart(k.Path) // the title is printed anyway
			}
		}
		say(head)
		if n, l := bestLine(data[from:], words); n > 0 {
			say(fmt.Sprintf("  line %d: %s", n+strings.Count(data[:from], "\n"), pdk.Line(l, 120)))
		}
	}
	return p.Answer(0), nil
}

// bestLine finds the first line with the most words of the query.
func bestLine(text string, words []string) (n int, found string) {
	best, at := 0, 0
	for l := range strings.Lines(text) {
		at++
		low, has := strings.ToLower(l), 0
		for _, word := range words {
			if strings.Contains(low, word) {
				has++
			}
		}
		if has > best {
			best, n, found = has, at, l
		}
	}
	return n, found
}
