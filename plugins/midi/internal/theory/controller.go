package theory

import (
	"fmt"
	"strconv"
)

// Controller is a control change number and its name.
type Controller struct {
	Number int
	Name   string
}

var controllers = [...]Controller{
	{0, "bank"}, {1, "modulation"}, {2, "breath"}, {4, "foot"}, {5, "portamento-time"}, {6, "data"}, {7, "volume"},
	{8, "balance"}, {10, "pan"}, {11, "expression"}, {12, "effect-1"}, {13, "effect-2"}, {32, "bank-lsb"}, {33, "modulation-lsb"},
	{38, "data-lsb"}, {39, "volume-lsb"}, {42, "pan-lsb"}, {43, "expression-lsb"}, {64, "sustain"}, {65, "portamento"}, {66, "sostenuto"},
	{67, "soft"}, {68, "legato"}, {69, "hold-2"}, {70, "variation"}, {71, "resonance"}, {72, "release"}, {73, "attack"},
	{74, "cutoff"}, {75, "decay"}, {76, "vibrato-rate"}, {77, "vibrato-depth"}, {78, "vibrato-delay"}, {84, "portamento-control"},
	{91, "reverb"}, {92, "tremolo"}, {93, "chorus"}, {94, "detune"}, {95, "phaser"}, {96, "data-increment"}, {97, "data-decrement"},
	{98, "nrpn-lsb"}, {99, "nrpn-msb"}, {100, "rpn-lsb"}, {101, "rpn-msb"}, {120, "all-sound-off"}, {121, "reset-controllers"},
	{122, "local-control"}, {123, "all-notes-off"}, {124, "omni-off"}, {125, "omni-on"}, {126, "mono"}, {127, "poly"},
}

var controllerAliases = [...]Controller{
	{0, "bank-msb"}, {0, "bank-select"}, {1, "mod"}, {1, "mod-wheel"}, {1, "modwheel"}, {6, "data-entry"}, {7, "vol"}, {64, "pedal"},
	{64, "damper"}, {64, "hold"}, {67, "soft-pedal"}, {65, "portamento-on"}, {71, "filter-resonance"}, {71, "timbre"}, {72, "release-time"},
	{73, "attack-time"}, {74, "brightness"}, {74, "filter-cutoff"}, {75, "decay-time"}, {94, "celeste"}, {121, "reset-all-controllers"},
	{68, "legato-footswitch"}, {126, "mono-mode"}, {127, "poly-mode"},
}

// ParseController reads a controller's name or number, 0-127.
func ParseController(s string) (int, error) {
	if n, err := strconv.Atoi(s); err == nil {
		if n < 0 || n > 127 {
			return 0, fmt.Errorf("controller %s is outside 0 to 127", s)
		}
		return n, nil
	}
	for _, table := range [][]Controller{controllers[:], controllerAliases[:]} {
		for _, c := range table {
			if sameName(c.Name, s) {
				return c.Number, nil
			}
		}
	}
	return 0, fmt.Errorf("unknown controller %q", s)
}

// ControllerName returns the controller's name, or its number if it has none.
func ControllerName(n int) string {
	for _, c := range controllers {
		if c.Number == n {
			return c.Name
		}
	}
	return strconv.Itoa(n)
}

// ControllerNames lists the names in order of their numbers.
func ControllerNames() []string {
	out := make([]string, 0, len(controllers))
	for _, c := range controllers {
		out = append(out, c.Name)
	}
	return out
}
