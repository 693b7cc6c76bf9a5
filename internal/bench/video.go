package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// video measures timelines without running ffmpeg: only its command is made.
func video(b *bench) error {
	bin, err := filepath.Abs(b.bin)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "fcp-bench-video-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "a.mp4"), []byte("looked at by nobody"), 0o600); err != nil {
		return err
	}
	cmd := exec.Command(filepath.Join(bin, "fcp-host"), "serve", "--config", "off", "--no-journal", "--plugin", filepath.Join(bin, "plugins", "video.wasm"), "--cache", b.cache)
	cmd.Dir = dir
	s, err := b.begin(cmd)
	if err != nil {
		return err
	}
	defer s.stop()
	clip := func(int) string { return "add clip a in:1s dur:2s" }
	const media = "media ./a.mp4 duration:1h size:1920x1080 fps:25 sound:yes"
	fresh := func(clips int) error {
		if _, err := s.call("video_session", "action", `new "Bench" size:1920x1080 fps:25`); err != nil {
			return err
		}
		if _, err := s.call("video", "ops", []string{media}); err != nil || clips == 0 {
			return err
		}
		_, err := s.call("video", "ops", list(clips, clip))
		return err
	}
	took, err := sample(5, func(int) (cost, error) {
		if err := fresh(0); err != nil {
			return cost{}, err
		}
		took, err := s.timedCall("video", "ops", list(1000, clip))
		if err == nil {
			_, err = s.call("video_session", "action", "close force")
		}
		return took, err
	})
	if err != nil {
		return err
	}
	b.time("1000 clips in one call", took, "200 ms")
	d := domain{name: "video"}
	for _, row := range []struct {
		clips       int
		what, limit string
	}{{200, "command", "50 ms"}, {200, "graph", "50 ms"}, {1000, "timeline", "10 ms"}, {1000, "map", "–"}} {
		if err := fresh(row.clips); err != nil {
			return err
		}
		if err := b.query(s, d, fmt.Sprintf("%s of %d clips", row.what, row.clips), row.what, row.limit); err != nil {
			return err
		}
	}
	return nil
}
