package timeline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
	"github.com/fcp-host/fcp-host/plugins/video/internal/timecode"
)

// set reads the parameters that set the project. given reports whether size or rate are among them.
func (s *settings) set(a pdk.Args) (given bool, err error) {
	for _, p := range a.Params {
		switch p.Key {
		case "size":
			w, h, ok := parseSize(p.Value)
			if !ok || !validSide(w) || !validSide(h) {
				return given, pdk.Errorf("size:%s is not a size: WIDTHxHEIGHT, both even, from 16 to 8192, such as 1920x1080", p.Value).Instead(p.Value, nearestSize(w, h, ok))
			}
			s.width, s.height, given = w, h, true
		case "fps":
			r, err := timecode.ParseRate(p.Value)
			if err != nil {
				usual := slices.DeleteFunc([]string{"30", "25"}, func(text string) bool { r, _ := timecode.ParseRate(text); return r == s.rate })
				return given, pdk.Errorf("fps:%s: %v", p.Value, err).Instead(p.Value, usual...)
			}
			s.rate, given = r, true
		case "sample":
			n, _ := strconv.Atoi(p.Value) // 0 is no sample rate
			ok := false
			for _, r := range sampleRates {
				ok = ok || r == n
			}
			if !ok {
				return given, pdk.Errorf("sample:%s is not a sample rate: 44100 or 48000 are usual", p.Value).Instead(p.Value, "48000")
			}
			s.sample = n
		case "background":
			c, ok := parseColor(p.Value)
			if !ok {
				other := "black"
				if s.background == namedColors[other] {
					other = "white"
				}
				return given, pdk.Errorf("background:%s is not a colour: #rrggbb, or a name such as black", p.Value).Instead(p.Value, other)
			}
			s.background = c
		}
	}
	return given, nil
}

// nearestSize returns a valid size near an invalid one. numbers is false if the size could not be read.
func nearestSize(w, h int, numbers bool) string {
	if !numbers {
		return "1920x1080"
	}
	return fmt.Sprintf("%dx%d", even(w), even(h))
}

// sizes are the sizes that have names.
var sizes = map[string][2]int{"2160p": {3840, 2160}, "4k": {3840, 2160}, "1440p": {2560, 1440}, "1080p": {1920, 1080}, "720p": {1280, 720}, "480p": {854, 480}, "square": {1080, 1080}, "vertical": {1080, 1920}}

// parseSize reads WIDTHxHEIGHT or a name.
func parseSize(text string) (w, h int, ok bool) {
	text = strings.ToLower(text)
	if s, ok := sizes[text]; ok {
		return s[0], s[1], true
	}
	ws, hs, ok := strings.Cut(text, "x")
	w, errW := strconv.Atoi(ws)
	h, errH := strconv.Atoi(hs)
	return w, h, ok && errW == nil && errH == nil && w > 0 && h > 0 && w <= 1<<15 && h <= 1<<15
}

func mediaObjects(media []*media.Medium) otio.List {
	out := otio.List{}
	for _, m := range media {
		out = append(out, m.Object())
	}
	return out
}

var projectParams = []abi.Param{{Key: "size", Value: "1920x1080|720p|vertical"}, {Key: "fps", Value: "25"}, {Key: "sample", Value: "48000"}, {Key: "background", Value: "COLOR"}}
