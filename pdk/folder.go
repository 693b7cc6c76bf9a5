package pdk

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/vmihailenco/msgpack/v5"
)

// Folder makes folders documents of the domain. The model of a folder is a function
// of its Files: it may cache what it parsed, and Files.Changed says which file to
// parse again. So the domain needs no code to undo and replay changes that others
// make to the folder.
type Folder[M any] struct {
	abi.Folder
	Open  func(f *Files) (m M, warnings []string, err error) // a file that does not parse is shown as broken; it is not an error
	Files func(m M) *Files                                   // the Files that Open was given; nil for a document that is one file
	New   func(f *Files, r *abi.NewRequest) error            // adds files to those that the folder has, for `new DIR`, before Open; nil to add none
}

// Folders is implemented only by *Folder. It is an interface so that modules
// without folders do not contain its code.
type Folders[M any] interface {
	manifest() *abi.Folder
	opens(r *abi.OpenRequest) bool
	open(r *abi.OpenRequest) (m M, warnings []string, err error)
	make(r *abi.NewRequest) (m M, warnings []string, err error)
	files(m M) *Files
	save(f *Files, r *abi.SaveRequest) (*abi.SaveResponse, error)
	edit(typ string, m M) Edit[M]
}

func (d *Folder[M]) manifest() *abi.Folder { return &d.Folder }

// opens reports whether r opens a folder.
func (d *Folder[M]) opens(r *abi.OpenRequest) bool {
	if r.Snapshot {
		return strings.HasPrefix(string(r.Data), folderSnapshot)
	}
	return r.Folder || len(r.Files) > 0
}

func (d *Folder[M]) open(r *abi.OpenRequest) (m M, warnings []string, err error) {
	f := NewFiles(r.Files...)
	if r.Snapshot {
		if f, err = restoreFiles(r.Data); err != nil {
			return m, nil, err
		}
	}
	return d.Open(f)
}

func (d *Folder[M]) make(r *abi.NewRequest) (m M, warnings []string, err error) {
	f := NewFiles(r.Files...)
	if d.New != nil {
		if err := d.New(f, r); err != nil {
			return m, nil, err
		}
	}
	return d.Open(f)
}

func (d *Folder[M]) files(m M) *Files { return d.Files(m) }

func (d *Folder[M]) save(f *Files, r *abi.SaveRequest) (*abi.SaveResponse, error) {
	switch {
	case r.Snapshot:
		data, err := f.snapshot()
		return &abi.SaveResponse{Data: data}, err
	case r.Whole:
		return &abi.SaveResponse{Files: f.whole()}, nil
	}
	return &abi.SaveResponse{Files: f.Changes()}, nil
}

// edit returns an empty edit for an event of a file, nil for other events.
func (d *Folder[M]) edit(typ string, m M) Edit[M] {
	if typ != abi.EventOutside && typ != eventFile {
		return nil
	}
	return &fileEdit[M]{files: d.Files(m)}
}

// Files are the files of a folder document by their names, which are relative and
// have slashes. Verbs change them with Ctx.PutFile and Ctx.RemoveFile, or by edits of
// the domain's own.
type Files struct {
	// Changed, if set, is called after a file was put or removed: by an op, by an
	// undo, or by somebody outside.
	Changed func(name string)

	now  map[string][]byte
	base map[string][]byte // original bytes of the files that were put or removed; nil for a file that did not exist
}

// NewFiles makes a folder's files. It keeps the slices of their bytes.
func NewFiles(list ...abi.File) *Files {
	f := &Files{now: make(map[string][]byte, len(list)), base: map[string][]byte{}}
	for _, file := range list {
		f.now[file.Name] = bytesOf(file.Data)
	}
	return f
}

// bytesOf makes the bytes of an empty file differ from those of a missing one, which are nil.
func bytesOf(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// Names lists the files, sorted.
func (f *Files) Names() []string { return slices.Sorted(maps.Keys(f.now)) }

// Get returns a file's bytes, nil if it does not exist. The caller must not change them.
func (f *Files) Get(name string) []byte { return f.now[name] }

// Has reports whether the file exists.
func (f *Files) Has(name string) bool { return f.now[name] != nil }

// Put writes a file. It keeps data.
func (f *Files) Put(name string, data []byte) { f.set(name, bytesOf(data)) }

// Remove deletes a file.
func (f *Files) Remove(name string) { f.set(name, nil) }

// set writes a file, or deletes it if data is nil.
func (f *Files) set(name string, data []byte) {
	if _, known := f.base[name]; !known {
		f.base[name] = f.now[name]
	}
	if data == nil {
		delete(f.now, name)
	} else {
		f.now[name] = data
	}
	if f.Changed != nil {
		f.Changed(name)
	}
}

// Changes lists the files that differ from those that NewFiles was given, sorted by name.
func (f *Files) Changes() []abi.FileChange {
	var out []abi.FileChange
	for _, name := range slices.Sorted(maps.Keys(f.base)) {
		was, is := f.base[name], f.now[name]
		if (was == nil) != (is == nil) || !bytes.Equal(was, is) {
			out = append(out, abi.FileChange{Name: name, Data: is, Removed: is == nil})
		}
	}
	return out
}

// whole lists all files as changes.
func (f *Files) whole() []abi.FileChange {
	var out []abi.FileChange
	for _, name := range f.Names() {
		out = append(out, abi.FileChange{Name: name, Data: f.now[name]})
	}
	return out
}

// folderSnapshot is the start of a snapshot of a folder. A domain's own snapshots must not start with it.
const folderSnapshot = "fcp folder\x00"

// folderContent is the content of a snapshot of a folder: the original files, and
// the document's changes to them.
type folderContent struct {
	Base    []abi.File
	Changes []abi.FileChange
}

func (f *Files) snapshot() ([]byte, error) {
	k := folderContent{Changes: f.Changes()}
	base := maps.Clone(f.now)
	for name, data := range f.base {
		if base[name] = data; data == nil {
			delete(base, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(base)) {
		k.Base = append(k.Base, abi.File{Name: name, Data: base[name]})
	}
	data, err := encode(&k)
	return append([]byte(folderSnapshot), data...), err
}

// restoreFiles reads a snapshot.
func restoreFiles(data []byte) (*Files, error) {
	var k folderContent
	if err := msgpack.Unmarshal(data[len(folderSnapshot):], &k); err != nil {
		return nil, err
	}
	f := NewFiles(k.Base...)
	for _, c := range k.Changes {
		f.set(c.Name, nil)
		if !c.Removed {
			f.Put(c.Name, c.Data)
		}
	}
	return f, nil
}

// eventFile is the type of the event of PutFile and RemoveFile. Like an
// EventOutside it holds an abi.Outside.
const eventFile = "fcp.file"

// fileEdit writes After to one file, or deletes the file if Is is false.
type fileEdit[M any] struct {
	abi.Outside
	files *Files
}

func (e *fileEdit[M]) Type() string { return eventFile }

func (e *fileEdit[M]) AppendMsgpack(b []byte) []byte {
	data, err := encode(&e.Outside)
	if err != nil {
		panic(err) // an Outside can always be encoded
	}
	return append(b, data...)
}

func (e *fileEdit[M]) Do(M) error   { return e.files.replace(e.Name, e.After, e.Is) }
func (e *fileEdit[M]) Undo(M) error { return e.files.replace(e.Name, e.Before, e.Was) }

// replace writes data to a file, or deletes the file if exists is false.
func (f *Files) replace(name string, data []byte, exists bool) error {
	if f == nil {
		return Errorf("this document is not a folder, so it has no file %s", name)
	}
	if exists {
		f.Put(name, data)
	} else {
		f.Remove(name)
	}
	return nil
}

// PutFile is Do for an edit that writes data to a file of the folder.
func (c *Ctx[M]) PutFile(name string, data []byte, summary string, ids ...string) error {
	return c.file(name, data, true, summary, ids)
}

// RemoveFile is Do for an edit that removes a file of the folder.
func (c *Ctx[M]) RemoveFile(name, summary string, ids ...string) error {
	return c.file(name, nil, false, summary, ids)
}

func (c *Ctx[M]) file(name string, data []byte, is bool, summary string, ids []string) error {
	e := &fileEdit[M]{Outside: abi.Outside{Name: name, After: data, Is: is}}
	if c.Host != nil {
		e.files = c.Host.files
	}
	if e.files != nil {
		e.Before, e.Was = e.files.Get(name), e.files.Has(name)
	}
	return c.Do(e, summary, ids...)
}
