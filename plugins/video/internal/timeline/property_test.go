package timeline

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"pgregory.net/rapid"
)

// gen generates ops, most of which fit the film.
type gen struct {
	soak.Draw
	clips []string
	n     int
}

func (g *gen) clip() string {
	if g.Num("bogus", 0, 20) == 0 || len(g.clips) == 0 {
		return "nobody"
	}
	return pdk.Quote(rapid.SampledFrom(g.clips).Draw(g.T, "clip"))
}

func (g *gen) fresh() string {
	g.n++
	id := fmt.Sprintf("n%d", g.n)
	g.clips = append(g.clips, id)
	return id
}

func (g *gen) length() string {
	return g.Pick("length", "1s", "0.5s", "2.345s", "00:00:01:10", "45f", "1m", "3", "0s", "100ms")
}

func (g *gen) time() string {
	switch g.Num("time", 0, 5) {
	case 0:
		return "end"
	case 1:
		return "end:" + g.clip()
	case 2:
		return "start:" + g.clip() + g.Pick("offset", "+1s", "-0.5s", "")
	case 3:
		return fmt.Sprintf("%d.%ds", g.Num("seconds", 0, 40), g.Num("tenths", 0, 9))
	}
	return fmt.Sprintf("%df", g.Num("frames", 0, 2000))
}

func (g *gen) place() string {
	return g.Pick("place", " at:"+g.time(), " after:"+g.clip(), " ripple:all after:"+g.clip(), "") + g.Maybe("to:"+g.Pick("track", "V1", "V2", "A1", "T1", "V9"))
}

func (g *gen) targets() string {
	if g.Num("targets", 0, 2) == 0 {
		return g.Pick("selector", "@all", "@track:V1", "@type:text", "@type:clip", "@range:2s-9s", "@recent:2", "@media:vid1", "@not:type:audio", "@gap", "@type:transition")
	}
	return g.clip()
}

func (g *gen) op() string {
	switch g.Num("verb", 0, 24) {
	case 0, 1, 2, 3:
		return "add " + g.Pick("what", "clip", "clip", "audio") + " " + g.Pick("media", "./vid1.mp4", "./cat.mp4", "./mute.mp4", "./logo.png", "./music.mp3", "./phone.mov", "vid2") + g.place() + g.Maybe("in:"+g.length()) + g.Maybe("dur:"+g.length()) + g.Maybe("id:"+g.fresh()) + g.Maybe("volume:-3dB")
	case 4, 5, 6:
		return "add transition " + g.Pick("kind", "crossfade", "wipe-left", "fade-black") + " between:" + g.clip() + "," + g.clip() + g.Maybe("duration:"+g.length()) + g.Maybe("id:"+g.fresh()) + g.Maybe("ripple:all")
	case 7:
		return "add effect " + g.Pick("effect", "grayscale", "blur", "gain", "zoom") + " " + g.Pick("on", "on:"+g.clip(), "@type:clip") + g.Maybe("radius:4")
	case 8:
		return "overlay text " + g.Pick("text", "Hi", `"a: 'b' % \\ \n [c]"`, `"é ☺"`) + " from:" + g.time() + g.Pick("until", " dur:"+g.length(), " to:"+g.time(), "") + g.Maybe("style:note") + g.Maybe("pos:top") + g.Maybe("id:"+g.fresh())
	case 9:
		return "overlay " + g.Pick("what", "image ./logo.png", "video ./cat.mp4", "video ./music.mp3") + " from:" + g.time() + g.Maybe("dur:"+g.length()) + g.Maybe("size:40%") + g.Maybe("id:"+g.fresh())
	case 10:
		return g.Pick("caption", "caption Yes from:"+g.time()+" dur:1s", "captions ./talk.srt", "captions ./talk.srt shift:-1s")
	case 11, 12:
		return "trim " + g.clip() + g.Pick("what", " in:"+g.length(), " out:"+g.length(), " dur:"+g.length(), " start:"+g.time(), " end:"+g.time(), " dur:+"+g.length(), " end:-"+g.length()+" start:+"+g.length()) + g.Pick("ripple", "", " ripple", " ripple:all")
	case 13:
		return "split " + g.clip() + " at:" + g.time() + g.Maybe("id:"+g.fresh())
	case 14, 15:
		return "move " + g.Pick("what", g.clip()+g.place(), g.targets()+" by:"+g.Pick("sign", "+", "-")+g.length())
	case 16:
		return g.Pick("verb", "remove ", "ripple-delete ") + g.targets() + g.Maybe("ripple:all")
	case 17:
		return g.Pick("verb", "copy "+g.clip()+g.place()+g.Maybe("id:"+g.fresh()), "repeat "+g.clip()+" count:2")
	case 18:
		return "speed " + g.targets() + " " + g.Pick("factor", "2x", "0.3x", "1x", "150%") + g.Maybe("ripple:all")
	case 19:
		return g.Pick("verb", "volume "+g.targets()+" -6dB", "volume A1 2dB", "mute "+g.targets(), "mute V1", "duck A1 under:V1", "duck A1 off")
	case 20:
		return "fade " + g.targets() + g.Maybe("in:"+g.length()) + g.Maybe("out:"+g.length())
	case 21, 22:
		return "modify " + g.targets() + g.Pick("what", " volume:3dB", " text:Other style:title", " kind:dissolve duration:"+g.length(), " duration:+"+g.length(), " in:"+g.length()+" out:"+g.length()+g.Pick("ripple", "", " ripple", " ripple:all"), " pos:left size:20%", " enabled:false", " fit:cover", " media:./vid2.mp4", " media:cat", " id:"+g.fresh())
	case 23:
		return g.Pick("verb", "marker M at:"+g.time(), "remove M", "media ./vid2.mp4", "media ./old.mp4 duration:4s", "remove vid2")
	}
	return g.Pick("verb", "track add video", "track remove V1", "track hide T1", "track rename V1 Main", "project fps:25", "project fps:29.97", "project size:640x360 background:red", "project title:X")
}

// samples returns timelines of other programs.
func samples(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	paths, err := filepath.Glob("../otio/testdata/*.otio") // the compressed one is too large for this
	if err != nil || len(paths) == 0 {
		t.Fatal("no samples", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(path)] = string(data)
	}
	return out
}

// Undo, redo, replay and saving must be exact to the byte for random ops on new films and those of other programs. After every op, the
// file must be JSON, clips of a track may overlap only in transitions, and the rendered film must be as long as the digest says.
func TestRandomOpsKeepTheLaws(t *testing.T) {
	files := samples(t)
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	rapid.Check(t, func(rt *rapid.T) {
		g := &gen{Draw: soak.Draw{T: rt}}
		var doc *pdktest.Doc
		ops := []string{"marker Start at:0s"}
		if g.Num("new", 0, 2) > 0 {
			doc = pdktest.New(t, Domain(), `"T"`, world())
			ops = append(ops, "add clip ./vid1.mp4 dur:10s", "add clip ./vid2.mp4 dur:8s", "add clip ./cat.mp4")
			g.clips = []string{"vid1", "vid2", "cat", "hi", "caption"}
		} else {
			doc = pdktest.Open(t, Domain(), "f.otio", []byte(files[g.Pick("file", names...)]), world())
			f, err := film.Open(string(doc.Save()))
			if err != nil {
				rt.Fatal(err)
			}
			for _, c := range f.Clips() {
				g.clips = append(g.clips, c.ID)
			}
		}
		for range g.Num("ops", 1, 9) {
			ops = append(ops, g.op())
		}
		doc.Laws(ops...)
		text := string(doc.Save())
		if _, err := jsontree.ParseNonFinite(text); err != nil {
			rt.Fatalf("%q made no JSON: %v", ops, err)
		}
		f, err := film.Open(text)
		if err != nil {
			rt.Fatal(err)
		}
		checkLaws(f, rt, ops)
		fps := "project fps:" + g.Pick("fps", "29.97", "24", "60", "12", "23.976")
		if f.Parsed().Rate.String() == fps[len("project fps:"):] {
			return
		}
		doc.Do(fps)
		other, err := film.Open(string(doc.Save()))
		if err != nil {
			rt.Fatal(err)
		}
		ops = append(ops, fps)
		checkLaws(other, rt, ops)
		checkRetimed(other, rt, f, ops)
	})
}

// checkLaws checks the invariants of a film.
func checkLaws(f *film.Film, t *rapid.T, ops []string) {
	seen := map[string]bool{}
	for _, track := range f.Parsed().Tracks {
		for i, c := range track.Clips {
			if seen[track.ID+"/"+c.ID] {
				t.Errorf("%q: two clips are called %s", ops, c.ID)
			}
			seen[track.ID+"/"+c.ID] = true
			if c.Start < 0 || c.End < c.Start {
				t.Errorf("%q: %s is seen from %d to %d", ops, c.ID, c.Start, c.End)
			}
			if i == 0 {
				continue
			}
			before, shared := track.Clips[i-1], 0
			if c.Left != nil {
				shared = c.Left.Frames()
			}
			if before.End-shared > c.Start {
				t.Errorf("%q: %s starts at %d, and %s ends at %d", ops, c.ID, c.Start, before.ID, before.End)
			}
		}
	}
	p, err := project(f)
	if err != nil {
		return // a clip without media
	}
	told := 0
	for _, track := range f.Parsed().Tracks {
		for _, c := range track.Clips {
			if !c.Off && !track.Hidden && c.Kind != film.OtherItem {
				told = max(told, c.End)
			}
		}
	}
	if p.Frames() != told {
		t.Errorf("%q: %d frames are told and %d rendered", ops, told, p.Frames())
	}
}

func FuzzOpen(f *testing.F) {
	for _, text := range samples(f) {
		f.Add(text)
	}
	f.Add(`{"OTIO_SCHEMA":"Timeline.1","tracks":{"children":[{"children":[{"OTIO_SCHEMA":"Transition.1","in_offset":{"rate":24,"value":-5},"out_offset":{"value":1e300,"rate":1e-300}},{"OTIO_SCHEMA":"Clip.2","media_references":[],"source_range":{"duration":{"rate":0,"value":3}}},null,7,[]]},null]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := film.Open(text); err != nil {
			return
		}
		doc := pdktest.Open(t, Domain(), "x.otio", []byte(text), world())
		if string(doc.Save()) != text {
			t.Fatal("it is saved differently")
		}
		for _, q := range []string{"map", "timeline", "stats", "tracks", "gaps", "media", "describe *", "find a", "at 1s", "duration", "warnings", "preview drawn"} {
			doc.Query(q)
		}
		doc.Laws("marker A at:1s", "add clip ./cat.mp4", "remove @all", "overlay text A from:0s dur:1s")
	})
}
