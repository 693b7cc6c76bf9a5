// Package timeline is the video domain: its documents are OpenTimelineIO timelines, and this package has their verbs, queries and
// selectors.
//
//   - A clip's start and end are where it is seen, in whole frames of the project. A transition of d frames overlaps two clips by d: the
//     second starts d frames before the first ends. The file stores a cut between the two, somewhere within the transition, as editors do.
//   - Texts are clips too: generators on tracks T1, T2, …, which other programs see as video tracks.
//   - Unknown parts of a file are kept as they are, and reported.
package timeline

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/timecode"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// Film is an open timeline. Only edits change it.
type Film struct {
	doc        *otio.Document
	lastTracks map[*otio.Node]*Track // the tracks as they were last read
}

// Short names for the SDK's generic types.
type (
	ctx   = pdk.Ctx[*Film]
	view  = pdk.View[*Film]
	verb  = pdk.Verb[*Film]
	query = pdk.Query[*Film]
)

// Paths of values in the file.
const (
	tracksPath = "tracks/children"
	fcpPath    = "metadata/fcp"
	mediaPath  = "metadata/fcp/media"
)

// open reads a file.
func open(text string) (*Film, error) {
	doc, err := otio.Parse(text)
	if err != nil {
		return nil, pdk.Errorf("not a timeline: %v", err)
	}
	schema := doc.Root().Get("OTIO_SCHEMA").Value().Text()
	if !strings.HasPrefix(schema, "Timeline.") {
		if schema == "" {
			return nil, pdk.Errorf("not a timeline of OpenTimelineIO: it has no OTIO_SCHEMA")
		}
		return nil, pdk.Errorf("it holds a %s, not a Timeline", schema)
	}
	if doc.At(tracksPath).Value() == nil || !doc.At(tracksPath).Value().Is(jsontree.Array) {
		return nil, pdk.Errorf("not a timeline of OpenTimelineIO: it has no tracks")
	}
	return &Film{doc: doc, lastTracks: map[*otio.Node]*Track{}}, nil
}

// settings are the settings of the project.
type settings struct {
	width, height int
	rate          timecode.Rate
	sample        int    // Hz
	background    string // #rrggbb
	chosen        bool   // the user or a medium has set size and rate
}

// parsed is what was read of the whole document. The root node caches it.
type parsed struct {
	settings
	tracks []*Track
}

// parsed returns the document's settings and tracks, reading what has changed since the last call.
func (f *Film) parsed() *parsed {
	root := f.doc.Root()
	if w, ok := root.Memo.(*parsed); ok {
		return w
	}
	w := &parsed{settings: f.readSettings()}
	list := f.doc.At(tracksPath)
	count := map[byte]int{}
	for i := range list.Len() {
		t := f.readTrack(list.Item(i), w.rate)
		count[t.Kind]++
		t.ID, t.index = string(t.Kind)+strconv.Itoa(count[t.Kind]), i
		w.tracks = append(w.tracks, t)
	}
	root.Memo = w
	return w
}

func (f *Film) rate() timecode.Rate { return f.parsed().rate }

// timeText prints a time.
func (f *Film) timeText(frames int) string { return f.rate().Text(frames) }

// readSettings reads the settings of the project. Without any it uses the defaults, and the frame rate of the file's clips.
func (f *Film) readSettings() settings {
	type memo struct{ settings }
	ours := f.doc.At(fcpPath)
	if ours != nil {
		if m, ok := ours.Memo.(*memo); ok {
			return m.settings
		}
	}
	s := settings{width: 1920, height: 1080, rate: timecode.Rate{Num: 30, Den: 1}, sample: 48000, background: "#000000"}
	v := f.doc.At(fcpPath + "/project").Value()
	if v.Is(jsontree.Object) {
		if w, h := int(v.Get("width").Float()), int(v.Get("height").Float()); validSide(w) && validSide(h) {
			s.width, s.height = w, h
		}
		if r, err := timecode.ParseRate(v.Get("fps").Plain()); err == nil {
			s.rate, s.chosen = r, true
		}
		if n := int(v.Get("sample_rate").Float()); slices.Contains(sampleRates, n) {
			s.sample = n
		}
		if c, ok := fileColour(v.Get("background").Text()); ok {
			s.background = c
		}
	} else if r, ok := f.fileRate(); ok {
		s.rate, s.chosen = r, true
	}
	if v.Is(jsontree.Object) { // otherwise the settings depend on the tracks as well
		ours.Memo = &memo{s}
	}
	return s
}

// fileRate returns the rate in which the file's times are written: that of the first item of a video track, or else of any track.
func (f *Film) fileRate() (timecode.Rate, bool) {
	list := f.doc.At(tracksPath)
	for _, kind := range []string{"Video", ""} {
		for i := range list.Len() {
			t := list.Item(i)
			if kind != "" && t.Get("kind").Value().Text() != kind {
				continue
			}
			items := t.Get("children")
			for k := range items.Len() {
				v := items.Item(k).Value()
				rate := v.Get("source_range", "duration", "rate").Float()
				if rate == 0 {
					rate = mediaRef(v).Get("available_range", "duration", "rate").Float()
				}
				if r, err := timecode.RateOf(rate); err == nil {
					return r, true
				}
			}
		}
	}
	return timecode.Rate{}, false
}

func validSide(side int) bool { return side >= 16 && side <= 8192 && side%2 == 0 }

// sampleRates are the usual rates of sound, in Hz.
var sampleRates = []int{22050, 32000, 44100, 48000, 88200, 96000}

// clips returns all clips and texts, track by track.
func (f *Film) clips() (out []*Clip) {
	for _, t := range f.parsed().tracks {
		out = append(out, t.Clips...)
	}
	return out
}

// Frames returns the length of the film.
func (f *Film) Frames() int {
	n := 0
	for _, t := range f.parsed().tracks {
		n = max(n, t.End())
	}
	return n
}
