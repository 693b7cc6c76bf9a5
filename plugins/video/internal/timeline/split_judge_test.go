package timeline

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

// rendered returns the grey pixels of each frame of a film and its sound, as ffmpeg renders it from media in a folder.
func rendered(t *testing.T, doc *pdktest.Doc, media string) (frames [][]byte, sound []int16) {
	t.Helper()
	f, err := film.Open(string(doc.Save()))
	if err != nil {
		t.Fatal(err)
	}
	p, err := project(f)
	if err != nil {
		t.Fatal(err)
	}
	c, err := render.Build(p, "prores")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	names := []string{"{out:0}", "out." + c.Output}
	for i, m := range c.Inputs {
		names = append(names, fmt.Sprintf("{in:%d}", i), filepath.Join(media, p.Media[m].Path))
	}
	for _, file := range c.Files {
		names = append(names, "{file:"+file.Name+"}", file.Name)
		if err := os.WriteFile(filepath.Join(dir, file.Name), file.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var args []string
	for _, a := range c.Args {
		args = append(args, strings.NewReplacer(names...).Replace(a))
	}
	ffmpeg := func(args ...string) []byte {
		t.Helper()
		cmd := exec.Command("ffmpeg", args...)
		cmd.Dir = dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("ffmpeg %s: %v\n%s\n%s", strings.Join(args, " "), err, stderr.Bytes(), c.Graph())
		}
		return out
	}
	ffmpeg(args...)
	pixels := ffmpeg("-v", "error", "-i", "out."+c.Output, "-map", "0:v", "-f", "rawvideo", "-pix_fmt", "gray", "-")
	for n := p.Width * p.Height; len(pixels) >= n; pixels = pixels[n:] {
		frames = append(frames, pixels[:n])
	}
	for pcm := ffmpeg("-v", "error", "-i", "out."+c.Output, "-map", "0:a", "-f", "s16le", "-"); len(pcm) >= 2; pcm = pcm[2:] {
		sound = append(sound, int16(binary.LittleEndian.Uint16(pcm)))
	}
	return frames, sound
}

// A split changes no picture and no sound, wherever it cuts fades and texts that roll.
func TestJudgeASplitChangesNothingThatIsSeenOrHeard(t *testing.T) {
	judge.Program(t, "ffmpeg")
	media := t.TempDir()
	judge.Runs(t, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x90:r=25:d=5", "-f", "lavfi", "-i", "sine=440:d=5:r=48000", "-c:v", "libx264", "-g", "5", "-c:a", "pcm_s16le", filepath.Join(media, "a.mov"))
	judge.Runs(t, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=orange:s=40x40", "-frames:v", "1", filepath.Join(media, "logo.png"))
	w := world()
	w.Probes["./a.mov"] = probeOutput(5, 160, 90, "25/1")
	w.Probes["./logo.png"] = strings.Replace(w.Probes["./logo.png"], `"width":200,"height":100`, `"width":40,"height":40`, 1)
	doc := pdktest.New(t, Domain(), `"S" fps:25 size:160x90`, w)
	doc.Do("add clip ./a.mov dur:4s id:a", "fade a in:1.6s out:1.6s", "add audio ./a.mov to:A1 dur:4s id:s", "fade s in:2s out:2s", "overlay image ./logo.png from:0.4s to:3.6s pos:top-left fade:1.2s id:o",
		"overlay text Title from:0s to:4s fade:1.2s id:t", `overlay text "Jane\nAuthor" from:0.2s to:3s style:lower-third fade:1s id:l`, "overlay text Rolling from:0s to:4s style:credits id:c", "overlay text Short from:1s to:1.6s style:note id:n")
	pictures, sound := rendered(t, doc, media)
	doc.Do("split a at:0.6s", "split a_2 at:2s", "split a_3 at:3.2s", "split s at:0.72s", "split s_2 at:2.8s", "split o at:0.8s", "split o_2 at:1s", "split o_3 at:3s",
		"split t at:0.48s", "split t_2 at:2s", "split t_3 at:3.4s", "split l at:0.6s", "split l_2 at:2.4s", "split c at:1s", "split c_2 at:2.2s", "split n at:1.2s")
	if f, err := film.Open(string(doc.Save())); err != nil || len(f.Clips()) != 7+16 {
		t.Fatalf("%d clips: %v", len(f.Clips()), err)
	}
	after, heard := rendered(t, doc, media)
	if len(pictures) != 100 || len(after) != 100 || len(sound) != len(heard) || len(sound) < 4*48000 {
		t.Fatalf("%d and %d pictures, %d and %d samples", len(pictures), len(after), len(sound), len(heard))
	}
	for n := range pictures {
		sum := 0.0
		for i := range pictures[n] {
			d := float64(pictures[n][i]) - float64(after[n][i])
			sum += d * d
		}
		if psnr := 10 * math.Log10(255*255*float64(len(pictures[n]))/max(sum, 1)); psnr < 45 {
			t.Errorf("frame %d: %.1f dB", n, psnr)
		}
	}
	for i := range sound {
		if d := int(sound[i]) - int(heard[i]); max(d, -d) > 16 {
			t.Fatalf("sample %d was %d and is %d", i, sound[i], heard[i])
		}
	}
}
