// Package timecode counts the frames of a film: exact times of seconds as
// fractions, rates such as 30000/1001, the ways in which people write times, and
// how they are told.
package timecode

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Rat is an exact number of seconds, Num/Den with Den > 0, in lowest terms.
type Rat struct{ Num, Den int64 }

// Most is the longest time that is reckoned with, in seconds: a hundred hours.
const Most = 360_000

// New is num/den in lowest terms. den must not be 0.
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

// Plus is a sum of times that Parse read, whose fractions are decimal: it does not overflow.
func (t Rat) Plus(o Rat) Rat {
	r := New(t.Den, o.Den)
	return New(t.Num*r.Den+o.Num*r.Num, r.Num*o.Den)
}

// Rate is a number of frames a second. The zero value is none.
type Rate struct{ Num, Den int64 }

// MaxRate is the fastest rate of a project.
const MaxRate = 240

// Float is the rate as frames a second.
func (r Rate) Float() float64 { return float64(r.Num) / float64(r.Den) }

// String writes the rate as people do: 30, 29.97, 12.5, and a fraction where three
// decimals do not tell it.
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

// ErrRate is the error for what is no rate.
var ErrRate = errors.New("a frame rate is a number such as 25, 29.97 or 30000/1001, from 1 to 240")

// ParseRate reads 30, 29.97 (which stands for 30000/1001), 30000/1001, 25fps.
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

// RateOf is the rate that a number stands for: those of NTSC where it is near one
// of them, else to a thousandth.
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

// Seconds is how long a number of frames takes.
func (r Rate) Seconds(frames int) Rat { return New(int64(frames)*r.Den, r.Num) }

// Frames is the number of frames nearest to a time, and whether the time is exactly that.
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

// Of is a time of value units of which rate make a second, as OpenTimelineIO has
// times, in frames of r.
func (r Rate) Of(value, rate float64) int {
	if !(rate > 0) || math.IsNaN(value) || math.Abs(value/rate) > Most {
		return 0
	}
	if near, err := RateOf(rate); err == nil && near == r && value == math.Trunc(value) {
		return int(value)
	}
	f := math.Floor(value/rate*r.Float() + 0.5)
	return int(f)
}

// Text tells a time that many frames long, as short as it can be read back: 1m32s,
// 8.5s, 1.567s.
func (r Rate) Text(frames int) string {
	if r.Num == 0 {
		return strconv.Itoa(frames) + "f"
	}
	sign := ""
	if frames < 0 {
		sign, frames = "-", -frames
	}
	// In milliseconds, which is finer than any frame.
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

// Clock tells a time as a clock does: 00:15, 01:02:03, and with what is left of a
// second: 00:15.5.
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
