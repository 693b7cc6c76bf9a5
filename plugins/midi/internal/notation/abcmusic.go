package notation

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// endBar ends the bar of a voice.
func (v *voice) endBar() {
	v.here = map[string]int{}
	if v.at == 0 && len(v.bar.notes) == 0 {
		return
	}
	v.bar.length = max(v.bar.length, int64(math.Round(v.at)))
	v.bars = append(v.bars, v.bar)
	v.line = append(v.line, place{})
	v.bar = &bar{endings: v.endings}
	v.at, v.last = 0, nil
}

func (v *voice) end(*abcReader) {
	v.endBar()
	v.part.bars = v.bars
}

// words assigns syllables to the notes of the previous line.
func (r *abcReader) words(value string) {
	line := r.current().line
	i := 0
	next := func() *place {
		for i < len(line) && line[i].bar == nil {
			i++
		}
		if i >= len(line) {
			return nil
		}
		i++
		return &line[i-1]
	}
	put := func(s string) {
		if s = strings.NewReplacer("~", " ", "\x00", "-").Replace(s); s != "" {
			if p := next(); p != nil {
				p.bar.words = append(p.bar.words, word{p.at, s})
			}
		}
	}
	syllable := ""
	for _, c := range strings.ReplaceAll(value, `\-`, "\x00") {
		switch c {
		case ' ':
			put(syllable)
			syllable = ""
		case '-':
			if syllable == "" {
				continue
			}
			put(syllable + "-")
			syllable = ""
		case '*', '_':
			put(syllable)
			syllable = ""
			next()
		case '|':
			put(syllable)
			syllable = ""
			for i < len(line) && line[i].bar != nil {
				i++
			}
		default:
			syllable += string(c)
		}
	}
	put(syllable)
}

// music reads a line of notes.
func (r *abcReader) music(line string) error {
	for i := 0; i < len(line); {
		v := r.current()
		c := line[i]
		rest := line[i:]
		switch {
		case c == '"' || c == '!' || c == '+':
			end := strings.IndexByte(rest[1:], c)
			if end < 0 {
				if c == '!' { // an old style line break
					i++
					continue
				}
				return fmt.Errorf("%s has no end", rest[:min(len(rest), 20)])
			}
			if vel, ok := dynamics[rest[1:1+end]]; ok && c != '"' {
				v.vel = vel
			}
			i += end + 2
		case c == '{':
			end := strings.IndexByte(rest, '}')
			if end < 0 {
				return fmt.Errorf("%s has no }", rest[:min(len(rest), 20)])
			}
			i += end + 1
		case c == '[' && len(rest) > 2 && rest[2] == ':' && strings.IndexByte("KLMQVIPRrTN", rest[1]) >= 0:
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return fmt.Errorf("%s has no ]", rest[:min(len(rest), 20)])
			}
			if err := r.field(rest[1], strings.TrimSpace(rest[3:end])); err != nil {
				return err
			}
			i += end + 1
		case c == '|' || c == ':' || c == '[' && len(rest) > 1 && (rest[1] == '|' || rest[1] >= '1' && rest[1] <= '9'):
			i += v.barline(rest)
		case c == '(' && len(rest) > 1 && rest[1] >= '2' && rest[1] <= '9':
			i += v.tuple(rest, r.num, r.den)
		case c == '>' || c == '<':
			n := len(rest) - len(strings.TrimLeft(rest, string(c)))
			v.brokenRhythm(n, c == '>')
			i += n
		case c == '&':
			v.at = 0
			i++
		case c == '[' || strings.IndexByte("^_=ABCDEFGabcdefg", c) >= 0:
			n, err := v.notes(rest)
			if err != nil {
				return err
			}
			i += n
		case c == 'z' || c == 'x' || c == 'Z' || c == 'X':
			f, n := lengthOf(rest[1:])
			d := f * v.unit
			if c == 'Z' || c == 'X' {
				whole := 4 * quarter
				if r.den > 0 {
					whole = r.num * 4 * quarter / r.den
				}
				for range min(int(f), 1000) - 1 {
					v.at += float64(whole)
					v.endBar()
				}
				v.at += float64(whole)
			} else {
				v.advance(d, nil)
			}
			i += n + 1
		default: // slurs, beams, ornaments
			i++
		}
	}
	return nil
}

// barline reads a bar line with its repeats and endings, and returns its length in
// bytes.
func (v *voice) barline(rest string) int {
	n := 0
	for n < len(rest) && strings.IndexByte("|:[]", rest[n]) >= 0 {
		if rest[n] == '[' && n+1 < len(rest) && rest[n+1] != '|' { // [ starts a chord, a field or an ending
			break
		}
		n++
	}
	sign := rest[:n]
	starts := len(sign) > 1 && strings.HasSuffix(sign, ":")
	ends := len(sign) > 1 && strings.HasPrefix(sign, ":")
	v.endBar()
	if ends && len(v.bars) > 0 {
		last := v.bars[len(v.bars)-1]
		if last.back = 2; len(last.endings) > 0 {
			last.back = max(2, slices.Max(last.endings)+1)
		}
	}
	if len(sign) > 1 {
		v.endings, v.bar.endings = nil, nil
	}
	if starts {
		v.bar.forward = true
	}
	at := n
	for at < len(rest) && rest[at] == ' ' {
		at++
	}
	if at < len(rest) && rest[at] == '[' {
		at++
	} else if at > n {
		return n
	}
	from := at
	for at < len(rest) && (rest[at] >= '0' && rest[at] <= '9' || rest[at] == ',' || rest[at] == '-') {
		at++
	}
	if from == at {
		return max(n, 1)
	}
	v.endings = nil
	for f := range strings.SplitSeq(rest[from:at], ",") {
		a, b, both := strings.Cut(f, "-")
		lo, err := strconv.Atoi(a)
		hi := lo
		if both {
			hi, _ = strconv.Atoi(b)
		}
		for k := lo; err == nil && k <= min(hi, 99); k++ {
			v.endings = append(v.endings, k)
		}
	}
	v.bar.endings = v.endings
	return at
}

// tuple reads the start of a tuplet: (p:q:r, p notes in the time of q, for r notes.
func (v *voice) tuple(rest string, num, den int) int {
	parts := []int{int(rest[1] - '0'), 0, 0}
	n := 2
	for k := 1; k < 3 && n < len(rest) && rest[n] == ':'; k++ {
		n++
		if n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			parts[k] = int(rest[n] - '0')
			n++
		}
	}
	p, q := parts[0], parts[1]
	if q == 0 {
		three := den == 8 && num%3 == 0
		q = map[int]int{2: 3, 3: 2, 4: 3, 6: 2, 8: 3}[p]
		if q == 0 {
			if q = 2; three {
				q = 3
			}
		}
	}
	if v.tuplet = parts[2]; v.tuplet == 0 {
		v.tuplet = p
	}
	v.times = float64(q) / float64(p)
	return n
}

// brokenRhythm applies a broken rhythm of n signs > or <: it moves time between the
// previous and the next note. first makes the previous note the longer one.
func (v *voice) brokenRhythm(n int, first bool) {
	small := math.Pow(0.5, float64(min(n, 3)))
	mine, other := 2-small, small
	if !first {
		mine, other = small, 2-small
	}
	change := v.lastLen * (mine - 1)
	for _, i := range v.last {
		v.bar.notes[i].length = max(1, v.bar.notes[i].length+int64(math.Round(change)))
	}
	v.at += change
	v.broken = other
}

// advance advances past notes, or a rest, of a written length.
func (v *voice) advance(d float64, made []note) {
	d *= v.broken
	v.broken = 1
	if v.tuplet > 0 {
		d *= v.times
		v.tuplet--
	}
	v.last = v.last[:0]
	at := int64(math.Round(v.at))
	for _, n := range made {
		n.at, n.length = at, max(1, int64(math.Round(v.at+d*float64(n.length)/1000))-at)
		v.last = append(v.last, len(v.bar.notes))
		v.bar.notes = append(v.bar.notes, n)
	}
	if len(made) > 0 {
		v.line = append(v.line, place{v.bar, at})
	}
	v.at += d
	v.lastLen = d
	v.bar.length = max(v.bar.length, int64(math.Round(v.at)))
}

// notes reads a note or a chord, and returns its length in bytes. Until pass is called,
// the length of each note is in thousandths of the first one's.
func (v *voice) notes(rest string) (int, error) {
	if rest[0] != '[' {
		n, f, used, err := v.note(rest)
		if err != nil {
			return 0, err
		}
		n.length = 1000
		v.advance(f*v.unit, []note{n})
		return used, nil
	}
	var all []note
	i, first := 1, 0.0
	for i < len(rest) && rest[i] != ']' {
		if strings.IndexByte("^_=ABCDEFGabcdefg", rest[i]) < 0 {
			if rest[i] == '!' || rest[i] == '"' {
				if end := strings.IndexByte(rest[i+1:], rest[i]); end >= 0 {
					i += end + 1
				}
			}
			i++
			continue
		}
		n, f, used, err := v.note(rest[i:])
		if err != nil {
			return 0, err
		}
		if len(all) == 0 {
			first = f
		}
		n.length = int64(math.Round(1000 * f / first))
		all = append(all, n)
		i += used
	}
	if i >= len(rest) {
		return 0, fmt.Errorf("the chord %s has no ]", rest[:min(len(rest), 20)])
	}
	i++
	f, used := lengthOf(rest[i:])
	i += used
	if i < len(rest) && rest[i] == '-' {
		for k := range all {
			all[k].hold = true
		}
		i++
	}
	if len(all) > 0 {
		v.advance(first*f*v.unit, all)
	}
	return i, nil
}

// note reads one note: accidental, letter, octave, length and tie.
func (v *voice) note(rest string) (n note, f float64, used int, err error) {
	i, alter, given := 0, 0, false
	for ; i < len(rest) && strings.IndexByte("^_=", rest[i]) >= 0; i++ {
		given = true
		switch rest[i] {
		case '^':
			alter++
		case '_':
			alter--
		}
	}
	if i >= len(rest) || strings.IndexByte("ABCDEFGabcdefg", rest[i]) < 0 {
		return n, 0, 0, fmt.Errorf("%s is not a note", rest[:min(len(rest), 10)])
	}
	step, octave := rest[i], 4
	if step >= 'a' {
		step, octave = step-32, 5
	}
	for i++; i < len(rest) && (rest[i] == '\'' || rest[i] == ','); i++ {
		if octave++; rest[i] == ',' {
			octave -= 2
		}
	}
	id := string(step) + strconv.Itoa(octave)
	if given {
		v.here[id] = alter
	} else if a, ok := v.here[id]; ok {
		alter = a
	} else {
		alter = v.key[step]
	}
	n.pitch, n.vel = steps[step]+12*(octave+1)+alter, v.vel
	if n.pitch < 0 || n.pitch > 127 {
		return n, 0, 0, fmt.Errorf("%s is outside the range of MIDI", rest[:i])
	}
	f, used = lengthOf(rest[i:])
	if i += used; i < len(rest) && rest[i] == '-' {
		n.hold = true
		i++
	}
	n.stop = true // if a note before it is tied
	return n, f, i, nil
}

// lengthOf reads the factor of a note's length, such as 3/2, / or 4, and returns how
// many bytes it used.
func lengthOf(s string) (f float64, used int) {
	digits := func(from int) (int, int) {
		n, i := 0, from
		for ; i < len(s) && s[i] >= '0' && s[i] <= '9' && i-from < 5; i++ {
			n = 10*n + int(s[i]-'0')
		}
		return n, i
	}
	num, i := digits(0)
	if f = float64(num); i == 0 || num == 0 {
		f = 1
	}
	for i < len(s) && s[i] == '/' {
		den, end := digits(i + 1)
		if end == i+1 || den == 0 {
			den = 2
		}
		f, i = f/float64(den), end
	}
	return f, i
}
