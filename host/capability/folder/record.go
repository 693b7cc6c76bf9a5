package folder

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/fcp-host/fcp-host/host/files"
)

const (
	recordPrefix   = ours + "save"    // of records, whoever wrote them
	temporary      = ours + "folder-" // prefix of temporary files, other than that of host/files
	conflictPrefix = ours + "kept-"
	damaged        = "-damaged" // ends the name under which a damaged record is kept

	// recordHead starts a record; a keyed checksum of the rest follows it.
	recordHead = "fcp-folder-save 2 "
	// maxRecord is the largest record that is read, in bytes: more than twice what any save writes.
	maxRecord = 256 << 20
)

// record has all that is needed to finish a save. It exists from the moment when the save can no longer be taken back
// until the save is done.
type record struct {
	ID      string  `json:"id"` // random, so that two saves never share temporary files
	Entries []entry `json:"entries"`
}

// entry is a Change with only the hash of Before.
type entry struct {
	Path       string `json:"path"`
	Before     []byte `json:"before"` // SHA-256; nil for no file
	BeforeSize int64  `json:"before_size"`
	After      []byte `json:"after"` // nil for no file
}

func newRecord(changes []Change) *record {
	var id [8]byte
	rand.Read(id[:])
	r := &record{ID: hex.EncodeToString(id[:])}
	for _, c := range changes {
		e := entry{Path: c.Path, BeforeSize: int64(len(c.Before)), After: c.After}
		if c.Before != nil {
			sum := sha256.Sum256(c.Before)
			e.Before = sum[:]
		}
		r.Entries = append(r.Entries, e)
	}
	return r
}

// temporary returns the name of the replacement for entry n's file, which is beside it; after the exchange the old file has that name.
func (r *record) temporary(n int) string { return fmt.Sprintf("%s%s-%d.tmp", temporary, r.ID, n) }

// conflictName returns the name under which a conflict stores a version of entry n, the save's or the other one, with
// the file's extension.
func (r *record) conflictName(n int, whose string) string {
	ending := path.Ext(r.Entries[n].Path)
	if len(ending) > 16 {
		ending = ""
	}
	return fmt.Sprintf("%s%s-%d-%s%s", conflictPrefix, r.ID, n, whose, ending)
}

// recordName returns the name of this user's record. Those of others have other names, so that none is in another's way.
func (f *Folder) recordName() string {
	sum := sha256.Sum256(f.key)
	return recordPrefix + "-" + hex.EncodeToString(sum[:8])
}

func (r *record) marshal(key []byte) ([]byte, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	if len(body) > maxRecord/2 {
		return nil, fmt.Errorf("%w: its changes", ErrLimit)
	}
	return seal(key, body), nil
}

// seal adds the head to a record's body.
func seal(key, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(body)
	return append([]byte(recordHead+hex.EncodeToString(mac.Sum(nil))+"\n"), body...)
}

// Why a record does not count.
var (
	errTorn    = errors.New("not a whole record") // the host died while it wrote the record, before any rename
	errDamaged = errors.New("a damaged record")   // it was whole once, so files may have been renamed; or nobody with the key wrote it
)

func parseRecord(key, data []byte) (*record, error) {
	_, body, _ := bytes.Cut(data, []byte("\n"))
	r := new(record)
	switch err := json.NewDecoder(bytes.NewReader(body)).Decode(r); {
	case hmac.Equal(data, seal(key, body)) && err == nil:
	case !bytes.HasSuffix(data, []byte("}")) && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)):
		return nil, errTorn
	default:
		return nil, errDamaged
	}
	// The ID becomes part of file names.
	if id, err := hex.DecodeString(r.ID); err != nil || len(id) != 8 {
		return nil, errDamaged
	}
	return r, nil
}

// writeRecord writes a record to disk.
func (f *Folder) writeRecord(state *os.Root, r *record) error {
	data, err := r.marshal(f.key)
	if err != nil {
		return err
	}
	if err := writeNew(state, f.recordName(), data, 0o600, f.between); err != nil {
		return err
	}
	return files.Reason(files.SyncDir(state, "."))
}

// removeRecord removes the record: the save is done.
func (f *Folder) removeRecord(state *os.Root) error {
	if err := state.Remove(f.recordName()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return files.Reason(err)
	}
	return files.Reason(files.SyncDir(state, "."))
}

// unfinished returns the record of a save that is not finished, nil if there is none. The caller has the lock, so the host that
// recorded it is dead, or its call failed. errTorn means that nothing was done yet, errDamaged that nobody knows.
func (f *Folder) unfinished(state *os.Root) (*record, error) {
	data, _, err := read(state, f.recordName(), maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the record %s of an earlier save cannot be read: %w", f.recordName(), err)
	}
	return parseRecord(f.key, data)
}

// writeNew creates, writes and syncs a file that must not exist.
func writeNew(at *os.Root, name string, data []byte, mode fs.FileMode, between func()) error {
	file, err := create(at, name, data, mode, between)
	if err != nil {
		return err
	}
	between()
	return errors.Join(files.Reason(file.Sync()), files.Reason(file.Close()))
}

// create creates and writes a file that must not exist. The caller syncs and closes it.
func create(at *os.Root, name string, data []byte, mode fs.FileMode, between func()) (*os.File, error) {
	file, err := at.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, files.Reason(err)
	}
	between()
	if _, err := file.Write(data); err != nil {
		file.Close()
		return nil, files.Reason(err)
	}
	return file, nil
}
