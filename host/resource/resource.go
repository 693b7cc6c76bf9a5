// Package resource fetches what words of a call name outside of the sandbox, before the domain is called: the bytes of
// a file, ffprobe's description of one, the body of a GET, another open document. A domain's manifest says which words
// may.
package resource

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
)

// A Fetcher fetches resources for one client's calls on documents of one domain.
type Fetcher struct {
	Domain *domain.Domain
	Roots  *files.Roots // where files are looked up
	Probes *Probes      // caches what ffprobe found; may be nil
	// Document finds another open document of the same client and domain; nil if there is none of that name. The
	// function that it returns gives the document's bytes as `save` would write them.
	Document func(name string) func(context.Context) ([]byte, error)
}

// A Resolved is what a Word turned out to be.
type Resolved struct {
	Word
	Supply *abi.Supply // nil if the word names no resource: the domain interprets it
	Path   string      // of a file; resolved
	No     *abi.Error  // if set, the op cannot run
	Near   []string    // replacements, if the word names no file
}

// Names reports whether the word was resolved to a file.
func (t *Resolved) Names() bool { return t.Supply != nil && t.Path != "" && t.No == nil }

// Saved holds the bytes of the documents that words name, as they would be saved.
type Saved map[string]saved

type saved struct {
	data []byte
	err  error
}

// Saved fetches the documents that words name. It waits for their turns, so do not call it while holding another
// document's turn.
func (d *Fetcher) Saved(ctx context.Context, words []Word) Saved {
	out := Saved{}
	for _, w := range words {
		if _, ok := out[w.Text]; ok || w.As.Kind != abi.ResourceDocument || d.Document == nil {
			continue
		}
		if get := d.Document(w.Text); get != nil {
			data, err := get(ctx)
			out[w.Text] = saved{data, err}
		}
	}
	return out
}

// Get fetches what words name, each resource once, and waits for slow ones concurrently. known reports whether the
// document has an element of that id. The result has the order of words.
func (d *Fetcher) Get(ctx context.Context, words []Word, docs Saved, known func(id string) bool) []Resolved {
	own := *d
	own.Roots = d.Roots.In(ctx)
	g := &getting{Fetcher: &own, docs: docs, known: known, missing: map[string]*abi.Error{}, first: map[string]int{}, resolved: make([]Resolved, len(words))}
	for i, w := range words {
		t := &g.resolved[i]
		t.Word = w
		if at, ok := g.first[w.key()]; ok {
			g.again = append(g.again, [2]int{i, at})
			continue
		}
		g.first[w.key()] = i
		g.fetch(ctx, i)
	}
	g.wait(ctx)
	for _, a := range g.again {
		t, as := &g.resolved[a[0]], &g.resolved[a[1]]
		t.Path, t.No, t.Near = as.Path, as.No, as.Near
		if as.Supply != nil {
			t.Supply = new(*as.Supply)
		}
	}
	total := 0
	for i := range g.resolved {
		t := &g.resolved[i]
		if t.Supply == nil {
			continue
		}
		t.Supply.Op = t.Op
		if total += len(t.Supply.Data); total > abi.MaxRound {
			t.refuse("%s", tooMuch)
		}
	}
	return g.resolved
}

var tooMuch = fmt.Sprintf("the resources of this call hold more than %d MiB together: name fewer in one call", abi.MaxRound>>20)

// Again returns the resources of an earlier Get for the same words. ok is false if a word names something that Get did
// not fetch and the domain requires: then it must be fetched again.
func (d *Fetcher) Again(words []Word, resolved []Resolved, known func(id string) bool) (out []abi.Supply, ok bool) {
	for i := range words {
		w := &words[i]
		at := slices.IndexFunc(resolved, func(t Resolved) bool { return t.No == nil && t.key() == w.key() })
		switch {
		case at >= 0 && resolved[at].Supply != nil:
			s := *resolved[at].Supply
			s.Op = w.Op
			out = append(out, s)
		case at < 0 && d.names(w, known) && w.As.Optional:
			out = append(out, abi.Supply{Op: w.Op, Word: w.Text, Kind: w.As.Kind, Failure: &abi.Failure{Kind: abi.FailedRefused, Message: "nothing is fetched while a suggestion is tried out"}})
		case at < 0 && d.names(w, known):
			return nil, false
		}
	}
	return out, true
}

// names reports whether a word may name a resource.
func (d *Fetcher) names(w *Word, known func(id string) bool) bool {
	switch w.As.Kind {
	case abi.ResourceDocument:
		return d.Document != nil && d.Document(w.Text) != nil
	case abi.ResourceFetch:
		return w.Text != ""
	}
	return isPath(w.Text) && (isPlainPath(w.Text) || known == nil || !known(w.Text))
}

func (t *Resolved) refuse(format string, args ...any) {
	t.Supply, t.No = nil, &abi.Error{Message: fmt.Sprintf(format, args...)}
}

func (t *Resolved) supply(name string, data []byte) {
	t.Supply = &abi.Supply{Word: t.Text, Kind: t.As.Kind, Name: name, Data: data}
}

// getting is the state of one Get.
type getting struct {
	*Fetcher
	docs     Saved
	known    func(id string) bool
	missing  map[string]*abi.Error // by want; nil if it is granted
	first    map[string]int        // index of the first word with that key
	again    [][2]int              // indexes of a word, and of the first one with the same key
	resolved []Resolved
	asks     []ask
	read     int // bytes of files read so far
}

// ask is a request for the resource of word at.
type ask struct {
	at      int
	request abi.Request
	file    *os.File // the file to probe
	key     probe
}

// fetch fetches the resource of word i, or adds a request for it.
func (g *getting) fetch(ctx context.Context, i int) {
	t := &g.resolved[i]
	switch t.As.Kind {
	case abi.ResourceDocument:
		if doc, ok := g.docs[t.Text]; ok && doc.err != nil {
			t.refuse("%s: %s", t.Text, doc.err)
		} else if ok {
			t.supply(t.Text, doc.data)
		}
	case abi.ResourceFetch:
		if t.Text == "" || !g.checkGranted(ctx, t) {
			return
		}
		path := make([]string, len(t.As.Path))
		for k, p := range t.As.Path {
			path[k] = strings.ReplaceAll(p, "{}", t.Text)
		}
		g.asks = append(g.asks, ask{at: i, request: abi.Request{HTTP: &abi.HTTPRequest{
			Endpoint: strings.TrimPrefix(t.As.Want, abi.WantHTTP+":"), Method: "GET", Path: path}}})
	case abi.ResourceFile:
		if _, ok := g.find(t); ok {
			t.supply(filepath.Base(t.Path), nil)
		}
	case abi.ResourceBytes, abi.ResourceProbe:
		if is, ok := g.find(t); ok {
			g.file(ctx, i, is)
		}
	}
}

// file fetches what a resource needs of a file.
func (g *getting) file(ctx context.Context, i int, is files.Identity) {
	t := &g.resolved[i]
	if t.As.Kind == abi.ResourceBytes {
		if g.read += int(min(is.Size, abi.MaxRound+1)); g.read > abi.MaxRound {
			t.refuse("%s", tooMuch)
			return
		}
		data, _, err := g.Roots.Read(t.Path)
		if err != nil {
			t.refuse("cannot read: %s", err)
			return
		}
		t.supply(filepath.Base(t.Path), data)
		return
	}
	if err := g.Roots.NoFolder(t.Path); err != nil {
		t.markMissing(abi.FailedRefused, err.Error())
		return
	}
	key := probe{t.As.Want, t.Path, is}
	if !g.checkGranted(ctx, t) {
		return
	}
	if data, ok := g.Probes.of(key); ok {
		t.supply(filepath.Base(t.Path), data)
		return
	}
	f, err := g.Roots.Open(t.Path)
	if err != nil {
		t.refuse("cannot read: %s", err)
		return
	}
	g.asks = append(g.asks, ask{at: i, file: f, key: key, request: abi.Request{Run: &abi.Run{
		Program: strings.TrimPrefix(t.As.Want, abi.WantProgram+":"), Inputs: []string{t.Text},
		Args: []string{"-v", "error", "-of", "json", "-show_format", "-show_streams", "-show_chapters", "-i", "{in:0}"}}}})
}

// find returns the file that a word names; ok is false if it names none or is refused.
func (g *getting) find(t *Resolved) (is files.Identity, ok bool) {
	if !g.names(&t.Word, g.known) {
		return is, false
	}
	real, err := g.Roots.Resolve(t.Text)
	t.Path = real
	if err == nil {
		is, err = g.Roots.Look(real)
	}
	fits := func(name string) bool { return hasEnding(t.As.Accept, name) }
	switch {
	case err != nil && !strings.Contains(t.Text, "/") && !fits(t.Text): // a word with a dot in it
		t.Path = ""
		return is, false
	case err != nil:
		text, near := Around(g.Roots, real, err, fits)
		t.refuse("%s%s", err, text)
		for _, n := range near {
			t.Near = append(t.Near, g.Roots.Word(n))
		}
		return is, false
	case !fits(real):
		t.refuse("%s is not a file that it accepts: %s", t.Text, strings.Join(t.As.Accept, " "))
		return is, false
	}
	return is, true
}

// checkGranted reports whether the want of a resource is granted, and otherwise marks the resource as missing.
func (g *getting) checkGranted(ctx context.Context, t *Resolved) bool {
	no, looked := g.missing[t.As.Want]
	if !looked {
		if r := g.Domain.Missing(ctx, []string{t.As.Want}); r != nil {
			no = &abi.Error{Message: r.Message, Try: r.Try}
		}
		g.missing[t.As.Want] = no
	}
	if no == nil {
		return true
	}
	if !t.markMissing(abi.FailedRefused, no.Message) {
		t.No.Try = no.Try
	}
	return false
}

// markMissing marks a resource as not available, and reports whether its op can run without it.
func (t *Resolved) markMissing(kind, message string) bool {
	if !t.As.Optional {
		t.refuse("%s: %s", t.Text, message)
		return false
	}
	t.supply("", nil)
	t.Supply.Failure = &abi.Failure{Kind: kind, Message: message}
	return true
}

// wait makes the slow requests and waits for them.
func (g *getting) wait(ctx context.Context) {
	if len(g.asks) == 0 {
		return
	}
	ctx, cancel := g.Domain.WithRequestDeadline(ctx)
	defer cancel()
	for n, a := range g.asks {
		if n >= abi.MaxAsked {
			g.resolved[a.at].refuse("%s: a call may fetch %d resources; name fewer in one call", g.resolved[a.at].Text, abi.MaxAsked)
			a.close()
		}
	}
	for list := range slices.Chunk(g.asks[:min(len(g.asks), abi.MaxAsked)], abi.MaxRequests) {
		requests := make([]abi.Request, len(list))
		var inputs inputs
		for k, a := range list {
			requests[k] = a.request
			if a.file != nil {
				inputs.add(g.resolved[a.at].Text, a.file)
			}
		}
		outcomes := g.Domain.World.Do(ctx, domain.Asker{ReadOnly: true, Inputs: inputs.take}, requests)
		inputs.close()
		for k, a := range list {
			g.store(&g.resolved[a.at], a, &outcomes[k])
		}
	}
}

func (a *ask) close() {
	if a.file != nil {
		a.file.Close()
	}
}

// store stores the outcome of a request.
func (g *getting) store(t *Resolved, a ask, out *abi.Outcome) {
	name := ""
	if t.Path != "" {
		name = filepath.Base(t.Path)
	}
	switch {
	case out.Failure != nil:
		t.markMissing(out.Failure.Kind, out.Failure.Message)
	case out.HTTP == nil:
		g.Probes.keep(a.key, out.Data)
		t.supply(name, out.Data)
	case out.HTTP.Status/100 == 2:
		t.supply(name, out.HTTP.Body)
	case out.HTTP.Status == 404 || out.HTTP.Status == 410:
		t.supply(name, nil)
		t.Supply.Failure = &abi.Failure{Kind: abi.FailedNotFound, Message: fmt.Sprintf("the server answers %d", out.HTTP.Status)}
	default:
		t.markMissing(abi.FailedProtocol, fmt.Sprintf("the server answers %d%s", out.HTTP.Status, firstLine(out.HTTP.Body)))
	}
}

// firstLine returns the first line of the body of a server's refusal, shortened; "" for none.
func firstLine(body []byte) string {
	text := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(string(body[:min(len(body), 1000)]), "")), " "))
	if len(text) == 0 {
		return ""
	}
	return ": " + string(text[:min(len(text), 200)])
}
