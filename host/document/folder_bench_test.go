package document

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/journal"
)

func thousandFiles(b testing.TB) texts {
	out := texts{}
	for i := range 1000 {
		out[fmt.Sprintf("docs/%d/doc%d.md", i%20, i)] = strings.Repeat("words ", 340)
	}
	return out
}

func BenchmarkOpenAThousandFiles(b *testing.B) {
	dom := deck(b, folders, nil)
	dir := folderOf(b, thousandFiles(b))
	roots, err := files.NewRoots(dir)
	if err != nil {
		b.Fatal(err)
	}
	journals := journalDir(b, journal.Limits{})
	for b.Loop() {
		doc, _, err := OpenFolder(ctx, dom, roots, "S", dir)
		if err == nil {
			err = doc.Keep(journals, "", "")
		}
		if err != nil {
			b.Fatal(err)
		}
		doc.Close()
	}
}

func BenchmarkWriteOneChangeOfAThousandFiles(b *testing.B) {
	s, _ := openShelf(b, deck(b, folders, nil), thousandFiles(b))
	s.keep(journalDir(b, journal.Limits{}))
	// A file's content is compared until its time is old enough to prove that the file is unchanged.
	for began := time.Now(); time.Since(began) < 4*time.Second; {
		s.query("map")
	}
	for n := 0; b.Loop(); n++ {
		s.do(fmt.Sprintf("put docs/7/doc7.md change%d", n))
	}
}
