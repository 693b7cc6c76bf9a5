package timeline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
)

// simpleQuery returns a query without arguments.
func simpleQuery(name, summary string, run func(f *film.Film) string) film.Query {
	return pdk.NewQuery(name, summary, func(v *film.View, _ pdk.Args) (string, error) { return run(v.Model), nil })
}

func queries() []film.Query {
	at := pdk.NewQuery("at TIME", "what is seen and heard at a time, end:CLIP or marker:NAME", atQuery)
	at.Takes = &abi.Takes{Params: []abi.Param{{Key: "end", Value: "CLIP"}, {Key: "start", Value: "CLIP"}, {Key: "marker", Value: "NAME"}}, Max: 1} // the grammar reads at end:CLIP as a parameter
	list := pdk.DeclareQueries(
		film.Query{Query: abi.Query{Syntax: "map [TRACK]", Summary: "every track, clip, text, transition and marker, or those of one track"}, Run: mapQuery},
		simpleQuery("timeline", "the film drawn in characters", letterDrawing),
		previewQuery(),
		simpleQuery("duration", "how long the film is", durations),
		at,
		pdk.NewQuery("describe [CLIP|TRANSITION|TRACK|MEDIA]", "all about one element", describe),
		film.Query{Query: abi.Query{Syntax: "list @SEL", Summary: "what selectors match"}, Run: listQuery},
		pdk.NewQuery("find TEXT…", "clips, texts, media and markers that contain a text", findQuery),
		simpleQuery("tracks", "each track, what it holds and how loud it is", trackList),
		simpleQuery("gaps", "the gaps between clips", gapList),
		pdk.NewQuery("media", "known files, and what is in them", mediaQuery),
		pdk.NewQuery("warnings", "likely mistakes, and files that are missing or changed", warningsQuery),
		simpleQuery("stats", "counts and lengths", statistics),
		simpleQuery("styles", "styles of texts", func(*film.Film) string { return kindLines(vocabulary()[0]) }),
		simpleQuery("transitions", "kinds of transitions", func(*film.Film) string { return kindLines(vocabulary()[2]) }),
		simpleQuery("effects", "effects and their settings; * marks settings that can change over time, as in 1@0s,1.5@3s", func(*film.Film) string { return kindLines(vocabulary()[3]) }),
		pdk.NewQuery("command [FORMAT]", "the ffmpeg command that renders the film", func(v *film.View, a pdk.Args) (string, error) {
			p, cmd := pdk.Must2(buildCommand(v.Model, a))
			return "ffmpeg " + commandLine(p, cmd), nil
		}),
		pdk.NewQuery("graph [FORMAT]", "its filter graph", func(v *film.View, a pdk.Args) (string, error) {
			_, cmd := pdk.Must2(buildCommand(v.Model, a))
			return cmd.Graph(), nil
		}),
	)
	return pdk.Folding(list, []string{"timeline", "command", "graph"}, []string{"find"})
}

func orNone(list []string, none string) string {
	if len(list) == 0 {
		return none
	}
	return strings.Join(list, "\n")
}

func kindLines(s abi.Section) string { return strings.Join(s.Lines, "\n") }

// durations prints the length of the film, and of the tracks that are shorter.
func durations(f *film.Film) string {
	s := fmt.Sprintf("duration: %s (%d frames at %s fps)", f.TimeText(f.Frames()), f.Frames(), f.Rate())
	for _, t := range f.Parsed().Tracks {
		if t.End() != f.Frames() && len(t.Clips) > 0 {
			s += fmt.Sprintf("\n  %s ends at %s", t.ID, f.TimeText(t.End()))
		}
	}
	return s
}

func mapQuery(v *film.View, a pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	tracks, whole := f.Parsed().Tracks, true
	if name := a.Text(0); name != "" {
		t := pdk.Must(findByRef(f, name))
		tracks, whole = []*film.Track{t}, false
	}
	p := v.Page()
	put := func(s string) bool { return p.Line(func(b []byte) []byte { return append(b, s...) }) }
	put("map: " + digest(f))
	for _, t := range tracks {
		what := pdk.Count(len(t.Clips), "clip")
		if t.Kind == film.TextTrack {
			what = pdk.Count(len(t.Clips), "text")
		}
		put(trackLine(f, t) + ": " + what + ", ends at " + f.TimeText(t.End()))
		at := 0
		for _, c := range t.Clips {
			if c.Start > at && t.Kind == film.VideoTrack && c.Over == nil {
				put(fmt.Sprintf("  gap %s", spanText(f, at, c.Start)))
			}
			put("  " + clipLine(f, c))
			if c.Right != nil {
				put("  ~ " + joinLine(f, c.Right))
			}
			at = c.End
		}
	}
	if !whole {
		return p.Answer(0), nil
	}
	for _, m := range f.Markers() {
		put(fmt.Sprintf("marker %s at %s", pdk.Quote(m.Name), f.TimeText(m.At)))
	}
	if len(f.Clips()) == 0 {
		for _, m := range f.Media() {
			put("media " + m.String())
		}
	}
	return p.Answer(0), nil
}

func listQuery(v *film.View, a pdk.Args) (abi.QueryResponse, error) {
	if len(a.Selectors) == 0 {
		return abi.QueryResponse{}, pdk.Errorf("list needs a selector").TryQuery("list @all")
	}
	found := pdk.Must(selection.Select(v.Model, v.Recent, a.Selectors))
	p := v.Page()
	p.Line(func(b []byte) []byte { return append(b, pdk.Count(len(found), "thing")...) })
	for _, x := range found {
		p.Line(func(b []byte) []byte { return append(b, x.line(v.Model)...) })
	}
	return p.Answer(0), nil
}

func atQuery(v *film.View, a pdk.Args) (string, error) {
	f := v.Model
	text := a.Text(0)
	for _, p := range a.Params {
		text += p.Key + ":" + p.Value
	}
	if len(a.Positionals)+len(a.Params) != 1 {
		return "", pdk.Errorf("at needs one time").TryQuery("at 0s")
	}
	k := clock{f: f}
	at := pdk.Must(k.moment("at", text))
	lines := []string{fmt.Sprintf("at %s, frame %d of %d%s", f.TimeText(at), at, f.Frames(), k.noteText())}
	for _, t := range f.Parsed().Tracks {
		if t.Hidden {
			continue
		}
		for _, c := range t.Clips {
			if at < c.Start || at >= c.End {
				continue
			}
			s := t.ID + " " + clipLine(f, c)
			if m := f.MediumOf(c); m != nil && !m.Still {
				s += fmt.Sprintf(", now at %s of the media", f.TimeText(int(c.Source()+float64(at-c.Start)*c.Speed+0.5)))
			}
			lines = append(lines, s)
		}
		for _, j := range t.Joins {
			if at >= j.B.Start && at < j.A.End {
				lines = append(lines, t.ID+" ~ "+joinLine(f, j))
			}
		}
	}
	if len(lines) == 1 {
		lines = append(lines, "nothing is seen or heard")
	}
	return strings.Join(lines, "\n"), nil
}

func findQuery(v *film.View, a pdk.Args) (string, error) {
	f := v.Model
	text := strings.ToLower(strings.Join(a.Texts(0), " "))
	if text == "" {
		return "", pdk.Errorf("find needs a text")
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(w), text) })
	}
	var lines []string
	for _, c := range f.Clips() {
		words := []string{c.ID, c.Name, c.Url}
		if c.Caption != nil {
			words = append(words, c.Caption.Text)
		}
		if has(words...) {
			lines = append(lines, c.Track.ID+" "+clipLine(f, c))
		}
	}
	for _, m := range f.Media() {
		if has(m.ID, m.Path) {
			lines = append(lines, "media "+m.String())
		}
	}
	for _, m := range f.Markers() {
		if has(m.Name) {
			lines = append(lines, "marker "+pdk.Quote(m.Name)+" at "+f.TimeText(m.At))
		}
	}
	return orNone(lines, "nothing contains "+strconv.Quote(text)), nil
}

func trackList(f *film.Film) string {
	var lines []string
	for _, t := range f.Parsed().Tracks {
		what := "pictures"
		switch t.Kind {
		case film.AudioTrack:
			what = "sound"
		case film.TextTrack:
			what = "texts"
		}
		lines = append(lines, fmt.Sprintf("%s: %s, %d on it, ends at %s", trackLine(f, t), what, len(t.Clips), f.TimeText(t.End())))
	}
	return orNone(lines, "no tracks yet: add clip, add audio and overlay make them")
}

func gapList(f *film.Film) string {
	gaps := pdk.Filter(selectable(f), func(x selected) bool { return x.what() == "gap" })
	return orNone(pdk.Map(gaps, func(x selected) string { return x.line(f) }), "no gaps")
}

func mediaQuery(v *film.View, _ pdk.Args) (string, error) {
	f := v.Model
	var lines []string
	uses, news := map[string]int{}, map[string]string{}
	for _, c := range f.Clips() {
		if m := f.MediumOf(c); m != nil {
			uses[m.ID]++
		}
	}
	for _, m := range probeAll(v) {
		news[m.ID] = m.news()
	}
	for _, m := range f.Media() {
		lines = append(lines, fmt.Sprintf("%s; used %s", m, timesUsed(uses[m.ID])))
		if text := news[m.ID]; text != "" {
			lines = append(lines, "  ? "+text)
		}
	}
	return orNone(lines, "no media yet: open ./a.mp4, add clip ./a.mp4 or media ./a.mp4 add some"), nil
}

func warningsQuery(v *film.View, _ pdk.Args) (string, error) {
	list := warnings(v.Model)
	for _, t := range v.Model.Parsed().Tracks {
		for _, c := range t.Clips {
			text := c.Name
			if c.Caption != nil {
				text += " " + c.Caption.Text
			}
			if said := pdk.Hidden(text); said != "" {
				list = append(list, c.Ref()+" has "+said)
			}
		}
	}
	for _, m := range probeAll(v) {
		if text := m.news(); text != "" {
			list = append(list, fmt.Sprintf("media %s: %s", pdk.Quote(m.ID), text))
		}
	}
	return orNone(list, "no warnings"), nil
}

func timesUsed(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

func statistics(f *film.Film) string {
	s := f.Parsed().Settings
	var n tally
	lines := []string{digest(f)}
	for _, t := range f.Parsed().Tracks {
		n.add(t)
	}
	effects := 0
	for _, c := range f.Clips() {
		effects += len(c.Effects)
	}
	lines = append(lines,
		fmt.Sprintf("  %s, %s, %s, %s, %s, %s", pdk.Count(len(f.Parsed().Tracks), "track"), pdk.Count(n.clips, "clip"), pdk.Count(n.texts, "text"), pdk.Count(n.joins, "transition"), pdk.Count(effects, "effect"), pdk.Count(len(f.Markers()), "marker")),
		fmt.Sprintf("  %s of media, %s", pdk.Count(len(f.Media()), "file"), pdk.Count(len(warnings(f)), "warning")),
		fmt.Sprintf("  %d frames of %dx%d at %s fps, sound of %d Hz, background %s", f.Frames(), s.Width, s.Height, s.Rate, s.Sample, s.Background))
	return strings.Join(lines, "\n")
}
