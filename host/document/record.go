package document

import (
	"fmt"
	"iter"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/journal"
)

// The kinds of records in a document's journal: one baseline, then what was answered, in order. Applying them from the
// first to the last gives the document.
const (
	recordBaseline   byte = 1 // baselineRecord
	recordBatch      byte = 2 // batchRecord: entries appended as one call
	recordMove       byte = 3 // moveRecord: undo or redo
	recordCheckpoint byte = 4 // checkpointRecord
	recordMode       byte = 5 // modeRecord: batch atomic or each
	recordSaved      byte = 6 // savedRecord: the file on disk
	recordSent       byte = 7 // sentRecord: a remote document is about to be stored
)

// recordFormat counts changes of the records that an older host cannot read. Format 2 added folder and remote
// documents; all others are still written as 1.
const recordFormat = 2

type baselineRecord struct {
	Format   int              `msgpack:"format"`
	Owner    string           `msgpack:"owner,omitempty"` // "" for the user of the machine
	Name     string           `msgpack:"name"`
	Title    string           `msgpack:"title"`
	Domain   string           `msgpack:"domain"`
	Version  string           `msgpack:"version"` // of the domain
	Build    string           `msgpack:"build"`   // sha256 of its module
	Folder   string           `msgpack:"folder"`  // base of relative paths
	Seed     uint64           `msgpack:"seed"`
	Create   *abi.NewRequest  `msgpack:"create,omitempty"` // either this
	Open     *abi.OpenRequest `msgpack:"open,omitempty"`   // or this
	Revision uint64           `msgpack:"revision"`
	Digest   string           `msgpack:"digest"`          // after this record and the following ones without a digest
	Named    []abi.KeyValue   `msgpack:"named,omitempty"` // paths of files by their names in the document
}

type batchRecord struct {
	Entries []entryRecord  `msgpack:"entries"`
	Digest  *string        `msgpack:"digest,omitempty"` // nil: part of a rewritten history, not a call
	Named   []abi.KeyValue `msgpack:"named,omitempty"`  // paths of files by the names that the ops gave them
}

// entryRecord has short keys because there is one record for each change.
type entryRecord struct {
	Op     string        `msgpack:"o"`
	Events []eventRecord `msgpack:"e"`
	IDs    []string      `msgpack:"i,omitempty"`
}

type eventRecord struct {
	Type    string   `msgpack:"t"`
	Summary string   `msgpack:"s,omitempty"`
	IDs     []string `msgpack:"i,omitempty"`
	Data    []byte   `msgpack:"d"`
}

type moveRecord struct {
	N      int     `msgpack:"n"`
	Redo   bool    `msgpack:"redo,omitempty"`
	Digest *string `msgpack:"digest,omitempty"`
}

type checkpointRecord struct {
	Name string `msgpack:"name"`
}

type modeRecord struct {
	Each bool `msgpack:"each"`
}

type savedRecord struct {
	Path string `msgpack:"path"`
	Size int64  `msgpack:"size"`
	Sum  []byte `msgpack:"sum"`
	// At is how many entries lead to the saved state: savedHere, or in a rewritten history a number or savedNowhere.
	At int `msgpack:"at"`

	// For a folder: the files whose content on the disk differs from what earlier records say, or with Anew from the
	// baseline.
	Disk []diskRecord `msgpack:"disk,omitempty"`
	Anew bool         `msgpack:"anew,omitempty"`

	// For a remote document: its reference, its revision and the wants it was edited with; it is offered for recovery
	// only if they are granted. Sum is that of its bytes on the server.
	Ref      string   `msgpack:"ref,omitempty"`
	Revision string   `msgpack:"revision,omitempty"`
	Can      []string `msgpack:"can,omitempty"`
}

// sentRecord is the stamp of the bytes that are about to be stored on a server.
type sentRecord struct {
	Size int64  `msgpack:"size"`
	Sum  []byte `msgpack:"sum"`
}

// diskRecord is what this host knows of a folder's file on the disk.
type diskRecord struct {
	Name string `msgpack:"n"`
	Size int64  `msgpack:"s,omitempty"`
	Sum  []byte `msgpack:"h,omitempty"`
	Gone bool   `msgpack:"gone,omitempty"` // the file does not exist
}

func (r *diskRecord) take(s files.Stamp) { r.Size, r.Sum = s.Size, s.Sum[:] }

func (r *diskRecord) stamp() (s files.Stamp) {
	s.Size = r.Size
	copy(s.Sum[:], r.Sum)
	return s
}

// diskOf records a file's content; nil is no file.
func diskOf(name string, data []byte) diskRecord {
	r := diskRecord{Name: name, Gone: data == nil}
	if data != nil {
		r.take(files.StampOf(data))
	}
	return r
}

const (
	savedHere    = -1
	savedNowhere = -2 // the saved state is no longer in the history
)

func (d *Document) savedRecord(at int, disk []diskRecord) savedRecord {
	w := d.place.where()
	r := savedRecord{Path: w.Path, Size: w.stamp.Size, Sum: w.stamp.Sum[:], At: at, Disk: disk, Ref: w.Ref, Revision: w.revision}
	if w.Ref != "" {
		r.Can = d.Domain().Can()
	}
	return r
}

func (r *savedRecord) stamp() files.Stamp {
	s := files.Stamp{Size: r.Size}
	copy(s.Sum[:], r.Sum)
	return s
}

func entryRecords(entries []eventlog.Entry) []entryRecord {
	out := make([]entryRecord, len(entries))
	for i, e := range entries {
		out[i] = entryRecord{Op: e.Op, IDs: e.IDs, Events: make([]eventRecord, len(e.Events))}
		for k, ev := range e.Events {
			out[i].Events[k] = eventRecord(ev)
		}
	}
	return out
}

func (r *batchRecord) entries() []eventlog.Entry {
	out := make([]eventlog.Entry, len(r.Entries))
	for i, e := range r.Entries {
		out[i] = eventlog.Entry{Op: e.Op, IDs: e.IDs, Events: make([]eventlog.Event, len(e.Events))}
		for k, ev := range e.Events {
			out[i].Events[k] = eventlog.Event(ev)
		}
	}
	return out
}

// encode makes a record of v, which is one of the types above and always encodes.
func encode(kind byte, v any) (journal.Record, error) {
	data, err := abi.Marshal(v)
	if err != nil {
		return journal.Record{}, fmt.Errorf("encoding a record: %w", err)
	}
	return journal.Record{Kind: kind, Data: data}, nil
}

// records yields the whole document as records, from which Recover builds the same history with redo tail, checkpoints,
// mode and file. An error is passed to fail, and ends the sequence.
func (d *Document) records(fail func(error)) iter.Seq[journal.Record] {
	return func(yield func(journal.Record) bool) {
		put := func(kind byte, v any) bool {
			r, err := encode(kind, v)
			if err != nil {
				fail(err)
				return false
			}
			return yield(r)
		}
		format := recordFormat
		if w := d.place.where(); !w.Folder && w.Ref == "" {
			format = 1
		}
		if !put(recordBaseline, &baselineRecord{Format: format, Owner: d.owner, Name: d.Name, Title: d.title,
			Domain: d.Domain().Name(), Version: d.Domain().Manifest.Version, Build: d.Domain().Build, Folder: d.roots.Folder(),
			Seed: d.base.seed, Create: d.base.create, Open: d.base.open, Revision: d.revision, Digest: d.state.Digest,
			Named: d.knownNames()}) {
			return
		}
		named := map[int][]string{}
		for _, c := range d.log.Checkpoints() {
			at := d.log.Cursor() - c.Ago
			named[at] = append(named[at], c.Name)
		}
		n := 0
		var group []eventlog.Entry
		flush := func() bool {
			if len(group) > 0 && !put(recordBatch, &batchRecord{Entries: entryRecords(group)}) {
				return false
			}
			group = group[:0]
			for _, name := range named[n] {
				if !put(recordCheckpoint, &checkpointRecord{name}) {
					return false
				}
			}
			delete(named, n)
			return true
		}
		for e := range d.log.All() {
			if (len(group) == 0 || group[0].Batch != e.Batch || len(named[n]) > 0) && !flush() {
				return
			}
			group = append(group, e)
			n++
		}
		if !flush() {
			return
		}
		at, ok := d.log.Find(d.saved)
		if !ok {
			at = savedNowhere
		}
		disk, sent := d.place.known(d)
		saved := d.savedRecord(at, disk)
		saved.Anew = d.base.folder()
		if !put(recordSaved, saved) {
			return
		}
		for _, s := range sent {
			if !put(recordSent, &sentRecord{s.Size, s.Sum[:]}) {
				return
			}
		}
		if back := d.log.Len() - d.log.Cursor(); back > 0 && !put(recordMove, &moveRecord{N: back}) {
			return
		}
		if d.each {
			put(recordMode, &modeRecord{d.each})
		}
	}
}
