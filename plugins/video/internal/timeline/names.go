package timeline

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/timecode"
)

var (
	stillLength  = timecode.Rat{Num: 5, Den: 1} // of a still without a given length
	oneSecond    = timecode.Rat{Num: 1, Den: 1}
	threeSeconds = timecode.Rat{Num: 3, Den: 1}
	tenMinutes   = timecode.Rat{Num: 600, Den: 1}
)

// namedColors are the colors that have names.
var namedColors = map[string]string{
	"black": "#000000", "white": "#ffffff", "red": "#ff0000", "green": "#00a000", "blue": "#0000ff", "yellow": "#ffff00", "orange": "#ff8000",
	"gray": "#808080", "grey": "#808080", "cyan": "#00ffff", "magenta": "#ff00ff", "purple": "#800080", "pink": "#ff80c0", "brown": "#804000", "navy": "#000080", "teal": "#008080", "gold": "#ffc000", "silver": "#c0c0c0",
}

// parseColor reads #rrggbb, #rgb or the name of a color, and returns #rrggbb.
func parseColor(s string) (string, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if c, ok := namedColors[s]; ok {
		return c, true
	}
	hex, ok := strings.CutPrefix(s, "#")
	if !ok || strings.Trim(hex, "0123456789abcdef") != "" {
		return "", false
	}
	switch len(hex) {
	case 3:
		return "#" + hex[:1] + hex[:1] + hex[1:2] + hex[1:2] + hex[2:] + hex[2:], true
	case 6:
		return s, true
	}
	return "", false
}

// otherNames maps names from other programs to ours. They are suggested, but not accepted.
var otherNames = map[string]string{
	"fade": "crossfade", "mix": "crossfade", "cross": "crossfade", "wipe": "wipe-left", "slide": "slide-left", "push": "slide-left", "iris": "circle-open", "circle": "circle-open", "dip": "fade-black", "zoom": "zoom-in",
	"blackwhite": "grayscale", "black-and-white": "grayscale", "bw": "grayscale", "monochrome": "grayscale", "desaturate": "grayscale", "greenscreen": "chroma-key", "chromakey": "chroma-key", "negative": "invert", "kenburns": "zoom", "bottom-center": "bottom", "bottom-middle": "bottom", "top-center": "top", "top-middle": "top", "center-left": "left", "middle-left": "left", "center-right": "right", "middle-right": "right", "middle": "center", "centre": "center", "fill": "cover", "fit": "contain", "crop": "cover", "letterbox": "contain", "subtitle": "caption", "lowerthird": "lower-third",
}

// nearNames returns the names that a word may mean: another program's name for one, or one with a similar spelling.
func nearNames(word string, names []string) []string {
	if alias, ok := otherNames[strings.ToLower(word)]; ok && slices.Contains(names, alias) {
		return []string{alias}
	}
	return pdk.Nearest(word, names)
}
