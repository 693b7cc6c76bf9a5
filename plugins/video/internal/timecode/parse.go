package timecode

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// Length is a length of time as it was written: in seconds, or in frames of the project.
type Length struct {
	Seconds  Rat
	Frames   int  // if it was written in frames
	InFrames bool // whether it was
}

// In returns the length in whole frames. exact is false if it had to be rounded.
func (l Length) In(r Rate) (frames int, exact bool) {
	if l.InFrames {
		return l.Frames, true
	}
	return r.Frames(l.Seconds)
}

// Forms lists how times are written, for error messages.
const Forms = "10s, 1m32s, 1.5s, 500ms, 00:01:32.5, 00:01:32:12 or 250f"

// ErrForm is the error for a text that does not look like a time. Other errors of Parse say what is wrong with one that does.
var ErrForm = errors.New("is not a time: " + Forms)

// errTooLong is the error for times longer than MaxSeconds.
var errTooLong = errors.New("is longer than a hundred hours")

var (
	units = pdk.Regexp(`^(?:(\d{1,3})h)?(?:(\d{1,4})m)?(?:(\d{1,6}(?:\.\d{1,9})?)s?)?$`)
	clock = pdk.Regexp(`^(?:(\d{1,3}):)?(\d{1,3}):(\d{1,2}(?:\.\d{1,9})?)$`)
	smpte = pdk.Regexp(`^(\d{1,3}):(\d{1,2}):(\d{1,2})([:;])(\d{1,3})$`)
)

// Parse reads a length: 10s, 1m32s, 1.5, 500ms, 00:01:32.5, 00:01:32:12, 00:01:32;12 (drop-frame) or 250f. A number alone is
// seconds. rate is the project's, which gives the number of frames in a second of a timecode.
func Parse(s string, rate Rate) (Length, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	l, err := parse(s, rate)
	if errors.Is(err, ErrForm) || errors.Is(err, errTooLong) {
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
		case frames > MaxSeconds*MaxRate:
			return Length{}, errTooLong
		}
		return Length{Frames: frames, InFrames: true}, nil
	}
	if ms, ok := strings.CutSuffix(s, "ms"); ok {
		n, err := parseDecimal(ms)
		if err != nil {
			return Length{}, ErrForm
		}
		return sum(New(n.Num, n.Den*1000))
	}
	if m := smpte().FindStringSubmatch(s); m != nil {
		return parseTimecode(m, rate)
	}
	if m := clock().FindStringSubmatch(s); m != nil {
		if m[1] != "" && checkBelow(m[2], 60) != nil || checkBelow(m[3], 60) != nil {
			return Length{}, fmt.Errorf("%q has more than 59 minutes or seconds", s)
		}
		return clockLength(m[1], m[2], m[3])
	}
	if m := units().FindStringSubmatch(s); m != nil && s != "" {
		return clockLength(m[1], m[2], m[3])
	}
	return Length{}, ErrForm
}

// checkBelow returns an error unless the number is less than n.
func checkBelow(s string, n float64) error {
	if x, err := strconv.ParseFloat(s, 64); err != nil || x >= n {
		return errTooLong
	}
	return nil
}

// clockLength adds hours, minutes and seconds.
func clockLength(h, m, s string) (Length, error) {
	hours, _ := strconv.ParseInt("0"+h, 10, 64) // the text has only digits
	minutes, _ := strconv.ParseInt("0"+m, 10, 64)
	seconds, err := parseDecimal("0" + s)
	if err != nil {
		return Length{}, errTooLong
	}
	whole := hours*3600 + minutes*60
	return sum(New(seconds.Num+whole*seconds.Den, seconds.Den))
}

func sum(t Rat) (Length, error) {
	if t.Num > MaxSeconds*t.Den {
		return Length{}, errTooLong
	}
	return Length{Seconds: t}, nil
}

// parseDecimal reads a decimal number exactly.
func parseDecimal(s string) (Rat, error) {
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

// Timebase returns how many frames the timecodes of a rate count in a second: 30 for 29.97.
func (r Rate) Timebase() int { return int((r.Num + r.Den - 1) / r.Den) }

// DropFrame reports whether the rate has drop-frame timecodes, which skip numbers to keep up with the clock.
func (r Rate) DropFrame() bool { return r.Den == 1001 && r.Timebase()%30 == 0 }

// parseTimecode reads HH:MM:SS:FF.
func parseTimecode(m []string, rate Rate) (Length, error) {
	n := make([]int, 6)
	for _, i := range []int{1, 2, 3, 5} {
		n[i], _ = strconv.Atoi(m[i]) // only digits
	}
	fps := rate.Timebase()
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
		if !rate.DropFrame() {
			return Length{}, fmt.Errorf("%q is a drop-frame timecode, which %s frames a second do not have: write : in place of ;", m[0], rate)
		}
		if n[3] == 0 && n[5] < drop && n[2]%10 != 0 {
			return Length{}, fmt.Errorf("%q is one of the numbers that drop-frame timecodes leave out", m[0])
		}
		frames -= drop * (minutes - minutes/10)
	}
	return Length{Frames: frames, InFrames: true}, nil
}

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
