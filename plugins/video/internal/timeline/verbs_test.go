package timeline

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func TestASessionFromClipsToRender(t *testing.T) {
	doc := pdktest.New(t, Domain(), `"Film" media:./vid1.mp4`, world())
	for _, c := range []struct{ op, want string }{
		{"media ./vid2.mp4", `+ media vid2 ./vid2.mp4: 43.5s, 1920x1080, 30 fps, sound 48000 Hz`},
		{"add clip vid1 at:0s", "+ vid1 on V1 0s-50s (50s)"},
		{"add clip vid2 at:end:vid1", "+ vid2 on V1 50s-1m33.5s (43.5s)"},
		{"add transition crossfade between:vid1,vid2 duration:1.5s", "+ crossfade vid1>vid2 48.5s-50s (1.5s); vid2 and what follows it on V1 start 1.5s earlier"},
	} {
		if got := doc.Do(c.op); got != c.want {
			t.Errorf("%s said %q, want %q", c.op, got, c.want)
		}
	}
	if got, want := doc.Query("duration"), "duration: 1m32s (2760 frames at 30 fps)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	doc.Do("add clip ./cat.mp4 to:V1 at:2m", `overlay text "Funny Animals" from:10s to:15s style:title-card`, "move cat at:end:vid2", "add transition wipe-left between:vid2.mp4,cat.mp4 duration:1s")
	if got, want := doc.Digest(), "1V 3clips 2tr 1txt 1m35s 1920x1080@30"; got != want {
		t.Errorf("the digest is %q, want %q", got, want)
	}
	doc.Export("h264_1080p")
	run := doc.Runs[0]
	if run.Program != "ffmpeg" || strings.Join(run.Inputs, " ") != "./vid1.mp4 ./vid2.mp4 ./cat.mp4" || run.Duration != 95_000 || strings.Join(run.Outputs, " ") != ".mp4" {
		t.Errorf("it is rendered by %+v", run)
	}
}

// Checks what each op replies, and a line of the map after it.
func TestEachVerbChangesWhatItNamesAndIsUndone(t *testing.T) {
	for _, c := range []struct{ op, reply, has string }{
		{"add clip vid1 in:10s out:12s", "+ vid1_2 on V1 1m32s-1m34s (2s)", "vid1_2 1m32s-1m34s (2s) of vid1 10s-12s"},
		{"add clip ./cat.mp4 after:vid2", "+ cat on V1 1m32s-1m36s (4s)", "cat 1m32s-1m36s (4s)"},
		{"add clip ./logo.png at:2m dur:3s", "+ logo on V1 2m-2m3s (3s)", "gap 1m32s-2m"},
		{"add clip vid1 to:V2 at:5s dur:2s volume:-3dB fit:cover id:b", "+ b on V2 5s-7s (2s)", "b 5s-7s (2s) of vid1 0s-2s volume:-3dB fit:cover"},
		{"add audio ./music.mp3 volume:-12dB until:end", "+ music on A1 0s-1m32s (1m32s)", "A1: 1 clip, ends at 1m32s"},
		{"add audio ./voice.wav at:1.01s", "+ voice on A1 1s-13s (12s) (1.01s is rounded to 1s, frame 30)", "voice 1s-13s"},
		{"add effect blur on:vid1 radius:20", "+ blur radius:20 on vid1", "effects: blur radius:20"},
		{"add effect zoom @type:clip factor:1@0s,1.5@3s", "+ zoom factor:1@0s,1.5@3s on vid1, vid2", "zoom factor:1@0s,1.5@3s"},
		{`overlay text "A/B: 100%, 'ok'" dur:2s pos:bottom-right color:yellow size:40 fade:0s`, "+ text a_b_100_ok on T1 0s-2s (2s) bottom-right", `"A/B: 100%, 'ok'"`},
		{`overlay text Twice from:12s dur:2s style:note`, "+ text twice on T2 12s-14s (2s) note", "T2: 1 text"},
		{"overlay image ./logo.png from:1s to:end:vid1 pos:top-right size:12% opacity:80%", "+ overlay logo on V2 1s-50s (49s) top-right 230 wide 80%", "logo 1s-50s (49s) of logo over the picture: top-right 230 wide 80%"},
		{"overlay video ./cat.mp4 from:5s pos:100,50 size:480x270 fade:0.5s", "+ overlay cat on V2 5s-9s (4s) top-left shifted 46,-4 480x270, with its sound", "fade-in:0.5s fade-out:0.5s"},
		{`caption "Hello." from:1s to:2s`, "+ text caption on T1 1s-2s (1s) caption", `caption 1s-2s (1s) caption "Hello."`},
		{"captions ./talk.srt shift:+1s", "+ 2 captions 2s-5s (3s)\n? 1 subtitle of ./talk.srt could not be read, or are shown for no frame", `caption 2s-3.5s (1.5s) caption "Hello you"`},
		{"trim vid2 out:20s", "* vid2 48.5s-1m8.5s (20s), 0s-20s of vid2", "vid2 48.5s-1m8.5s (20s)"},
		{"trim vid1 in:10s ripple", "* vid1 0s-40s (40s), 10s-50s of vid1; vid2 and what follows it move by -10s", "vid2 38.5s-1m22s (43.5s)"},
		{"trim vid1 start:5s", "* vid1 5s-50s (45s), 5s-50s of vid1", "gap 0s-5s (5s)"},
		{"trim funny_animals dur:3s", "* funny_animals 10s-13s (3s)", "funny_animals 10s-13s"},
		{"split vid1 at:20s", "+ vid1 0s-20s (20s), and vid1_2 20s-50s (30s)", "crossfade vid1_2>vid2"},
		{"move funny_animals at:20s", "* funny_animals on T1 20s-25s (5s)", "funny_animals 20s-25s"},
		{"move vid2 after:vid1", "* vid2 on V1 50s-1m33.5s (43.5s)\n? gone with it: transition crossfade vid1>vid2", "vid2 50s-1m33.5s"},
		{"move vid1 at:end", "* vid1 on V1 1m32s-2m22s (50s)\n? gone with it: transition crossfade vid1>vid2", "gap 0s-48.5s"},
		{"move vid2 to:V2", "* vid2 on V2 48.5s-1m32s (43.5s)\n? gone with it: transition crossfade vid1>vid2", "V2: 1 clip"},
		{"move @type:text by:-1.5s", "* funny_animals -1.5s: funny_animals at 8.5s", "funny_animals 8.5s-13.5s"},
		{"move @track:V1 by:+2s", "* vid1, vid2 +2s: vid1 at 2s, vid2 at 50.5s", "gap 0s-2s"},
		{"ripple-delete vid1", "- vid1; what followed moved up, 48.5s in all; not moved along: funny_animals on T1 (ripple:all moves all tracks)\n? gone with it: transition crossfade vid1>vid2", "vid2 0s-43.5s"},
		{"remove vid1", "- vid1\n? gone with it: transition crossfade vid1>vid2", "gap 0s-48.5s"},
		{"remove crossfade", "- crossfade; what follows starts 1.5s later", "vid2 50s-1m33.5s"},
		{"remove @type:text", "- funny_animals", "T1: 0 texts"},
		{"copy funny_animals at:30s id:again", "+ again on T1 30s-35s (5s)", `again 30s-35s (5s) title-card "Funny Animals"`},
		{"copy vid2 after:vid2", "+ vid2_2 on V1 1m32s-2m15.5s (43.5s)", "vid2_2"},
		{"repeat funny_animals count:2", "+ funny_animals_2, funny_animals_3 15s-25s (10s) on T1", "funny_animals_3 20s-25s"},
		{"speed vid1 2x", "* vid1 2x 0s-25s (25s); what follows moved along", "speed:2x"},
		{"speed vid2 50%", "* vid2 0.5x 48.5s-2m15.5s (1m27s); what follows moved along", "speed:0.5x"},
		{"volume @type:clip -6dB", "* vid1, vid2 volume -6dB", "volume:-6dB"},
		{"volume V1 -3", "* V1 volume -3dB", "V1 volume:-3dB"},
		{"fade vid1 in:1s", "* vid1 fade in 1s", "fade-in:1s"},
		{"fade funny_animals in:1s out:1s", "* funny_animals fade in 1s out 1s", "funny_animals"},
		{"mute vid1", "* vid1 muted", "muted"},
		{"mute V1", "* V1 muted", "V1 muted"},
		{`modify funny_animals text:"The End" style:credits`, `* funny_animals text:"The End" style:credits`, `credits "The End"`},
		{"modify vid1 id:intro fit:cover", "* vid1 id:intro fit:cover", "intro 0s-50s (50s) of vid1 0s-50s fit:cover"},
		{"modify vid1 enabled:false", "* vid1 enabled:false", "(not enabled)"},
		{"modify crossfade kind:wipe-left duration:2s ripple", "* crossfade vid1>vid2 wipe-left 2s, 1s before the cut and 1s after it; vid2 and what follows it move by -0.5s", "crossfade vid1>vid2 48s-50s (2s) wipe-left"},
		{"media ./cat.mp4", "+ media cat ./cat.mp4: 4s, 1280x960, 25 fps, sound 48000 Hz", ""},
		{"marker chorus at:32s", "+ marker chorus at 32s", "marker chorus at 32s"},
		{"track add audio name:Music", `+ track A1 "Music"`, `A1 "Music": 0 clips`},
		{"track hide V1", "* track V1 is left out", "V1 (left out)"},
		{"track rename V1 Main", "* track V1 is called Main", `V1 "Main"`},
		{"track remove T1 force", "- track T1 with funny_animals", ""},
		{"project size:1280x720 background:white", "* project 1280x720@30, 48000 Hz, background #ffffff", "1280x720@30"},
		{"project fps:25 title:Best", "* project 1920x1080@25, 48000 Hz, background #000000, called Best\n? adapted to the frames of the new rate, by less than one: vid1, vid2, crossfade", "1920x1080@25"},
	} {
		doc := cut(t)
		before := string(doc.Save())
		if got := doc.Do(c.op); got != c.reply {
			t.Errorf("%s said\n%s\nwant\n%s", c.op, got, c.reply)
		}
		if got := doc.Query("map"); !strings.Contains(got, c.has) {
			t.Errorf("after %s the map lacks %q:\n%s", c.op, c.has, got)
		}
		after := string(doc.Save())
		doc.Undo(1)
		if string(doc.Save()) != before {
			t.Errorf("undo of %s does not lead back", c.op)
		}
		doc.Redo(1)
		if string(doc.Save()) != after {
			t.Errorf("redo of %s does not lead there again", c.op)
		}
	}
}

func TestDuckingOnAndOff(t *testing.T) {
	doc := cut(t)
	doc.Do("add audio ./music.mp3 until:end", "add audio ./voice.wav to:A2")
	if got, want := doc.Do("duck A1 under:A2 by:-18dB"), "* A1 goes down by 18dB while A2 is heard"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	doc.Do("duck A1 under:V1")
	if got := doc.Query("tracks"); !strings.Contains(got, "A1 ducked under A2 by -18dB ducked under V1 by -12dB: sound") {
		t.Errorf("the tracks are\n%s", got)
	}
	if got := doc.Query("warnings"); strings.Contains(got, "ducked") {
		t.Errorf("it warns\n%s", got)
	}
	doc.Do("mute A2")
	if got := doc.Query("warnings"); !strings.Contains(got, "ducked under a track that is not heard: A1 under A2") {
		t.Errorf("it warns\n%s", got)
	}
	doc.Do("duck A1 off", "mute A1", "mute A1 off", "mute @type:audio", "mute @type:audio off")
}

func TestATextThatEndsAtATimeMeetsTheNext(t *testing.T) {
	doc := pdktest.New(t, Domain(), `"Demo" fps:25`, world())
	one := doc.Do(`overlay text "one" from:0.5s dur:0.5s`)
	two := doc.Do(`overlay text "two" from:1s dur:0.5s`)
	if !strings.Contains(one, "0.52s-1s") || strings.Contains(one, "0.5s+") || !strings.Contains(two, "on T1 1s-1.52s") {
		t.Errorf("the texts are\n%s\n%s", one, two)
	}
	three := doc.Do(`overlay text "three" from:1.7s dur:0.61s`)
	if !strings.Contains(three, "1.7s+0.61s is rounded to 2.32s") && !strings.Contains(three, "1.68s") {
		t.Errorf("the third is %s", three)
	}
}

func TestEffectsTakeSelectorsInOn(t *testing.T) {
	doc := cut(t)
	for _, c := range [][2]string{
		{"add effect blur on:@track:V1", "vid1, vid2"},
		{"remove effect blur on:@track:V1", "- blur of vid1, vid2"},
		{"add effect blur @track:V1,T1 @type:clip", "vid1, vid2"},
	} {
		if got := doc.Do(c[0]); !strings.Contains(got, c[1]) {
			t.Errorf("%s says %q", c[0], got)
		}
	}
}
