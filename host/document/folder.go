package document

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/capability/folder"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
)

// dir is the folder that a document is.
//
// Three things may differ: the files of the baseline, which only a new baseline
// changes; those on the disk, as the Folder knows them; and those of the document,
// which its domain says. A save brings the second to the third, and what others
// change there is taken into the third.
type dir struct {
	*folder.Folder
	base    map[string][]byte // the baseline's files
	pending map[string][]byte // files that others changed, which the document does not have yet, as they were before
	unread  map[string]string // files that cannot be read, and why, as was told
	extra   int64             // bytes of files that are not the baseline's
}

// pattern is what the manifest says of folders.
func pattern(d *domain.Domain) folder.Pattern {
	f := d.Manifest.Folder
	return folder.Pattern{Include: f.Include, Exclude: f.Exclude, Marker: f.Marker}
}

// needsFolder is why the domain may not work on folders, nil where it may.
func needsFolder(ctx context.Context, d *domain.Domain) error {
	if r := d.Missing(ctx, []string{abi.WantFolder}); r != nil {
		return r
	}
	return nil
}

// OpenFolder makes a document of the folder at real, a path from roots.
func OpenFolder(ctx context.Context, d *domain.Domain, roots *files.Roots, name, real string) (*Document, []string, error) {
	if err := needsFolder(ctx, d); err != nil {
		return nil, nil, err
	}
	root, err := roots.OpenDir(real)
	if err != nil {
		return nil, nil, err
	}
	f, snap, err := folder.Open(root, pattern(d), folder.Limits{})
	if err != nil {
		return nil, nil, err
	}
	base := filepath.Base(real)
	req := &abi.OpenRequest{Name: base, Folder: true, Files: filesOf(snap)}
	return createFolder(ctx, d, roots, name, base, real, baseline{seed: folderSeed(req.Files), open: req}, f, snap)
}

// NewFolder makes the folder at real a document, with what the domain puts there.
// It is made unless it is there; without force it must not be a document of the domain already.
func NewFolder(ctx context.Context, d *domain.Domain, roots *files.Roots, name, real string, r *abi.NewRequest, force bool) (doc *Document, warnings []string, err error) {
	if err := needsFolder(ctx, d); err != nil {
		return nil, nil, err
	}
	made, err := roots.MakeDir(real)
	if err != nil {
		return nil, nil, err
	}
	marker := d.Manifest.Folder.Marker
	defer func() {
		if err == nil {
			return
		}
		if marker != "" {
			roots.RemoveDir(filepath.Join(real, marker)) // stays where something is in it
		}
		if made {
			roots.RemoveDir(real)
		}
	}()
	root, err := roots.OpenDir(real)
	if err != nil {
		return nil, nil, err
	}
	if _, there := root.Lstat(marker); there == nil && marker != "" {
		marker = "" // it stays, whatever happens
	}
	if marker == "" && !force && d.Manifest.Folder.Marker != "" {
		root.Close()
		return nil, nil, fmt.Errorf("%s %w", roots.Show(real), ErrFolder)
	}
	f, snap, err := folder.Create(root, pattern(d), folder.Limits{})
	if err != nil {
		return nil, nil, err
	}
	r.Folder, r.Files = true, filesOf(snap)
	doc, warnings, err = createFolder(ctx, d, roots, name, r.Title, real, baseline{seed: folderSeed(r.Files), create: r}, f, snap)
	if err != nil {
		return nil, nil, err
	}
	<-doc.turn
	defer doc.leave()
	w, err := doc.wanted(ctx)
	var out *stored
	if err == nil {
		out, err = doc.saveFolder(w)
	}
	if err != nil {
		doc.drop()
		doc.dir.Close()
		return nil, nil, err
	}
	return doc, slices.Concat(warnings, unwritten(out.conflicts), out.warnings), nil
}

// ErrFolder says that a folder need not be made a document.
var ErrFolder = errors.New("is a folder of this kind already")

func createFolder(ctx context.Context, d *domain.Domain, roots *files.Roots, name, title, real string, base baseline, f *folder.Folder, snap folder.Snapshot) (*Document, []string, error) {
	doc, warnings, err := create(ctx, d, roots, name, title, real+string(filepath.Separator), base)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	doc.path = real
	doc.dir = &dir{Folder: f, base: base.files(), pending: map[string][]byte{}}
	told := doc.told(snap.Report)
	return doc, append(told, warnings...), nil
}

func filesOf(s folder.Snapshot) []abi.File {
	out := make([]abi.File, len(s.Files))
	for i, f := range s.Files {
		out[i] = abi.File(f)
	}
	return out
}

func folderSeed(list []abi.File) uint64 {
	parts := make([][]byte, 0, 2*len(list))
	for _, f := range list {
		parts = append(parts, []byte(f.Name), f.Data)
	}
	return seed(parts...)
}

// folder reports whether the baseline is that of a folder.
func (b *baseline) folder() bool {
	return b.open != nil && b.open.Folder || b.create != nil && b.create.Folder
}

// files are those that the baseline holds, by name. Of a snapshot they are not
// known.
func (b *baseline) files() map[string][]byte {
	var list []abi.File
	switch {
	case b.open != nil:
		list = b.open.Files
	case b.create != nil:
		list = b.create.Files
	}
	out := make(map[string][]byte, len(list))
	for _, f := range list {
		out[f.Name] = there(f.Data)
	}
	return out
}

// size is how many bytes of files the baseline holds.
func (b *baseline) size() (n int64) {
	switch {
	case b.open != nil:
		n = int64(len(b.open.Data))
		for i := range b.open.Files {
			n += int64(len(b.open.Files[i].Data))
		}
	case b.create != nil:
		for i := range b.create.Files {
			n += int64(len(b.create.Files[i].Data))
		}
		for i := range b.create.Resources {
			n += int64(len(b.create.Resources[i].Data))
		}
	}
	return n
}
