package render

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// exportMLT writes the project for MLT. Each clip is a producer of its own, and a transition is a tractor of the two
// clips that it joins. Each track lies over the one below, and the lowest over the background.
func exportMLT(p *Project) ([]byte, []string, error) {
	m := &mltWriter{p: p, frames: p.Frames()}
	m.writeHeader()
	if i := slices.IndexFunc(p.Video, func(t Track) bool { return !t.Hide }); i >= 0 && p.background() == filterColor("", "#000000") {
		m.ground = &p.Video[i]
	}
	for i := range p.Video {
		m.track(&p.Video[i], true)
	}
	for i := range p.Audio {
		m.track(&p.Audio[i], false)
	}
	for i := range p.Overlays {
		m.overlay(&p.Overlays[i])
	}
	for i := range p.Texts {
		m.panel(&p.Texts[i])
	}
	m.writeTractor()
	for _, d := range p.Ducks {
		m.noteLost("the ducking of " + d.Track)
	}
	return m.out.Bytes(), m.lost, nil
}

// mltWriter writes MLT's XML.
type mltWriter struct {
	p      *Project
	frames int // length of the film
	out    bytes.Buffer
	ids    int
	lost   []string
	// ground is the lowest video track, if the background is black. MLT adds black bars to the clips on it, also within
	// a crossfade. On other tracks a picture keeps its size, so that the tracks below are seen beside it, and a
	// crossfade has the shape of its first clip.
	ground *Track
	tracks []mltTrack // above the background, the lowest first
}

// mltTrack is a track of the MLT film.
type mltTrack struct {
	id   string
	hide string // what MLT leaves out: "video", "audio", "both" or ""
	over []any  // properties of the composite over the tracks below
	// from and frames say when it is seen; 0 frames mean throughout.
	from, frames int
}

func (m *mltWriter) noteLost(what string) {
	if !slices.Contains(m.lost, what) {
		m.lost = append(m.lost, what)
	}
}

// line writes a line of XML. It escapes strings in args.
func (m *mltWriter) line(depth int, format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			var b bytes.Buffer
			_ = xml.EscapeText(&b, []byte(s)) // writing to a buffer cannot fail
			args[i] = b.String()
		}
	}
	m.out.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&m.out, format+"\n", args...)
}

func (m *mltWriter) property(depth int, name string, value any) {
	m.line(depth, `<property name="%s">%s</property>`, name, fmt.Sprint(value))
}

func (m *mltWriter) id(kind string) string {
	m.ids++
	return fmt.Sprintf("%s%d", kind, m.ids)
}

func (m *mltWriter) writeHeader() {
	p := m.p
	shape := big.NewRat(int64(p.Width), int64(p.Height))
	m.out.WriteString(xml.Header)
	m.line(0, `<mlt LC_NUMERIC="C" producer="film" title="%s">`, p.Name)
	m.line(1, `<profile description="%s" width="%d" height="%d" progressive="1" sample_aspect_num="1" sample_aspect_den="1" display_aspect_num="%s" display_aspect_den="%s" frame_rate_num="%d" frame_rate_den="%d" colorspace="%d"/>`,
		fmt.Sprintf("%dx%d", p.Width, p.Height), p.Width, p.Height, shape.Num().String(), shape.Denom().String(), p.FPS.Num, p.FPS.Den, 601)
	m.line(1, `<producer id="background" in="0" out="%d">`, m.frames-1)
	m.property(2, "mlt_service", "color")
	m.property(2, "resource", "0x"+p.background()[2:]+"ff")
	m.property(2, "length", m.frames)
	m.line(1, `</producer>`)
}

// mltSource is the producer of a source, and the frame of it that is shown first.
type mltSource struct {
	id string
	in int
}

// producer writes the producer of a source. filters writes its filters.
func (m *mltWriter) producer(s sourceSpan, pictures bool, filters func(in int)) mltSource {
	medium := &m.p.Media[s.media]
	id := m.id("clip")
	speed := s.speed.orDefault(Rational{1, 1})
	at := mltSource{id, 0}
	path := medium.Path
	if !strings.HasPrefix(path, "/") {
		path = "./" + path // a path that starts with - or a protocol stays a path
	}
	if !medium.Still {
		at.in = m.p.frameAt(new(big.Rat).Quo(s.in.rat(), speed.rat()))
	}
	m.line(1, `<producer id="%s" in="0" out="%d">`, id, at.in+s.frames-1)
	switch {
	case medium.Still:
		m.property(2, "mlt_service", "pixbuf")
		m.property(2, "resource", path)
	case speed.Num != speed.Den:
		factor := decimal(speed.rat().FloatString(6))
		m.property(2, "mlt_service", "timewarp")
		m.property(2, "resource", factor+":"+path)
		m.property(2, "warp_speed", factor)
		m.property(2, "warp_resource", path)
		m.property(2, "warp_pitch", 1)
	default:
		m.property(2, "mlt_service", "avformat")
		m.property(2, "resource", path)
	}
	m.property(2, "length", at.in+s.frames)
	m.property(2, "eof", "pause")
	if !pictures {
		m.property(2, "video_index", -1)
	}
	filters(at.in)
	m.line(1, `</producer>`)
	return at
}

// filter writes a filter of a producer.
func (m *mltWriter) filter(service string, in, frames int, properties ...any) {
	m.line(2, `<filter in="%d" out="%d">`, in, in+frames-1)
	m.property(3, "mlt_service", service)
	for i := 0; i < len(properties); i += 2 {
		m.property(3, properties[i].(string), properties[i+1])
	}
	m.line(2, `</filter>`)
}

// writeTreatment writes the filters for the fades, volume and effects of a source.
func (m *mltWriter) writeTreatment(in, frames int, t treatment, over bool) {
	for _, e := range t.effects {
		k, _ := effectNamed(e.Kind)
		if k.mlt == "" || hasKeys([]Effect{e}) {
			m.noteLost("the effect " + e.Kind)
			continue
		}
		words := strings.Fields(k.mlt)
		var properties []any
		v := k.values(e)
		for _, w := range words[1:] {
			name, setting, _ := strings.Cut(w, "=")
			properties = append(properties, name, v.text(setting))
		}
		m.filter(words[0], in, frames, properties...)
	}
	var shade, level []string
	up, down, _ := t.cut.ramps(t.fadeIn, t.fadeOut, frames)
	if up.frames > 0 {
		shade, level = append(shade, mltRamp(up.at, up.end(), 0, 1)...), append(level, mltRamp(up.at, up.end(), -60, 0)...)
	}
	if down.frames > 0 {
		shade, level = append(shade, mltRamp(down.at-1, down.end()-1, 1, 0)...), append(level, mltRamp(down.at-1, down.end()-1, 0, -60)...)
	}
	if shade != nil {
		name := "level"
		if over {
			name = "alpha"
		}
		m.filter("brightness", in, frames, name, strings.Join(shade, ";"))
		m.filter("volume", in, frames, "level", strings.Join(level, ";"))
	}
	if t.mute {
		m.filter("volume", in, frames, "level", -100)
	} else if t.volume != 0 {
		m.filter("volume", in, frames, "level", number(t.volume))
	}
}

// mltRamp returns the keyframes of a value that changes between two frames of an item, of which the first may lie
// before it.
func mltRamp(from, to int, a, b float64) []string {
	if from < 0 {
		a, from = a-(b-a)*float64(from)/float64(to-from), 0
	}
	return []string{fmt.Sprintf("%d=%s", from, number(a)), fmt.Sprintf("%d=%s", to, number(b))}
}

// clip writes the producer of a clip.
func (m *mltWriter) clip(c *Clip, pictures bool) mltSource {
	return m.producer(c.source(), pictures, func(in int) {
		medium := &m.p.Media[c.Media]
		switch {
		case !pictures || medium.Width == 0 || medium.Height == 0:
		case c.Fit == "stretch":
			m.setPixelAspect(medium, medium.Width, medium.Height)
		case c.Fit == "cover":
			across, down := m.p.surplus(medium)
			m.setPixelAspect(medium, medium.Width-across, medium.Height-down)
			m.filter("crop", in, c.Frames, "left", across/2, "right", across-across/2, "top", down/2, "bottom", down-down/2)
		}
		m.writeTreatment(in, c.Frames, c.treatment(), false)
	})
}

// track writes a track as a playlist.
func (m *mltWriter) track(t *Track, pictures bool) {
	var entries []string
	entry := func(producer string, in, frames int) {
		if frames > 0 {
			entries = append(entries, fmt.Sprintf(`<entry producer="%s" in="%d" out="%d"/>`, producer, in, in+frames-1))
		}
	}
	var last mltSource // the clip before, if a transition follows it
	var lastClip *Clip
	var cross *Transition
	for i := range t.Items {
		it := &t.Items[i]
		if it.Gap > 0 {
			entries = append(entries, fmt.Sprintf(`<blank length="%d"/>`, it.Gap))
			continue
		}
		c := &it.Clip
		now := m.clip(c, pictures)
		from := 0
		if cross != nil {
			if transitionNamed(cross.Kind).Name != "crossfade" {
				m.noteLost("the transition " + cross.Kind + ", which is a crossfade there")
			}
			if pictures && t != m.ground && m.p.shape(lastClip).Cmp(m.p.shape(c)) != 0 {
				m.noteLost(fmt.Sprintf("the shape of %s in its crossfade with %s", c.ID, lastClip.ID))
			}
			d := cross.Frames
			id := m.id("cross")
			m.line(1, `<tractor id="%s" in="0" out="%d">`, id, d-1)
			m.line(2, `<track producer="%s" in="%d" out="%d"/>`, last.id, last.in+lastClip.Frames-d, last.in+lastClip.Frames-1)
			m.line(2, `<track producer="%s" in="%d" out="%d"/>`, now.id, now.in, now.in+d-1)
			for _, service := range []string{"luma", "mix"} {
				m.line(2, `<transition in="0" out="%d">`, d-1)
				m.property(3, "a_track", 0)
				m.property(3, "b_track", 1)
				m.property(3, "mlt_service", service)
				if service == "mix" {
					m.property(3, "start", -1)
				} else {
					m.property(3, "progressive", 1)
				}
				m.line(2, `</transition>`)
			}
			m.line(1, `</tractor>`)
			entry(id, 0, d)
			from = d
		}
		cross = it.Next
		till := c.Frames
		if cross != nil {
			till -= cross.Frames
		}
		entry(now.id, now.in+from, till-from)
		last, lastClip = now, c
	}
	id := m.id("track")
	m.line(1, `<playlist id="%s">`, id)
	for _, e := range entries {
		m.out.WriteString("    " + e + "\n")
	}
	if t.Volume != 0 {
		m.filter("volume", 0, m.frames, "level", number(t.Volume))
	}
	m.line(1, `</playlist>`)
	hide := ""
	switch {
	case (t.Hide || !pictures) && t.Mute:
		hide = "both"
	case t.Hide || !pictures:
		hide = "video"
	case t.Mute:
		hide = "audio"
	}
	over := []any{"geometry", "0 0 100% 100% 1", "fill", 1}
	if t == m.ground {
		over = append(over, "aligned", 0)
	}
	m.tracks = append(m.tracks, mltTrack{id: id, hide: hide, over: over})
}

// overlay writes an overlay as a track of its own.
func (m *mltWriter) overlay(o *Overlay) {
	p := m.p
	medium := &p.Media[o.Media]
	now := m.producer(o.source(), true, func(in int) {
		m.writeTreatment(in, o.Frames, o.treatment(), true)
	})
	id := m.id("track")
	m.line(1, `<playlist id="%s">`, id)
	if o.From > 0 {
		m.line(2, `<blank length="%d"/>`, o.From)
	}
	m.line(2, `<entry producer="%s" in="%d" out="%d"/>`, now.id, now.in, now.in+o.Frames-1)
	m.line(1, `</playlist>`)
	w, h := o.Width, o.Height
	shape := big.NewRat(int64(max(medium.Width, 1)), int64(max(medium.Height, 1)))
	wide, _ := shape.Mul(shape, medium.Pixel.orDefault(Rational{1, 1}).rat()).Float64()
	switch {
	case w == 0 && h == 0:
		w, h = int(float64(medium.Height)*wide+0.5), medium.Height
	case w == 0:
		w = int(float64(h) * wide)
	case h == 0:
		h = int(float64(w) / wide)
	}
	x, y := o.Place.pixels("center", p.Width, p.Height, w, h, p.margin())
	opacity := o.Opacity
	if opacity == 0 {
		opacity = 100
	}
	m.tracks = append(m.tracks, mltTrack{id: id, over: []any{"geometry", fmt.Sprintf("%d %d %d %d %s", x, y, w, h, number(float64(opacity)/100)), "distort", 1}})
}

// writeTractor writes the stack of tracks with the texts on top.
func (m *mltWriter) writeTractor() {
	p := m.p
	m.line(1, `<tractor id="film" in="0" out="%d">`, m.frames-1)
	m.line(2, `<track producer="background"/>`)
	for _, t := range m.tracks {
		if t.hide != "" {
			m.line(2, `<track producer="%s" hide="%s"/>`, t.id, t.hide)
		} else {
			m.line(2, `<track producer="%s"/>`, t.id)
		}
	}
	for i, t := range m.tracks {
		if t.hide != "audio" && t.hide != "both" {
			m.line(2, `<transition>`)
			m.property(3, "a_track", 0)
			m.property(3, "b_track", i+1)
			m.property(3, "mlt_service", "mix")
			m.property(3, "always_active", 1)
			m.property(3, "sum", 1)
			m.line(2, `</transition>`)
		}
		if t.hide == "video" || t.hide == "both" {
			continue
		}
		if t.frames > 0 {
			m.line(2, `<transition in="%d" out="%d">`, t.from, t.from+t.frames-1)
		} else {
			m.line(2, `<transition>`)
			m.property(3, "always_active", 1)
		}
		m.property(3, "a_track", 0)
		m.property(3, "b_track", i+1)
		m.property(3, "mlt_service", "composite")
		m.property(3, "progressive", 1)
		for k := 0; k < len(t.over); k += 2 {
			m.property(3, t.over[k].(string), t.over[k+1])
		}
		m.property(3, "halign", "centre")
		m.property(3, "valign", "middle")
		m.line(2, `</transition>`)
	}
	for i := range p.Texts {
		m.text(&p.Texts[i])
	}
	m.line(1, `</tractor>`)
	m.line(0, `</mlt>`)
}
