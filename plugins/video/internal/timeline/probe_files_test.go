package timeline

import (
	"errors"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// probingWorld is a world with an ffprobe that reports files as they are now.
func probingWorld() *pdktest.World {
	w := world()
	w.Programs["ffprobe"] = func(run *abi.Run) ([]byte, error) {
		if text, ok := w.Probes[run.Inputs[0]]; ok {
			return []byte(text), nil
		}
		return nil, errors.New("no such file")
	}
	return w
}

func TestChangedFilesAreReportedAndRefreshed(t *testing.T) {
	w := probingWorld()
	doc := pdktest.New(t, Domain(), `"Demo"`, w)
	doc.Do("add clip ./vid1.mp4", "add clip ./cat.mp4", "add clip ./logo.png", "add audio ./voice.wav")
	if got := doc.Query("warnings"); strings.Contains(got, "media ") {
		t.Errorf("nothing changed, and it warns\n%s", got)
	}
	if got, want := doc.Session("refresh", nil), "? no file has changed: 4 files"; !strings.Contains(got, want) {
		t.Errorf("refresh says %q, want %q", got, want)
	}
	w.Probes["./vid1.mp4"] = probeOutput(20, 1280, 720, "25/1")
	delete(w.Probes, "./cat.mp4")
	for _, q := range []string{"warnings", "media"} {
		got := doc.Query(q)
		for _, want := range []string{"the file has changed: now 20s, 1280x720, 25 fps", "no such file"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", q, want, got)
			}
		}
	}
	if got, want := doc.Session("refresh", nil), "* media vid1 ./vid1.mp4: 20s, 1280x720, 25 fps, sound 48000 Hz; it was 50s, 1920x1080, 30 fps, sound 48000 Hz"; !strings.Contains(got, want) || !strings.Contains(got, "media cat: no such file") {
		t.Errorf("refresh says %q, want %q", got, want)
	}
	if got := doc.Query("warnings"); !strings.Contains(got, "past the end of its media: vid1 by 30s") {
		t.Errorf("the warnings are\n%s", got)
	}
	doc.SessionFails("refresh cat", "media cat: no such file")
	doc.SessionFails("refresh vid7", "no media vid7")
}

func TestMediaListsCountUses(t *testing.T) {
	file := strings.ReplaceAll(string(cut(t).Save()), `"media": "vid1"`, `"kind": "clip"`)
	file = strings.Replace(file, `"id": "vid1"`, `"id": "other"`, 1)
	file = strings.Replace(file, `"path": "./vid1.mp4"`, `"path": "./x.mp4"`, 1)
	doc := pdktest.Open(t, Domain(), "f.otio", []byte(file), world())
	if got := doc.Query("media"); !strings.Contains(got, "./vid1.mp4: 50s, no sound; used once") {
		t.Errorf("the media are\n%s", got)
	}
}
