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
	dir := t.TempDir()
	makeFilm(t, dir, "cat.mp4", 5, 440, "testsrc2=size=640x360:rate=25")
	makeFilm(t, dir, "dog.mp4", 4.5, 550, "smptehdbars=size=640x360:rate=25")
	makeFilm(t, dir, "music.mp3", 20, 330, "")
	got := replay(t, dir, block, "--limit", "list-wait=1m", "--limit", "job-wait=3m", "--plugin", testwasm.Build(t, "plugins/video"), "--grant", "video=program:ffmpeg", "--grant", "video=program:ffprobe")
	if *update {
		if err := os.WriteFile(page, []byte(head+"```transcript\n"+got+"```"+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	sizes := regexp.MustCompile(`\d+ KB`)
	if sizes.ReplaceAllString(got, "") != sizes.ReplaceAllString(block, "") {
		t.Errorf("run go test ./cmd/internal/command -run TranscriptOfVideo -update and read the difference\n--- page\n%s--- server\n%s", block, got)
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
