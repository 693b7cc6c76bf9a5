package program

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
)

// findInstalled returns the program of that name that is installed here.
func findInstalled(t *testing.T, name string) Program {
	t.Helper()
	judge.Program(t, name)
	p, err := Finder{}.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// must is do for a run that must succeed.
func must(t *testing.T, r *Runner, run Run) *Result {
	t.Helper()
	result, err := do(t, r, run)
	if err != nil {
		t.Fatalf("%v\n%s", err, result.Stderr)
	}
	return result
}

// input opens a file for reading.
func input(t *testing.T, path, ext string) Input {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return Input{File: f, Ext: ext}
}

// copyOut copies an output to a file of the test's.
func copyOut(t *testing.T, f *os.File, name string) string {
	t.Helper()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func lavfi(source string) []string { return []string{"-hide_banner", "-f", "lavfi", "-i", source} }

func TestJudgeFfmpegRendersInItsCage(t *testing.T) {
	ffmpeg, ffprobe := findInstalled(t, "ffmpeg"), findInstalled(t, "ffprobe")
	each(t, func(t *testing.T, r *Runner) {
		blocks := 0
		made := must(t, r, Run{
			Program:  ffmpeg,
			Args:     append(lavfi("testsrc=size=320x240:rate=25:duration=2"), "-c:v", "libx264", "-movflags", "+faststart", "-progress", "pipe:1", "-y", "{out:0}"),
			Outputs:  []Output{{Ext: "mp4"}},
			Progress: func(m map[string]string) { blocks++ },
		})
		if blocks == 0 {
			t.Error("it told of no progress")
		}
		clip := copyOut(t, made.Outputs[0], "clip.mp4")
		probe := must(t, r, Run{
			Program: ffprobe, ReadOnly: true, Inputs: []Input{input(t, clip, "mp4")},
			Args: []string{"-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames,codec_name", "-show_entries", "format=filename", "-of", "json", "{in:0}"},
		})
		var said struct {
			Streams []struct {
				Codec  string `json:"codec_name"`
				Frames string `json:"nb_read_frames"`
			}
			Format struct{ Filename string }
		}
		if err := json.Unmarshal(probe.Stdout, &said); err != nil {
			t.Fatal(err)
		}
		if len(said.Streams) != 1 || said.Streams[0].Frames != "50" || said.Streams[0].Codec != "h264" || said.Format.Filename != "in0.mp4" {
			t.Errorf("ffprobe says %s", probe.Stdout)
		}
		// Text from a file, drawn with a font of the system, changes the picture.
		graph := func(filter string) []byte {
			result := must(t, r, Run{
				Program: ffmpeg, Inputs: []Input{input(t, clip, "mp4")}, Outputs: []Output{{Ext: "png"}},
				Files: []File{{Name: "graph", Data: []byte(filter)}, {Name: "title.txt", Data: []byte("Funny: 'Animals' %{x}")}},
				Args:  []string{"-i", "{in:0}", "-filter_complex_script", "{file:graph}", "-map", "[v]", "-frames:v", "1", "-y", "{out:0}"},
			})
			data, err := io.ReadAll(result.Outputs[0])
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
		if fonts, err := exec.Command("fc-list").Output(); err == nil && len(fonts) > 0 {
			if plain, drawn := graph("[0:v]null[v]"), graph("[0:v]drawtext=font=Sans:textfile=title.txt:expansion=none:fontsize=40:fontcolor=white[v]"); bytes.Equal(plain, drawn) {
				t.Error("nothing was drawn")
			}
		}
	})
}

func TestJudgeFfmpegDecodesLargeVideoIn4GiB(t *testing.T) {
	ffmpeg := findInstalled(t, "ffmpeg")
	r := newRunner(t)
	made := must(t, r, Run{
		Program: ffmpeg, Outputs: []Output{{Ext: "mkv"}},
		Args: append(lavfi("testsrc2=size=3840x2160:rate=25:duration=0.2"), "-c:v", "libsvtav1", "-preset", "12", "-y", "{out:0}"),
	})
	must(t, r, Run{
		Program: ffmpeg, Inputs: []Input{input(t, copyOut(t, made.Outputs[0], "clip.mkv"), "mkv")},
		Args: []string{"-i", "{in:0}", "-f", "null", "-"},
	})
}

// No option, filter or protocol reaches anything but the run's own files.
func TestJudgeFfmpegReachesNothingButItsFiles(t *testing.T) {
	ffmpeg := findInstalled(t, "ffmpeg")
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.txt")
	if err := os.WriteFile(secret, []byte("a secret of the user's"), 0o644); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(t.TempDir(), "plain.txt")
	if err := os.WriteFile(plain, []byte("what it is given"), 0o644); err != nil {
		t.Fatal(err)
	}
	list := "ffconcat version 1.0\nfile '" + secret + "'\n"
	m3u := "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://" + secret + "\n#EXT-X-ENDLIST\n"
	each(t, func(t *testing.T, r *Runner) {
		for name, args := range map[string][]string{
			"a path":                  {"-f", "data", "-i", secret, "-map", "0", "-c", "copy", "-f", "data", "-y", "{out:0}"},
			"a path up":               {"-f", "data", "-i", "../../../../../../../.." + secret, "-map", "0", "-c", "copy", "-f", "data", "-y", "{out:0}"},
			"concat:":                 {"-f", "data", "-i", "concat:{in:0}|" + secret, "-map", "0", "-c", "copy", "-f", "data", "-y", "{out:0}"},
			"file:":                   {"-f", "data", "-i", "file:" + secret, "-map", "0", "-c", "copy", "-f", "data", "-y", "{out:0}"},
			"subfile:":                {"-f", "data", "-i", "subfile,,start,0,end,10,,:" + secret, "-map", "0", "-c", "copy", "-f", "data", "-y", "{out:0}"},
			"the concat demuxer":      {"-f", "concat", "-safe", "0", "-i", "{file:list}", "-c", "copy", "-y", "{out:0}"},
			"a playlist":              {"-allowed_extensions", "ALL", "-protocol_whitelist", "file,crypto,data", "-f", "hls", "-i", "{file:play}", "-c", "copy", "-f", "data", "-y", "{out:0}"},
			"movie=":                  append(lavfi("movie=/etc/passwd"), "-frames:v", "1", "-y", "{out:0}"),
			"a text file of others":   append(lavfi("color,drawtext=textfile="+secret), "-frames:v", "1", "-f", "rawvideo", "-y", "{out:0}"),
			"http:":                   {"-i", "http://127.0.0.1:9/x", "-f", "null", "-"},
			"tcp:":                    append(lavfi("testsrc=duration=1"), "-f", "mpegts", "tcp://127.0.0.1:9"),
			"udp:":                    append(lavfi("testsrc=duration=1"), "-f", "mpegts", "udp://127.0.0.1:9"),
			"unix:":                   append(lavfi("testsrc=duration=1"), "-f", "mpegts", "unix:/run/x"),
			"a file of its own":       append(lavfi("testsrc=duration=1"), "-y", "other.mp4"),
			"its input as its output": append(lavfi("testsrc=duration=1"), "-f", "mpegts", "-y", "{in:0}"),
			"a report":                append([]string{"-report"}, append(lavfi("testsrc=duration=1"), "-t", "0.1", "-y", "{file:list}")...),
			"a log of two passes":     append(lavfi("testsrc=duration=1"), "-c:v", "libx264", "-pass", "1", "-passlogfile", filepath.Join(dir, "log"), "-f", "null", "-"),
			"a device":                {"-f", "fbdev", "-i", "/dev/fb0", "-f", "null", "-"},
			"an image sequence":       append(lavfi("testsrc=duration=1"), "-y", dir+"/%03d.png"),
			"a tee":                   append(lavfi("testsrc=duration=1"), "-map", "0", "-f", "tee", "[f=mpegts]"+filepath.Join(dir, "tee.ts")),
		} {
			result, err := do(t, r, Run{
				Program: ffmpeg, Args: args, Inputs: []Input{input(t, plain, "txt")}, Outputs: []Output{{Ext: "mp4"}},
				Files: []File{{Name: "list", Data: []byte(list)}, {Name: "play", Data: []byte(m3u)}},
			})
			if err == nil {
				t.Errorf("%s: it could\n%s", name, result.Stderr)
			}
			for _, f := range result.Outputs {
				if data, _ := io.ReadAll(f); bytes.Contains(data, []byte("secret")) {
					t.Errorf("%s: %q came out", name, data)
				}
			}
			if strings.Contains(result.Stderr, r.dir) {
				t.Errorf("%s: it tells of the folder\n%s", name, result.Stderr)
			}
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Errorf("%v %v lie beside the secret", entries, err)
		}
	})
}

// A library that poses as a sound is arbitrary code: it runs, but reaches nothing.
func TestJudgeALibraryThatPosesAsASoundReachesNothing(t *testing.T) {
	ffmpeg, gcc := findInstalled(t, "ffmpeg"), judge.Program(t, "gcc", "clang")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.c"), []byte(`
		#include <stdio.h>
		#include <unistd.h>
		#include <errno.h>
		#include <string.h>
		#include <sys/socket.h>
		__attribute__((constructor)) static void run(void) {
			errno = 0; FILE *f = fopen("/etc/passwd", "r");
			fprintf(stderr, "passwd: %s\n", f ? "open" : strerror(errno));
			fprintf(stderr, "socket: %s\n", socket(AF_INET, SOCK_STREAM, 0) < 0 ? strerror(errno) : "made");
			fprintf(stderr, "fork: %s\n", fork() < 0 ? strerror(errno) : "made");
			fprintf(stderr, "exec: %d %s\n", execl("/bin/sh", "sh", "-c", "echo a shell >&2", NULL), strerror(errno));
		}`), 0o644); err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(dir, "song.wav")
	judge.Runs(t, gcc, "-shared", "-fPIC", "-o", library, filepath.Join(dir, "x.c"))
	each(t, func(t *testing.T, r *Runner) {
		result, err := do(t, r, Run{
			Program: ffmpeg, Inputs: []Input{input(t, library, "wav")},
			Args: append(lavfi("sine=duration=1"), "-af", "ladspa=file=./{in:0}:plugin=x", "-f", "null", "-"),
		})
		if err == nil {
			t.Error("it is a filter")
		}
		if !strings.Contains(result.Stderr, "passwd: ") {
			t.Skipf("this ffmpeg loads no libraries:\n%s", result.Stderr)
		}
		for _, bad := range []string{"passwd: open", "socket: made", "fork: made", "a shell"} {
			if strings.Contains(result.Stderr, bad) {
				t.Errorf("%s\n%s", bad, result.Stderr)
			}
		}
	})
}
