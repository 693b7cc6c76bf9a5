package render

import (
	"fmt"
	"slices"
	"strings"
)

// Format is a file format to which a film can be rendered.
type Format struct {
	Name  string
	Ext   string // file extension without a dot
	About string

	video, audio bool
	short        int // pixels of the shorter side, 0 for the project's size
	most         int // maximum of the longer side in pixels, 0 for none
	rate         int // maximum of frames a second, 0 for none: of a faster film, every nth frame is left
	filters      []string
	picture      []string // options of the video encoder
	sound        []string
	container    []string
}

func h264Options(preset, quality string) []string {
	return []string{"-c:v", "libx264", "-preset", preset, "-crf", quality}
}

var (
	yuv420    = []string{"format=yuv420p"}
	aac       = []string{"-c:a", "aac", "-b:a", "192k"}
	opus      = []string{"-c:a", "libopus", "-b:a", "128k", "-ar", "48000"}
	faststart = []string{"-movflags", "+faststart"}
)

// Formats returns the formats; the first is the default.
func Formats() []Format {
	vp9 := func(speed string) []string {
		return []string{"-c:v", "libvpx-vp9", "-crf", "32", "-b:v", "0", "-deadline", "good", "-cpu-used", speed}
	}
	return []Format{
		{Name: "h264_1080p", Ext: "mp4", About: "H.264 and AAC, the shorter side 1080 pixels", video: true, audio: true, short: 1080, filters: yuv420, picture: h264Options("medium", "20"), sound: aac, container: faststart},
		{Name: "h264_720p", Ext: "mp4", About: "H.264 and AAC, the shorter side 720 pixels", video: true, audio: true, short: 720, filters: yuv420, picture: h264Options("medium", "21"), sound: aac, container: faststart},
		{Name: "h264_2160p", Ext: "mp4", About: "H.264 and AAC, the shorter side 2160 pixels", video: true, audio: true, short: 2160, filters: yuv420, picture: h264Options("medium", "20"), sound: aac, container: faststart},
		{Name: "h264", Ext: "mp4", About: "H.264 and AAC in the project's size", video: true, audio: true, filters: yuv420, picture: h264Options("medium", "20"), sound: aac, container: faststart},
		{Name: "h265", Ext: "mp4", About: "H.265 and AAC in the project's size", video: true, audio: true, filters: yuv420,
			picture: []string{"-c:v", "libx265", "-preset", "medium", "-crf", "24", "-tag:v", "hvc1", "-x265-params", "pools=none:frame-threads=1:info=0:log-level=warning"}, sound: aac, container: faststart},
		{Name: "vp9", Ext: "webm", About: "VP9 and Opus in the project's size", video: true, audio: true, filters: yuv420, picture: vp9("2"), sound: opus},
		{Name: "av1", Ext: "mp4", About: "AV1 and AAC in the project's size", video: true, audio: true, filters: yuv420,
			picture: []string{"-c:v", "libsvtav1", "-preset", "8", "-crf", "32", "-svtav1-params", "lp=1"}, sound: aac, container: faststart},
		{Name: "prores", Ext: "mov", About: "ProRes 422 HQ and PCM in the project's size, for editing", video: true, audio: true, filters: []string{"format=yuv422p10le"},
			picture: []string{"-c:v", "prores_ks", "-profile:v", "3", "-vendor", "apl0"}, sound: []string{"-c:a", "pcm_s16le"}},
		{Name: "webm", Ext: "webm", About: "VP9 and Opus, fast to make, the longer side at most 1280 pixels", video: true, audio: true, most: 1280, filters: yuv420, picture: vp9("5"), sound: opus},
		{Name: "gif", Ext: "gif", About: "an animation without sound, the longer side at most 480 pixels, at most 50 frames a second", video: true, most: 480, rate: 50, // players slow down what is faster
			// Each frame has its own palette: a common one would need all frames in memory.
			filters: []string{"split[p1][p2];[p1]palettegen=stats_mode=single[p3];[p2][p3]paletteuse=new=1:dither=bayer"}, picture: []string{"-c:v", "gif", "-loop", "0"}},
		{Name: "mp3", Ext: "mp3", About: "the sound alone, as MP3", audio: true, sound: []string{"-c:a", "libmp3lame", "-q:a", "2"}, container: []string{"-write_xing", "1"}},
		{Name: "wav", Ext: "wav", About: "the sound alone, as PCM", audio: true, sound: []string{"-c:a", "pcm_s16le"}},
		{Name: "draft", Ext: "mp4", About: "H.264 and AAC, a fast preview, the longer side at most 640 pixels", video: true, audio: true, most: 640, filters: yuv420,
			picture: h264Options("ultrafast", "28"), sound: []string{"-c:a", "aac", "-b:a", "96k"}, container: faststart},
	}
}

func formatNamed(name string) (Format, error) {
	all := Formats()
	i := slices.IndexFunc(all, func(f Format) bool { return f.Name == name })
	if i < 0 {
		var names []string
		for _, f := range all {
			names = append(names, f.Name)
		}
		return Format{}, fmt.Errorf("there is no format %q; there are %s", name, strings.Join(names, ", "))
	}
	return all[i], nil
}

// step returns of how many frames one is left at a frame rate.
func (f Format) step(fps Rational) int {
	if f.rate == 0 {
		return 1
	}
	most := int64(f.rate) * fps.Den
	return int((fps.Num + most - 1) / most)
}

// size returns the size of the film in this format: even numbers, in the project's aspect ratio.
func (f Format) size(w, h int) (int, int) {
	num, den := 1, 1
	switch {
	case f.short > 0:
		num, den = f.short, min(w, h)
	case f.most > 0 && max(w, h) > f.most:
		num, den = f.most, max(w, h)
	}
	even := func(n int) int { return max((n*num/den+1)/2*2, 2) }
	return even(w), even(h)
}
