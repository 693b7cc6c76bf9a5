package timeline

import (
	"runtime"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// brokenTimeline is a timeline of one clip, with one part of its text replaced.
func brokenTimeline(old, new string) string {
	clip := `{"OTIO_SCHEMA":"Clip.2","name":"c","metadata":{"fcp":{"media":"a","sound":true}},"enabled":true,"effects":[],"markers":[],"active_media_reference_key":"DEFAULT_MEDIA",` +
		`"media_references":{"DEFAULT_MEDIA":{"OTIO_SCHEMA":"ExternalReference.1","target_url":"./a.mp4"}},` +
		`"source_range":{"OTIO_SCHEMA":"TimeRange.1","start_time":{"OTIO_SCHEMA":"RationalTime.1","rate":25.0,"value":0.0},"duration":{"OTIO_SCHEMA":"RationalTime.1","rate":25.0,"value":50.0}}}`
	text := `{"OTIO_SCHEMA":"Timeline.1","name":"x","metadata":{"fcp":{"project":{"width":640,"height":360,"fps":"25/1","sample_rate":48000,"background":"#000000"},"media":[{"id":"a","path":"./a.mp4","duration":"10/1","video":true}]}},` +
		`"tracks":{"OTIO_SCHEMA":"Stack.1","children":[{"OTIO_SCHEMA":"Track.1","kind":"Video","name":"V1","children":[` + clip + `]}]}}`
	return strings.Replace(text, old, new, 1)
}

func TestInvalidValuesAreReportedAndKept(t *testing.T) {
	duration := `"duration":{"OTIO_SCHEMA":"RationalTime.1","rate":25.0,"value":50.0}`
	for _, c := range [][3]string{
		{`"value":50.0`, `"value":NaN`, "c on V1: its duration is NaN, read as 0"},
		{`"value":50.0`, `"value":Infinity`, "its duration is Infinity, read as 0"},
		{`"value":50.0`, `"value":-5`, "its duration is less than 0, -5, read as 0"},
		{`"value":50.0`, `"value":1e15`, "its duration is more than a hundred hours, 1e15 at 25.0 a second, read as 0"},
		{`"value":50.0`, `"value":"50"`, `its duration is "50", read as 0`},
		{duration, strings.Replace(duration, "25.0", "0", 1), "its duration has the rate 0, read as 0"},
		{duration, strings.Replace(duration, "25.0", "-Infinity", 1), "its duration has the rate -Infinity, read as 0"},
		{`"value":0.0`, `"value":NaN`, "its start is NaN, read as 0"},
		{`"sound":true`, `"fade_in":{"rate":25,"value":-3}`, "its fade_in is less than 0, -3, read as 0"},
		{`"sound":true`, `"over":{"width":999999}`, "its width is 999999, read as 0"},
		{`"width":640,"height":360`, `"width":-3,"height":1000000000`, "the project's size is -3x1000000000, read as 1920x1080"},
		{`"fps":"25/1"`, `"fps":"0/0"`, `the project's rate is "0/0", read as 30`},
		{`"background":"#000000"`, `"background":"puce"`, `the project's background is "puce", read as #000000`},
		{`"media":"a"`, `"media":"b"`, ""},
		{`"path":"./a.mp4"`, `"path":"/etc/passwd"`, "media a: passwd is not a media file by its ending, and cannot be rendered"},
		{`"path":"./a.mp4"`, `"path":"http://x.org/a.mp4"`, "is on http, and only files are rendered"},
		{`{"OTIO_SCHEMA":"ExternalReference.1","target_url":"./a.mp4"}`, `{"OTIO_SCHEMA":"MissingReference.1"}`, ""},
		{`"media":"a","sound":true`, `"sound":true`, ""},
	} {
		text := brokenTimeline(c[0], c[1])
		f, warnings, err := Domain().Open("x.otio", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", c[1], err)
			continue
		}
		if got := strings.Join(warnings, "\n"); c[2] == "" && got != "" || !strings.Contains(got, c[2]) {
			t.Errorf("%s warns %q, want %q", c[1], got, c[2])
		}
		if out, _ := Domain().Save(f); string(out) != text {
			t.Errorf("%s is not saved as it was", c[1])
		}
	}
	for _, c := range [][3]string{
		{`"media":"a","sound":true`, `"sound":true`, ""},
		{`"OTIO_SCHEMA":"ExternalReference.1","target_url":"./a.mp4"`, `"OTIO_SCHEMA":"MissingReference.1"`, ""},
	} {
		text := strings.Replace(brokenTimeline(c[0], c[1]), `"media":"a"`, `"media":"none"`, 1)
		text = strings.Replace(text, `"target_url":"./a.mp4"`, `"other":1`, 1)
		if _, warnings, _ := Domain().Open("x.otio", []byte(text)); !strings.Contains(strings.Join(warnings, "\n"), "without known media: c on V1") {
			t.Errorf("%s warns %q", c[1], warnings)
		}
	}
}

func TestClipsWithoutFramesAreNotRendered(t *testing.T) {
	text := brokenTimeline(`"value":50.0`, `"value":NaN`)
	i, j := strings.Index(text, `{"OTIO_SCHEMA":"Clip.2"`), strings.Index(text, `]}]}}`)
	text = text[:j] + "," + strings.Replace(text[i:j], "NaN", "50.0", 1) + text[j:]
	f, _, err := Domain().Open("x.otio", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := project(f); err != nil || p.Frames() != 50 || len(p.Video[0].Items) != 1 {
		t.Errorf("it is rendered as %+v, %v", p, err)
	}
}

func TestManyInvalidValuesAreCounted(t *testing.T) {
	text := brokenTimeline(`"value":50.0`, `"value":NaN`)
	i, j := strings.Index(text, `{"OTIO_SCHEMA":"Clip.2"`), strings.Index(text, `]}]}}`)
	text = text[:j] + strings.Repeat(","+text[i:j], 40) + text[j:]
	doc := pdktest.Open(t, Domain(), "x.otio", []byte(text), world())
	_, warnings, _ := Domain().Open("x.otio", doc.Save())
	if len(warnings) != 18 || !strings.HasSuffix(warnings[17], "and 24 more values that cannot be used; they stay in the file as they are") {
		t.Errorf("it warns %d times, at last of %s", len(warnings), pdk.Quote(warnings[len(warnings)-1]))
	}
	if got := doc.Query("map"); !strings.Contains(got, "41 clips, ends at 0s") {
		t.Errorf("the map is %s", got)
	}
}

func TestTooLongIDsOfAFileAreNotRecorded(t *testing.T) {
	name := strings.Repeat("c", 300)
	in := pdk.NewInstance(Domain())
	if _, err := in.Open(&abi.OpenRequest{Name: "x.otio", Data: []byte(brokenTimeline(`"name":"c"`, `"name":"`+name+`"`))}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"volume @all -6dB", "fade @all in:10f", "move @all by:1s", "copy " + name + " at:end", "add effect grayscale on:" + name, "split " + name + " at:2s", "overlay text Hi from:1s dur:1s"} {
		out, err := in.Apply(&abi.ApplyRequest{Ops: []abi.Op{opOf(t, text)}})
		if err != nil || out.Results[0].Error != nil {
			t.Fatal(text, err, out.Results[0].Error)
		}
		for _, id := range out.Results[0].Touched() {
			if len(id) > abi.MaxID {
				t.Errorf("%s touched an id of %d bytes", text, len(id))
			}
		}
	}
}

func TestOpsOnAllClipsCostLinearMemory(t *testing.T) {
	for _, op := range []string{"fade @all in:5f out:5f", "speed 2x @all", "ripple-delete @all", "move @all by:1s"} {
		each := func(n int) (bytes, sent float64) {
			in := pdk.NewInstance(Domain())
			addMany(t, in, n)
			request := &abi.ApplyRequest{Ops: []abi.Op{opOf(t, op)}}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			out, err := in.Apply(request)
			runtime.ReadMemStats(&after)
			if err != nil || out.Results[0].Error != nil {
				t.Fatal(op, err, out.Results[0].Error)
			}
			data, err := abi.Marshal(out)
			if err != nil {
				t.Fatal(err)
			}
			return float64(after.TotalAlloc-before.TotalAlloc) / float64(n), float64(len(data)) / float64(n)
		}
		few, sentFew := each(40)
		many, sentMany := each(200)
		if many > 2*few || sentMany > 1.5*sentFew {
			t.Errorf("%s takes %.0f bytes a clip among 40 and %.0f among 200, and sends %.0f and %.0f", op, few, many, sentFew, sentMany)
		}
	}
}

func opOf(t testing.TB, text string) abi.Op {
	t.Helper()
	p, err := grammar.Parse(text, grammar.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	op := abi.Op{Verb: p.Verb, Raw: text}
	for _, w := range p.Positionals {
		op.Positionals = append(op.Positionals, abi.Positional{Text: w.Text})
	}
	for _, w := range p.Params {
		op.Params = append(op.Params, abi.KeyValue{Key: w.Key, Value: w.Value})
	}
	for _, w := range p.Selectors {
		op.Selectors = append(op.Selectors, abi.Select{Raw: w.Raw, Type: w.Type, Value: w.Value})
	}
	return op
}
