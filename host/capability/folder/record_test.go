package folder

import (
	"errors"
	"slices"
	"testing"
)

// Whichever bit of a record is flipped, the record is kept and named.
func TestNoFlippedBitDropsARecordOfASaveSilently(t *testing.T) {
	good, err := newRecord([]Change{change("a.md", "A", "B"), change("b.md", "B", "C")}).marshal(userKey)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(good) {
		bad := slices.Clone(good)
		bad[bit/8] ^= 1 << (bit % 8)
		if _, err := parseRecord(userKey, bad); !errors.Is(err, errDamaged) {
			t.Fatalf("bit %d of %s: %v", bit, good, err)
		}
	}
	for n := range len(good) - 1 {
		if _, err := parseRecord(userKey, good[:n]); !errors.Is(err, errTorn) && good[n-1] != '}' {
			t.Fatalf("%s: %v", good[:n], err)
		}
	}
	good[len(good)/2] ^= 1
	kept := userRecord() + damaged
	p := newPlace(t, map[string]string{"a.md": "B", "b.md": "B", userRecord(): string(good), temporary + "1.tmp": "A"})
	f, s := p.open()
	if !slices.Equal(s.Damaged, []string{userRecord()}) {
		t.Errorf("opened with %+v", s.Report)
	}
	_, err = f.Save([]Change{change("a.md", "B", "D")})
	p.must(err)
	_, report, err := f.Changed()
	if err != nil || !slices.Equal(report.Damaged, []string{kept}) {
		t.Errorf("then %+v, %v", report, err)
	}
	p.is(map[string]string{"a.md": "D", "b.md": "B", kept: string(good), temporary + "1.tmp": "A"})
}

func TestAnInvalidRecordChangesNothing(t *testing.T) {
	good, err := newRecord([]Change{change("a.md", "A", "B")}).marshal(userKey)
	if err != nil {
		t.Fatal(err)
	}
	sealed := func(body string) string { return string(seal(userKey, []byte(body))) }
	for name, record := range map[string]string{
		"empty":            "",
		"half":             string(good[:len(good)/2]),
		"damaged":          string(good[:len(good)-3]) + "xxx",
		"no JSON":          sealed("["),
		"a path as its id": sealed(`{"id":"../../x","entries":[]}`),
		"another version":  "fcp-folder-save 3 x\n{}",
		"another key":      string(seal([]byte("other"), []byte(`{"id":"0123456789abcdef","entries":[{"path":"a.md","before":null,"before_size":0,"after":"Qg=="}]}`))),
	} {
		p := newPlace(t, map[string]string{"a.md": "A", userRecord(): record})
		f, s := p.open()
		p.is(map[string]string{"a.md": "A", userRecord(): record})
		if report, err := f.Finish(); err != nil || len(report.Recovered)+len(s.Unfinished) > 0 {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
		want := map[string]string{"a.md": "A"}
		if len(s.Damaged) > 0 {
			want[userRecord()+damaged] = record
		}
		p.is(want)
		if torn := name == "empty" || name == "half" || name == "no JSON"; torn == (len(s.Damaged) > 0) {
			t.Errorf("%s: %+v", name, s.Report)
		}
	}
}
