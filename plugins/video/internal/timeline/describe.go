package timeline

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
)

func describe(v *view, a pdk.Args) (string, error) {
	f := v.Model
	ref := a.Text(0)
	if ref == "" || ref == "*" {
		var lines []string
		for _, x := range f.selectable() {
			lines = append(lines, x.line(f))
		}
		return orNone(lines, "nothing is on the timeline"), nil
	}
	if t := find(f.parsed().tracks, func(t *Track) bool { return equal(t.ID, ref) }); t != nil {
		lines := []string{f.trackLine(t)}
		for _, c := range t.Clips {
			lines = append(lines, "  "+f.clipLine(c))
			if c.right != nil {
				lines = append(lines, "  ~ "+f.joinLine(c.right))
			}
		}
		return strings.Join(lines, "\n"), nil
	}
	if j := f.join(ref); j != nil {
		return f.joinLine(j) + fmt.Sprintf("\n  on %s; in the file %s before the cut and %s after it", j.A.Track.ID, f.timeText(j.inOffset), f.timeText(j.outOffset)), nil
	}
	clip, err := f.clip(ref, false)
	if err != nil {
		if m, missing := f.medium(ref); missing == nil {
			return f.describeMedium(m), nil
		}
		return "", err
	}
	lines := []string{clip.what() + " " + f.clipLine(clip), fmt.Sprintf("  on %s, frames %d to %d", clip.Track.ID, clip.Start, clip.End-1)}
	if m := f.mediumOf(clip); m != nil {
		lines = append(lines, "  media "+m.String())
		if all := m.Frames(f.rate()); all >= 0 {
			used := clip.source() + float64(clip.Frames())*clip.Speed
			lines = append(lines, fmt.Sprintf("  unused media: %s before it, %s after it", f.timeText(max(0, int(clip.source()))), f.timeText(max(0, all-int(used+0.5)))))
		}
	}
	for _, j := range []*Join{clip.left, clip.right} {
		if j != nil {
			lines = append(lines, "  ~ "+f.joinLine(j))
		}
	}
	if clip.kind == textItem {
		lines = append(lines, "  text: "+strconv.Quote(clip.Caption.Text))
	}
	return strings.Join(lines, "\n"), nil
}

func (f *Film) describeMedium(m *media.Medium) string {
	lines := []string{"media " + m.String()}
	for _, c := range f.clips() {
		if of := f.mediumOf(c); of != nil && of.ID == m.ID {
			lines = append(lines, "  "+c.Track.ID+" "+f.clipLine(c))
		}
	}
	if len(lines) == 1 {
		lines = append(lines, "  no clip shows it")
	}
	return strings.Join(lines, "\n")
}
