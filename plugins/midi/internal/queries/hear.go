package queries

import (
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// Controllers, and their initial values by General MIDI.
const (
	volume     = 7
	expression = 11
	sustain    = 64

	usual = 100 // initial volume
	full  = 127 // initial expression
)

// ear is the state of one channel in a synthesizer.
type ear struct {
	program, volume, expression int
	level                       int       // last level that was reported
	down                        bool      // whether the pedal is down
	held                        []stretch // when it was down, in ticks
}

type stretch struct{ from, to int64 }

// hearSong answers with the audio format of the view: all notes, held as long as the pedal is down, and the levels of
// their channels.
func hearSong(s *song.Song) (out abi.QueryResponse) {
	tempo, end := s.Tempo(nil), s.End()
	var events []*song.Event
	for _, t := range s.Music() {
		for e := range t.Events() {
			if k := e.Kind(); e.IsNote() || k == song.KindProgram || k == song.KindCC {
				events = append(events, e)
			}
		}
	}
	slices.SortStableFunc(events, func(a, b *song.Event) int { return int(a.Tick - b.Tick) })
	ears := map[int]*ear{}
	var struck []*song.Event
	for _, e := range events {
		c := ears[e.Channel()]
		if c == nil {
			c = &ear{volume: usual, expression: full, level: usual}
			ears[e.Channel()] = c
		}
		switch {
		case e.Kind() == song.KindProgram:
			c.program = int(e.A)
		case e.IsNote():
			if len(out.Notes) < abi.MaxNotes {
				struck = append(struck, e)
				out.Notes = append(out.Notes, abi.Note{At: millis(tempo, e.Tick), Key: e.Pitch(), Velocity: e.Velocity(), Channel: e.Channel(), Program: c.program})
			}
		default:
			c.control(int(e.A), int(e.B), e.Tick)
			if level := int(math.Round(float64(c.volume*c.expression) / full)); level != c.level && len(out.Levels) < abi.MaxNotes {
				c.level = level
				out.Levels = append(out.Levels, abi.Level{At: millis(tempo, e.Tick), Channel: e.Channel(), Level: level})
			}
		}
	}
	for _, c := range ears {
		c.control(sustain, 0, end)
	}
	type key struct{ channel, pitch int }
	again := map[key]int64{} // when a key is struck next
	for i, e := range slices.Backward(struck) {
		k, off := key{e.Channel(), e.Pitch()}, e.Mate.Tick
		if to := ears[k.channel].until(off); to > off {
			if next, ok := again[k]; ok {
				to = max(off, min(to, next))
			}
			off = to
		}
		again[k] = e.Tick
		out.Notes[i].Length = millis(tempo, off) - out.Notes[i].At
	}
	out.Text = pdk.Count(len(out.Notes), "note")
	return out
}

// control applies a controller event.
func (c *ear) control(number, value int, at int64) {
	switch number {
	case volume:
		c.volume = value
	case expression:
		c.expression = value
	case sustain:
		if down := value >= 64; down && !c.down {
			c.held = append(c.held, stretch{from: at, to: at})
			c.down = true
		} else if !down && c.down {
			c.held[len(c.held)-1].to = at
			c.down = false
		}
	}
}

// until returns when a key released at tick off stops sounding: at off, or when the
// pedal that is down at off comes up.
func (c *ear) until(off int64) int64 {
	i, _ := slices.BinarySearchFunc(c.held, off, func(h stretch, off int64) int {
		if h.from < off {
			return -1
		}
		return 1
	})
	if i > 0 && c.held[i-1].to > off {
		return c.held[i-1].to
	}
	return off
}
