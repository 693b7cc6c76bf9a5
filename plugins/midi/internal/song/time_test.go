package song

import (
	"math"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"pgregory.net/rapid"
)

// songOfEvents makes a song of one track with events, at 480 ticks a quarter note
// unless the division says otherwise.
func songOfEvents(division smf.Division, events ...smf.Event) *Song {
	return fromFile(&smf.File{Format: 1, Division: division, Chunks: []smf.Chunk{{Track: &smf.Track{Events: events}}, {Track: &smf.Track{}}}})
}

func signature(tick int64, num, den int) smf.Event {
	return smf.Event{Tick: tick, Status: smf.Meta, A: MetaTimeSig, Payload: SignaturePayload(num, den)}
}

func tempo(tick int64, bpm float64) smf.Event {
	p, _ := TempoPayload(bpm)
	return smf.Event{Tick: tick, Status: smf.Meta, A: MetaTempo, Payload: p}
}

func marker(tick int64, name string) smf.Event {
	return smf.Event{Tick: tick, Status: smf.Meta, A: MetaMarker, Payload: []byte(name)}
}

func TestPositionsUnderChangingSignatures(t *testing.T) {
	// Two bars of 4/4, two of 3/4, one of 7/8 cut short after five eighths, then 6/8.
	s := songOfEvents(480, signature(0, 4, 4), signature(3840, 3, 4), marker(3840, "Verse"), signature(6720, 7, 8), marker(7000, "A+B"), signature(7920, 6, 8))
	for _, c := range []struct {
		text string
		tick int64
	}{
		{"1.1", 0}, {"1.4", 1440}, {"2.1", 1920}, {"2", 1920}, {"2.4.479", 3839}, {"3.1", 3840}, {"3.3", 4800}, {"4.1", 5280}, {"5.1", 6720},
		{"5.2", 6960}, {"5.5", 7680}, {"6.1", 7920}, {"6.6", 9120}, {"7.1", 9360}, {"100.1", 9360 + 93*1440}, {"1.1.0", 0}, {"1.2.240", 720},
		{"tick:0", 0}, {"tick:12345", 12345}, {"marker:Verse", 3840}, {"marker:verse", 3840}, {"marker:A+B", 7000}, {"end", 7920}, {"end:conductor", 7920},
		{"1.1+quarter", 480}, {"5.1+2beats", 7200}, {"5.1+1bar", 7920}, {"end+8t", 8080}, {"+", 0}, {"+half", 960},
	} {
		tick, err := s.Position(nil, c.text)
		if err != nil || tick != c.tick {
			t.Errorf("%s is tick %d (%v), want %d", c.text, tick, err, c.tick)
		}
	}
	for text, why := range map[string]string{
		"1.5": "4 beats", "3.4": "3 beats", "0.1": "from 1", "1.0": "from 1", "5.6": "cut short", "1.1.480": "480 ticks", "tick:-1": "whole number", "tick:x": "whole number",
		"tick:268435456": "whole number", "marker:Nowhere": "not found", "end:Nobody": "not found", "": "not one of", "x": "not one of", "1.2.3.4": "not one of", "1.1+": "duration", "1,1": "not one of",
		"-1.1": "not one of", "9999999.1": "longest song", "1.1+foo": "duration", "end+0": "duration", "1.": "not one of", ".1": "not one of", "99999999999999999999.1": "not one of",
	} {
		if tick, err := s.Position(nil, text); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s is tick %d (%v), want an error with %q", text, tick, err, why)
		}
	}
}

func TestRangesIncludeTheirLastBeatOrBar(t *testing.T) {
	s := songOfEvents(480, signature(0, 4, 4), signature(3840, 3, 4), marker(1920, "A-B"), marker(3840, "C"))
	for _, c := range []struct {
		text     string
		from, to int64
	}{
		{"1.1-4.3", 0, 6719}, {"1.1-1.1", 0, 479}, {"1-2", 0, 3839}, {"2-3", 1920, 5279}, {"3", 3840, 5279}, {"1.2", 480, 959}, {"1.1-1.2.100", 0, 580},
		{"tick:10-tick:20", 10, 20}, {"marker:A-B-marker:C", 1920, 3840}, {"1.1-end", 0, 3840}, {"marker:A-B-2.2", 1920, 2879},
	} {
		from, to, err := s.Range(nil, c.text)
		if err != nil || from != c.from || to != c.to {
			t.Errorf("%s is %d to %d (%v), want %d to %d", c.text, from, to, err, c.from, c.to)
		}
	}
	for _, text := range []string{"", "-", "4-2", "1.1-", "-1.1", "1.1-0.1", "1.1--2.1", "foo-bar"} {
		if from, to, err := s.Range(nil, text); err == nil {
			t.Errorf("%q is %d to %d", text, from, to)
		}
	}
}

func TestDurations(t *testing.T) {
	s := songOfEvents(480, signature(0, 6, 8), signature(2880, 4, 4))
	for _, c := range []struct {
		text      string
		at, ticks int64
	}{{"quarter", 0, 480}, {"ticks:7", 0, 7}, {"1beat", 0, 240}, {"3beats", 0, 720}, {"1.5beats", 0, 360}, {"1bar", 0, 1440}, {"2bars", 0, 2880}, {"3bars", 0, 4800}, {"1bar", 2880, 1920}, {"1beat", 2880, 480}} {
		if d, err := s.Duration(nil, c.text, c.at); err != nil || d != c.ticks {
			t.Errorf("%s at %d is %d ticks (%v), want %d", c.text, c.at, d, err, c.ticks)
		}
	}
	for _, text := range []string{"0", "-1", "", "0bars", "-1beats", "ticks:0", "ticks:-5", "ticks:1.5", "1.5bars", "NaNbeats", "Infbars", "1e9bars", "999999999/1", "bars"} {
		if d, err := s.Duration(nil, text, 0); err == nil {
			t.Errorf("%q is %d ticks", text, d)
		}
	}
}

func TestEveryTickHasAPositionThatReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ppq := rapid.SampledFrom([]int{24, 96, 97, 120, 480, 960}).Draw(t, "ppq")
		events := []smf.Event{}
		var at int64
		for i := rapid.IntRange(0, 6).Draw(t, "changes"); i > 0; i-- {
			num := rapid.IntRange(1, 13).Draw(t, "num")
			den := 1 << rapid.IntRange(0, 5).Draw(t, "den")
			events = append(events, signature(at, num, den))
			at += rapid.Int64Range(1, 20_000).Draw(t, "gap")
		}
		s := songOfEvents(smf.Division(ppq), events...)
		m, err := s.Meter(nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < 50; i++ {
			tick := rapid.Int64Range(0, at+50_000).Draw(t, "tick")
			bar, beat, sub := m.Locate(tick)
			back, err := m.Tick(bar, beat, sub)
			if err != nil || back != tick {
				t.Fatalf("tick %d is at %d.%d.%d, which is tick %d (%v); %v", tick, bar, beat, sub, back, err, m.Changes)
			}
			if text := s.At(nil, tick); text != "" {
				if back, err := s.Position(nil, text); err != nil || back != tick {
					t.Fatalf("tick %d prints as %s, which is tick %d (%v)", tick, text, back, err)
				}
			}
			if start := m.BarTick(bar); start > tick || m.BarEnd(tick) <= tick {
				t.Fatalf("tick %d is not within its bar, %d to %d", tick, start, m.BarEnd(tick))
			}
		}
	})
}

func TestTheTempoMapCountsSecondsExactly(t *testing.T) {
	s := songOfEvents(480, tempo(0, 120), tempo(1920, 60), tempo(3840, 240))
	m := s.Tempo(nil)
	for tick, want := range map[int64]float64{0: 0, 480: 0.5, 1920: 2, 2400: 3, 3840: 6, 4320: 6.25, 5760: 7} {
		if got := m.Seconds(tick); math.Abs(got-want) > 1e-12 {
			t.Errorf("tick %d is at %v s, want %v", tick, got, want)
		}
	}
	if got := songOfEvents(480).Tempo(nil).Seconds(960); got != 1 {
		t.Errorf("without a tempo, two quarters take %v s, want 1 (120 a minute)", got)
	}
	// 25 frames of 40 ticks: a tick is a millisecond; a tempo means nothing.
	if got := songOfEvents(0xE728, tempo(0, 60)).Tempo(nil).Seconds(1500); math.Abs(got-1.5) > 1e-12 {
		t.Errorf("1500 ticks of a millisecond take %v s", got)
	}
	if got := songOfEvents(0xE350).Tempo(nil).Seconds(80 * 30000); math.Abs(got-1001) > 1e-6 {
		t.Errorf("30000 drop frames take %v s, want 1001", got)
	}
}

func TestSMPTETimeHasNoBars(t *testing.T) {
	s := songOfEvents(0xE728)
	for _, text := range []string{"1.1", "5"} {
		if _, err := s.Position(nil, text); err == nil || !strings.Contains(err.Error(), "tick:N") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"quarter", "1bar", "2beats"} {
		if _, err := s.Duration(nil, text, 0); err == nil || !strings.Contains(err.Error(), "ticks:N") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if tick, err := s.Position(nil, "tick:77+ticks:3"); err != nil || tick != 80 {
		t.Errorf("tick:77+ticks:3 is %d (%v)", tick, err)
	}
	if got := s.At(nil, 80); got != "tick:80" {
		t.Errorf("tick 80 prints as %s", got)
	}
}

func TestATempoFitsItsThreeBytes(t *testing.T) {
	for _, bpm := range []float64{4, 60, 92.5, 120, 999.9, 1000} {
		p, ok := TempoPayload(bpm)
		if !ok {
			t.Fatalf("%v does not fit", bpm)
		}
		micros := float64(int(p[0])<<16 | int(p[1])<<8 | int(p[2]))
		if math.Abs(60e6/micros-bpm) > bpm/1e4 {
			t.Errorf("%v is stored as %v", bpm, 60e6/micros)
		}
	}
	for _, bpm := range []float64{0, -1, 3.5, math.NaN(), math.Inf(1)} {
		if p, ok := TempoPayload(bpm); ok {
			t.Errorf("%v is stored as %x", bpm, p)
		}
	}
}
