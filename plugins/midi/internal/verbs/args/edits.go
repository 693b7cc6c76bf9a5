package args

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// Do makes an edit unless it is empty. refs are the ids of what it touches; those of what it inserts are added.
func Do(c *ctx, x pdk.Edit[*song.Song], summary string, refs ...string) {
	size := 1
	switch x := x.(type) {
	case *song.Insert:
		size, refs = len(x.Items), append(x.Refs(c.Model), refs...)
	case *song.Set:
		size = len(x.Items)
	case *song.Move:
		size = len(x.Items)
	case *song.Remove:
		size = len(x.IDs)
	}
	if size > 0 {
		pdk.Check(c.Do(x, summary, refs...))
	}
}

// Put gives the event old another message or, if old is nil, inserts one.
func Put(c *ctx, t *song.Track, old *song.Event, now smf.Event, summary string) {
	if old == nil {
		x := &song.Insert{}
		x.Add(t, now)
		Do(c, x, summary)
		return
	}
	x := &song.Set{}
	*x.Change(old) = song.Content{Status: now.Status, A: now.A, B: now.B, Payload: now.Payload}
	Do(c, x, summary, old.Ref())
}

// Report replies with what an op made, or changed if it was there before.
func Report(c *ctx, made bool, text string) {
	if made {
		c.Created("%s", text)
	} else {
		c.Changed("%s", text)
	}
}
