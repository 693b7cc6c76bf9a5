package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/deck"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/markdown"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/search"
	"golang.org/x/text/unicode/norm"
)

type contextArgs struct {
	Query    string
	Limit    *int
	Mode     string
	Semantic bool
	Filters  struct {
		Tags               []string
		Priority, Assignee string
	}
}

type contextHit struct {
	Path    string   `json:"path"`
	Hash    string   `json:"hash"`
	Tokens  int      `json:"tokens"`
	Anchors []string `json:"anchors"`
	Ranker  string   `json:"ranker"`
}

func readContext(c *ctx, a contextArgs) (any, error) {
	q := search.Query{Text: a.Query, Limit: 5, Mode: search.Hybrid, Tags: a.Filters.Tags, Priority: a.Filters.Priority, Assignee: a.Filters.Assignee}
	switch {
	case a.Mode != "":
		q.Mode = search.Mode(a.Mode)
	case a.Semantic:
		q.Mode = search.Semantic
	}
	if a.Limit != nil {
		q.Limit = *a.Limit
	}
	if strings.TrimSpace(a.Query) == "" {
		return nil, invalid("query", "it holds nothing but blanks")
	}
	w := c.Model
	out := []contextHit{}
	for _, h := range w.Search(q) {
		out = append(out, contextHit{h.Path, w.Hash(h.Path), deck.Tokens(len(w.Files.Get(h.Path))), search.Top(w.Anchors(h.Path), a.Query, 3), q.Mode.Ranker()})
	}
	if len(out) == 0 {
		c.Warn("nothing was found (ranker: %s)", q.Mode.Ranker())
	}
	return out, nil
}

type docArgs struct{ Path, Anchor string }

type lineRange struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

type doc struct {
	Path    string     `json:"path"`
	Content string     `json:"content"`
	Anchor  *string    `json:"anchor"`
	Tokens  int        `json:"tokens"`
	Hash    string     `json:"hash"`
	Cached  bool       `json:"cached"`
	Lines   *lineRange `json:"line_range"`
}

func readDoc(c *ctx, a docArgs) (any, error) {
	w := c.Model
	name, err := locate(w, a.Path)
	if err != nil {
		return nil, err
	}
	text, hash, lines := string(w.Files.Get(name)), w.Hash(name), (*lineRange)(nil)
	if a.Anchor != "" {
		h, err := heading(w, name, a.Anchor)
		if err != nil {
			suggestion := err.Error()
			if near := pdk.Nearest(a.Anchor, w.Anchors(name)); len(near) > 0 {
				suggestion = didYouMean(near...)
			}
			return nil, notFound(name+"#"+a.Anchor, "AnchorNotFound", suggestion)
		}
		text, lines = text[h.From:h.To], &lineRange{h.First, h.Last}
		sum := sha256.Sum256([]byte(text))
		hash = hex.EncodeToString(sum[:])
	}
	if size, limit := deck.Tokens(len(text)), w.Settings().Scene.TokenLimit; size > limit {
		action := "Nothing was read: give an anchor, or raise scene.token_limit in " + deck.Config
		if top := search.Top(w.Anchors(name), "", 5); len(top) > 0 {
			action += ". Anchors: " + strings.Join(top, ", ")
		}
		return nil, refuse(tokenLimit, "Token Limit Exceeded", struct {
			Size   int    `json:"current_size"`
			Limit  int    `json:"limit"`
			Action string `json:"action"`
		}{size, limit, action})
	}
	return doc{Path: name, Content: strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")), Anchor: orNull(a.Anchor), Tokens: deck.Tokens(len(text)), Hash: hash,
		Cached: w.MarkRead(name), Lines: lines}, nil
}

// heading finds a heading even if its Unicode form differs from the anchor's.
func heading(w *deck.Workspace, name, anchor string) (h *markdown.Heading, err error) {
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		if h, err := w.Heading(name, form.String(anchor)); err == nil {
			return h, nil
		}
	}
	return w.Heading(name, anchor)
}

// locate finds a document by its path. Only the paths of known files count, so that no path leads out of the workspace. Files in
// the folder .cuedeck are found without its name, as the contract's paths cannot start with a dot.
func locate(w *deck.Workspace, asked string) (string, error) {
	clean := path.Clean(asked)
	for _, name := range []string{clean, deck.Marker + "/" + clean} {
		if !path.IsAbs(asked) && !strings.HasPrefix(clean, "../") && w.Files.Has(name) && strings.EqualFold(path.Ext(name), ".md") {
			return name, nil
		}
	}
	var all []string
	for _, k := range w.Cards() {
		all = append(all, strings.TrimPrefix(k.Path, deck.Marker+"/"))
	}
	all = append(all, w.Docs()...)
	near := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !strings.EqualFold(name, clean) })
	if len(near) == 0 {
		near = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !strings.EqualFold(path.Base(name), path.Base(clean)) })
	}
	if len(near) == 0 {
		near = pdk.Nearest(clean, all)
	}
	if len(near) == 0 {
		near = onlyDocIn(all, path.Dir(clean))
	}
	suggestion := "read_context finds files by their content"
	if len(near) > 0 {
		suggestion = didYouMean(near[:min(len(near), 3)]...)
	}
	return "", notFound(asked, "", suggestion)
}

// onlyDocIn returns the only document in a folder, nil if there are several.
func onlyDocIn(all []string, dir string) []string {
	in := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return path.Dir(name) != dir })
	if len(in) != 1 {
		return nil
	}
	return in
}
