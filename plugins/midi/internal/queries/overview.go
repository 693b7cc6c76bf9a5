package queries

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// showMap prints an overview of the song.
func showMap(v *view, _ pdk.Args) (string, error) {
	s := v.Model
	var b strings.Builder
	title := song.Brief(s.Title(), 80)
	if title == "" {
		title = "(untitled)"
	}
	fmt.Fprintf(&b, "Song: %s\n  %s\n", title, headline(s))
	if s.Format() != 2 {
		changes(&b, s, nil, "  ")
	}
	music := s.Music()
	fmt.Fprintf(&b, "  Tracks (%d):\n", len(music))
	for _, t := range music {
		fmt.Fprintf(&b, "    %s\n", trackLine(s, t))
	}
	if len(music) == 0 {
		b.WriteString("    none yet; try: track add Piano instrument:acoustic-grand-piano\n")
	}
	return b.String(), nil
}

// headline prints tempo, signature, key, division, format and length.
func headline(s *song.Song) string {
	seconds := minutes(s.Tempo(nil).Seconds(s.End()))
	m, err := s.Meter(nil)
	if err != nil {
		fps, ticks := s.Division().SMPTE()
		return fmt.Sprintf("%d frames a second, %d ticks each | %s | format %d | %s", fps, ticks, s.KeyAt(nil, 0), s.Format(), seconds)
	}
	g := m.At(0)
	ppq, _ := s.Division().PPQ()
	return fmt.Sprintf("tempo:%s | %d/%d | %s | ppqn:%d | format %d | %s, %s",
		song.PrintBPM(s.Tempo(nil).At(0).BPM()), g.Num, g.Den, s.KeyAt(nil, 0), ppq, s.Format(), pdk.Count(s.Bars(m), "bar"), seconds)
}

// maxListed is how many changes of one kind an overview prints.
const maxListed = 12

// changes lists the changes of tempo, signatures and keys, and the markers.
func changes(b *strings.Builder, s *song.Song, t *song.Track, indent string) {
	list := func(what string, all []string) {
		if n := len(all); n > maxListed {
			all = append(all[:maxListed:maxListed], fmt.Sprintf("and %d more", n-maxListed))
		}
		fmt.Fprintf(b, "%s%s: %s\n", indent, what, strings.Join(all, ", "))
	}
	if tempi := s.Tempo(t).Changes; len(tempi) > 1 {
		var all []string
		low, high := tempi[0].BPM(), tempi[0].BPM()
		for _, c := range tempi {
			all = append(all, song.PrintBPM(c.BPM())+" at "+s.At(t, c.Tick))
			low, high = min(low, c.BPM()), max(high, c.BPM())
		}
		if len(tempi) > manyChanges {
			all = []string{fmt.Sprintf("%d changes, %s to %s", len(tempi)-1, song.PrintBPM(low), song.PrintBPM(high))}
		}
		list("Tempo", all)
	}
	if m, err := s.Meter(t); err == nil && len(m.Changes) > 1 {
		var all []string
		for _, g := range m.Changes {
			all = append(all, fmt.Sprintf("%d/%d at %d", g.Num, g.Den, g.Bar))
		}
		list("Signatures", all)
	}
	if keys := s.Keys(t); len(keys) > 1 || len(keys) == 1 && keys[0].Tick > 0 {
		var all []string
		for _, k := range keys {
			all = append(all, k.Key.String()+" at "+s.At(t, k.Tick))
		}
		list("Keys", all)
	}
	if markers := s.Markers(t); len(markers) > 0 {
		var all []string
		for _, m := range markers {
			all = append(all, song.Brief(m.Text(), 40)+" "+s.At(t, m.Tick))
		}
		list("Markers", all)
	}
}

// minutes prints seconds as m:ss.mmm.
func minutes(seconds float64) string {
	ms := int64(seconds*1000 + 0.5)
	return fmt.Sprintf("%d:%02d.%03d", ms/60000, ms/1000%60, ms%1000)
}

// trackLine prints a track on one line: number, name, channel, sound, notes, and where
// the first and the last are.
func trackLine(s *song.Song, t *song.Track) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d. %s", s.Number(t), song.Brief(s.Name(t), 60))
	sums := t.Sums()
	channels := sums.Channels()
	switch len(channels) {
	case 0:
		if c := t.Channel(); c > 0 {
			fmt.Fprintf(&b, " ch:%d", c)
		}
	case 1:
		fmt.Fprintf(&b, " ch:%d", channels[0])
	default:
		fmt.Fprintf(&b, " ch:%s", joinNumbers(channels))
	}
	if p := t.Program(); p != nil && len(channels) <= 1 {
		b.WriteString(" " + s.SoundOf(p))
	}
	if t.Notes() == 0 {
		fmt.Fprintf(&b, " (no notes)")
		return b.String()
	}
	fmt.Fprintf(&b, " (%s, %s to %s)", pdk.Count(t.Notes(), "note"), s.At(t, sums.First), s.At(t, sums.Last))
	return b.String()
}

func joinNumbers(n []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(n), " ", ","), "[]")
}

func showTracks(v *view, _ pdk.Args) (string, error) {
	s := v.Model
	var b strings.Builder
	if all := s.Tracks(); all[0].Conductor {
		fmt.Fprintf(&b, "0. conductor (tempo, signatures, markers: %s)\n", pdk.Count(all[0].Len(), "event"))
	}
	for _, t := range s.Music() {
		b.WriteString(trackLine(s, t) + "\n")
	}
	return b.String(), nil
}

// showTrack describes one track, all tracks, or an event by its id.
func showTrack(v *view, a pdk.Args) (string, error) {
	s := v.Model
	tracks := s.Tracks()
	if ref := a.Text(0); ref != "*" || a.Positionals[0].Quoted {
		t, err := namedTrack(v, a, 0)
		if e := s.Event(ref); e != nil && err != nil {
			return eventLines(s, []*song.Event{e}, true), nil
		}
		if err != nil {
			return "", err
		}
		tracks = []*song.Track{t}
	}
	var b strings.Builder
	for _, t := range tracks {
		describe(&b, s, t)
	}
	return b.String(), nil
}

func describe(b *strings.Builder, s *song.Song, t *song.Track) {
	if t.Conductor {
		fmt.Fprintf(b, "conductor: title %q, %s\n", song.Brief(s.Title(), 80), pdk.Count(t.Len(), "event"))
		changes(b, s, nil, "  ")
		return
	}
	b.WriteString(trackLine(s, t) + "\n")
	if s.Format() == 2 {
		changes(b, s, t, "  ")
	}
	sums := t.Sums()
	var low, high *song.Event
	sum, sounding, most := 0, 0, 0
	var kinds []string
	count := map[string]int{}
	for e := range t.Events() {
		if e.Mate != nil && !e.IsNote() {
			sounding--
			continue
		}
		if e.IsNote() {
			sounding++
			most = max(most, sounding)
			sum += e.Velocity()
			if low == nil || e.Pitch() < low.Pitch() {
				low = e
			}
			if high == nil || e.Pitch() > high.Pitch() {
				high = e
			}
			continue
		}
		what := string(e.Kind())
		if e.Kind() == song.KindCC {
			what = strings.Join(strings.Fields(s.Say(e))[:2], " ")
		}
		if count[what] == 0 {
			kinds = append(kinds, what)
		}
		count[what]++
	}
	if low != nil {
		fmt.Fprintf(b, "  pitches %s to %s, velocities %d to %d, mean %d, at most %d at once\n", s.PitchName(low), s.PitchName(high), sums.Softest, sums.Loudest, sum/t.Notes(), most)
		if m, err := s.Meter(t); err == nil {
			fmt.Fprintf(b, "  plays in %s\n", song.Bars(barsPlayed(m, t)))
		}
	}
	for i, k := range kinds {
		kinds[i] = fmt.Sprintf("%s %d", k, count[k])
	}
	if len(kinds) > 0 {
		fmt.Fprintf(b, "  other events: %s\n", strings.Join(kinds, ", "))
	}
}

// barsPlayed lists the bars in which something sounds: "1-8, 17-24".
func barsPlayed(m *song.Meter, t *song.Track) string {
	var runs [][2]int
	for e := range t.Events() {
		if !e.IsNote() {
			continue
		}
		from, _, _ := m.Locate(e.Tick)
		to, _, _ := m.Locate(max(e.Tick, e.Mate.Tick-1))
		if n := len(runs); n > 0 && from <= runs[n-1][1]+1 {
			runs[n-1][1] = max(runs[n-1][1], to)
			continue
		}
		runs = append(runs, [2]int{from, to})
	}
	var out []string
	for i, r := range runs {
		if i == maxListed {
			out = append(out, "…")
			break
		}
		if r[0] == r[1] {
			out = append(out, fmt.Sprint(r[0]))
		} else {
			out = append(out, fmt.Sprintf("%d-%d", r[0], r[1]))
		}
	}
	return strings.Join(out, ", ")
}

// showStats prints counts, lengths and ranges of the song.
func showStats(v *view, _ pdk.Args) (string, error) {
	s := v.Model
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", headline(s))
	events := 0
	var length int64
	sums := song.Sums{First: -1}
	for _, t := range s.Tracks() {
		length = max(length, t.Length())
		events += t.Len()
		of := t.Sums()
		sums.Add(&of)
	}
	fmt.Fprintf(&b, "tracks %d, notes %d, events %d (note-offs counted)\n", len(s.Music()), s.Notes(), events)
	fmt.Fprintf(&b, "music ends at %s (tick %d), %s; the file ends at tick %d, %s\n", s.At(nil, s.End()), s.End(),
		minutes(s.Tempo(nil).Seconds(s.End())), length, minutes(s.Tempo(nil).Seconds(length)))
	if sums.Low != nil {
		fmt.Fprintf(&b, "pitches %s to %s (drums aside)\n", s.PitchName(sums.Low), s.PitchName(sums.High))
	}
	if s.Notes() > 0 {
		fmt.Fprintf(&b, "velocities %d to %d, mean %d\n", sums.Softest, sums.Loudest, sums.Velocities/s.Notes())
	}
	tempi := s.Tempo(nil).Changes
	slow, fast := tempi[0], tempi[0]
	for _, c := range tempi {
		if c.Micros > slow.Micros {
			slow = c
		}
		if c.Micros < fast.Micros {
			fast = c
		}
	}
	if len(tempi) > 1 {
		fmt.Fprintf(&b, "tempo %s to %s in %d steps\n", song.PrintBPM(slow.BPM()), song.PrintBPM(fast.BPM()), len(tempi))
	}
	count := map[song.Kind]int{}
	for _, k := range sums.Kinds {
		count[k.Kind] = k.N
	}
	var all []string
	for _, k := range song.Kinds() {
		if count[k] > 0 {
			all = append(all, fmt.Sprintf("%s %d", k, count[k]))
		}
	}
	fmt.Fprintf(&b, "kinds: %s\n", strings.Join(all, ", "))
	return b.String(), nil
}
