package render

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
)

// A cut of a recording whose only key picture is its first shows the right pictures, whatever the container.
func TestJudgeCutsAreRightInEveryContainer(t *testing.T) {
	makeMedia(t) // skips without ffmpeg
	h264 := []string{"-c:v", "libx264", "-preset", "ultrafast", "-g", "1000", "-sc_threshold", "0", "-crf", "16", "-pix_fmt", "yuv420p"}
	mpeg := func(codec string) []string {
		return []string{"-c:v", codec, "-g", "600", "-sc_threshold", "1000000000", "-q:v", "2", "-pix_fmt", "yuv420p"}
	}
	for _, tt := range []struct {
		file   string
		encode []string
	}{
		{"a.mp4", h264}, {"a.mov", h264}, {"a.m4v", h264}, {"a.mkv", h264}, {"a.3gp", h264}, {"a.flv", h264}, {"a.avi", mpeg("mpeg4")}, {"a.wmv", mpeg("wmv2")},
		{"a.webm", []string{"-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-g", "1000", "-b:v", "1M", "-pix_fmt", "yuv420p"}},
		{"a.ts", h264}, {"a.mts", append(h264, "-f", "mpegts")}, {"a.m2ts", h264}, {"a.mpg", mpeg("mpeg2video")}, {"a.mpeg", mpeg("mpeg1video")}, {"a.gif", []string{"-c:v", "gif"}},
		{"fragments.mp4", append(h264, "-movflags", "frag_every_frame+empty_moov+default_base_moof")},
		{"transport.mp4", append(h264, "-f", "mpegts")}, // a name that lies
	} {
		t.Run(tt.file, func(t *testing.T) {
			ext := filepath.Ext(tt.file)[1:]
			s := &studio{t.TempDir(), []testMedium{{Media{Name: tt.file[:len(tt.file)-len(ext)-1], Ext: ext, Video: true, Width: 160, Height: 90, FPS: Rational{25, 1}, Duration: Rational{mediaSeconds, 1}}, tt.encode, 0, [2]int{160, 90}}}}
			if err := s.make(0); err != nil {
				t.Fatal(err)
			}
			said, err := exec.Command("ffprobe", "-v", "error", "-of", "json", "-show_format", "-show_streams", "-i", s.path(0)).Output()
			if err != nil {
				t.Fatal(err)
			}
			m, err := media.ParseProbe(s.path(0), said)
			if err != nil {
				t.Fatal(err)
			}
			s.media[0].Sequential = m.Sequential()
			p := &Project{Width: 160, Height: 90, FPS: Rational{25, 1}, Media: s.list()}
			cut := func(from, frames int) {
				c := clip(fmt.Sprint("from-", from), 0, frames)
				c.In = Rational{int64(from), 25}
				p.Video[0].Items = append(p.Video[0].Items, Item{Clip: c}, Item{Gap: 2})
			}
			p.Video = []Track{{ID: "V1"}}
			cut(65, 15)
			cut(120, 10)
			cut(25, 10)
			p.Video[0].Items = append(p.Video[0].Items, Item{Clip: clip("start", 0, 5)})
			out := checkFilm(t, s, p, "h264")
			film := decodeFrames(t, out, 160, 90)
			p.Video[0].eachClip(func(it *Item, start, _ int) {
				for i := range it.Clip.Frames {
					want, _ := p.expectedFrame(&it.Clip, i)
					if _, got, ok := read(film[start+i], 160, 0, 0, 160, 90); !ok || got < want-2 || got > want+1 { // webm and flv count milliseconds
						t.Errorf("%s: frame %d of the clip shows frame %d (%v), not %d", it.Clip.ID, i, got, ok, want)
					}
				}
			})
			c, err := Frame(p, 7, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, png := s.runCommand(t, c); len(png) == 0 {
				t.Errorf("%s: no frame is printed", tt.file)
			}
			if info, err := os.Stat(out); err != nil || info.Size() == 0 {
				t.Error(info, err)
			}
		})
	}
}
