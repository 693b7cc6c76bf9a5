package verbs

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

func ccVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "cc", Category: "Tracks", Syntax: "cc TRACK NAME|0-127 VALUE [at:POS] [ch:N]",
		Summary: "a controller's value (0-127) from 1.1 or at:; replaces one at the same place",
		Params:  []abi.Param{atParam, chParam}, Min: 3, Max: 3,
		Examples: []string{"cc Piano volume 100", "cc Piano sustain 127 at:2.1", "cc Piano 74 64 at:3.1"},
	}, Run: func(c *ctx, a pdk.Args) error {
		t, err := playing(c, a, 0)
		if err != nil {
			return err
		}
		number, err := controllerArg(a, 1)
		if err != nil {
			return err
		}
		value, err := controlValue(a.Text(2))
		if err != nil {
			return insteadAt(err, a, 2, "100")
		}
		channel, err := channelArg(c, a, t)
		if err != nil {
			return err
		}
		at, err := positionArg(c, a, "at", t, 0)
		if err != nil {
			return err
		}
		status := 0xB0 | byte(channel-1)
		name := theory.ControllerName(number)
		text := "CC " + name + " " + itoa(value) + " on " + c.Model.Name(t) + " at " + c.Model.At(t, at)
		if old := t.Find(at, func(e *song.Event) bool { return e.Status == status && int(e.A) == number }); old != nil {
			if int(old.B) == value {
				return idle("CC %s is %d there already", name, value)
			}
			was := old.B
			x := &song.Set{}
			x.Change(old).B = byte(value)
			if err := c.Do(x, text, old.Ref()); err != nil {
				return err
			}
			c.Changed("%s (was %d)", text, was)
			return nil
		}
		suffix := elsewhere(t, channel)
		x := &song.Insert{}
		x.Add(t, smf.Event{Tick: at, Status: status, A: byte(number), B: byte(value)})
		if err := c.Do(x, text, x.Refs(c.Model)...); err != nil {
			return err
		}
		c.Created("%s%s", text, suffix)
		return nil
	}}
}

// controllerArg reads the controller that positional i names.
func controllerArg(a pdk.Args, i int) (int, error) {
	n, err := theory.ParseController(a.Text(i))
	if err == nil {
		return n, nil
	}
	e, try := refusal(err), "volume"
	if near := pdk.Nearest(a.Text(i), theory.ControllerNames()); len(near) > 0 {
		e.Message += "; nearest: " + strings.Join(near, ", ")
		try = near[0]
	} else {
		e.Message += "; give a number, or one of " + strings.Join(theory.ControllerNames(), " ")
	}
	return 0, insteadAt(e, a, i, try)
}

func controlValue(s string) (int, error) {
	switch strings.ToLower(s) {
	case "on":
		return 127, nil
	case "off":
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 127 {
		return 0, pdk.Errorf("value %q is not a number from 0 to 127", s)
	}
	return n, nil
}
