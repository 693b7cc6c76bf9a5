package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// Replays the transcript of docs/video.md with films that ffmpeg makes. Sizes in bytes depend on its version.
func TestJudgeTheTranscriptOfVideoIsReal(t *testing.T) {
	t.Parallel()
	startVideoWithFFmpeg(t) // compiles the plugin
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(root, "docs", "video.md")
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(data), "```transcript\n")
	block, tail, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("the page has no transcript")
	}
	films := func(flags ...string) string {
		dir := t.TempDir()
		makeFilm(t, dir, "cat.mp4", 5, 440, "testsrc2=size=640x360:rate=25")
		makeFilm(t, dir, "dog.mp4", 4.5, 550, "smptehdbars=size=640x360:rate=25")
		makeFilm(t, dir, "music.mp3", 20, 330, "")
		return replay(t, dir, block, append(flags, "--limit", "list-wait=1m", "--limit", "job-wait=3m", "--plugin", testwasm.Build(t, "plugins/video"), "--grant", "video=program:ffmpeg", "--grant", "video=program:ffprobe")...)
	}
	got := films()
	if *update {
		if err := os.WriteFile(page, []byte(head+"```transcript\n"+got+"```"+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	sizes := regexp.MustCompile(`\d+ KB`)
	for engine, got := range map[string]string{"compiled": got, "interpreted": films(interpreted(t)...)} {
		if sizes.ReplaceAllString(got, "") != sizes.ReplaceAllString(block, "") {
			t.Errorf("run go test ./cmd/internal/command -run TranscriptOfVideo -update and read the difference\n--- page\n%s--- server, %s\n%s", block, engine, got)
		}
	}
}

// startVideo starts a server with the video plugin and real programs.
func startVideo(t *testing.T, grants ...string) *arena {
	t.Helper()
	args := []string{"--limit", "list-wait=1m", "--limit", "job-wait=3m", "--plugin", testwasm.Build(t, "plugins/video")}
	for _, g := range grants {
		args = append(args, "--grant", "video="+g)
	}
	s := startArena(t, args...)
	s.request("tools/list", map[string]any{}, nil)
	return s
}

// startVideoWithFFmpeg is startVideo for tests that require ffmpeg and ffprobe.
func startVideoWithFFmpeg(t *testing.T) *arena {
	t.Helper()
	judge.Program(t, "ffmpeg")
	judge.Program(t, "ffprobe")
	if err := program.Available(); err != nil {
		t.Skip(err)
	}
	return startVideo(t, "program:ffmpeg", "program:ffprobe")
}

// makeFilm makes a film with ffmpeg: a test picture and, unless tone is 0, a tone of that frequency.
func makeFilm(t *testing.T, dir, name string, seconds float64, tone int, picture string) {
	t.Helper()
	args := []string{"-v", "error", "-y"}
	if picture != "" {
		args = append(args, "-f", "lavfi", "-i", picture)
	}
	if tone > 0 {
		args = append(args, "-f", "lavfi", "-i", "sine=frequency="+strconv.Itoa(tone)+":sample_rate=48000")
	}
	args = append(args, "-t", strconv.FormatFloat(seconds, 'f', -1, 64), "-pix_fmt", "yuv420p", filepath.Join(dir, name))
	if out, err := exec.Command("ffmpeg", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// probeFigure returns one figure of a file from ffprobe.
func (s *arena) probeFigure(name string, args ...string) string {
	s.t.Helper()
	out, err := exec.Command("ffprobe", append(append([]string{"-v", "error", "-of", "default=nw=1:nk=1"}, args...), filepath.Join(s.dir, name))...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// turn is one call of a conversation and words that its answer must contain.
type turn struct {
	tool, text string
	ops        []string
	wants      []string
	fails      bool
}

// converse runs a conversation and returns the last answer.
func (s *arena) converse(turns ...turn) (last string) {
	s.t.Helper()
	for _, c := range turns {
		var a answer
		if c.ops != nil {
			a = s.wait(s.send(c.tool, map[string]any{"ops": c.ops}))
			c.text = strings.Join(c.ops, " · ")
		} else {
			a = s.askWorld(c.tool, c.text)
		}
		if a.failed != c.fails {
			s.t.Fatalf("%s %s\n%s", c.tool, c.text, a.text)
		}
		for _, w := range c.wants {
			if !strings.Contains(a.text, w) {
				s.t.Errorf("%s %s lacks %q:\n%s", c.tool, c.text, w, a.text)
			}
		}
		last = a.text
	}
	return last
}

// The video domain's main use: two films, a crossfade, their length, and an export.
func TestJudgeTwoFilmsBecomeOneWithACrossfade(t *testing.T) {
	t.Parallel()
	s := startVideoWithFFmpeg(t)
	makeFilm(t, s.dir, "vid1.mp4", 3, 440, "testsrc2=size=320x180:rate=30")
	makeFilm(t, s.dir, "vid2.mp4", 2.5, 880, "testsrc=size=320x180:rate=30")
	s.converse(
		turn{tool: "video_session", text: "open ./vid1.mp4,./vid2.mp4", wants: []string{"new video document", "320x180@30"}},
		turn{tool: "video", ops: []string{"add clip vid1 at:0s", "add clip vid2 at:end:vid1"}, wants: []string{"+ vid1 on V1 0s-3s", "+ vid2 on V1 3s-5.5s"}},
		turn{tool: "video", ops: []string{"add transition crossfade between:vid1,vid2 duration:1.5s"}, wants: []string{"+ crossfade", "1.5s earlier"}},
		turn{tool: "video_query", text: "duration", wants: []string{"4s (120 frames"}},
		turn{tool: "video_session", text: "save as:./final.mp4 format:h264_1080p unknown:x", wants: []string{"export h264_1080p takes no unknown:"}, fails: true},
		turn{tool: "video_session", text: "save as:./final.mp4 format:h264_1080p", wants: []string{"+ exported final.mp4"}},
	)
	if got := s.probeFigure("final.mp4", "-count_frames", "-select_streams", "v", "-show_entries", "stream=width,height,nb_read_frames"); got != "1920\n1080\n120" {
		t.Errorf("the film has %q", got)
	}
	if got := s.probeFigure("final.mp4", "-select_streams", "a", "-show_entries", "stream=duration"); !strings.HasPrefix(got, "4.0") && !strings.HasPrefix(got, "3.99") {
		t.Errorf("its sound takes %s s", got)
	}
	makeFilm(t, s.dir, "cat.mp4", 2, 0, "smptebars=size=320x180:rate=30")
	s.converse(
		turn{tool: "video", ops: []string{"add clip ./cat.mp4 to:V1 at:10s"}, wants: []string{"+ cat on V1 10s-12s"}},
	)
}

// The host counts what is in each file before it says that it is exported: a film from a transport stream with a single key picture, in
// every format, with and without sound.
func TestJudgeEveryFormatIsWhatTheModelSays(t *testing.T) {
	t.Parallel()
	s := startVideoWithFFmpeg(t)
	makeFilm(t, s.dir, "sound.mp4", 3, 440, "testsrc2=size=160x90:rate=25")
	if out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x90:rate=25:duration=3", "-c:v", "libx264", "-g", "1000", "-pix_fmt", "yuv420p", filepath.Join(s.dir, "one.ts")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.converse(
		turn{tool: "video_session", text: `new "s" size:160x90 fps:25`},
		turn{tool: "video", ops: []string{"add clip ./one.ts in:1s dur:1s"}},
		turn{tool: "video_session", text: "save as:./silent.mp4 format:draft", wants: []string{"+ exported silent.mp4"}},
	)
	if got := s.probeFigure("silent.mp4", "-count_frames", "-show_entries", "stream=codec_type,nb_read_frames"); got != "video\n25" {
		t.Errorf("the film has %q", got)
	}
	for action, wants := range map[string][]string{
		"save as:./x.mkv":                                   {"no format makes .mkv files: say one of h264_1080p, ", "try: video_session save as:\"./x.mp4\" format:h264_1080p"},
		"save as:./x.mp4":                                   {`say the format of "./x.mp4"`, "try: video_session save as:\"./x.mp4\" format:h264_1080p"},
		"save ./x.ts":                                       {"no format makes .ts files"},
		"export h264 as:./x.mkv":                            {"h264 makes .mp4 files", "try: video_session export h264 as:\"./x.mp4\""},
		"export srt as:./x.mkv":                             {"srt makes .srt files"},
		"save as:./x.mp4 format:draft from:1s crf:30":       {"from:"},
		"save as:./x.mp4 format:draft bitrate:1M":           {"bitrate:"},
		"export edl as:./x.edl frames:2":                    {"frames:"},
		"export ffcommand as:./x.sh format:draft to:'1.4s'": {"format:"},
	} {
		a := s.askWorld("video_session", action)
		for _, w := range wants {
			if !a.failed || !strings.Contains(a.text, w) {
				t.Errorf("%s lacks %q (%v):\n%s", action, w, a.failed, a.text)
			}
		}
	}
	if left, err := filepath.Glob(filepath.Join(s.dir, "x.*")); err != nil || len(left) > 0 {
		t.Errorf("refused, and there is %q", left)
	}
	s.converse(
		turn{tool: "video_session", text: `new "Trip" media:./sound.mp4,./one.ts`, wants: []string{`new video document "Trip"`, "2media"}},
		turn{tool: "video", ops: []string{"add clip one in:1s dur:1s", "add clip sound dur:1.4s"}},
	)
	for _, rate := range []string{"25", "29.97", "60"} {
		for _, format := range []string{"h264", "h264_720p", "h265", "vp9", "av1", "prores", "webm", "gif", "mp3", "wav", "draft"} {
			if rate != "25" && format != "gif" && format != "webm" && format != "mp3" {
				continue
			}
			ext := map[string]string{"vp9": "webm", "webm": "webm", "prores": "mov", "gif": "gif", "mp3": "mp3", "wav": "wav"}[format]
			if ext == "" {
				ext = "mp4"
			}
			s.converse(
				turn{tool: "video", ops: []string{"project fps:" + rate, "marker at-" + rate + format + " at:0s"}},
				turn{tool: "video_session", text: "save as:./" + format + rate + "." + ext + " format:" + format, wants: []string{"+ exported "}},
			)
		}
	}
}
