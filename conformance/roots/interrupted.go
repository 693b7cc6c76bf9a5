package roots

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/files"
)

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the reader fails") }

// atOnce: of hosts that replace the same version concurrently exactly one succeeds, and the others get an error.
func atOnce(t *testing.T, s System) {
	const hosts = 4
	var all []*files.Roots
	for range hosts {
		all = append(all, s.Open(t))
	}
	real := resolve(t, all[0], "a")
	var known []files.Stamp // none, for a new file
	for round := range 10 {
		errs := make([]error, hosts)
		var done sync.WaitGroup
		for i, r := range all {
			done.Go(func() {
				if round%2 == 0 { // otherwise the existing content
					_, _, _ = r.Read(real)
				}
				_, errs[i] = r.Write(real, fmt.Appendf(nil, "%d by %d", round, i), files.Over{Known: known})
			})
		}
		done.Wait()
		won := -1
		for i, err := range errs {
			switch {
			case err == nil && won < 0:
				won = i
			case err == nil:
				t.Fatalf("round %d: hosts %d and %d both succeeded", round, won, i)
			case !errors.Is(err, files.ErrChanged) && !errors.Is(err, files.ErrThere) && !errors.Is(err, files.ErrBusy):
				t.Errorf("round %d: host %d gets the error %v", round, i, err)
			}
		}
		if won < 0 {
			t.Fatalf("round %d: no host succeeded: %v", round, errs)
		}
		known = []files.Stamp{holds(t, s, all[(won+1)%hosts], "a", fmt.Sprintf("%d by %d", round, won))}
	}
}

// whole: a reader sees one version or another during writes, always complete.
func whole(t *testing.T, s System) {
	writer, reader := s.Open(t), s.Open(t)
	real := resolve(t, writer, "a")
	texts := []string{strings.Repeat("A", 300_000), strings.Repeat("b", 200_000)}
	is := write(t, writer, "a", texts[0])
	end := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-end:
				return
			default:
			}
			data, _, err := reader.Read(real)
			if err != nil || !slices.Contains(texts, string(data)) {
				t.Errorf("read %d bytes, %v", len(data), err)
				return
			}
		}
	})
	for i := range 20 {
		is = write(t, writer, "a", texts[(i+1)%2], is)
	}
	close(end)
	done.Wait()
}

// cutOff: without a connection a write fails, and nothing is reported about existing files.
func cutOff(t *testing.T, s System) {
	if s.Cut == nil {
		t.Skip("the connection to the files cannot be cut")
	}
	r := s.Open(t)
	is := write(t, r, "a", "one")
	real := resolve(t, r, "a")
	restore := s.Cut(t)
	if _, err := r.Write(real, []byte("two"), files.Over{Known: []files.Stamp{is}}); err == nil || errors.Is(err, files.ErrChanged) {
		t.Errorf("without a connection, a write fails with %v", err)
	}
	if _, _, err := r.Read(real); err == nil {
		t.Error("a read without a connection succeeds")
	}
	if r.Gone(real) {
		t.Error("without a connection, the file is reported as missing")
	}
	restore()
	write(t, r, "a", "two", is)
	holds(t, s, r, "a", "two")
}

// cutWhileWriting: wherever the connection breaks during a write, the file has the old or the new content. After a
// success the new content is there; after a failure the host can write again without a conflict.
func cutWhileWriting(t *testing.T, s System) {
	if s.Cut == nil {
		t.Skip("the connection to the files cannot be cut")
	}
	r := s.Open(t)
	text := "first"
	known := []files.Stamp{write(t, r, "a", text)}
	real := resolve(t, r, "a")
	rnd := rand.New(rand.NewPCG(1, 23))
	for n := range 30 {
		restored := make(chan struct{})
		time.AfterFunc(time.Duration(rnd.IntN(4000))*time.Microsecond, func() {
			s.Cut(t)()
			close(restored)
		})
		next := fmt.Sprint(n, strings.Repeat(" and more", rnd.IntN(20_000)))
		is, err := r.Write(real, []byte(next), files.Over{Known: known})
		<-restored
		there, _ := s.Other.Get(t, "a")
		unsure := new(files.UnsureError)
		switch {
		case err == nil:
			if string(there) != next {
				t.Fatalf("%d: acknowledged, but the file has %d bytes instead of %d", n, len(there), len(next))
			}
			text, known = next, []files.Stamp{is}
		case errors.Is(err, files.ErrChanged), errors.Is(err, files.ErrThere):
			t.Fatalf("%d: reported as changed by others: %v", n, err)
		case errors.As(err, &unsure):
			if string(there) != next && string(there) != text {
				t.Fatalf("%d: the file has neither the old nor the new content", n)
			}
			text, known = string(there), append(known, unsure.Stamp)
		case string(there) != text:
			t.Fatalf("%d: reported as not written (%v), but it was written", n, err)
		}
	}
}
