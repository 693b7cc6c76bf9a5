package timeline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

func filmVerbs() []film.Verb {
	return []film.Verb{
		{Run: mediaOp, Keys: []pdk.Parameter{declared, mediumSize, fps, sound}, Verb: abi.Verb{Syntax: "media FILE|MEDIA [duration:TIME] [size:1920x1080] [fps:25] [sound:yes|no] [id:ID]", Summary: "list a file, or declare what is in it if it cannot be probed; a listed file is probed again",
			Brief: "media FILE|MEDIA [duration: size: fps: sound: id:] · list or declare a file", Category: "film",
			Resources: []abi.Resource{probeAt(1)}, Examples: []string{"media ./b-roll.mp4", "media ./old.mp4 duration:12s size:1280x720 fps:25 sound:no"}}},
		{Run: markerOp, Verb: abi.Verb{Syntax: "marker NAME at:TIME", Summary: "name a time for at:marker:NAME; an existing marker moves", Brief: "marker NAME at:TIME", Category: "film", Examples: []string{`marker chorus at:32s`, `marker "Act 2" at:end:vid1`}}},
		{Run: trackOp, Verb: abi.Verb{Syntax: "track add video|audio|text [name:NAME] · track remove|hide|show TRACK [force] · track rename TRACK NAME", Summary: "add, hide, show, rename or remove a track (force if it is not empty); V1, A1 and T1 are added as needed",
			Brief: "track add video|audio|text [name:] · track remove|hide|show|rename TRACK [NAME]", Category: "film", Examples: []string{"track add audio name:Music", "track hide V2", "track rename A1 Voice", "track remove V3 force"}}},
		{Run: projectOp, Keys: projectKeys, Verb: abi.Verb{Syntax: "project [size:1280x720] [fps:25] [sample:48000] [background:COLOR] [title:TEXT]", Summary: "set the film's size, rate and background; times in seconds stay what they are", Brief: "project [size: fps: sample: background: title:]", Category: "film", Examples: []string{"project size:1280x720 fps:25", "project background:white"}}},
	}
}

func mediaOp(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	word := a.Text(0)
	s, err := c.Resource(word)
	var m *media.Medium
	declares := a.Has("duration") || a.Has("size") || a.Has("fps") || a.Has("sound")
	switch {
	case s != nil:
		m = pdk.Must(media.ParseProbe(word, s.Data))
	case err != nil && !declares:
		return film.ProbeRefused(word, err)
	default:
		if old, missing := f.Medium(word); missing == nil {
			copied := *old
			m = &copied
		} else if err != nil { // a file that could not be probed
			m = &media.Medium{Path: word, Still: slices.Contains(media.StillExtensions, media.Extension(word)), Video: !slices.Contains(media.AudioExtensions, media.Extension(word)), Audio: !slices.Contains(media.StillExtensions, media.Extension(word))}
		} else {
			return missing
		}
	}
	if id, ok := a.Param("id"); ok && id != m.ID {
		known := film.Find(f.Media(), func(o *media.Medium) bool { return o.ID == id })
		if film.Slug(id) != id || known != nil && known.Path != m.Path {
			return pdk.Errorf("%s is taken, or not an id: letters, digits, - and _", pdk.Quote(id)).Try(a.Mended(pdk.WithParam("id", film.Unused(film.Slug(id), func(id string) bool {
				return film.Find(f.Media(), func(o *media.Medium) bool { return o.ID == id }) != nil
			}))))
		}
		if listed := film.Find(f.ListedMedia(), func(o *media.Medium) bool { return o.Path == m.Path }); listed != nil {
			return pdk.Errorf("%s is known as %s, which clips refer to", pdk.Quote(m.Path), pdk.Quote(listed.ID)).Try(a.Mended(pdk.Without("id")))
		}
		m.ID = id
	}
	if declares && s != nil {
		return pdk.Errorf("%s was probed: %s", pdk.Quote(word), m.What()).Try(a.Mended(pdk.Without("duration", "size", "fps", "sound")))
	}
	if declares {
		pdk.Check(declare(f, a, m))
	}
	before := f.Doc.At(film.MediaPath).Text()
	pdk.Check(film.PutMedium(c, m))
	if f.Doc.At(film.MediaPath).Text() == before {
		if s == nil {
			return pdk.Unchanged("%s is already listed; the action refresh probes its file again", m)
		}
		return pdk.Unchanged("%s is already listed, and its file has not changed", m)
	}
	c.Created("media %s", m)
	return nil
}

// declare sets what an op says about a medium that was not probed.
func declare(f *film.Film, a pdk.Args, m *media.Medium) error {
	m.Declared = true
	if l, given := declared.Lookup(a); given {
		if m.Duration = l.Seconds; l.InFrames() {
			frames, _, err := l.In(f.Rate())
			if err != nil {
				return pdk.Errorf("duration:%s %v", a.String("duration", ""), err)
			}
			m.Duration = f.Rate().Seconds(frames)
		}
		m.Known = m.Duration.Num > 0
		if m.Still {
			return pdk.Errorf("%s is a still, which can have any length", pdk.Quote(m.Path)).Try(a.Mended(pdk.Without("duration")))
		}
	}
	if size, given := mediumSize.Lookup(a); given {
		m.Width, m.Height = size.w, size.h
	}
	if r, given := fps.Lookup(a); given {
		m.Rate = r
	}
	if on, given := sound.Lookup(a); given {
		m.Audio = on
	}
	if !m.Video && !m.Audio {
		return pdk.Errorf("%s would have neither pictures nor sound", pdk.Quote(m.Path))
	}
	return nil
}

func markerOp(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	name, text := a.Text(0), a.String("at", "")
	if name == "" || strings.ContainsAny(name, "\r\n") || len(name) > 200 {
		return pdk.Errorf("a marker's name is one line of 1 to 200 bytes")
	}
	if text == "" {
		return pdk.Errorf("marker needs at:TIME").Try(a.Mended(pdk.WithParam("at", "end")))
	}
	k := clock{f: f, anyMoment: true}
	at := pdk.Must(k.moment("at", text))
	rate := f.Rate().Float()
	if old, err := f.Marker(name); err == nil {
		if old.At == at {
			return pdk.Unchanged("%s is already at %s", pdk.Quote(name), f.TimeText(at))
		}
		n := f.Doc.At(film.MarkersPath).Item(old.Index)
		text := f.Doc.Edited(n, otio.Change{Path: []string{"marked_range"}, Value: otio.Range(float64(at), 0, rate)})
		pdk.Check(film.Change(c, f.Doc.Set(film.MarkersPath, old.Index, text), "marker "+name))
		c.Changed("marker %s at %s%s", pdk.Quote(name), f.TimeText(at), k.noteText())
		return nil
	}
	if f.Doc.At(film.MarkersPath) == nil {
		s, _ := f.Doc.Put("tracks", "markers", otio.List{})
		pdk.Check(film.Change(c, s, "markers"))
	}
	made := otio.Object{film.Field("OTIO_SCHEMA", "Marker.2"), film.Field("metadata", otio.Object{}), film.Field("name", name), film.Field("color", "GREEN"), film.Field("marked_range", otio.Range(float64(at), 0, rate)), film.Field("comment", "")}
	pdk.Check(film.Change(c, f.Doc.Insert(film.MarkersPath, f.Doc.At(film.MarkersPath).Len(), made), "marker "+name))
	c.Created("marker %s at %s%s", pdk.Quote(name), f.TimeText(at), k.noteText())
	return nil
}

func trackOp(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	word, ok := pdk.OneOf(a.Text(0), []string{"add", "remove", "hide", "show", "rename"})
	if !ok {
		return pdk.Errorf("track add, remove, hide, show or rename, not %s", pdk.Quote(a.Text(0)))
	}
	if word != "add" && a.Has("name") {
		return pdk.Errorf("name: is for track add; track rename TRACK NAME renames one").Try(a.Mended(pdk.Without("name")))
	}
	if len(a.Positionals) > 2 && word != "rename" && !(word == "remove" && strings.EqualFold(a.Text(2), "force")) {
		return pdk.Errorf("track %s takes one track", word).Try(a.Mended(pdk.WithoutWord(2)))
	}
	if word == "add" {
		kinds := []string{"video", "audio", "text"}
		kind, ok := pdk.OneOf(a.Text(1), kinds)
		if !ok {
			kind, ok = map[string]string{"v": "video", "a": "audio", "t": "text"}[strings.ToLower(strings.TrimRight(a.Text(1), "0123456789"))], true
		}
		if !ok || kind == "" {
			return pdk.Errorf("a track is for video, audio or text, not %s", pdk.Quote(a.Text(1))).Instead(a.Text(1), kinds...)
		}
		k := map[string]byte{"video": film.VideoTrack, "audio": film.AudioTrack, "text": film.TextTrack}[kind]
		if name, given := a.Param("name"); given {
			pdk.Check(checkTrackName(f, a, nil, name, nextTrack(f, k), pdk.WithParam("name", proposedName(name))))
		}
		t := addTrack(c, k, a.String("name", nextTrack(f, k)))
		c.Created("track %s%s", t.ID, nameSuffix(t))
		return nil
	}
	t := pdk.Must(findByRef(f, a.Text(1)))
	at := film.TracksPath + "/" + strconv.Itoa(t.Index)
	switch word {
	case "remove":
		if len(t.Clips) > 0 && !strings.EqualFold(a.Text(2), "force") {
			return pdk.Errorf("%s holds %s", t.ID, clipNames(t.Clips)).Tryf("track remove %s force", t.ID)
		}
		pdk.Check(film.Change(c, f.Doc.Remove(film.TracksPath, t.Index), "remove track "+t.ID, t.ID))
		c.Deleted("track %s%s", t.ID, map[bool]string{true: " with " + clipNames(t.Clips), false: ""}[len(t.Clips) > 0])
		return nil
	case "rename":
		name := a.Text(2)
		if name == "" {
			return pdk.Errorf("track rename %s needs a name", t.ID)
		}
		pdk.Check(checkTrackName(f, a, t, name, t.ID, pdk.WithWords(2, 1, proposedName(name))))
		s, same := f.Doc.Put(at, "name", name)
		if same {
			return pdk.Unchanged("%s already has that name", t.ID)
		}
		pdk.Check(film.Change(c, s, "rename track "+t.ID, t.ID))
		c.Changed("track %s is called %s", t.ID, pdk.Quote(name))
		return nil
	}
	hide := word == "hide"
	if t.Hidden == hide {
		return pdk.Unchanged("%s is already %s", t.ID, map[bool]string{true: "hidden", false: "shown"}[hide])
	}
	s, _ := f.Doc.Put(at, "enabled", !hide)
	pdk.Check(film.Change(c, s, word+" track "+t.ID, t.ID))
	c.Changed("track %s is %s", t.ID, map[bool]string{true: "left out", false: "shown"}[hide])
	return nil
}

// checkTrackName checks a name for the track t of the given id; t is nil for a new track. A name must be unique, and
// not the id of another track, present or future.
func checkTrackName(f *film.Film, a pdk.Args, t *film.Track, name, id string, other pdk.Change) error {
	switch {
	case strings.ContainsAny(name, "\r\n") || len(name) > 200 || strings.TrimSpace(name) == "":
		return pdk.Errorf("a track's name is one line of 1 to 200 bytes")
	case strings.EqualFold(name, id):
	case film.Reserved(name):
		return pdk.Errorf("%s is the id of a track, or of one to come, and this track is %s", pdk.Quote(name), id).Try(a.Mended(other))
	case slices.ContainsFunc(f.Parsed().Tracks, func(o *film.Track) bool { return o != t && strings.EqualFold(o.Name, name) }):
		return pdk.Errorf("another track is called %s", pdk.Quote(name)).Try(a.Mended(other))
	}
	return nil
}

// proposedName returns a name that is not an id.
func proposedName(name string) string { return strings.TrimSpace("Track " + name) }

// nameSuffix prints the track's name unless it is the id.
func nameSuffix(t *film.Track) string {
	if t.Name == "" || t.Name == t.ID {
		return ""
	}
	return " " + strconv.Quote(pdk.Line(t.Name, 40))
}

func projectOp(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	if len(a.Params) == 0 {
		return withSample(f, pdk.Errorf("project needs something to set: size: fps: sample: background: or title:"), "project", a)
	}
	s := f.Parsed().Settings
	was := s
	readSettings(&s, a)
	title, named := a.Param("title")
	if named && title != filmTitle(f) {
		step, _ := f.Doc.Put("", "name", title)
		pdk.Check(film.Change(c, step, "title "+title, "project"))
	} else if named {
		named = false
	}
	was.Chosen, s.Chosen = true, true
	if s == was && !named {
		return pdk.Unchanged("the project is unchanged")
	}
	if s != was {
		retime(f, c, s)
	}
	c.Changed("project %s, %d Hz, background %s%s", s, s.Sample, s.Background, map[bool]string{true: ", called " + pdk.Quote(title), false: ""}[named])
	return nil
}

// findByRef finds a track by its id or name.
func findByRef(f *film.Film, ref string) (*film.Track, error) {
	all := f.Parsed().Tracks
	if t := trackWithID(f, ref); t != nil {
		return t, nil
	}
	found := pdk.Filter(all, func(t *film.Track) bool { return strings.EqualFold(t.Name, ref) })
	if len(found) == 1 {
		return found[0], nil
	}
	if len(found) > 1 {
		names := pdk.Map(found, trackID)
		return nil, pdk.Errorf("track %s may be %s", pdk.Quote(ref), pdk.List(names, 5)).Instead(ref, names...)
	}
	ids := pdk.Map(all, trackID)
	if len(ids) == 0 {
		return nil, pdk.Errorf("no track %s: the film has none yet", pdk.Quote(ref))
	}
	if c := onlyClip(f, ref); c != nil {
		return nil, pdk.Errorf("%s is not a track, but on %s", c.Ref(), c.Track.ID).Instead(ref, c.Track.ID)
	}
	return nil, pdk.Errorf("no track %s: there are %s", pdk.Quote(ref), pdk.List(ids, 12)).Instead(ref, pdk.Nearest(ref, ids)...)
}

func trackID(t *film.Track) string { return t.ID }

// trackWithID returns the track of an id, nil if there is none.
func trackWithID(f *film.Film, id string) *film.Track {
	return film.Find(f.Parsed().Tracks, func(t *film.Track) bool { return strings.EqualFold(t.ID, id) })
}

// onlyClip returns the clip with an id, nil unless there is exactly one.
func onlyClip(f *film.Film, id string) *film.Clip {
	found := pdk.Filter(f.Clips(), func(c *film.Clip) bool { return strings.EqualFold(c.ID, id) })
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// findOrAddTrack finds a track by its id or name. It adds the track if ref is the next id of its kind: V1, V2, A1, T1.
func findOrAddTrack(c *film.Ctx, ref string) (*film.Track, error) {
	f := c.Model
	t, err := findByRef(f, ref)
	if err == nil || len(ref) < 2 {
		return t, err
	}
	k := ref[0] &^ 0x20
	if k != film.VideoTrack && k != film.AudioTrack && k != film.TextTrack {
		return nil, err
	}
	if id := nextTrack(f, k); strings.EqualFold(id, ref) {
		return addTrack(c, k, id), nil
	}
	return nil, err
}

// nextTrack returns the id of the next new track of a kind.
func nextTrack(f *film.Film, k byte) string {
	return fmt.Sprintf("%c%d", k, 1+len(tracksOf(f, k)))
}

// addTrack adds a track above those of its kind. Video tracks are below all text and audio tracks.
func addTrack(c *film.Ctx, k byte, name string) *film.Track {
	f := c.Model
	at := len(f.Parsed().Tracks)
	if k == film.VideoTrack {
		for at > 0 && f.Parsed().Tracks[at-1].Kind != film.VideoTrack {
			at--
		}
	}
	id := nextTrack(f, k)
	pdk.Check(film.Change(c, f.Doc.Insert(film.TracksPath, at, film.NewTrack(name, k)), "track "+id, id))
	return pdk.Must(findByRef(f, id))
}
