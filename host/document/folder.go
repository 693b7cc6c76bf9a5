package document

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/capability/folder"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
)

// dir is the place of a folder document.
//
// The content of a file may differ in three places: in the baseline, which only a new baseline changes; on the disk, as
// Folder knows it; and in the document, as its domain gives it. A save writes the third to the disk. Changes that
// others make on the disk become part of the third.
type dir struct {
	*folder.Folder
	path    string
	pending map[string][]byte // files that others changed and the document has not taken in, with their content before the change
	unread  map[string]string // why files cannot be read, as already reported
	saves   string            // what was reported of other saves
	extra   int64             // bytes of files that differ from the baseline
}

func (f *dir) where() Where {
	return Where{Path: f.path, Folder: true, Files: f.Count(), extra: f.extra}
}

func (f *dir) close() { f.Close() }

func (f *dir) fits(ctx context.Context, from, to *domain.Domain) error {
	if !reflect.DeepEqual(to.Manifest.Folder, from.Manifest.Folder) {
		return errors.New("it takes other files of a folder")
	}
	return checkFolderGrant(ctx, to)
}

// pattern selects the files of a folder, as the manifest says.
func pattern(d *domain.Domain) folder.Pattern {
	f := d.Manifest.Folder
	return folder.Pattern{Include: f.Include, Exclude: f.Exclude, Marker: f.Marker}
}

// checkFolderGrant returns an error if the domain may not work on folders.
func checkFolderGrant(ctx context.Context, d *domain.Domain) error {
	if r := d.Missing(ctx, []string{abi.WantFolder}); r != nil {
		return r
	}
	return nil
}

// OpenFolder opens the folder at real, a path within roots, as a document.
func OpenFolder(ctx context.Context, d *domain.Domain, roots *files.Roots, name, real string) (*Document, []string, error) {
	if err := checkFolderGrant(ctx, d); err != nil {
		return nil, nil, err
	}
	root, err := roots.OpenDir(real)
	if err != nil {
		return nil, nil, err
	}
	f, snap, err := folder.Open(root, pattern(d), roots.FolderKey(), folder.Limits{})
	if err != nil {
		return nil, nil, err
	}
	base := filepath.Base(real)
	req := &abi.OpenRequest{Name: base, Folder: true, Files: filesOf(snap)}
	at := &dir{Folder: f, path: real, pending: map[string][]byte{}}
	return createFolder(ctx, d, roots, name, at, baseline{seed: folderSeed(req.Files), open: req}, snap.Report)
}

// NewFolder makes a document in the folder at real, which it creates if needed. Without force it refuses a folder that
// is a document of the domain already.
func NewFolder(ctx context.Context, d *domain.Domain, roots *files.Roots, name, real string, r *abi.NewRequest, force bool) (doc *Document, warnings []string, err error) {
	if err := checkFolderGrant(ctx, d); err != nil {
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
			roots.RemoveDir(filepath.Join(real, marker)) // fails, as it should, if the folder is not empty
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
		marker = "" // existed before: not removed after an error
	}
	if marker == "" && !force && d.Manifest.Folder.Marker != "" {
		root.Close()
		return nil, nil, fmt.Errorf("%s %w", roots.Show(real), ErrFolder)
	}
	f, snap, err := folder.Create(root, pattern(d), roots.FolderKey(), folder.Limits{})
	if err != nil {
		return nil, nil, err
	}
	r.Folder, r.Files = true, filesOf(snap)
	at := &dir{Folder: f, path: real, pending: map[string][]byte{}}
	doc, warnings, err = createFolder(ctx, d, roots, name, at, baseline{seed: folderSeed(r.Files), create: r}, snap.Report)
	if err != nil {
		return nil, nil, err
	}
	<-doc.turn
	defer doc.leave()
	w, err := doc.wanted(ctx, doc.save)
	var out *stored
	if err == nil {
		out, err = at.put(doc, w)
	}
	if err != nil {
		doc.drop()
		at.close()
		return nil, nil, err
	}
	return doc, slices.Concat(warnings, conflictLines(out.conflicts), out.warnings), nil
}

// ErrFolder reports that a folder is a document already.
var ErrFolder = errors.New("is a folder of this kind already")

// createFolder makes a folder document from base. It closes the folder after an error.
func createFolder(ctx context.Context, d *domain.Domain, roots *files.Roots, name string, at *dir, base baseline, found folder.Report) (*Document, []string, error) {
	base.read()
	doc, warnings, err := create(ctx, d, roots, name, at, base)
	if err != nil {
		at.close()
		return nil, nil, err
	}
	return doc, append(at.reportLines(found), warnings...), nil
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
