package document

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fcp-host/fcp-host/host/files"
)

// Files in the marker's folder that are not part of the document.

var errNoMarked = errors.New("the document is not a folder with a marker")

// enterMarked takes the turn of a document that is a folder with a marker, and returns the marker's name.
func (d *Document) enterMarked(ctx context.Context) (f *dir, marker string, err error) {
	if err := d.enter(ctx); err != nil {
		return nil, "", err
	}
	f, ok := d.place.(*dir)
	if !ok || d.Domain().Manifest.Folder.Marker == "" {
		d.leave()
		return nil, "", errNoMarked
	}
	return f, d.Domain().Manifest.Folder.Marker, nil
}

// WriteMarkerFile writes a file that is not part of the document into the marker's folder, over any regular file there,
// and returns its path.
func (d *Document) WriteMarkerFile(ctx context.Context, name string, data []byte) (string, error) {
	f, marker, err := d.enterMarked(ctx)
	if err != nil {
		return "", err
	}
	defer d.leave()
	if f.Takes(marker + "/" + name) {
		return "", fmt.Errorf("%s/%s is a file of the document", marker, name)
	}
	at := filepath.Join(f.path, marker, name)
	// Writing would replace a link, too, which may be there for a reason.
	if info, err := os.Lstat(at); err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", d.roots.Show(at))
	}
	_, err = d.roots.Write(at, data, files.Over{Any: true})
	return d.roots.Show(at), err
}

// cache is the folder that CleanMarkerCache removes from the marker's folder.
const cache = ".cache"

// CleanMarkerCache removes the folder .cache from the marker's folder, where other programs keep what they can make
// again. It reports whether the folder existed.
func (d *Document) CleanMarkerCache(ctx context.Context) (path string, there bool, err error) {
	f, marker, err := d.enterMarked(ctx)
	if err != nil {
		return "", false, err
	}
	defer d.leave()
	show := d.roots.Show(filepath.Join(f.path, marker, cache))
	if err := d.roots.Writable(f.path); err != nil {
		return show, false, err
	}
	root, err := d.roots.OpenDir(filepath.Join(f.path, marker))
	if err != nil {
		return show, false, err
	}
	defer root.Close()
	switch info, err := root.Lstat(cache); {
	case errors.Is(err, fs.ErrNotExist):
		return show, false, nil
	case err != nil:
		return show, false, files.Reason(err)
	case !info.IsDir():
		return show, true, fmt.Errorf("%s is not a folder", show)
	}
	return show, true, files.Reason(root.RemoveAll(cache))
}

// PathOf returns the path of one of the document's files.
func (d *Document) PathOf(ctx context.Context, name string) (string, error) {
	if err := d.enter(ctx); err != nil {
		return "", err
	}
	defer d.leave()
	f, ok := d.place.(*dir)
	if !ok || f.Content(name) == nil {
		return "", fmt.Errorf("the document has no file %q", name)
	}
	return filepath.Join(f.path, filepath.FromSlash(name)), nil
}
