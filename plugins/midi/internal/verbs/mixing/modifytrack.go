package mixing

import (
	"strconv"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// ModifyTrack changes a track's name, sound, channel, volume and pan.
func ModifyTrack(c *ctx, a pdk.Args, t *song.Track, keys ...string) error {
	pdk.Check(args.CheckKeys(a, "modify track", keys...))
	if len(a.Params) == pdk.If(a.Has("track"), 1, 0) {
		return pdk.Errorf("modify needs something to change: name: instrument: program: bank: ch: volume: pan:")
	}
	pdk.Check(args.RefuseConductor(t))
	var p args.Progress
	if a.Has("name") {
		pdk.Check(p.Step(renameTrack(c, t, a.String("name", ""))))
	}
	v := pdk.Must(voiceArgs(c, a))
	if v.channel > 0 {
		pdk.Check(p.Step(moveChannel(c, t, v.channel)))
	}
	if v.channel == 0 {
		if v.channel = t.Channel(); v.channel == 0 {
			v.channel, _ = c.Model.FreeChannel()
		}
	}
	if v.melodic != "" && v.channel == theory.DrumChannel {
		return notAKit(v)
	}
	if v.bank >= 0 {
		for _, half := range []struct {
			name  string
			value int
		}{{"bank", v.bank >> 7}, {"bank-lsb", v.bank & 0x7F}} {
			pdk.Check(p.Step(setController(c, t, v.channel, half.name, half.value)))
		}
	}
	if v.program >= 0 {
		pdk.Check(p.Step(setProgram(c, t, v.channel, v.program)))
	}
	for i, k := range []*control{ccControl(v.channel, 7), panControl(v.channel)} {
		key := []string{"volume", "pan"}[i]
		text, ok := a.Param(key)
		if !ok {
			continue
		}
		value, err := k.one(c, t, 0, text)
		if err != nil {
			return args.Instead(pdk.Errorf("%s:%s is not a number from 0 to 127", key, text), a, key, k.near(text)...)
		}
		pdk.Check(p.Step(setController(c, t, v.channel, key, value)))
	}
	pdk.Check(p.Result())
	sound := ""
	if p := t.Program(); p != nil {
		sound = " " + song.SoundName(int(p.A), v.channel)
	}
	c.Changed("Track %s ch:%d%s", c.Model.Name(t), v.channel, sound)
	return nil
}

// moveChannel moves everything on a track's channel to another channel.
func moveChannel(c *ctx, t *song.Track, to int) error {
	x := &song.Set{}
	from := t.Channel()
	if from == to {
		return pdk.Unchanged("%s is already on channel %d", c.Model.Name(t), to)
	}
	for e := range t.Events() {
		if e.IsChannel() && e.Channel() == from {
			x.Change(e).Status = e.Status&0xF0 | byte(to-1)
		}
	}
	if len(x.Items) == 0 {
		return pdk.Unchanged("%s has no channel messages", c.Model.Name(t))
	}
	sent := args.SentBy(t)
	pdk.Check(c.Do(x, "Channel "+strconv.Itoa(to)+" for "+c.Model.Name(t)))
	args.WarnLeft(c, t, []int{from}, sent)
	args.WarnShared(c, t, to)
	return nil
}

// setProgram sets the first program of a track's channel.
func setProgram(c *ctx, t *song.Track, channel, program int) error {
	now := smf.Event{Status: 0xC0 | byte(channel-1), A: byte(program)}
	old := t.First(func(e *song.Event) bool { return e.Status == now.Status })
	if old != nil && old.A == now.A {
		return pdk.Unchanged("%s already plays %s", c.Model.Name(t), song.SoundName(program, channel))
	}
	args.Put(c, t, old, now, song.SoundName(program, channel)+" for "+c.Model.Name(t))
	return nil
}

// setController sets a named controller at the start.
func setController(c *ctx, t *song.Track, channel int, name string, value int) error {
	now := smf.Event{Status: 0xB0 | byte(channel-1), A: byte(pdk.Must(theory.ParseController(name))), B: byte(value)}
	old := t.Find(0, func(e *song.Event) bool { return e.Status == now.Status && e.A == now.A })
	if old != nil && old.B == now.B {
		return pdk.Unchanged("%s is already %d", name, value)
	}
	args.Put(c, t, old, now, name+" "+strconv.Itoa(value)+" on "+c.Model.Name(t))
	return nil
}
