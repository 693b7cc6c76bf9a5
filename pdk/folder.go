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
// parse again. So changes that others make to the folder are undone and replayed
// without code of the domain's.
type Folder[M any] struct {
	abi.Folder
	Open  func(f *Files) (m M, warnings []string, err error) // a file that does not parse is shown as broken, and is no error
	Files func(m M) *Files                                   // the Files that Open was given; nil for a document that is one file
	New   func(f *Files, r *abi.NewRequest) error            // what `new DIR` adds to the files that the folder has, before Open; nil for nothing
}

// Folders is implemented by *Folder alone. It is an interface so that modules
// without folders do not contain the code.
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

// opens reports whether r is for a folder.
func (d *Folder[M]) opens(r *abi.OpenRequest) bool {
	if r.Snapshot {
		return strings.HasPrefix(string(r.Data), folderSnapshot)
	}
	return r.Folder || len(r.Files) > 0
}

func (d *Folder[M]) open(r *abi.OpenRequest) (m M, warnings []string, err error) {
	f := NewFiles(r.Files...)
	if r.Snapshot {
		if f, err = restored(r.Data); err != nil {
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

// edit is an empty edit for the events of files, nil for others.
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
	base map[string][]byte // the folder's bytes of files that were put or removed since; nil for a file that it did not have
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

// Get returns a file's bytes, nil where it does not exist. The caller must not change them.
func (f *Files) Get(name string) []byte { return f.now[name] }

// Has reports whether the file exists.
func (f *Files) Has(name string) bool { return f.now[name] != nil }

// Put writes a file. It keeps data.
func (f *Files) Put(name string, data []byte) { f.set(name, bytesOf(data)) }

// Remove deletes a file.
func (f *Files) Remove(name string) { f.set(name, nil) }

// set writes a file, or deletes it where data is nil.
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

// Changes lists the files that differ from those of the folder, sorted by name.
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

// folderSnapshot begins a snapshot of a folder. A domain's own snapshots must not begin so.
const folderSnapshot = "fcp folder\x00"

// kept is the content of a snapshot of a folder: the folder's files, and the
// document's changes of them.
type kept struct {
	Base    []abi.File
	Changes []abi.FileChange
}

func (f *Files) snapshot() ([]byte, error) {
	k := kept{Changes: f.Changes()}
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

func restored(data []byte) (*Files, error) {
	var k kept
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

// fileEdit makes one file what After and Is say.
type fileEdit[M any] struct {
	abi.Outside
	files *Files
}

func (e *fileEdit[M]) Type() string { return eventFile }

func (e *fileEdit[M]) AppendMsgpack(b []byte) []byte {
	data, err := encode(&e.Outside)
	if err != nil {
		panic(err) // it holds nothing that cannot be encoded
	}
	return append(b, data...)
}

func (e *fileEdit[M]) Do(M) error   { return e.files.become(e.Name, e.After, e.Is) }
func (e *fileEdit[M]) Undo(M) error { return e.files.become(e.Name, e.Before, e.Was) }

func (f *Files) become(name string, data []byte, is bool) error {
	if f == nil {
		return Errorf("this document is no folder, so it has no file %s", name)
	}
	if is {
		f.Put(name, data)
	} else {
		f.Remove(name)
	}
	return nil
}

// PutFile is Do for an edit that makes a file of the folder hold data.
func (c *Ctx[M]) PutFile(name string, data []byte, summary string, ids ...string) error {
	return c.file(name, data, true, summary, ids)
}

// RemoveFile is Do for an edit that takes a file of the folder away.
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
