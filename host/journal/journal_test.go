package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func open(t testing.TB) *Dir {
	t.Helper()
	d, err := Open(filepath.Join(t.TempDir(), "state", "journal"), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func record(kind byte, text string) Record { return Record{Kind: kind, Data: []byte(text)} }

func create(t testing.TB, d *Dir, records ...Record) *File {
	t.Helper()
	f, err := d.Create("", NewKey(), slices.Values(records))
	if err != nil {
		t.Fatal(err)
	}
	return f.(*File)
}

func appendAll(t testing.TB, f Journal, records ...Record) {
	t.Helper()
	for _, r := range records {
		if err := f.Append(r); err != nil {
			t.Fatal(err)
		}
	}
}

// text spells records for comparison.
func text(records []Record) string {
	var b strings.Builder
	for _, r := range records {
		fmt.Fprintf(&b, "%d:%s ", r.Kind, r.Data)
	}
	return strings.TrimSpace(b.String())
}

// only gives the one file that is left.
func only(t testing.TB, d *Dir) string {
	t.Helper()
	left, err := d.Left()
	if err != nil || len(left) != 1 {
		t.Fatalf("left are %v (%v), want one", left, err)
	}
	return left[0].ID
}

func TestRecordsAreThereForTheNextOwner(t *testing.T) {
	d := open(t)
	f := create(t, d, record(1, "base"))
	appendAll(t, f, record(2, "one"), record(3, ""), record(2, "two"))
	f.Close()

	f, c, err := take(d, only(t, d))
	if err != nil {
		t.Fatal(err)
	}
	if got := text(c.Records); got != "1:base 2:one 3: 2:two" || c.Cut != 0 || c.Damaged {
		t.Errorf("took %q, cut %d, damaged %v", got, c.Cut, c.Damaged)
	}
	appendAll(t, f, record(2, "three"))
	f.Close()
	c, err = d.Read(only(t, d))
	if err != nil || text(c.Records) != "1:base 2:one 3: 2:two 2:three" {
		t.Errorf("then %q, %v", text(c.Records), err)
	}
}

func TestAFileThatIsOwnedIsNotLeft(t *testing.T) {
	d := open(t)
	f := create(t, d, record(1, "a"))
	if left, err := d.Left(); err != nil || len(left) != 0 {
		t.Errorf("left is %v, %v", left, err)
	}
	if _, _, err := d.Take(f.ID()); !errors.Is(err, ErrTaken) {
		t.Errorf("taking it: %v", err)
	}
	if err := d.Discard(f.ID()); !errors.Is(err, ErrTaken) {
		t.Errorf("discarding it: %v", err)
	}
	if err := f.Rewrite(slices.Values([]Record{record(1, "b")})); err != nil {
		t.Fatal(err)
	}
	if left, err := d.Left(); err != nil || len(left) != 0 {
		t.Errorf("after a rewrite left is %v, %v", left, err)
	}
	f.Close()
	other := create(t, d, record(1, "c"))
	defer other.Close()
	if c, err := d.Read(only(t, d)); err != nil || text(c.Records) != "1:b" {
		t.Errorf("closed it holds %q, %v", text(c.Records), err)
	}
}

func TestAFileIsTakenOnce(t *testing.T) {
	d := open(t)
	create(t, d, record(1, "a")).Close()
	id := only(t, d)
	f, _, err := take(d, id)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Take(id); !errors.Is(err, ErrTaken) {
		t.Errorf("taken twice: %v", err)
	}
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Take(id); !errors.Is(err, ErrGone) {
		t.Errorf("taken after its end: %v", err)
	}
	if entries, _ := os.ReadDir(d.Path()); len(entries) != 0 {
		t.Errorf("the folder holds %v", entries)
	}
}

func TestOnlyTheUserCanReadIt(t *testing.T) {
	d := open(t)
	f := create(t, d, record(1, "secret"))
	defer f.Close()
	appendAll(t, f, record(2, "more"))
	if info, err := os.Stat(d.Path()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v, %v", info.Mode(), err)
	}
	check := func() {
		t.Helper()
		entries, _ := os.ReadDir(d.Path())
		for _, e := range entries {
			if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s is %v, %v", e.Name(), info.Mode(), err)
			}
		}
	}
	check()
	if err := f.Rewrite(slices.Values([]Record{record(1, "b")})); err != nil {
		t.Fatal(err)
	}
	check()
}

func TestAFolderThatOthersCanWriteToIsRefused(t *testing.T) {
	for _, mode := range []os.FileMode{0o777, 0o770, 0o722} {
		dir := t.TempDir()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, Limits{}); err == nil || !strings.Contains(err.Error(), "chmod 700") {
			t.Errorf("%v: %v", mode, err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o600)
	if _, err := Open(file, Limits{}); err == nil {
		t.Error("a file is accepted as the folder")
	}
}

func TestWhatIsNotAJournalIsNotTouched(t *testing.T) {
	d := open(t)
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("keep me"), 0o600); err != nil {
		t.Fatal(err)
	}
	os.Symlink(outside, d.file("link"))
	os.Mkdir(d.file("folder"), 0o700)
	os.WriteFile(filepath.Join(d.Path(), "notes.txt"), []byte("x"), 0o600)
	if left, err := d.Left(); err != nil || len(left) != 0 {
		t.Errorf("left is %v, %v", left, err)
	}
	for _, id := range []string{"link", "folder", "", ".", "..", "../outside", "a/b"} {
		if _, _, err := d.Take(id); err == nil {
			t.Errorf("%q was taken", id)
		}
	}
	if got, _ := os.ReadFile(outside); string(got) != "keep me" {
		t.Errorf("the file behind the link is %q", got)
	}
	os.WriteFile(d.file("junk"), []byte("this is no journal"), 0o600)
	if _, err := d.Read("junk"); !errors.Is(err, ErrFormat) {
		t.Errorf("junk is read: %v", err)
	}
	if _, _, err := d.Take("junk"); !errors.Is(err, ErrFormat) {
		t.Errorf("junk is taken: %v", err)
	}
	if err := d.Discard("junk"); err != nil {
		t.Errorf("junk cannot be discarded: %v", err)
	}
}

func TestANewerFormatIsRefusedAndKept(t *testing.T) {
	d := open(t)
	create(t, d, record(1, "a")).Close()
	id := only(t, d)
	data, _ := os.ReadFile(d.file(id))
	data[len(magic)] = version + 1
	binary.LittleEndian.PutUint32(data[headerSize-4:], crc32.Checksum(data[:headerSize-4], castagnoli()))
	os.WriteFile(d.file(id), data, 0o600)
	if _, _, err := d.Take(id); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "version 3") {
		t.Errorf("taking it: %v", err)
	}
	if now, _ := os.ReadFile(d.file(id)); !bytes.Equal(now, data) {
		t.Error("the file was changed")
	}
}

// A write can be cut at any byte. Every record that was whole is there, and
// nothing else; and the file goes on from there. Where the file just ends early,
// nothing that was answered is lost; zeros and junk may be all that is left of
// it, so they count as damage, and the file is kept.
func TestATornFileGivesItsWholeRecords(t *testing.T) {
	d := open(t)
	f := create(t, d, record(1, "baseline"))
	sizes := []int64{f.Size()}
	want := []string{"1:baseline"}
	for i := range 8 {
		r := record(byte(2+i%3), strings.Repeat("x", i*3))
		appendAll(t, f, r)
		sizes = append(sizes, f.Size())
		want = append(want, want[i]+" "+text([]Record{r}))
	}
	f.Close()
	whole, err := os.ReadFile(d.file(only(t, d)))
	if err != nil {
		t.Fatal(err)
	}
	// What follows the cut on the disk: nothing, zeros, or what was there before.
	for _, behind := range []string{"nothing", "zeros", "junk"} {
		for cut := range len(whole) {
			torn := append([]byte(nil), whole[:cut]...)
			switch behind {
			case "zeros":
				torn = append(torn, make([]byte, len(whole)-cut)...)
			case "junk":
				for i := cut; i < len(whole); i++ {
					torn = append(torn, whole[i]^0x55)
				}
			}
			d := open(t)
			if err := os.WriteFile(d.file("torn"), torn, 0o600); err != nil {
				t.Fatal(err)
			}
			f, c, err := take(d, "torn")
			if cut < headerSize {
				if err == nil && len(c.Records) > 0 {
					t.Fatalf("%s after %d bytes: %q", behind, cut, text(c.Records))
				}
				if err == nil {
					f.Close()
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s after %d bytes: %v", behind, cut, err)
			}
			n := 0
			for n < len(sizes) && sizes[n] <= int64(cut) {
				n++
			}
			expected := ""
			if n > 0 {
				expected = want[n-1]
			}
			if got := text(c.Records); got != expected {
				t.Fatalf("%s after %d bytes: %q, want %q", behind, cut, got, expected)
			}
			if c.Damaged != (behind != "nothing") {
				t.Errorf("%s after %d bytes: damaged is %v", behind, cut, c.Damaged)
			}
			if f.Broken() != c.Damaged {
				t.Errorf("%s after %d bytes: broken is %v, damaged %v", behind, cut, f.Broken(), c.Damaged)
			}
			next := record(9, "next")
			if c.Damaged && cut%5 > 0 {
				f.Close() // a new file for each takes its time
				continue
			}
			if c.Damaged {
				if err := f.Append(next); err == nil {
					t.Fatalf("%s after %d bytes: a damaged file is appended to", behind, cut)
				}
				if err := f.Rewrite(slices.Values(append(c.Records, next))); err != nil {
					t.Fatal(err)
				}
				if kept, err := os.ReadFile(filepath.Join(d.Path(), f.Kept())); err != nil || !bytes.Equal(kept, torn) {
					t.Fatalf("%s after %d bytes: the damaged file is not kept: %v", behind, cut, err)
				}
			} else {
				appendAll(t, f, next)
			}
			f.Close()
			c, err = d.Read("torn")
			if got := text(c.Records); err != nil || got != strings.TrimSpace(expected+" 9:next") || c.Cut != 0 {
				t.Fatalf("%s after %d bytes, appended: %q, cut %d, %v", behind, cut, got, c.Cut, err)
			}
		}
	}
}

func TestARecordOfAnotherPlaceIsNotBelieved(t *testing.T) {
	d := open(t)
	a := create(t, d, record(1, "a"))
	appendAll(t, a, record(2, "one"), record(2, "two"), record(2, "six"))
	b := create(t, d, record(1, "a"))
	appendAll(t, b, record(2, "one"), record(2, "two"), record(2, "six"))
	a.Close()
	b.Close()
	dataA, _ := os.ReadFile(d.file(a.ID()))
	dataB, _ := os.ReadFile(d.file(b.ID()))
	first := headerSize + frameSize + 1
	second, third := first+frameSize+3, first+2*(frameSize+3)
	for name, data := range map[string][]byte{
		"of another file":  slices.Concat(dataA[:first], dataB[first:]),
		"one is missing":   slices.Concat(dataA[:first], dataA[second:]),
		"two are missing":  slices.Concat(dataA[:first], dataA[third:]),
		"one comes twice":  slices.Concat(dataA[:first], dataA[:0], dataA[headerSize:first], dataA[first:]),
		"two are switched": slices.Concat(dataA[:first], dataA[second:third], dataA[first:second], dataA[third:]),
	} {
		c, err := parse(data)
		if err != nil || text(c.Records) != "1:a" || !c.Damaged {
			t.Errorf("%s: %q, damaged %v, %v", name, text(c.Records), c.Damaged, err)
		}
		behind, lost := map[string]string{"one is missing": "2:two 2:six", "two are missing": "2:six", "one comes twice": "2:one 2:two 2:six", "two are switched": "2:two 2:six"}[name],
			map[string]int{"one is missing": 1, "two are missing": 2, "two are switched": 1}[name]
		if text(c.Behind) != behind || c.Lost != lost {
			t.Errorf("%s: behind it are %q, %d lost", name, text(c.Behind), c.Lost)
		}
	}
}

func TestAFileStaysBelowItsCap(t *testing.T) {
	d, err := Open(filepath.Join(t.TempDir(), "j"), Limits{File: 1000})
	if err != nil {
		t.Fatal(err)
	}
	f := create(t, d, record(1, "base"))
	defer f.Close()
	n := 0
	for ; ; n++ {
		if err = f.Append(record(2, strings.Repeat("x", 91))); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrFull) || n != 8 || f.Size() > 1000 {
		t.Errorf("%d records, %d bytes: %v", n, f.Size(), err)
	}
	if err := f.Append(record(2, "small")); err != nil {
		t.Errorf("a small one would still have fit: %v", err)
	}
	if err := f.Rewrite(slices.Values([]Record{record(1, strings.Repeat("x", 2000))})); !errors.Is(err, ErrFull) {
		t.Errorf("a rewrite beyond the cap: %v", err)
	}
	if err := f.Rewrite(slices.Values([]Record{record(1, "new")})); err != nil {
		t.Fatal(err)
	}
	appendAll(t, f, record(2, strings.Repeat("x", 91)))
	if c, err := d.Read(f.ID()); err != nil || len(c.Records) != 2 {
		t.Errorf("rewritten: %q, %v", text(c.Records), err)
	}
}

func TestAFolderThatWasRemovedIsMadeAgain(t *testing.T) {
	d := open(t)
	f := create(t, d, record(1, "base"))
	defer f.Close()
	if err := os.RemoveAll(d.Path()); err != nil {
		t.Fatal(err)
	}
	if err := f.Append(record(2, "lost?")); err == nil || !f.Broken() {
		t.Errorf("appending to a file without a name: %v", err)
	}
	if err := f.Rewrite(slices.Values([]Record{record(1, "again")})); err != nil {
		t.Fatal(err)
	}
	appendAll(t, f, record(2, "more"))
	if c, err := d.Read(f.ID()); err != nil || text(c.Records) != "1:again 2:more" {
		t.Errorf("it reads %q, %v", text(c.Records), err)
	}
}

func TestHalfMadeFilesAreSweptAway(t *testing.T) {
	d := open(t)
	old, young := filepath.Join(d.Path(), "a-1"+fresh), filepath.Join(d.Path(), "b-1"+fresh)
	for _, p := range []string{old, young} {
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * stale)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(d.Path(), Limits{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("the old one is still there")
	}
	if _, err := os.Stat(young); err != nil {
		t.Error("the young one, which may be a living host's, is gone")
	}
}

func TestAnyRecordsReadBackAsWritten(t *testing.T) {
	d := open(t)
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Record {
			return Record{Kind: rapid.Byte().Draw(t, "kind"), Data: rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "data")}
		}), 0, 6)
		want := gen.Draw(t, "first")
		f, err := d.Create("", NewKey(), slices.Values(want))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Remove()
		for _, r := range gen.Draw(t, "then") {
			if rapid.IntRange(0, 4).Draw(t, "rewrite") == 0 {
				if err := f.Rewrite(slices.Values(want)); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.Append(r); err != nil {
				t.Fatal(err)
			}
			want = append(want, r)
		}
		c, err := d.Read(f.ID())
		if err != nil || text(c.Records) != text(want) || c.Cut != 0 {
			t.Fatalf("%q, want %q (%v)", text(c.Records), text(want), err)
		}
	})
}

func FuzzParse(f *testing.F) {
	salt := newSalt()
	data := salt.appendFrame(salt.header(), 0, record(1, "one"))
	data = salt.appendFrame(data, 1, record(2, "two"))
	f.Add(data)
	f.Add(data[:len(data)-1])
	f.Add(salt.header())
	f.Add(oldFile(record(1, "one"), record(2, "two")))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parse(data)
		if err != nil {
			return
		}
		if c.good+c.Cut != int64(len(data)) {
			t.Fatalf("%d good and %d cut bytes of %d", c.good, c.Cut, len(data))
		}
		if !c.Damaged && len(c.Behind)+c.Lost > 0 {
			t.Fatalf("%d records behind and %d lost of a sound file", len(c.Behind), c.Lost)
		}
		if c.old {
			return
		}
		// What was read is what would be written.
		again := bytes.Clone(data[:headerSize])
		for i, r := range c.Records {
			again = c.salt.appendFrame(again, uint32(i), r)
		}
		if !bytes.Equal(again, data[:c.good]) {
			t.Fatal("the records do not spell the file")
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{200, 2_000, 200_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			d, err := Open(b.TempDir(), Limits{File: 1 << 40, Sum: 1 << 41})
			if err != nil {
				b.Fatal(err)
			}
			f := create(b, d, record(1, "base"))
			defer f.Remove()
			r := Record{Kind: 2, Data: make([]byte, size)}
			for b.Loop() {
				if err := f.Append(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCreate(b *testing.B) {
	d, err := Open(b.TempDir(), Limits{})
	if err != nil {
		b.Fatal(err)
	}
	base := Record{Kind: 1, Data: make([]byte, 20_000)}
	for b.Loop() {
		f, err := d.Create("", NewKey(), slices.Values([]Record{base}))
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		f.Remove()
		b.StartTimer()
	}
}

// take is Dir.Take with the file that it gives.
func take(d *Dir, id string) (*File, Contents, error) {
	j, c, err := d.Take(id)
	f, _ := j.(*File)
	return f, c, err
}
