package deck

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/markdown"
)

// ref is a link to a file of the workspace.
type ref struct {
	path   string // the target
	top    string // for cards: the target if the link is relative to the workspace, as people write it in cards
	anchor string
	text   string // as written
	line   int
}

var scheme = pdk.Regexp(`^([A-Za-z][A-Za-z0-9+.-]*:|//)`)

// linkScan is the result of scanning a text for links, which costs a tenth of parsing its Markdown. It may contain too much, such
// as links in code blocks, but never too little.
type linkScan struct {
	refs  []ref
	vague bool            // some targets are known only from the Markdown
	slugs map[string]bool // of lines that start with #
	code  bool            // some of them may be in a code block
}

func (w *Workspace) scanLinks(name string) *linkScan {
	if s := w.sketches[name]; s != nil {
		return s
	}
	text := string(w.Files.Get(name))
	s := &linkScan{slugs: map[string]bool{}}
	for _, mark := range []string{"](", "]:"} {
		for _, rest := range strings.Split(text, mark)[1:] {
			rest = strings.TrimLeft(rest, " \t")
			to := rest
			if end := strings.IndexAny(rest, " \t\r\n)"); end >= 0 {
				to = rest[:end]
			}
			s.vague = s.vague || to == "" && !strings.HasPrefix(rest, ")") || strings.ContainsAny(to, `<>\&(`)
			if r, ok := w.resolveLink(name, markdown.Link{To: to}); ok {
				s.refs = append(s.refs, r)
			}
		}
	}
	for l := range strings.Lines(text) {
		bare := strings.TrimSpace(l)
		s.code = s.code || strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~") || bare != "" && (strings.HasPrefix(l, "    ") || strings.HasPrefix(l, "\t"))
		if strings.HasPrefix(bare, "#") {
			s.slugs[markdown.Slug(strings.TrimSpace(strings.TrimLeft(bare, "#")))] = true
		}
	}
	w.sketches[name] = s
	return s
}

// linksHold reports whether a scan shows that all links of a file have targets. If it is false, the Markdown must be parsed.
func (w *Workspace) linksHold(name string) bool {
	s := w.scanLinks(name)
	return !s.vague && !slices.ContainsFunc(w.resolveRefs(s.refs), func(r ref) bool { return w.whyDead(r) != "" })
}

// refsOf returns the links of a card or doc to files of the workspace. Links to folders, to hidden files, and out of the workspace
// do not count.
func (w *Workspace) refsOf(name string) []ref {
	return w.resolveRefs(w.linksIn(name))
}

// resolveRefs sets the targets of links among the files that exist now.
func (w *Workspace) resolveRefs(out []ref) []ref {
	for i, r := range out {
		if r.top != "" && !w.Files.Has(r.path) && w.Files.Has(r.top) {
			out = slices.Clone(out)
			out[i].path = r.top
		}
	}
	return out
}

// linksIn returns the links as written, whether their targets exist or not.
func (w *Workspace) linksIn(name string) []ref {
	if out, ok := w.refs[name]; ok {
		return out
	}
	var out []ref
	if s := w.scanLinks(name); s.vague || len(s.refs) > 0 {
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
	if scheme().MatchString(l.To) || l.To == "" {
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

// whyDead says why a link has no target, "" if it has one or that is unknown.
func (w *Workspace) whyDead(r ref) string {
	if !w.Files.Has(r.path) {
		if !strings.EqualFold(path.Ext(r.path), ".md") || hidden(r.path) {
			return "" // other files may exist outside of what the workspace reads
		}
		return "no such file"
	}
	if r.anchor == "" || !isCard(r.path) && !IsDoc(r.path) {
		return ""
	}
	if s := w.scanLinks(r.path); !s.code && s.slugs[strings.ToLower(r.anchor)] {
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

// hidden reports whether a file is in a folder that the workspace does not read.
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
