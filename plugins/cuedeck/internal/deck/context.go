package deck

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
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
		wrong = append(wrong, fmt.Sprintf("%s line %d: the secret pattern %s %s", Config, 1+strings.Count(text[:at], "\n"), quoted(line(b.Pattern, 100)), b.Why))
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
		wrong = []string{line(w.Settings().Wrong.Error(), 200)}
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

func sceneQuery() query {
	return query{Query: abi.Query{Name: "scene", Syntax: "scene [limit:TOKENS]", Summary: "one text of the active cards, their dependencies and the next cards, within a limit and without secrets", Takes: &abi.Takes{Params: []abi.Param{{Key: "limit", Value: "TOKENS"}, {Key: "token-limit", Value: "TOKENS"}}}}, Run: func(v *view, a pdk.Args) (abi.QueryResponse, error) {
		limit, err := a.Int("limit", 0, 1, 1_000_000)
		if err == nil && limit == 0 {
			limit, err = a.Int("token-limit", 0, 1, 1_000_000) // the name of the command line's flag
		}
		if err != nil {
			return abi.QueryResponse{}, err
		}
		s, err := v.Model.scene(limit)
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

func findQuery() query {
	return query{Query: abi.Query{Name: "find", Syntax: "find TEXT [limit:N]", Summary: "cards, docs and sources by their words, the best first", Takes: &abi.Takes{Min: 1, Max: -1, Params: []abi.Param{{Key: "limit", Value: "N"}}}}, Run: find}
}

func find(v *view, a pdk.Args) (abi.QueryResponse, error) {
	w := v.Model
	text := strings.Join(a.Texts(0), " ")
	if strings.TrimSpace(text) == "" {
		return abi.QueryResponse{}, pdk.Errorf("find needs a text")
	}
	limit, err := a.Int("limit", 10, 1, 200)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	hits := w.Search(search.Query{Text: text, Mode: search.Hybrid, Limit: limit})
	p := v.Page()
	say := func(s string) { p.Line(func(b []byte) []byte { return append(b, s...) }) }
	if len(hits) == 0 {
		say("nothing has " + quoted(line(text, 80)))
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
			say(fmt.Sprintf("  line %d: %s", n+strings.Count(data[:from], "\n"), line(l, 120)))
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
