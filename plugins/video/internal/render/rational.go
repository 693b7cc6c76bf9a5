package render

import (
	"math/big"
	"strconv"
)

// orDefault returns r, or d if r is zero.
func (r Rational) orDefault(d Rational) Rational {
	if r.Num == 0 || r.Den == 0 {
		return d
	}
	return r
}

func (r Rational) rat() *big.Rat {
	if r.Den == 0 {
		return new(big.Rat)
	}
	return big.NewRat(r.Num, r.Den)
}

// String prints the number as ffmpeg reads it, as a rational and in expressions.
func (r Rational) String() string {
	return strconv.FormatInt(r.Num, 10) + "/" + strconv.FormatInt(r.Den, 10)
}

// seconds returns the length of a number of frames.
func (p *Project) seconds(frames int) *big.Rat {
	return new(big.Rat).Mul(big.NewRat(int64(frames), 1), big.NewRat(p.FPS.Den, p.FPS.Num))
}

// frameAt returns the last frame of the project that starts at or before a time in seconds.
func (p *Project) frameAt(seconds *big.Rat) int {
	r := new(big.Rat).Mul(seconds, p.FPS.rat())
	return int(new(big.Int).Div(r.Num(), r.Denom()).Int64())
}

// samples returns the number of samples before a frame. Lengths are differences of such numbers, and so do not drift.
func (p *Project) samples(frame int) int64 {
	n := big.NewInt(int64(frame))
	n.Mul(n, big.NewInt(p.FPS.Den)).Mul(n, big.NewInt(int64(p.rate())))
	return n.Div(n, big.NewInt(p.FPS.Num)).Int64()
}

func (p *Project) rate() int {
	if p.SampleRate == 0 {
		return 48000
	}
	return p.SampleRate
}

// micros prints a duration for ffmpeg: decimal seconds, to the nearest microsecond.
func micros(r *big.Rat) string { return decimal(r.FloatString(6)) }

// decimal removes trailing zeros after the point.
func decimal(s string) string {
	for s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	if s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	return s
}

// number prints a number with at most three decimals.
func number(v float64) string { return rounded(v, 3) }

// precise prints a number with at most six decimals.
func precise(v float64) string { return rounded(v, 6) }

func rounded(v float64, decimals int) string {
	s := decimal(strconv.FormatFloat(v, 'f', decimals, 64))
	if s == "-0" {
		return "0"
	}
	return s
}

// floorMillis rounds a time down to whole milliseconds.
func floorMillis(r *big.Rat) *big.Rat {
	n := new(big.Int).Mul(r.Num(), big.NewInt(1000))
	n.Div(n, r.Denom()) // Euclidean division rounds down, as the denominator is positive
	return new(big.Rat).SetFrac(n, big.NewInt(1000))
}
