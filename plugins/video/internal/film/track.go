package film

import (
	"strconv"

	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/timecode"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// Kinds of tracks. Their ids start with these letters.
const (
	VideoTrack = 'V'
	AudioTrack = 'A'
	TextTrack  = 'T'
)

// Track is a track with its clips and their times.
type Track struct {
	ID     string // V1, A1, T1: numbered in the order of the file
	Name   string
	Kind   byte
	Hidden bool // not enabled in the file: neither seen nor heard
	Mute   bool
	Volume float64 // dB
	Ducks  []Duck

	Index int
	node  *otio.Node
	Rate  timecode.Rate
	Items []*Item // in the order of the file
	Clips []*Clip // all items but gaps and transitions, in order
	Joins []*Join // transitions between two clips
	Tail  int     // frames of gaps after the last clip

	scan    scan
	ids     map[string]bool // the ids on the track
	numbers map[string]int  // the highest number of an id: 3 for vid if there is vid_3
	foreign bool            // some items are by other programs, and their ids are made from their names
}

// Duck is the lowering of a track while another is heard.
type Duck struct {
	Under string
	By    float64 // dB
}

// Path is the path of the track's items in the document.
func (t *Track) Path() string { return TracksPath + "/" + strconv.Itoa(t.Index) + "/children" }

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
	Left, Right *Join // transitions with the clips before and after, nil for cuts

	Index            int   // among the items of the track
	pos              int   // frame of the cut in the file
	Opens, Closes    *Item // transitions with a gap
	EdgeIn, EdgeOut  int   // frames that these show beyond the cut
	fadeInAt, fadeAt int   // their indexes
}

// Frames returns how many frames of it are seen.
func (c *Clip) Frames() int { return c.End - c.Start }

// Source returns the first frame of the medium that is seen, in frames of the project.
func (c *Clip) Source() float64 { return c.In - float64(c.pos-c.Start)*c.Speed }

// Join is a transition between two clips.
type Join struct {
	*Item
	ID    string
	A, B  *Clip
	Index int
}

// Frames returns by how many frames the two clips overlap.
func (j *Join) Frames() int { return j.InOffset + j.OutOffset }

// readTrack reads a track. It takes what is unchanged from the last time.
func (f *Film) readTrack(n *otio.Node, rate timecode.Rate) *Track {
	if t, ok := n.Memo.(*Track); ok && t.Rate == rate {
		return t
	}
	t := &Track{ids: map[string]bool{}, numbers: map[string]int{}}
	list := n.Get("children")
	if was := f.lastTracks[n]; was != nil && was.Rate == rate && was.isPrefixOf(list) {
		t = was // items were appended
	}
	f.lastTracks[n] = t
	t.node, t.Rate, t.Kind, t.Name = n, rate, VideoTrack, n.Get("name").Value().Text()
	t.Hidden, t.Mute, t.Volume, t.Ducks = false, false, 0, nil
	if n.Get("kind").Value().Text() == "Audio" {
		t.Kind = AudioTrack
	}
	if v := n.Get("enabled"); v != nil && v.Text() == "false" {
		t.Hidden = true
	}
	if v := n.Get("metadata", "fcp").Value(); v.Is(jsontree.Object) {
		if v.Get("role").Text() == "text" {
			t.Kind = TextTrack
		}
		t.Mute = v.Get("mute").True()
		t.Volume = clampDecibels(v.Get("volume").Float())
		for _, d := range v.Get("duck").Each() {
			t.Ducks = append(t.Ducks, Duck{d.Get("under").Text(), clampDecibels(d.Get("by").Float())})
		}
	}
	for i := len(t.Items); i < list.Len(); i++ {
		t.Items = append(t.Items, readItem(list.Item(i), rate))
	}
	t.placeItems()
	n.Memo = t
	return t
}

// isPrefixOf reports whether a list of items starts with the items of the track, so that only the rest has to be
// placed. It is false if ids depend on all items.
func (t *Track) isPrefixOf(list *otio.Node) bool {
	if len(t.Items) > list.Len() || t.foreign {
		return false
	}
	for i, it := range t.Items {
		if list.Item(i) != it.Node {
			return false
		}
	}
	return true
}

// placeItems finds the times of the items that have none yet.
func (t *Track) placeItems() {
	w := &t.scan
	for ; w.next < len(t.Items); w.next++ {
		t.placeItem(w.next, t.Items[w.next])
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
	t.foreign = t.foreign || it.Kind != gapItem && !it.Own
	switch it.Kind {
	case transitionItem:
		w.crossing, w.crossingAt = it, i
		if w.last != nil {
			w.last.Closes, w.last.fadeAt = it, i // undone if a clip follows
		}
		return
	case gapItem:
		if w.last != nil && w.last.Closes != nil {
			w.last.EdgeOut = min(w.last.Closes.OutOffset, it.Dur)
			w.last.End += w.last.EdgeOut
		}
		w.pos += it.Dur
		w.gap, w.last, w.crossing = it.Dur, nil, nil
		t.Tail += it.Dur
		return
	}
	c := &Clip{Item: it, Track: t, ID: it.Name, Index: i, pos: w.pos, Start: w.pos, End: w.pos + it.Dur}
	switch {
	case w.crossing == nil:
	case w.last != nil:
		w.last.Closes = nil
		j := &Join{Item: w.crossing, ID: w.crossing.Name, A: w.last, B: c, Index: w.crossingAt}
		w.last.Right, c.Left = j, j
		w.last.End += w.crossing.OutOffset
		c.Start -= w.crossing.InOffset
		t.Joins = append(t.Joins, j)
		t.noteID(j.ID)
	default:
		c.Opens, c.fadeInAt = w.crossing, w.crossingAt
		c.EdgeIn = min(w.crossing.InOffset, w.gap)
		c.Start -= c.EdgeIn
	}
	t.Clips = append(t.Clips, c)
	t.noteID(c.ID)
	w.pos += it.Dur
	w.last, w.crossing, w.gap, t.Tail = c, nil, 0, 0
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
