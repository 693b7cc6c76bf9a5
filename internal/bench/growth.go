package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/internal/ends"
)

// growth measures what calls cost on small and large documents. There is no journal.
func growth(b *bench) {
	s := b.start(b.cache, "--no-journal")
	defer s.stop()
	const small, large = 100, 50_000
	for _, d := range domains() {
		ops, undos := map[int][]cost{}, map[int][]cost{}
		for _, n := range []int{small, large} {
			s.newDocument(d)
			const most = 10_000 // ops in one call
			for at := 0; at < n; at += most {
				part := list(min(n-at, most), func(i int) string { return d.many(at + i) })
				s.call(d.name, "ops", part)
			}
			op := func(i int) string { return d.many(n + i) }
			ops[n] = s.oneCall(d, op)
			b.time(fmt.Sprintf("one call with one op, %d there, %s", n, d.name), ops[n], "–")
			undos[n] = sample(200, func(i int) cost {
				s.call(d.name, "ops", []string{op(1000 + i)})
				at := time.Now()
				s.call(d.name+"_session", "action", "undo")
				return cost{wall: time.Since(at)}
			})
			b.time(fmt.Sprintf("undo of one op, %d there, %s", n, d.name), undos[n], "–")
		}
		b.times(fmt.Sprintf("one op on %d against %d, %s", large, small, d.name), ops[large], ops[small], "1.5 times")
		b.times(fmt.Sprintf("one undo on %d against %d, %s", large, small, d.name), undos[large], undos[small], "1.5 times")
		for _, q := range []string{"stats", "map"} {
			b.query(s, d, fmt.Sprintf("%s of %d, %s", q, large, d.name), q, "3 ms")
		}
		s.closeDocument(d)
	}
}

// times adds the ratio of two medians, and of the least values.
func (b *bench) times(what string, of, against []cost, limit string) {
	median := func(took []cost) time.Duration {
		took = slices.Clone(took)
		slices.SortFunc(took, func(a, b cost) int { return int(a.wall - b.wall) })
		return took[len(took)/2].wall
	}
	ratio := func(a, b time.Duration) string { return fmt.Sprintf("%.1f times", float64(a)/float64(max(1, b))) }
	b.row(row{what: what, median: ratio(median(of), median(against)), least: ratio(cheapest(of).wall, cheapest(against).wall), limit: limit})
}

// leaveJournals creates a folder with n leftover journals, each of a document with 20 ops.
func (b *bench) leaveJournals(n int) (dir string) {
	dir = filepath.Join(filepath.Dir(b.cache), "left")
	s := b.start(b.cache, "--journal-dir", dir)
	s.newFilledDocument(domains()[1], 20)
	ends.If(s.cmd.Process.Kill())
	s.cmd.Wait() // it was killed
	files := ends.Unless(filepath.Glob(filepath.Join(dir, "*.journal")))
	if len(files) != 1 {
		ends.If(fmt.Errorf("one document left %d journals", len(files)))
	}
	data := ends.Unless(os.ReadFile(files[0]))
	name := strings.TrimSuffix(filepath.Base(files[0]), ".journal")
	for i := range n - 1 {
		ends.If(os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s%04d.journal", name[:len(name)-4], i)), data, 0o600))
	}
	return dir
}
