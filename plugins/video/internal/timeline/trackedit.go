package timeline

import (
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// trackEdit is a track while an op changes it: which clips are seen from when to when. write makes the file's items match it, with as
// few changes as possible.
type trackEdit struct {
	track *Track
	segs  []*segment
	tail  int // frames of gaps after the last segment
}

// segment is a clip of a trackEdit.
type segment struct {
	clip       *Clip // the clip in the file; nil for a new one
	id         string
	start, end int     // frames of the timeline between which it is seen
	in         float64 // first frame of the medium that is shown, in frames of the project
	speed      float64
	base       float64 // start of the medium's available range in the file
	next       *join   // transition to the next segment
	opens      *edge   // transition from a gap
	closes     *edge   // transition to a gap
	changes    []otio.Change
	make       func(pos, dur int, in float64) otio.Object // makes the item of a new clip
	text       string                                     // or the text of the item, if it comes from elsewhere in the file
	item       *Item                                      // what will be read of a new item, if known
}

// edge is a transition between a clip and a gap.
type edge struct {
	old    int // index in the file
	frames int // how much it shows beyond the cut
}

// join is a transition of a trackEdit.
type join struct {
	old     *Join
	in, out int // frames before and after the cut
	make    func(in, out int) otio.Object
	changes []otio.Change
}

// edit starts an edit of the track.
func (t *Track) edit() *trackEdit {
	l := &trackEdit{track: t, tail: t.tail}
	for _, c := range t.Clips {
		s := &segment{clip: c, id: c.ID, start: c.Start, end: c.End, in: c.source(), speed: c.Speed, base: c.base}
		if c.right != nil {
			s.next = &join{old: c.right, in: c.right.inOffset, out: c.right.outOffset}
		}
		if c.fadeIn != nil {
			s.opens = &edge{c.fadeInAt, c.edgeIn}
		}
		if c.fadeOut != nil {
			s.closes = &edge{c.fadeAt, c.edgeOut}
		}
		l.segs = append(l.segs, s)
	}
	return l
}

// indexOf returns the index of a clip's segment.
func (l *trackEdit) indexOf(c *Clip) int {
	return slices.IndexFunc(l.segs, func(s *segment) bool { return s.clip != nil && s.clip.index == c.index })
}

// end returns where the last segment ends.
func (l *trackEdit) end() int {
	if len(l.segs) == 0 {
		return 0
	}
	return l.segs[len(l.segs)-1].end
}

// append writes a new clip after the last one, if no other item of the file has to change. Otherwise ok is false.
func (t *Track) append(c *ctx, s *segment) (ok bool, err error) {
	if s.start < t.End() || s.end <= s.start || t.tail > 0 || len(t.Clips) > 0 && t.Clips[len(t.Clips)-1].fadeOut != nil || len(t.items) > 0 && len(t.Clips) == 0 {
		return false, nil
	}
	f, path, at := c.Model, t.path(), len(t.items)
	if gap := s.start - t.End(); gap > 0 {
		if err := change(c, f.doc.Insert(path, at, newGap(gap, t.rate.Float())), "gap", s.id); err != nil {
			return true, err
		}
		at++
	}
	if err := change(c, f.doc.Insert(path, at, s.make(s.start, s.end-s.start, s.base+s.in)), "add "+s.id, s.id); err != nil {
		return true, err
	}
	if s.item != nil { // reading back what was just written would take a third of the time of adding a thousand clips
		s.item.node = f.doc.At(path).Item(at)
		s.item.node.Memo = s.item
	}
	return true, nil
}

// free reports whether the track is empty from start to end.
func (t *Track) free(start, end int) bool {
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

// overlapping returns a segment between start and end, nil if there is room.
func (l *trackEdit) overlapping(start, end int) *segment {
	for _, s := range l.segs {
		if s.start < end && start < s.end {
			return s
		}
	}
	return nil
}

// lastJoined returns the id of the last segment of the chain of transitions that starts at s. Inserting after it separates no
// joined clips.
func (l *trackEdit) lastJoined(s *segment) string {
	for i := slices.Index(l.segs, s); i+1 < len(l.segs) && s.next != nil; i++ {
		s = l.segs[i+1]
	}
	return s.id
}

// put inserts a segment in the order of time.
func (l *trackEdit) put(s *segment) {
	at := len(l.segs)
	for at > 0 && l.segs[at-1].start >= s.start {
		at--
	}
	if at == len(l.segs) {
		l.tail = max(0, l.tail-(s.end-l.end()))
	}
	l.segs = slices.Insert(l.segs, at, s)
}

// remove removes a segment and its transitions, and leaves a gap. No other segment moves.
func (l *trackEdit) remove(at int) {
	if at > 0 {
		l.segs[at-1].next = nil
	}
	if at == len(l.segs)-1 {
		l.tail = 0
	}
	l.segs = slices.Delete(l.segs, at, at+1)
}

// shift moves the segments that start at or after a frame.
func (l *trackEdit) shift(from, by int) {
	for _, s := range l.segs {
		if s.start >= from {
			s.start += by
			s.end += by
		}
	}
}

// overhang returns how far a segment starts before its cut in the file, and how far it ends after its cut.
func (s *segment) overhang(before *join) (in, out int) {
	if before != nil {
		in = before.in
	} else if s.opens != nil {
		in = s.opens.frames
	}
	if s.next != nil {
		out = s.next.out
	} else if s.closes != nil {
		out = s.closes.frames
	}
	return in, out
}

// frames returns how long a transition is.
func (j *join) frames() int { return j.in + j.out }

// resize gives a transition another length. One with its cut in the middle keeps it there, another one keeps the proportion.
func (j *join) resize(frames int) {
	switch was := j.frames(); {
	case was == frames:
		return
	case j.in-j.out >= -1 && j.in-j.out <= 1:
		j.in = (frames + 1) / 2
	default:
		j.in = (2*frames*j.in + was) / (2 * was)
	}
	j.out = frames - j.in
}

// check returns an error if the segments overlap, leave the film, or do not fit their transitions.
func (l *trackEdit) check() error {
	text := l.track.rate.Text
	end := 0
	var before *join
	for i, s := range l.segs {
		free := end
		if before != nil {
			free -= before.frames()
		}
		switch {
		case s.start < 0:
			return pdk.Errorf("%s would start before the film does, at %s", pdk.Quote(s.id), text(s.start))
		case s.end <= s.start:
			return pdk.Errorf("%s would have no frame left", pdk.Quote(s.id))
		case s.start < free:
			return pdk.Errorf("%s would start at %s, and %s ends at %s", pdk.Quote(s.id), text(s.start), pdk.Quote(l.segs[i-1].id), text(end))
		case before != nil && s.start > free:
			return pdk.Errorf("%s and %s are joined by a transition, and would not meet", pdk.Quote(l.segs[i-1].id), pdk.Quote(s.id))
		}
		took := 0
		if before != nil {
			took = before.frames()
		}
		if s.next != nil {
			took += s.next.frames()
		}
		if took > s.end-s.start {
			return pdk.Errorf("the transitions of %s take %s, and it is seen for %s", pdk.Quote(s.id), text(took), text(s.end-s.start))
		}
		end, before = s.end, s.next
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

// write changes the file to match the edit. ids are the elements that the op touched; the first step records them.
func (l *trackEdit) write(c *ctx, summary string, ids ...string) error {
	if err := l.check(); err != nil {
		return err
	}
	return l.applyItems(c, l.items(c.Model), summary, ids)
}

// items returns the items that the track is to have.
func (l *trackEdit) items(f *Film) (out []plannedItem) {
	t := l.track
	cursor, after := 0, -1 // frame up to which items are listed, and the last item of the file among them
	gap := func(frames int) {
		olds := t.gaps(after)
		have := 0
		for _, g := range olds {
			have += t.items[g].dur
		}
		switch {
		case frames <= 0:
		case have == frames:
			for _, g := range olds {
				out = append(out, plannedItem{old: g})
			}
		case len(olds) > 0:
			out = append(out, plannedItem{old: olds[0], changes: t.items[olds[0]].spanChanges(0, frames, false)})
		default:
			out = append(out, plannedItem{old: -1, make: newGap(frames, t.rate.Float())})
		}
		after = -2 // a further gap here is a new one
	}
	var before *join
	for i, s := range l.segs {
		in, slackOut := s.overhang(before)
		from, to := s.start+in, s.end-slackOut
		apart := from > cursor
		gap(from - cursor)
		if before != nil {
			if before.old != nil {
				out = append(out, plannedItem{old: before.old.index, changes: append(before.offsetChanges(), before.changes...)})
			} else {
				out = append(out, plannedItem{old: -1, make: before.make(before.in, before.out)})
			}
		} else if s.opens != nil && (i == 0 || apart) { // after another clip it would become a transition between the two
			out = append(out, plannedItem{old: s.opens.old})
		}
		source := s.in + float64(from-s.start)*s.speed
		switch {
		case s.clip != nil:
			changes := s.changes
			if source != s.clip.in && f.isStill(s.clip) { // any part of a still is the same picture
				source = s.clip.in
			}
			if !s.clip.matches(source, to-from) {
				changes = append(s.clip.spanChanges(source, to-from, math.Abs(source-s.clip.in) > 1e-6), changes...)
			}
			out = append(out, plannedItem{old: s.clip.index, changes: changes})
			after = s.clip.index
		case s.text != "":
			out = append(out, plannedItem{old: -1, text: s.text, changes: append(sourceRange(s.base+source, to-from, t.rate.Float()), s.changes...)})
			after = -2
		default:
			out = append(out, plannedItem{old: -1, make: s.make(from, to-from, s.base+source)})
			after = -2
		}
		alone := i == len(l.segs)-1 || l.segs[i+1].start > s.end
		if s.next == nil && s.closes != nil && alone {
			out = append(out, plannedItem{old: s.closes.old})
			after = s.closes.old
		}
		cursor, before = to, s.next
	}
	gap(l.tail)
	return out
}

// gaps returns the indexes of the gaps that follow an item directly.
func (t *Track) gaps(after int) (out []int) {
	if after < -1 {
		return nil
	}
	for i := after + 1; i < len(t.items) && t.items[i].kind == gapItem; i++ {
		out = append(out, i)
	}
	return out
}

// offsetChanges returns the changes of the offsets of a transition of the file. Those that stay keep their bytes.
func (j *join) offsetChanges() (out []otio.Change) {
	set := func(key string, was, frames int) {
		if was != frames {
			out = append(out, timeChange(j.old.node.Value(), float64(frames), j.old.rate.Float(), key))
		}
	}
	set("in_offset", j.old.inOffset, j.in)
	set("out_offset", j.old.outOffset, j.out)
	return out
}

// matches reports whether the item already has this start and length.
func (it *Item) matches(source float64, dur int) bool {
	return it.dur == dur && math.Abs(source-it.in) <= 1e-6
}

// spanChanges returns the changes that give an item a start and a length. Values that stay keep their bytes.
func (it *Item) spanChanges(source float64, dur int, moved bool) (out []otio.Change) {
	rate := it.rate.Float()
	v := it.node.Value()
	if v.Get("source_range", "duration") == nil || v.Get("source_range", "start_time") == nil {
		return sourceRange(it.base+source, dur, rate)
	}
	if dur != it.dur {
		out = append(out, timeChange(v, float64(dur), rate, "source_range", "duration"))
	}
	if moved {
		out = append(out, timeChange(v, it.base+source, rate, "source_range", "start_time"))
	}
	return out
}

// timeChange returns the change that sets the RationalTime at a path in an item. At the same rate only its value changes.
func timeChange(item *jsontree.Value, value, rate float64, path ...string) otio.Change {
	if t := item.Get(path...); t.Get("rate").Float() == rate {
		return otio.Change{Path: append(path, "value"), Value: value}
	}
	return otio.Change{Path: path, Value: otio.Time(value, rate)}
}

func sourceRange(start float64, dur int, rate float64) []otio.Change {
	return []otio.Change{{Path: []string{"source_range"}, Value: otio.Range(start, float64(dur), rate)}}
}
