package notation

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// readABC reads the first tune of a file in ABC notation.
func readABC(src string) (*piece, error) {
	r := &abcReader{p: &piece{}, unit: 0, voices: map[string]*voice{}}
	for n, line := range strings.Split(strings.ReplaceAll(src, "\r", ""), "\n") {
		if r.body && strings.HasPrefix(line, "X:") {
			break
		}
		if err := r.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	if !r.body {
		return nil, fmt.Errorf("it is not ABC: it has no line K: with the key before the notes")
	}
	for _, v := range r.order {
		v.end(r)
		r.p.parts = append(r.p.parts, &v.part)
	}
	if len(r.p.parts) > 0 && len(r.p.parts[0].bars) > 0 {
		first := r.p.parts[0].bars[0]
		first.marks = append(r.marks, first.marks...)
	}
	return r.p, nil
}

// abcReader reads the lines of a tune.
type abcReader struct {
	p      *piece
	body   bool
	unit   float64 // of a note's length, in ticks; 0 if there is no L:
	num    int
	den    int
	key    map[byte]int // the key's accidentals by letter
	marks  []mark       // in the header
	voices map[string]*voice
	order  []*voice
	now    *voice
	drums  bool // a %%MIDI percussion line came before the first voice
	prog   int
}

// voice is a voice of the tune, as far as it has been read.
type voice struct {
	part
	key     map[byte]int
	unit    float64
	bar     *bar
	at      float64
	bars    []*bar
	endings []int
	here    map[string]int // accidentals so far in this bar
	vel     int
	broken  float64 // factor for the next note's length after < or >
	tuplet  int     // notes still to come in the tuplet
	times   float64 // factor for their lengths
	last    []int   // the last notes of the bar
	lastLen float64
	line    []place // notes of the line, for lyrics
}

// place is a note that can carry a syllable; a nil bar means a bar line.
type place struct {
	bar *bar
	at  int64
}

func (r *abcReader) voice(id string) *voice {
	v := r.voices[id]
	if v == nil {
		v = &voice{part: part{name: id, program: -1, voice: true}, key: r.key, unit: r.length(), here: map[string]int{}, vel: 80, broken: 1, times: 1}
		if id == "" {
			v.name = "Melody"
			v.drums, v.program = r.drums, r.prog-1
		}
		v.bar = &bar{}
		r.voices[id] = v
		r.order = append(r.order, v)
	}
	return v
}

// length returns the unit note length, the default for the metre if the tune has no L:.
func (r *abcReader) length() float64 {
	if r.unit > 0 {
		return r.unit
	}
	if r.den > 0 && float64(r.num)/float64(r.den) < 0.75 {
		return quarter / 4
	}
	return quarter / 2
}

func (r *abcReader) current() *voice {
	if r.now == nil {
		r.now = r.voice("")
	}
	return r.now
}

func (r *abcReader) line(line string) error {
	if rest, ok := strings.CutPrefix(line, "%%MIDI"); ok {
		return r.midi(strings.Fields(rest))
	}
	if i := strings.IndexByte(line, '%'); i >= 0 && (i == 0 || line[i-1] != '\\') {
		line = line[:i]
	}
	line = strings.TrimRight(line, " \t\\")
	if len(line) >= 2 && line[1] == ':' && (line[0] >= 'A' && line[0] <= 'Z' || line[0] == 'w' || line[0] == '+') {
		return r.field(line[0], strings.TrimSpace(line[2:]))
	}
	if !r.body || strings.TrimSpace(line) == "" {
		return nil
	}
	v := r.current()
	v.line = v.line[:0]
	return r.music(line)
}

func (r *abcReader) midi(words []string) error {
	if len(words) < 2 {
		return nil
	}
	n, err := strconv.Atoi(words[len(words)-1])
	if err != nil {
		return nil
	}
	switch words[0] {
	case "program":
		if n < 0 || n > 127 {
			return fmt.Errorf("%%%%MIDI program %d: programs are 0 to 127", n)
		}
		if r.prog = n + 1; r.now != nil {
			r.now.program = n
		}
	case "channel":
		if r.drums = n == 10; r.now != nil {
			r.now.drums = n == 10
		}
	}
	return nil
}

func (r *abcReader) field(id byte, value string) error {
	switch id {
	case 'T':
		if r.p.title == "" {
			r.p.title = value
		}
	case 'M':
		return r.metre(value)
	case 'L':
		num, den, ok := fraction(value)
		if !ok {
			return fmt.Errorf("the length L:%s is not a length such as 1/8", value)
		}
		r.unit = 4 * quarter * float64(num) / float64(den)
		if r.now != nil {
			r.now.unit = r.unit
		}
	case 'Q':
		return r.tempo(value)
	case 'K':
		return r.setKey(value)
	case 'V':
		id, rest, _ := strings.Cut(value, " ")
		r.now = r.voice(id)
		r.now.line = r.now.line[:0]
		for _, name := range []string{"name=", "nm="} {
			if _, after, ok := strings.Cut(rest, name); ok {
				after = strings.TrimSpace(after)
				if q, found := strings.CutPrefix(after, `"`); found {
					after, _, _ = strings.Cut(q, `"`)
				} else {
					after, _, _ = strings.Cut(after, " ")
				}
				if after != "" {
					r.now.name = after
				}
			}
		}
		if strings.Contains(rest, "perc") {
			r.now.drums = true
		}
	case 'w':
		if r.body {
			r.words(value)
		}
	}
	return nil
}

// mark adds a meta event for all voices: in the header, or at the current place in the
// music.
func (r *abcReader) mark(kind byte, data []byte) {
	if !r.body {
		r.marks = append(r.marks, mark{0, kind, data})
		return
	}
	if v := r.current(); v == r.order[0] {
		v.bar.marks = append(v.bar.marks, mark{int64(math.Round(v.at)), kind, data})
	}
}

func (r *abcReader) metre(value string) error {
	switch value {
	case "C":
		value = "4/4"
	case "C|":
		value = "2/2"
	case "none", "":
		return nil
	}
	above, below, _ := strings.Cut(strings.Trim(value, "()"), "/")
	num := 0
	for n := range strings.SplitSeq(strings.Trim(above, "()"), "+") {
		v, _ := strconv.Atoi(strings.TrimSpace(n))
		num += v
	}
	den, _ := strconv.Atoi(strings.TrimSpace(below))
	data, ok := metrePayload(num, den)
	if !ok {
		return fmt.Errorf("the metre M:%s is not a metre such as 3/4", value)
	}
	r.num, r.den = num, den
	r.mark(metaMetre, data)
	return nil
}

func (r *abcReader) tempo(value string) error {
	for strings.Count(value, `"`) >= 2 {
		a := strings.IndexByte(value, '"')
		b := a + 1 + strings.IndexByte(value[a+1:], '"')
		value = value[:a] + value[b+1:]
	}
	if value = strings.TrimSpace(value); value == "" {
		return nil
	}
	beat := 1.0 // in quarters
	left, right, both := strings.Cut(value, "=")
	if both {
		beat = 0
		for f := range strings.FieldsSeq(left) {
			num, den, ok := fraction(f)
			if !ok {
				return fmt.Errorf("the tempo Q:%s is not a tempo such as 1/4=120", value)
			}
			beat += 4 * float64(num) / float64(den)
		}
		value = right
	}
	bpm, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	data, ok := tempoPayload(bpm * beat)
	if err != nil || !ok {
		return fmt.Errorf("the tempo Q:%s is not a tempo such as 1/4=120", value)
	}
	r.mark(metaTempo, data)
	return nil
}

// modes maps a mode to the fifths by which its key signature differs from major.
var modes = map[string]int{"": 0, "maj": 0, "ion": 0, "m": -3, "min": -3, "aeo": -3, "mix": -1, "dor": -2, "phr": -4, "lyd": 1, "loc": -5}

func (r *abcReader) setKey(value string) error {
	words := strings.Fields(value)
	name := ""
	if len(words) > 0 && !strings.Contains(words[0], "=") {
		name = words[0]
	}
	accidentals := map[byte]int{}
	if name != "" && name != "none" && name != "HP" && name != "Hp" {
		tonic := strings.IndexByte("FCGDAEB", name[0])
		if tonic < 0 {
			return fmt.Errorf("the key K:%s is not a key such as D or Am", value)
		}
		fifths, rest := tonic-1, name[1:]
		if strings.HasPrefix(rest, "#") {
			fifths, rest = fifths+7, rest[1:]
		} else if strings.HasPrefix(rest, "b") {
			fifths, rest = fifths-7, rest[1:]
		}
		if rest == "" && len(words) > 1 && !strings.Contains(words[1], "=") {
			rest = words[1]
		}
		mode := strings.ToLower(rest)
		shift, ok := modes[mode[:min(len(mode), 3)]]
		if !ok {
			return fmt.Errorf("the key K:%s is not a key such as D or Am", value)
		}
		fifths += shift
		data, ok := keyPayload(fifths, shift == -3)
		if !ok {
			return fmt.Errorf("the key K:%s has more than seven sharps or flats", value)
		}
		for i := range 7 {
			if i < fifths {
				accidentals["FCGDAEB"[i]] = 1
			}
			if i < -fifths {
				accidentals["BEADGCF"[i]] = -1
			}
		}
		if !r.body || !r.current().drums {
			r.mark(metaKey, data)
		}
	}
	if !r.body {
		r.body, r.key = true, accidentals
		for _, v := range r.order {
			v.key, v.unit = accidentals, r.length()
		}
		r.now = nil
		if len(r.order) > 0 {
			r.now = r.order[0]
		}
		return nil
	}
	r.current().key = accidentals
	return nil
}

// fraction reads a fraction such as 1/8, or a whole number.
func fraction(s string) (num, den int, ok bool) {
	a, b, both := strings.Cut(strings.TrimSpace(s), "/")
	num, err := strconv.Atoi(strings.TrimSpace(a))
	if den = 1; both && err == nil {
		den, err = strconv.Atoi(strings.TrimSpace(b))
	}
	return num, den, err == nil && num > 0 && den > 0
}
