package judge

import (
	"bytes"
	"fmt"
	"slices"

	"gitlab.com/gomidi/midi/v2/smf"
)

// notesFacts returns the facts of a Standard MIDI File: each note, and each other message. Tracks, bars and channels count from 1, ticks
// from 0:
//
//	track 1 bar 9 beat 1 tick 15360 channel 1 note 60 for 240 velocity 80
//	track 1 bar 1 beat 1 tick 0 MetaTempo bpm: 120.00
func notesFacts(data []byte) (facts []string, err error) {
	file, err := smf.ReadFrom(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	ppq, _ := file.TimeFormat.(smf.MetricTicks)
	facts = append(facts, fmt.Sprintf("format %d division %v", file.Format(), file.TimeFormat))
	bars := newBars(file, int(ppq))
	type key struct{ channel, note uint8 }
	for i, track := range file.Tracks {
		begun := map[key][]sounding{}
		tick := 0
		for _, e := range track {
			tick += int(e.Delta)
			at := fmt.Sprintf("track %d %s tick %d ", i+1, bars.at(tick), tick)
			var channel, note, velocity uint8
			switch {
			case e.Message.GetNoteStart(&channel, &note, &velocity):
				k := key{channel, note}
				begun[k] = append(begun[k], sounding{len(facts), tick, fmt.Sprintf("%schannel %d note %d for %%v velocity %d", at, channel+1, note, velocity)})
				facts = append(facts, at+"a note without an end")
			case e.Message.GetNoteEnd(&channel, &note):
				k := key{channel, note}
				if len(begun[k]) > 0 {
					s := begun[k][0]
					begun[k] = begun[k][1:]
					facts[s.fact] = fmt.Sprintf(s.format, tick-s.tick)
				}
			case e.Message.Is(smf.MetaEndOfTrackMsg):
			default:
				facts = append(facts, at+e.Message.String())
			}
		}
	}
	return facts, nil
}

// sounding is a note that has not ended.
type sounding struct {
	fact, tick int
	format     string // of the fact, without its length
}

// bars is the changes of the meter.
type bars []meter

type meter struct {
	tick, beat, beats int // where it begins, the ticks of a beat, and the beats of a bar
	bar               int // that begins there
}

func newBars(file *smf.SMF, ppq int) bars {
	b := bars{{0, ppq, 4, 1}}
	var changes bars
	for _, track := range file.Tracks {
		tick := 0
		for _, e := range track {
			tick += int(e.Delta)
			var numerator, denominator uint8
			if e.Message.GetMetaMeter(&numerator, &denominator) && numerator > 0 && denominator > 0 {
				changes = append(changes, meter{tick, 4 * ppq / int(denominator), int(numerator), 0})
			}
		}
	}
	slices.SortStableFunc(changes, func(a, c meter) int { return a.tick - c.tick })
	for _, c := range changes {
		last := b[len(b)-1]
		length := max(last.beat*last.beats, 1)
		c.bar = last.bar + (c.tick-last.tick+length-1)/length
		b = append(b, c)
	}
	return b
}

// meter returns the meter at a tick.
func (b bars) meter(tick int) (m meter) {
	for i, next := range b {
		if i == 0 || next.tick <= tick {
			m = next
		}
	}
	return m
}

// at returns the bar and beat of a tick; bar 0 if the file does not count in beats.
func (b bars) at(tick int) string {
	m := b.meter(tick)
	if m.beat == 0 {
		return "bar 0"
	}
	beats := (tick - m.tick) / m.beat
	rest := float64((tick-m.tick)%m.beat) / float64(m.beat)
	return fmt.Sprintf("bar %d beat %.4g", m.bar+beats/m.beats, 1+float64(beats%m.beats)+rest)
}
