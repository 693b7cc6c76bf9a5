package timeline

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func TestRefusalsSuggestWorkingOps(t *testing.T) {
	for op, wants := range map[string][]string{
		"add clip vid3":                                       {"no media vid3; nearest: vid1, vid2", "try: add clip vid1"},
		"add clip vid1 at:10s":                                {"V1 has vid1 from 0s to 50s", "try: add clip vid1 at:end", "try: add clip vid1 after:vid2"},
		"add clip vid1 to:V2 out:60s":                         {"vid1 is 50s long, and would be shown up to 1m", "try: add clip vid1 to:V2 out:50s"},
		"add clip vid1 to:V2 in:50s":                          {"at or after the end of vid1"},
		"add clip vid1 to:V5":                                 {"no track V5: there are V1, T1"},
		"add clip vid1 to:A1":                                 {"A1 holds sounds: give V1"},
		"add clip vid1 to:T1":                                 {"T1 holds texts"},
		"add clip vid1 at:soon":                               {"at:soon is not a time", "end:CLIP"},
		"add clip vid1 at:end:cat":                            {`clip "cat" not found`},
		"add clip vid1 in:2s out:5s dur:9s":                   {"do not agree", "try: add clip vid1 in:2s out:5s"},
		"add clip vid1 at:end after:vid2":                     {"give one of them", "try: add clip vid1 at:end"},
		"add clip vid1 id:vid2":                               {"is taken", "try: add clip vid1 id:vid2_2"},
		`add clip vid1 id:"a b"`:                              {"is not an id", "try: add clip vid1 id:a_b"},
		"add clip vid1 between:a,b":                           {"takes no between"},
		"add clip vid1 after:vid1":                            {"joined by crossfade", "try: add clip vid1 after:vid2"},
		"add clip vid1 fit:fill":                              {"not one of contain cover stretch", "try: add clip vid1 fit:cover"},
		"add clip ./music.mp3":                                {"music has no pictures", "try: add audio ./music.mp3"},
		"add clip ./notes.mp4":                                {"neither pictures nor sound"},
		"add audio ./mute.mp4":                                {"has no sound", "try: add clip ./mute.mp4"},
		"add clip ./none.mp4":                                 {"./none.mp4"},
		"add text Hello":                                      {"lies over the picture", "try: overlay text Hello"},
		"add video vid1 pos:top":                              {"try: overlay video vid1 pos:top"},
		"add picture vid1":                                    {"add makes a clip, audio, transition or effect", "try: add clip vid1"},
		"add transition fade between:vid1,vid2":               {"there is no transition fade", "try: add transition crossfade"},
		"add effect bw on:vid1":                               {"there is no effect bw", "try: add effect grayscale on:vid1"},
		"add transition swirl between:vid1,vid2":              {"there is no transition swirl", "try query: transitions"},
		"add transition crossfad between:vid2,vid1":           {"there is no transition crossfad", "try: add transition crossfade"},
		"add transition crossfade between:vid2,vid1":          {"vid1 comes before vid2", "try: add transition crossfade between:vid1,vid2"},
		"add transition crossfade between:vid1":               {"between:A,B"},
		"add transition crossfade":                            {"between which clips"},
		"add transition wipe-up between:vid1,vid2":            {"already joined by crossfade", "try: modify crossfade kind:wipe-up duration:1s"},
		"add transition crossfade between:vid1,funny_animals": {"on T1"},
		"add effect blurr on:vid1":                            {"there is no effect blurr", "try: add effect blur on:vid1"},
		"add effect blur on:vid1 raduis:3":                    {"blur has no raduis", "try: add effect blur on:vid1 radius:3"},
		"add effect blur on:vid1 radius:900":                  {"radius:900 is not a number from 0 to 200"},
		"add effect blur on:vid1 radius:1@0s":                 {"does not change over time"},
		"add effect zoom on:vid1 factor:2@3s,1@1s":            {"is not after the time before it"},
		"add effect blur":                                     {"on which clips"},
		"add effect blur on:@track:V7":                        {"no track V7"},
		"add effect blur on:@type:audio":                      {"no clip or text matches @type:audio"},
		"add effect blur on:@track:V1 @gap":                   {"say on which clips"},
		"add clip vid1 id:V1":                                 {"is the name of a place or a track", "try: add clip vid1 id:clip-V1"},
		"add clip vid1 id:a2":                                 {"is the name of a place or a track"},
		"copy vid1 at:end id:END":                             {"is the name of a place or a track", "try: copy vid1 at:end id:clip-END"},
		"modify vid1 id:start":                                {"is the name of a place or a track"},
		`modify funny_animals text:""`:                        {"text is empty"},
		"add effect blur on:funny_animals":                    {"takes no effects"},
		"overlay music vid1":                                  {"overlay puts text, an image or a video"},
		"overlay text Hi from:5s to:3s":                       {"it would end at 3s and begins at 5s"},
		"overlay text Hi from:5s to:8s dur:3s":                {"give one of them", "try: overlay text Hi from:5s to:8s"},
		"overlay text Hi style:titel":                         {"not one of title title-card", "try: overlay text Hi style:title"},
		"overlay text Hi pos:middel":                          {"is not a region: top-left"},
		"overlay text Hi color:nice":                          {"is not a colour"},
		`overlay text ""`:                                     {"text is empty"},
		"overlay video ./music.mp3":                           {"has no pictures", "try: add audio ./music.mp3"},
		"overlay video ./cat.mp4 from:1s to:9s":               {"cat is 4s long", "try: overlay video ./cat.mp4 from:1s dur:4s"},
		"overlay image ./logo.png size:big":                   {"size:big is not a size"},
		"overlay image ./logo.png opacity:0":                  {"1% to 100%"},
		"caption Hi from:1s":                                  {"the end is missing"},
		"captions ./empty.srt":                                {"holds no subtitles"},
		"captions vid1":                                       {"is not a file of subtitles"},
		"trim vid1":                                           {"something to change"},
		"trim vid1 end:60s":                                   {"vid1 would be seen up to 1m of its media, which is 50s long", "try: trim vid1 end:50s"},
		"trim vid1 end:40s":                                   {"would not meet", "try: trim vid1 end:40s ripple"},
		"trim vid1 in:1s start:3s":                            {"give one pair"},
		"trim vid1 dur:0s":                                    {"nothing of vid1 would be left"},
		"trim funny_animals in:1s":                            {"a text, which has no in:"},
		"trim vid1 in:1s riple":                               {"riple is unexpected"},
		"split vid1 at:60s":                                   {"1m is not within vid1, but within vid2", "try: split vid2 at:60s"},
		"split vid1 at:200s":                                  {"3m20s is not within vid1: it can be split between 0s and 48.5s", "try: split vid1 at:"},
		"split vid1":                                          {"needs at:TIME"},
		"move vid2 at:10s":                                    {"V1 has vid1 from 0s to 50s", "try: move vid2 after:vid1"},
		"move vid1":                                           {"needs a destination"},
		"move vid1 to:T1":                                     {"T1 is not the same kind"},
		"move @all at:3s":                                     {"by:TIME"},
		"move vid2 by:-3s":                                    {"joins vid1 and vid2: move both"},
		"move funny_animals by:-11s":                          {"before the film does"},
		"ripple-delete vid":                                   {"give the full name"},
		"remove vid":                                          {"give the full name"},
		"remove @gap @type:clip":                              {"nothing matches"},
		"remove T1":                                           {"T1 is a track", "try: track remove T1"},
		"remove effect blur on:vid1":                          {"vid1 has no blur"},
		"copy vid1":                                           {"needs a destination", "try: copy vid1 at:end"},
		"speed vid1 fast":                                     {"is not a speed"},
		"speed vid1":                                          {"is not a speed"},
		"speed funny_animals 2x":                              {"has no speed"},
		"volume vid1 loud":                                    {"is not a level"},
		"volume funny_animals -3dB":                           {"texts have no sound"},
		"fade vid1":                                           {"in:TIME or out:TIME"},
		"fade vid1 in:40s out:40s":                            {"fades of 1m20s do not fit into vid1"},
		"mute vid1 of":                                        {"of is unexpected"},
		"duck V1":                                             {"needs under:TRACK"},
		"add audio ./music.mp3 volume:30%":                    {"is not a level", "try: add audio ./music.mp3 volume:-10.5dB"},
		"add audio ./music.mp3 volume:0.3":                    {"as a part of the loudness it is -10.5dB", "volume:-10.5dB", "volume:0.3dB"},
		"add music ./music.mp3":                               {"not music", "try: add audio ./music.mp3"},
		"overlay lower-third Jane from:2s":                    {"not lower-third", "try: overlay text Jane from:2s style:lower-third"},
		"add transition wipe-up between:vid1,vid2 dur:1s":     {"takes no dur:", "try: add transition wipe-up between:vid1,vid2 duration:1s"},
		"move vid2 to:3s":                                     {"to: names a track, at: says when", "try: move vid2 at:3s"},
		"add clip vid1 to:200s":                               {"to: names a track", "try: add clip vid1 at:200s"},
		"overlay text Hi color:#ff000080":                     {"is transparent", "try: overlay text Hi color:#ff0000"},
		"fade V1 in:1s":                                       {"V1 is a track", "try: fade @track:V1 in:1s"},
		"move T1 by:+1s":                                      {"T1 is a track", "try: move @track:T1 by:+1s"},
		"mute T1":                                             {"which are not heard", "try: track hide T1"},
		"remove text funny_animals":                           {"only a name", "try: remove funny_animals"},
		"duck vid1 under:vid2":                                {"duck lowers tracks, and vid1 is on V1, vid2 on V1"},
		"duck vid1 under:T1":                                  {"vid1 is not a track, but on V1", "try: duck V1 under:T1"},
		"track hide vid2":                                     {"vid2 is not a track, but on V1", "try: track hide V1"},
		"duck V1 under:V1":                                    {"under itself"},
		"modify vid1 text:Hi":                                 {"is a clip, and has no text"},
		"modify funny_animals volume:3dB":                     {"is a text, and has no volume"},
		"modify crossfade text:x":                             {"kind: duration: in: out: id:"},
		"modify crossfade duration:60s ripple":                {"longer than the free part"},
		"modify crossfade duration:60s":                       {"longer than its clips can overlap, 0.767s before the cut and 0.733s after it"},
		"modify crossfade duration:2s":                        {"longer than its clips can overlap", "try: modify crossfade duration:2s ripple"},
		"modify crossfade in:0.5s out:1s":                     {"longer than its clips can overlap", "try: modify crossfade in:0.5s out:0.733s"},
		"modify crossfade duration:1s in:0.5s":                {"duration: is in: and out: together", "try: modify crossfade in:0.5s"},
		"modify crossfade in:-3s":                             {"-2.233s before the cut"},
		"modify vid1 duration:3s":                             {"trim changes its length"},
		"modify vid1 volume:3dB ripple":                       {"trim CLIP dur:TIME ripple"},
		"modify vid1":                                         {"something to change"},
		"media vid9":                                          {"no media vid9"},
		"media vid1 duration:1s size:huge":                    {"is not a size"},
		"marker A":                                            {"needs at:TIME"},
		"track add smell":                                     {"for video, audio or text"},
		"track remove V1":                                     {"V1 holds vid1, vid2", "try: track remove V1 force"},
		"project":                                             {"something to set"},
		"project size:1921x1080":                              {"both even"},
		"project fps:fast":                                    {"fps:fast", "try: project fps:25"},
		"marker chorus at:-7":                                 {"before the film starts", "try: marker chorus at:end-7"},
		"overlay zzqxv ./logo.png":                            {"not zzqxv", "try: overlay image ./logo.png"},
		"add zzqxv ./cat.mp4 until:end":                       {"not zzqxv", "try: add audio ./cat.mp4 until:end"},
		"project fps:1000":                                    {"from 1 to 240"},
		"project background:puce":                             {"is not a colour"},
	} {
		doc := cut(t)
		text := doc.Fail(op)
		for _, w := range wants {
			if !strings.Contains(text, w) {
				t.Errorf("%s lacks %q:\n%s", op, w, text)
			}
		}
	}
}

func TestOpsThatChangeNothingSucceed(t *testing.T) {
	doc := cut(t)
	doc.Do("marker A at:3s", "volume vid1 -3dB", "mute vid2", "add effect sepia on:vid1", "fade vid1 in:1s")
	for _, op := range []string{"marker A at:3s", "volume vid1 -3dB", "mute vid2", "add effect sepia on:vid1", "fade vid1 in:1s", "trim vid1 out:50s", "move vid1 at:0s", "speed vid1 1x", "modify vid1 fit:contain",
		"add transition crossfade between:vid1,vid2 duration:1.5s", "modify crossfade kind:crossfade", "track show V1", "track rename V1 V1", "project size:1920x1080", "duck V1 off", "media vid1", "media ./vid1.mp4"} {
		if got := doc.Do(op); !strings.HasPrefix(got, "?") {
			t.Errorf("%s says %q", op, got)
		}
	}
}

func TestWithoutFfmpegOnlyFramesAndRendersFail(t *testing.T) {
	doc := pdktest.New(t, Domain(), `"Blind" size:1280x720 fps:25`)
	doc.Fail("add clip ./a.mp4", "./a.mp4", "media ./a.mp4 duration:10s size:1920x1080 fps:30")
	doc.Fail("media ./a.mp4", "media ./a.mp4 duration:10s")
	doc.Do("media ./a.mp4 duration:10s size:1280x720 fps:25", "media ./b.mp4 duration:5s sound:no", "media ./c.mp3 duration:30s", "media ./d.png size:300x200")
	doc.Do("add clip a", "add clip b", "add transition crossfade between:a,b duration:1s", "add audio c until:end", "overlay image d", "overlay text Hi")
	if got, want := doc.Digest(), "2V 1A 4clips 1tr 1txt 14s 1280x720@25"; got != want {
		t.Errorf("the digest is %q, want %q", got, want)
	}
	if got := doc.Query("preview"); !strings.Contains(got, "--grant video=program:ffmpeg") {
		t.Errorf("preview says %q", got)
	}
	doc.QueryFails("preview drawn format:gif", "format:png and format:svg", "preview drawn format:png")
	if n := len(doc.QueryContent("preview")); n != 1 {
		t.Errorf("preview has %d pictures", n)
	}
	for _, q := range []string{"map", "timeline", "command", "graph", "command draft", "stats", "describe a", "describe crossfade", "describe c", "at 9.5s", "gaps", "warnings", "media", "tracks", "list @type:overlay", "find a", "styles", "transitions", "effects"} {
		if doc.Query(q) == "" {
			t.Errorf("%s says nothing", q)
		}
	}
	if text := doc.Export("mlt"); !strings.Contains(string(text), "<mlt") {
		t.Errorf("the export is %q", text)
	}
}

func TestAStillHasNoSpeed(t *testing.T) {
	doc := cut(t)
	doc.Do("add clip ./logo.png dur:5s")
	doc.Fail("speed logo 2x", "logo is a still", "try: trim logo dur:2.5s ripple")
	doc.Do("trim logo dur:2.5s ripple", "speed logo 1x")
	if got, want := doc.Do("speed @all 2x"), "* vid1 2x 0s-25s (25s), vid2 2x"; !strings.HasPrefix(got, want) || strings.Contains(got, "logo 2x") {
		t.Errorf("it says %s", got)
	}
}
