package document

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Save writes the document to its file, or to path if that is not "", and remembers path once the bytes are on the
// disk. force overwrites a file that changed since it was opened.
func (d *Document) Save(ctx context.Context, path string, force bool) *reply.Reply {
	if err := d.enter(ctx); err != nil {
		return Failure(err, "")
	}
	defer d.leave()
	switch {
	case d.dir != nil:
		return d.withState(d.saveFolderReply(ctx, path))
	case path == "" && d.remote != nil || Scheme(d.Domain(), path):
		return d.withState(d.store(ctx, path, force))
	case d.remote != nil:
		return d.withState(d.saveCopy(ctx, path, force))
	}
	return d.withState(d.save(ctx, path, force))
}

func (d *Document) save(ctx context.Context, path string, force bool) *reply.Reply {
	real, roots := d.path, d.roots.In(ctx)
	if path == "" && real == "" {
		return reply.Errorf([]reply.Suggestion{d.trySave()}, "the document has no file yet")
	}
	if path != "" {
		var err error
		if real, err = d.roots.Resolve(path); err != nil {
			return Failure(err, "cannot save")
		}
	}
	replaced := len(d.over(real, force).Known) == 0 && roots.Exists(real)
	out, stamp, no := d.writeTo(ctx, real, force)
	if no != nil {
		return no
	}
	d.path, d.stamp, d.saved = real, stamp, d.log.Position()
	r := &reply.Reply{Digest: d.state.Digest, Warnings: out.Warnings, File: &reply.File{Path: real, MIME: d.mime(out), Size: len(out.Data)}}
	// The file is written; only the record of that is missing.
	if err := d.record(ctx, recordSaved, d.savedRecord(savedHere, nil)); err != nil {
		d.behind = true
		r.Warnings = append(r.Warnings, JournalWarning(err))
	}
	r.Add(reply.Changed, "saved %s (%s)", d.roots.Show(real), reply.Size(int64(len(out.Data))))
	if replaced {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s existed and was replaced", reply.Place(d.roots.Show(real))))
	}
	if path != "" && len(d.Domain().Manifest.Extensions) > 0 && d.Domain().Extension(real) == "" {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s files are named %s: by this name, programs may take it for something else",
			d.Domain().Name(), strings.Join(d.Domain().Manifest.Extensions, " ")))
	}
	return r
}

// writeTo writes the document's content to the file at real. The reply says why it could not.
func (d *Document) writeTo(ctx context.Context, real string, force bool) (*abi.SaveResponse, files.Stamp, *reply.Reply) {
	var out *abi.SaveResponse
	err := d.withInstance(ctx, func(in *domain.Instance) (err error) {
		out, err = in.Save(ctx, d.saveRequest(real))
		return err
	})
	if err != nil {
		return nil, files.Stamp{}, d.readFailure(ctx, err, "cannot save")
	}
	if err := d.ensureHeld(); err != nil { // only the host that owns the document may write its file
		return nil, files.Stamp{}, Failure(err, "cannot save")
	}
	stamp, err := d.roots.In(ctx).Write(real, out.Data, d.over(real, force))
	d.wrote.note(real, stamp, err)
	if err != nil {
		if real == d.path && stamp != (files.Stamp{}) {
			d.stamp = stamp
		}
		return nil, files.Stamp{}, d.writeFailure(err, real, "save")
	}
	return out, stamp, nil
}

// Copy writes the document to path and leaves it with its own file and its unsaved changes.
func (d *Document) Copy(ctx context.Context, path string, force bool) *reply.Reply {
	if err := d.enter(ctx); err != nil {
		return Failure(err, "")
	}
	defer d.leave()
	if d.dir != nil {
		return d.withState(d.saveFolderReply(ctx, path))
	}
	if Scheme(d.Domain(), path) {
		return d.withState(reply.Errorf([]reply.Suggestion{reply.Action("save as:%s", grammar.Quote(path))}, "copy: takes a path; as: stores the document under another name"))
	}
	return d.withState(d.saveCopy(ctx, path, force))
}

// saveCopy answers `save copy:`, and `save as:` of a remote document with a path.
func (d *Document) saveCopy(ctx context.Context, path string, force bool) *reply.Reply {
	real, err := d.roots.Resolve(path)
	if err != nil {
		return Failure(err, "cannot save")
	}
	if real == d.path {
		return reply.Errorf([]reply.Suggestion{d.trySave()}, "%s is the document's own file", reply.Place(d.roots.Show(real)))
	}
	out, _, no := d.writeTo(ctx, real, force)
	if no != nil {
		return no
	}
	stays := "without a file"
	switch {
	case d.remote != nil:
		stays = reply.Place(d.remote.ref)
	case d.path != "":
		stays = d.roots.Show(d.path)
	}
	r := &reply.Reply{Digest: d.state.Digest, Warnings: out.Warnings, File: &reply.File{Path: real, MIME: d.mime(out), Size: len(out.Data)}}
	r.Add(reply.Changed, "saved %s (%s), a copy; the document stays %s", d.roots.Show(real), reply.Size(int64(len(out.Data))), stays)
	return r
}

// over says which content of the file at real the document may replace: what it read or wrote there itself, or any with
// force.
func (d *Document) over(real string, force bool) files.Over {
	o := files.Over{Any: force}
	if real == d.path {
		o.Known = append(o.Known, d.stamp)
	}
	o.Known = append(o.Known, d.wrote.at(real)...)
	return o
}

// writeFailure answers an action that could not write the file at real, with actions that would.
func (d *Document) writeFailure(err error, real, action string) *reply.Reply {
	show := d.roots.Show(real)
	other := reply.Action("%s as:%s", action, grammar.Quote(d.freeBeside(show)))
	switch {
	case errors.Is(err, files.ErrChanged) && real == d.path && action == "save":
		return reply.Errorf([]reply.Suggestion{reply.Action("save force"), other}, "%s changed on disk since it was opened; nothing was written", reply.Place(show))
	case errors.Is(err, files.ErrChanged), errors.Is(err, files.ErrThere):
		return reply.Errorf([]reply.Suggestion{other}, "%s already exists, and this document did not write it; nothing was written; %s as:%s force replaces it", reply.Place(show), action, grammar.Quote(show))
	}
	return Failure(err, "")
}

// mime is the media type of a saved file.
func (d *Document) mime(out *abi.SaveResponse) string {
	if out.MIME == "" && len(d.Domain().Manifest.MIME) > 0 {
		return d.Domain().Manifest.MIME[0]
	}
	return out.MIME
}

// TrySave suggests a save to the document's file, or to a new one named after its title.
func (d *Document) TrySave() (s reply.Suggestion) {
	d.look(func() { s = d.trySave() })
	return s
}

func (d *Document) trySave() reply.Suggestion {
	if d.path != "" || d.remote != nil {
		return reply.Action("save")
	}
	return reply.Action("save as:%s", grammar.Quote(d.freeName(d.fileName())))
}

// tryExport suggests an export in format f to a file that does not exist.
func (d *Document) tryExport(action string, f abi.Format) reply.Suggestion {
	base := strings.TrimSuffix(d.fileName(), filepath.Ext(d.fileName()))
	return reply.Action("%s as:%s", action, grammar.Quote(d.freeName(base+f.Extension)))
}

// freeName is name as a path for a suggestion, with a number if that file exists.
func (d *Document) freeName(name string) string {
	ext := filepath.Ext(name)
	free := name
	for n := 2; n < 100; n++ {
		if real, err := d.roots.Resolve("./" + free); err != nil || !d.roots.Exists(real) {
			break
		}
		free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext)
	}
	return "./" + free
}

// freeBeside adds a number to path, before its extension, such that the file does not exist.
func (d *Document) freeBeside(path string) string {
	ext := filepath.Ext(path)
	free := path
	for n := 2; n < 100; n++ {
		free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), n, ext)
		if real, err := d.roots.Resolve(free); err != nil || !d.roots.Exists(real) {
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

// Export writes the document to path in another format. force overwrites a file that this document did not write. If a
// program makes the file, the caller runs the returned work.
func (d *Document) Export(ctx context.Context, format string, params []abi.KeyValue, path string, force bool) (*reply.Reply, *program.Work) {
	if err := d.enter(ctx); err != nil {
		return Failure(err, ""), nil
	}
	defer d.leave()
	defer d.endSupply()
	d.noteWords(d.Domain(), &abi.Op{Params: params}, false)
	r, work := d.export(ctx, format, params, path, force)
	return d.withState(r), work
}

// wrongExtension reports whether a path has the extension of the domain's documents, of another export format than f, or of a recording.
// Unknown extensions are fine: MusicXML is both .musicxml and .xml.
func (d *Document) wrongExtension(path string, f abi.Format) bool {
	has := func(ext string) bool {
		return ext != "" && strings.HasSuffix(strings.ToLower(path), strings.ToLower(ext))
	}
	return f.Extension != "" && !has(f.Extension) && (slices.ContainsFunc(d.Domain().Manifest.Extensions, has) ||
		slices.ContainsFunc(d.Domain().Manifest.Exports, func(o abi.Format) bool { return has(o.Extension) }) || d.Domain().IsMedia(path))
}

func (d *Document) export(ctx context.Context, format string, params []abi.KeyValue, path string, force bool) (*reply.Reply, *program.Work) {
	formats := d.Domain().Manifest.Exports
	i := slices.IndexFunc(formats, func(f abi.Format) bool { return f.Name == format })
	if i < 0 {
		return d.unknownFormat(format, path), nil
	}
	f := formats[i]
	real, no := d.exportPath(f, params, path)
	if no != nil {
		return no, nil
	}
	roots := d.roots.In(ctx)
	ctx, release, no := d.admit(ctx, "export "+format, f.Wants)
	if no != nil {
		return no, nil
	}
	defer release()
	over := d.over(real, force)
	var out *abi.SaveResponse
	effect := ""
	parts := parts{roots: d.roots, real: real}
	defer parts.close()
	err := d.withInstance(ctx, func(in *domain.Instance) (err error) {
		in.Part = parts.add
		defer func() { in.Part = nil }()
		out, err = in.Export(ctx, &abi.ExportRequest{Format: format, Params: params, Files: d.relativeNames(real)})
		effect = in.Effect()
		return
	})
	if err != nil {
		return d.readFailure(ctx, err, "cannot export"), nil
	}
	if out.Run != nil {
		work, err := d.work(out.Run, real, over)
		if err == nil {
			err = roots.Check(real, over)
		}
		if err != nil {
			work.Close()
			return d.writeFailure(err, real, "export "+format), nil
		}
		return &reply.Reply{Digest: d.state.Digest, Warnings: out.Warnings}, work
	}
	replaced := len(over.Known) == 0 && roots.Exists(real)
	from, total := parts.reader(out.Data)
	stamp, err := roots.WriteFrom(real, from, over)
	d.wrote.note(real, stamp, err)
	if err != nil {
		return addEffect(d.writeFailure(err, real, "export "+format), effect), nil
	}
	r := &reply.Reply{Digest: d.state.Digest, Warnings: out.Warnings, File: &reply.File{Path: real, MIME: cmp.Or(out.MIME, f.MIME), Size: total}}
	if replaced {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s existed and was replaced", reply.Place(d.roots.Show(real))))
	}
	r.Add(reply.Created, "exported %s (%s, %s)", d.roots.Show(real), format, reply.Size(int64(total)))
	return r, nil
}

// exportPath resolves the path of an export in format f. A reply says why the export cannot go there.
func (d *Document) exportPath(f abi.Format, params []abi.KeyValue, path string) (real string, no *reply.Reply) {
	if path == "" {
		return "", reply.Errorf([]reply.Suggestion{d.tryExport("export "+f.Name, f)}, "export needs a file to write to")
	}
	real, err := d.roots.Resolve(path)
	if err != nil {
		return "", Failure(err, "cannot export")
	}
	if real == d.path {
		return "", reply.Errorf([]reply.Suggestion{d.trySave()}, "%s is the document's own file", reply.Place(d.roots.Show(real)))
	}
	if d.wrongExtension(path, f) && !d.roots.IsDir(real) {
		action := fmt.Sprintf("export %s as:%s", f.Name, grammar.Quote(strings.TrimSuffix(path, filepath.Ext(path))+f.Extension))
		for _, p := range params {
			action += " " + p.Key + ":" + grammar.Quote(p.Value)
		}
		return "", reply.Errorf([]reply.Suggestion{reply.Action("%s", action)}, "%s makes %s files", f.Name, f.Extension)
	}
	return real, nil
}

// unknownFormat answers an export in a format that the domain does not have.
func (d *Document) unknownFormat(format, path string) *reply.Reply {
	var names []string
	for _, f := range d.Domain().Manifest.Exports {
		names = append(names, f.Name)
	}
	if len(names) == 0 {
		return reply.Errorf([]reply.Suggestion{d.trySave()}, "the %s domain exports no other format", d.Domain().Name())
	}
	var try []reply.Suggestion
	for _, n := range grammar.Nearest(format, names) {
		if path != "" {
			try = append(try, reply.Action("export %s as:%s", n, grammar.Quote(path)))
		}
	}
	if len(try) == 0 {
		try = []reply.Suggestion{reply.Help("export")}
	}
	return reply.Errorf(try, "unknown export format %.64q; there are %s", format, strings.Join(names, ", "))
}
