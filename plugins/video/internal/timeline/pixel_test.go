package timeline

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

// The width of a medium with non-square pixels is that of the picture as displayed.
func TestPixelsThatAreNotSquare(t *testing.T) {
	for name, c := range map[string]struct {
		ratio, side string
		width       int // as displayed
		height      int
		coded       int
		pixel       render.Rational
	}{
		"square":   {"1:1", "", 720, 576, 720, render.Rational{}},
		"unknown":  {"0:1", "", 720, 576, 720, render.Rational{}},
		"nonsense": {"99999:1", "", 720, 576, 720, render.Rational{}},
		"wide":     {"16:15", "", 768, 576, 720, render.Rational{Num: 16, Den: 15}},
		"narrow":   {"8:9", "", 640, 576, 720, render.Rational{Num: 8, Den: 9}},
		"turned":   {"16:15", `,"side_data_list":[{"rotation":-90}]`, 540, 720, 576, render.Rational{Num: 15, Den: 16}},
	} {
		m, err := media.ParseProbe("./a.mp4", []byte(`{"streams":[{"codec_type":"video","width":720,"height":576,"sample_aspect_ratio":"`+c.ratio+`","avg_frame_rate":"25/1","duration":"4"`+c.side+`}],"format":{"format_name":"mov","duration":"4"}}`))
		if err != nil {
			t.Fatal(err)
		}
		m.ID = "a"
		f, err := film.Open(film.NewFilm("f", append(otio.Object{}, film.Field("media", mediaObjects([]*media.Medium{m})))))
		if err != nil {
			t.Fatal(err)
		}
		back := f.ListedMedia()[0]
		if m.Width != c.width || m.Height != c.height || m.CodedWidth() != c.coded || rational(m.Pixel) != c.pixel || back.Pixel != m.Pixel || back.CodedWidth() != c.coded {
			t.Errorf("%s: %+v, and read again %+v", name, m, back)
		}
		if told := strings.Contains(f.Doc.Text(), `"pixel"`); told != (c.pixel.Num > 0) {
			t.Errorf("%s: %s", name, f.Doc.Text())
		}
	}
}
