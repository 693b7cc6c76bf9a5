package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// documents measures what many open documents take: only those used lately
// have an instance, the others are rebuilt when they are asked for.
func documents(cache string, add func(what, got, limit string)) error {
	var ops []string
	for i := range 20 {
		ops = append(ops, fmt.Sprintf("note Piano C%d at:%d.1", 2+i%5, 1+i))
	}
	for _, n := range []int{1, 10, 100, 1000} {
		s, err := start(cache, "--no-journal", "--limit", "documents=1000")
		if err != nil {
			return err
		}
		began := time.Now()
		for i := range n {
			if _, err := s.call("midi_session", "action", fmt.Sprintf(`new "D%d" as:d%d`, i, i)); err != nil {
				return err
			}
			if _, err := s.call("midi", "ops", append([]string{"track add Piano"}, ops...)); err != nil {
				return err
			}
		}
		each := time.Since(began) / time.Duration(n)
		add(fmt.Sprintf("resident memory, %d edited documents of midi", n), mb(s.resident()), "–")
		if n == 1000 {
			add("making and editing one of them", ms(each), "–")
			at := time.Now()
			if _, err := s.call("midi_session", "action", "use d0"); err != nil {
				return err
			}
			if _, err := s.call("midi", "ops", []string{"note Piano E5 at:30.1"}); err != nil {
				return err
			}
			add("an op on one that has no instance", ms(time.Since(at)), "–")
		}
		s.stop()
	}
	return megabyte(cache, add)
}

// megabyte measures the open of a large file.
func megabyte(cache string, add func(what, got, limit string)) error {
	dir, err := os.MkdirTemp(".", "bench-*") // files are opened below the working directory alone
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := start(cache)
	if err != nil {
		return err
	}
	defer s.stop()
	file := filepath.Join(dir, "large.drawio")
	var ops []string
	for i := range 5000 {
		ops = append(ops, fmt.Sprintf("add svc Node%d", i))
	}
	if _, err := s.call("drawio_session", "action", `new "Large"`); err != nil {
		return err
	}
	if _, err := s.call("drawio", "ops", ops); err != nil {
		return err
	}
	if _, err := s.call("drawio_session", "action", "save as:./"+file); err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	took, err := median(5, func(int) (time.Duration, error) {
		at := time.Now()
		_, err := s.call("drawio_session", "action", "open ./"+file)
		return time.Since(at), err
	})
	if err != nil {
		return err
	}
	add(fmt.Sprintf("open a diagram of %.1f MB", float64(info.Size())/1e6), ms(took), "–")
	return nil
}
