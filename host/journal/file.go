package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/fcp-host/fcp-host/host/filelock"
	"github.com/fcp-host/fcp-host/host/files"
)

// File is a journal that this host owns. It is not safe for concurrent use.
type File struct {
	dir    *Dir
	id     string
	f      *os.File
	size   int64 // end of the last record
	salt   salt
	number uint32 // of the next record
	cut    bool   // bytes after the last record must be removed before the next one

	// broken is why nothing may be appended before a Rewrite has made a new file.
	broken  error
	damaged bool   // the file must be kept under another name before it is replaced or removed
	kept    string // name under which the damaged file was kept
	buf     []byte // buffer of append
}

// Create makes a journal of an owner with its first records, which are on the disk when it returns.
func (d *Dir) Create(owner, key string, records iter.Seq[Record]) (Journal, error) {
	f := &File{dir: d, id: ID(owner, key)}
	if err := f.write(records); err != nil {
		return nil, err
	}
	return f, nil
}

// ID is the journal's name in its folder.
func (f *File) ID() string { return f.id }

// Size is the file's size in bytes.
func (f *File) Size() int64 { return f.size }

// Held returns true, since the file is locked until this host ends.
func (f *File) Held() bool { return true }

// Hold does nothing: see Held.
func (f *File) Hold() error { return nil }

// Broken reports that only Rewrite is possible: an earlier failure left the file in doubt, or it was taken and is
// damaged or of an older version.
func (f *File) Broken() bool { return f.broken != nil }

// Kept is the name in the folder under which a Rewrite kept the damaged file, "" if there was none.
func (f *File) Kept() string { return f.kept }

// Values of File.broken.
var (
	errDoubt   = errors.New("an earlier write to the journal failed")
	errLost    = errors.New("the journal's file was removed")
	errDamaged = errors.New("the journal is damaged")
	errOld     = errors.New("the journal has an older version")
)

// Append adds a record. When it returns nil, the record is on the disk; after an error it is not part of the file.
// ErrFull and ErrNoRoom are returned before anything is written.
func (f *File) Append(r Record) error { return f.append(r, true) }

// Note adds a record that may be lost, until the next Append, if power fails, but not if this host dies: one that only
// says what can also be found out otherwise.
func (f *File) Note(r Record) error { return f.append(r, false) }

func (f *File) append(r Record, durable bool) error {
	if f.broken != nil {
		return f.broken
	}
	if len(r.Data) > maxRecord {
		return fmt.Errorf("a record of %d bytes, the limit is %d", len(r.Data), maxRecord)
	}
	more := frameSize + int64(len(r.Data))
	if f.size+more > f.dir.limits.File {
		return ErrFull
	}
	if info, err := f.f.Stat(); err != nil || !f.dir.isAt(f.id, info) {
		f.broken = errLost // the file was unlinked: appends would be lost
		return errLost
	}
	if f.cut {
		if err := f.f.Truncate(f.size); err != nil {
			return files.Reason(err)
		}
		f.cut = false
	}
	if err := f.dir.claim(f.id, 0, more); err != nil {
		return err
	}
	f.buf = f.salt.appendFrame(f.buf[:0], f.number, r)
	if _, err := f.f.WriteAt(f.buf, f.size); err != nil {
		f.undoAppend()
		return files.Reason(err)
	}
	if cap(f.buf) > 1<<20 {
		f.buf = nil // do not keep the size of one large batch
	}
	if !durable {
		f.size += more
		f.number++
		return nil
	}
	if err := f.f.Sync(); err != nil {
		f.undoAppend()
		// The system may have dropped the data it could not write, and reports that only once.
		f.broken = errDoubt
		return files.Reason(err)
	}
	f.size += more
	f.number++
	return nil
}

// undoAppend removes what a failed append wrote.
func (f *File) undoAppend() {
	if err := f.f.Truncate(f.size); err != nil {
		f.broken = errDoubt
		return
	}
	if err := f.f.Sync(); err != nil {
		f.broken = errDoubt
	}
}

// Rewrite replaces the file's records atomically. After an error the old ones are still there.
func (f *File) Rewrite(records iter.Seq[Record]) error { return f.write(records) }

// write makes a new file, which is locked before it gets its name.
func (f *File) write(records iter.Seq[Record]) error {
	if err := os.MkdirAll(f.dir.path, 0o700); err != nil {
		return files.Reason(err)
	}
	name := filepath.Join(f.dir.path, f.id+"-"+NewKey()[:8]+newSuffix)
	n, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return files.Reason(err)
	}
	fail := func(err error) error {
		n.Close()
		os.Remove(name)
		return files.Reason(err)
	}
	if locked, err := filelock.Lock(n, true); err != nil || !locked {
		if err == nil {
			err = ErrTaken
		}
		return fail(err)
	}
	w := bufio.NewWriterSize(n, 256<<10)
	salt := newSalt()
	w.Write(salt.header())
	size, number := int64(headerSize), uint32(0)
	var buf []byte
	for r := range records {
		if len(r.Data) > maxRecord {
			return fail(fmt.Errorf("a record of %d bytes, the limit is %d", len(r.Data), maxRecord))
		}
		if size += frameSize + int64(len(r.Data)); size > f.dir.limits.File {
			return fail(ErrFull)
		}
		buf = salt.appendFrame(buf[:0], number, r)
		number++
		w.Write(buf) // Flush returns its error
	}
	if err := w.Flush(); err != nil {
		return fail(err)
	}
	if err := n.Sync(); err != nil {
		return fail(err)
	}
	moreFiles, more := 0, max(0, size-f.size)
	if f.f == nil || f.damaged { // the damaged file stays beside the new one
		moreFiles, more = 1, size
	}
	if err := f.dir.claim(f.id, moreFiles, more); err != nil {
		return fail(err)
	}
	aside, err := f.setAside()
	if err != nil {
		return fail(err)
	}
	if n, err = publish(n, f.f, name, f.dir.file(f.id)); err != nil {
		os.Remove(name)
		return files.Reason(err)
	}
	f.f, f.size, f.salt, f.number, f.cut, f.damaged = n, size, salt, number, false, false
	if aside != "" {
		f.kept = filepath.Base(aside)
		// Its age counts from now: until now it was the journal.
		now := time.Now()
		_ = os.Chtimes(aside, now, now)
	}
	// Until the folder is synced, a power failure could bring the old file back.
	f.broken = errDoubt
	if err := syncDir(f.dir.path); err != nil {
		return files.Reason(err)
	}
	f.broken = nil
	return nil
}

// setAside links a damaged file under a second name, which stays when the file is replaced or removed, and returns that
// path; "" for a file that is not damaged.
func (f *File) setAside() (string, error) {
	if !f.damaged {
		return "", nil
	}
	at, err := f.linkAside()
	if err != nil {
		return "", fmt.Errorf("the damaged file cannot be kept as %s: %w", filepath.Base(at), files.Reason(err))
	}
	return at, nil
}

func (f *File) linkAside() (at string, err error) {
	info, err := f.f.Stat()
	if err != nil {
		return f.dir.damaged(f.id, 1), err
	}
	for n := 1; ; n++ {
		at = f.dir.damaged(f.id, n)
		err = os.Link(f.dir.file(f.id), at)
		if !errors.Is(err, fs.ErrExist) {
			return at, err
		}
		// An earlier attempt may have linked it already.
		if there, err := os.Lstat(at); err != nil || os.SameFile(there, info) {
			return at, err
		}
	}
}

// Close releases the file for a later host.
func (f *File) Close() error { return f.f.Close() }

// Remove removes the journal, whose records are no longer needed. A damaged file that was never rewritten stays under
// its second name.
func (f *File) Remove() error {
	if _, err := f.setAside(); err != nil {
		f.f.Close()
		return err
	}
	return f.delete()
}

// delete removes the file with everything in it.
func (f *File) delete() error {
	err := remove(f.f, f.dir.file(f.id))
	os.Remove(f.dir.markPath(f.id)) // usually there is none
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return files.Reason(err)
	}
	return files.Reason(syncDir(f.dir.path))
}
