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

// dir is the folder of a folder document.
//
// The content of a file may differ in three places: in the baseline, which only a new baseline changes; on the disk, as
// Folder knows it; and in the document, as its domain gives it. A save writes the third to the disk. Changes that
// others make on the disk become part of the third.
type dir struct {
	*folder.Folder
	base    map[string][]byte // the baseline's files
	pending map[string][]byte // files that others changed and the document has not taken in, with their content before the change
	unread  map[string]string // why files cannot be read, as already reported
	saves   string            // what was reported of other saves
	extra   int64             // bytes of files that differ from the baseline
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
	opened := openedFolder{Folder: f, snap: snap, real: real}
	return createFolder(ctx, d, roots, name, base, baseline{seed: folderSeed(req.Files), open: req}, opened)
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
	opened := openedFolder{Folder: f, snap: snap, real: real}
	doc, warnings, err = createFolder(ctx, d, roots, name, r.Title, baseline{seed: folderSeed(r.Files), create: r}, opened)
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
	return doc, slices.Concat(warnings, conflictLines(out.conflicts), out.warnings), nil
}

// ErrFolder reports that a folder is a document already.
var ErrFolder = errors.New("is a folder of this kind already")

// openedFolder is a folder with the files that were read when it was opened.
type openedFolder struct {
	*folder.Folder
	snap folder.Snapshot
	real string // its path
}

// createFolder makes a folder document from base. It closes the folder after an error.
func createFolder(ctx context.Context, d *domain.Domain, roots *files.Roots, name, title string, base baseline, f openedFolder) (*Document, []string, error) {
	doc, warnings, err := create(ctx, d, roots, name, title, f.real+string(filepath.Separator), base)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	doc.path = f.real
	doc.dir = &dir{Folder: f.Folder, base: base.files(), pending: map[string][]byte{}}
	lines := doc.reportLines(f.snap.Report)
	return doc, append(lines, warnings...), nil
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
