package timeline

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/timecode"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
)

var (
	stillLength  = timecode.Rat{Num: 5, Den: 1} // of a still without a given length
	oneSecond    = timecode.Rat{Num: 1, Den: 1}
	threeSeconds = timecode.Rat{Num: 3, Den: 1}
	tenMinutes   = timecode.Rat{Num: 600, Den: 1}
)

// oneOfNames is one of a few names. It suggests those that other programs have other names for.
func oneOfNames(names ...string) value.Type[string] {
	t := value.OneOf(names...)
	parse := t.Parse
	t.Parse = func(s string) (string, error) {
		name, err := parse(s)
		if err != nil {
			err = &value.Invalid{Why: err.Error(), Near: nearNames(s, names)}
		}
		return name, err
	}
	return t
}

// Keys of verbs.
var (
	fit        = value.Key[string]{Name: "fit", Type: oneOfNames("contain", "cover", "stretch")}
	style      = value.Key[string]{Name: "style", Type: oneOfNames(styleNames()...)}
	joinKind   = value.Key[string]{Name: "kind", Type: value.Type[string]{Takes: "KIND", Parse: oneOfNames(transitions()...).Parse}}
	follows    = value.Key[string]{Name: "ripple", Type: value.OneOf("track", "all")}
	textColour = value.Key[string]{Name: "color", Type: film.Colour}
	background = value.Key[string]{Name: "background", Type: film.Colour}
	enabled    = value.Key[bool]{Name: "enabled", Type: value.Bool}
	sound      = value.Key[bool]{Name: "sound", Type: value.Bool}
	loudness   = value.Key[float64]{Name: "volume", Type: level}
	lowering   = value.Key[float64]{Name: "by", Type: level, Default: -12}
	opacity    = value.Key[int]{Name: "opacity", Type: percentage}
	times      = value.Key[int]{Name: "count", Type: value.Int(1, 1000), Default: 1}
	filmSize   = value.Key[frameSize]{Name: "size", Type: evenSize}
	mediumSize = value.Key[frameSize]{Name: "size", Type: anySize}
	fps        = value.Key[timecode.Rate]{Name: "fps", Type: timecode.FrameRate}
	sample     = value.Key[int]{Name: "sample", Type: sampleRate}
	declared   = value.Key[timecode.Length]{Name: "duration", Type: timecode.Time}
)

// length and relative are keys for lengths of time; the latter may be relative to what is there.
func length(key string) value.Key[timecode.Length] {
	return value.Key[timecode.Length]{Name: key, Type: timecode.Time}
}

func relative(key string) value.Key[timecode.Length] {
	return value.Key[timecode.Length]{Name: key, Type: timecode.Shift}
}

// position is where something stands on the picture: a region's name and an offset from there in pixels.
type position struct {
	anchor string
	x, y   int
}

// pixelPair is X,Y in whole pixels.
var pixelPair = value.Map(value.Point(8192), func(p geom.Point) (position, error) {
	if p.X != math.Trunc(p.X) || p.Y != math.Trunc(p.Y) {
		return position{}, &value.Invalid{Why: "is not X,Y in whole pixels", Near: []string{fmt.Sprintf("%.0f,%.0f", p.X, p.Y)}}
	}
	return position{x: int(p.X), y: int(p.Y)}, nil
})

// pos is a region, or X,Y of the upper left corner, which has no anchor. shift is an offset.
var (
	pos = value.Key[position]{Name: "pos", Type: value.Type[position]{Takes: "PLACE", Parse: func(s string) (position, error) {
		if strings.Contains(s, ",") {
			return pixelPair.Parse(s)
		}
		r, err := value.Region.Parse(s)
		return position{anchor: value.Regions()[3*r.Row+r.Col]}, err
	}}}
	shift = value.Key[position]{Name: "shift", Type: pixelPair}
)

// frameSize is the size of a picture in pixels.
type frameSize struct{ w, h int }

// sizes are the sizes that have names.
var sizes = map[string]frameSize{"2160p": {3840, 2160}, "4k": {3840, 2160}, "1440p": {2560, 1440}, "1080p": {1920, 1080}, "720p": {1280, 720}, "480p": {854, 480}, "square": {1080, 1080}, "vertical": {1080, 1920}}

// anySize is a size of pictures, and evenSize one that a film can have.
var (
	anySize = value.Type[frameSize]{Takes: "1920x1080|720p|vertical", Parse: func(s string) (frameSize, error) {
		if size, ok := sizes[strings.ToLower(s)]; ok {
			return size, nil
		}
		d, err := value.Size(1, 1<<15).Parse(s)
		if err != nil || d.W != math.Trunc(d.W) || d.H != math.Trunc(d.H) {
			return frameSize{}, &value.Invalid{Why: "is not a size: WIDTHxHEIGHT, such as 1920x1080", Near: []string{"1920x1080"}}
		}
		return frameSize{int(d.W), int(d.H)}, nil
	}}
	evenSize = value.Map(anySize, func(s frameSize) (frameSize, error) {
		if !film.ValidSide(s.w) || !film.ValidSide(s.h) {
			return s, &value.Invalid{Why: "is not a size of a film: WIDTHxHEIGHT, both even, from 16 to 8192, such as 1920x1080", Near: []string{fmt.Sprintf("%dx%d", film.Even(s.w), film.Even(s.h))}}
		}
		return s, nil
	})
)

var sampleRate = value.Type[int]{Takes: "48000", Parse: func(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || !slices.Contains(film.SampleRates, n) {
		return 0, &value.Invalid{Why: "is not a sample rate: 44100 or 48000 are usual", Near: []string{"48000"}}
	}
	return n, nil
}}

// percentage is an opacity in percent, also as a fraction such as 0.8.
var percentage = value.Type[int]{Takes: "80%", Parse: func(s string) (int, error) {
	number, percent := strings.CutSuffix(s, "%")
	x, ok := value.ParseNumber(number)
	if ok && x <= 1 && x > 0 && !percent && strings.Contains(s, ".") {
		x *= 100
	}
	if !ok || x < 1 || x > 100 {
		return 0, &value.Invalid{Why: "is not an opacity: 1% to 100%", Near: []string{"50%"}}
	}
	return int(math.Round(x)), nil
}}

// level is how loud something is in decibels: -6dB, -6 or 3.5.
var level = value.Type[float64]{Takes: "-6dB", Parse: func(text string) (float64, error) {
	s := strings.TrimSpace(strings.TrimSuffix(strings.ToLower(text), "db"))
	part := func(of float64) string { return decibelText(math.Round(200*math.Log10(of)) / 10) }
	db, ok := value.ParseNumber(s)
	if !ok || db < -60 || db > 24 {
		no := &value.Invalid{Why: "is not a level: decibels from -60dB to 24dB, where 0dB is as it was"}
		if x, ok := value.ParseNumber(strings.TrimSuffix(s, "%")); ok && strings.HasSuffix(s, "%") && x >= 0.1 && x <= 1500 {
			no.Near = []string{part(x / 100)}
		}
		return 0, no
	}
	if db > 0 && db < 1 && s == text { // probably meant as a factor
		return 0, &value.Invalid{Why: "would be decibels, and louder; as a part of the loudness it is " + part(db), Near: []string{part(db), text + "dB"}}
	}
	return math.Round(db*100) / 100, nil
}}

// decibelText prints a level.
func decibelText(db float64) string { return value.FormatNumber(db) + "dB" }

// factor is a speed such as 2x, 0.5 or 50%.
var factor = value.Type[float64]{Takes: "2x", Parse: func(text string) (float64, error) {
	number, percent := strings.CutSuffix(strings.ToLower(text), "%")
	x, ok := value.ParseNumber(strings.TrimSuffix(number, "x"))
	if percent {
		x /= 100
	}
	if x = math.Round(x*1000) / 1000; !ok || x < 0.01 || x > 100 {
		return 0, &value.Invalid{Why: "is not a speed: 2x is twice as fast, 0.5x or 50% half as fast; 0.01x to 100x"}
	}
	return x, nil
}}

// otherNames maps names from other programs to ours. They are suggested, but not accepted.
var otherNames = map[string]string{
	"fade": "crossfade", "mix": "crossfade", "cross": "crossfade", "wipe": "wipe-left", "slide": "slide-left", "push": "slide-left", "iris": "circle-open", "circle": "circle-open", "dip": "fade-black", "zoom": "zoom-in",
	"blackwhite": "grayscale", "black-and-white": "grayscale", "bw": "grayscale", "monochrome": "grayscale", "desaturate": "grayscale", "greenscreen": "chroma-key", "chromakey": "chroma-key", "negative": "invert", "kenburns": "zoom", "fill": "cover", "fit": "contain", "crop": "cover", "letterbox": "contain", "subtitle": "caption", "lowerthird": "lower-third",
}

// nearNames returns the names that a word may mean: another program's name for one, or one with a similar spelling.
func nearNames(word string, names []string) []string {
	if alias, ok := otherNames[strings.ToLower(word)]; ok && slices.Contains(names, alias) {
		return []string{alias}
	}
	return pdk.Nearest(word, names)
}
