package judge

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"gitlab.com/gomidi/midi/v2"
	"gitlab.com/gomidi/midi/v2/smf"
	"pgregory.net/rapid"
)

// song is a file with two notes, whose second one has this pitch, and a controller with this value.
func song(t *testing.T, pitch, value uint8) string {
	t.Helper()
	file := smf.New()
	file.TimeFormat = smf.MetricTicks(480)
	var track smf.Track
	track.Add(0, smf.MetaMeter(3, 4))
	track.Add(0, midi.ControlChange(0, 7, value))
	track.Add(0, midi.NoteOn(0, 60, 80))
	track.Add(480, midi.NoteOff(0, 60))
	track.Add(960, midi.NoteOn(0, pitch, 80))
	track.Add(480, midi.NoteOff(0, pitch))
	track.Close(0)
	if err := file.Add(track); err != nil {
		t.Fatal(err)
	}
	data, err := file.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// page is a draw.io file with these cells.
func page(cells string) string {
	return `<mxfile><diagram name="Page 1"><mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>` + cells + `</root></mxGraphModel></diagram></mxfile>`
}

func box(id, label, style string) string {
	return fmt.Sprintf(`<mxCell id="%s" value="%s" style="%s" vertex="1" parent="1"><mxGeometry x="1" width="9" as="geometry"/></mxCell>`, id, label, style)
}

func line(id, from, to string) string {
	return fmt.Sprintf(`<mxCell id="%s" edge="1" source="%s" target="%s" parent="1"/>`, id, from, to)
}

// class is a class of this height with rows at these places.
func class(height int, rows ...int) string {
	cells := fmt.Sprintf(`<mxCell id="k" value="Class" style="swimlane;childLayout=stackLayout" vertex="1" parent="1"><mxGeometry width="50" height="%d"/></mxCell>`, height)
	for i, y := range rows {
		cells += fmt.Sprintf(`<mxCell id="k%d" value="row %d" vertex="1" parent="k"><mxGeometry y="%d" width="50" height="20"/></mxCell>`, i, i, y)
	}
	return cells
}

// slow is a song of two quarters, each with its tempo.
func slow(t *testing.T, first, second float64) string {
	t.Helper()
	file := smf.New()
	file.TimeFormat = smf.MetricTicks(480)
	var track smf.Track
	track.Add(0, smf.MetaTempo(first))
	track.Add(480, smf.MetaTempo(second))
	track.Close(480)
	if err := file.Add(track); err != nil {
		t.Fatal(err)
	}
	data, err := file.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// film is a timeline with a track of clips: names, each with its length in seconds.
func film(clips ...any) string {
	var list []string
	for i := 0; i < len(clips); i += 2 {
		list = append(list, fmt.Sprintf(`{"OTIO_SCHEMA":"Clip.1","name":"%v","source_range":{"start_time":{"rate":24,"value":0},"duration":{"rate":24,"value":%d}}}`, clips[i], 24*clips[i+1].(int)))
	}
	return `{"OTIO_SCHEMA":"Timeline.1","tracks":{"children":[{"OTIO_SCHEMA":"Track.1","kind":"Video","children":[` + strings.Join(list, ",") + `]}]}}`
}

// Each kind judges a good answer, one that is not done, and one that changes something else.
func TestEachKindTellsGoodAnswersFromBadOnes(t *testing.T) {
	a, b := box("a", "Shop", "rounded=1"), box("b", "Bank", "rounded=1")
	for _, c := range []struct {
		kind, was, good, undone, unfaithful string
		done                                Done
		same                                Same
	}{
		{"text", "a\nb\nc\n", "a\nB\nc", "a\nb\nc\n", "c\nB\na\n", Done{Was: "^b$", Becomes: "B"}, Same{}},
		{"xml", `<svg><g id="x"><a/></g><path fill="red" style="stroke: red; opacity:1"/></svg>`, `<svg><g id="x"><a></a></g> <path style="opacity:1;stroke:red" fill="blue"/></svg>`,
			`<svg><g id="x"><a/></g><path fill="green" style="stroke:red;opacity:1"/></svg>`, `<svg><g id="x"/><a/><path fill="blue" style="stroke:red;opacity:1"/></svg>`,
			Done{Was: "path fill=red", Becomes: "path fill=blue"}, Same{}},
		{"json", `{"nodes":[{"id":"a","x":1},{"id":"b","x":1}]}`, `{"nodes":[{"x":2.0,"id":"a"},{"id":"b","x":1}]}`, `{"nodes":[{"id":"a","x":3},{"id":"b","x":1}]}`, `{"nodes":[{"id":"a","x":2},{"id":"b","x":2}]}`,
			Done{Was: `nodes\[a\]\.x=(\d+)`, Plus: 1}, Same{}},
		{"yaml", "a: 1\nb: [x, y]\n", "b:\n- x\n- y\n- z\na: 1\n", "b: [x]\n", "b: [y, x, z]\na: 1\n", Done{Has: []string{`b\[\]=z`}}, Same{Adds: []string{`b\[\]=z`}}},
		{"markdown", "---\nstatus: todo\ndate: 1\n---\n# A\n", "---\ndate: 2\nstatus: done\n---\n# A\n", "---\nstatus: todo\ndate: 2\n---\n# A\n", "---\nstatus: done\ndate: 2\n---\n# B\n",
			Done{Was: "status=todo", Becomes: "status=done"}, Same{Except: []string{"^.date="}}},
		{"notes", song(t, 62, 100), song(t, 50, 100), song(t, 62, 99), song(t, 50, 99), Done{Was: `bar 2 beat 1 .* note (\d+)`, Plus: -12}, Same{}},
		{"diagram", page(a + b), page(a + b + line("c", "a", "b")), page(a + b + line("c", "b", "a")), page(a + box("b", "Bank", "rounded=0") + line("c", "a", "b")),
			Done{Has: []string{`line "Shop" -> "Bank" ""`}, Count: map[string]int{" line ": 1}}, Same{New: `^\S+ `}},
		{"timeline", film("a", 2, "b", 3, "c", 1), film("a", 2, "c", 1), film("a", 2, "b", 3), film("a", 2, "c", 1, "d", 1),
			Done{Lacks: []string{`Clip "b"`}, Has: []string{`Clip "c" at 2.000`}}, Same{Except: []string{`Clip "[bc]"`}}},
		{"layout", page(class(60, 0, 20)), page(class(80, 0, 40, 20)), page(class(80, 0, 20, 40)), page(class(80, 0, 40, 20) + box("o", "Over", "")),
			Done{Has: []string{`rows of "Class": "row 0" "row 2" "row 1"$`}}, Same{Except: []string{" rows "}}},
		{"shapes", `<svg width="10" height="10"><rect id="a" width="10" height="10"/><path id="b" d="M5 5V0"/></svg>`,
			`<svg width="10" height="10"><rect id="a" width="10" height="10"/><g transform="translate(5,5) rotate(90)"><path id="b" d="M0 0v-5"/></g></svg>`,
			`<svg width="10" height="10"><rect id="a" width="10" height="10"/><path id="b" transform="rotate(180,5,5)" d="M5 5V0"/></svg>`,
			`<svg width="10" height="10"><rect id="a" width="10" height="10" fill="red"/><path id="b" d="M5 5h5"/></svg>`,
			Done{Has: []string{`^path#b tip 90 50\.0$`}}, Same{Except: []string{"^path#b "}}},
		{"tempo", slow(t, 60, 60), slow(t, 60, 30), slow(t, 60, 90), slow(t, 90, 30), Done{Has: []string{`^bar 1 beat 2 bpm 30\.0$`}}, Same{Except: []string{"beat 2"}}},
	} {
		t.Run(c.kind, func(t *testing.T) {
			c.done.File, c.done.Kind, c.same.File, c.same.Kind = "f", c.kind, "*", c.kind
			j := Judge{[]Done{c.done}, []Same{c.same}}
			before := map[string][]byte{"f": []byte(c.was)}
			if err := j.Check(before); err != nil {
				t.Fatal(err)
			}
			for name, answer := range map[string]string{"good": c.good, "as it was": c.was, "not done": c.undone, "not faithful": c.unfaithful} {
				v := j.Verdict(before, map[string][]byte{"f": []byte(answer)})
				if v.Done != (name == "good" || name == "not faithful") {
					t.Errorf("%s: %+v", name, v)
				}
				if name != "not done" && v.Faithful != (name != "not faithful") {
					t.Errorf("%s: %+v", name, v)
				}
				if (len(v.Why) == 0) != (v.Done && v.Faithful) {
					t.Errorf("%s: %+v", name, v)
				}
			}
			v := j.Verdict(before, map[string][]byte{"f": []byte("\x00<")})
			if v.Done || v.Faithful {
				t.Errorf("a broken file: %+v", v)
			}
		})
	}
	if len(readers()) != 11 {
		t.Errorf("there are %d kinds", len(readers()))
	}
}

// All chords of a transposed part are told from those that are not, whatever the order of their notes.
func TestRewrittenFactsMayLookLikeOthers(t *testing.T) {
	j := Judge{[]Done{{File: "f", Kind: "text", Was: `^n (\d+)`, Plus: 12}}, []Same{{File: "f", Kind: "notes"}}}
	original := []fact{j.fact("f", Same{Kind: "text"}, "n 72", true), j.fact("f", Same{Kind: "text"}, "n 60", true)}
	if lost, added := (Same{Kind: "notes"}).compare(original, []string{"n 72", "n 84"}); len(lost)+len(added) > 0 {
		t.Errorf("lost %q, got %q", lost, added)
	}
}

func TestOtherFilesKeepTheirBytes(t *testing.T) {
	j := Judge{Done: []Done{{File: "*.txt", Kind: "text", Has: []string{"^new$"}}}, Same: []Same{{File: "a.txt", Kind: "text", Adds: []string{"new"}}}}
	before := map[string][]byte{"a.txt": []byte("a"), "b.txt": []byte("b")}
	for _, c := range []struct {
		after          map[string]string
		done, faithful bool
	}{
		{map[string]string{"a.txt": "a\nnew", "b.txt": "b"}, true, true},
		{map[string]string{"a.txt": "a", "b.txt": "b", "c.txt": "new"}, true, true},
		{map[string]string{"a.txt": "a", "b.txt": "b\nnew"}, true, false},
		{map[string]string{"a.txt": "a\nnew"}, true, false},
		{map[string]string{"b.txt": "b"}, false, false},
		{map[string]string{"a.txt": "a\nold", "b.txt": "b", "new": "new"}, false, false},
	} {
		after := map[string][]byte{}
		for name, text := range c.after {
			after[name] = []byte(text)
		}
		if v := j.Verdict(before, after); v.Done != c.done || v.Faithful != c.faithful {
			t.Errorf("%v: %+v", c.after, v)
		}
	}
}

// Whatever the facts, equal lists are equal, and a list that lacks one, has one more or another one is not.
func TestEveryChangeOfFactsIsNoticed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := rapid.SliceOfN(rapid.StringMatching(`[a-c]{1,2}`), 1, 20).Draw(t, "facts")
		s := Same{Kind: rapid.SampledFrom([]string{"text", "notes"}).Draw(t, "kind")}
		var original []fact
		for _, f := range facts {
			original = append(original, fact{f, []string{f}})
		}
		at := rapid.IntRange(0, len(facts)-1).Draw(t, "at")
		compare := func(result []string) int {
			lost, added := s.compare(slices.Clone(original), slices.Clone(result))
			return len(lost) + len(added)
		}
		if compare(facts) != 0 {
			t.Error("it differs from itself")
		}
		for _, changed := range [][]string{slices.Delete(slices.Clone(facts), at, at+1), slices.Insert(slices.Clone(facts), at, "d"), slices.Replace(slices.Clone(facts), at, at+1, "d")} {
			if compare(changed) == 0 {
				t.Errorf("%q is as %q", changed, facts)
			}
		}
	})
}

func TestMistakesInCardsAreNamed(t *testing.T) {
	files := map[string][]byte{"f": []byte("a"), "g": []byte("<")}
	text := func(d Done) []Done { d.File, d.Kind = "f", "text"; return []Done{d} }
	for want, j := range map[string]Judge{
		"it has no [[done]]":                     {},
		`unknown kind "toml"; there are diagram`: {Done: []Done{{File: "f", Kind: "toml", Has: []string{"a"}}}},
		"the [[done]] of f asks for nothing":     {Done: text(Done{})},
		`no fact of f matches was = "x"`:         {Done: text(Done{Was: "x"})},
		"error parsing regexp":                   {Done: text(Done{Has: []string{"("}})},
		`file = "[" is no pattern`:               {Done: text(Done{Has: []string{"a"}}), Same: []Same{{File: "[", Kind: "text"}}},
		"g: XML syntax error":                    {Done: text(Done{Has: []string{"a"}}), Same: []Same{{File: "g", Kind: "xml"}}},
	} {
		if err := j.Check(files); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A compressed page has the facts of the same page in plain form.
func TestCompressedPagesAreRead(t *testing.T) {
	plain := page(box("a", "&lt;b&gt;Shop&lt;/b&gt;&amp;nbsp;1", "rounded=1;text"))
	_, rest, _ := strings.Cut(plain, `<diagram name="Page 1">`)
	model, end, _ := strings.Cut(rest, "</diagram>")
	var packed bytes.Buffer
	w, _ := flate.NewWriter(&packed, 9)
	fmt.Fprint(w, url.PathEscape(model))
	w.Close()
	compressed := `<mxfile><diagram name="Page 1">` + base64.StdEncoding.EncodeToString(packed.Bytes()) + "</diagram>" + end
	got, err := Facts("diagram", []byte(compressed))
	want, err2 := Facts("diagram", []byte(plain))
	if err != nil || err2 != nil || !slices.Equal(got, want) {
		t.Errorf("%v %v\n%q\n%q", err, err2, got, want)
	}
	if !slices.Contains(got, `Page_1/a box "Shop 1" in ""`) || !slices.Contains(got, "Page_1/a style text=") {
		t.Errorf("%q", got)
	}
}

// Programs differ in how they write the same colour, and put a label on a line.
func TestEquivalentFormsHaveEqualFacts(t *testing.T) {
	for _, c := range []struct{ kind, a, b, fact string }{
		{"xml", `<a fill="#FFAA00" style="stroke:#ABC" id="FF"/>`, `<a id="FF" fill="#ffaa00" style="stroke: #abc;"/>`, "/a#FF id=FF"},
		{"diagram", page(box("a", "A", "fillColor=#FFF2CC")), page(box("a", "A", "fillColor=#fff2cc;")), "Page_1/a style fillColor=#fff2cc"},
	} {
		a, err := Facts(c.kind, []byte(c.a))
		b, err2 := Facts(c.kind, []byte(c.b))
		if err != nil || err2 != nil || !slices.Equal(a, b) || !slices.Contains(a, c.fact) {
			t.Errorf("%v %v\n%q\n%q", err, err2, a, b)
		}
	}
	labelled := page(box("a", "A", "") + box("b", "B", "") + line("c", "a", "b") + strings.Replace(box("l", "yes", "edgeLabel"), `parent="1"`, `parent="c"`, 1))
	if facts, err := Facts("diagram", []byte(labelled)); err != nil || !slices.Contains(facts, `Page_1/c line "A" -> "B" "yes"`) {
		t.Errorf("%v\n%q", err, facts)
	}
}

func TestBarsFollowTheMeter(t *testing.T) {
	b := bars{{0, 480, 4, 1}, {1920, 240, 6, 2}}
	for tick, want := range map[int]string{0: "bar 1 beat 1", 720: "bar 1 beat 2.5", 1920: "bar 2 beat 1", 1920 + 240*7: "bar 3 beat 2"} {
		if got := b.at(tick); got != want {
			t.Errorf("tick %d is in %s, want %s", tick, got, want)
		}
	}
}

// What OpenTimelineIO says about clips beside their place is in the facts.
func TestTimelinesTellEffectsMarkersAndTransitions(t *testing.T) {
	facts, err := Facts("timeline", []byte(`{"tracks":{"children":[{"kind":"Audio","name":"Voice","children":[
		{"OTIO_SCHEMA":"Gap.1","source_range":{"start_time":{"rate":25,"value":0},"duration":{"rate":25,"value":50}}},
		{"OTIO_SCHEMA":"Clip.2","name":"a","enabled":false,"media_references":{"M":{"target_url":"a.wav","available_range":{"start_time":{"rate":25,"value":25},"duration":{"rate":25,"value":75}}}},"active_media_reference_key":"M",
			"effects":[{"OTIO_SCHEMA":"LinearTimeWarp.1","effect_name":"slow","time_scalar":0.5}],"markers":[{"name":"m","marked_range":{"start_time":{"rate":25,"value":50},"duration":{"rate":25,"value":0}}}]},
		{"OTIO_SCHEMA":"Transition.1","transition_type":"SMPTE_Dissolve","in_offset":{"rate":25,"value":5},"out_offset":{"rate":25,"value":10}}]}]}}`))
	want := []string{`Audio 1 track "Voice"`, `Audio 1 Clip "a" at 2.000 for 3.000 from 1.000 of "a.wav" disabled`, `Audio 1 Clip "a" LinearTimeWarp "slow" time_scalar=0.5`,
		`Audio 1 Clip "a" marker "m" at 2.000 for 0.000`, `Audio 1 Transition "SMPTE_Dissolve" at 5.000 before 0.200 after 0.400`}
	if err != nil || !slices.Equal(facts, want) {
		t.Errorf("%v\n%s", err, strings.Join(facts, "\n"))
	}
}
