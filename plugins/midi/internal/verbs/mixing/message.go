package mixing

import (
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// registered are the parameters that the MIDI specification numbers. Their values count
// from low; those with step 128 set only the coarse byte.
var registered = [...]struct {
	name      string
	number    int
	low, high int
	step      int
	zero      int // the data value of 0
}{
	{"bend-range", 0, 0, 127, 128, 0}, // semitones
	{"fine-tune", 1, -8192, 8191, 1, 8192},
	{"coarse-tune", 2, -64, 63, 128, 64 * 128}, // semitones
	{"tuning-program", 3, 0, 127, 128, 0},
	{"tuning-bank", 4, 0, 127, 128, 0},
	{"modulation-range", 5, 0, 16383, 1, 0},
}

var rpnVerb = verb{Keys: []pdk.Parameter{args.ChKey}, Verb: abi.Verb{
	Category: "Tracks", Syntax: "rpn TRACK bend-range|fine-tune|coarse-tune|tuning-program|tuning-bank|modulation-range|0-16383 VALUE [at:POS] [ch:N]",
	Brief:    "rpn TRACK bend-range|…|0-16383 VALUE [at:] · nrpn, too",
	Summary:  "a registered parameter: controllers 101, 100, 6, 38, and the parameter closed again",
	Examples: []string{"rpn Piano bend-range 12", "rpn Piano fine-tune -100 at:2.1"},
}, Run: controlOp(func(c *ctx, a pdk.Args, t *song.Track, channel int) error {
	for _, r := range registered {
		if !strings.EqualFold(r.name, a.Text(1)) {
			continue
		}
		v := pdk.Must(args.Number(a, 2, r.low, r.high, r.name))
		return setParameter(c, a, t, parameter{channel, 101, r.number}, v*r.step+r.zero, "RPN "+r.name+" "+strconv.Itoa(v))
	}
	return setByNumber(c, a, t, parameter{channel: channel, msb: 101}, "RPN")
})}

var nrpnVerb = verb{Keys: []pdk.Parameter{args.ChKey}, Verb: abi.Verb{
	Hidden: true, Category: "Tracks", Syntax: "nrpn TRACK 0-16383 VALUE [at:POS] [ch:N]",
	Brief:    "nrpn TRACK 0-16383 VALUE [at:]",
	Summary:  "an instrument's own parameter: controllers 99, 98, 6, 38, and the parameter closed again",
	Examples: []string{"nrpn Piano 136 8192"},
}, Run: controlOp(func(c *ctx, a pdk.Args, t *song.Track, channel int) error {
	return setByNumber(c, a, t, parameter{channel: channel, msb: 99}, "NRPN")
})}

// parameter is a registered or non-registered parameter of a channel.
type parameter struct {
	channel int // 1-16
	msb     int // the controller that selects its high byte: 101, or 99 if it is non-registered
	number  int // 14 bits
}

// setByNumber sets a parameter by the number in the op, with a value of 14 bits.
func setByNumber(c *ctx, a pdk.Args, t *song.Track, p parameter, kind string) error {
	n, err := strconv.Atoi(a.Text(1))
	if err != nil || n < 0 || n > 16383 {
		e := pdk.Errorf("%s %q is not a parameter's number from 0 to 16383", kind, a.Text(1))
		if kind != "RPN" {
			return e
		}
		var names []string
		for _, r := range registered {
			names = append(names, r.name)
		}
		e.Message += ", or one of " + strings.Join(names, " ")
		return args.InsteadAt(e, a, 1, near.Word(a.Text(1), names)...)
	}
	v := pdk.Must(args.Number(a, 2, 0, 16383, kind+" value"))
	p.number = n
	return setParameter(c, a, t, p, v, kind+" "+strconv.Itoa(n)+" "+strconv.Itoa(v))
}

// setParameter writes the controllers that select a parameter and set it to a value of 14
// bits, and those that deselect it, so that later data entries do not change it.
func setParameter(c *ctx, a pdk.Args, t *song.Track, p parameter, value int, what string) error {
	at := pdk.Must(args.Position(c, a, "at", t, 0))
	if old, ok := p.at(t, at); ok && old == value {
		return pdk.Unchanged("%s is already set on %s at %s", what, c.Model.Name(t), c.Model.At(t, at))
	}
	x := &song.Insert{}
	for _, m := range [][2]int{{p.msb, p.number >> 7}, {p.msb - 1, p.number & 0x7F}, {6, value >> 7}, {38, value & 0x7F}, {101, 127}, {100, 127}} {
		x.Add(t, smf.Event{Tick: at, Status: 0xB0 | byte(p.channel-1), A: byte(m[0]), B: byte(m[1])})
	}
	text := what + " on " + c.Model.Name(t) + " at " + c.Model.At(t, at)
	suffix := args.ChannelSuffix(t, p.channel)
	args.Do(c, x, text)
	c.Created("%s%s", text, suffix)
	return nil
}

// at returns the value that the parameter is set to at a tick. ok is false if it is not set
// there.
func (p parameter) at(t *song.Track, at int64) (value int, ok bool) {
	chosen := [...]int{-1, -1, -1} // the parameter's high and low byte, and the controller that selects it
	for e := range t.Between(at, at+1) {
		if e.Status != 0xB0|byte(p.channel-1) {
			continue
		}
		switch data := int(e.B); int(e.A) {
		case 99, 101:
			chosen[0], chosen[2] = data, int(e.A)
		case 98, 100:
			chosen[1] = data
		case 6, 38:
			if chosen != [...]int{p.number >> 7, p.number & 0x7F, p.msb} {
				continue
			}
			if ok = true; e.A == 6 {
				value = data<<7 | value&0x7F
			} else {
				value = value&^0x7F | data
			}
		}
	}
	return value, ok
}

// resets are the system exclusive messages that have names. They put an instrument into
// General MIDI, Roland GS or Yamaha XG mode.
var resets = map[string]string{
	"gm-on": "7E7F0901", "gm-off": "7E7F0902", "gm2-on": "7E7F0903", "gs-on": "4110421240007F0041", "xg-on": "43104C00007E00",
}

// sysexArg returns the hexadecimal digits between F0 and F7.
func sysexArg(a pdk.Args) (digits string) {
	words := a.Texts(1)
	name := strings.ToLower(words[0])
	if data, ok := resets[name]; ok && len(words) == 1 {
		return data
	}
	if name == "master-volume" && len(words) == 2 {
		v := pdk.Must(args.Number(a, 2, 0, 127, "master-volume"))
		return hex.EncodeToString([]byte{0x7F, 0x7F, 4, 1, 0, byte(v)})
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), "")
}

var sysexVerb = verb{Verb: abi.Verb{
	Category: "Tracks", Syntax: "sysex TRACK HEX…|gm-on|gm-off|gm2-on|gs-on|xg-on|master-volume 0-127 [at:POS]",
	Brief:    "sysex TRACK HEX…|gm-on [at:]",
	Summary:  "a system exclusive message in hexadecimal, or one by its name; F0 and F7 around it may be left out",
	Min:      2,
	Examples: []string{"sysex Piano F0 7E 7F 09 01 F7", `sysex Piano "41 10 42 12 40 00 7F 00 41" at:1.1`, "sysex Piano gs-on", "sysex Piano master-volume 100"},
}, Run: func(c *ctx, a pdk.Args) error {
	t := pdk.Must(args.Track(c, a, 0, false))
	digits := sysexArg(a)
	data, err := hex.DecodeString(digits)
	if err != nil {
		if names := near.Word(a.Text(1), slices.Sorted(maps.Keys(resets))); names != nil && len(a.Positionals) == 2 {
			return args.InsteadAt(pdk.Errorf("sysex %q is neither a message's name nor pairs of hexadecimal digits", song.Brief(digits, 100)), a, 1, names...)
		}
		bare := strings.NewReplacer("0x", "", "0X", "", ",", "", "h", "", "H", "").Replace(digits)
		e := pdk.Errorf("sysex %q is not pairs of hexadecimal digits", song.Brief(digits, 100))
		if _, err := hex.DecodeString(bare); err != nil {
			return e
		}
		return args.Suggest(e, args.OneText(a, bare))
	}
	if len(data) > 0 && data[0] == 0xF0 {
		data = data[1:]
	}
	if len(data) > 0 && data[len(data)-1] == 0xF7 {
		data = data[:len(data)-1]
	}
	if len(data) == 0 {
		return pdk.Errorf("sysex: there is nothing between F0 and F7")
	}
	for i, b := range data {
		if b > 0x7F {
			return pdk.Errorf("sysex: byte %d after F0 is %02X; data bytes go up to 7F", i+1, b)
		}
	}
	at := pdk.Must(args.Position(c, a, "at", t, 0))
	x := &song.Insert{}
	x.Add(t, smf.Event{Tick: at, Status: smf.SysEx, Payload: append(data, 0xF7)})
	text := "SysEx of " + pdk.Count(len(data), "byte") + " on " + c.Model.Name(t) + " at " + c.Model.At(t, at)
	args.Do(c, x, text)
	c.Created("%s", text)
	return nil
}}
