package document

import (
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
)

// maxReadings is how many ops of one call may be run in another reading, since for each the call starts again.
const maxReadings = 20

// tryReading suggests the one reading of a failed op, with names of several words in quotes, that works on the instance, whose
// state is state (Domain.Joined), and keeps it in b unless it deletes. It reports whether there is one.
func (t *trial) tryReading(b *batch, res *reply.Result) bool {
	op := b.readableOp(res.Op)
	if op == nil {
		return false
	}
	deletes, unsure := slices.Contains(t.Domain().Meanings(op.Verb), "remove"), false
	has := func(name string) bool {
		kind, _ := t.works(reply.Query(domain.NameQuery+" "+grammar.Quote(name)), nil)
		return !t.spent() && does(kind)
	}
	text := t.Domain().Joined(abi.TryOp, op.Raw, has, func(text string) bool {
		if unsure = unsure || t.spent(); unsure {
			return false
		}
		kind, _ := t.works(asTry(text)[0], op)
		deletes = deletes || kind == abi.Deleted
		return does(kind)
	})
	if text == "" || unsure {
		return false
	}
	res.Try = asTry(text)
	if !deletes {
		b.reading = text
	}
	return true
}

// readAs returns the texts of b's ops with the failed one in the reading that works, to be run instead; nil if there is
// none, or if the call cannot succeed.
func (b *batch) readAs(failed int) []string {
	texts := make([]string, len(b.items))
	for i := range b.items {
		if b.items[i].Err != nil {
			return nil
		}
		texts[i] = b.items[i].Raw
	}
	texts[failed] = b.reading
	return texts
}

// showReadings makes the lines of ops that run in another reading show it.
func (b *batch) showReadings(readings map[int]string) {
	for i, text := range readings {
		op := &b.items[i].Op
		op.Warnings = append(op.Warnings, "read as "+reply.Line(text))
	}
}
