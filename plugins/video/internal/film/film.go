// Package film is the model of the video domain: an OpenTimelineIO timeline, read into tracks, clips and transitions,
// and the edits that change its text.
//
//   - A clip's start and end are where it is seen, in whole frames of the project. A transition of d frames overlaps two clips by d: the
//     second starts d frames before the first ends. The file stores a cut between the two, somewhere within the transition, as editors do.
//   - Texts are clips too: generators on tracks T1, T2, …, which other programs see as video tracks.
//   - Unknown parts of a file are kept as they are, and reported.
package film

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
	Doc        *otio.Document
	lastTracks map[*otio.Node]*Track // the tracks as they were last read
}

// Short names for the SDK's generic types.
type (
	Ctx   = pdk.Ctx[*Film]
	View  = pdk.View[*Film]
	Verb  = pdk.Verb[*Film]
	Query = pdk.Query[*Film]
)

// Paths of values in the file.
const (
	TracksPath = "tracks/children"
	FCPPath    = "metadata/fcp"
	MediaPath  = "metadata/fcp/media"
)

// Open reads a file.
func Open(text string) (*Film, error) {
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
	if doc.At(TracksPath).Value() == nil || !doc.At(TracksPath).Value().Is(jsontree.Array) {
		return nil, pdk.Errorf("not a timeline of OpenTimelineIO: it has no tracks")
	}
	return &Film{Doc: doc, lastTracks: map[*otio.Node]*Track{}}, nil
}

// Settings are the settings of the project.
type Settings struct {
	Width, Height int
	Rate          timecode.Rate
	Sample        int    // Hz
	Background    string // #rrggbb
	Chosen        bool   // the user or a medium has set size and rate
}

// Parsed is what was read of the whole document. The root node caches it.
type Parsed struct {
	Settings
	Tracks []*Track
}

// Parsed returns the document's settings and tracks, reading what has changed since the last call.
func (f *Film) Parsed() *Parsed {
	root := f.Doc.Root()
	if w, ok := root.Memo.(*Parsed); ok {
		return w
	}
	w := &Parsed{Settings: f.readSettings()}
	list := f.Doc.At(TracksPath)
	count := map[byte]int{}
	for i := range list.Len() {
		t := f.readTrack(list.Item(i), w.Rate)
		count[t.Kind]++
		t.ID, t.Index = string(t.Kind)+strconv.Itoa(count[t.Kind]), i
		w.Tracks = append(w.Tracks, t)
	}
	root.Memo = w
	return w
}

// Rate returns the frames per second of the project.
func (f *Film) Rate() timecode.Rate { return f.Parsed().Rate }

// TimeText prints a time.
func (f *Film) TimeText(frames int) string { return f.Rate().Text(frames) }

// readSettings reads the settings of the project. Without any it uses the defaults, and the frame rate of the file's
// clips.
func (f *Film) readSettings() Settings {
	type memo struct{ of Settings }
	ours := f.Doc.At(FCPPath)
	if ours != nil {
		if m, ok := ours.Memo.(*memo); ok {
			return m.of
		}
	}
	s := Settings{Width: 1920, Height: 1080, Rate: timecode.Rate{Num: 30, Den: 1}, Sample: 48000, Background: "#000000"}
	v := f.Doc.At(FCPPath + "/project").Value()
	if v.Is(jsontree.Object) {
		if w, h := int(v.Get("width").Float()), int(v.Get("height").Float()); ValidSide(w) && ValidSide(h) {
			s.Width, s.Height = w, h
		}
		if r, err := timecode.ParseRate(v.Get("fps").Plain()); err == nil {
			s.Rate, s.Chosen = r, true
		}
		if n := int(v.Get("sample_rate").Float()); slices.Contains(SampleRates, n) {
			s.Sample = n
		}
		if c, ok := FileColour(v.Get("background").Text()); ok {
			s.Background = c
		}
	} else if r, ok := f.fileRate(); ok {
		s.Rate, s.Chosen = r, true
	}
	if v.Is(jsontree.Object) { // otherwise the settings depend on the tracks as well
		ours.Memo = &memo{s}
	}
	return s
}

// fileRate returns the rate in which the file's times are written: that of the first item of a video track, or else
// of any track.
func (f *Film) fileRate() (timecode.Rate, bool) {
	list := f.Doc.At(TracksPath)
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

// ValidSide reports whether a picture may be so many pixels wide or high.
func ValidSide(side int) bool { return side >= 16 && side <= 8192 && side%2 == 0 }

// SampleRates are the usual rates of sound, in Hz.
var SampleRates = []int{22050, 32000, 44100, 48000, 88200, 96000}

// Clips returns all clips and texts, track by track.
func (f *Film) Clips() (out []*Clip) {
	for _, t := range f.Parsed().Tracks {
		out = append(out, t.Clips...)
	}
	return out
}

// Frames returns the length of the film.
func (f *Film) Frames() int {
	n := 0
	for _, t := range f.Parsed().Tracks {
		n = max(n, t.End())
	}
	return n
}
