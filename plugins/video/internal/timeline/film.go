// Package timeline is the video domain: a timeline of OpenTimelineIO as a document,
// with its verbs, queries and selectors.
//
// # Notes
//
//   - A clip's start and end are those of what is seen of it, in whole frames of the project. A transition of d frames overlaps two clips
//     by d: the second starts d frames before the first ends. In the file both are cut where they meet, within the transition, which is
//     how editors have it.
//   - Texts are clips too: generators on tracks T1, T2, …, which other programs see as video tracks.
//   - What the file says and nobody here knows is kept, and told.
package timeline

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
	"github.com/fcp-host/fcp-host/plugins/video/internal/timecode"
)

// Film is an open timeline. Only edits change it.
type Film struct {
	doc  *otio.Document
	laid map[*otio.Node]*Track // tracks as they were read last
}

// The domain's own names for the SDK's generic ones.
type (
	ctx   = pdk.Ctx[*Film]
	view  = pdk.View[*Film]
	verb  = pdk.Verb[*Film]
	query = pdk.Query[*Film]
)

// Where things are in a file.
const (
	tracksPath = "tracks/children"
	oursPath   = "metadata/fcp"
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
	return &Film{doc: doc, laid: map[*otio.Node]*Track{}}, nil
}

// settings are the project's.
type settings struct {
	width, height int
	rate          timecode.Rate
	sample        int    // Hz
	background    string // #rrggbb
	chosen        bool   // somebody chose size and rate, or a medium did
}

// whole is what was made of the document: its Memo.
type whole struct {
	settings
	tracks []*Track
}

// all is the document as it is now.
func (f *Film) all() *whole {
	root := f.doc.Root()
	if w, ok := root.Memo.(*whole); ok {
		return w
	}
	w := &whole{settings: f.readSettings()}
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

func (f *Film) rate() timecode.Rate { return f.all().rate }

// text tells a time.
func (f *Film) text(frames int) string { return f.rate().Text(frames) }

// readSettings reads what is said of the project, or makes it of what the file holds.
func (f *Film) readSettings() settings {
	type memo struct{ settings }
	ours := f.doc.At(oursPath)
	if ours != nil {
		if m, ok := ours.Memo.(*memo); ok {
			return m.settings
		}
	}
	s := settings{width: 1920, height: 1080, rate: timecode.Rate{Num: 30, Den: 1}, sample: 48000, background: "#000000"}
	v := f.doc.At(oursPath + "/project").Value()
	if v.Is(jsontree.Object) {
		if w, h := int(v.Get("width").Float()), int(v.Get("height").Float()); fits(w) && fits(h) {
			s.width, s.height = w, h
		}
		if r, err := timecode.ParseRate(v.Get("fps").Plain()); err == nil {
			s.rate, s.chosen = r, true
		}
		if n := int(v.Get("sample_rate").Float()); slices.Contains(sampleRates, n) {
			s.sample = n
		}
		if c, ok := colour(v.Get("background").Text()); ok {
			s.background = c
		}
	} else if r, ok := f.foundRate(); ok {
		s.rate, s.chosen = r, true
	}
	if v.Is(jsontree.Object) { // else it is a matter of the tracks, too
		ours.Memo = &memo{s}
	}
	return s
}

// foundRate is the rate that the file's times are written in: that of the first item of a track of pictures, or of any.
func (f *Film) foundRate() (timecode.Rate, bool) {
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
					rate = reference(v).Get("available_range", "duration", "rate").Float()
				}
				if r, err := timecode.RateOf(rate); err == nil {
					return r, true
				}
			}
		}
	}
	return timecode.Rate{}, false
}

func fits(side int) bool { return side >= 16 && side <= 8192 && side%2 == 0 }

var sampleRates = []int{22050, 32000, 44100, 48000, 88200, 96000}

// Kinds of tracks, as their ids begin.
const (
	pictures = 'V'
	sounds   = 'A'
	letters  = 'T'
)

// Track is one track, and where its items are.
type Track struct {
	ID     string // V1, A1, T1: numbered as they stand
	Name   string
	Kind   byte
	Hidden bool // the file says that it is not enabled: nothing of it is seen or heard
	Mute   bool
	Volume float64 // dB
	Ducks  []duck

	index int
	node  *otio.Node
	rate  timecode.Rate
	items []*Item // as they stand in the file
	Clips []*Clip // what is not a gap or a transition, in order
	Joins []*Join // transitions between two clips
	tail  int     // frames of gaps after the last clip

	way     way
	named   map[string]bool // the ids on it
	numbers map[string]int  // the highest number after an id: 3 for vid where there is vid_3
	renamed bool            // some items are not ours, and their ids are made of their names
}

// duck lowers a track.
type duck struct {
	under string
	by    float64 // dB
}

// path leads to the track's items.
func (t *Track) path() string { return tracksPath + "/" + strconv.Itoa(t.index) + "/children" }

// End is how many frames the track takes, up to the end of its last clip.
func (t *Track) End() int {
	if len(t.Clips) == 0 {
		return 0
	}
	return t.Clips[len(t.Clips)-1].End
}

// Clip is a clip, a text or something nested, with its place on its track.
type Clip struct {
	*Item
	Track       *Track
	ID          string
	Start, End  int   // frames of the timeline between which it is seen
	left, right *Join // transitions to the clips beside it, nil for cuts

	index            int   // among the track's items
	pos              int   // where the file cuts to it
	fadeIn, fadeOut  *Item // transitions from and to nothing
	edgeIn, edgeOut  int   // frames that these show beyond the cut
	fadeInAt, fadeAt int   // indexes of these
}

// Frames is how long it is seen.
func (c *Clip) Frames() int { return c.End - c.Start }

// source is the frame of its medium, counted in frames of the project, that is seen first.
func (c *Clip) source() float64 { return c.in - float64(c.pos-c.Start)*c.Speed }

// Join is a transition between two clips.
type Join struct {
	*Item
	ID    string
	A, B  *Clip
	index int
}

// Frames is by how much it overlaps them.
func (j *Join) Frames() int { return j.inOffset + j.outOffset }

// readTrack reads a track.
func (f *Film) readTrack(n *otio.Node, rate timecode.Rate) *Track {
	if t, ok := n.Memo.(*Track); ok && t.rate == rate {
		return t
	}
	t := &Track{named: map[string]bool{}, numbers: map[string]int{}}
	list := n.Get("children")
	if was := f.laid[n]; was != nil && was.rate == rate && was.begins(list) {
		t = was // and something comes after
	}
	f.laid[n] = t
	t.node, t.rate, t.Kind, t.Name = n, rate, pictures, n.Get("name").Value().Text()
	t.Hidden, t.Mute, t.Volume, t.Ducks = false, false, 0, nil
	if n.Get("kind").Value().Text() == "Audio" {
		t.Kind = sounds
	}
	if v := n.Get("enabled"); v != nil && v.Text() == "false" {
		t.Hidden = true
	}
	if v := n.Get("metadata", "fcp").Value(); v.Is(jsontree.Object) {
		if v.Get("role").Text() == "text" {
			t.Kind = letters
		}
		t.Mute = v.Get("mute").True()
		t.Volume = decibels(v.Get("volume").Float())
		for _, d := range v.Get("duck").Each() {
			t.Ducks = append(t.Ducks, duck{d.Get("under").Text(), decibels(d.Get("by").Float())})
		}
	}
	for i := len(t.items); i < list.Len(); i++ {
		t.items = append(t.items, readItem(list.Item(i), rate))
	}
	t.place()
	n.Memo = t
	return t
}

// begins reports whether a list of items begins with those of the track, which all have their places, so that these stay.
func (t *Track) begins(list *otio.Node) bool {
	if len(t.items) > list.Len() || t.renamed {
		return false
	}
	for i, it := range t.items {
		if list.Item(i) != it.node {
			return false
		}
	}
	return true
}

// place finds out where the items are that have no place yet.
func (t *Track) place() {
	w := &t.way
	for ; w.next < len(t.items); w.next++ {
		t.put(w.next, t.items[w.next])
	}
	if t.renamed {
		t.rename()
	}
}

// way is how far the places of a track are known.
type way struct {
	next, pos, gap int   // the next item, where it begins, and how much of a gap is right before it
	last           *Clip // the clip before, where nothing but a transition stands between
	crossing       *Item // the transition before
	crossingAt     int
}

// put finds out where an item is.
func (t *Track) put(i int, it *Item) {
	w := &t.way
	t.renamed = t.renamed || it.kind != gapItem && !it.own
	switch it.kind {
	case crossItem:
		w.crossing, w.crossingAt = it, i
		if w.last != nil {
			w.last.fadeOut, w.last.fadeAt = it, i // unless a clip comes
		}
		return
	case gapItem:
		if w.last != nil && w.last.fadeOut != nil {
			w.last.edgeOut = min(w.last.fadeOut.outOffset, it.dur)
			w.last.End += w.last.edgeOut
		}
		w.pos += it.dur
		w.gap, w.last, w.crossing = it.dur, nil, nil
		t.tail += it.dur
		return
	}
	c := &Clip{Item: it, Track: t, ID: it.Name, index: i, pos: w.pos, Start: w.pos, End: w.pos + it.dur}
	switch {
	case w.crossing == nil:
	case w.last != nil:
		w.last.fadeOut = nil
		j := &Join{Item: w.crossing, ID: w.crossing.Name, A: w.last, B: c, index: w.crossingAt}
		w.last.right, c.left = j, j
		w.last.End += w.crossing.outOffset
		c.Start -= w.crossing.inOffset
		t.Joins = append(t.Joins, j)
		t.call(j.ID)
	default:
		c.fadeIn, c.fadeInAt = w.crossing, w.crossingAt
		c.edgeIn = min(w.crossing.inOffset, w.gap)
		c.Start -= c.edgeIn
	}
	t.Clips = append(t.Clips, c)
	t.call(c.ID)
	w.pos += it.dur
	w.last, w.crossing, w.gap, t.tail = c, nil, 0, 0
}

// rename makes the names of a file of somebody else's ids: several of one name are told apart.
func (t *Track) rename() {
	taken := map[string]int{}
	fresh := func(id, other string) string {
		if id == "" {
			id = other
		}
		taken[id]++
		if n := taken[id]; n > 1 {
			id += "#" + strconv.Itoa(n)
		}
		t.call(id)
		return id
	}
	for _, c := range t.Clips {
		c.ID = fresh(c.Name, "clip")
	}
	for _, j := range t.Joins {
		j.ID = fresh(j.Name, "transition")
	}
}

// decibels is a level within what is sensible.
func decibels(f float64) float64 { return min(max(f, -120), 60) }

// clips are all clips and texts, by their tracks.
func (f *Film) clips() (out []*Clip) {
	for _, t := range f.all().tracks {
		out = append(out, t.Clips...)
	}
	return out
}

// Frames is how long the film is.
func (f *Film) Frames() int {
	n := 0
	for _, t := range f.all().tracks {
		n = max(n, t.End())
	}
	return n
}
