package folder

import (
	"maps"
	"os"
	"path"
	"strings"
	"testing"
)

// After a host died, somebody removes its temporary files, for example with git
// clean, and then the next host dies, too.
func TestASaveIsFinishedWithoutItsTemporaryFiles(t *testing.T) {
	inMemory(t)
	recoveries := 0
	for step, last := 1, false; !last; step++ {
		for second, lastSecond := 1, false; !lastSecond; second++ {
			p := newPlace(t, before)
			f, _ := p.open()
			dieAt := func(f *Folder, step int) {
				n := 0
				f.between = func() {
					if n++; n == step {
						panic(errDied)
					}
				}
			}
			dieAt(f, step)
			last = !dying(t, func() { f.Save(save) })
			for name := range p.all() {
				if strings.HasPrefix(path.Base(name), temporary) {
					p.must(os.Remove(p.path(name)))
				}
			}
			g, err := newFolder(p.root(), deck, userKey, Limits{})
			p.must(err)
			dieAt(g, second)
			var report Report
			if lastSecond = !dying(t, func() { report, err = g.Finish() }); !lastSecond {
				h, _ := p.open()
				report, err = h.Finish()
			}
			p.must(err)
			g.Close()
			if len(report.Recovered) == 0 {
				continue
			}
			recoveries++
			_, s := p.open()
			got := contents(s)
			for _, c := range report.Conflicts { // a missing new file may never have been made, or have been removed
				if c.Path != "new/n.md" {
					t.Errorf("steps %d and %d: %+v", step, second, c)
				}
				got[c.Path] = p.text(c.Kept)
			}
			if !maps.Equal(got, after) {
				t.Errorf("steps %d and %d:\n%s", step, second, show(got))
			}
		}
	}
	if recoveries < 50 {
		t.Errorf("only %d recoveries", recoveries)
	}
}
