package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A write may be cut at any byte. Every complete record is read, and nothing else; then the file can be continued. If the
// file just ends early, no answered call is lost. Zeros or junk may be the remains of an answered call, so they count as
// damage, and the file is kept.
func TestATornFileGivesItsCompleteRecords(t *testing.T) {
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
	// The bytes on the disk after the cut: none, zeros, or old content.
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
				f.Close() // creating a file for each case takes too long
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

func TestARecordOfAnotherPositionIsNotAccepted(t *testing.T) {
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
