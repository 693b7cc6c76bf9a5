package journal

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// oldFile returns a file of format version 1.
func oldFile(records ...Record) []byte {
	data := append([]byte(magic), versionOld, 's', 'a', 'l', 't')
	sum := crc32.Checksum(data, castagnoli())
	for _, r := range records {
		sum = checksumOld(sum, r)
		data = binary.LittleEndian.AppendUint32(data, uint32(len(r.Data)))
		data = binary.LittleEndian.AppendUint32(data, sum)
		data = append(append(data, r.Kind), r.Data...)
	}
	return data
}

// newFile returns a file of the current version.
func newFile(records ...Record) []byte {
	salt := newSalt()
	data := salt.header()
	for i, r := range records {
		data = salt.appendFrame(data, uint32(i), r)
	}
	return data
}

// randomRecords returns the records of a small document: a baseline, then calls.
func randomRecords(rnd *rand.Rand) []Record {
	out := make([]Record, 1+rnd.IntN(12))
	for i := range out {
		data := make([]byte, rnd.IntN(60))
		for k := range data {
			data[k] = byte(rnd.IntN(256)) >> rnd.IntN(9) // many zeros and small numbers, like lengths
		}
		out[i] = Record{Kind: byte(1 + rnd.IntN(6)), Data: data}
	}
	return out
}

// Whichever bit is flipped, in either version: each record is read, or the reader reports damage. It never reports a
// truncated write, because there was none.
func TestNoFlippedBitDropsARecordSilently(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 1))
	flips, behind := 100_000, 0
	for n := 0; n < flips; {
		records := randomRecords(rnd)
		for _, whole := range [][]byte{newFile(records...), oldFile(records...)} {
			old := whole[len(magic)] == versionOld
			for range 100 {
				n++
				bit := rnd.IntN(8 * len(whole))
				bad := bytes.Clone(whole)
				bad[bit/8] ^= 1 << (bit % 8)
				c, err := parse(bad)
				if err != nil {
					if bit/8 >= headerSize || !old && len(records[0].Data) > 0 {
						t.Fatalf("seed %d: bit %d of %x: refused: %v", seed, bit, whole, err)
					}
					continue // reported, and the file is not changed
				}
				if bit/8 < headerSize && !old {
					if !c.Header || c.Damaged || !slices.EqualFunc(c.Records, records, equal) {
						t.Fatalf("seed %d: bit %d of %x: behind the header are %d of %d records", seed, bit, whole, len(c.Records), len(records))
					}
					continue
				}
				if !c.Damaged || len(c.Records) == len(records) || !slices.EqualFunc(c.Records, records[:len(c.Records)], equal) {
					t.Fatalf("seed %d: bit %d of %x: %d of %d records, damaged %v", seed, bit, whole, len(c.Records), len(records), c.Damaged)
				}
				if old {
					continue
				}
				// All records except the damaged one are read.
				want := records[len(c.Records)+1:]
				if !slices.EqualFunc(c.Behind, want, equal) || len(want) > 0 && c.Lost != 1 {
					t.Fatalf("seed %d: bit %d of %x: behind record %d are %d and %d lost, want %d and 1", seed, bit, whole, len(c.Records), len(c.Behind), c.Lost, len(want))
				}
				behind += len(c.Behind)
			}
		}
	}
	if behind == 0 {
		t.Error("no record was ever found behind the damage")
	}
}

func equal(a, b Record) bool { return a.Kind == b.Kind && bytes.Equal(a.Data, b.Data) }

// Junk hides only the records that it overwrites.
func TestRecordsAfterJunkAreFound(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 2))
	for range 5_000 {
		records := randomRecords(rnd)
		data := newFile(records...)
		from := headerSize + rnd.IntN(len(data)-headerSize)
		to := from + 1 + rnd.IntN(len(data)-from)
		whole := bytes.Clone(data)
		for i := from; i < to; i++ {
			data[i] ^= byte(1 + rnd.IntN(255))
		}
		at, first, last := headerSize, -1, -1 // first and last are indexes of the overwritten records
		for i, r := range records {
			size := frameSize + len(r.Data)
			if at < to && from < at+size {
				if last = i; first < 0 {
					first = i
				}
			}
			at += size
		}
		c, err := parse(data)
		if err != nil || !slices.EqualFunc(c.Records, records[:first], equal) || !slices.EqualFunc(c.Behind, records[last+1:], equal) || !c.Damaged {
			t.Fatalf("seed %d: junk from %d to %d of %x: %v, %d records and %d behind, want %d and %d", seed, from, to, whole, err, len(c.Records), len(c.Behind), first, len(records)-last-1)
		}
	}
}

// The first record determines a damaged header. Junk that is not a journal, and a journal of a later version, are not
// accepted.
func TestTheRecordsAfterADamagedHeaderAreFound(t *testing.T) {
	records := []Record{record(1, "base"), record(2, "one"), record(2, "two")}
	whole := newFile(records...)
	for from := range headerSize {
		for to := from + 1; to <= headerSize; to++ {
			data := bytes.Clone(whole)
			clear(data[from:to])
			if bytes.Equal(data, whole) {
				continue
			}
			c, err := parse(data)
			if err != nil || text(c.Records) != "1:base 2:one 2:two" || !c.Header || c.Damaged || c.Cut != 0 {
				t.Fatalf("zeros from %d to %d: %q, %+v, %v", from, to, text(c.Records), c, err)
			}
		}
	}
	// Other damage is reported as well.
	data := bytes.Clone(whole)
	data[0] ^= 1
	data[len(data)-1] ^= 1 // in the last record
	if c, err := parse(data); err != nil || !c.Header || !c.Damaged || text(c.Records) != "1:base 2:one" || c.Lost != 1 {
		t.Errorf("%q, %+v, %v", text(c.Records), c, err)
	}
	data[headerSize] ^= 1
	if c, err := parse(data); err == nil {
		t.Errorf("without header and first record: %+v", c)
	}
	for _, junk := range [][]byte{make([]byte, 1000), []byte(strings.Repeat("junk", 100)), whole[:headerSize], make([]byte, headerSize+frameSize)} {
		if c, err := parse(junk); len(c.Records) > 0 || c.Header {
			t.Errorf("%d bytes of junk: %+v, %v", len(junk), c, err)
		}
	}
}

func TestAFileWithADamagedHeaderIsKeptUnderAnotherName(t *testing.T) {
	d := open(t)
	data := newFile(record(1, "base"), record(2, "one"))
	data[len(magic)+1] ^= 4
	if err := os.WriteFile(d.file("doc"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, c, err := take(d, "doc")
	if err != nil || text(c.Records) != "1:base 2:one" || f.Append(record(2, "more")) == nil {
		t.Fatalf("took %q: %v", text(c.Records), err)
	}
	if err := f.Rewrite(slices.Values(c.Records)); err != nil || f.Kept() != "doc.damaged" {
		t.Fatalf("kept as %q: %v", f.Kept(), err)
	}
	appendAll(t, f, record(2, "two"))
	f.Close()
	if c, err := d.Read("doc"); err != nil || text(c.Records) != "1:base 2:one 2:two" || c.Header {
		t.Errorf("it reads %q, %v", text(c.Records), err)
	}
}

func TestADamagedFileIsKeptUnderAnotherName(t *testing.T) {
	d := open(t)
	var kept []string
	id := ""
	for round := range 3 {
		data := newFile(record(1, "base"), record(2, fmt.Sprint("one ", round)), record(2, "two"))
		if id == "" {
			id = "doc"
		}
		data[headerSize+frameSize+4+2] ^= 1 // in the number of the second record
		if err := os.WriteFile(d.file(id), data, 0o600); err != nil {
			t.Fatal(err)
		}
		f, c, err := take(d, id)
		if err != nil || text(c.Records) != "1:base" || text(c.Behind) != "2:two" || c.Lost != 1 {
			t.Fatalf("took %q, behind %q, %d lost: %v", text(c.Records), text(c.Behind), c.Lost, err)
		}
		if err := f.Append(record(2, "more")); err == nil {
			t.Error("a damaged file is appended to")
		}
		if now, _ := os.ReadFile(d.file(id)); !bytes.Equal(now, data) {
			t.Fatal("the file was changed")
		}
		// A host that died meanwhile had already kept the file.
		if round == 1 {
			if err := os.Link(d.file(id), filepath.Join(d.Path(), "doc-2.damaged")); err != nil {
				t.Fatal(err)
			}
		}
		if round < 2 {
			if err := f.Rewrite(slices.Values(c.Records)); err != nil {
				t.Fatal(err)
			}
			kept = append(kept, f.Kept())
			f.Close()
		} else if err := f.Remove(); err != nil { // never rewritten before
			t.Fatal(err)
		}
		name := []string{"doc.damaged", "doc-2.damaged", "doc-3.damaged"}[round]
		if now, err := os.ReadFile(filepath.Join(d.Path(), name)); err != nil || !bytes.Equal(now, data) {
			t.Errorf("round %d: the damaged file is not kept as %s: %v", round, name, err)
		}
	}
	if strings.Join(kept, " ") != "doc.damaged doc-2.damaged" {
		t.Errorf("it is said to be kept as %v", kept)
	}
	if _, err := os.Lstat(d.file(id)); err == nil {
		t.Error("a file that was removed is there")
	}
	// Discarding a damaged file deletes it.
	data := newFile(record(1, "base"))
	data[len(data)-1] ^= 1
	os.WriteFile(d.file("drop"), data, 0o600)
	if err := d.Discard("drop"); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(d.Path(), "drop*")); len(left) > 0 {
		t.Errorf("discarded, %v are left", left)
	}
}

// If a damaged file cannot be kept, it is not replaced.
func TestWithoutRoomForTheDamagedFileNothingIsWritten(t *testing.T) {
	d := open(t)
	data := newFile(record(1, "base"), record(2, "one"))
	data[len(data)-1] ^= 1
	os.WriteFile(d.file("doc"), data, 0o600)
	f, c, err := take(d, "doc")
	if err != nil {
		t.Fatal(err)
	}
	// The file was renamed, so there is nothing to keep under another name.
	if err := os.Rename(d.file("doc"), filepath.Join(d.Path(), "elsewhere")); err != nil {
		t.Fatal(err)
	}
	if err := f.Rewrite(slices.Values(c.Records)); err == nil || !strings.Contains(err.Error(), "cannot be kept as doc.damaged") {
		t.Errorf("rewritten: %v", err)
	}
	if err := f.Remove(); err == nil {
		t.Error("removed")
	}
	entries, _ := os.ReadDir(d.Path())
	if len(entries) != 1 || entries[0].Name() != "elsewhere" {
		t.Errorf("the folder holds %v", entries)
	}
}

func TestAFileOfVersion1IsReadAndRewritten(t *testing.T) {
	d := open(t)
	os.WriteFile(d.file("old"), oldFile(record(1, "base"), record(2, ""), record(3, "one")), 0o600)
	f, c, err := take(d, "old")
	if err != nil || text(c.Records) != "1:base 2: 3:one" || c.Damaged || c.Cut != 0 {
		t.Fatalf("took %q, damaged %v, cut %d: %v", text(c.Records), c.Damaged, c.Cut, err)
	}
	if err := f.Append(record(2, "two")); err == nil || !f.Broken() {
		t.Error("a file of the old version is appended to")
	}
	if err := f.Rewrite(slices.Values(c.Records)); err != nil {
		t.Fatal(err)
	}
	appendAll(t, f, record(2, "two"))
	f.Close()
	data, err := os.ReadFile(d.file("old"))
	if err != nil || data[len(magic)] != version {
		t.Errorf("it has version %d, %v", data[len(magic)], err)
	}
	if c, err := d.Read("old"); err != nil || text(c.Records) != "1:base 2: 3:one 2:two" {
		t.Errorf("it reads %q, %v", text(c.Records), err)
	}
	if entries, _ := os.ReadDir(d.Path()); len(entries) != 1 {
		t.Errorf("the folder holds %v", entries)
	}
	// A truncated write leaves the start of a frame.
	whole := oldFile(record(1, "base"), record(2, "one"))
	for cut := range 12 {
		c, err := parse(whole[:len(whole)-cut])
		if err != nil || len(c.Records) != 2-min(1, cut) || c.Damaged != (cut > 0 && cut <= 3) {
			t.Errorf("cut by %d: %q, damaged %v, %v", cut, text(c.Records), c.Damaged, err)
		}
	}
}
