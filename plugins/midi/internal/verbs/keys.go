package verbs

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
	chKey        = value.Key[int]{Name: "ch", Type: value.Int(1, 16)}
	velKey       = value.Key[int]{Name: "vel", Type: velocity, Default: theory.DefaultVelocity}
	overKey      = value.Key[bool]{Name: "over", Type: value.Bool}
	octKey       = value.Key[int]{Name: "oct", Type: value.Int(-1, 9), Default: 4}
	countKey     = value.Key[int]{Name: "count", Type: value.Int(1, 10_000), Default: 1}
	seedKey      = value.Key[int]{Name: "seed", Type: value.Type[int]{Takes: "N", Parse: value.Int(0, math.MaxInt32).Parse}, Default: 1}
	transposeKey = value.Key[int]{Name: "transpose", Type: value.Int(-127, 127)}
	strengthKey  = value.Key[int]{Name: "strength", Type: percent(1, 100), Default: 100}
	bankKey      = value.Key[int]{Name: "bank", Type: bank, Default: -1}
)

// velocity is the loudness of a note: a number or a dynamics marking.
var velocity = value.Type[int]{Takes: "1-127|ppp…fff", Parse: func(s string) (int, error) {
	v, err := theory.ParseVelocity(s)
	if err != nil {
		err = &value.Invalid{Why: "is neither 1 to 127 nor one of ppp pp p mp mf f ff fff sfz", Near: near.Velocity(s)}
	}
	return v, err
}}

// percent is a whole number, with or without a percent sign.
func percent(low, high int) value.Type[int] {
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
