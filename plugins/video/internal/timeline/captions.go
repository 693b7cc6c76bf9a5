package timeline

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/subtitle"
)

func addCaption(c *film.Ctx, a pdk.Args) error { return overlayText(c, a, "caption") }

// addCaptions adds a caption for each cue of an SRT file.
func addCaptions(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	s, err := c.Resource(a.Text(0))
	if err != nil {
		return pdk.Errorf("%s: %v", a.Text(0), err)
	}
	if s == nil {
		return pdk.Errorf("%s is not a file of subtitles: captions ./NAME.srt", pdk.Quote(a.Text(0)))
	}
	k := clock{f: f}
	by, _ := optional(a, "shift", k.shift)
	text, as := subtitle.Decode(s.Data)
	cues, bad := subtitle.Parse(text)
	if len(cues) == 0 {
		return pdk.Errorf("%s holds no subtitles", pdk.Quote(a.Text(0)))
	}
	if as != "" {
		c.Warn("%s is not UTF-8, and was read as %s", pdk.Quote(a.Text(0)), as)
	}
	var made []string
	was, gone, cut := f.Frames(), 0, 0
	for _, cue := range cues {
		from, _ := f.Rate().Frames(cue.From)
		to, _ := f.Rate().Frames(cue.To)
		switch from, to = from+by, to+by; {
		case to <= 0 && cue.To != cue.From:
			gone++
			continue
		case to <= from:
			bad++
			continue
		case from < 0:
			from = 0
			cut++
		}
		id := f.FreshID("caption")
		writeText(f, c, id, film.Caption{Text: cue.Text, Style: "caption"}, from, to-from)
		made = append(made, id)
	}
	if len(made) == 0 {
		return pdk.Errorf("none of the %s can be shown", pdk.Count(len(cues), "subtitle"))
	}
	if bad > 0 {
		c.Warn("%s of %s could not be read, or are shown for no frame", pdk.Count(bad, "subtitle"), pdk.Quote(a.Text(0)))
	}
	if gone > 0 {
		c.Warn("%s of %s end before the film starts, and are left out", pdk.Count(gone, "subtitle"), pdk.Quote(a.Text(0)))
	}
	if cut > 0 {
		c.Warn("%s of %s began before the film, and now begin with it", pdk.Count(cut, "subtitle"), pdk.Quote(a.Text(0)))
	}
	warnLate(f, c, made, was)
	film.NoteRecent(c, made...)
	first, last := extent(f, made)
	c.Created("%s %s", pdk.Count(len(made), "caption"), spanText(f, first, last))
	return nil
}

// warnLate warns if the new captions make the film longer than the was frames it had, and if one starts more than ten
// minutes after the end of the one before.
func warnLate(f *film.Film, c *film.Ctx, made []string, was int) {
	list := pdk.Filter(f.Clips(), func(c *film.Clip) bool { return slices.Contains(made, c.ID) })
	slices.SortFunc(list, func(a, b *film.Clip) int { return a.Start - b.Start })
	if was > 0 && f.Frames() > was {
		c.Warn("the film is now %s long and was %s: %s is shown until then", f.TimeText(f.Frames()), f.TimeText(was), list[len(list)-1].Ref())
	}
	long, _ := f.Rate().Frames(tenMinutes)
	for i := range list[1:] {
		if apart := list[i+1].Start - list[i].End; apart > long {
			c.Warn("%s comes %s after the one before it, at %s", list[i+1].Ref(), f.TimeText(apart), f.TimeText(list[i+1].Start))
			return
		}
	}
}

// extent returns the first and last frame in which any of the clips is seen.
func extent(f *film.Film, ids []string) (first, last int) {
	first = f.Frames()
	for _, c := range f.Clips() {
		if slices.Contains(ids, c.ID) {
			first, last = min(first, c.Start), max(last, c.End)
		}
	}
	return first, last
}
