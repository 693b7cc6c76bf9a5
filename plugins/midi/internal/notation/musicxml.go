package notation

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// readXML reads partwise MusicXML.
func readXML(src string) (*piece, error) {
	root, err := xmltree.Parse(src)
	if err != nil {
		return nil, fmt.Errorf("it is not MusicXML: %w", err)
	}
	switch root.Name {
	case "score-partwise":
	case "score-timewise":
		return nil, fmt.Errorf("its measures hold parts (score-timewise): save it with parts that hold measures (score-partwise)")
	default:
		return nil, fmt.Errorf("it is not MusicXML: it begins with <%s> and not with <score-partwise>", root.Name)
	}
	p := &piece{title: childText(root.Child("work"), "work-title")}
	if p.title == "" {
		p.title = childText(root, "movement-title")
	}
	known := map[string]*instrument{}
	if list := root.Child("part-list"); list != nil {
		for _, e := range list.Children {
			if e.Name == "score-part" {
				id, _ := e.Attr("id")
				known[id] = instrumentOf(e)
			}
		}
	}
	for _, e := range root.Children {
		if e.Name != "part" {
			continue
		}
		id, _ := e.Attr("id")
		in := known[id]
		if in == nil {
			in = &instrument{part: part{name: id, program: -1}}
		}
		r := &xmlReader{in: in, divisions: 1, vel: 80, first: len(p.parts) == 0}
		for _, m := range e.Children {
			if m.Name != "measure" {
				continue
			}
			if err := r.measure(m); err != nil {
				number, _ := m.Attr("number")
				return nil, fmt.Errorf("part %s, measure %s: %w", in.part.name, number, err)
			}
		}
		p.parts = append(p.parts, &in.part)
	}
	// The length of a measure is its length in the part where it is longest.
	for i := 0; ; i++ {
		longest, any := int64(0), false
		for _, t := range p.parts {
			if i < len(t.bars) {
				longest, any = max(longest, t.bars[i].length), true
			}
		}
		if !any {
			return p, nil
		}
		for _, t := range p.parts {
			if i < len(t.bars) {
				b, lead := t.bars[i], p.parts[0].bars[min(i, len(p.parts[0].bars)-1)]
				b.length = longest
				b.forward, b.back, b.endings = lead.forward, lead.back, lead.endings
			}
		}
	}
}

// instrument is an entry of the part list.
type instrument struct {
	part
	drum map[string]int // pitches by instrument id
}

func instrumentOf(e *xmltree.Element) *instrument {
	in := &instrument{part: part{name: childText(e, "part-name"), program: -1}, drum: map[string]int{}}
	if in.name == "" {
		in.name, _ = e.Attr("id")
	}
	for _, m := range e.Children {
		if m.Name != "midi-instrument" {
			continue
		}
		id, _ := m.Attr("id")
		if n, ok := number(m, "midi-program"); ok && n >= 1 && n <= 128 && in.program < 0 {
			in.program = int(n) - 1
		}
		if n, ok := number(m, "midi-channel"); ok && n == 10 {
			in.drums = true
		}
		if n, ok := number(m, "midi-unpitched"); ok && n >= 1 && n <= 128 {
			in.drum[id] = int(n) - 1
		}
	}
	return in
}

// xmlReader reads the measures of a part.
type xmlReader struct {
	in        *instrument
	divisions float64
	transpose int
	vel       int
	first     bool
	whole     int64 // length of a bar by the metre
	endings   []int // endings that are still open
	bar       *bar
	at, last  float64 // in ticks; last is the start of the last note
}

func (r *xmlReader) measure(m *xmltree.Element) error {
	r.bar = &bar{endings: r.endings}
	r.at, r.last = 0, 0
	far := 0.0
	for _, e := range m.Children {
		switch e.Name {
		case "attributes":
			if err := r.attributes(e); err != nil {
				return err
			}
		case "note":
			if err := r.note(e); err != nil {
				return err
			}
		case "backup", "forward":
			d, ok := number(e, "duration")
			if !ok || d < 0 {
				return fmt.Errorf("a %s has no duration", e.Name)
			}
			if d *= quarter / r.divisions; e.Name == "backup" {
				d = -d
			}
			if r.at += d; r.at < -0.5 {
				return fmt.Errorf("a backup goes before its start")
			}
		case "direction":
			r.direction(e)
		case "sound":
			r.sound(e, r.at)
		case "barline":
			r.barline(e)
		}
		if far = max(far, r.at); far > 1e8 {
			return fmt.Errorf("it is too long")
		}
	}
	if r.bar.length = int64(math.Round(far)); far == 0 {
		r.bar.length = r.whole
		if r.whole == 0 {
			r.bar.length = 4 * quarter
		}
	}
	r.in.bars = append(r.in.bars, r.bar)
	return nil
}

func (r *xmlReader) attributes(e *xmltree.Element) error {
	if d, ok := number(e, "divisions"); ok {
		if d <= 0 {
			return fmt.Errorf("its divisions are %g", d)
		}
		r.divisions = d
	}
	if k := e.Child("key"); k != nil {
		if f, ok := number(k, "fifths"); ok {
			r.mark(metaKey, r.at)(keyPayload(int(f), childText(k, "mode") == "minor"))
		}
	}
	if t := e.Child("time"); t != nil {
		num := 0
		for n := range strings.SplitSeq(childText(t, "beats"), "+") {
			v, _ := strconv.Atoi(strings.TrimSpace(n))
			num += v
		}
		den, _ := number(t, "beat-type")
		if _, ok := metrePayload(num, int(den)); ok {
			r.whole = int64(num) * 4 * quarter / int64(den)
		}
		r.mark(metaMetre, r.at)(metrePayload(num, int(den)))
	}
	if t := e.Child("transpose"); t != nil {
		n, _ := number(t, "chromatic")
		o, _ := number(t, "octave-change")
		r.transpose = int(n) + 12*int(o)
	}
	return nil
}

// mark returns a function that adds a meta event, if it is valid.
func (r *xmlReader) mark(kind byte, at float64) func(data []byte, ok bool) {
	return func(data []byte, ok bool) {
		if ok {
			r.bar.marks = append(r.bar.marks, mark{max(0, int64(math.Round(at))), kind, data})
		}
	}
}

func (r *xmlReader) note(e *xmltree.Element) error {
	if e.Child("grace") != nil || e.Child("cue") != nil {
		return nil
	}
	d, ok := number(e, "duration")
	if !ok || d < 0 {
		return fmt.Errorf("a note has no duration")
	}
	d *= quarter / r.divisions
	start := r.at
	if e.Child("chord") != nil {
		start = r.last
	} else {
		r.last = r.at
		r.at += d
	}
	if e.Child("rest") != nil {
		return nil
	}
	pitch, err := r.pitch(e)
	if err != nil {
		return err
	}
	n := note{at: int64(math.Round(start)), pitch: pitch, vel: r.vel}
	n.length = max(1, int64(math.Round(start+d))-n.at)
	if v, ok := e.Attr("dynamics"); ok {
		if f, err := strconv.ParseFloat(v, 64); err == nil && f >= 0 {
			n.vel = int(math.Round(f * 90 / 100))
		}
	}
	n.vel = min(max(n.vel, 1), 127)
	for _, c := range e.Children {
		switch kind, _ := c.Attr("type"); {
		case c.Name == "tie" && kind == "start":
			n.hold = true
		case c.Name == "tie" && kind == "stop":
			n.stop = true
		case c.Name == "lyric":
			if t := childText(c, "text"); t != "" {
				if s := childText(c, "syllabic"); s == "begin" || s == "middle" {
					t += "-"
				}
				r.bar.words = append(r.bar.words, word{n.at, t})
			}
		}
	}
	r.bar.notes = append(r.bar.notes, n)
	return nil
}

func (r *xmlReader) pitch(e *xmltree.Element) (int, error) {
	prefix, p := "", e.Child("pitch")
	if p == nil {
		if p = e.Child("unpitched"); p == nil {
			return 0, fmt.Errorf("a note has neither pitch nor rest")
		}
		prefix = "display-"
		if i := e.Child("instrument"); i != nil {
			id, _ := i.Attr("id")
			if n, ok := r.in.drum[id]; ok {
				return n, nil
			}
		}
		for _, n := range r.in.drum {
			if len(r.in.drum) == 1 {
				return n, nil
			}
		}
	}
	step := childText(p, prefix+"step")
	base, ok := steps[(step + " ")[0]]
	octave, has := number(p, prefix+"octave")
	if prefix != "" && step == "" { // the staff line of a drum without a pitch
		return 38, nil
	}
	if !ok || !has {
		return 0, fmt.Errorf("a pitch has the step %.8q and the octave %.8q", step, childText(p, prefix+"octave"))
	}
	alter, _ := number(p, "alter")
	n := base + 12*(int(octave)+1) + int(math.Round(alter))
	if prefix == "" {
		n += r.transpose
	}
	if n < 0 || n > 127 {
		return 0, fmt.Errorf("%s%g is outside the range of MIDI", step, octave)
	}
	return n, nil
}

func (r *xmlReader) direction(e *xmltree.Element) {
	at := r.at
	if o, ok := number(e, "offset"); ok {
		at += o * quarter / r.divisions
	}
	if s := e.Child("sound"); s != nil {
		if r.sound(s, at) {
			return
		}
	}
	for _, t := range e.Children {
		if t.Name != "direction-type" {
			continue
		}
		if d := t.Child("dynamics"); d != nil && len(d.Children) > 0 {
			if v, ok := dynamics[d.Children[0].Name]; ok {
				r.vel = v
			}
		}
		if m := t.Child("metronome"); m != nil {
			units := map[string]float64{"whole": 4, "half": 2, "quarter": 1, "eighth": 0.5, "16th": 0.25}
			per, ok := number(m, "per-minute")
			unit := units[childText(m, "beat-unit")]
			if m.Child("beat-unit-dot") != nil {
				unit *= 1.5
			}
			if ok && unit > 0 {
				r.mark(metaTempo, at)(tempoPayload(per * unit))
			}
		}
	}
}

// sound reads the attributes of a sound element, and reports whether they set a tempo.
func (r *xmlReader) sound(e *xmltree.Element, at float64) bool {
	if v, ok := e.Attr("dynamics"); ok {
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			r.vel = min(max(int(math.Round(f*90/100)), 1), 127)
		}
	}
	v, ok := e.Attr("tempo")
	bpm, err := strconv.ParseFloat(v, 64)
	if !ok || err != nil {
		return false
	}
	r.mark(metaTempo, at)(tempoPayload(bpm))
	return true
}

func (r *xmlReader) barline(e *xmltree.Element) {
	if n := e.Child("ending"); n != nil {
		kind, _ := n.Attr("type")
		list, _ := n.Attr("number")
		if kind == "start" {
			r.endings = nil
			for f := range strings.FieldsFuncSeq(list, func(c rune) bool { return c < '0' || c > '9' }) {
				if v, err := strconv.Atoi(f); err == nil {
					r.endings = append(r.endings, v)
				}
			}
			r.bar.endings = r.endings
		} else {
			r.endings = nil
		}
	}
	if p := e.Child("repeat"); p != nil {
		if d, _ := p.Attr("direction"); d == "forward" {
			r.bar.forward = true
		} else {
			r.bar.back = 2
			if v, ok := p.Attr("times"); ok {
				if n, err := strconv.Atoi(v); err == nil && n > 0 {
					r.bar.back = n
				}
			}
			if n := len(r.bar.endings); n > 0 {
				r.bar.back = max(r.bar.back, r.bar.endings[n-1]+1)
			}
		}
	}
}

// childText returns the text of a child element, "" if there is none.
func childText(e *xmltree.Element, name string) string {
	if e == nil {
		return ""
	}
	c := e.Child(name)
	if c == nil {
		return ""
	}
	return strings.TrimSpace(c.Text())
}

func number(e *xmltree.Element, name string) (float64, bool) {
	v, err := strconv.ParseFloat(childText(e, name), 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}
