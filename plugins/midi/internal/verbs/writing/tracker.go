package writing

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/tracker"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

var trackerVerb = verb{Verb: abi.Verb{
	Category: "Notes", Syntax: "tracker TRACK[,TRACK…] import at:POS [res:DUR] [ch:N,N…]",
	Brief:    "tracker TRACK[,…] import at: [res: ch:] · rows of the query tracker",
	Summary:  "notes from a grid as the query tracker prints it: rows `N | C4:q:80 E4 | kick` (PITCH[+TICKS][:LENGTH[:VELOCITY]]), a row a 16th unless res:, a column a track",
	Block:    tracker.End,
	Max:      2,
	Examples: []string{"tracker Piano import at:1.1 res:16th\n0 | C4:q:80 E4:q:80\n4 | G4:e\n" + tracker.End},
}, Run: runTracker}

// runTracker adds the notes of a grid to the tracks of its columns.
func runTracker(c *ctx, a pdk.Args) error {
	s := c.Model
	tracks, err := s.FindTracks(a.Text(0), false)
	if err != nil {
		return args.Refusal(err).TryQuery("tracks")
	}
	if !strings.EqualFold(a.Text(1), "import") {
		e := pdk.Errorf("tracker %q: the syntax is tracker TRACK import at:POS; the query tracker shows a grid", a.Text(1))
		if _, _, err := s.Range(tracks[0], a.Text(1)); err == nil {
			e.TryQuery("tracker " + s.TracksRef(tracks) + " " + pdk.Quote(a.Text(1)))
		}
		return e
	}
	if !a.Has("at") {
		return pdk.Errorf("tracker import needs at:POS, where row 0 goes")
	}
	g := pdk.Must(trackerGrid(c, a, tracks))
	at := pdk.Must(args.Position(c, a, "at", tracks[0], 0))
	g.Step = pdk.Must(s.Duration(tracks[0], a.String("res", "16th"), at))
	notes := pdk.Must(g.Parse(a.Block))
	if len(notes) == 0 {
		return pdk.Errorf("the grid holds no notes")
	}
	for i, t := range tracks {
		x := &song.Insert{Track: t.ID}
		for _, n := range notes {
			if n.Column != i {
				continue
			}
			start := at + int64(n.Row)*g.Step + n.Offset
			pdk.Check(args.CheckTick(start + n.Length))
			x.Note(t, n.Channel, n.Pitch, n.Velocity, release, start, n.Length)
			x.Cursor = song.Cursor{Start: start, End: start + n.Length, Set: true}
		}
		if len(x.Items) == 0 {
			continue
		}
		pdk.Check(c.Do(x, pdk.Count(len(x.Items)/2, "note")+" on "+s.Name(t)+" from a grid", x.Refs(s)...))
	}
	var named []string
	for _, t := range tracks {
		named = append(named, s.Name(t))
	}
	last := notes[0]
	for _, n := range notes {
		if n.Row > last.Row {
			last = n
		}
	}
	c.Created("%s on %s from %s to %s, rows of %s", pdk.Count(len(notes), "note"), strings.Join(named, ", "), s.At(tracks[0], at+int64(notes[0].Row)*g.Step),
		s.At(tracks[0], at+int64(last.Row)*g.Step+last.Offset+last.Length), s.Lasting(g.Step))
	return nil
}

// trackerGrid returns a grid with a channel for each track: that of ch:, else the one that
// the track plays on, else a free one. The step of its rows is not set.
func trackerGrid(c *ctx, a pdk.Args, tracks []*song.Track) (*tracker.Grid, error) {
	s := c.Model
	g := &tracker.Grid{}
	g.PPQ, _ = s.PPQ()
	given := strings.Split(a.String("ch", ""), ",")
	if a.Has("ch") && len(given) != len(tracks) {
		return nil, pdk.Errorf("ch:%s names %s for %s", a.String("ch", ""), pdk.Count(len(given), "channel"), pdk.Count(len(tracks), "track"))
	}
	for i, t := range tracks {
		pdk.Check(args.RefuseConductor(t))
		if s.Format() == 2 && i > 0 {
			return nil, pdk.Errorf("each track of a format 2 file has its own time: give one track at once")
		}
		channel := t.Channel()
		if a.Has("ch") {
			n, err := strconv.Atoi(given[i])
			if err != nil || n < 1 || n > 16 {
				return nil, pdk.Errorf("ch:%s: a channel is 1 to 16", a.String("ch", ""))
			}
			channel = n
		}
		if channel == 0 {
			channel, _ = s.FreeChannel()
		}
		g.Channels = append(g.Channels, channel)
	}
	return g, nil
}
