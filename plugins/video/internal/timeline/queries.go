package timeline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

// plain is one that takes no words.
func plain(name, summary string, run func(f *Film) string) query {
	return pdk.NewQuery(name, summary, func(v *view, _ pdk.Args) (string, error) { return run(v.Model), nil })
}

// takes is what may stand after a query.
func takes(name string) *abi.Takes {
	switch name {
	case "preview":
		return &abi.Takes{Params: []abi.Param{{Key: "at", Value: "TIME"}, {Key: "frames", Value: "N"}}, Max: 1}
	case "at": // at end:CLIP is a parameter for the grammar
		return &abi.Takes{Params: []abi.Param{{Key: "end", Value: "CLIP"}, {Key: "start", Value: "CLIP"}, {Key: "marker", Value: "NAME"}}, Max: 1}
	case "describe", "command", "graph":
		return &abi.Takes{Max: 1}
	case "list":
		return &abi.Takes{Select: true}
	case "find":
		return &abi.Takes{Min: 1, Max: -1}
	}
	return &abi.Takes{}
}

func queries() []query {
	list := []query{
		{Query: abi.Query{Name: "map", Syntax: "map", Summary: "every track, clip, text, transition and marker"}, Run: mapQuery},
		plain("timeline", "the film as a drawing of letters", (*Film).drawn),
		previewQuery(),
		plain("duration", "how long the film is", (*Film).lengths),
		pdk.NewQuery("at TIME", "what is seen and heard at a time, end:CLIP or marker:NAME", atQuery),
		pdk.NewQuery("describe CLIP|TRANSITION|TRACK|MEDIA", "all of one thing", describe),
		{Query: abi.Query{Name: "list", Syntax: "list @SEL", Summary: "what selectors match"}, Run: listQuery},
		pdk.NewQuery("find TEXT", "clips, texts, media and markers that have a text in them", findQuery),
		plain("tracks", "each track, what it holds and how loud it is", (*Film).trackList),
		plain("gaps", "where a track shows nothing between its clips", (*Film).gapList),
		pdk.NewQuery("media", "the files that are known, and what is in them", mediaQuery),
		pdk.NewQuery("warnings", "what is likely not meant, and files that are gone or changed", warningsQuery),
		plain("stats", "counts and lengths", (*Film).stats),
		plain("styles", "looks of texts", func(*Film) string { return kindLines(vocabulary()[0]) }),
		plain("transitions", "kinds of transitions", func(*Film) string { return kindLines(vocabulary()[2]) }),
		plain("effects", "effects and their settings; * marks what may change over time, as in 1@0s,1.5@3s", func(*Film) string { return kindLines(vocabulary()[3]) }),
		pdk.NewQuery("command [FORMAT]", "the ffmpeg command that renders the film", func(v *view, a pdk.Args) (string, error) {
			p, cmd, err := v.Model.built(a)
			if err != nil {
				return "", err
			}
			return "ffmpeg " + spelled(p, cmd), nil
		}),
		pdk.NewQuery("graph [FORMAT]", "its filter graph", func(v *view, a pdk.Args) (string, error) {
			_, cmd, err := v.Model.built(a)
			if err != nil {
				return "", err
			}
			return cmd.Graph(), nil
		}),
	}
	for i := range list {
		list[i].Takes = takes(list[i].Name)
	}
	return list
}

func orNone(list []string, none string) string {
	if len(list) == 0 {
		return none
	}
	return strings.Join(list, "\n")
}

func kindLines(s abi.Section) string { return strings.Join(s.Lines, "\n") }

// built is the command of a format, by default the first.
func (f *Film) built(a pdk.Args) (*render.Project, *render.Command, error) {
	var names []string
	for _, format := range render.Formats() {
		names = append(names, format.Name)
	}
	name := names[0]
	if len(a.Positionals) > 0 {
		word, ok := pdk.OneOf(a.Text(0), names)
		if !ok {
			return nil, nil, pdk.Errorf("there is no format %s: there are %s", pdk.Quote(a.Text(0)), strings.Join(names, ", ")).Instead(a.Text(0), pdk.Nearest(a.Text(0), names)...)
		}
		name = word
	}
	p, err := f.project()
	if err != nil {
		return nil, nil, err
	}
	cmd, err := render.Build(p, name)
	if err != nil {
		return nil, nil, pdk.Errorf("%v", err)
	}
	return p, cmd, nil
}

// spelled is a command with the names of its media.
func spelled(p *render.Project, cmd *render.Command) string {
	names := []string{"{out:0}", "out." + cmd.Output, "{file:graph.txt}", "graph.txt"}
	for i, m := range cmd.Inputs {
		names = append(names, fmt.Sprintf("{in:%d}", i), pdk.Quote(p.Media[m].Path))
	}
	return strings.NewReplacer(names...).Replace(strings.Join(cmd.Args, " "))
}

// lengths tells how long the film and its tracks are.
func (f *Film) lengths() string {
	s := fmt.Sprintf("duration: %s (%d frames at %s fps)", f.text(f.Frames()), f.Frames(), f.rate())
	for _, t := range f.all().tracks {
		if t.End() != f.Frames() && len(t.Clips) > 0 {
			s += fmt.Sprintf("\n  %s ends at %s", t.ID, f.text(t.End()))
		}
	}
	return s
}

// row is a clip in one line.
func (f *Film) row(c *Clip) string {
	s := fmt.Sprintf("%s %s", c.name(), f.span(c.Start, c.End))
	switch c.kind {
	case textItem:
		style := c.Caption.Style
		if style == "" {
			style = styleNames()[0]
		}
		s += " " + style + " " + strconv.Quote(line(c.Caption.Text, 60))
		s += c.Caption.looks()
	case otherItem:
		s += " nested " + c.Schema
	default:
		if m := f.of(c); m != nil {
			s += " of " + pdk.Quote(m.ID)
			if !m.Still {
				in := int(c.source() + 0.5)
				s += fmt.Sprintf(" %s-%s", f.text(in), f.text(in+int(float64(c.Frames())*c.Speed+0.5)))
			}
		} else {
			s += ", no media"
		}
	}
	if c.Over != nil {
		s += " over the picture:" + c.Over.String()
	}
	say := func(there bool, format string, args ...any) {
		if there {
			s += " " + fmt.Sprintf(format, args...)
		}
	}
	say(c.Speed != 1, "speed:%sx", num(c.Speed))
	say(c.Volume != 0, "volume:%s", loudness(c.Volume))
	say(c.Mute, "muted")
	say(c.kind == clipItem && c.Track.Kind == pictures && !c.Sound && !c.Mute && f.hasSound(c), "without its sound")
	in, out := c.fades()
	say(in > 0 && c.kind != textItem, "fade-in:%s", f.text(in))
	say(out > 0 && c.kind != textItem, "fade-out:%s", f.text(out))
	say(c.Fit != "" && c.Fit != "contain", "fit:%s", c.Fit)
	var effects []string
	for _, e := range c.Effects {
		effects = append(effects, line(e.String(), 60))
	}
	say(len(effects) > 0, "effects: %s", list(effects, 4))
	say(c.Off, "(not enabled)")
	return s
}

// looks are what a text has that its style does not say.
func (p *caption) looks() (s string) {
	if p.Anchor != "" {
		s += " " + p.Anchor
	}
	if p.X != 0 || p.Y != 0 {
		s += fmt.Sprintf(" shifted %d,%d", p.X, p.Y)
	}
	if p.Size != 0 {
		s += fmt.Sprintf(" size:%d", p.Size)
	}
	if p.Color != "" {
		s += " color:" + p.Color
	}
	return s
}

func (f *Film) hasSound(c *Clip) bool {
	m := f.of(c)
	return m != nil && m.Audio
}

func (f *Film) joinRow(j *Join) string {
	s := fmt.Sprintf("%s %s>%s %s", pdk.Quote(j.ID), j.A.name(), j.B.name(), f.span(j.B.Start, j.A.End))
	if j.kindName() != j.ID {
		s += " " + j.kindName()
	}
	if _, ok := pdk.OneOf(j.Transition, transitions()); !ok {
		s += " (" + line(j.Transition, 40) + " in the file)"
	}
	return s
}

// head is a track in one line.
func (f *Film) head(t *Track) string {
	s := t.ID + t.titled()
	say := func(there bool, format string, args ...any) {
		if there {
			s += " " + fmt.Sprintf(format, args...)
		}
	}
	say(t.Hidden, "(left out)")
	say(t.Mute, "muted")
	say(t.Volume != 0, "volume:%s", loudness(t.Volume))
	for _, d := range t.Ducks {
		say(true, "ducked under %s by %s", d.under, loudness(d.by))
	}
	return s
}

func mapQuery(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	p := v.Page()
	put := func(s string) bool { return p.Line(func(b []byte) []byte { return append(b, s...) }) }
	put("map: " + f.digest())
	for _, t := range f.all().tracks {
		what := pdk.Count(len(t.Clips), "clip")
		if t.Kind == letters {
			what = pdk.Count(len(t.Clips), "text")
		}
		put(f.head(t) + ": " + what + ", ends at " + f.text(t.End()))
		at := 0
		for _, c := range t.Clips {
			if c.Start > at && t.Kind == pictures && c.Over == nil {
				put(fmt.Sprintf("  gap %s", f.span(at, c.Start)))
			}
			put("  " + f.row(c))
			if c.right != nil {
				put("  ~ " + f.joinRow(c.right))
			}
			at = c.End
		}
	}
	for _, m := range f.marks() {
		put(fmt.Sprintf("marker %s at %s", pdk.Quote(m.name), f.text(m.at)))
	}
	if len(f.clips()) == 0 {
		for _, m := range f.media() {
			put("media " + m.String())
		}
	}
	return p.Answer(0), nil
}

func (x thing) row(f *Film) string {
	switch {
	case x.clip != nil:
		return x.track.ID + " " + f.row(x.clip)
	case x.join != nil:
		return x.track.ID + " ~ " + f.joinRow(x.join)
	}
	return x.track.ID + " gap " + f.span(x.start, x.end)
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
		p.Line(func(b []byte) []byte { return append(b, x.row(v.Model)...) })
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
	lines := []string{fmt.Sprintf("at %s, frame %d of %d%s", f.text(at), at, f.Frames(), k.said())}
	for _, t := range f.all().tracks {
		if t.Hidden {
			continue
		}
		for _, c := range t.Clips {
			if at < c.Start || at >= c.End {
				continue
			}
			s := t.ID + " " + f.row(c)
			if m := f.of(c); m != nil && !m.Still {
				s += fmt.Sprintf(", now at %s of the media", f.text(int(c.source()+float64(at-c.Start)*c.Speed+0.5)))
			}
			lines = append(lines, s)
		}
		for _, j := range t.Joins {
			if at >= j.B.Start && at < j.A.End {
				lines = append(lines, t.ID+" ~ "+f.joinRow(j))
			}
		}
	}
	if len(lines) == 1 {
		lines = append(lines, "nothing is seen or heard")
	}
	return strings.Join(lines, "\n"), nil
}

func describe(v *view, a pdk.Args) (string, error) {
	f := v.Model
	ref := a.Text(0)
	if ref == "" || ref == "*" {
		var lines []string
		for _, x := range f.things() {
			lines = append(lines, x.row(f))
		}
		return orNone(lines, "nothing is on the timeline"), nil
	}
	if t := find(f.all().tracks, func(t *Track) bool { return equal(t.ID, ref) }); t != nil {
		lines := []string{f.head(t)}
		for _, c := range t.Clips {
			lines = append(lines, "  "+f.row(c))
			if c.right != nil {
				lines = append(lines, "  ~ "+f.joinRow(c.right))
			}
		}
		return strings.Join(lines, "\n"), nil
	}
	if j := f.join(ref); j != nil {
		return f.joinRow(j) + fmt.Sprintf("\n  on %s; in the file %s before the cut and %s after it", j.A.Track.ID, f.text(j.inOffset), f.text(j.outOffset)), nil
	}
	clip, err := f.clip(ref, false)
	if err != nil {
		if m, no := f.medium(ref); no == nil {
			return f.describeMedium(m), nil
		}
		return "", err
	}
	lines := []string{clip.what() + " " + f.row(clip), fmt.Sprintf("  on %s, frames %d to %d", clip.Track.ID, clip.Start, clip.End-1)}
	if m := f.of(clip); m != nil {
		lines = append(lines, "  media "+m.String())
		if all := m.frames(f.rate()); all >= 0 {
			used := clip.source() + float64(clip.Frames())*clip.Speed
			lines = append(lines, fmt.Sprintf("  of its media %s are left before it and %s after it", f.text(max(0, int(clip.source()))), f.text(max(0, all-int(used+0.5)))))
		}
	}
	for _, j := range []*Join{clip.left, clip.right} {
		if j != nil {
			lines = append(lines, "  ~ "+f.joinRow(j))
		}
	}
	if clip.kind == textItem {
		lines = append(lines, "  text: "+strconv.Quote(clip.Caption.Text))
	}
	return strings.Join(lines, "\n"), nil
}

func (f *Film) describeMedium(m *Medium) string {
	lines := []string{"media " + m.String()}
	for _, c := range f.clips() {
		if of := f.of(c); of != nil && of.ID == m.ID {
			lines = append(lines, "  "+c.Track.ID+" "+f.row(c))
		}
	}
	if len(lines) == 1 {
		lines = append(lines, "  no clip shows it")
	}
	return strings.Join(lines, "\n")
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
			lines = append(lines, c.Track.ID+" "+f.row(c))
		}
	}
	for _, m := range f.media() {
		if has(m.ID, m.Path) {
			lines = append(lines, "media "+m.String())
		}
	}
	for _, m := range f.marks() {
		if has(m.name) {
			lines = append(lines, "marker "+pdk.Quote(m.name)+" at "+f.text(m.at))
		}
	}
	return orNone(lines, "nothing has "+strconv.Quote(text)), nil
}

func (f *Film) trackList() string {
	var lines []string
	for _, t := range f.all().tracks {
		what := "pictures"
		switch t.Kind {
		case sounds:
			what = "sound"
		case letters:
			what = "texts"
		}
		lines = append(lines, fmt.Sprintf("%s: %s, %d on it, ends at %s", f.head(t), what, len(t.Clips), f.text(t.End())))
	}
	return orNone(lines, "no tracks yet: add clip, add audio and overlay make them")
}

func (f *Film) gapList() string {
	var lines []string
	for _, x := range f.things() {
		if x.what() == "gap" {
			lines = append(lines, x.row(f))
		}
	}
	return orNone(lines, "no gaps")
}

func mediaQuery(v *view, _ pdk.Args) (string, error) {
	f := v.Model
	var lines []string
	uses, news := map[string]int{}, map[string]string{}
	for _, c := range f.clips() {
		if m := f.of(c); m != nil {
			uses[m.ID]++
		}
	}
	for _, m := range looked(v) {
		news[m.ID] = m.news()
	}
	for _, m := range f.media() {
		lines = append(lines, fmt.Sprintf("%s; used %s", m, often(uses[m.ID])))
		if text := news[m.ID]; text != "" {
			lines = append(lines, "  ? "+text)
		}
	}
	return orNone(lines, "no media yet: open ./a.mp4, add clip ./a.mp4 or media ./a.mp4 bring some"), nil
}

func warningsQuery(v *view, _ pdk.Args) (string, error) {
	list := v.Model.warnings()
	for _, m := range looked(v) {
		if text := m.news(); text != "" {
			list = append(list, fmt.Sprintf("media %s: %s", pdk.Quote(m.ID), text))
		}
	}
	return orNone(list, "no warnings"), nil
}

func often(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

func (f *Film) stats() string {
	s := f.all().settings
	var n tally
	lines := []string{f.digest()}
	for _, t := range f.all().tracks {
		n.add(t)
	}
	effects := 0
	for _, c := range f.clips() {
		effects += len(c.Effects)
	}
	lines = append(lines,
		fmt.Sprintf("  %s, %s, %s, %s, %s, %s", pdk.Count(len(f.all().tracks), "track"), pdk.Count(n.clips, "clip"), pdk.Count(n.texts, "text"), pdk.Count(n.joins, "transition"), pdk.Count(effects, "effect"), pdk.Count(len(f.marks()), "marker")),
		fmt.Sprintf("  %s of media, %s", pdk.Count(len(f.media()), "file"), pdk.Count(len(f.warnings()), "warning")),
		fmt.Sprintf("  %d frames of %dx%d at %s fps, sound of %d Hz, background %s", f.Frames(), s.width, s.height, s.rate, s.sample, s.background))
	return strings.Join(lines, "\n")
}
