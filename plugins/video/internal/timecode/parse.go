package timecode

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A Length is a time as somebody wrote it: seconds, or frames of the project.
type Length struct {
	Seconds Rat
	Frames  int  // where it was written in frames
	Counted bool // it was
}

// In gives the length in whole frames, and whether it had to be rounded.
func (l Length) In(r Rate) (frames int, exact bool) {
	if l.Counted {
		return l.Frames, true
	}
	return r.Frames(l.Seconds)
}

// Forms says how times are written, for errors.
const Forms = "10s, 1m32s, 1.5s, 500ms, 00:01:32.5, 00:01:32:12 or 250f"

// ErrForm is the error for what is written like no time. Other errors of Parse say what is wrong with one.
var ErrForm = errors.New("is not a time: " + Forms)

// errLong is the error for times that are not reckoned with.
var errLong = errors.New("is longer than a hundred hours")

var (
	units = regexp.MustCompile(`^(?:(\d{1,3})h)?(?:(\d{1,4})m)?(?:(\d{1,6}(?:\.\d{1,9})?)s?)?$`)
	clock = regexp.MustCompile(`^(?:(\d{1,3}):)?(\d{1,3}):(\d{1,2}(?:\.\d{1,9})?)$`)
	smpte = regexp.MustCompile(`^(\d{1,3}):(\d{1,2}):(\d{1,2})([:;])(\d{1,3})$`)
)

// Parse reads a length: 10s, 1m32s, 1.5, 500ms, 00:01:32.5, 00:01:32:12, 00:01:32;12
// (drop-frame), 250f. A number alone is seconds. rate is the project's, which says
// how many frames a second of a timecode has.
func Parse(s string, rate Rate) (Length, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	l, err := parse(s, rate)
	if errors.Is(err, ErrForm) || errors.Is(err, errLong) {
		err = fmt.Errorf("%q %w", s, err)
	}
	return l, err
}

func parse(s string, rate Rate) (Length, error) {
	if n, ok := strings.CutSuffix(s, "f"); ok {
		frames, err := strconv.Atoi(n)
		switch {
		case err != nil || frames < 0:
			return Length{}, ErrForm
		case frames > Most*MaxRate:
			return Length{}, errLong
		}
		return Length{Frames: frames, Counted: true}, nil
	}
	if ms, ok := strings.CutSuffix(s, "ms"); ok {
		n, err := decimal(ms)
		if err != nil {
			return Length{}, ErrForm
		}
		return sum(New(n.Num, n.Den*1000))
	}
	if m := smpte.FindStringSubmatch(s); m != nil {
		return counted(m, rate)
	}
	if m := clock.FindStringSubmatch(s); m != nil {
		if m[1] != "" && below(m[2], 60) != nil || below(m[3], 60) != nil {
			return Length{}, fmt.Errorf("%q has more than 59 minutes or seconds", s)
		}
		return parts(m[1], m[2], m[3])
	}
	if m := units.FindStringSubmatch(s); m != nil && s != "" {
		return parts(m[1], m[2], m[3])
	}
	return Length{}, ErrForm
}

// below is an error for digits of a number that is not less than n.
func below(s string, n float64) error {
	if x, err := strconv.ParseFloat(s, 64); err != nil || x >= n {
		return errLong
	}
	return nil
}

// parts adds hours, minutes and seconds.
func parts(h, m, s string) (Length, error) {
	hours, _ := strconv.ParseInt("0"+h, 10, 64) // digits
	minutes, _ := strconv.ParseInt("0"+m, 10, 64)
	seconds, err := decimal("0" + s)
	if err != nil {
		return Length{}, errLong
	}
	whole := hours*3600 + minutes*60
	return sum(New(seconds.Num+whole*seconds.Den, seconds.Den))
}

func sum(t Rat) (Length, error) {
	if t.Num > Most*t.Den {
		return Length{}, errLong
	}
	return Length{Seconds: t}, nil
}

// decimal reads digits with a point, exactly.
func decimal(s string) (Rat, error) {
	whole, part, _ := strings.Cut(s, ".")
	if len(part) > 9 {
		part = part[:9]
	}
	n, err := strconv.ParseInt(whole+part, 10, 64)
	if err != nil || n < 0 || len(whole) > 8 {
		return Rat{}, fmt.Errorf("%q is not a number", s)
	}
	den := int64(1)
	for range part {
		den *= 10
	}
	return New(n, den), nil
}

// Whole is how many frames the timecodes of a rate count in a second: 30 for 29.97.
func (r Rate) Whole() int { return int((r.Num + r.Den - 1) / r.Den) }

// Drops reports whether the rate has drop-frame timecodes, which leave out numbers
// so as to keep up with the clock.
func (r Rate) Drops() bool { return r.Den == 1001 && r.Whole()%30 == 0 }

// counted reads HH:MM:SS:FF.
func counted(m []string, rate Rate) (Length, error) {
	n := make([]int, 6)
	for _, i := range []int{1, 2, 3, 5} {
		n[i], _ = strconv.Atoi(m[i]) // digits
	}
	fps := rate.Whole()
	switch {
	case n[2] > 59 || n[3] > 59:
		return Length{}, fmt.Errorf("%q has more than 59 minutes or seconds", m[0])
	case n[5] >= fps:
		return Length{}, fmt.Errorf("%q has the frame %d, and at %s frames a second they go from 0 to %d", m[0], n[5], rate, fps-1)
	}
	minutes := n[1]*60 + n[2]
	frames := (minutes*60+n[3])*fps + n[5]
	if m[4] == ";" {
		drop := fps / 15
		if !rate.Drops() {
			return Length{}, fmt.Errorf("%q is a drop-frame timecode, which %s frames a second do not have: write : in place of ;", m[0], rate)
		}
		if n[3] == 0 && n[5] < drop && n[2]%10 != 0 {
			return Length{}, fmt.Errorf("%q is one of the numbers that drop-frame timecodes leave out", m[0])
		}
		frames -= drop * (minutes - minutes/10)
	}
	return Length{Frames: frames, Counted: true}, nil
}

// Timecode writes frames as HH:MM:SS:FF, with ; where drop is set, which only rates
// that drop numbers have.
func (r Rate) Timecode(frames int, drop bool) string {
	fps, sep := r.Whole(), ":"
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
