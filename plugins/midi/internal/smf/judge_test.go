package smf

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
	"gitlab.com/gomidi/midi/v2/smf"
)

// TestAnotherReaderFindsTheSameEvents compares the output of Encode with what gomidi
// reads, which shares no code with this package: the same ticks and messages in the
// same order, for every real file that gomidi can read.
func TestAnotherReaderFindsTheSameEvents(t *testing.T) {
	names, _ := filepath.Glob(filepath.Join(testwasm.DataDir(t, "midi"), "*.mid"))
	asked, judged := 0, 0
	for _, name := range names {
		base := filepath.Base(name)
		if strings.Contains(base, "not-a-midi") || strings.Contains(base, "illegal") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		ours, _, err := Parse(data)
		if err != nil {
			t.Fatalf("%s: %v", base, err)
		}
		asked++
		theirs, err := read(ours.Encode())
		if err != nil {
			t.Logf("%s: gomidi does not read it: %v", base, err)
			continue
		}
		judged++
		tracks := ours.Tracks()
		if len(theirs.Tracks) != len(tracks) {
			t.Errorf("%s: %d tracks, gomidi %d", base, len(tracks), len(theirs.Tracks))
			continue
		}
		for i, tr := range theirs.Tracks {
			compare(t, base, tracks[i], tr)
		}
	}
	if judged*10 < asked*9 {
		t.Errorf("gomidi judged %d of %d files only", judged, asked)
	}
}

// read calls gomidi's reader, which panics on a running status that continues after a
// meta event.
func read(data []byte) (s *smf.SMF, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return smf.ReadFrom(bytes.NewReader(data))
}

func compare(t *testing.T, name string, ours *Track, theirs smf.Track) {
	t.Helper()
	var tick int64
	n := 0
	for _, e := range theirs {
		tick += int64(e.Delta)
		raw := e.Message.Bytes()
		if len(raw) >= 2 && raw[0] == Meta && raw[1] == EndTrack {
			break
		}
		if n >= len(ours.Events) {
			t.Errorf("%s: gomidi has more events than %d", name, n)
			return
		}
		o := &ours.Events[n]
		n++
		if o.Tick != tick || len(raw) == 0 || raw[0] != o.Status {
			t.Errorf("%s event %d: tick %d status %02X, gomidi tick %d %x", name, n, o.Tick, o.Status, tick, raw)
			return
		}
		if o.IsChannel() && (raw[1] != o.A || DataLen(o.Status) == 2 && raw[2] != o.B) {
			t.Errorf("%s event %d: %02X %02X %02X, gomidi %x", name, n, o.Status, o.A, o.B, raw)
			return
		}
		if o.Status == Meta && (raw[1] != o.A || !bytes.HasSuffix(raw, o.Payload)) {
			t.Errorf("%s event %d: meta %02X %x, gomidi %x", name, n, o.A, o.Payload, raw)
			return
		}
	}
	if n != len(ours.Events) {
		t.Errorf("%s: %d events, gomidi %d", name, len(ours.Events), n)
	}
}
