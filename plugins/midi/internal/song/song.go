package song

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/sf2"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// Song is a document.
type Song struct {
	header smf.File // without its chunks
	odd    bool     // opened as RIFF under a name without .rmi, or the reverse
	parts  []part   // tracks and foreign chunks, in file order
	byID   []*Event // by ID; nil if the event was removed
	tracks TrackID  // the last track id in use
	notes  int
	fonts  []*sf2.Font

	shared timeline // formats 0 and 1: all tracks share one time
	names  *pdk.Index[*Track]
	heard  guess                     // the likely key of a song without key signatures
	spelt  map[spelling]theory.Pitch // cached spellings

	ends [16 * 128]int64 // ends of sounding notes by channel and pitch; all zero outside of examine
}

// part is a track or a foreign chunk.
type part struct {
	track *Track
	chunk smf.Chunk // if track is nil
}

// Open reads a file.
func Open(data []byte) (*Song, []string, error) {
	f, warnings, err := smf.Parse(data)
	if err != nil {
		return nil, nil, err
	}
	return fromFile(f), warnings, nil
}

// OpenAs reads a file. Its name determines whether it should be RIFF.
func OpenAs(name string, data []byte) (*Song, []string, error) {
	s, warnings, err := Open(data)
	if err == nil {
		s.odd = isRiffName(name) != s.Wrapped()
	}
	return s, warnings, err
}

// isRiffName reports whether files with such a name are RIFF files.
func isRiffName(name string) bool { return strings.EqualFold(path.Ext(name), ".rmi") }

func fromFile(f *smf.File) *Song {
	s := &Song{header: *f, byID: make([]*Event, 1, 1024)}
	s.header.Chunks = nil
	for i := range f.Chunks {
		c := &f.Chunks[i]
		if c.Track == nil {
			s.parts = append(s.parts, part{chunk: *c})
			continue
		}
		s.tracks++
		t := s.newTrack(s.tracks)
		t.end, t.tail = c.Track.End, c.Track.Tail
		s.parts = append(s.parts, part{track: t})
		s.load(t, c.Track.Events)
	}
	if all := s.Tracks(); f.Format == 1 && all[0].First(func(e *Event) bool { return e.IsChannel() }) == nil {
		all[0].Conductor = true
	}
	return s
}

// load fills an empty track and pairs its notes: each note-off ends the note of its
// pitch and channel that has sounded longest.
func (s *Song) load(t *Track, events []smf.Event) {
	slab := make([]Event, len(events))
	open := map[uint16][]*Event{}
	for i := range events {
		e := &slab[i]
		e.Event, e.ID, e.Track = events[i], ID(len(s.byID)), t
		s.byID = append(s.byID, e)
		t.events.push(e)
		s.updateCaches(e, 1)
		key := uint16(e.Status&0x0F)<<8 | uint16(e.A)
		switch {
		case e.isOn():
			open[key] = append(open[key], e)
		case e.isOff() && len(open[key]) > 0:
			s.pair(open[key][0], e)
			open[key] = open[key][1:]
		}
	}
}

// pair makes one note of a note-on and a note-off.
func (s *Song) pair(on, off *Event) {
	on.Mate, off.Mate = off, on
	on.invalidate()
	s.notes++
	on.Track.notes++
}

// file converts the song to the codec's form.
func (s *Song) file() *smf.File {
	f := s.header
	f.Chunks = make([]smf.Chunk, 0, len(s.parts))
	for _, p := range s.parts {
		if p.track == nil {
			f.Chunks = append(f.Chunks, p.chunk)
			continue
		}
		t := &smf.Track{Events: make([]smf.Event, 0, p.track.Len()), End: p.track.end, Tail: p.track.tail}
		for e := range p.track.Events() {
			t.Events = append(t.Events, e.Event)
		}
		f.Chunks = append(f.Chunks, smf.Chunk{Track: t})
	}
	return &f
}

// Save writes the file. Without changes it writes the bytes that were opened.
func (s *Song) Save() []byte { return s.file().Encode() }

// SaveAs writes the file for a name: .rmi files are wrapped in RIFF, others are not. A
// file whose name and content disagreed when it was opened stays as it is.
func (s *Song) SaveAs(name string) []byte {
	f := s.file()
	switch {
	case s.odd || isRiffName(name) == s.Wrapped():
	case s.Wrapped():
		f.Riff = nil
	default:
		f.Riff = &smf.Riff{}
	}
	return f.Encode()
}

// Format returns 0, 1 or 2.
func (s *Song) Format() int { return int(s.header.Format) }

// Division returns the file's time division.
func (s *Song) Division() smf.Division { return s.header.Division }

// Wrapped reports whether the file is a RIFF RMID.
func (s *Song) Wrapped() bool { return s.header.Riff != nil }

// PPQ returns the ticks in a quarter note. With an SMPTE division it returns an error
// that says what to use instead.
func (s *Song) PPQ() (int64, error) {
	if ppq, ok := s.header.Division.PPQ(); ok {
		return int64(ppq), nil
	}
	fps, ticks := s.header.Division.SMPTE()
	return 0, pdk.Errorf("this file counts time in SMPTE frames (%d a second, %d ticks each), not in beats: give positions as tick:N and durations as ticks:N", fps, ticks)
}

// Tracks lists all tracks, in file order, the conductor included.
func (s *Song) Tracks() []*Track {
	out := make([]*Track, 0, len(s.parts))
	for _, p := range s.parts {
		if p.track != nil {
			out = append(out, p.track)
		}
	}
	return out
}

// TrackCount returns the number of tracks.
func (s *Song) TrackCount() (n int) {
	for _, p := range s.parts {
		if p.track != nil {
			n++
		}
	}
	return n
}

// Lead returns the first track, which holds tempo, signatures and the title.
func (s *Song) Lead() *Track {
	for _, p := range s.parts {
		if p.track != nil {
			return p.track
		}
	}
	return nil
}

// Music lists the tracks other than the conductor.
func (s *Song) Music() []*Track {
	all := s.Tracks()
	if len(all) > 0 && all[0].Conductor {
		return all[1:]
	}
	return all
}

// Notes returns the number of notes.
func (s *Song) Notes() int { return s.notes }

// Event returns the event with an id as Event.Ref prints it, or nil. A note is its
// note-on.
func (s *Song) Event(ref string) *Event {
	if len(ref) < 2 || ref[0] != 'n' && ref[0] != 'e' {
		return nil
	}
	n, err := strconv.ParseUint(ref[1:], 10, 32)
	if err != nil {
		return nil
	}
	if e := s.event(ID(n)); e != nil && e.Ref() == ref && e.IsElement() {
		return e
	}
	return nil
}

func (s *Song) event(id ID) *Event {
	if int(id) < len(s.byID) {
		return s.byID[id]
	}
	return nil
}

// track returns the track with an id, or nil.
func (s *Song) track(id TrackID) *Track {
	for _, p := range s.parts {
		if p.track != nil && p.track.ID == id {
			return p.track
		}
	}
	return nil
}

// Title returns the name of the first track, which is the song's title.
func (s *Song) Title() string {
	if t := s.Lead(); t != nil {
		if e := t.NameEvent(); e != nil {
			return e.Text()
		}
	}
	return ""
}

// Name returns the name of a track. A track without one is "Track 3", by its number
// among the tracks with notes; the conductor is "conductor".
func (s *Song) Name(t *Track) string {
	if e := t.NameEvent(); e != nil && !t.Conductor && e.Text() != "" {
		return e.Text()
	}
	if t.Conductor {
		return "conductor"
	}
	return fmt.Sprintf("Track %d", s.Number(t))
}

// Number returns a track's number among those that play, from 1; 0 is the conductor.
func (s *Song) Number(t *Track) int {
	n := 0
	for _, p := range s.parts {
		switch {
		case p.track == nil:
		case n == 0 && p.track == s.Lead() && p.track.Conductor:
		case p.track == t:
			return n + 1
		default:
			n++
		}
	}
	return 0
}

// Names resolves track references: names exactly or by a prefix, "Track 3" for the
// third track if it has no name, "#3" for it in any case, "conductor".
func (s *Song) Names() *pdk.Index[*Track] {
	if s.names == nil {
		s.names = &pdk.Index[*Track]{}
		all := s.Tracks()
		conductors := len(all) - len(s.Music())
		for i, t := range all {
			s.name(t, i+1-conductors)
		}
	}
	return s.names
}

// name adds a track to the names. number is its number among those that play, 0 for the
// conductor.
func (s *Song) name(t *Track, number int) {
	s.names.Put(t, s.Name(t), "track", "")
	if number > 0 {
		s.names.Identify(t, strconv.Itoa(number))
	}
}

// FindTrack resolves one reference as Names does, and takes "3" as "#3". A destructive
// verb passes exactish, which refuses prefixes of names.
func (s *Song) FindTrack(ref string, exactish bool) (*Track, error) {
	names := s.Names()
	if hits, _ := names.Find(ref, exactish); len(hits) == 1 {
		return hits[0], nil
	}
	if _, err := strconv.ParseUint(ref, 10, 16); err == nil {
		if hits, _ := names.Find("#"+ref, true); len(hits) == 1 {
			return hits[0], nil
		}
	}
	return names.One(ref, "Track", exactish)
}

// FreeChannel returns the lowest channel, other than the drum channel, that has no
// message in the file and that no track without messages has claimed. If all are taken,
// it returns 1 and false.
func (s *Song) FreeChannel() (channel int, ok bool) {
	used := uint32(1 << theory.DrumChannel)
	const all = 1<<17 - 2 // channels 1 to 16
	for _, p := range s.parts {
		if p.track == nil {
			continue
		}
		sums := p.track.Sums()
		if used |= sums.channels | 1<<p.track.Channel(); used&all == all {
			break
		}
	}
	for c := 1; c <= 16; c++ {
		if used>>c&1 == 0 {
			return c, true
		}
	}
	return 1, false
}

// Sort sorts events into document order: by track, and by their order in each track.
func (s *Song) Sort(events []*Event) {
	number := map[*Track]int{}
	for i, t := range s.Tracks() {
		number[t] = i
	}
	slices.SortFunc(events, func(a, b *Event) int {
		if a.Track != b.Track {
			return number[a.Track] - number[b.Track]
		}
		p, q := a.Track.events.find(a), b.Track.events.find(b)
		return cmp.Or(p.b-q.b, p.i-q.i)
	})
}

// Bars returns the number of bars of the song in a meter.
func (s *Song) Bars(m *Meter) int {
	start := int64(-1)
	for _, p := range s.parts {
		if p.track != nil {
			start = max(start, p.track.lastStart())
		}
	}
	return m.Filled(start, s.End())
}

// End returns the tick of the last event of all tracks.
func (s *Song) End() int64 {
	var end int64
	for _, p := range s.parts {
		if p.track != nil {
			end = max(end, p.track.End())
		}
	}
	return end
}
