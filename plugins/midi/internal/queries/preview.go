package queries

import (
	"fmt"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	pixels "github.com/fcp-host/fcp-host/pdk/picture"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/picture"
)

// previewed is the number of bars that a preview shows by default.
const previewed = 16

// preview draws bars as a picture. The default is PNG, because models cannot see SVG.
func preview(v *view, a pdk.Args) (string, []abi.Content, error) {
	s := v.Model
	from, to := int64(0), max(s.End(), 1)
	m, _ := s.Meter(nil)
	more := ""
	if a.Text(0) != "" {
		from, to = pdk.Must2(span(v, a, 0, nil))
		to++
	} else if m != nil {
		last := m.Bars(to)
		to = m.BarTick(last + 1)
		if last > previewed {
			to = m.BarTick(previewed + 1)
			more = fmt.Sprintf("\nmore: preview %d-%d", previewed+1, min(2*previewed, last))
		}
	}
	svg := pdk.Must(a.WantsSVG())
	natural, most := picture.Width(s, from, to), pixels.Side
	if svg {
		most = picture.MaxWidth
	}
	a, note := a.AtMost("width", most)
	width, err := a.Int("width", min(natural, pixels.Side), picture.MinWidth, most)
	if err != nil {
		return "", nil, instead(err, a, "width", near.Number(a.String("width", ""), picture.MinWidth, most)...)
	}
	content := abi.Content{MIME: "image/svg+xml", Data: picture.Draw(s, from, to, width)}
	if !svg {
		content.MIME = "image/png"
		if content.Data, err = pixels.Preview(content.Data, width); err != nil {
			return "", nil, pdk.Errorf("%v; export svg writes the drawing to a file", err)
		}
	}
	text := fmt.Sprintf("%s to %s as a piano roll: tracks by colour, velocity by opacity and in the stems below%s%s", s.At(nil, from), s.At(nil, to), more, note)
	return text, []abi.Content{content}, nil
}
