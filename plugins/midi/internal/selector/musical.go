package selector

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// onDrums matches events on the drum channel.
func onDrums(*song.Song, string) (func(*song.Event) bool, error) {
	return func(e *song.Event) bool { return e.Channel() == theory.DrumChannel }, nil
}

// maxBeat is the largest number of beats in a bar.
const maxBeat = 64

// onBeats matches events that start within beats of a bar: "2", "1,3", "2-4".
func onBeats(s *song.Song, v string) (func(*song.Event) bool, error) {
	var on [maxBeat + 1]bool
	for _, part := range strings.Split(v, ",") {
		a, b, isRange := strings.Cut(part, "-")
		if !isRange {
			b = a
		}
		lo, err1 := strconv.Atoi(a)
		hi, err2 := strconv.Atoi(b)
		if err1 != nil || err2 != nil || lo < 1 || hi > maxBeat || lo > hi {
			return nil, pdk.Errorf("@beat:%s: beats are 1 to %d, like 2, 2-4 or 1,3", v, maxBeat)
		}
		for n := lo; n <= hi; n++ {
			on[n] = true
		}
	}
	if _, err := s.PPQ(); err != nil {
		return nil, err
	}
	return func(e *song.Event) bool {
		m, err := s.Meter(e.Track)
		if err != nil {
			return false
		}
		_, beat, _ := m.Locate(e.Tick)
		return beat < len(on) && on[beat]
	}, nil
}

// section matches events that start between a marker and the next one.
func section(s *song.Song, v string, exactish bool) (func(*song.Event) bool, error) {
	if v == "" {
		return nil, pdk.Errorf("@marker needs a marker's name")
	}
	if s.Format() != 2 {
		return between(s, func(*song.Track) (int64, int64, error) { return endless(s.Section(nil, v, exactish)) })
	}
	// Each track is a song of its own: match in those that have the marker.
	known := false
	var refused error
	test, err := between(s, func(t *song.Track) (int64, int64, error) {
		from, to, err := endless(s.Section(t, v, exactish))
		if err != nil {
			refused = err
			return 0, 0, nil
		}
		known = true
		return from, to, nil
	})
	if !known {
		return nil, refused
	}
	return test, err
}

// endless extends a section that no marker ends to the end of time.
func endless(from, to int64, err error) (int64, int64, error) {
	if to < 0 {
		to = smf.MaxTick + 1
	}
	return from, to, err
}

// controllers matches all controllers, or one.
func controllers(_ *song.Song, v string) (func(*song.Event) bool, error) {
	if v == "" {
		return func(e *song.Event) bool { return e.Kind() == song.KindCC }, nil
	}
	n, err := theory.ParseController(v)
	if err != nil {
		e := pdk.Errorf("@cc:%s: %v", v, err)
		if near := pdk.Nearest(v, theory.ControllerNames()); len(near) > 0 {
			e.Message += "; nearest: " + strings.Join(near, ", ")
		}
		return nil, e
	}
	return func(e *song.Event) bool { return e.Kind() == song.KindCC && int(e.A) == n }, nil
}
