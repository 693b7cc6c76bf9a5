package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// growth measures what calls cost on small and large documents. There is no journal.
func growth(b *bench) error {
	s, err := b.start(b.cache, "--no-journal")
	if err != nil {
		return err
	}
	defer s.stop()
	const small, large = 100, 50_000
	for _, d := range domains() {
		ops, undos := map[int][]cost{}, map[int][]cost{}
		for _, n := range []int{small, large} {
			if err := s.newDocument(d); err != nil {
				return err
			}
			const most = 10_000 // ops in one call
			for at := 0; at < n; at += most {
				part := list(min(n-at, most), func(i int) string { return d.many(at + i) })
				if _, err := s.call(d.name, "ops", part); err != nil {
					return err
				}
			}
			op := func(i int) string { return d.many(n + i) }
			if ops[n], err = s.oneCall(d, op); err != nil {
				return err
			}
			b.time(fmt.Sprintf("one call with one op, %d there, %s", n, d.name), ops[n], "–")
			undos[n], err = sample(200, func(i int) (cost, error) {
				if _, err := s.call(d.name, "ops", []string{op(1000 + i)}); err != nil {
					return cost{}, err
				}
				at := time.Now()
				_, err := s.call(d.name+"_session", "action", "undo")
				return cost{wall: time.Since(at)}, err
			})
			if err != nil {
				return err
			}
			b.time(fmt.Sprintf("undo of one op, %d there, %s", n, d.name), undos[n], "–")
		}
		b.times(fmt.Sprintf("one op on %d against %d, %s", large, small, d.name), ops[large], ops[small], "1.5 times")
		b.times(fmt.Sprintf("one undo on %d against %d, %s", large, small, d.name), undos[large], undos[small], "1.5 times")
		for _, q := range []string{"stats", "map"} {
			if err := b.query(s, d, fmt.Sprintf("%s of %d, %s", q, large, d.name), q, "3 ms"); err != nil {
				return err
			}
		}
		if err := s.closeDocument(d); err != nil {
			return err
		}
	}
	return nil
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
func (b *bench) leaveJournals(n int) (dir string, err error) {
	dir = filepath.Join(filepath.Dir(b.cache), "left")
	s, err := b.start(b.cache, "--journal-dir", dir)
	if err != nil {
		return "", err
	}
	err = s.newFilledDocument(domains()[1], 20)
	if err := errors.Join(err, s.cmd.Process.Kill()); err != nil {
		return "", err
	}
	s.cmd.Wait() // it was killed
	files, err := filepath.Glob(filepath.Join(dir, "*.journal"))
	if err != nil || len(files) != 1 {
		return "", fmt.Errorf("one document left %d journals: %w", len(files), err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		return "", err
	}
	name := strings.TrimSuffix(filepath.Base(files[0]), ".journal")
	for i := range n - 1 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s%04d.journal", name[:len(name)-4], i)), data, 0o600); err != nil {
			return "", err
		}
	}
	return dir, nil
}
