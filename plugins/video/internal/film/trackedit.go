package film

import (
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// TrackEdit is a track while an op changes it: which clips are seen from when to when. write makes the file's items
// match it, with as few changes as possible.
type TrackEdit struct {
	Track *Track
	Segs  []*Segment
	Tail  int // frames of gaps after the last segment
}

// Segment is a clip of a trackEdit.
type Segment struct {
	Clip       *Clip // the clip in the file; nil for a new one
	Id         string
	Start, End int     // frames of the timeline between which it is seen
	In         float64 // first frame of the medium that is shown, in frames of the project
	Speed      float64
	Base       float64   // start of the medium's available range in the file
	Next       *JoinEdit // transition to the next segment
	opens      *edge     // transition from a gap
	Closes     *edge     // transition to a gap
	Changes    []otio.Change
	Make       func(pos, dur int, in float64) otio.Object // makes the item of a new clip
	Text       string                                     // or the text of the item, if it comes from elsewhere in the file
	Item       *Item                                      // what will be read of a new item, if known
}

// edge is a transition between a clip and a gap.
type edge struct {
	old    int // index in the file
	frames int // how much it shows beyond the cut
}

// JoinEdit is a transition of a TrackEdit.
type JoinEdit struct {
	Old     *Join
	In, Out int // frames before and after the cut
	Make    func(in, out int) otio.Object
	Changes []otio.Change
}

// Edit starts an edit of the track.
func (t *Track) Edit() *TrackEdit {
	l := &TrackEdit{Track: t, Tail: t.Tail}
	for _, c := range t.Clips {
		s := &Segment{Clip: c, Id: c.ID, Start: c.Start, End: c.End, In: c.Source(), Speed: c.Speed, Base: c.base}
		if c.Right != nil {
			s.Next = &JoinEdit{Old: c.Right, In: c.Right.InOffset, Out: c.Right.OutOffset}
		}
		if c.Opens != nil {
			s.opens = &edge{c.fadeInAt, c.EdgeIn}
		}
		if c.Closes != nil {
			s.Closes = &edge{c.fadeAt, c.EdgeOut}
		}
		l.Segs = append(l.Segs, s)
	}
	return l
}

// IndexOf returns the index of a clip's segment.
func (l *TrackEdit) IndexOf(c *Clip) int {
	return slices.IndexFunc(l.Segs, func(s *Segment) bool { return s.Clip != nil && s.Clip.Index == c.Index })
}

// end returns where the last segment ends.
func (l *TrackEdit) end() int {
	if len(l.Segs) == 0 {
		return 0
	}
	return l.Segs[len(l.Segs)-1].End
}

// Append writes a new clip after the last one, if no other item of the file has to change. Otherwise ok is false.
func (t *Track) Append(c *Ctx, s *Segment) (ok bool, err error) {
	if s.Start < t.End() || s.End <= s.Start || t.Tail > 0 || len(t.Clips) > 0 && t.Clips[len(t.Clips)-1].Closes != nil || len(t.Items) > 0 && len(t.Clips) == 0 {
		return false, nil
	}
	f, path, at := c.Model, t.Path(), len(t.Items)
	if gap := s.Start - t.End(); gap > 0 {
		if err := Change(c, f.Doc.Insert(path, at, newGap(gap, t.Rate.Float())), "gap", s.Id); err != nil {
			return true, err
		}
		at++
	}
	if err := Change(c, f.Doc.Insert(path, at, s.Make(s.Start, s.End-s.Start, s.Base+s.In)), "add "+s.Id, s.Id); err != nil {
		return true, err
	}
	if s.Item != nil { // reading back what was just written would take a third of the time of adding a thousand clips
		s.Item.Node = f.Doc.At(path).Item(at)
		s.Item.Node.Memo = s.Item
	}
	return true, nil
}

// Free reports whether the track is empty from start to end.
func (t *Track) Free(start, end int) bool {
	for _, c := range slices.Backward(t.Clips) {
		if c.Start < end && start < c.End {
			return false
		}
		if c.End <= start {
			break
		}
	}
	return true
}

// Overlapping returns a segment between start and end, nil if there is room.
func (l *TrackEdit) Overlapping(start, end int) *Segment {
	for _, s := range l.Segs {
		if s.Start < end && start < s.End {
			return s
		}
	}
	return nil
}

// LastJoined returns the id of the last segment of the chain of transitions that starts at s. Inserting after it
// separates no joined clips.
func (l *TrackEdit) LastJoined(s *Segment) string {
	for i := slices.Index(l.Segs, s); i+1 < len(l.Segs) && s.Next != nil; i++ {
		s = l.Segs[i+1]
	}
	return s.Id
}

// Put inserts a segment in the order of time.
func (l *TrackEdit) Put(s *Segment) {
	at := len(l.Segs)
	for at > 0 && l.Segs[at-1].Start >= s.Start {
		at--
	}
	if at == len(l.Segs) {
		l.Tail = max(0, l.Tail-(s.End-l.end()))
	}
	l.Segs = slices.Insert(l.Segs, at, s)
}

// Remove removes a segment and its transitions, and leaves a gap. No other segment moves.
func (l *TrackEdit) Remove(at int) {
	if at > 0 {
		l.Segs[at-1].Next = nil
	}
	if at == len(l.Segs)-1 {
		l.Tail = 0
	}
	l.Segs = slices.Delete(l.Segs, at, at+1)
}

// Shift moves the segments that start at or after a frame.
func (l *TrackEdit) Shift(from, by int) {
	for _, s := range l.Segs {
		if s.Start >= from {
			s.Start += by
			s.End += by
		}
	}
}

// overhang returns how far a segment starts before its cut in the file, and how far it ends after its cut.
func (s *Segment) overhang(before *JoinEdit) (in, out int) {
	if before != nil {
		in = before.In
	} else if s.opens != nil {
		in = s.opens.frames
	}
	if s.Next != nil {
		out = s.Next.Out
	} else if s.Closes != nil {
		out = s.Closes.frames
	}
	return in, out
}

// Frames returns how long a transition is.
func (j *JoinEdit) Frames() int { return j.In + j.Out }

// Resize gives a transition another length. One with its cut in the middle keeps it there, another one keeps the
// proportion.
func (j *JoinEdit) Resize(frames int) {
	switch was := j.Frames(); {
	case was == frames:
		return
	case j.In-j.Out >= -1 && j.In-j.Out <= 1:
		j.In = (frames + 1) / 2
	default:
		j.In = (2*frames*j.In + was) / (2 * was)
	}
	j.Out = frames - j.In
}

// Check returns an error if the segments overlap, leave the film, or do not fit their transitions.
func (l *TrackEdit) Check() error {
	text := l.Track.Rate.Text
	end := 0
	var before *JoinEdit
	for i, s := range l.Segs {
		free := end
		if before != nil {
			free -= before.Frames()
		}
		switch {
		case s.Start < 0:
			return pdk.Errorf("%s would start before the film does, at %s", pdk.Quote(s.Id), text(s.Start))
		case s.End <= s.Start:
			return pdk.Errorf("%s would have no frame left", pdk.Quote(s.Id))
		case s.Start < free:
			return pdk.Errorf("%s would start at %s, and %s ends at %s", pdk.Quote(s.Id), text(s.Start), pdk.Quote(l.Segs[i-1].Id), text(end))
		case before != nil && s.Start > free:
			return pdk.Errorf("%s and %s are joined by a transition, and would not meet", pdk.Quote(l.Segs[i-1].Id), pdk.Quote(s.Id))
		}
		took := 0
		if before != nil {
			took = before.Frames()
		}
		if s.Next != nil {
			took += s.Next.Frames()
		}
		if took > s.End-s.Start {
			return pdk.Errorf("the transitions of %s take %s, and it is seen for %s", pdk.Quote(s.Id), text(took), text(s.End-s.Start))
		}
		end, before = s.End, s.Next
	}
	return nil
}

// plannedItem is an item that the file is to have: one that it has, perhaps with changes, or a new one.
type plannedItem struct {
	old     int // index in the file, -1 for a new one
	changes []otio.Change
	make    otio.Object
	text    string
}

// Write changes the file to match the edit. ids are the elements that the op touched; the first step records them.
func (l *TrackEdit) Write(c *Ctx, summary string, ids ...string) error {
	if err := l.Check(); err != nil {
		return err
	}
	return l.applyItems(c, l.items(c.Model), summary, ids)
}

// items returns the items that the track is to have.
func (l *TrackEdit) items(f *Film) (out []plannedItem) {
	t := l.Track
	cursor, after := 0, -1 // frame up to which items are listed, and the last item of the file among them
	gap := func(frames int) {
		olds := t.gaps(after)
		have := 0
		for _, g := range olds {
			have += t.Items[g].Dur
		}
		switch {
		case frames <= 0:
		case have == frames:
			for _, g := range olds {
				out = append(out, plannedItem{old: g})
			}
		case len(olds) > 0:
			out = append(out, plannedItem{old: olds[0], changes: t.Items[olds[0]].spanChanges(0, frames, false)})
		default:
			out = append(out, plannedItem{old: -1, make: newGap(frames, t.Rate.Float())})
		}
		after = -2 // a further gap here is a new one
	}
	var before *JoinEdit
	for i, s := range l.Segs {
		in, slackOut := s.overhang(before)
		from, to := s.Start+in, s.End-slackOut
		apart := from > cursor
		gap(from - cursor)
		if before != nil {
			if before.Old != nil {
				out = append(out, plannedItem{old: before.Old.Index, changes: append(before.offsetChanges(), before.Changes...)})
			} else {
				out = append(out, plannedItem{old: -1, make: before.Make(before.In, before.Out)})
			}
		} else if s.opens != nil && (i == 0 || apart) { // after another clip it would become a transition between the two
			out = append(out, plannedItem{old: s.opens.old})
		}
		source := s.In + float64(from-s.Start)*s.Speed
		switch {
		case s.Clip != nil:
			changes := s.Changes
			if source != s.Clip.In && f.IsStill(s.Clip) { // any part of a still is the same picture
				source = s.Clip.In
			}
			if !s.Clip.matches(source, to-from) {
				changes = append(s.Clip.spanChanges(source, to-from, math.Abs(source-s.Clip.In) > 1e-6), changes...)
			}
			out = append(out, plannedItem{old: s.Clip.Index, changes: changes})
			after = s.Clip.Index
		case s.Text != "":
			out = append(out, plannedItem{old: -1, text: s.Text, changes: append(SourceRange(s.Base+source, to-from, t.Rate.Float()), s.Changes...)})
			after = -2
		default:
			out = append(out, plannedItem{old: -1, make: s.Make(from, to-from, s.Base+source)})
			after = -2
		}
		alone := i == len(l.Segs)-1 || l.Segs[i+1].Start > s.End
		if s.Next == nil && s.Closes != nil && alone {
			out = append(out, plannedItem{old: s.Closes.old})
			after = s.Closes.old
		}
		cursor, before = to, s.Next
	}
	gap(l.Tail)
	return out
}

// gaps returns the indexes of the gaps that follow an item directly.
func (t *Track) gaps(after int) (out []int) {
	if after < -1 {
		return nil
	}
	for i := after + 1; i < len(t.Items) && t.Items[i].Kind == gapItem; i++ {
		out = append(out, i)
	}
	return out
}

// offsetChanges returns the changes of the offsets of a transition of the file. Those that stay keep their bytes.
func (j *JoinEdit) offsetChanges() (out []otio.Change) {
	set := func(key string, was, frames int) {
		if was != frames {
			out = append(out, timeChange(j.Old.Node.Value(), float64(frames), j.Old.Rate.Float(), key))
		}
	}
	set("in_offset", j.Old.InOffset, j.In)
	set("out_offset", j.Old.OutOffset, j.Out)
	return out
}

// matches reports whether the item already has this start and length.
func (it *Item) matches(source float64, dur int) bool {
	return it.Dur == dur && math.Abs(source-it.In) <= 1e-6
}

// spanChanges returns the changes that give an item a start and a length. Values that stay keep their bytes.
func (it *Item) spanChanges(source float64, dur int, moved bool) (out []otio.Change) {
	rate := it.Rate.Float()
	v := it.Node.Value()
	if v.Get("source_range", "duration") == nil || v.Get("source_range", "start_time") == nil {
		return SourceRange(it.base+source, dur, rate)
	}
	if dur != it.Dur {
		out = append(out, timeChange(v, float64(dur), rate, "source_range", "duration"))
	}
	if moved {
		out = append(out, timeChange(v, it.base+source, rate, "source_range", "start_time"))
	}
	return out
}

// timeChange returns the change that sets the RationalTime at a path in an item. At the same rate only its value
// changes.
func timeChange(item *jsontree.Value, value, rate float64, path ...string) otio.Change {
	if t := item.Get(path...); t.Get("rate").Float() == rate {
		return otio.Change{Path: append(path, "value"), Value: value}
	}
	return otio.Change{Path: path, Value: otio.Time(value, rate)}
}

// SourceRange returns the changes that give an item a span of its media.
func SourceRange(start float64, dur int, rate float64) []otio.Change {
	return []otio.Change{{Path: []string{"source_range"}, Value: otio.Range(start, float64(dur), rate)}}
}
