package args

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// Keys that several verbs take.
var (
	ChKey        = value.Key[int]{Name: "ch", Type: value.Int(1, 16)}
	VelKey       = value.Key[int]{Name: "vel", Type: Velocity, Default: theory.DefaultVelocity}
	OverKey      = value.Key[bool]{Name: "over", Type: value.Bool}
	OctKey       = value.Key[int]{Name: "oct", Type: value.Int(-1, 9), Default: 4}
	CountKey     = value.Key[int]{Name: "count", Type: value.Int(1, 10_000), Default: 1}
	SeedKey      = value.Key[int]{Name: "seed", Type: value.Type[int]{Takes: "N", Parse: value.Int(0, math.MaxInt32).Parse}, Default: 1}
	TransposeKey = value.Key[int]{Name: "transpose", Type: value.Int(-127, 127)}
	StrengthKey  = value.Key[int]{Name: "strength", Type: Percent(1, 100), Default: 100}
	BankKey      = value.Key[int]{Name: "bank", Type: bank, Default: -1}
)

// Velocity is the loudness of a note: a number or a dynamics marking.
var Velocity = value.Type[int]{Takes: "1-127|ppp…fff", Parse: func(s string) (int, error) {
	v, err := theory.ParseVelocity(s)
	if err != nil {
		err = &value.Invalid{Why: "is neither 1 to 127 nor one of ppp pp p mp mf f ff fff sfz", Near: near.Velocity(s)}
	}
	return v, err
}}

// Percent is a whole number, with or without a percent sign.
func Percent(low, high int) value.Type[int] {
	t := value.Int(low, high)
	return value.Type[int]{Takes: t.Takes, Parse: func(s string) (int, error) { return t.Parse(strings.TrimSuffix(s, "%")) }}
}

// bank is the number of a bank, or its two bytes, as in instruments' manuals.
var bank = value.Type[int]{Takes: "0-16383|MSB.LSB", Parse: func(s string) (int, error) {
	high, low, bytes := strings.Cut(s, ".")
	if !bytes {
		return value.Int(0, 1<<14-1).Parse(s)
	}
	h, err1 := strconv.ParseUint(high, 10, 7)
	l, err2 := strconv.ParseUint(low, 10, 7)
	if err1 != nil || err2 != nil {
		return 0, &value.Invalid{Why: "is neither a whole number from 0 to 16383 nor its two bytes, like 3.12"}
	}
	return int(h<<7 | l), nil
}}
