package document

import (
	"fmt"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/journal"
)

// decoded is a document as decoded from its journal's records.
type decoded struct {
	baselineRecord
	log   *eventlog.Log
	place place // a file, even if it is a folder's path
	saved eventlog.Position
	each  bool
	wants []string              // the wants that a remote document was edited with
	disk  map[string]diskRecord // files of a folder whose content differs from the baseline
}

// decodeRecords decodes the records of a journal. Their checksums are valid, so an error means another version of
// fcp-host or a bug in this one.
func decodeRecords(records []journal.Record) (*decoded, error) {
	k := &decoded{place: &file{}, log: eventlog.New(eventlog.DefaultCap), disk: map[string]diskRecord{}}
	for i, r := range records {
		if (r.Kind == recordBaseline) != (i == 0) {
			return nil, fmt.Errorf("its records are not in order (kind %d as number %d)", r.Kind, i+1)
		}
		if err := k.apply(r); err != nil {
			return nil, fmt.Errorf("its record %d cannot be used: %w", i+1, err)
		}
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("it holds no record")
	}
	return k, nil
}

func (k *decoded) apply(r journal.Record) error {
	switch r.Kind {
	case recordBaseline:
		return as(r, k.begin)
	case recordBatch:
		return as(r, k.batch)
	case recordMove:
		return as(r, k.move)
	case recordCheckpoint:
		return as(r, func(c *checkpointRecord) error { return k.log.Checkpoint(c.Name) })
	case recordMode:
		return as(r, func(m *modeRecord) error { k.each = m.Each; return nil })
	case recordSaved:
		return as(r, k.save)
	case recordSent:
		return as(r, k.send)
	}
	return fmt.Errorf("the kind %d is not known", r.Kind)
}

// as decodes a record, and passes it to do.
func as[T any](r journal.Record, do func(*T) error) error {
	var v T
	if err := msgpack.Unmarshal(r.Data, &v); err != nil {
		return err
	}
	return do(&v)
}

func (k *decoded) begin(b *baselineRecord) error {
	if b.Format < 1 || b.Format > recordFormat {
		return fmt.Errorf("it has the format %d, this fcp-host reads up to %d", b.Format, recordFormat)
	}
	if (b.Create == nil) == (b.Open == nil) {
		return fmt.Errorf("the baseline is neither new nor a file")
	}
	k.baselineRecord, k.saved = *b, k.log.Position()
	return nil
}

func (k *decoded) batch(b *batchRecord) error {
	clean := k.saved == k.log.Position()
	k.log.Append(b.entries()...)
	k.Named = append(k.Named, b.Named...)
	k.setDigest(b.Digest)
	if k.noteOutside(b) && clean {
		k.saved = k.log.Position()
	}
	return nil
}

func (k *decoded) send(s *sentRecord) error {
	at, ok := k.place.(*remote)
	if !ok {
		return fmt.Errorf("it was sent nowhere")
	}
	at.noteSent((&savedRecord{Size: s.Size, Sum: s.Sum}).stamp())
	return nil
}

// move moves the log's cursor as an undo or redo did.
func (k *decoded) move(m *moveRecord) error {
	plan, err := k.log.PlanUndo(m.N)
	if m.Redo {
		plan, err = k.log.PlanRedo(m.N)
	}
	if err != nil {
		return err
	}
	if len(plan.Entries) != m.N {
		return fmt.Errorf("it moves by %d ops where there are %d", m.N, len(plan.Entries))
	}
	if err := k.log.Commit(plan); err != nil {
		return err
	}
	k.setDigest(m.Digest)
	return nil
}

// save sets where the document was saved, and what is on the disk.
func (k *decoded) save(s *savedRecord) error {
	k.place = &file{path: s.Path, stamp: s.stamp()}
	if s.Ref != "" {
		k.place, k.wants = &remote{ref: s.Ref, revision: s.Revision, stamp: s.stamp()}, s.Can
	}
	if s.Anew {
		clear(k.disk)
	}
	for _, r := range s.Disk {
		k.disk[r.Name] = r
	}
	switch {
	case s.At == savedHere:
		k.saved = k.log.Position()
	case s.At == savedNowhere:
		k.saved = eventlog.Nowhere()
	case s.At >= 0 && s.At <= k.log.Len():
		k.saved = k.log.At(s.At)
	default:
		return fmt.Errorf("it was saved after %d ops of %d", s.At, k.log.Len())
	}
	return nil
}

// noteOutside updates disk with files that others changed, and reports whether the batch has no other events.
func (k *decoded) noteOutside(b *batchRecord) bool {
	only := len(b.Entries) > 0
	for _, e := range b.Entries {
		for _, ev := range e.Events {
			var o abi.Outside
			if ev.Type != abi.EventOutside || abi.Unmarshal(ev.Data, &o) != nil {
				only = false
				continue
			}
			data := o.After
			if o.Is {
				data = nonNil(data)
			}
			k.disk[o.Name] = diskOf(o.Name, data)
		}
	}
	return only
}

// setDigest notes that a call led to a state with this digest; nil for a record that is not a call's.
func (k *decoded) setDigest(digest *string) {
	if digest != nil {
		k.Digest = *digest
		k.Revision++
	}
}
