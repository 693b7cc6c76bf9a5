package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/fcp-host/fcp-host/internal/ends"
)

// video measures timelines without running ffmpeg: only its command is made.
func video(b *bench) {
	bin := ends.Unless(filepath.Abs(b.bin))
	dir := ends.Unless(os.MkdirTemp("", "fcp-bench-video-*"))
	defer os.RemoveAll(dir)
	ends.If(os.WriteFile(filepath.Join(dir, "a.mp4"), []byte("looked at by nobody"), 0o600))
	cmd := exec.Command(filepath.Join(bin, "fcp-host"), "serve", "--config", "off", "--no-journal", "--plugin", filepath.Join(bin, "plugins", "video.wasm"), "--cache", b.cache)
	cmd.Dir = dir
	s := b.begin(cmd)
	defer s.stop()
	clip := func(int) string { return "add clip a in:1s dur:2s" }
	const media = "media ./a.mp4 duration:1h size:1920x1080 fps:25 sound:yes"
	fresh := func(clips int) {
		s.call("video_session", "action", `new "Bench" size:1920x1080 fps:25`)
		s.call("video", "ops", []string{media})
		if clips > 0 {
			s.call("video", "ops", list(clips, clip))
		}
	}
	took := sample(5, func(int) cost {
		fresh(0)
		took := s.timedCall("video", "ops", list(1000, clip))
		s.call("video_session", "action", "close force")
		return took
	})
	b.time("1000 clips in one call", took, "200 ms")
	d := domain{name: "video"}
	for _, row := range []struct {
		clips       int
		what, limit string
	}{{200, "command", "50 ms"}, {200, "graph", "50 ms"}, {1000, "timeline", "10 ms"}, {1000, "map", "–"}} {
		fresh(row.clips)
		b.query(s, d, fmt.Sprintf("%s of %d clips", row.what, row.clips), row.what, row.limit)
	}
}
