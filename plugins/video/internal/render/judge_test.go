package render

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// stream is what ffprobe prints about a stream.
type stream struct {
	Type     string `json:"codec_type"`
	Codec    string `json:"codec_name"`
	Frames   string `json:"nb_read_frames"`
	Duration string `json:"duration"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
}

func (p stream) seconds() float64 {
	v, _ := strconv.ParseFloat(p.Duration, 64)
	return v
}

func probe(t *testing.T, path string) (video, audio *stream, seconds float64) {
	t.Helper()
	out, err := exec.Command("ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=codec_type,codec_name,nb_read_frames,duration,width,height:format=duration", "-of", "json", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var said struct {
		Streams []stream
		Format  stream
	}
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatal(err)
	}
	for i, s := range said.Streams {
		if s.Type == "video" {
			video = &said.Streams[i]
		} else {
			audio = &said.Streams[i]
		}
	}
	return video, audio, said.Format.seconds()
}

// decodeFrames returns a film's frames in shades of gray.
func decodeFrames(t *testing.T, path string, width, height int) (frames [][]byte) {
	t.Helper()
	out, err := exec.Command("ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-f", "rawvideo", "-pix_fmt", "gray", "-s", fmt.Sprintf("%dx%d", width, height), "pipe:1").Output()
	if err != nil {
		t.Fatal(err)
	}
	for n := width * height; len(out) >= n; out = out[n:] {
		frames = append(frames, out[:n])
	}
	return frames
}

// decodeSound returns a film's sound at 8000 samples a second.
func decodeSound(t *testing.T, path string) (samples []float64) {
	t.Helper()
	out, err := exec.Command("ffmpeg", "-v", "error", "-i", path, "-map", "0:a", "-f", "s16le", "-ac", "1", "-ar", "8000", "pipe:1").Output()
	if err != nil {
		t.Fatal(err)
	}
	for ; len(out) >= 2; out = out[2:] {
		samples = append(samples, float64(int16(binary.LittleEndian.Uint16(out))))
	}
	return samples
}

// power returns the share of a tone in the energy of samples.
func power(samples []float64, hertz float64) float64 {
	var re, im, all float64
	for i, v := range samples {
		s, c := math.Sincos(2 * math.Pi * hertz * float64(i) / 8000)
		re, im, all = re+v*c, im+v*s, all+v*v
	}
	if all == 0 {
		return 0
	}
	return 2 * (re*re + im*im) / all / float64(len(samples))
}

// visibleClip is a frame of the timeline that shows a clip with nothing over it, and what is expected there.
type visibleClip struct {
	id         string
	frame      int
	clip       *Clip
	offset     int
	x, y, w, h float64
}

// clipMiddles finds the middle frame of each clip of the video tracks where nothing covers its picture.
func clipMiddles(p *Project) (all []visibleClip) {
	for i, t := range p.Video {
		t.eachClip(func(it *Item, start, overlap int) {
			c := &it.Clip
			end := c.Frames
			if it.Next != nil {
				end -= it.Next.Frames
			}
			if end <= overlap {
				return
			}
			offset := (overlap + end) / 2
			frame := start + offset
			for _, over := range p.Video[i+1:] {
				covered := false
				over.eachClip(func(it *Item, start, _ int) { covered = covered || start <= frame && frame < start+it.Clip.Frames })
				if covered {
					return
				}
			}
			if offset < c.FadeIn || offset >= c.Frames-c.FadeOut {
				return
			}
			m := p.Media[c.Media]
			s := visibleClip{id: t.ID + " " + c.ID, frame: frame, clip: c, offset: offset, w: float64(p.Width), h: float64(p.Height)}
			scale := min(s.w/float64(m.Width), s.h/float64(m.Height))
			if c.Fit == "cover" {
				scale = max(s.w/float64(m.Width), s.h/float64(m.Height))
			}
			if c.Fit != "stretch" {
				w, h := float64(m.Width)*scale, float64(m.Height)*scale
				s.x, s.y, s.w, s.h = (s.w-w)/2, (s.h-h)/2, w, h
			}
			all = append(all, s)
		})
	}
	return all
}

// expectedFrame returns the medium's frame at an offset into a clip, and by how much rounding between rates may miss it.
func (p *Project) expectedFrame(c *Clip, offset int) (frame, off int) {
	m := p.Media[c.Media]
	if m.Still {
		return 0, 0
	}
	speed := c.Speed.orDefault(Rational{1, 1})
	start := 0.0
	if c.In.Den != 0 {
		start = float64(c.In.Num) / float64(c.In.Den)
	}
	at := start + float64(offset)*float64(p.FPS.Den)/float64(p.FPS.Num)*float64(speed.Num)/float64(speed.Den)
	n := at * float64(m.FPS.Num) / float64(m.FPS.Den)
	if m.Ext == "webm" {
		return int(math.Floor(n + 1e-6)), 2 // its pictures start some milliseconds after the file
	}
	if m.FPS == p.FPS && speed.Num == speed.Den {
		if math.Abs(n-math.Round(n)) > 1e-6 {
			return int(math.Floor(n)), 1
		}
		return int(math.Round(n)), 0
	}
	return int(math.Floor(n + 1e-6)), 1 + int(float64(speed.Num)/float64(speed.Den)/2)
}

// checkFilm renders a project and compares the film with it.
func checkFilm(t *testing.T, s *studio, p *Project, format string) string {
	t.Helper()
	c, err := Build(p, format)
	if err != nil {
		t.Fatal(err)
	}
	out, _ := s.runCommand(t, c)
	video, audio, seconds := probe(t, out)
	if video == nil || video.Frames != strconv.Itoa(p.Frames()) {
		t.Fatalf("the film has %+v, the model %d frames\n%s", video, p.Frames(), c.Graph())
	}
	frame := float64(p.FPS.Den) / float64(p.FPS.Num)
	want := float64(p.Frames()) * frame
	if math.Abs(video.seconds()-want) > frame/2 || math.Abs(seconds-want) > frame {
		t.Errorf("the picture lasts %g s, the file %g s, the model says %g s", video.seconds(), seconds, want)
	}
	if audio != nil && math.Abs(audio.seconds()-video.seconds()) >= frame {
		t.Errorf("the sound lasts %g s, the picture %g s", audio.seconds(), video.seconds())
	}
	if loud := (&build{p: p}).hasSound(); loud != (audio != nil) {
		t.Errorf("the model is heard: %v; the film has sound: %v", loud, audio != nil)
	}
	frames := decodeFrames(t, out, p.Width, p.Height)
	for _, m := range clipMiddles(p) {
		medium, number, ok := read(frames[m.frame], p.Width, m.x, m.y, m.w, m.h)
		want, off := p.expectedFrame(m.clip, m.offset)
		if !ok || medium != m.clip.Media || number < want-off || number > want+off {
			t.Errorf("%s: frame %d shows frame %d of %s (%v); it should be %d (±%d) of %s", m.id, m.frame, number, name(p, medium), ok, want, off, name(p, m.clip.Media))
		}
	}
	if audio != nil {
		checkSound(t, p, decodeSound(t, out))
	}
	return out
}

func name(p *Project, medium int) string {
	if medium < len(p.Media) {
		return p.Media[medium].Name
	}
	return "nothing"
}

// checkSound compares the sound with the project: in the middle of each clip its tone must be heard, among those of other tracks.
func checkSound(t *testing.T, p *Project, samples []float64) {
	t.Helper()
	for _, tracks := range [][]Track{p.Video, p.Audio} {
		for _, track := range tracks {
			track.eachClip(func(it *Item, start, overlap int) {
				c := &it.Clip
				end := c.Frames
				if it.Next != nil {
					end -= it.Next.Frames
				}
				if c.Mute || track.Mute || !p.Media[c.Media].Audio || end-overlap < 6 || c.Volume < -15 || len(p.Ducks) > 0 {
					return
				}
				at := func(frame int) int { return int(float64(frame) * float64(p.FPS.Den) / float64(p.FPS.Num) * 8000) }
				from, to := at(start+(overlap+end)/2-2), at(start+(overlap+end)/2+2)
				if got := power(samples[from:to], tone(c.Media)); got < 0.04 {
					t.Errorf("%s %s: its tone is %.3f of what is heard in its middle", track.ID, c.ID, got)
				}
			})
		}
	}
}

// randomProject generates a timeline.
func randomProject(r *rand.Rand, n int, media []Media) *Project {
	rates := []Rational{{25, 1}, {30, 1}, {30000, 1001}, {24, 1}, {50, 1}}
	p := &Project{Width: 160, Height: 90, FPS: rates[n%len(rates)], Media: media}
	if n%2 == 0 {
		p.FPS = rates[0] // the rate of most media
	}
	if n%7 == 3 {
		p.SampleRate = 44100
	}
	if n%9 == 4 {
		p.Background = "#204060"
	}
	kinds := Transitions()
	kind := n * 3
	films := []int{0, 1, 2, 3, 4, 6, 7}
	clip := func(id string, from []int) Clip {
		m := from[r.Intn(len(from))]
		c := Clip{ID: id, Media: m, Frames: 12 + r.Intn(20)}
		if !media[m].Still {
			// At the start of a frame of the medium.
			fps := media[m].FPS.orDefault(Rational{25, 1})
			c.In = Rational{int64(r.Intn(3*int(fps.Num/fps.Den))) * fps.Den, fps.Num}
			c.Speed = []Rational{{}, {}, {}, {2, 1}, {1, 2}, {3, 2}}[r.Intn(6)]
		}
		if r.Intn(4) == 0 {
			c.FadeIn, c.FadeOut = r.Intn(c.Frames/4), r.Intn(c.Frames/4)
		}
		if r.Intn(4) == 0 {
			c.Volume = float64(r.Intn(12) - 9)
		}
		c.Mute = r.Intn(8) == 0
		c.Fit = []string{"", "", "", "cover", "stretch"}[r.Intn(5)]
		if c.Fit == "cover" && (media[m].Width < 160 || media[m].Height < 90) {
			c.Fit = "" // cropping would remove too many of the fields
		}
		if r.Intn(3) == 0 {
			keys := []Key{{0, "0"}, {c.Frames - 1, "0.1"}}
			some := []Effect{{Kind: "saturation"}, {Kind: "contrast", Params: []Param{{Name: "amount", Value: "1.1"}}}, {Kind: "brightness", Params: []Param{{Name: "amount", Keys: keys}}}, {Kind: "sharpen"}, {Kind: "grayscale"}, {Kind: "sepia"}}
			c.Effects = some[r.Intn(len(some)):][:1]
		}
		return c
	}
	track := func(id string, count int, from []int, gaps bool) Track {
		t := Track{ID: id}
		for i := range count {
			if gaps && r.Intn(3) == 0 {
				t.Items = append(t.Items, Item{Gap: 1 + r.Intn(15)})
			}
			it := Item{Clip: clip(fmt.Sprintf("c%d", i+1), from)}
			if i > 0 && r.Intn(2) == 0 {
				// A part of the same recording, directly after the one before or a little later.
				before := t.Items[len(t.Items)-1].Clip
				if in := p.timeAfter(before.In, before.Speed, before.Frames+r.Intn(3)); before.Frames > 0 && !media[before.Media].Still && in.Num < 4*in.Den {
					it.Clip.Media, it.Clip.In, it.Clip.Fit = before.Media, in, ""
				}
			}
			if i > 0 {
				if before := &t.Items[len(t.Items)-1]; before.Gap == 0 && r.Intn(2) == 0 {
					before.Next = &Transition{Kind: kinds[kind%len(kinds)].Name, Frames: 1 + r.Intn(min(before.Clip.Frames, it.Clip.Frames)/3)}
					kind++
				}
			}
			t.Items = append(t.Items, it)
		}
		return t
	}
	p.Video = []Track{track("V1", 1+n%12, films, n%3 == 1)}
	if n%4 == 2 {
		p.Video = append(p.Video, track("V2", 2, films, true))
	}
	if n%3 != 0 {
		p.Audio = []Track{track("A1", 1+n%3, []int{5, 5, 0, 2}, true)}
		p.Audio[0].Volume = -2
		if n%6 == 1 {
			p.Ducks = []Duck{{Track: "A1", Under: "V1"}}
		}
	}
	if n%5 == 1 {
		p.Overlays = []Overlay{{ID: "o1", Media: films[r.Intn(len(films))], From: r.Intn(10), Frames: 20, Width: 30, Height: 16, Place: Place{Anchor: "bottom-right"}, Opacity: 60, FadeIn: 4, FadeOut: 4, Mute: true}}
	}
	if n%2 == 0 {
		p.Texts = []Text{{ID: "t1", Text: awkward[n/2%len(awkward)], From: 3, Frames: 20, Style: "caption"}}
	}
	return p
}

var awkward = []string{
	"It's 100% \"quoted\"", `a:b;c,d[e]{f}`, `%{pts} %{localtime} %n`, `back\slash \' \n`, "two\nlines", "tab\tand\r\nreturn", "[v1];movie=/etc/passwd[v2]",
	"'; touch /tmp/x #", "ÄÖÜ ñ Жж Ωω", "漢字 🙂", "\x00\x01\x7f", "   ", "$(id) `id` ${HOME}", "text=x:textfile=/etc/passwd", "=,='\\''", strings.Repeat("long ", 12), "a\u2028b", "-i /etc/passwd", "%", "\\",
}

func TestJudgeFilmsAreWhatTheModelAndMeltSay(t *testing.T) {
	s := makeMedia(t)
	compared, melts := 0, 0
	for n := range 40 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			p := randomProject(rand.New(rand.NewSource(int64(n))), n, s.list())
			out := checkFilm(t, s, p, "h264")
			t.Run("melt", func(t *testing.T) {
				compared += compareWithMelt(t, p, out)
				melts++
			})
		})
	}
	if melts == 40 && compared < 300 {
		t.Errorf("only %d frames were compared", compared)
	}
}
