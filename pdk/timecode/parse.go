package timecode

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/value"
)

// Length is a time or a length of time as it was written.
type Length struct {
	Seconds Rat
	Frames  int  // in frames: all of it; of a timecode: after the seconds
	Signed  bool // written with + or -
	form    form
}

// form is how a length is written.
type form byte

const (
	inSeconds  form = iota // 1m32s, 00:01:32.5
	inFrames               // 250f
	inTimecode             // 00:01:32:12
	inDrop                 // 00:01:32;12
)

// InFrames reports whether the length was written in frames, which have no length without a rate.
func (l Length) InFrames() bool { return l.form != inSeconds }

// In returns the length in whole frames. exact is false if it had to be rounded. A timecode is an error if the rate does not have it.
func (l Length) In(r Rate) (frames int, exact bool, err error) {
	switch l.form {
	case inSeconds:
		frames, exact = r.Frames(l.Seconds)
		return frames, exact, nil
	case inFrames:
		return l.Frames, true, nil
	}
	back := l.Seconds.Num < 0 || l.Frames < 0
	seconds, ff, fps := max(l.Seconds.Num, -l.Seconds.Num), max(l.Frames, -l.Frames), r.Timebase()
	if ff >= fps {
		return 0, false, fmt.Errorf("has the frame %d, and at %s frames a second they go from 0 to %d", ff, r, fps-1)
	}
	frames = int(seconds)*fps + ff
	if l.form == inDrop {
		drop, minutes := fps/15, int(seconds)/60
		if !r.DropFrame() {
			return 0, false, fmt.Errorf("is a drop-frame timecode, which %s frames a second do not have: write : in place of ;", r)
		}
		if seconds%60 == 0 && ff < drop && minutes%10 != 0 {
			return 0, false, errors.New("is one of the numbers that drop-frame timecodes leave out")
		}
		frames -= drop * (minutes - minutes/10)
	}
	if back {
		frames = -frames
	}
	return frames, true, nil
}

// Forms lists how times are written, for error messages.
const Forms = "10s, 1m32s, 1.5s, 500ms, 00:01:32.5, 00:01:32:12 or 250f"

// ErrForm is the error for a text that does not look like a time. Other errors of Parse say what is wrong with one that does.
var ErrForm = errors.New("is not a time: " + Forms)

var (
	errTooLong = errors.New("is longer than a hundred hours")
	errSixty   = errors.New("has more than 59 minutes or seconds")
)

// Time is a time or a length of time, and Shift one with a sign: how much later or earlier, or more or less.
var (
	Time  = value.Type[Length]{Takes: "TIME", Parse: func(s string) (Length, error) { return suggest(s, Parse) }}
	Shift = value.Type[Length]{Takes: "±TIME", Parse: func(s string) (Length, error) { return suggest(s, ParseShift) }}
)

// FrameRate is a number of frames per second.
var FrameRate = value.Type[Rate]{Takes: "25", Parse: func(s string) (Rate, error) {
	r, err := ParseRate(s)
	if err != nil {
		err = &value.Invalid{Why: err.Error(), Near: []string{"25", "30"}}
	}
	return r, err
}}

// suggest parses a text, and adds to the error the time that was probably meant: 2s for "2 sec", 1.5s for 1,5s.
func suggest(s string, parse func(string) (Length, error)) (Length, error) {
	l, err := parse(s)
	if !errors.Is(err, ErrForm) {
		return l, err
	}
	near := &value.Invalid{Why: err.Error()}
	number := strings.ReplaceAll(strings.TrimRight(s, " abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"), ",", ".")
	if _, bad := parse(number + "s"); bad == nil {
		near.Near = []string{number + "s"}
	}
	return l, near
}

// ParseShift reads a length that may begin with + or -.
func ParseShift(s string) (Length, error) {
	s = strings.TrimSpace(s)
	rest := strings.TrimLeft(s, "+-")
	signs := len(s) - len(rest)
	if signs > 1 {
		return Length{}, ErrForm
	}
	l, err := Parse(rest)
	l.Signed = signs > 0
	if strings.HasPrefix(s, "-") {
		l.Seconds.Num, l.Frames = -l.Seconds.Num, -l.Frames
	}
	return l, err
}

// Parse reads a length: 10s, 1m32s, 1.5, 500ms, 00:01:32.5, 00:01:32,500, 00:01:32:12, 00:01:32;12 (drop-frame) or 250f. A number alone
// is seconds.
func Parse(s string) (Length, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	if strings.Contains(s, ":") {
		return parseClock(s)
	}
	if n, ok := strings.CutSuffix(s, "f"); ok {
		frames, ok := digits(n, 18)
		switch {
		case !ok:
			return Length{}, ErrForm
		case frames > MaxSeconds*MaxRate:
			return Length{}, errTooLong
		}
		return Length{Frames: frames, form: inFrames}, nil
	}
	return parseUnits(s)
}

// units are the units of time, in the order in which they are written, and how long they are.
var (
	units   = []string{"h", "m", "s", "ms"}
	lengths = []Rat{{3600, 1}, {60, 1}, {1, 1}, {1, 1000}}
)

// parseUnits reads numbers with units: 1h2m3.5s. The last one may have none.
func parseUnits(s string) (l Length, err error) {
	if s == "" {
		return l, ErrForm
	}
	l.Seconds.Den = 1
	for last := -1; s != ""; {
		rest := strings.TrimLeft(s, ".0123456789")
		after := strings.TrimLeft(rest, "hms")
		unit := rest[:len(rest)-len(after)]
		if rest == "" {
			unit = "s"
		}
		n, ok := parseDecimal(s[:len(s)-len(rest)])
		i := slices.Index(units, unit)
		if !ok || i <= last {
			return Length{}, ErrForm
		}
		if n.Num > MaxSeconds*n.Den {
			return Length{}, errTooLong
		}
		l.Seconds = l.Seconds.Plus(New(n.Num*lengths[i].Num, n.Den*lengths[i].Den))
		if l.Seconds.Num > MaxSeconds*l.Seconds.Den {
			return Length{}, errTooLong
		}
		s, last = after, i
	}
	return l, nil
}

// parseClock reads MM:SS or HH:MM:SS, whose seconds may have decimals after a point or a comma, HH:MM:SS:FF or HH:MM:SS;FF.
func parseClock(s string) (Length, error) {
	l := Length{}
	before, after, drop := strings.Cut(s, ";")
	if drop {
		s, l.form = before+":"+after, inDrop
	}
	parts := strings.Split(s, ":")
	n := len(parts)
	if n > 4 || drop && (n < 4 || strings.Contains(after, ":")) {
		return Length{}, ErrForm
	}
	if n == 4 {
		frames, ok := digits(parts[3], 3)
		if !ok {
			return Length{}, ErrForm
		}
		l.Frames, l.form, parts = frames, max(l.form, inTimecode), parts[:3]
	}
	seconds, ok := parseDecimal(strings.Replace(parts[len(parts)-1], ",", ".", 1))
	whole := 0
	for i, part := range parts[:len(parts)-1] {
		x, isNumber := digits(part, 3)
		if ok = ok && isNumber; i > 0 && x > 59 {
			return Length{}, errSixty
		}
		whole = whole*60 + x
	}
	if !ok || n == 4 && seconds.Den != 1 {
		return Length{}, ErrForm
	}
	if seconds.Num >= 60*seconds.Den {
		return Length{}, errSixty
	}
	l.Seconds = New(seconds.Num+int64(whole)*60*seconds.Den, seconds.Den)
	if l.Seconds.Num > MaxSeconds*l.Seconds.Den {
		return Length{}, errTooLong
	}
	return l, nil
}

// digits reads a whole number of at most so many digits.
func digits(s string, most int) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && len(s) <= most && strings.Trim(s, "0123456789") == ""
}

// parseDecimal reads a decimal number exactly, to nine decimals.
func parseDecimal(s string) (Rat, bool) {
	whole, part, point := strings.Cut(s, ".")
	part = part[:min(len(part), 9)]
	n, ok := digits(whole+part, 17)
	if !ok || whole == "" || point && part == "" || len(whole) > 8 {
		return Rat{}, false
	}
	den := int64(1)
	for range part {
		den *= 10
	}
	return New(int64(n), den), true
}

// Timebase returns how many frames the timecodes of a rate count in a second: 30 for 29.97.
func (r Rate) Timebase() int { return int((r.Num + r.Den - 1) / r.Den) }

// DropFrame reports whether the rate has drop-frame timecodes, which skip numbers to keep up with the clock.
func (r Rate) DropFrame() bool { return r.Den == 1001 && r.Timebase()%30 == 0 }

// Timecode prints frames as HH:MM:SS:FF, or as a drop-frame HH:MM:SS;FF if drop is set. The rate must have drop-frame timecodes
// then.
func (r Rate) Timecode(frames int, drop bool) string {
	fps, sep := r.Timebase(), ":"
	if drop {
		sep = ";"
		d := fps / 15
		per10, per1 := fps*600-9*d, fps*60-d
		tens, rest := frames/per10, frames%per10
		frames += 9 * d * tens
		if rest >= fps*60 {
			frames += d * (1 + (rest-fps*60)/per1)
		}
	}
	s := frames / fps
	return fmt.Sprintf("%02d:%02d:%02d%s%02d", s/3600, s/60%60, s%60, sep, frames%fps)
}
