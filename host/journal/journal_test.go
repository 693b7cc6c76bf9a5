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

func TestTheNextOwnerGetsTheRecords(t *testing.T) {
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

func TestAnOwnedFileIsNoLeftover(t *testing.T) {
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

func TestUnfinishedFilesAreSwept(t *testing.T) {
	d := open(t)
	old, young := filepath.Join(d.Path(), "a-1"+newSuffix), filepath.Join(d.Path(), "b-1"+newSuffix)
	for _, p := range []string{old, young} {
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * staleAge)
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
		// Encoding the records again gives the bytes that were read.
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
