// Package timecode reads and prints times, lengths of time and timecodes, and converts them to frames. Times are exact fractions of a
// second, and rates are fractions such as 30000/1001. A key of a verb takes a Time or a Shift:
//
//	var fade = value.Key[timecode.Length]{Name: "fade", Type: timecode.Time}
package timecode

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Rat is an exact number of seconds: Num/Den with Den > 0, in lowest terms.
type Rat struct{ Num, Den int64 }

// MaxSeconds is the longest supported time: a hundred hours.
const MaxSeconds = 360_000

// New returns num/den in lowest terms. den must not be 0.
func New(num, den int64) Rat {
	if den < 0 {
		num, den = -num, -den
	}
	a, b := num, den
	if a < 0 {
		a = -a
	}
	for b != 0 {
		a, b = b, a%b
	}
	if a == 0 {
		return Rat{0, 1}
	}
	return Rat{num / a, den / a}
}

// Plus returns the sum of two times. Times from Parse have decimal fractions, so that their sum does not overflow.
func (t Rat) Plus(o Rat) Rat {
	r := New(t.Den, o.Den)
	return New(t.Num*r.Den+o.Num*r.Num, r.Num*o.Den)
}

// Rate is a number of frames per second. The zero value means no rate.
type Rate struct{ Num, Den int64 }

// MaxRate is the highest rate of a project.
const MaxRate = 240

// Float returns the rate in frames per second.
func (r Rate) Float() float64 { return float64(r.Num) / float64(r.Den) }

// String prints the rate as people write it: 30, 29.97, 12.5, or a fraction if three decimals are not enough.
func (r Rate) String() string {
	if r.Den == 0 {
		return "0"
	}
	short := strconv.FormatFloat(math.Round(r.Float()*1000)/1000, 'f', -1, 64)
	if back, err := ParseRate(short); err != nil || back != r {
		return fmt.Sprintf("%d/%d", r.Num, r.Den)
	}
	return short
}

// ErrRate is the error for an invalid rate.
var ErrRate = errors.New("is not a frame rate such as 25, 29.97 or 30000/1001, from 1 to 240")

// ParseRate reads 30, 29.97 (which means 30000/1001), 30000/1001 or 25fps.
func ParseRate(s string) (Rate, error) {
	s = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(s)), "fps")
	num, den, fraction := strings.Cut(s, "/")
	if fraction {
		n, errN := strconv.ParseInt(num, 10, 32)
		d, errD := strconv.ParseInt(den, 10, 32)
		if errN != nil || errD != nil || d <= 0 || n < d || n > MaxRate*d {
			return Rate{}, ErrRate
		}
		r := New(n, d)
		return Rate(r), nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return Rate{}, ErrRate
	}
	return RateOf(f)
}

// RateOf returns the rate that a number means: an NTSC rate if it is near one, otherwise the number rounded to a thousandth.
func RateOf(f float64) (Rate, error) {
	if !(f >= 1 && f <= MaxRate) {
		return Rate{}, ErrRate
	}
	whole := math.Ceil(f)
	if ntsc := whole * 1000 / 1001; f != whole && math.Abs(f-ntsc) < 0.006 {
		return Rate(New(int64(whole)*1000, 1001)), nil
	}
	return Rate(New(int64(math.Round(f*1000)), 1000)), nil
}

// Seconds returns the length of a number of frames.
func (r Rate) Seconds(frames int) Rat { return New(int64(frames)*r.Den, r.Num) }

// Frames returns the number of frames nearest to a time, and whether that is exact.
func (r Rate) Frames(t Rat) (frames int, exact bool) {
	// t.Num*r.Num / (t.Den*r.Den), without overflow
	neg := t.Num < 0
	n := uint64(t.Num)
	if neg {
		n = uint64(-t.Num)
	}
	hi, lo := bits.Mul64(n, uint64(r.Num))
	den := uint64(t.Den) * uint64(r.Den)
	if hi >= den {
		return 0, false
	}
	q, rem := bits.Div64(hi, lo, den)
	if rem >= den-rem && rem != 0 {
		q++
	}
	if neg {
		return -int(q), rem == 0
	}
	return int(q), rem == 0
}

// Of converts a time to frames of r. The time is value units of which there are rate in a second, as in OpenTimelineIO.
func (r Rate) Of(value, rate float64) int {
	if !(rate > 0) || math.IsNaN(value) || math.Abs(value/rate) > MaxSeconds {
		return 0
	}
	if near, err := RateOf(rate); err == nil && near == r && value == math.Trunc(value) {
		return int(value)
	}
	f := math.Floor(value/rate*r.Float() + 0.5)
	return int(f)
}

// Text prints the length of a number of frames as shortly as it can be read back: 1m32s, 8.5s, 1.567s.
func (r Rate) Text(frames int) string {
	if r.Num == 0 {
		return strconv.Itoa(frames) + "f"
	}
	sign := ""
	if frames < 0 {
		sign, frames = "-", -frames
	}
	// Milliseconds are finer than any frame.
	t := r.Seconds(frames)
	ms := (t.Num*1000 + t.Den/2) / t.Den
	h, m, s := ms/3_600_000, ms/60_000%60, ms%60_000
	var b strings.Builder
	b.WriteString(sign)
	if h > 0 {
		fmt.Fprintf(&b, "%dh", h)
	}
	if m > 0 || h > 0 && s > 0 {
		fmt.Fprintf(&b, "%dm", m)
	}
	if s > 0 || h == 0 && m == 0 {
		b.WriteString(strconv.FormatFloat(float64(s)/1000, 'f', -1, 64))
		b.WriteByte('s')
	}
	return b.String()
}

// Clock prints a time as a clock does, with a fraction of a second if there is one: 00:15, 01:02:03, 00:15.5.
func (r Rate) Clock(frames int) string {
	t := r.Seconds(frames)
	ms := (t.Num*1000 + t.Den/2) / t.Den
	h, m, s := ms/3_600_000, ms/60_000%60, ms/1000%60
	text := fmt.Sprintf("%02d:%02d", m, s)
	if h > 0 {
		text = fmt.Sprintf("%02d:%s", h, text)
	}
	if rest := ms % 1000; rest > 0 {
		text += strings.TrimRight(fmt.Sprintf(".%03d", rest), "0")
	}
	return text
}
