package media

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/timecode"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// Extensions of media files.
var (
	videoExts       = []string{".mp4", ".mov", ".m4v", ".mkv", ".webm", ".avi", ".mpg", ".mpeg", ".ts", ".mts", ".m2ts", ".3gp", ".wmv", ".flv", ".gif"}
	AudioExtensions = []string{".mp3", ".wav", ".m4a", ".aac", ".flac", ".ogg", ".opus", ".aif", ".aiff"}
	StillExtensions = []string{".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff"}
)

// Containers without an index of key pictures, by the names of files and by the names that ffprobe has for them: a
// seek ends anywhere, and the pictures up to the next key picture are lost.
var (
	sequentialExts    = []string{".ts", ".mts", ".m2ts", ".mpg", ".mpeg"}
	sequentialFormats = []string{"mpegts", "mpeg"}
)

func Extensions() []string {
	return slices.Concat(videoExts, AudioExtensions, StillExtensions)
}

// Medium is a media file, of which clips show parts.
type Medium struct {
	ID, Path string
	Duration timecode.Rat // in seconds; 0 for a still and if Known is false
	Known    bool         // whether Duration is known
	Video    bool
	Still    bool
	Audio    bool
	Width    int // as displayed, 0 if unknown
	Height   int
	Pixel    timecode.Rat // width of a pixel divided by its height, before rotation; zero if square
	Rotation int
	Rate     timecode.Rate // frame rate, zero if unknown
	Sample   int           // sample rate in Hz, 0 if unknown
	Declared bool          // declared by an op, not probed

	unindexed bool // although its name does not say so

	Listed bool // in the file's list of media, not only in clips
}

// Frames returns the length at a frame rate, -1 if it is unknown or the medium is a still, which has no length.
func (m *Medium) Frames(r timecode.Rate) int {
	if !m.Known || m.Still {
		return -1
	}
	// A frame counts if it starts before the medium ends. At the medium's own rate that is exact; at another the last
	// one is seen longer.
	t := m.Duration
	f := float64(t.Num) / float64(t.Den) * r.Float()
	return int(math.Ceil(f - 0.01))
}

func Read(v *jsontree.Value) *Medium {
	m := &Medium{ID: v.Get("id").Text(), Path: v.Get("path").Text(), Still: v.Get("still").True(), Audio: v.Get("audio").True(), Video: v.Get("video").True(),
		Width: otio.Int(v.Get("width")), Height: otio.Int(v.Get("height")), Rotation: otio.Int(v.Get("rotation")), Sample: otio.Int(v.Get("sample_rate")), Declared: v.Get("declared").True(), Listed: true}
	m.Rate, _ = timecode.ParseRate(v.Get("fps").Plain()) // zero if missing
	if d := v.Get("duration"); d.Is(jsontree.String) {
		m.Duration, m.Known = parseRatio(d.Text())
	}
	m.Pixel = parsePixelAspect(v.Get("pixel").Text(), "/")
	m.unindexed = v.Get("sequential").True()
	return m
}

// Sequential reports whether the file has no index and must be read from its start.
func (m *Medium) Sequential() bool {
	return m.unindexed || slices.Contains(sequentialExts, Extension(m.Path))
}

// parsePixelAspect reads a pixel aspect ratio. It returns the zero value for square pixels and for invalid ones.
func parsePixelAspect(text, by string) timecode.Rat {
	a, b, _ := strings.Cut(text, by)
	num, errA := strconv.ParseInt(a, 10, 15)
	den, errB := strconv.ParseInt(b, 10, 15)
	if errA != nil || errB != nil || num < 1 || den < 1 || num > 10_000 || den > 10_000 || num == den || num > 8*den || den > 8*num {
		return timecode.Rat{}
	}
	return timecode.New(num, den)
}

// CodedWidth returns how many pixels wide the frames in the file are.
func (m *Medium) CodedWidth() int {
	if m.Pixel.Num == 0 {
		return m.Width
	}
	return int(math.Round(float64(m.Width) * float64(m.Pixel.Den) / float64(m.Pixel.Num)))
}

// parseRatio reads a duration in seconds in the form of the file's list of media, such as "127/5".
func parseRatio(s string) (timecode.Rat, bool) {
	num, den, _ := strings.Cut(s, "/")
	n, errN := strconv.ParseInt(num, 10, 40)
	d, errD := strconv.ParseInt(den, 10, 40)
	if errN != nil || errD != nil || n < 0 || d < 1 || n > timecode.MaxSeconds*d {
		return timecode.Rat{}, false
	}
	return timecode.New(n, d), true
}

// Object returns the medium in the form of the file's list of media.
func (m *Medium) Object() otio.Object {
	out := otio.Object{{Key: "id", Value: m.ID}, {Key: "path", Value: m.Path}}
	put := func(key string, there bool, value any) {
		if there {
			out = append(out, otio.Field{Key: key, Value: value})
		}
	}
	put("duration", m.Known && !m.Still, fmt.Sprintf("%d/%d", m.Duration.Num, max(1, m.Duration.Den)))
	put("video", m.Video, true)
	put("still", m.Still, true)
	put("width", m.Width > 0, m.Width)
	put("height", m.Height > 0, m.Height)
	put("pixel", m.Pixel.Num > 0, fmt.Sprintf("%d/%d", m.Pixel.Num, m.Pixel.Den))
	put("rotation", m.Rotation != 0, m.Rotation)
	put("fps", m.Rate.Num > 0, fmt.Sprintf("%d/%d", m.Rate.Num, m.Rate.Den))
	put("audio", m.Audio, true)
	put("sample_rate", m.Sample > 0, m.Sample)
	put("declared", m.Declared, true)
	put("sequential", m.unindexed, true)
	return out
}

// String prints the medium on one line.
func (m *Medium) String() string {
	s := pdk.Quote(m.ID)
	if m.Path != "" {
		s += " " + pdk.Quote(m.Path)
	}
	return s + ": " + m.What()
}

// What prints what is known about the file.
func (m *Medium) What() string {
	var parts []string
	say := func(there bool, format string, args ...any) {
		if there {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	say(m.Still, "still")
	if !m.Still {
		if m.Known {
			say(true, "%s", seconds(m.Duration))
		} else {
			say(true, "length unknown")
		}
	}
	say(m.Width > 0, "%dx%d", m.Width, m.Height)
	say(m.Rate.Num > 0 && !m.Still, "%s fps", m.Rate)
	say(m.Rotation != 0, "rotated %d°", m.Rotation)
	switch {
	case m.Audio && m.Sample > 0:
		say(true, "sound %d Hz", m.Sample)
	case m.Audio:
		say(true, "sound")
	case !m.Still:
		say(true, "no sound")
	}
	say(!m.Video, "no pictures")
	say(m.Declared, "declared, not probed")
	return strings.Join(parts, ", ")
}

func seconds(t timecode.Rat) string {
	return timecode.Rate{Num: 1000, Den: 1}.Text(int(float64(t.Num)/float64(max(1, t.Den))*1000 + 0.5))
}

func Extension(name string) string { return strings.ToLower(path.Ext(name)) }
