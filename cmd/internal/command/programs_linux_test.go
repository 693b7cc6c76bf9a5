package command

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestAProgramOfADomainReachesNothingOfTheHost(t *testing.T) {
	t.Parallel()
	s := newProgramHost(t, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s.put("secret.mp4", "a secret")
	s.says("world_session", `new "A"`)
	s.says("world_query", fmt.Sprintf(`program ffprobe arg:"attack:%s,%s"`, filepath.Join(s.dir, "secret.mp4"), l.Addr()), "did: nothing")
	if s.has("secret.mp4") != "a secret" {
		t.Error("the secret was changed")
	}
	s.says("world_query", "program ffmpeg arg:x", "a call that only reads may not use program:ffmpeg: its manifest does not set reads")
	s.says("world_query", "program bash arg:x", "does not list program:bash")
	s.says("world_query", "program ffprobe ./none.mp4 arg:x", `no such file`)
	s.says("world_query", "program ffprobe /etc/passwd arg:{in:0}", `no file is known as "/etc/passwd"`)
	s.says("world_session", "do-program ffprobe /etc/hosts.mp4 arg:{in:0}", `outside the allowed folders`)
	s.says("world_query", "program ffprobe ./secret.mp4 arg:{in:1}", "the arguments name {in:1}, which it does not have")
	s.says("world_session", "do-peek /etc/passwd 0 10", "outside the allowed folders")
	s.says("world_query", "peek ./secret.mp4 2 6", `"secret" of 8`)
	s.says("world_session", "do-peek ./secret.mp4 100 6", `"" of 8`)
	s.says("world_session", "do-peek ./secret.mp4 -1 6", "must not be negative")
	s.says("world_session", "do-peek ./secret.mp4 0 9000000", "at most 8 MiB")
	if left := s.runs(); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

func TestAFileIsReplacedOnlyByAWholeOne(t *testing.T) {
	t.Parallel()
	s := newProgramHost(t, nil)
	s.put("r.mp4", "mine")
	s.says("world_session", `new "A"`)
	s.says("world_session", "render as:./r.mp4", "r.mp4 already exists, and this document did not write it; force at the end of the action replaces it")
	s.says("world_session", "export mp4 as:./r.mp4", "r.mp4 already exists", `export mp4 as:"r.mp4" force replaces it`)
	s.says("world_session", "render as:./r.mp4 duration:1003 force", "r.mp4 is not written: ffmpeg failed with exit code 3: no more film")
	s.says("world_session", "job 1", "job 1: r.mp4: failed", "no more film")
	if s.has("r.mp4") != "mine" {
		t.Errorf("the file holds %q", s.has("r.mp4"))
	}
	s.says("world_session", "export mp4 as:./r.mp4 force", "exported r.mp4 (mp4, 6 bytes)")
	if s.has("r.mp4") != "a film" {
		t.Errorf("the file holds %q", s.has("r.mp4"))
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("beside it lie %v, %v", entries, err)
	}
}

func TestNothingIsRunForAFileThatMayNotBeWritten(t *testing.T) {
	t.Parallel()
	_, args := programArgs(t, nil)
	config := args[1]
	f, err := os.OpenFile(config, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(f, "[[plugin]]\nfile = %q\nwrite = false\n", testwasm.World(t))
	f.Close()
	s := startProgramHost(t, args[3], args)
	s.says("world_session", `new "A"`)
	s.says("world_session", "export mp4 as:./r.mp4", "r.mp4 cannot be written: the configuration does not let its plugin write")
	s.says("world_session", "render as:./r.mp4", "r.mp4 cannot be written: the configuration does not let its plugin write")
	s.says("world_query", "jobs", "no jobs")
}

func TestWithoutAGrantOpsSayWhichFlagGivesIt(t *testing.T) {
	t.Parallel()
	s := newProgramHost(t, []string{"program:ffprobe"})
	s.put("a.mp4", "media")
	s.says("world_session", `new "A"`)
	s.op("clip ./a.mp4", "+ probe")
	s.says("world_session", "export mp4 as:./x.mp4", "export mp4: it needs program:ffmpeg, which is not granted; start fcp-host with --grant world=program:ffmpeg")
	none := newProgramHost(t, []string{"program:ffmpeg"})
	none.put("a.mp4", "media")
	none.says("world_session", `new "A"`)
	none.op("clip ./a.mp4", "op 1 (clip ./a.mp4): ./a.mp4: it needs program:ffprobe, which is not granted; start fcp-host with --grant world=program:ffprobe")
	none.says("world_session", "open ./a.mp4", "it needs program:ffprobe, which is not granted", `try: world_session new "a"`)
}

// Attacks with the real programs, by a plugin's arguments or by input files.
func TestJudgeFfmpegOfADomainReachesNothingButItsFiles(t *testing.T) {
	t.Parallel()
	judge.Program(t, "ffmpeg")
	judge.Program(t, "ffprobe")
	cache, args := realArgs(t, "off", nil)
	s := startProgramHost(t, cache, args)
	if out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=2", filepath.Join(s.dir, "a.wav")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	secret := s.put("secret.mp4", "root:x:0:0")
	s.put("list.mp4", "ffconcat version 1.0\nfile "+secret+"\nfile /etc/passwd\n")
	s.put("play.mp4", "#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n")
	s.says("world_session", `open ./a.wav`, "new world document")
	s.says("world_query", "map", `\"codec_name\": \"pcm_s16le\"`)
	s.says("world_query", "measure ./a.wav", "2.000000")
	for _, words := range [][]string{
		{"-i", "/etc/passwd"}, {"-i", "file:/etc/passwd"}, {"-i", secret}, {"-f", "concat", "-safe", "0", "-i", "/etc/passwd"}, {"-i", "concat:/etc/passwd|/etc/hostname"},
		{"-i", "subfile,,start,0,end,100,,:/etc/passwd"}, {"-i", "http://127.0.0.1:1/"}, {"-i", "tcp://127.0.0.1:1"}, {"-i", "unix:/tmp/x"}, {"-i", "../../../../etc/passwd"},
		{"-f", "lavfi", "-i", "movie=/etc/passwd"}, {"-f", "lavfi", "-i", "amovie=" + secret}, {"-f", "lavfi", "-i", "sine,ladspa=file=/etc/passwd:amp"}, {"-report", "-i", "/etc/passwd"},
		{"-f", "data", "-show_packets", "-show_data", "-i", "/etc/passwd"}, {"-i", "/proc/self/environ"}, {"-i", "/proc/1/cmdline"}, {"-i", "async:/etc/passwd"}, {"-i", "crypto:/etc/passwd"},
		{"-i", "cache:file:/etc/passwd"}, {"-show_entries", "format", "-i", "pipe:0"},
	} {
		arguments := ""
		for i, word := range words {
			arguments += fmt.Sprintf(" a%d:%q", i, word)
		}
		text := s.says("world_query", "program ffprobe"+arguments)
		if !strings.Contains(text, "ffprobe failed") || strings.Contains(text, "root:") {
			t.Errorf("ffprobe%s: %s", arguments, text)
		}
	}
	for _, name := range []string{"list.mp4", "play.mp4"} { // inputs that refer to other files
		for _, format := range []string{"", "a:-f b:concat c:-safe d:0 ", "a:-f b:hls c:-allowed_extensions d:ALL c2:-protocol_whitelist d2:file,crypto,data "} {
			text := s.says("world_query", "program ffprobe ./"+name+" "+format+"x:-i y:{in:0} z:-show_packets")
			if !strings.Contains(text, "failed") || strings.Contains(text, "root:") {
				t.Errorf("%s %s: %s", name, format, text)
			}
		}
	}
	// An input file whose name looks like an option is treated as a file.
	s.put("-i.wav", "not media")
	s.op("clip ./-i.wav", "ffprobe failed")
	s.says("world_session", "render as:./r.mp4 duration:2000", "+ exported r.mp4")
	s.says("world_query", "jobs", "job 1: r.mp4: done")
	s.op("clip ./r.mp4", `\"codec_name\": \"h264\"`)
	s.says("world_session", "save as:./final.mp4 format:mp4", "+ exported final.mp4 (mp4")
}
