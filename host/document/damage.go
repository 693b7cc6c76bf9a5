package document

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Limits on the list of calls after a damaged record.
const (
	maxTold     = 20  // calls
	maxToldText = 200 // bytes per call
)

// damage says what a damaged journal has lost. Calls after a lost record are listed but not replayed, since they may
// depend on what is lost.
func damage(c journal.Contents) string {
	if len(c.Behind) == 0 {
		return fmt.Sprintf("the journal is damaged: what was done after this state is lost (%s)", reply.Size(c.Cut))
	}
	var calls []string
	for _, r := range c.Behind {
		if call := describeCall(r); call != "" {
			calls = append(calls, call)
		}
	}
	more := len(calls) - maxTold
	calls = calls[:min(maxTold, len(calls))]
	text := fmt.Sprintf("the journal is damaged: %s of it cannot be read, and what was answered after that is not part of this state: %s",
		reply.Count(c.Lost, "record"), strings.Join(calls, "; "))
	if more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// describeCall says on one line what the call of a record was asked to do, as far as that can be read. It is "" if the
// record is not a call's.
func describeCall(r journal.Record) string {
	text := "something that cannot be read"
	switch r.Kind {
	case recordBaseline:
		text = "the start of another journal"
	case recordBatch:
		var b batchRecord
		if msgpack.Unmarshal(r.Data, &b) == nil {
			ops := make([]string, len(b.Entries))
			for i, e := range b.Entries {
				ops[i] = e.Op
			}
			text = strings.Join(ops, ", ")
		}
	case recordMove:
		var m moveRecord
		if msgpack.Unmarshal(r.Data, &m) == nil {
			text = fmt.Sprint(map[bool]string{false: "undo ", true: "redo "}[m.Redo], m.N)
		}
	case recordCheckpoint:
		var c checkpointRecord
		if msgpack.Unmarshal(r.Data, &c) == nil {
			text = "checkpoint " + c.Name
		}
	case recordMode:
		text = "batch"
	case recordSent:
		text = ""
	case recordSaved:
		var s savedRecord
		if err := msgpack.Unmarshal(r.Data, &s); err == nil && s.At != savedHere {
			text = ""
		} else if err == nil {
			text = "save"
		}
	}
	text = reply.Line(text)
	if len(text) > maxToldText {
		text = strings.ToValidUTF8(text[:maxToldText], "") + "…"
	}
	return text
}

// decodeJournal decodes the records of a journal up to the first damage.
func decodeJournal(c journal.Contents) (*decoded, error) {
	if c.Damaged && len(c.Records) == 0 {
		return nil, errors.New(damage(c))
	}
	return decodeRecords(c.Records)
}
