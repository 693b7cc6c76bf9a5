package queries

import (
	"fmt"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	pixels "github.com/fcp-host/fcp-host/pdk/picture"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/picture"
)

// previewed is the number of bars that a preview shows by default.
const previewed = 16

// preview draws bars as a picture. The default is PNG, because models cannot see SVG.
func preview(v *view, a pdk.Args) (abi.QueryResponse, error) {
	s, page, svg := v.Model, pageKey.Of(a), drawAs.Of(a) == "svg"
	if svg && a.Text(0) == "" && !a.Has("width") {
		return wholePicture(s, page)
	}
	from, to, pages, err := pageOf(s, page)
	more := ""
	if a.Text(0) != "" {
		from, to, err = namedSpan(v, a, 0, nil)
		to++
	} else if page < len(pages) {
		more = fmt.Sprintf("\nmore: preview %d-%d", pages[page][0], pages[page][1])
	}
	pdk.Check(err)
	natural, most := picture.Width(s, from, to), pixels.Side
	if svg {
		most = picture.MaxWidth
	}
	a, note := a.AtMost("width", most)
	width := pdk.Must(a.Int("width", min(natural, pixels.Side), picture.MinWidth, most))
	content := abi.Content{MIME: "image/svg+xml", Data: picture.Draw(s, from, to, width)}
	if !svg {
		content.MIME = "image/png"
		if content.Data, err = pixels.Preview(content.Data, width); err != nil {
			return abi.QueryResponse{}, pdk.Errorf("%v; export svg writes the drawing to a file", err)
		}
	}
	text := fmt.Sprintf("%s to %s as a piano roll: tracks by colour, velocity by opacity and in the stems below%s%s", s.At(nil, from), s.At(nil, to), more, note)
	return abi.QueryResponse{Text: text, Content: []abi.Content{content}}, nil
}
