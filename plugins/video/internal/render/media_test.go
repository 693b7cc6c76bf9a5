package render

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
)

// The pictures of the test media encode the medium's and the frame's number in 8 by 3 black or white fields, above a moving
// pattern. The sound of each medium is a tone of its own.
const (
	fieldsX, fieldsY = 8, 4
	mediaSeconds     = 6
)

// field reports whether a field of a medium's frame is white.
func field(medium, frame, x, y int) bool {
	switch y {
	case 0, 2:
		return frame>>x&1 == 1 != (y == 2)
	case 1:
		if x < 4 {
			return frame>>(8+x)&1 == 1
		}
		return medium>>(x-4)&1 == 1
	}
	return (x+frame/4)%3 == 0
}

func tone(medium int) float64 { return 300 + 200*float64(medium) }

// testMedium describes a medium to be generated.
type testMedium struct {
	Media
	encode []string // options of the video encoder; nil for no pictures
	rate   int      // sample rate, 0 for no sound
	coded  [2]int   // size before rotation
}

func testMedia() []testMedium {
	x264 := func(gop string) []string {
		return []string{"-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", gop, "-crf", "16", "-pix_fmt", "yuv420p"}
	}
	film := func(name, ext string, w, h int, fps Rational, encode []string, rate int) testMedium {
		return testMedium{Media{Name: name, Ext: ext, Video: true, Audio: rate > 0, Width: w, Height: h, FPS: fps, Duration: Rational{mediaSeconds, 1}}, encode, rate, [2]int{w, h}}
	}
	turned := film("turned", "mp4", 90, 160, Rational{25, 1}, x264("25"), 48000)
	turned.coded, turned.Rotation = [2]int{160, 90}, 90
	return []testMedium{
		film("plain", "mp4", 160, 90, Rational{25, 1}, x264("250"), 48000),
		film("silent", "mp4", 320, 180, Rational{25, 1}, x264("12"), 0),
		film("square", "mp4", 120, 90, Rational{30, 1}, x264("50"), 44100),
		film("ntsc", "mkv", 160, 90, Rational{30000, 1001}, x264("30"), 48000),
		turned,
		{Media: Media{Name: "song", Ext: "mp3", Audio: true, Duration: Rational{mediaSeconds, 1}}, rate: 44100},
		{Media: Media{Name: "still", Ext: "png", Video: true, Still: true, Width: 160, Height: 90}, encode: []string{"-c:v", "png", "-pix_fmt", "rgb24"}, coded: [2]int{160, 90}},
		film("fast", "webm", 160, 90, Rational{50, 1}, []string{"-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "1M", "-pix_fmt", "yuv420p"}, 48000),
	}
}

// studio is a folder with the test media.
type studio struct {
	dir   string
	media []testMedium
}

func (s *studio) path(i int) string {
	return filepath.Join(s.dir, s.media[i].Name+"."+s.media[i].Ext)
}

// list returns the media as a project has them.
func (s *studio) list() (all []Media) {
	for i, m := range s.media {
		m.Path = s.path(i)
		all = append(all, m.Media)
	}
	return all
}

var shot struct {
	sync.Once
	*studio
	err error
}

// makeMedia generates the media, once for all tests.
func makeMedia(t testing.TB) *studio {
	t.Helper()
	judge.Program(t, "ffmpeg")
	judge.Program(t, "ffprobe")
	shot.Do(func() {
		dir, err := os.MkdirTemp("", "render")
		s := &studio{dir, testMedia()}
		for i := range s.media {
			if err == nil {
				err = s.make(i)
			}
		}
		shot.studio, shot.err = s, err
	})
	if shot.err != nil {
		t.Fatal(shot.err)
	}
	return shot.studio
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shot.studio != nil {
		os.RemoveAll(shot.dir)
	}
	os.Exit(code)
}

func (s *studio) make(i int) error {
	m := s.media[i]
	args := []string{"-v", "error", "-y"}
	var frames bytes.Buffer
	if m.Video {
		n := 1
		if !m.Still {
			n = int(mediaSeconds * m.FPS.Num / m.FPS.Den)
		}
		for f := range n {
			frames.Write(grayFrame(i, f, m.coded[0], m.coded[1], m.Rotation))
		}
		args = append(args, "-f", "rawvideo", "-pix_fmt", "gray", "-s", fmt.Sprintf("%dx%d", m.coded[0], m.coded[1]), "-r", m.FPS.orDefault(Rational{25, 1}).String(), "-i", "pipe:0")
	}
	if m.rate > 0 {
		args = append(args, "-f", "lavfi", "-i", fmt.Sprintf("sine=%g:r=%d:d=%d", tone(i), m.rate, mediaSeconds))
	}
	args = append(args, m.encode...)
	out := s.path(i)
	if m.Rotation != 0 {
		out = filepath.Join(s.dir, "coded.mp4")
	}
	if err := runFFmpeg(&frames, append(args, out)...); err != nil {
		return err
	}
	if m.Rotation != 0 {
		return runFFmpeg(nil, "-v", "error", "-y", "-i", out, "-c", "copy", "-metadata:s:v", fmt.Sprintf("rotate=%d", m.Rotation), s.path(i))
	}
	return nil
}

func runFFmpeg(in *bytes.Buffer, args ...string) error {
	cmd := exec.Command("ffmpeg", args...)
	if in != nil {
		cmd.Stdin = in
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("ffmpeg %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// grayFrame returns a frame in shades of gray. If it is to be rotated clockwise for display, it is stored rotated the other way.
func grayFrame(medium, frame, w, h, rotation int) []byte {
	b := make([]byte, 0, w*h)
	for y := range h {
		for x := range w {
			fx, fy, fw, fh := x, y, w, h
			if rotation == 90 {
				fx, fy, fw, fh = y, w-1-x, h, w
			}
			v := byte(30)
			if field(medium, frame, fx*fieldsX/fw, fy*fieldsY/fh) {
				v = 225
			}
			b = append(b, v)
		}
	}
	return b
}

// read decodes the medium and the frame from a rectangle of a picture.
func read(gray []byte, width int, x0, y0, w, h float64) (medium, frame int, ok bool) {
	at := func(fx, fy int) float64 {
		cx, cy := int(x0+(float64(fx)+0.5)*w/fieldsX), int(y0+(float64(fy)+0.5)*h/fieldsY)
		return (float64(gray[cy*width+cx]) + float64(gray[cy*width+cx-1]) + float64(gray[(cy-1)*width+cx])) / 3
	}
	ok = true
	for x := range fieldsX {
		v, inverse := at(x, 0) > 128, at(x, 2) > 128
		ok = ok && v != inverse
		if v {
			frame |= 1 << x
		}
		if at(x, 1) > 128 {
			if x < 4 {
				frame |= 1 << (8 + x)
			} else {
				medium |= 1 << (x - 4)
			}
		}
	}
	return medium, frame, ok
}

// runCommand runs a command as the host does, but outside of the cage, and gives the path of what it made and what it printed.
func (s *studio) runCommand(t testing.TB, c *Command) (out string, printed []byte) {
	t.Helper()
	dir := t.TempDir()
	for i, m := range c.Inputs {
		if err := os.Symlink(s.path(m), filepath.Join(dir, fmt.Sprintf("in%d.%s", i, s.media[m].Ext))); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range c.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	replace := []string{"{out:0}", "out0." + c.Output}
	for i, m := range c.Inputs {
		replace = append(replace, fmt.Sprintf("{in:%d}", i), fmt.Sprintf("in%d.%s", i, s.media[m].Ext))
	}
	for _, f := range c.Files {
		replace = append(replace, "{file:"+f.Name+"}", f.Name)
	}
	var args []string
	for _, a := range c.Args {
		args = append(args, strings.NewReplacer(replace...).Replace(a))
	}
	cmd := exec.Command("ffmpeg", args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("ffmpeg %s: %v\n%s\n%s", strings.Join(args, " "), err, stderr.Bytes(), c.Graph())
	}
	return filepath.Join(dir, "out0."+c.Output), stdout.Bytes()
}
