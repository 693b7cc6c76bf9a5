package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Link is what a link to a file is for: to download it, or to upload it while there is none.
type Link struct {
	Domain string
	MIME   string // "" if unknown
	Upload bool

	roots *files.Roots
	path  string // from roots.Resolve
}

// MaxUpload is the size of the largest upload, in bytes.
const MaxUpload = files.MaxSize

// Name returns the file's name, without its folder.
func (l Link) Name() string { return filepath.Base(l.path) }

// Open opens the file of a download.
func (l Link) Open(ctx context.Context) (*os.File, error) { return l.roots.In(ctx).Open(l.path) }

// Create makes the file of an upload, and returns what was done in words. It replaces no file.
func (l Link) Create(ctx context.Context, data []byte) (did string, err error) {
	show := l.roots.Show(l.path)
	_, err = l.roots.In(ctx).Write(l.path, data, files.Over{})
	if errors.Is(err, files.ErrThere) {
		return "", fmt.Errorf("%s exists by now, and is not replaced; open it under another name to get a link for that", show)
	}
	return fmt.Sprintf("stored %s (%s); now open it", show, reply.Size(int64(len(data)))), err
}

// Linker makes links for people and programs that cannot reach the server's files. It returns "" where it makes none.
type Linker func(Link) (url string, life time.Duration)

type linkerKey struct{}

// WithLinker makes the replies of a context's calls offer links.
func WithLinker(ctx context.Context, l Linker) context.Context {
	return context.WithValue(ctx, linkerKey{}, l)
}

func makeLink(ctx context.Context, l Link) (url string, life time.Duration) {
	linker, ok := ctx.Value(linkerKey{}).(Linker)
	if !ok {
		return "", 0
	}
	url, life = linker(l)
	return url, life.Round(time.Second)
}

// offerDownload adds a link to the file that the call wrote.
func (c *call) offerDownload(r *reply.Reply) {
	if r.File == nil || r.Failed {
		return
	}
	d := c.about
	if d == nil {
		d = c.s.domain(c.dom)
	}
	l := Link{roots: c.s.rootsOf(d), path: r.File.Path, MIME: r.File.MIME}
	if d != nil {
		l.Domain = d.Name()
	}
	if !l.roots.Contains(l.path) {
		return
	}
	if url, life := makeLink(c.ctx, l); url != "" {
		r.Add(reply.Changed, "download it within %s from %s (whoever has the link can)", life, url)
	}
}

// offerUpload is a line with a link for the refusal of an open whose file is missing, if the domain, or any if d is
// nil, could open it.
func (c *call) offerUpload(d *domain.Domain, real string) []reply.Result {
	base := filepath.Base(real)
	if real == "" || !c.fits(d)(base) {
		return nil
	}
	if d == nil {
		all := c.s.Domains()
		d = all[slices.IndexFunc(all, func(d *domain.Domain) bool { return c.fits(d)(base) })]
	}
	roots := c.s.rootsOf(d)
	if !roots.Contains(real) || !roots.In(c.ctx).Gone(real) || roots.Writable(real) != nil {
		return nil
	}
	url, life := makeLink(c.ctx, Link{Domain: d.Name(), roots: roots, path: real, Upload: true})
	if url == "" {
		return nil
	}
	return []reply.Result{{Prefix: reply.Changed, Text: fmt.Sprintf("to upload it, send it by PUT to %s within %s (curl -T %s LINK), then open it", url, life, base)}}
}
