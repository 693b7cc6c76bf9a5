package media

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/timecode"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// ParseProbe makes a medium of the JSON that ffprobe prints about a file.
func ParseProbe(name string, data []byte) (*Medium, error) {
	v, err := jsontree.Parse(string(data))
	if err != nil {
		return nil, pdk.Errorf("%s: cannot read the output of ffprobe: %v", name, err)
	}
	m := &Medium{Path: name, Listed: true}
	m.Duration, m.Known = parseSeconds(v.Get("format", "duration").Plain())
	format := v.Get("format", "format_name").Text()
	m.unindexed = slices.Contains(sequentialFormats, format) && !m.Sequential()
	for _, s := range v.Get("streams").Each() {
		switch kind := s.Get("codec_type").Text(); {
		case kind == "audio" && !m.Audio:
			m.Audio = true
			m.Sample, _ = strconv.Atoi(s.Get("sample_rate").Plain()) // 0 if missing
		case kind == "video" && !m.Video && s.Get("disposition", "attached_pic").Float() == 0:
			m.Video = true
			m.Width, m.Height = otio.Int(s.Get("width")), otio.Int(s.Get("height"))
			m.Pixel = parsePixelAspect(s.Get("sample_aspect_ratio").Text(), ":")
			m.Rate, _ = timecode.ParseRate(s.Get("avg_frame_rate").Text())
			if m.Rate.Num == 0 {
				m.Rate, _ = timecode.ParseRate(s.Get("r_frame_rate").Text())
			}
			if n, err := strconv.Atoi(s.Get("tags", "rotate").Plain()); err == nil {
				m.Rotation = normalAngle(n)
			}
			for _, d := range s.Get("side_data_list").Each() {
				if r := otio.Int(d.Get("rotation")); r != 0 {
					m.Rotation = normalAngle(-r)
				}
			}
			if d, ok := parseSeconds(s.Get("duration").Plain()); ok { // the clip ends with its pictures, even if the sound is a little longer
				m.Duration, m.Known = d, true
			}
			m.Still = strings.HasSuffix(format, "_pipe") || format == "image2" || slices.Contains(StillExtensions, Extension(name))
		}
	}
	if !m.Video && !m.Audio {
		return nil, pdk.Errorf("%s holds neither pictures nor sound", name)
	}
	if m.Rotation%180 != 0 {
		m.Width, m.Height, m.Pixel = m.Height, m.Width, timecode.Rat{Num: m.Pixel.Den, Den: m.Pixel.Num}
	}
	if m.Pixel.Num > 0 {
		m.Width = int(math.Round(float64(m.Width) * float64(m.Pixel.Num) / float64(m.Pixel.Den)))
	}
	if m.Still {
		m.Known, m.Duration, m.Rate = false, timecode.Rat{Den: 1}, timecode.Rate{}
	}
	return m, nil
}

// normalAngle returns an angle between 0 and 359 degrees.
func normalAngle(degrees int) int { return ((degrees % 360) + 360) % 360 }

// parseSeconds reads decimal seconds as ffprobe prints them.
func parseSeconds(s string) (timecode.Rat, bool) {
	whole, part, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole+part, 10, 50)
	if err != nil || n < 0 || len(part) > 9 {
		return timecode.Rat{}, false
	}
	den := int64(1)
	for range part {
		den *= 10
	}
	if n > timecode.MaxSeconds*den {
		return timecode.Rat{}, false
	}
	return timecode.New(n, den), n > 0
}
