package deck

import (
	"bytes"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/markdown"
)

// ref is a link to a file of the workspace.
type ref struct {
	path   string // of the file it leads to
	top    string // of a card's: of the file if the link is read from the top of the workspace, as people write it in cards
	anchor string
	text   string // as written
	line   int
}

var scheme = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*:|//)`)

// mayLink reports whether a text may hold links: a workspace is of megabytes, most of them without.
func mayLink(text []byte) bool {
	return bytes.Contains(text, []byte("](")) || bytes.Contains(text, []byte("]:"))
}

// refsOf are the links of a card or doc to files of the workspace, as far as that can be told: those to folders, to hidden
// files, and out of the workspace are none.
func (w *Workspace) refsOf(name string) []ref {
	out := w.written(name)
	for i, r := range out {
		if r.top != "" && !w.Files.Has(r.path) && w.Files.Has(r.top) {
			out = slices.Clone(out)
			out[i].path = r.top
		}
	}
	return out
}

// written are the links as they are written, whatever files there are.
func (w *Workspace) written(name string) []ref {
	if out, ok := w.refs[name]; ok {
		return out
	}
	var out []ref
	if mayLink(w.Files.Get(name)) {
		for _, l := range w.Text(name).Links {
			if r, ok := w.resolveLink(name, l); ok {
				out = append(out, r)
			}
		}
	}
	w.refs[name] = out
	return out
}

func (w *Workspace) resolveLink(from string, l markdown.Link) (ref, bool) {
	if scheme.MatchString(l.To) || l.To == "" {
		return ref{}, false
	}
	to, anchor, _ := strings.Cut(l.To, "#")
	to, _, _ = strings.Cut(to, "?")
	if plain, err := url.PathUnescape(to); err == nil {
		to = plain
	}
	if plain, err := url.PathUnescape(anchor); err == nil {
		anchor = plain
	}
	top := ""
	switch {
	case to == "":
		to = from
	case strings.HasPrefix(to, "/"):
		to = path.Clean(strings.TrimLeft(to, "/"))
	default:
		if isCard(from) {
			top = path.Clean(to)
		}
		to = path.Join(path.Dir(from), to)
	}
	if to == ".." || strings.HasPrefix(to, "../") || to == "." {
		return ref{}, false
	}
	return ref{path: to, top: top, anchor: anchor, text: l.To, line: l.Line}, true
}

// broken says why a link leads nowhere, "" where it leads somewhere or that cannot be told.
func (w *Workspace) broken(r ref) string {
	if !w.Files.Has(r.path) {
		if !strings.EqualFold(path.Ext(r.path), ".md") || hidden(r.path) {
			return "" // only Markdown is known to be in the workspace where it is there
		}
		return "no such file"
	}
	if r.anchor == "" || !isCard(r.path) && !IsDoc(r.path) {
		return ""
	}
	for _, h := range w.Text(r.path).Headings {
		if h.Slug == strings.ToLower(r.anchor) {
			return ""
		}
	}
	text := string(w.Files.Get(r.path))
	if strings.Contains(text, `name="`+r.anchor+`"`) || strings.Contains(text, `id="`+r.anchor+`"`) || strings.Contains(text, "{#"+r.anchor+"}") {
		return ""
	}
	return "no such heading"
}

// hidden reports whether a file lies where the workspace does not look.
func hidden(name string) bool {
	for i, e := range strings.Split(name, "/") {
		if strings.HasPrefix(e, ".") && (i > 0 || e != Marker) {
			return true
		}
		for _, x := range excluded {
			if strings.TrimPrefix(x, "**/") == e {
				return true
			}
		}
	}
	return false
}
