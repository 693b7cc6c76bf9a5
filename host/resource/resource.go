// Package resource gets what the words of a call name outside of the sandbox,
// before the domain is called: the bytes of a file, what ffprobe says of one, the
// body of a GET, another open document. A domain's manifest says which words may.
package resource

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
)

// A Desk gets resources for the calls of one client on documents of one domain.
type Desk struct {
	Domain *domain.Domain
	Roots  *files.Roots // where files are looked for
	Probes *Probes      // nil: nothing is kept
	// Document finds another open document of the client and domain, nil for none of that name. What it finds gives the document's
	// bytes as they would be saved.
	Document func(name string) func(context.Context) ([]byte, error)
}

// A Word is one word of a call that may name something outside.
type Word struct {
	Op   int           // index of the op in the call
	Text string        // as the user wrote it
	As   *abi.Resource // what it names
}

// Words lists those of an op that is number n of its call.
func Words(list []abi.Resource, op *abi.Op, n int) (words []Word) {
	for i := range list {
		r := &list[i]
		switch {
		case !r.Of(op):
		case r.Key != "":
			for _, p := range op.Params {
				if p.Key == r.Key {
					words = append(words, Word{n, p.Value, r})
				}
			}
		case r.Position < 0:
			for _, p := range op.Positionals {
				words = append(words, Word{n, p.Text, r})
			}
		case r.Position <= len(op.Positionals):
			words = append(words, Word{n, op.Positionals[r.Position-1].Text, r})
		}
	}
	return words
}

// A Thing is what became of a Word.
type Thing struct {
	Word
	Supply *abi.Supply // nil where the word names nothing: the domain knows what it means
	Path   string      // of a file, resolved
	No     *abi.Error  // set: the op cannot be run
	Near   []string    // words that would do in the place of one that names no file
}

// Names reports whether the word stands for a file from now on.
func (t *Thing) Names() bool { return t.Supply != nil && t.Path != "" && t.No == nil }

// Saved is what documents that the words of a call name would be saved as.
type Saved map[string]saved

type saved struct {
	data []byte
	err  error
}

// Saved gets the documents that words name. It waits for their turns, and so must not be called in another document's.
func (d *Desk) Saved(ctx context.Context, words []Word) Saved {
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

// Get gets what words name, each once, and waits for what takes its time side by side. known reports whether the document has
// something of that id. The things are in the order of the words.
func (d *Desk) Get(ctx context.Context, words []Word, docs Saved, known func(id string) bool) []Thing {
	own := *d
	own.Roots = d.Roots.In(ctx)
	g := &getting{Desk: &own, docs: docs, known: known, missing: map[string]*abi.Error{}, first: map[string]int{}, things: make([]Thing, len(words))}
	for i, w := range words {
		t := &g.things[i]
		t.Word = w
		if at, ok := g.first[w.key()]; ok {
			g.again = append(g.again, [2]int{i, at})
			continue
		}
		g.first[w.key()] = i
		g.look(ctx, i)
	}
	g.wait(ctx)
	for _, a := range g.again {
		t, as := &g.things[a[0]], &g.things[a[1]]
		t.Path, t.No, t.Near = as.Path, as.No, as.Near
		if as.Supply != nil {
			t.Supply = new(*as.Supply)
		}
	}
	total := 0
	for i := range g.things {
		t := &g.things[i]
		if t.Supply == nil {
			continue
		}
		t.Supply.Op = t.Op
		if total += len(t.Supply.Data); total > abi.MaxRound {
			t.refuse("%s", tooMuch)
		}
	}
	return g.things
}

var tooMuch = fmt.Sprintf("what this call names holds more than %d MiB together: name less in one call", abi.MaxRound>>20)

// Again gives words what a call got for the same words. ok is false where one of them names what it did not get, and what the domain
// cannot do without: then it would have to be got anew.
func (d *Desk) Again(words []Word, things []Thing, known func(id string) bool) (out []abi.Supply, ok bool) {
	for i := range words {
		w := &words[i]
		at := slices.IndexFunc(things, func(t Thing) bool { return t.No == nil && t.key() == w.key() })
		switch {
		case at >= 0 && things[at].Supply != nil:
			s := *things[at].Supply
			s.Op = w.Op
			out = append(out, s)
		case at < 0 && d.names(w, known) && w.As.Optional:
			out = append(out, abi.Supply{Op: w.Op, Word: w.Text, Kind: w.As.Kind, Failure: &abi.Failure{Kind: abi.FailedRefused, Message: "nothing is got while a suggestion is tried out"}})
		case at < 0 && d.names(w, known):
			return nil, false
		}
	}
	return out, true
}

// names reports whether a word may name something outside.
func (d *Desk) names(w *Word, known func(id string) bool) bool {
	switch w.As.Kind {
	case abi.ResourceDocument:
		return d.Document != nil && d.Document(w.Text) != nil
	case abi.ResourceFetch:
		return w.Text != ""
	}
	return isPath(w.Text) && (isPlainPath(w.Text) || known == nil || !known(w.Text))
}

// key is the same for words that name the same.
func (w *Word) key() string {
	return strings.Join(slices.Concat([]string{w.As.Kind, w.Text, w.As.Want}, w.As.Path, w.As.Accept), "\x00")
}

func (t *Thing) refuse(format string, args ...any) {
	t.Supply, t.No = nil, &abi.Error{Message: fmt.Sprintf(format, args...)}
}

func (t *Thing) supply(name string, data []byte) {
	t.Supply = &abi.Supply{Word: t.Text, Kind: t.As.Kind, Name: name, Data: data}
}

// getting is a Get under way.
type getting struct {
	*Desk
	docs    Saved
	known   func(id string) bool
	missing map[string]*abi.Error // wants that were looked at, nil for those that are granted
	first   map[string]int        // things by the keys of their words
	again   [][2]int              // things that are the same as others
	things  []Thing
	asks    []ask
	read    int // bytes of files
}

// ask is a request for a thing.
type ask struct {
	at      int
	request abi.Request
	file    *os.File // of a probe
	key     probe
}

// look gets a thing, or notes what has to be asked for.
func (g *getting) look(ctx context.Context, i int) {
	t := &g.things[i]
	switch t.As.Kind {
	case abi.ResourceDocument:
		if doc, ok := g.docs[t.Text]; ok && doc.err != nil {
			t.refuse("%s: %s", t.Text, doc.err)
		} else if ok {
			t.supply(t.Text, doc.data)
		}
	case abi.ResourceFetch:
		if t.Text == "" || !g.granted(ctx, t) {
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

// file gets what a resource wants of a file.
func (g *getting) file(ctx context.Context, i int, is files.Identity) {
	t := &g.things[i]
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
		t.lacks(abi.FailedRefused, err.Error())
		return
	}
	key := probe{t.As.Want, t.Path, is}
	if !g.granted(ctx, t) {
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

// find is the file that a word names; ok is false where it names none or is refused.
func (g *getting) find(t *Thing) (is files.Identity, ok bool) {
	if !g.names(&t.Word, g.known) {
		return is, false
	}
	real, err := g.Roots.Resolve(t.Text)
	t.Path = real
	if err == nil {
		is, err = g.Roots.Look(real)
	}
	fits := func(name string) bool { return accepted(t.As.Accept, name) }
	switch {
	case err != nil && !strings.Contains(t.Text, "/") && !fits(t.Text): // a word with a dot
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
		t.refuse("%s is no file that it takes: %s", t.Text, strings.Join(t.As.Accept, " "))
		return is, false
	}
	return is, true
}

// isPath reports whether a word may name a file.
func isPath(word string) bool { return strings.ContainsAny(word, `/.\`) }

// isPlainPath reports whether a word can name nothing else.
func isPlainPath(word string) bool {
	return slices.ContainsFunc([]string{"./", "../", "/", "~/"}, func(p string) bool { return strings.HasPrefix(word, p) })
}

func accepted(endings []string, name string) bool {
	name = strings.ToLower(name)
	return len(endings) == 0 || slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(name, strings.ToLower(e)) })
}

// granted reports whether a thing's want is; else it is refused.
func (g *getting) granted(ctx context.Context, t *Thing) bool {
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
	if !t.lacks(abi.FailedRefused, no.Message) {
		t.No.Try = no.Try
	}
	return false
}

// lacks has a thing fail for want of what it names, and reports whether its op runs all the same.
func (t *Thing) lacks(kind, message string) bool {
	if !t.As.Optional {
		t.refuse("%s: %s", t.Text, message)
		return false
	}
	t.supply("", nil)
	t.Supply.Failure = &abi.Failure{Kind: kind, Message: message}
	return true
}

// wait asks for what takes its time.
func (g *getting) wait(ctx context.Context) {
	if len(g.asks) == 0 {
		return
	}
	ctx, cancel := g.Domain.Waiting(ctx)
	defer cancel()
	for n, a := range g.asks {
		if n >= abi.MaxAsked {
			g.things[a.at].refuse("%s: a call may ask for %d things; name less in one call", g.things[a.at].Text, abi.MaxAsked)
			a.close()
		}
	}
	for list := range slices.Chunk(g.asks[:min(len(g.asks), abi.MaxAsked)], abi.MaxRequests) {
		requests := make([]abi.Request, len(list))
		var inputs inputs
		for k, a := range list {
			requests[k] = a.request
			if a.file != nil {
				inputs.add(g.things[a.at].Text, a.file)
			}
		}
		outcomes := g.Domain.World.Do(ctx, domain.Asker{ReadOnly: true, Inputs: inputs.take}, requests)
		inputs.close()
		for k, a := range list {
			g.came(&g.things[a.at], a, &outcomes[k])
		}
	}
}

func (a *ask) close() {
	if a.file != nil {
		a.file.Close()
	}
}

// came makes a thing of what was answered.
func (g *getting) came(t *Thing, a ask, out *abi.Outcome) {
	name := ""
	if t.Path != "" {
		name = filepath.Base(t.Path)
	}
	switch {
	case out.Failure != nil:
		t.lacks(out.Failure.Kind, out.Failure.Message)
	case out.HTTP == nil:
		g.Probes.keep(a.key, out.Data)
		t.supply(name, out.Data)
	case out.HTTP.Status/100 == 2:
		t.supply(name, out.HTTP.Body)
	case out.HTTP.Status == 404 || out.HTTP.Status == 410:
		t.supply(name, nil)
		t.Supply.Failure = &abi.Failure{Kind: abi.FailedNotFound, Message: fmt.Sprintf("the server answers %d", out.HTTP.Status)}
	default:
		t.lacks(abi.FailedProtocol, fmt.Sprintf("the server answers %d%s", out.HTTP.Status, says(out.HTTP.Body)))
	}
}

// says is the start of what a server says of its refusal, in one line, "" for nothing.
func says(body []byte) string {
	text := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(string(body[:min(len(body), 1000)]), "")), " "))
	if len(text) == 0 {
		return ""
	}
	return ": " + string(text[:min(len(text), 200)])
}

// inputs are files that programs are to read, each handed out once. They are taken from several goroutines.
type inputs struct {
	mu    sync.Mutex
	files map[string][]*os.File
}

func (in *inputs) add(name string, f *os.File) {
	if in.files == nil {
		in.files = map[string][]*os.File{}
	}
	in.files[name] = append(in.files[name], f)
}

func (in *inputs) take(name string) (*os.File, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	list := in.files[name]
	if len(list) == 0 {
		return nil, fmt.Errorf("no file is named %q here", name)
	}
	in.files[name] = list[1:]
	return list[0], nil
}

// close closes those that nobody took.
func (in *inputs) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, list := range in.files {
		for _, f := range list {
			f.Close()
		}
	}
	in.files = nil
}

// Probes keeps what was found out of files. It may be used from several goroutines; the nil Probes keeps nothing.
type Probes struct {
	mu    sync.Mutex
	found map[probe][]byte
	bytes int
}

// probe is what the answer depends on.
type probe struct {
	want, path string
	file       files.Identity
}

// maxProbes bounds what Probes keeps, in bytes. Past it all is forgotten, and found out anew.
const maxProbes = 16 << 20

func (p *Probes) of(key probe) ([]byte, bool) {
	if p == nil {
		return nil, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	data, ok := p.found[key]
	return data, ok
}

func (p *Probes) keep(key probe, data []byte) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes += len(data) + 512; p.found == nil || p.bytes > maxProbes {
		p.found, p.bytes = map[probe][]byte{}, len(data)+512
	}
	p.found[key] = data
}
