package render

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/timecode"
)

// exportEDL writes the lowest video track as an edit decision list in CMX3600 format. A transition is an event of two
// lines: the end of the clip before, with no length, and the clip after.
func exportEDL(p *Project) ([]byte, []string, error) {
	var lost []string
	if len(p.Video) == 0 || len(p.Video[0].Items) == 0 {
		return nil, nil, fmt.Errorf("an edit decision list describes V1, which has no clips")
	}
	for i := range p.Video[1:] {
		lost = append(lost, "the track "+p.Video[i+1].ID)
	}
	for i := range p.Audio {
		lost = append(lost, "the track "+p.Audio[i].ID)
	}
	if len(p.Texts) > 0 {
		lost = append(lost, "the texts")
	}
	if len(p.Overlays) > 0 {
		lost = append(lost, "the overlays")
	}
	rate := timecode.Rate{Num: p.FPS.Num, Den: p.FPS.Den}
	drop := rate.DropFrame()
	code := func(frame int) string { return rate.Timecode(frame, drop) }
	var out bytes.Buffer
	fmt.Fprintf(&out, "TITLE: %s\n", oneLine(p.Name))
	if drop {
		out.WriteString("FCM: DROP FRAME\n\n")
	} else {
		out.WriteString("FCM: NON-DROP FRAME\n\n")
	}
	event := 0
	var before *Clip
	var cross *Transition
	t := &p.Video[0]
	t.eachClip(func(it *Item, start, overlap int) {
		event++
		c := &it.Clip
		m := &p.Media[c.Media]
		if len(c.Effects) > 0 {
			lost = append(lost, "the effects of "+c.ID)
		}
		sound := "V    "
		if m.Audio && !c.Mute {
			sound = "AA/V "
		}
		from := p.sourceFrame(c, 0)
		last := c.Frames
		end := start + c.Frames
		if it.Next != nil {
			end -= it.Next.Frames // the next event starts there
			last -= it.Next.Frames
		}
		till := p.sourceFrame(c, last)
		pace := func() {
			if speed := c.Speed.orDefault(Rational{1, 1}); speed.Num != speed.Den {
				fmt.Fprintf(&out, "M2   AX       %05.1f       %s\n", float64(speed.Num)/float64(speed.Den)*float64(p.FPS.Num)/float64(p.FPS.Den), code(from))
			}
		}
		if overlap == 0 {
			fmt.Fprintf(&out, "%03d  AX       %s C        %s %s %s %s\n", event, sound, code(from), code(till), code(start), code(end))
			pace()
			fmt.Fprintf(&out, "* FROM CLIP NAME: %s\n", oneLine(m.Name))
		} else {
			wipe := "D   "
			if cross.Kind != "crossfade" {
				wipe = "W001"
			}
			was := p.sourceFrame(before, before.Frames-overlap)
			fmt.Fprintf(&out, "%03d  AX       %s C        %s %s %s %s\n", event, sound, code(was), code(was), code(start), code(start))
			fmt.Fprintf(&out, "%03d  AX       %s %s %03d %s %s %s %s\n", event, sound, wipe, overlap, code(from), code(till), code(start), code(end))
			pace()
			fmt.Fprintf(&out, "* FROM CLIP NAME: %s\n* TO CLIP NAME: %s\n", oneLine(p.Media[before.Media].Name), oneLine(m.Name))
		}
		fmt.Fprintf(&out, "* SOURCE FILE: %s\n", oneLine(m.Path))
		out.WriteString("\n")
		before, cross = c, it.Next
	})
	return out.Bytes(), lost, nil
}

// sourceFrame returns the frame of the medium, in the project's rate, that is shown at an offset into a clip.
func (p *Project) sourceFrame(c *Clip, offset int) int {
	return p.frameAt(p.timeAfter(c.In, c.Speed, offset).rat())
}

// oneLine replaces line breaks in a text.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, s)
}
