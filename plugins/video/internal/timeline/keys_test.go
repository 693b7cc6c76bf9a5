package timeline

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

// pictureValues returns the value of an effect's setting for each picture of a medium that the film shows, by the picture's time in
// hundredths of a millisecond. The film shows no picture twice.
func pictureValues(t *testing.T, doc *pdktest.Doc, kind, name string) map[int64]float64 {
	t.Helper()
	f, err := film.Open(string(doc.Save()))
	if err != nil {
		t.Fatal(err)
	}
	p, err := project(f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := render.Build(p, "h264"); err != nil {
		t.Fatal(err)
	}
	out := map[int64]float64{}
	for _, tracks := range [][]render.Track{p.Video, p.Audio} {
		for _, track := range tracks {
			for _, it := range track.Items {
				c := it.Clip
				for _, e := range c.Effects {
					for _, s := range e.Params {
						if e.Kind != kind || s.Name != name {
							continue
						}
						list := s.Keys
						if list == nil {
							list = []render.Key{{Value: s.Value}}
						}
						for n := range c.Frames {
							speed := 1.0
							if c.Speed.Den > 0 {
								speed = float64(c.Speed.Num) / float64(c.Speed.Den)
							}
							at := int64(math.Round(100_000 * (float64(c.In.Num)/float64(max(c.In.Den, 1)) + float64(n)/25*speed)))
							if _, twice := out[at]; twice {
								t.Fatalf("the picture at %d is shown twice", at)
							}
							out[at] = film.ValueAt(list, n)
						}
					}
				}
			}
		}
	}
	return out
}

// Cutting keeps what is left as it was: every picture has the value of each setting that it had before.
func TestCutsKeepTheValueOfEveryPicture(t *testing.T) {
	for _, kind := range render.Effects() {
		for _, s := range kind.Settings {
			if !s.Animated {
				continue
			}
			lo, hi := value.FormatNumber(max(s.Min, -50)), value.FormatNumber(min(s.Max, 50))
			for _, speed := range []string{"1x", "2x"} {
				for _, keyed := range []string{lo + "@0s," + hi + "@10s", hi + "@1.2s," + lo + "@4s," + hi + "@4.04s," + s.Default + "@9s", lo + "@3s", lo + "@20s," + hi + "@30s"} {
					for _, ops := range [][]string{
						{"split cat at:5s"}, {"split cat at:4s"}, {"split cat at:0.04s"}, {"split cat at:11.96s"},
						{"split cat at:5s", "split cat at:2s", "split cat_2 at:8s"},
						{"trim cat in:5s"}, {"trim cat start:1.52s"}, {"trim cat end:7s"}, {"trim cat in:5s ripple"}, {"trim cat in:5s dur:3s"},
						{"split cat at:3s", "split cat_2 at:6s", "ripple-delete cat_2"},
						{"split cat at:3s", "trim cat_2 start:4s", "ripple-delete @gap", "split cat_2 at:5s"},
						{"split cat at:3s", "move cat_2 at:20s"}, {"split cat at:3s", "move cat at:30s", "copy cat_2 at:50s", "remove cat_2"},
					} {
						doc := pdktest.New(t, Domain(), `"T" fps:25 size:640x360`, world())
						doc.Do("add clip ./vid1.mp4 in:1s dur:24s id:cat", "speed cat "+speed, "trim cat dur:12s", "add effect "+kind.Name+" on:cat "+s.Name+":"+keyed)
						before := pictureValues(t, doc, kind.Name, s.Name)
						doc.Do(ops...)
						after := pictureValues(t, doc, kind.Name, s.Name)
						if len(after) == 0 || strings.HasPrefix(ops[0], "split") && len(ops) == 1 && len(after) != len(before) {
							t.Errorf("%s %s %q: %d pictures of %d are left", speed, keyed, ops, len(after), len(before))
						}
						for at, value := range after {
							if want, ok := before[at]; !ok || math.Abs(value-want) > 2e-6 {
								t.Fatalf("%s %s: %s:%s %q: the picture at %d has %g, and had %g", speed, kind.Name, s.Name, keyed, ops, at, value, want)
							}
						}
					}
				}
			}
		}
	}
}

func TestASplitContinuesWhatChangesOverTime(t *testing.T) {
	doc := pdktest.New(t, Domain(), `"T" fps:25 size:640x360`, world())
	doc.Do("add clip ./vid1.mp4 dur:10s id:a", "add effect zoom on:a factor:1@0s,2@10s x:30", "fade a in:1s out:2s")
	if got, want := doc.Do("split a at:5s"), "+ a 0s-5s (5s), and a_2 5s-10s (5s)"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	for clip, want := range map[string][2]string{"a": {"zoom factor:1@0s,2@10s x:30", "fade-in:1s"}, "a_2": {"zoom factor:1.5@0s,2@5s x:30", "fade-out:2s"}} {
		for _, w := range want {
			if got := doc.Query("describe " + clip); !strings.Contains(got, w) {
				t.Errorf("%s lacks %q:\n%s", clip, w, got)
			}
		}
	}
	doc.Laws("trim a_2 start:7s", "split a_2 at:8s")
	doc.Undo(1)
	if got := doc.Query("describe a_2"); !strings.Contains(got, "zoom factor:1.7@0s,2@3s x:30") {
		t.Error(got)
	}
	doc.Do("trim a_2 start:6s")
	if got := doc.Query("describe a_2"); !strings.Contains(got, "zoom factor:1.7@1s,2@4s x:30") {
		t.Error(got)
	}
}

// What a split cuts off a fade is part of the file until the fade is set anew.
func TestFadesGoOnAcrossASplit(t *testing.T) {
	doc := pdktest.New(t, Domain(), `"T" fps:25 size:640x360`, world())
	doc.Do("add clip ./vid1.mp4 dur:10s id:a", "fade a in:4s out:4s", "overlay text Hello from:0s to:4s id:t", "overlay text Plain from:4s to:8s style:caption id:p")
	for _, op := range []string{"split a at:2s", "split a_2 at:9s", "split a_2 at:5s", "split t at:2s", "split p at:6s"} {
		if got := doc.Do(op); strings.Contains(got, "\n") {
			t.Errorf("%s says %q", op, got)
		}
	}
	for id, want := range map[string]string{
		"a": "fade-in:4s fade-out:4s ends 8s after a cut", "a_2": "fade-in:4s begun 2s before a cut", "a_3": "fade-out:4s begun 9s before a cut", "a_4": "fade-out:4s ends 1s after a cut",
		"t": "ends 2s after a cut", "t_2": "begun 2s before a cut", "p": `caption "Plain"`, "p_2": `caption "Plain"`,
	} {
		if got, _, _ := strings.Cut(doc.Query("describe "+id), "\n"); !strings.HasSuffix(got, want) {
			t.Errorf("%s is %q, not %q", id, got, want)
		}
	}
	doc.Laws("fade a_2 in:1s", "fade t_2 in:1s", "modify t fade:0.2s", "project fps:50", "trim a_3 dur:0.2s")
	for _, op := range []string{"fade @all in:0.1s out:0.1s", "modify @type:text fade:0.2s"} {
		doc.Do(op)
	}
	if got := doc.Query("map"); strings.Contains(got, "a cut") {
		t.Error(got)
	}
}

// A transition to a gap, which other programs make, stays at the outer end.
func TestASplitKeepsTransitionsAtTheOuterEnds(t *testing.T) {
	text := strings.Replace(brokenTimeline("", ""), `"children":[{"OTIO_SCHEMA":"Clip.2"`, `"children":[{"OTIO_SCHEMA":"Gap.1","source_range":{"OTIO_SCHEMA":"TimeRange.1","start_time":{"OTIO_SCHEMA":"RationalTime.1","rate":25.0,"value":0.0},"duration":{"OTIO_SCHEMA":"RationalTime.1","rate":25.0,"value":20.0}}},`+fadeItem("in")+`,{"OTIO_SCHEMA":"Clip.2"`, 1)
	end := strings.LastIndex(text, "]}]}}")
	text = text[:end] + "," + fadeItem("out") + text[end:]
	doc := pdktest.Open(t, Domain(), "x.otio", []byte(text), world())
	doc.Laws("split c at:1.6s")
	got := string(doc.Save())
	for _, name := range []string{"in", "out"} {
		if !strings.Contains(got, fadeItem(name)) {
			t.Errorf("the transition %q is gone:\n%s", name, got)
		}
	}
	if strings.Index(got, fadeItem("out")) < strings.Index(got, `"name":"c_2"`) {
		t.Errorf("the transition \"out\" is in the middle:\n%s", got)
	}
	if got := doc.Do("remove c_2"); !strings.Contains(got, `? gone with it: transition out of c_2`) {
		t.Errorf("it says %q", got)
	}
}

func fadeItem(name string) string {
	return fmt.Sprintf(`{"OTIO_SCHEMA":"Transition.1","name":%q,"transition_type":"SMPTE_Dissolve","in_offset":{"OTIO_SCHEMA":"RationalTime.1","rate":25.0,"value":0.0},"out_offset":{"OTIO_SCHEMA":"RationalTime.1","rate":25.0,"value":5.0}}`, name)
}

// At another speed, too, every picture has the value of each setting that it had before, up to the length of a frame.
func TestASpeedKeepsTheValueOfEveryPicture(t *testing.T) {
	for _, speed := range []string{"2x", "0.5x", "3.3x"} {
		doc := pdktest.New(t, Domain(), `"T" fps:25 size:640x360`, world())
		doc.Do("add clip ./vid1.mp4 dur:10s id:cat", "add effect zoom on:cat factor:1@0s,3@4s,2@10s")
		before := pictureValues(t, doc, "zoom", "factor")
		doc.Do("speed cat " + speed)
		shared := 0
		for at, value := range pictureValues(t, doc, "zoom", "factor") {
			if want, ok := before[at]; ok {
				shared++
				if math.Abs(value-want) > 0.5*4/25 {
					t.Errorf("%s: the picture at %d has %g, and had %g", speed, at, value, want)
				}
			}
		}
		if shared < 5 {
			t.Errorf("%s: only %d pictures were compared", speed, shared)
		}
		if doc.Do("speed cat 1x"); speed != "3.3x" && !strings.Contains(doc.Query("describe cat"), "zoom factor:1@0s,3@4s,2@10s") {
			t.Error(doc.Query("describe cat"))
		}
	}
}

// A text has one length for both of its fades, which a reply says where the op asks for something else.
func TestATextThatFadesOtherwiseThanToldSaysSo(t *testing.T) {
	doc := pdktest.New(t, Domain(), `"T" fps:25 size:640x360`, world())
	doc.Do("overlay text Hello from:0s to:4s id:t", "overlay text Ho from:0s to:4s id:u")
	for op, want := range map[string]string{
		"fade t in:1s":                 "? texts fade in and out alike, here for 1s: t",
		"fade t out:0.4s":              "? texts fade in and out alike, here for 0.4s: t",
		"fade @type:text in:1s out:2s": "? texts fade in and out alike, here for 2s: t, u",
		"fade @type:text in:3s out:3s": "* t, u fade in 3s out 3s",
	} {
		if got := doc.Do(op); !strings.Contains(got, want) || strings.Contains(got, "alike") != strings.Contains(want, "alike") {
			t.Errorf("%s: %s\nand not %s", op, got, want)
		}
	}
}
