package main

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"pgregory.net/rapid"
)

// struck lists the note-ons of a track.
func struck(track []event) (out []event) {
	for _, e := range track {
		if e.note() && !e.ends() {
			out = append(out, e)
		}
	}
	return out
}

// others lists the events of a track that are no notes.
func others(track []event) (out []event) {
	for _, e := range track {
		if !e.note() {
			out = append(out, e)
		}
	}
	return out
}

// moved returns events with their ticks mapped; those for which to is less than 0 are left out.
func moved(list []event, to func(tick int64) int64) (out []event) {
	for _, e := range list {
		if tick := to(e.tick); tick >= 0 {
			out = append(out, event{tick, e.data})
		}
	}
	return out
}

// barTicks returns the length of all bars of a file whose metre does not change, 0 of another file.
func barTicks(file []byte) int64 {
	length := int64(binary.BigEndian.Uint16(file[12:])) * 4
	if length >= 0x8000*4 {
		return 0
	}
	for _, track := range tracksOf(file) {
		for _, e := range track {
			if !e.meta("\x58") {
				continue
			}
			if e.tick > 0 || len(e.data) < 5 {
				return 0
			}
			length = int64(binary.BigEndian.Uint16(file[12:])) * 4 * int64(e.data[3]) >> e.data[4]
		}
	}
	return length
}

// steadySongs are real files whose bars all have one length, with that length.
func steadySongs(t *testing.T) (files map[string][]byte, bars map[string]int64) {
	files, bars = realSongs(t), map[string]int64{}
	for name, file := range files {
		if n := barTicks(file); n > 0 && binary.BigEndian.Uint16(file[8:]) < 2 {
			bars[name] = n
		} else {
			delete(files, name)
		}
	}
	return files, bars
}

// Inserted and deleted bars move what follows them, and nothing else: all that is before them stays where it is, on each track.
func TestBarsMoveWhatFollowsAndNothingElse(t *testing.T) {
	files, bars := steadySongs(t)
	names := slices.Sorted(maps.Keys(files))
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(names).Draw(rt, "file")
		length := bars[name]
		doc := pdktest.Open(t, domain(), "x.mid", files[name])
		before := tracksOf(doc.Save())
		bar, count := rapid.Int64Range(1, 12).Draw(rt, "bar"), rapid.Int64Range(1, 3).Draw(rt, "count")
		from, to := (bar-1)*length, (bar-1+count)*length
		insert := rapid.Bool().Draw(rt, "insert")
		op := fmt.Sprintf("bars delete %d-%d", bar, bar+count-1)
		shift := func(tick int64) int64 {
			switch {
			case tick < from:
				return tick
			case tick < to:
				return -1
			}
			return tick - (to - from)
		}
		if insert {
			op = fmt.Sprintf("bars insert %d count:%d", bar, count)
			shift = func(tick int64) int64 {
				if tick < from {
					return tick
				}
				return tick + to - from
			}
		}
		reply, ok := doc.Try(op)
		if !ok {
			return
		}
		after := tracksOf(doc.Save())
		for i := range before {
			want, got := moved(struck(before[i]), shift), struck(after[i])
			more := gone(got, want) // of notes that are held over the bar line
			for _, e := range more {
				if !insert || e.tick != to || !strings.Contains(reply, "? cut at the bar line") {
					rt.Fatalf("%s: %s\n%s\nadds to track %d at tick %d % X", name, op, reply, i, e.tick, e.data)
				}
			}
			edge := func(list []event) []event { // settings at the bar line may stay in front of it, or take effect there
				return slices.DeleteFunc(slices.Clone(list), func(e event) bool { return e.tick == from || insert && e.tick == to })
			}
			wantOthers, gotOthers := edge(moved(others(before[i]), shift)), edge(others(after[i]))
			for _, e := range slices.Concat(gone(want, got), gone(wantOthers, gotOthers)) {
				rt.Fatalf("%s: %s\n%s\nloses on track %d at tick %d % X", name, op, reply, i, e.tick, e.data)
			}
			for _, e := range gone(gotOthers, wantOthers) {
				rt.Fatalf("%s: %s\n%s\nadds to track %d at tick %d % X", name, op, reply, i, e.tick, e.data)
			}
		}
	})
}

// An arranged song has the notes of its sections, each as often as it is named, and no others.
func TestAnArrangedSongHasTheNotesOfItsSections(t *testing.T) {
	files, bars := steadySongs(t)
	names := slices.Sorted(maps.Keys(files))
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(names).Draw(rt, "file")
		length := bars[name]
		doc := pdktest.Open(t, domain(), "x.mid", files[name])
		before := tracksOf(doc.Save())
		op := "arrange"
		want := make([][]event, len(before))
		at := int64(0)
		for range rapid.IntRange(1, 3).Draw(rt, "sections") {
			first := rapid.Int64Range(1, 6).Draw(rt, "first")
			last := first + rapid.Int64Range(0, 2).Draw(rt, "more")
			op += fmt.Sprintf(" %d-%d", first, last)
			for i := range before {
				want[i] = append(want[i], moved(struck(before[i]), func(tick int64) int64 {
					if tick < (first-1)*length || tick >= last*length {
						return -1
					}
					return tick - (first-1)*length + at
				})...)
			}
			at += (last - first + 1) * length
		}
		reply, ok := doc.Try(op)
		if !ok {
			return
		}
		for i, track := range tracksOf(doc.Save()) {
			for _, e := range slices.Concat(gone(want[i], struck(track)), gone(struck(track), want[i])) {
				rt.Fatalf("%s: %s\n%s\ndiffers on track %d at tick %d % X", name, op, reply, i, e.tick, e.data)
			}
		}
	})
}

// MPE gives notes other channels, and keeps their time, pitch and velocity; what it adds comes at the start. A solo names each track
// whose volume it sets.
func TestMPEAndSoloKeepTheNotes(t *testing.T) {
	for name, file := range realSongs(t) {
		if binary.BigEndian.Uint16(file[8:]) == 2 {
			continue
		}
		for n := 1; n <= len(tracksOf(file)); n++ {
			doc := pdktest.Open(t, domain(), "x.mid", file)
			before := tracksOf(doc.Save())
			if _, ok := doc.Try(fmt.Sprintf("mpe #%d", n)); ok {
				deaf := func(list []event) (out []event) { // without channels
					for _, e := range list {
						if e.data[0] < 0xF0 {
							e.data = string(e.data[0]&0xF0) + e.data[1:]
						}
						out = append(out, e)
					}
					return out
				}
				for i, track := range tracksOf(doc.Save()) {
					if lost, more := gone(deaf(before[i]), deaf(track)), gone(deaf(track), deaf(before[i])); len(lost) > 0 || slices.ContainsFunc(more, func(e event) bool { return e.tick > 0 || e.note() }) {
						t.Errorf("%s: mpe #%d loses % X and adds % X on track %d", name, n, lost, more, i)
					}
				}
				doc.Undo(1)
			}
			reply, ok := doc.Try(fmt.Sprintf("solo #%d", n))
			if !ok {
				continue
			}
			for i, track := range tracksOf(doc.Save()) {
				if slices.Equal(track, before[i]) {
					continue
				}
				for _, e := range before[i] {
					if e.meta("\x03") && !strings.Contains(reply, strings.TrimSpace(e.data[2:])) && strings.TrimSpace(e.data[2:]) != "" {
						t.Errorf("%s: solo #%d does not name %q: %s", name, n, e.data[2:], reply)
					}
				}
			}
		}
	}
}
