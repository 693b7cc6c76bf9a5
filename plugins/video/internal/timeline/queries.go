package timeline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// simpleQuery returns a query without arguments.
func simpleQuery(name, summary string, run func(f *Film) string) query {
	return pdk.NewQuery(name, summary, func(v *view, _ pdk.Args) (string, error) { return run(v.Model), nil })
}

func queries() []query {
	at := pdk.NewQuery("at TIME", "what is seen and heard at a time, end:CLIP or marker:NAME", atQuery)
	at.Takes = &abi.Takes{Params: []abi.Param{{Key: "end", Value: "CLIP"}, {Key: "start", Value: "CLIP"}, {Key: "marker", Value: "NAME"}}, Max: 1} // the grammar reads at end:CLIP as a parameter
	list := pdk.DeclareQueries(
		query{Query: abi.Query{Syntax: "map [TRACK]", Summary: "every track, clip, text, transition and marker, or those of one track"}, Run: mapQuery},
		simpleQuery("timeline", "the film drawn in characters", (*Film).letterDrawing),
		previewQuery(),
		simpleQuery("duration", "how long the film is", (*Film).durations),
		at,
		pdk.NewQuery("describe [CLIP|TRANSITION|TRACK|MEDIA]", "all about one element", describe),
		query{Query: abi.Query{Syntax: "list @SEL", Summary: "what selectors match"}, Run: listQuery},
		pdk.NewQuery("find TEXT…", "clips, texts, media and markers that contain a text", findQuery),
		simpleQuery("tracks", "each track, what it holds and how loud it is", (*Film).trackList),
		simpleQuery("gaps", "the gaps between clips", (*Film).gapList),
		pdk.NewQuery("media", "known files, and what is in them", mediaQuery),
		pdk.NewQuery("warnings", "likely mistakes, and files that are missing or changed", warningsQuery),
		simpleQuery("stats", "counts and lengths", (*Film).stats),
		simpleQuery("styles", "styles of texts", func(*Film) string { return kindLines(vocabulary()[0]) }),
		simpleQuery("transitions", "kinds of transitions", func(*Film) string { return kindLines(vocabulary()[2]) }),
		simpleQuery("effects", "effects and their settings; * marks settings that can change over time, as in 1@0s,1.5@3s", func(*Film) string { return kindLines(vocabulary()[3]) }),
		pdk.NewQuery("command [FORMAT]", "the ffmpeg command that renders the film", func(v *view, a pdk.Args) (string, error) {
			p, cmd, err := v.Model.buildCommand(a)
			if err != nil {
				return "", err
			}
			return "ffmpeg " + commandLine(p, cmd), nil
		}),
		pdk.NewQuery("graph [FORMAT]", "its filter graph", func(v *view, a pdk.Args) (string, error) {
			_, cmd, err := v.Model.buildCommand(a)
			if err != nil {
				return "", err
			}
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
func (f *Film) durations() string {
	s := fmt.Sprintf("duration: %s (%d frames at %s fps)", f.timeText(f.Frames()), f.Frames(), f.rate())
	for _, t := range f.parsed().tracks {
		if t.End() != f.Frames() && len(t.Clips) > 0 {
			s += fmt.Sprintf("\n  %s ends at %s", t.ID, f.timeText(t.End()))
		}
	}
	return s
}

func mapQuery(v *view, a pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	tracks, whole := f.parsed().tracks, true
	if name := a.Text(0); name != "" {
		t, err := f.track(name)
		if err != nil {
			return abi.QueryResponse{}, err
		}
		tracks, whole = []*Track{t}, false
	}
	p := v.Page()
	put := func(s string) bool { return p.Line(func(b []byte) []byte { return append(b, s...) }) }
	put("map: " + f.digest())
	for _, t := range tracks {
		what := pdk.Count(len(t.Clips), "clip")
		if t.Kind == textTrack {
			what = pdk.Count(len(t.Clips), "text")
		}
		put(f.trackLine(t) + ": " + what + ", ends at " + f.timeText(t.End()))
		at := 0
		for _, c := range t.Clips {
			if c.Start > at && t.Kind == videoTrack && c.Over == nil {
				put(fmt.Sprintf("  gap %s", f.span(at, c.Start)))
			}
			put("  " + f.clipLine(c))
			if c.right != nil {
				put("  ~ " + f.joinLine(c.right))
			}
			at = c.End
		}
	}
	if !whole {
		return p.Answer(0), nil
	}
	for _, m := range f.markers() {
		put(fmt.Sprintf("marker %s at %s", pdk.Quote(m.name), f.timeText(m.at)))
	}
	if len(f.clips()) == 0 {
		for _, m := range f.media() {
			put("media " + m.String())
		}
	}
	return p.Answer(0), nil
}

func listQuery(v *view, a pdk.Args) (abi.QueryResponse, error) {
	if len(a.Selectors) == 0 {
		return abi.QueryResponse{}, pdk.Errorf("list needs a selector").TryQuery("list @all")
	}
	found, err := selection.Select(v.Model, v.Recent, a.Selectors)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	p := v.Page()
	p.Line(func(b []byte) []byte { return append(b, pdk.Count(len(found), "thing")...) })
	for _, x := range found {
		p.Line(func(b []byte) []byte { return append(b, x.line(v.Model)...) })
	}
	return p.Answer(0), nil
}

func atQuery(v *view, a pdk.Args) (string, error) {
	f := v.Model
	text := a.Text(0)
	for _, p := range a.Params {
		text += p.Key + ":" + p.Value
	}
	if len(a.Positionals)+len(a.Params) != 1 {
		return "", pdk.Errorf("at needs one time").TryQuery("at 0s")
	}
	k := clock{f: f}
	at, err := k.moment("at", text)
	if err != nil {
		return "", err
	}
	lines := []string{fmt.Sprintf("at %s, frame %d of %d%s", f.timeText(at), at, f.Frames(), k.noteText())}
	for _, t := range f.parsed().tracks {
		if t.Hidden {
			continue
		}
		for _, c := range t.Clips {
			if at < c.Start || at >= c.End {
				continue
			}
			s := t.ID + " " + f.clipLine(c)
			if m := f.mediumOf(c); m != nil && !m.Still {
				s += fmt.Sprintf(", now at %s of the media", f.timeText(int(c.source()+float64(at-c.Start)*c.Speed+0.5)))
			}
			lines = append(lines, s)
		}
		for _, j := range t.Joins {
			if at >= j.B.Start && at < j.A.End {
				lines = append(lines, t.ID+" ~ "+f.joinLine(j))
			}
		}
	}
	if len(lines) == 1 {
		lines = append(lines, "nothing is seen or heard")
	}
	return strings.Join(lines, "\n"), nil
}

func findQuery(v *view, a pdk.Args) (string, error) {
	f := v.Model
	text := strings.ToLower(strings.Join(a.Texts(0), " "))
	if text == "" {
		return "", pdk.Errorf("find needs a text")
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(w), text) })
	}
	var lines []string
	for _, c := range f.clips() {
		words := []string{c.ID, c.Name, c.url}
		if c.Caption != nil {
			words = append(words, c.Caption.Text)
		}
		if has(words...) {
			lines = append(lines, c.Track.ID+" "+f.clipLine(c))
		}
	}
	for _, m := range f.media() {
		if has(m.ID, m.Path) {
			lines = append(lines, "media "+m.String())
		}
	}
	for _, m := range f.markers() {
		if has(m.name) {
			lines = append(lines, "marker "+pdk.Quote(m.name)+" at "+f.timeText(m.at))
		}
	}
	return orNone(lines, "nothing contains "+strconv.Quote(text)), nil
}

func (f *Film) trackList() string {
	var lines []string
	for _, t := range f.parsed().tracks {
		what := "pictures"
		switch t.Kind {
		case audioTrack:
			what = "sound"
		case textTrack:
			what = "texts"
		}
		lines = append(lines, fmt.Sprintf("%s: %s, %d on it, ends at %s", f.trackLine(t), what, len(t.Clips), f.timeText(t.End())))
	}
	return orNone(lines, "no tracks yet: add clip, add audio and overlay make them")
}

func (f *Film) gapList() string {
	var lines []string
	for _, x := range f.selectable() {
		if x.what() == "gap" {
			lines = append(lines, x.line(f))
		}
	}
	return orNone(lines, "no gaps")
}

func mediaQuery(v *view, _ pdk.Args) (string, error) {
	f := v.Model
	var lines []string
	uses, news := map[string]int{}, map[string]string{}
	for _, c := range f.clips() {
		if m := f.mediumOf(c); m != nil {
			uses[m.ID]++
		}
	}
	for _, m := range probeAll(v) {
		news[m.ID] = m.news()
	}
	for _, m := range f.media() {
		lines = append(lines, fmt.Sprintf("%s; used %s", m, timesUsed(uses[m.ID])))
		if text := news[m.ID]; text != "" {
			lines = append(lines, "  ? "+text)
		}
	}
	return orNone(lines, "no media yet: open ./a.mp4, add clip ./a.mp4 or media ./a.mp4 add some"), nil
}

func warningsQuery(v *view, _ pdk.Args) (string, error) {
	list := v.Model.warnings()
	for _, t := range v.Model.parsed().tracks {
		for _, c := range t.Clips {
			text := c.Name
			if c.Caption != nil {
				text += " " + c.Caption.Text
			}
			if said := pdk.Hidden(text); said != "" {
				list = append(list, c.name()+" has "+said)
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

func (f *Film) stats() string {
	s := f.parsed().settings
	var n tally
	lines := []string{f.digest()}
	for _, t := range f.parsed().tracks {
		n.add(t)
	}
	effects := 0
	for _, c := range f.clips() {
		effects += len(c.Effects)
	}
	lines = append(lines,
		fmt.Sprintf("  %s, %s, %s, %s, %s, %s", pdk.Count(len(f.parsed().tracks), "track"), pdk.Count(n.clips, "clip"), pdk.Count(n.texts, "text"), pdk.Count(n.joins, "transition"), pdk.Count(effects, "effect"), pdk.Count(len(f.markers()), "marker")),
		fmt.Sprintf("  %s of media, %s", pdk.Count(len(f.media()), "file"), pdk.Count(len(f.warnings()), "warning")),
		fmt.Sprintf("  %d frames of %dx%d at %s fps, sound of %d Hz, background %s", f.Frames(), s.width, s.height, s.rate, s.sample, s.background))
	return strings.Join(lines, "\n")
}
