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
)

// File is a journal that this host owns. It is not safe for concurrent use.
type File struct {
	dir    *Dir
	id     string
	f      *os.File
	size   int64 // where the last record ends
	salt   salt
	number uint32 // of the next record
	cut    bool   // there are bytes behind the last record that are to go before the next

	// broken: nothing may be appended until a Rewrite has made a new file.
	broken  error
	damaged bool   // the file is to be kept aside before it is replaced or removed
	kept    string // as what the damaged one is
	buf     []byte // of Append
}

// Create makes a file of an owner with its first records. When it returns, they
// are on the disk.
func (d *Dir) Create(owner, key string, records iter.Seq[Record]) (Journal, error) {
	f := &File{dir: d, id: ID(owner, key)}
	if err := f.write(records); err != nil {
		return nil, err
	}
	return f, nil
}

// ID names the file in its folder.
func (f *File) ID() string { return f.id }

// Size is the file's size in bytes.
func (f *File) Size() int64 { return f.size }

// Held is true: the file is locked until this host ends.
func (f *File) Held() bool { return true }

// Hold does nothing.
func (f *File) Hold() error { return nil }

// Broken reports that only Rewrite can go on: an earlier failure left the file
// in doubt, or it was taken and is damaged or of an older version.
func (f *File) Broken() bool { return f.broken != nil }

// Kept is the name under which a Rewrite kept the damaged file in the folder, ""
// where there was none.
func (f *File) Kept() string { return f.kept }

// Reasons to be broken.
var (
	errDoubt   = errors.New("an earlier write to the journal failed")
	errLost    = errors.New("the journal's file was removed")
	errDamaged = errors.New("the journal is damaged")
	errOld     = errors.New("the journal has an older version")
)

// Append adds a record. When it returns nil, the record is on the disk; after
// an error, it is not part of the file. ErrFull and ErrNoRoom are errors before
// anything was written.
func (f *File) Append(r Record) error { return f.append(r, true) }

// Note adds a record that a loss of power may take away again, up to the next
// Append: one that only says what can be found out otherwise. The death of this
// host does not.
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
		f.broken = errLost // somebody tidied up; a record in a file without a name is none
		return errLost
	}
	if f.cut {
		if err := f.f.Truncate(f.size); err != nil {
			return reason(err)
		}
		f.cut = false
	}
	if err := f.dir.claim(f.id, 0, more); err != nil {
		return err
	}
	f.buf = f.salt.appendFrame(f.buf[:0], f.number, r)
	if _, err := f.f.WriteAt(f.buf, f.size); err != nil {
		f.takeBack()
		return reason(err)
	}
	if cap(f.buf) > 1<<20 {
		f.buf = nil // one large batch is no reason to keep its size
	}
	if !durable {
		f.size += more
		f.number++
		return nil
	}
	if err := f.f.Sync(); err != nil {
		f.takeBack()
		// The system may have dropped what it could not write, and say so once.
		f.broken = errDoubt
		return reason(err)
	}
	f.size += more
	f.number++
	return nil
}

// takeBack removes what a failed append wrote.
func (f *File) takeBack() {
	if err := f.f.Truncate(f.size); err != nil {
		f.broken = errDoubt
		return
	}
	if err := f.f.Sync(); err != nil {
		f.broken = errDoubt
	}
}

// Rewrite replaces what the file holds, at once: at any instant either the old
// records or the new ones are there. After an error the old ones still are.
func (f *File) Rewrite(records iter.Seq[Record]) error { return f.write(records) }

// write makes a new file, owned before it has its name.
func (f *File) write(records iter.Seq[Record]) error {
	if err := os.MkdirAll(f.dir.path, 0o700); err != nil {
		return reason(err)
	}
	name := filepath.Join(f.dir.path, f.id+"-"+NewKey()[:8]+fresh)
	n, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return reason(err)
	}
	fail := func(err error) error {
		n.Close()
		os.Remove(name)
		return reason(err)
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
		w.Write(buf) // its error is Flush's
	}
	if err := w.Flush(); err != nil {
		return fail(err)
	}
	if err := n.Sync(); err != nil {
		return fail(err)
	}
	moreFiles, more := 0, max(0, size-f.size)
	if f.f == nil || f.damaged { // what is kept aside stays beside the new one
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
		return reason(err)
	}
	f.f, f.size, f.salt, f.number, f.cut, f.damaged = n, size, salt, number, false, false
	if aside != "" {
		f.kept = filepath.Base(aside)
		// Its age counts from now on. Until here it was the journal as well.
		now := time.Now()
		_ = os.Chtimes(aside, now, now)
	}
	// Until the folder is synced, a power cut could bring the old file back.
	f.broken = errDoubt
	if err := syncDir(f.dir.path); err != nil {
		return reason(err)
	}
	f.broken = nil
	return nil
}

// setAside gives a damaged file a second name, under which it stays when it is
// replaced or removed, and returns that: "" for a file that is not damaged.
func (f *File) setAside() (string, error) {
	if !f.damaged {
		return "", nil
	}
	at, err := f.aside()
	if err != nil {
		return "", fmt.Errorf("the damaged file cannot be kept as %s: %w", filepath.Base(at), reason(err))
	}
	return at, nil
}

func (f *File) aside() (at string, err error) {
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
		// An earlier attempt may have come as far as this.
		if there, err := os.Lstat(at); err != nil || os.SameFile(there, info) {
			return at, err
		}
	}
}

// Close lets go of the file and leaves it for a later host.
func (f *File) Close() error { return f.f.Close() }

// Remove ends the file: what it held is not needed any more. Of one that is
// damaged and was never rewritten, all that is left stays aside.
func (f *File) Remove() error {
	if _, err := f.setAside(); err != nil {
		f.f.Close()
		return err
	}
	return f.drop()
}

// drop removes the file and all that it holds.
func (f *File) drop() error {
	err := remove(f.f, f.dir.file(f.id))
	os.Remove(f.dir.mark(f.id)) // there seldom is one
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return reason(err)
	}
	return reason(syncDir(f.dir.path))
}
