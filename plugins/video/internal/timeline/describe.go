package timeline

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
)

func describe(v *film.View, a pdk.Args) (string, error) {
	f := v.Model
	ref := a.Text(0)
	if ref == "" || ref == "*" {
		lines := pdk.Map(selectable(f), func(x selected) string { return x.line(f) })
		return orNone(lines, "nothing is on the timeline"), nil
	}
	if t := trackWithID(f, ref); t != nil {
		lines := []string{trackLine(f, t)}
		for _, c := range t.Clips {
			lines = append(lines, "  "+clipLine(f, c))
			if c.Right != nil {
				lines = append(lines, "  ~ "+joinLine(f, c.Right))
			}
		}
		return strings.Join(lines, "\n"), nil
	}
	if j := f.Join(ref); j != nil {
		return joinLine(f, j) + fmt.Sprintf("\n  on %s; in the file %s before the cut and %s after it", j.A.Track.ID, f.TimeText(j.InOffset), f.TimeText(j.OutOffset)), nil
	}
	clip, err := f.Clip(ref, false)
	if err != nil {
		if m, missing := f.Medium(ref); missing == nil {
			return describeMedium(f, m), nil
		}
		return "", err
	}
	lines := []string{clip.What() + " " + clipLine(f, clip), fmt.Sprintf("  on %s, frames %d to %d", clip.Track.ID, clip.Start, clip.End-1)}
	if m := f.MediumOf(clip); m != nil {
		lines = append(lines, "  media "+m.String())
		if all := m.Frames(f.Rate()); all >= 0 {
			used := clip.Source() + float64(clip.Frames())*clip.Speed
			lines = append(lines, fmt.Sprintf("  unused media: %s before it, %s after it", f.TimeText(max(0, int(clip.Source()))), f.TimeText(max(0, all-int(used+0.5)))))
		}
	}
	for _, j := range []*film.Join{clip.Left, clip.Right} {
		if j != nil {
			lines = append(lines, "  ~ "+joinLine(f, j))
		}
	}
	if clip.Kind == film.TextItem {
		lines = append(lines, "  text: "+strconv.Quote(clip.Caption.Text))
	}
	return strings.Join(lines, "\n"), nil
}

func describeMedium(f *film.Film, m *media.Medium) string {
	lines := []string{"media " + m.String()}
	for _, c := range f.Clips() {
		if of := f.MediumOf(c); of != nil && of.ID == m.ID {
			lines = append(lines, "  "+c.Track.ID+" "+clipLine(f, c))
		}
	}
	if len(lines) == 1 {
		lines = append(lines, "  no clip shows it")
	}
	return strings.Join(lines, "\n")
}
