package document

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Export writes the document to path in another format. force overwrites a file that this document did not write. If a
// program makes the file, the caller runs the returned work.
func (d *Document) Export(ctx context.Context, format string, params []abi.KeyValue, path string, force bool) (*reply.Reply, *program.Work) {
	var work *program.Work
	r := d.act(ctx, func() (r *reply.Reply, err error) {
		defer d.endSupply()
		d.noteWords(d.Domain(), &abi.Op{Params: params}, false)
		r, work, err = d.export(ctx, format, params, path, force)
		return r, err
	})
	return r, work
}

// wrongExtension reports whether a path has the extension of the domain's documents, of another export format than f, or of a recording.
// Unknown extensions are fine: MusicXML is both .musicxml and .xml.
func wrongExtension(d *domain.Domain, path string, f abi.Format) bool {
	has := func(ext string) bool {
		return ext != "" && strings.HasSuffix(strings.ToLower(path), strings.ToLower(ext))
	}
	return f.Extension != "" && !has(f.Extension) && (slices.ContainsFunc(d.Manifest.Extensions, has) ||
		slices.ContainsFunc(d.Manifest.Exports, func(o abi.Format) bool { return has(o.Extension) }) || d.IsMedia(path))
}

func (d *Document) export(ctx context.Context, format string, params []abi.KeyValue, path string, force bool) (*reply.Reply, *program.Work, error) {
	formats := d.Domain().Manifest.Exports
	i := slices.IndexFunc(formats, func(f abi.Format) bool { return f.Name == format })
	if i < 0 {
		return nil, nil, unknownFormat(d.Domain(), format, path, d.trySave())
	}
	f := formats[i]
	real, err := d.exportPath(f, params, path)
	if err != nil {
		return nil, nil, err
	}
	roots := d.roots.In(ctx)
	ctx, release, err := d.admit(ctx, "export "+format, f.Wants)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	over := d.over(real, force)
	var out *abi.SaveResponse
	effect := ""
	parts := parts{roots: d.roots, real: real}
	defer parts.close()
	err = d.withInstance(ctx, func(in *domain.Instance) (err error) {
		in.Part = parts.add
		defer func() { in.Part = nil }()
		out, err = in.Export(ctx, &abi.ExportRequest{Format: format, Params: params, Files: d.relativeNames(real)})
		effect = in.Effect()
		return
	})
	if err != nil {
		return nil, nil, fmt.Errorf("cannot export: %w", d.mend(ctx, err))
	}
	if out.Run != nil {
		work, err := d.work(out.Run, real, over)
		if err == nil {
			err = roots.Check(real, over)
		}
		if err != nil {
			work.Close()
			return nil, nil, d.writeFailure(err, real, "export "+format)
		}
		return &reply.Reply{Warnings: out.Warnings}, work, nil
	}
	replaced := len(over.Known) == 0 && roots.Exists(real)
	from, total := parts.reader(out.Data)
	stamp, err := roots.WriteFrom(real, from, over)
	d.wrote.note(real, stamp, err)
	if err != nil {
		return nil, nil, withEffect(d.writeFailure(err, real, "export "+format), effect)
	}
	r := &reply.Reply{Warnings: out.Warnings, File: &reply.File{Path: real, MIME: cmp.Or(out.MIME, f.MIME), Size: total}}
	if replaced {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s existed and was replaced", reply.Place(d.roots.Show(real))))
	}
	r.Add(reply.Created, "exported %s (%s, %s)", d.roots.Show(real), format, reply.Size(int64(total)))
	return r, nil, nil
}

// exportPath resolves the path of an export in format f. The error says why the export cannot go there.
func (d *Document) exportPath(f abi.Format, params []abi.KeyValue, path string) (string, error) {
	if path == "" {
		return "", reply.Refuse([]reply.Suggestion{tryExport(d.roots, d.fileName(), "export "+f.Name, f)}, "export needs a file to write to")
	}
	real, err := d.roots.Resolve(path)
	if err != nil {
		return "", fmt.Errorf("cannot export: %w", err)
	}
	if real == d.place.where().Path {
		return "", d.ownFile(real)
	}
	if wrongExtension(d.Domain(), path, f) && !d.roots.IsDir(real) {
		action := fmt.Sprintf("export %s as:%s", f.Name, grammar.Quote(strings.TrimSuffix(path, filepath.Ext(path))+f.Extension))
		for _, p := range params {
			action += " " + p.Key + ":" + grammar.Quote(p.Value)
		}
		return "", reply.Refuse([]reply.Suggestion{reply.Action("%s", action)}, "%s makes %s files", f.Name, f.Extension)
	}
	return real, nil
}

// unknownFormat refuses an export in a format that the domain does not have.
func unknownFormat(d *domain.Domain, format, path string, save reply.Suggestion) error {
	var names []string
	for _, f := range d.Manifest.Exports {
		names = append(names, f.Name)
	}
	if len(names) == 0 {
		return reply.Refuse([]reply.Suggestion{save}, "the %s domain exports no other format", d.Name())
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
	return reply.Refuse(try, "unknown export format %.64q; there are %s", format, strings.Join(names, ", "))
}

// tryExport suggests an export of the document of a file name in format f to a file that does not exist.
func tryExport(roots *files.Roots, name, action string, f abi.Format) reply.Suggestion {
	return reply.Action("%s as:%s", action, grammar.Quote(freeName(roots, strings.TrimSuffix(name, filepath.Ext(name))+f.Extension)))
}

// parts collects the pieces of an exported file as the domain sends them.
type parts struct {
	roots *files.Roots
	real  string
	spool *files.Spool // nil: no piece yet
}

func (p *parts) add(data []byte) (err error) {
	if p.spool == nil {
		if p.spool, err = p.roots.Spool(p.real); err != nil {
			return err
		}
	}
	_, err = p.spool.Write(data)
	return err
}

// reader reads the file: data, which the export answered, then the pieces.
func (p *parts) reader(data []byte) (from io.Reader, size int) {
	if p.spool == nil {
		return bytes.NewReader(data), len(data)
	}
	return io.MultiReader(bytes.NewReader(data), p.spool.Reader()), int(p.spool.Size()) + len(data)
}

func (p *parts) close() {
	if p.spool != nil {
		p.spool.Close()
	}
}
