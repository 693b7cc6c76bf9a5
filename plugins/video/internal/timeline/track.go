package timeline

import (
	"strconv"

	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/timecode"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// Kinds of tracks. Their ids start with these letters.
const (
	videoTrack = 'V'
	audioTrack = 'A'
	textTrack  = 'T'
)

// Track is a track with its clips and their times.
type Track struct {
	ID     string // V1, A1, T1: numbered in the order of the file
	Name   string
	Kind   byte
	Hidden bool // not enabled in the file: neither seen nor heard
	Mute   bool
	Volume float64 // dB
	Ducks  []duck

	index int
	node  *otio.Node
	rate  timecode.Rate
	items []*Item // in the order of the file
	Clips []*Clip // all items but gaps and transitions, in order
	Joins []*Join // transitions between two clips
	tail  int     // frames of gaps after the last clip

	scan    scan
	ids     map[string]bool // the ids on the track
	numbers map[string]int  // the highest number of an id: 3 for vid if there is vid_3
	foreign bool            // some items are by other programs, and their ids are made from their names
}

// duck is the lowering of a track while another is heard.
type duck struct {
	under string
	by    float64 // dB
}

// path is the path of the track's items in the document.
func (t *Track) path() string { return tracksPath + "/" + strconv.Itoa(t.index) + "/children" }

// End returns the frame at which the last clip ends.
func (t *Track) End() int {
	if len(t.Clips) == 0 {
		return 0
	}
	return t.Clips[len(t.Clips)-1].End
}

// Clip is a clip, a text or a nested composition with its place on a track.
type Clip struct {
	*Item
	Track       *Track
	ID          string
	Start, End  int   // frames of the timeline between which it is seen
	left, right *Join // transitions with the clips before and after, nil for cuts

	index            int   // among the items of the track
	pos              int   // frame of the cut in the file
	fadeIn, fadeOut  *Item // transitions with a gap
	edgeIn, edgeOut  int   // frames that these show beyond the cut
	fadeInAt, fadeAt int   // their indexes
}

// Frames returns how many frames of it are seen.
func (c *Clip) Frames() int { return c.End - c.Start }

// source returns the first frame of the medium that is seen, in frames of the project.
func (c *Clip) source() float64 { return c.in - float64(c.pos-c.Start)*c.Speed }

// Join is a transition between two clips.
type Join struct {
	*Item
	ID    string
	A, B  *Clip
	index int
}

// Frames returns by how many frames the two clips overlap.
func (j *Join) Frames() int { return j.inOffset + j.outOffset }

// readTrack reads a track. It takes what is unchanged from the last time.
func (f *Film) readTrack(n *otio.Node, rate timecode.Rate) *Track {
	if t, ok := n.Memo.(*Track); ok && t.rate == rate {
		return t
	}
	t := &Track{ids: map[string]bool{}, numbers: map[string]int{}}
	list := n.Get("children")
	if was := f.lastTracks[n]; was != nil && was.rate == rate && was.isPrefixOf(list) {
		t = was // items were appended
	}
	f.lastTracks[n] = t
	t.node, t.rate, t.Kind, t.Name = n, rate, videoTrack, n.Get("name").Value().Text()
	t.Hidden, t.Mute, t.Volume, t.Ducks = false, false, 0, nil
	if n.Get("kind").Value().Text() == "Audio" {
		t.Kind = audioTrack
	}
	if v := n.Get("enabled"); v != nil && v.Text() == "false" {
		t.Hidden = true
	}
	if v := n.Get("metadata", "fcp").Value(); v.Is(jsontree.Object) {
		if v.Get("role").Text() == "text" {
			t.Kind = textTrack
		}
		t.Mute = v.Get("mute").True()
		t.Volume = clampDecibels(v.Get("volume").Float())
		for _, d := range v.Get("duck").Each() {
			t.Ducks = append(t.Ducks, duck{d.Get("under").Text(), clampDecibels(d.Get("by").Float())})
		}
	}
	for i := len(t.items); i < list.Len(); i++ {
		t.items = append(t.items, readItem(list.Item(i), rate))
	}
	t.placeItems()
	n.Memo = t
	return t
}

// isPrefixOf reports whether a list of items starts with the items of the track, so that only the rest has to be placed. It is
// false if ids depend on all items.
func (t *Track) isPrefixOf(list *otio.Node) bool {
	if len(t.items) > list.Len() || t.foreign {
		return false
	}
	for i, it := range t.items {
		if list.Item(i) != it.node {
			return false
		}
	}
	return true
}

// placeItems finds the times of the items that have none yet.
func (t *Track) placeItems() {
	w := &t.scan
	for ; w.next < len(t.items); w.next++ {
		t.placeItem(w.next, t.items[w.next])
	}
	if t.foreign {
		t.assignIDs()
	}
}

// scan is the state of placing the items of a track in order.
type scan struct {
	next, pos, gap int   // next item, where it starts, and the length of the gap before it
	last           *Clip // the clip directly before, with at most a transition between
	crossing       *Item // the transition before
	crossingAt     int
}

// placeItem finds the time of an item.
func (t *Track) placeItem(i int, it *Item) {
	w := &t.scan
	t.foreign = t.foreign || it.kind != gapItem && !it.own
	switch it.kind {
	case transitionItem:
		w.crossing, w.crossingAt = it, i
		if w.last != nil {
			w.last.fadeOut, w.last.fadeAt = it, i // undone if a clip follows
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
		t.noteID(j.ID)
	default:
		c.fadeIn, c.fadeInAt = w.crossing, w.crossingAt
		c.edgeIn = min(w.crossing.inOffset, w.gap)
		c.Start -= c.edgeIn
	}
	t.Clips = append(t.Clips, c)
	t.noteID(c.ID)
	w.pos += it.dur
	w.last, w.crossing, w.gap, t.tail = c, nil, 0, 0
}

// assignIDs makes ids from the names in another program's file, and distinguishes clips of the same name by #2, #3, …
func (t *Track) assignIDs() {
	taken := map[string]int{}
	fresh := func(id, other string) string {
		if id == "" {
			id = other
		}
		taken[id]++
		if n := taken[id]; n > 1 {
			id += "#" + strconv.Itoa(n)
		}
		t.noteID(id)
		return id
	}
	for _, c := range t.Clips {
		c.ID = fresh(c.Name, "clip")
	}
	for _, j := range t.Joins {
		j.ID = fresh(j.Name, "transition")
	}
}

// clampDecibels limits a level to a sensible range.
func clampDecibels(f float64) float64 { return min(max(f, -120), 60) }
