package document

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/journal"
)

// Calls after a lost record are listed and not replayed, since they may depend on it. The damaged file is kept, and the
// document continues in a new one.
func TestADamagedJournalIsReportedAndKept(t *testing.T) {
	d := blank(t, list(t))
	d.keep(journalDir(t, journal.Limits{}))
	d.do("add one")
	want := d.standingWithoutPositions()
	hit := d.journal.Size()
	d.do("add two")
	d.do("add three n:2", `add "fo\nur"`)
	d.ok(d.Checkpoint(ctx, "here"))
	d.ok(d.Undo(ctx, 1, false))
	d.ok(d.Redo(ctx, 1))
	d.ok(d.Each(ctx, true))
	d.ok(d.Save(ctx, "./t.list", false))
	for i := range 30 {
		d.do(fmt.Sprint("add line", i))
	}
	os.Remove(filepath.Join(d.dir, "t.list")) // otherwise recovery would compare the file's content
	dir, id := d.abandon()
	file := filepath.Join(dir.Path(), id+".journal")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]int64{"the length": hit + 2, "the number": hit + 5, "the data": hit + 30} {
		bad := append([]byte(nil), whole...)
		bad[at] ^= 0x10
		if err := os.WriteFile(file, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if l := Inspect(dir, journal.Left{ID: id}); l.Unreadable != nil || !l.Damaged || l.Ops != 1 {
			t.Fatalf("%s: %+v", name, l)
		}
		doc, warnings, err := Recover(ctx, d.Domain(), d.roots, d.Name, Left{Shelf: NewShelf(dir), ID: id})
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(warnings, "\n")
		said := `the journal is damaged: 1 record of it cannot be read, and what was answered after that is not part of this state: ` +
			`add three n:2, add "fo\nur"; checkpoint here; undo 1; redo 1; batch; save; add line0; `
		if !strings.HasPrefix(text, said) || !strings.Contains(text, "; and 16 more; the damaged file is kept as "+id) || strings.Contains(text, "cut off") {
			t.Errorf("%s: recovered with %q", name, text)
		}
		kept := text[strings.LastIndex(text, "kept as ")+len("kept as "):]
		kept, _, _ = strings.Cut(kept, " ")
		if got, err := os.ReadFile(filepath.Join(dir.Path(), kept)); err != nil || string(got) != string(bad) {
			t.Errorf("%s: %s is not the damaged file: %v", name, kept, err)
		}
		d.Document = doc
		if got := d.standingWithoutPositions(); got != want {
			t.Errorf("%s: recovered\n%+v\nwant\n%+v", name, got, want)
		}
		d.do("add after")
		again := d.standingWithoutPositions()
		d.die() // without a warning
		if got := d.standingWithoutPositions(); got != again {
			t.Errorf("%s: recovered again\n%+v\nwant\n%+v", name, got, again)
		}
		d.Close()
	}
}

// A damaged header loses nothing, but is reported.
func TestADamagedHeaderIsReportedAndLosesNothing(t *testing.T) {
	d := blank(t, list(t))
	d.keep(journalDir(t, journal.Limits{}))
	d.do("add one", "add two")
	want := d.standingWithoutPositions()
	dir, id := d.abandon()
	file := filepath.Join(dir.Path(), id+".journal")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[13] ^= 1 // of the salt
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	doc, warnings, err := Recover(ctx, d.Domain(), d.roots, d.Name, Left{Shelf: NewShelf(dir), ID: id})
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(warnings, "\n"); text != "the header of the journal is damaged; all records after it are undamaged and part of this state; the damaged file is kept as "+id+".damaged in the journal folder" {
		t.Errorf("recovered with %q", text)
	}
	d.Document = doc
	if got := d.standingWithoutPositions(); got != want {
		t.Errorf("recovered\n%+v\nwant\n%+v", got, want)
	}
	d.do("add after")
}

// A document whose first record is lost cannot be recovered, but its calls are listed.
func TestAJournalWithoutItsBaselineIsReported(t *testing.T) {
	d := blank(t, list(t))
	d.keep(journalDir(t, journal.Limits{}))
	d.do("add one")
	dir, id := d.abandon()
	file := filepath.Join(dir.Path(), id+".journal")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[60] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	const said = "the journal is damaged: 1 record of it cannot be read, and what was answered after that is not part of this state: add one"
	if l := Inspect(dir, journal.Left{ID: id}); l.Unreadable == nil || l.Unreadable.Error() != said {
		t.Errorf("it is listed as %v", l.Unreadable)
	}
	if _, _, err := Recover(ctx, d.Domain(), d.roots, d.Name, Left{Shelf: NewShelf(dir), ID: id}); err == nil || err.Error() != said {
		t.Errorf("recovered: %v", err)
	}
	if now, _ := os.ReadFile(file); string(now) != string(data) {
		t.Error("the file was changed")
	}
}

// Whichever bit of a journal is flipped, the recovered document has everything that was answered, or says that it does
// not.
func TestNoFlippedBitDropsAnOpSilently(t *testing.T) {
	d := blank(t, list(t))
	d.keep(journalDir(t, journal.Limits{}))
	for i := range 12 {
		d.do(fmt.Sprint("add ", i))
	}
	d.ok(d.Undo(ctx, 3, false))
	want := d.Summary().Digest
	dir, id := d.abandon()
	file := filepath.Join(dir.Path(), id+".journal")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 3))
	for range 5_000 {
		bad := append([]byte(nil), whole...)
		bit := rnd.IntN(8 * len(bad))
		bad[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(file, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		l := Inspect(dir, journal.Left{ID: id})
		if l.Unreadable == nil && !l.Damaged && (l.Digest != want || l.Ops != 9 || l.Redo != 3) {
			t.Fatalf("seed %d: bit %d: %+v without a word", seed, bit, l)
		}
	}
}

// The description of any record is printable.
func TestARecordIsDescribedInOneLine(t *testing.T) {
	enc := func(kind byte, v any) journal.Record {
		r, err := encode(kind, v)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	long := strings.Repeat("ä", 300)
	for want, r := range map[string]journal.Record{
		"something that cannot be read": {Kind: 99},
		"the start of another journal":  {Kind: recordBaseline},
		"":                              enc(recordSaved, &savedRecord{At: 0}),
		"save":                          enc(recordSaved, &savedRecord{At: savedHere}),
		strings.Repeat("ä", 100) + "…":  enc(recordBatch, newBatch([]eventlog.Entry{{Op: long}}, "")),
		"undo 2":                        enc(recordMove, &moveRecord{N: 2}),
		"checkpoint a":                  enc(recordCheckpoint, &checkpointRecord{"a"}),
		"add x, add y":                  enc(recordBatch, newBatch([]eventlog.Entry{{Op: "add x"}, {Op: "add y"}}, "")),
	} {
		if got := describeCall(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, kind := range []byte{recordBatch, recordMove, recordCheckpoint, recordSaved} {
		if got := describeCall(journal.Record{Kind: kind, Data: []byte("\xc1")}); got != "something that cannot be read" {
			t.Errorf("kind %d: %q", kind, got)
		}
	}
}

// A document in the first version of the format is recovered, and continues in the present one.
func TestAJournalOfVersion1IsRecovered(t *testing.T) {
	d := blank(t, list(t))
	d.keep(journalDir(t, journal.Limits{}))
	for _, call := range calls(d) {
		call()
	}
	want := d.standingWithoutPositions()
	dir, id := d.abandon()
	c, err := dir.Read(id)
	if err != nil {
		t.Fatal(err)
	}
	// A header of magic, version and salt, then frames of length, checksum, kind
	// and data, where a checksum covers the one before it, the length, the kind and
	// the data.
	table := crc32.MakeTable(crc32.Castagnoli)
	old := []byte("fcp-journal\x01salt")
	sum := crc32.Checksum(old, table)
	for _, r := range c.Records {
		covered := binary.LittleEndian.AppendUint32(nil, sum)
		covered = binary.LittleEndian.AppendUint32(covered, uint32(len(r.Data)))
		sum = crc32.Checksum(append(append(covered, r.Kind), r.Data...), table)
		old = binary.LittleEndian.AppendUint32(old, uint32(len(r.Data)))
		old = binary.LittleEndian.AppendUint32(old, sum)
		old = append(append(old, r.Kind), r.Data...)
	}
	file := filepath.Join(dir.Path(), id+".journal")
	if err := os.WriteFile(file, old, 0o600); err != nil {
		t.Fatal(err)
	}
	d.revive(dir, id) // without a warning
	if got := d.standingWithoutPositions(); got != want {
		t.Fatalf("recovered\n%+v\nwant\n%+v", got, want)
	}
	if now, _ := os.ReadFile(file); string(now) != string(old) {
		t.Error("it was written to before there was anything to write")
	}
	d.do("add more")
	want = d.standingWithoutPositions()
	d.die()
	if got := d.standingWithoutPositions(); got != want {
		t.Errorf("recovered again\n%+v\nwant\n%+v", got, want)
	}
	if now, err := os.ReadFile(file); err != nil || now[len("fcp-journal")] != 2 {
		t.Errorf("it has version %d, %v", now[len("fcp-journal")], err)
	}
}
