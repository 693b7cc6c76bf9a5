package document

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
)

// file is the place of a document that is a file. Without a path it has none yet.
type file struct {
	plain
	path  string
	stamp files.Stamp
}

func (f *file) where() Where { return Where{Path: f.path, stamp: f.stamp} }

func (f *file) save(ctx context.Context, d *Document, path string, force bool) (*reply.Reply, error) {
	if Scheme(d.Domain(), path) {
		return (&remote{ref: path}).store(ctx, d, force)
	}
	real, roots := f.path, d.roots.In(ctx)
	if path == "" && real == "" {
		return nil, reply.Refuse([]reply.Suggestion{d.trySave()}, "the document has no file yet")
	}
	if path != "" {
		var err error
		if real, err = d.roots.Resolve(path); err != nil {
			return nil, fmt.Errorf("cannot save: %w", err)
		}
	}
	replaced := len(d.over(real, force).Known) == 0 && roots.Exists(real)
	r, out, stamp, err := d.writeTo(ctx, real, force)
	if err == nil || real == f.path && stamp != (files.Stamp{}) {
		f.path, f.stamp = real, stamp
	}
	if err != nil {
		return nil, err
	}
	d.noteSaved(ctx, &stored{warnings: out.Warnings}, r, d.record)
	r.Add(reply.Changed, "saved %s (%s)", d.roots.Show(real), reply.Size(int64(len(out.Data))))
	if replaced {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s existed and was replaced", reply.Place(d.roots.Show(real))))
	}
	if path != "" && len(d.Domain().Manifest.Extensions) > 0 && d.Domain().Extension(real) == "" {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s files are named %s: by this name, programs may take it for something else",
			d.Domain().Name(), strings.Join(d.Domain().Manifest.Extensions, " ")))
	}
	return r, nil
}

func (f *file) write(ctx context.Context, d *Document) (*stored, error) {
	out, err := d.inst.Save(ctx, d.saveRequest(f.path))
	if err != nil {
		return nil, err
	}
	stamp, err := d.roots.In(ctx).Write(f.path, out.Data, d.over(f.path, false))
	d.wrote.note(f.path, stamp, err)
	if stamp != (files.Stamp{}) {
		f.stamp = stamp
	}
	if err != nil {
		return nil, err
	}
	return &stored{written: 1, warnings: out.Warnings}, nil
}

// compare checks the file of a recovered document. A host that was killed between writing the file and recording it
// left its own bytes there, which is no conflict.
func (f *file) compare(ctx context.Context, d *Document, _ *decoded) ([]string, error) {
	if f.path == "" {
		return nil, nil
	}
	show, roots := d.roots.Show(f.path), d.roots.In(ctx)
	if !d.roots.Contains(f.path) {
		return []string{fmt.Sprintf("its file %s lies outside the allowed folders: save it as another", show)}, nil
	}
	if roots.Gone(f.path) {
		d.saved = eventlog.Nowhere()
		return []string{fmt.Sprintf("its file %s is gone; save writes it again", show)}, nil
	}
	if err := roots.Check(f.path, d.over(f.path, false)); !errors.Is(err, files.ErrChanged) {
		return nil, nil
	}
	if data, stamp, err := roots.Read(f.path); err == nil {
		if out, err := d.inst.Save(ctx, d.saveRequest(f.path)); err == nil && string(out.Data) == string(data) {
			f.stamp, d.saved = stamp, d.log.Position()
			return nil, nil
		}
	}
	return []string{fmt.Sprintf("its file %s was changed by somebody else meanwhile", show)}, nil
}

// writeTo writes the document's content to the file at real.
func (d *Document) writeTo(ctx context.Context, real string, force bool) (*reply.Reply, *abi.SaveResponse, files.Stamp, error) {
	out, err := d.save(ctx, d.saveRequest(real))
	if err == nil {
		err = d.ensureHeld() // only the host that owns the document may write its file
	}
	if err != nil {
		return nil, nil, files.Stamp{}, fmt.Errorf("cannot save: %w", d.mend(ctx, err))
	}
	stamp, err := d.roots.In(ctx).Write(real, out.Data, d.over(real, force))
	d.wrote.note(real, stamp, err)
	if err != nil {
		return nil, nil, stamp, d.writeFailure(err, real, "save")
	}
	return &reply.Reply{File: &reply.File{Path: real, MIME: mime(d.Domain(), out), Size: len(out.Data)}}, out, stamp, nil
}

// saveCopy answers `save copy:`, and `save as:` of a remote document with a path.
func (d *Document) saveCopy(ctx context.Context, path string, force bool) (*reply.Reply, error) {
	real, err := d.roots.Resolve(path)
	if err != nil {
		return nil, fmt.Errorf("cannot save: %w", err)
	}
	w := d.place.where()
	if real == w.Path {
		return nil, d.ownFile(real)
	}
	r, out, _, err := d.writeTo(ctx, real, force)
	if err != nil {
		return nil, err
	}
	stays := "without a file"
	switch {
	case w.Ref != "":
		stays = reply.Place(w.Ref)
	case w.Path != "":
		stays = d.roots.Show(w.Path)
	}
	r.Warnings = out.Warnings
	r.Add(reply.Changed, "saved %s (%s), a copy; the document stays %s", d.roots.Show(real), reply.Size(int64(len(out.Data))), stays)
	return r, nil
}

// ownFile refuses to write something else to the document's own file.
func (d *Document) ownFile(real string) error {
	return reply.Refuse([]reply.Suggestion{d.trySave()}, "%s is the document's own file", reply.Place(d.roots.Show(real)))
}

// over says which content of the file at real the document may replace: what it read or wrote there itself, or any with
// force.
func (d *Document) over(real string, force bool) files.Over {
	o := files.Over{Any: force}
	if w := d.place.where(); real == w.Path {
		o.Known = append(o.Known, w.stamp)
	}
	o.Known = append(o.Known, d.wrote.at(real)...)
	return o
}

// writeFailure adds to an error of writing the file at real actions that would.
func (d *Document) writeFailure(err error, real, action string) error {
	show := d.roots.Show(real)
	other := reply.Action("%s as:%s", action, grammar.Quote(freeBeside(d.roots, show)))
	switch {
	case errors.Is(err, files.ErrChanged) && real == d.place.where().Path && action == "save":
		return reply.Refuse([]reply.Suggestion{reply.Action("save force"), other}, "%s changed on disk since it was opened; nothing was written", reply.Place(show))
	case errors.Is(err, files.ErrChanged), errors.Is(err, files.ErrThere):
		return reply.Refuse([]reply.Suggestion{other}, "%s already exists, and this document did not write it; nothing was written; %s as:%s force replaces it", reply.Place(show), action, grammar.Quote(show))
	}
	return err
}

// mime is the media type of a saved file.
func mime(d *domain.Domain, out *abi.SaveResponse) string {
	if out.MIME == "" && len(d.Manifest.MIME) > 0 {
		return d.Manifest.MIME[0]
	}
	return out.MIME
}

// TrySave suggests a save to the document's file, or to a new one named after its title.
func (d *Document) TrySave() (s reply.Suggestion) {
	d.look(func() { s = d.trySave() })
	return s
}

func (d *Document) trySave() reply.Suggestion {
	if d.place.where().Placed() {
		return reply.Action("save")
	}
	return reply.Action("save as:%s", grammar.Quote(freeName(d.roots, d.fileName())))
}

// freeName is name as a path for a suggestion, with a number if that file exists.
func freeName(roots *files.Roots, name string) string {
	ext := filepath.Ext(name)
	free := name
	for n := 2; n < 100; n++ {
		if real, err := roots.Resolve("./" + free); err != nil || !roots.Exists(real) {
			break
		}
		free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext)
	}
	return "./" + free
}

// freeBeside adds a number to path, before its extension, such that the file does not exist.
func freeBeside(roots *files.Roots, path string) string {
	ext := filepath.Ext(path)
	free := path
	for n := 2; n < 100; n++ {
		free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), n, ext)
		if real, err := roots.Resolve(free); err != nil || !roots.Exists(real) {
			break
		}
	}
	return free
}

// fileName derives a file name from the document's title.
func (h *history) fileName() string {
	ext := ""
	if len(h.Domain().Manifest.Extensions) > 0 {
		ext = h.Domain().Manifest.Extensions[0]
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			return r
		case r == ' ' || r == '-' || r == '_' || r == '.':
			return '-'
		}
		return -1
	}, strings.TrimSuffix(h.displayTitle(), ext))
	if len(name) > 100 { // file systems stop at 255 bytes
		name = strings.ToValidUTF8(name[:100], "")
	}
	if name = strings.Trim(name, "-"); name == "" {
		name = "untitled"
	}
	return name + ext
}
