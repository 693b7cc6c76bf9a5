package command

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// startVideoHost starts a server with the video plugin, real programs and a cache folder of its own, so that the test sees its
// runs.
func startVideoHost(t *testing.T, more ...string) *programHost {
	t.Helper()
	judge.Program(t, "ffmpeg")
	judge.Program(t, "ffprobe")
	if err := program.Available(); err != nil {
		t.Skip(err)
	}
	cache := filepath.Join(t.TempDir(), "cache")
	linkTree(t, testwasm.CacheDir(t), cache)
	args := append([]string{"--cache", cache, "--plugin", testwasm.Build(t, "plugins/video"), "--grant", "video=program:ffmpeg", "--grant", "video=program:ffprobe"}, more...)
	return startProgramHost(t, cache, args)
}

// countFilmsAt counts the processes that render a film with this frame rate.
func countFilmsAt(t testing.TB, fps int) (n int) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range lines {
		if line, err := os.ReadFile(path); err == nil && strings.Contains(string(line), fmt.Sprintf("-r\x00%d/1\x00", fps)) {
			n++
		}
	}
	return n
}

// startLongRender starts a slow render with this frame rate and waits until the host reports progress.
func (s *programHost) startLongRender(t *testing.T, fps int) {
	t.Helper()
	makeFilm(t, s.dir, "a.mp4", 5, 440, fmt.Sprintf("testsrc2=size=160x90:rate=%d", fps))
	s.says("video_session", "open ./a.mp4", "new video document")
	s.must("video", map[string]any{"ops": []string{"add clip a", "speed a 10%"}})
	fmt.Fprintln(s.in, `{"jsonrpc":"2.0","id":900,"method":"tools/call","params":{"name":"video_session","arguments":{"action":"save as:./film.mp4 format:h264_2160p"},"_meta":{"progressToken":"p"}}}`)
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			ID     int
			Method string
			Params struct {
				Progress, Total float64
				Message         string
			}
		}
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		if m.ID == 900 {
			t.Fatalf("it was not told: %s", line)
		}
		if m.Method == "notifications/progress" && m.Params.Total == 100 && strings.HasPrefix(m.Params.Message, "job 1: film.mp4: running, ") {
			break
		}
	}
	if countFilmsAt(t, fps) == 0 {
		t.Error("nothing runs")
	}
}

// waitUntilGone waits until there() is false.
func waitUntilGone(t *testing.T, what string, there func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); there(); {
		if time.Now().After(end) {
			t.Fatalf("%s is still there", what)
		}
	}
}

// beside returns the files beside the media.
func (s *programHost) beside() (names []string) {
	s.t.Helper()
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "a.mp4" {
			names = append(names, e.Name())
		}
	}
	return names
}

func TestJudgeARenderReportsProgressAndCanBeCancelled(t *testing.T) {
	t.Parallel()
	s := startVideoHost(t, "--limit", "job-wait=8s")
	s.startLongRender(t, 23)
	s.wait(900)
	s.says("video_query", "jobs", "job 1: film.mp4: running, ")
	s.must("video", map[string]any{"ops": []string{"marker here at:1s"}}) // the document's instance is free
	s.says("video_session", "cancel 1", "job 1: film.mp4: cancelled")
	if left, files := s.runs(), s.beside(); len(left) > 0 || len(files) > 0 || countFilmsAt(t, 23) > 0 {
		t.Errorf("%v, %v are left, and %d processes", left, files, countFilmsAt(t, 23))
	}
	s.says("video_query", "jobs", "job 1: film.mp4: cancelled")
}

func TestJudgeAHostThatIsKilledLeavesNoHalfFilm(t *testing.T) {
	t.Parallel()
	s := startVideoHost(t, "--limit", "job-wait=1m")
	s.startLongRender(t, 21)
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.cmd.Wait()
	s.cmd = nil
	waitUntilGone(t, "the program", func() bool { return countFilmsAt(t, 21) > 0 })
	if files := s.beside(); len(files) > 0 {
		t.Errorf("%v are left", files)
	}
	again := &programHost{startArena(t, s.args...), s.cache, s.args}
	waitUntilGone(t, "its folder", func() bool { return len(again.runs()) > 0 })
}

func TestJudgeWithoutFfmpegTheRestWorks(t *testing.T) {
	t.Parallel()
	judge.Program(t, "ffmpeg")
	if err := program.Available(); err != nil {
		t.Skip(err)
	}
	none := filepath.Join(t.TempDir(), configName)
	if err := os.WriteFile(none, []byte("[programs]\nffmpeg = \"/none/ffmpeg\"\nffprobe = \"/none/ffprobe\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join(t.TempDir(), "cache")
	linkTree(t, testwasm.CacheDir(t), cache)
	plugin := []string{"--cache", cache, "--plugin", testwasm.Build(t, "plugins/video")}
	const declared = "media ./m.mp4 duration:4s size:160x90 fps:25"
	for name, c := range map[string]struct {
		args  []string
		media string
		want  string // "" where it goes well
	}{
		"no grant":     {plugin, declared, "it needs program:ffmpeg, which is not granted; start fcp-host with --grant video=program:ffmpeg"},
		"no programs":  {append([]string{"--config", none, "--grant", "video=program:ffmpeg", "--grant", "video=program:ffprobe"}, plugin...), declared, "it needs program:ffmpeg, which is granted, and program ffmpeg: "},
		"no ffmpeg":    {append([]string{"--grant", "video=program:ffprobe"}, plugin...), "media ./m.mp4", "it needs program:ffmpeg, which is not granted"},
		"ffmpeg alone": {append([]string{"--grant", "video=program:ffmpeg"}, plugin...), declared, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := startProgramHost(t, cache, c.args)
			makeFilm(t, s.dir, "m.mp4", 4, 440, "testsrc2=size=160x90:rate=25")
			s.says("video_session", `new "A" size:160x90 fps:25`, "new video document")
			s.must("video", map[string]any{"ops": []string{c.media, "add clip m", `overlay text "Hello" from:1s to:3s style:title`}})
			s.says("video_query", "duration", "4s (100 frames")
			a := s.askWorld("video_session", "save as:./film.mp4 format:h264")
			if made := s.has("film.mp4") != ""; a.failed != (c.want != "") || made != (c.want == "") || !strings.Contains(a.text, c.want) {
				t.Errorf("it should say %q and says (%v):\n%s", c.want, made, a.text)
			}
		})
	}
}

// Whatever a project's texts and file names contain, ffmpeg opens only its inputs.
func TestJudgeTextsOfAProjectReachNothing(t *testing.T) {
	t.Parallel()
	s := startVideoHost(t, "--limit", "job-wait=2m")
	makeFilm(t, s.dir, "a.mp4", 3, 440, "testsrc2=size=160x90:rate=25")
	secret := s.put("secret.txt", "root:x:0:0")
	s.says("video_session", "open ./a.mp4", "new video document")
	tricks := []string{"movie=/etc/passwd", "concat:a|/etc/passwd", "http://127.0.0.1:9/", "-i /etc/passwd", "file:/etc/passwd", "subtitles=" + secret, "it's 'quoted'", `back\slash\\`, "%{localtime}%{eif:1:d}", "[v];movie=/etc/passwd[w]", ":textfile=" + secret, "{in:0} {file:graph.txt}", "a\nb", "漢字", "$(id)"}
	ops := []string{"add clip a"}
	for i, trick := range tricks {
		word, err := json.Marshal(trick) // quoting is the same in ops
		if err != nil {
			t.Fatal(err)
		}
		ops = append(ops, fmt.Sprintf("overlay text %s from:%dms to:%dms", word, 100*i, 100*i+1000))
	}
	s.must("video", map[string]any{"ops": ops})
	s.says("video_session", "save as:./film.mp4 format:h264", "+ exported film.mp4")
	if got := s.probeFigure("film.mp4", "-count_frames", "-select_streams", "v", "-show_entries", "stream=nb_read_frames"); got != "75" {
		t.Errorf("the film has %s frames", got)
	}
	for _, op := range []string{"add effect blur on:a radius:1,movie=/etc/passwd", "add effect movie=/etc/passwd on:a", "add transition fade,movie=x between:a,a duration:1s", `overlay text "x" from:0s to:1s style:movie=x`, `overlay text "x" from:0s to:1s color:red,movie=x`,
		"add clip /etc/passwd", "add clip concat:./a.mp4", "add clip file:/etc/passwd", "add clip http://127.0.0.1:9/x.mp4", "overlay image /etc/passwd from:0s to:1s", "add audio file:./a.mp4", "add clip ../a.mp4", "caption /etc/passwd"} {
		if a := s.wait(s.send("video", map[string]any{"ops": []string{op}})); !strings.Contains(a.text, "! ") && !a.failed {
			t.Errorf("%s:\n%s", op, a.text)
		}
	}
}

// listener starts a server that signals each connection.
func listener(t *testing.T) (l net.Listener, asked chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	asked = make(chan struct{}, 10)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			asked <- struct{}{}
			c.Close()
		}
	}()
	return l, asked
}

// Media that are lists of other files and addresses do not make ffmpeg open those, whatever format is claimed.
func TestJudgeMediaThatNameOthersReachNothing(t *testing.T) {
	t.Parallel()
	s := startVideoHost(t, "--limit", "job-wait=1m")
	l, asked := listener(t)
	makeFilm(t, s.dir, "a.mp4", 1, 0, "testsrc2=size=160x90:rate=25")
	whole, far := filepath.Join(s.dir, "a.mp4"), "http://"+l.Addr().String()+"/x.ts"
	for name, text := range map[string]string{
		"list":     "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:1,\nfile://" + whole + "\n#EXTINF:1,\n" + far + "\n#EXT-X-ENDLIST\n",
		"near":     "ffconcat version 1.0\nfile " + whole + "\nfile /etc/passwd\n",
		"far":      "ffconcat version 1.0\nfile in0.mp4\nfile " + far + "\n",
		"manifest": `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT1S"><Period><AdaptationSet><Representation id="1" bandwidth="1"><BaseURL>` + far + `</BaseURL></Representation></AdaptationSet></Period></MPD>`,
	} {
		s.put(name+".mp4", text)
		s.says("video_session", `new "T" size:160x90 fps:25`, "new video document")
		if a := s.wait(s.send("video", map[string]any{"ops": []string{"add clip ./" + name + ".mp4"}})); !a.failed {
			t.Errorf("%s is probed: %s", name, a.text)
		}
		s.must("video", map[string]any{"ops": []string{"media ./" + name + ".mp4 duration:1s size:160x90 fps:25", "add clip " + name}})
		if a := s.askWorld("video_session", "save as:./film.mp4 format:h264"); !a.failed || s.has("film.mp4") != "" {
			t.Errorf("%s is rendered: %s", name, a.text)
		}
	}
	select {
	case <-asked:
		t.Error("somebody was asked")
	default:
	}
}

// An .otio from another program may name any file. Only files within the roots become inputs.
func TestJudgeATimelineOfSomebodyElsesReachesNothing(t *testing.T) {
	t.Parallel()
	s := startVideoHost(t, "--limit", "job-wait=1m")
	l, asked := listener(t)
	outside := filepath.Join(t.TempDir(), "outside.mp4")
	if out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x90:rate=25:duration=1", outside).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, target := range []string{"http://" + l.Addr().String() + "/x.mp4", "file:///etc/passwd", "/etc/passwd", outside, "file://" + outside, "../" + filepath.Base(filepath.Dir(outside)) + "/outside.mp4", "concat:" + outside, "movie=x.mp4", "-i.mp4", "tcp://" + l.Addr().String(), "in0.mp4", "data:video/mp4;base64,AAAA"} {
		name := fmt.Sprintf("t%d.otio", i)
		word, err := json.Marshal(target)
		if err != nil {
			t.Fatal(err)
		}
		s.put(name, `{"OTIO_SCHEMA":"Timeline.1","name":"t","tracks":{"OTIO_SCHEMA":"Stack.1","children":[{"OTIO_SCHEMA":"Track.1","kind":"Video","name":"V1","children":[
			{"OTIO_SCHEMA":"Clip.1","name":"c","source_range":{"OTIO_SCHEMA":"TimeRange.1","start_time":{"OTIO_SCHEMA":"RationalTime.1","rate":25,"value":0},"duration":{"OTIO_SCHEMA":"RationalTime.1","rate":25,"value":20}},
			"media_reference":{"OTIO_SCHEMA":"ExternalReference.1","target_url":`+string(word)+`,"available_range":{"OTIO_SCHEMA":"TimeRange.1","start_time":{"OTIO_SCHEMA":"RationalTime.1","rate":25,"value":0},"duration":{"OTIO_SCHEMA":"RationalTime.1","rate":25,"value":25}}}}]}]}}`)
		s.says("video_session", "open ./"+name)
		a := s.askWorld("video_session", fmt.Sprintf("save as:./film%d.mp4 format:h264", i))
		if !a.failed || s.has(fmt.Sprintf("film%d.mp4", i)) != "" {
			t.Errorf("%s: %s", target, a.text)
		}
	}
	select {
	case <-asked:
		t.Error("somebody was asked")
	default:
	}
}

func TestJudgeAPreviewShowsFramesSheetsAndExportsAreWritten(t *testing.T) {
	t.Parallel()
	s := startVideoHost(t, "--limit", "job-wait=2m")
	makeFilm(t, s.dir, "a.mp4", 3, 440, "testsrc2=size=320x180:rate=25")
	s.says("video_session", "open ./a.mp4", "new video document")
	s.must("video", map[string]any{"ops": []string{"add clip a", `overlay text "Funny Animals" from:1s to:2s style:title-card`}})
	for query, want := range map[string]image.Point{
		"preview at:1.5s":  {320, 180},
		"preview frames:6": {4*320 + 5*4, 2*(180+30) + 3*4},
	} {
		var res struct {
			Content []struct{ Type, MimeType, Text, Data string }
		}
		s.request("tools/call", map[string]any{"name": "video_query", "arguments": map[string]any{"q": query}}, &res)
		shown := false
		for _, c := range res.Content {
			if c.Type != "image" {
				continue
			}
			data, err := base64.StdEncoding.DecodeString(c.Data)
			if err != nil {
				t.Fatal(err)
			}
			picture, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if got := picture.Bounds().Size(); got != want {
				t.Errorf("%s: the picture has %v; it should have %v", query, got, want)
			}
			shown = true
		}
		if !shown {
			t.Errorf("%s shows no picture: %+v", query, res.Content)
		}
	}
	for _, name := range []string{"film.edl edl", "film.mlt mlt", "film.srt srt", "film.sh ffcommand"} {
		file, format, _ := strings.Cut(name, " ")
		s.says("video_session", fmt.Sprintf("save as:./%s format:%s", file, format), "+ exported "+file)
		if s.has(file) == "" {
			t.Errorf("%s is not there", file)
		}
	}
}

// A file saved into another folder refers to its media correctly, for other programs and for a host started there.
func TestJudgeFilesInOtherFoldersFindTheirMedia(t *testing.T) {
	t.Parallel()
	melt := judge.Program(t, "melt", "melt-7")
	s := startVideoHost(t, "--limit", "job-wait=2m")
	for _, dir := range []string{"media", "out", "out/deep"} {
		if err := os.Mkdir(filepath.Join(s.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	makeFilm(t, s.dir, "media/a 1.mp4", 2, 440, "testsrc2=size=160x90:rate=25")
	makeFilm(t, s.dir, "b.mp4", 2, 550, "testsrc=size=160x90:rate=25")
	s.says("video_session", `open "./media/a 1.mp4,./b.mp4"`, "new video document")
	s.must("video", map[string]any{"ops": []string{"add clip a_1", "add clip b", "speed b 2x"}})
	for _, name := range []string{"film.mlt mlt", "film.sh ffcommand", "film.edl edl"} {
		file, format, _ := strings.Cut(name, " ")
		s.says("video_session", fmt.Sprintf("save as:./out/deep/%s format:%s", file, format), "+ exported out/deep/"+file)
	}
	s.says("video_session", "save as:./out/deep/film.otio", "saved out/deep/film.otio")
	if edl := s.has("out/deep/film.edl"); !strings.Contains(edl, "SOURCE FILE: ../../media/a 1.mp4\n") || !strings.Contains(edl, "SOURCE FILE: ../../b.mp4\n") {
		t.Error(edl)
	}
	frames := func(dir, film string) string {
		t.Helper()
		out, err := exec.Command("ffprobe", "-v", "error", "-of", "default=nw=1:nk=1", "-count_frames", "-select_streams", "v", "-show_entries", "stream=nb_read_frames", filepath.Join(dir, film)).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run := func(dir, name string, args ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "QT_QPA_PLATFORM=offscreen")
		if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "failed to load") {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	deep, elsewhere := filepath.Join(s.dir, "out", "deep"), t.TempDir()
	for _, dir := range []string{deep, elsewhere} {
		run(dir, melt, filepath.Join(deep, "film.mlt"), "-consumer", "avformat:"+filepath.Join(elsewhere, "melt.mkv"), "vcodec=libx264", "preset=ultrafast", "acodec=pcm_s16le", "real_time=-1", "terminate_on_pause=1")
		run(dir, "sh", filepath.Join(deep, "film.sh"), "film.mp4")
		if a, b := frames(elsewhere, "melt.mkv"), frames(dir, "film.mp4"); a != "75" || b != "75" {
			t.Errorf("from %s melt makes %s frames, the script %s", dir, a, b)
		}
	}
	next := &programHost{startArena(t, append(s.args, "--root", s.dir)...), s.cache, s.args}
	next.says("video_session", fmt.Sprintf("open %q", filepath.Join(deep, "film.otio")), "opened")
	next.says("video_session", fmt.Sprintf("save as:%q format:h264", filepath.Join(deep, "again.mp4")), "+ exported ")
	if got := frames(deep, "again.mp4"); got != "75" {
		t.Errorf("opened from elsewhere the film has %s frames", got)
	}
}
