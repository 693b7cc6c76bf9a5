package broker

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/capability/web"
	"github.com/fcp-host/fcp-host/printable"
)

// kind is what the host does for wants of one kind.
type kind struct {
	words    func(b *Broker, m *abi.Manifest, w *abi.Want, g *Grant) string // what may happen, in plain words
	usable   func(w *world, want *abi.Want, g *Grant) error                 // why a grant is not usable now; nil if it always is
	withheld bool                                                           // not for clients on other machines, unless the user allows it
}

// kinds has the kinds that can be granted. Others are only displayed.
var kinds map[string]kind

func init() { // avoids an initialization cycle
	kinds = map[string]kind{
		abi.WantHTTP:    {words: (*Broker).httpWords, usable: (*world).usableHTTP, withheld: true},
		abi.WantProgram: {words: (*Broker).programWords, usable: (*world).usableProgram, withheld: true},
		abi.WantFolder:  {words: (*Broker).folderWords},
	}
}

// CarriesAway is part of the description of every want of http.
const CarriesAway = "It can send everything it knows there, including every document that is opened with it."

// maxShown is how many bytes of a text of a plugin or the configuration are displayed.
const maxShown = 300

// Words describes in one line what a want, or a grant of it, allows. The host's words come first; text of the manifest
// is quoted or made printable.
func (b *Broker) Words(m *abi.Manifest, w *abi.Want, g *Grant) string {
	k, ok := kinds[w.Kind]
	if !ok {
		return printableLine(w.Key(), maxShown) + ": of a kind that this host does not know; it is never granted"
	}
	return w.Key() + ": " + k.words(b, m, w, g)
}

func (b *Broker) httpWords(_ *abi.Manifest, w *abi.Want, g *Grant) string {
	var s strings.Builder
	some := "any method"
	if g != nil && len(g.Methods) > 0 {
		some = strings.Join(g.Methods, ", ")
	}
	fmt.Fprintf(&s, "HTTP requests (%s) to ", some)
	origin, names, err := originOf(w, g, b.value)
	base := g.base(w)
	name, path, variable := web.BaseVariable(base)
	if path != "" {
		path = " below " + printableLine(path, 80)
	}
	switch {
	case variable && err == nil:
		fmt.Fprintf(&s, "%s, which %s names%s", origin, name, path)
	case errors.As(err, new(*unset)):
		fmt.Fprintf(&s, "the server that %s names%s, which is not set here", name, path)
	case variable && len(names) > 0:
		fmt.Fprintf(&s, "the server that %s names%s, which is not a usable URL here", name, path)
	case err != nil:
		fmt.Fprintf(&s, "%s, which cannot be used: %s", printableLine(base, maxShown), printableLine(err.Error(), maxShown))
	default:
		s.WriteString(printableLine(base, maxShown))
	}
	for i, h := range w.Headers {
		sep := ", with "
		if i > 0 {
			sep = " and "
		}
		scheme, name, variable := strings.Cut(h.Value, "${")
		if variable {
			name, needless := strings.CutSuffix(strings.TrimSuffix(name, "}"), ":-")
			fmt.Fprintf(&s, "%sthe value of %s in the header %s", sep, printableLine(name, 80), printableLine(strings.TrimSpace(h.Key+" "+scheme), 80))
			if needless {
				s.WriteString(", if it is set")
			}
		} else {
			fmt.Fprintf(&s, "%sthe header %s: %s", sep, printableLine(h.Key, 80), printableLine(h.Value, 80))
		}
	}
	for i, name := range w.Settings {
		sep := "; it receives the value of "
		if i > 0 {
			sep = ", "
		}
		s.WriteString(sep + printableLine(name, 80))
	}
	if len(w.Settings) > 0 {
		s.WriteString(", if set")
	}
	switch {
	case g != nil && g.NoReads, !w.Reads:
		s.WriteString("; not for queries")
	default:
		s.WriteString("; GET and HEAD for queries, too, which a client runs without asking")
	}
	return s.String()
}

func (b *Broker) programWords(_ *abi.Manifest, w *abi.Want, _ *Grant) string {
	s := fmt.Sprintf("runs of the program %s, in a cage without a network, on files that you or the document name", w.Name)
	if w.Reads {
		s += "; without output files for queries, too"
	}
	return s
}

func (b *Broker) folderWords(m *abi.Manifest, w *abi.Want, _ *Grant) string {
	f := m.Folder
	if f == nil {
		return "folders within the roots as documents, which it reads and writes"
	}
	shown := make([]string, len(f.Include))
	for i, p := range f.Include {
		shown[i] = printableLine(p, 80)
	}
	s := fmt.Sprintf("folders within the roots that you open with it: it reads and writes the files that match %s", strings.Join(shown, ", "))
	if f.Marker != "" {
		s += fmt.Sprintf(", where the folder has a %s", printableLine(f.Marker, 80))
	}
	if loud := WideAccess(m); loud != "" {
		s += ". " + loud
	}
	return s
}

// WideAccess describes unusually wide access to a domain's folders, or returns "".
func WideAccess(m *abi.Manifest) string {
	if m.Folder == nil {
		return ""
	}
	var loud []string
	if slices.ContainsFunc(m.Folder.Include, takesAll) {
		loud = append(loud, "its patterns take EVERY file of the folder")
	}
	if m.Folder.Marker == "" {
		loud = append(loud, "it names no marker, so ANY folder within the roots can be opened")
	}
	if len(loud) == 0 {
		return ""
	}
	return "Warning: " + strings.Join(loud, ", and ")
}

// takesAll reports whether a pattern consists of wildcards only.
func takesAll(pattern string) bool { return strings.Trim(pattern, "*/.?") == "" }

// quote returns a plugin's text in quotes, on one line.
func quote(s string) string { return fmt.Sprintf("%q", printableLine(s, 160)) }

// printableLine returns a text as one printable line of at most n bytes.
func printableLine(s string, n int) string {
	return printable.Cut(printable.Line(printable.Cut(s, n)), n)
}
