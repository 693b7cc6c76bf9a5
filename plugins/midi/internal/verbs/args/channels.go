package args

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// Sharers names the other tracks that something is true of, "" if there are none.
func Sharers(c *ctx, t *song.Track, is func(o *song.Track) bool) string {
	if c.Model.Format() == 2 { // whose tracks have channels of their own
		return ""
	}
	others := pdk.Filter(c.Model.Music(), func(o *song.Track) bool { return o != t && is(o) })
	return strings.Join(pdk.Map(others, c.Model.Name), ", ")
}

// playsOn reports whether a track has notes on a channel.
func playsOn(o *song.Track, channel int) bool {
	sums := o.Sums()
	return o.Notes() > 0 && slices.Contains(sums.Channels(), channel)
}

// Sends reports whether a track has messages for a channel other than notes.
func Sends(o *song.Track, channel int) bool {
	sent := SentBy(o)
	return sent[channel]
}

// WarnShared names the tracks that a message to a channel of a track reaches, too.
func WarnShared(c *ctx, t *song.Track, channel int) {
	if names := Sharers(c, t, func(o *song.Track) bool { return playsOn(o, channel) }); names != "" {
		c.Warn("channel %d is also that of %s, which this reaches as well", channel, names)
	}
}

// WarnLeft names the tracks on channels that a track no longer plays on: what they send there no longer reaches it.
// If it sent something itself, that no longer reaches them.
func WarnLeft(c *ctx, t *song.Track, left []int, sent [17]bool) {
	for _, channel := range left {
		if names := Sharers(c, t, func(o *song.Track) bool { return Sends(o, channel) }); names != "" {
			c.Warn("what these send on channel %d no longer reaches %s: %s", channel, c.Model.Name(t), names)
		}
		only := [17]bool{}
		only[channel] = sent[channel]
		WarnUnreached(c, t, c.Model.Name(t), only)
	}
}

// WarnUnreached names the tracks on channels for which a track has sent messages, and does so no longer.
func WarnUnreached(c *ctx, t *song.Track, name string, sent [17]bool) {
	for channel, did := range sent {
		if names := Sharers(c, t, func(o *song.Track) bool { return playsOn(o, channel) }); names != "" && did {
			c.Warn("what %s sends no longer reaches these on channel %d: %s", name, channel, names)
		}
	}
}

// SentEvents lists the messages of a track for channels, other than notes.
func SentEvents(t *song.Track) (out []*song.Event) {
	for e := range t.Events() {
		if e.IsChannel() && e.Mate == nil {
			out = append(out, e)
		}
	}
	return out
}

// SentBy marks the channels of these messages.
func SentBy(t *song.Track) (out [17]bool) {
	for _, e := range SentEvents(t) {
		out[e.Channel()] = true
	}
	return out
}

// WarnNotes names notes of which a side effect is true.
func WarnNotes(c *ctx, what string, notes []string) {
	for some := range slices.Chunk(notes, 8) {
		c.Warn("%s: %s", what, strings.Join(some, ", "))
	}
}

// SaidNotes prints notes with their places.
func SaidNotes(c *ctx, notes []*song.Event) []string {
	return pdk.Map(notes, func(e *song.Event) string {
		return c.Model.PitchName(e) + " on " + c.Model.Name(e.Track) + " from " + c.Model.At(e.Track, e.Tick)
	})
}

// ChannelSuffix prints a channel that is not the track's own.
func ChannelSuffix(t *song.Track, channel int) string {
	if t.Channel() == channel {
		return ""
	}
	return " ch:" + strconv.Itoa(channel)
}
