package render

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// mlt is the project for MLT. Each clip is a producer of its own; a transition is a small tractor of the two clips that it joins; each
// track lies over the one below, the lowest over the background.
func mlt(p *Project) ([]byte, []string, error) {
	m := &melted{p: p, all: p.Frames()}
	m.start()
	if i := slices.IndexFunc(p.Video, func(t Track) bool { return !t.Hide }); i >= 0 && p.background() == color("", "#000000") {
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
	m.finish()
	for _, d := range p.Ducks {
		m.lose("the ducking of " + d.Track)
	}
	return m.out.Bytes(), m.lost, nil
}

// melted writes MLT's XML.
type melted struct {
	p    *Project
	all  int // frames of the film
	out  bytes.Buffer
	ids  int
	lost []string
	// ground is the lowest track of pictures, where its bars are black. MLT adds such bars to whatever is on it, also within a crossfade. On other
	// tracks a picture is as large as it is, so that what lies below is seen beside it, and a crossfade has the shape of its first clip.
	ground *Track
	tracks []laid // over the background, the lowest first
}

// laid is a track of the film.
type laid struct {
	id   string
	hide string // what of it is not used: "video", "audio", "both", or ""
	over []any  // how it lies over the ones below, as properties of a composite
	// from and frames are where it is to be seen; no frames stand for throughout.
	from, frames int
}

func (m *melted) lose(what string) {
	if !slices.Contains(m.lost, what) {
		m.lost = append(m.lost, what)
	}
}

// line writes a line of XML; texts in args are escaped.
func (m *melted) line(depth int, format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			var b bytes.Buffer
			_ = xml.EscapeText(&b, []byte(s)) // a buffer takes everything
			args[i] = b.String()
		}
	}
	m.out.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&m.out, format+"\n", args...)
}

func (m *melted) property(depth int, name string, value any) {
	m.line(depth, `<property name="%s">%s</property>`, name, fmt.Sprint(value))
}

func (m *melted) id(kind string) string {
	m.ids++
	return fmt.Sprintf("%s%d", kind, m.ids)
}

func (m *melted) start() {
	p := m.p
	shape := big.NewRat(int64(p.Width), int64(p.Height))
	m.out.WriteString(xml.Header)
	m.line(0, `<mlt LC_NUMERIC="C" producer="film" title="%s">`, p.Name)
	m.line(1, `<profile description="%s" width="%d" height="%d" progressive="1" sample_aspect_num="1" sample_aspect_den="1" display_aspect_num="%s" display_aspect_den="%s" frame_rate_num="%d" frame_rate_den="%d" colorspace="%d"/>`,
		fmt.Sprintf("%dx%d", p.Width, p.Height), p.Width, p.Height, shape.Num().String(), shape.Denom().String(), p.FPS.Num, p.FPS.Den, 601)
	m.line(1, `<producer id="background" in="0" out="%d">`, m.all-1)
	m.property(2, "mlt_service", "color")
	m.property(2, "resource", "0x"+p.background()[2:]+"ff")
	m.property(2, "length", m.all)
	m.line(1, `</producer>`)
}

// part is a source as a producer: its id, and the frame of it that is seen first.
type part struct {
	id string
	in int
}

// producer writes a source, which takes filters.
func (m *melted) producer(s source, pictures bool, filters func(in int)) part {
	medium := &m.p.Media[s.media]
	id := m.id("clip")
	speed := s.speed.or(Rational{1, 1})
	at := part{id, 0}
	path := medium.Path
	if !strings.HasPrefix(path, "/") {
		path = "./" + path // whatever it begins with
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
func (m *melted) filter(service string, in, frames int, properties ...any) {
	m.line(2, `<filter in="%d" out="%d">`, in, in+frames-1)
	m.property(3, "mlt_service", service)
	for i := 0; i < len(properties); i += 2 {
		m.property(3, properties[i].(string), properties[i+1])
	}
	m.line(2, `</filter>`)
}

// dress writes what is done to a source: fades, volume, effects.
func (m *melted) dress(in, frames, fadeIn, fadeOut int, volume float64, mute, over bool, effects []Effect) {
	for _, e := range effects {
		k, _ := effectNamed(e.Kind)
		if k.melt == "" || keyed([]Effect{e}) {
			m.lose("the effect " + e.Kind)
			continue
		}
		words := strings.Fields(k.melt)
		var properties []any
		v := k.values(e)
		for _, w := range words[1:] {
			name, setting, _ := strings.Cut(w, "=")
			properties = append(properties, name, v.text(setting))
		}
		m.filter(words[0], in, frames, properties...)
	}
	var shade, level []string
	if fadeIn > 0 {
		shade, level = append(shade, "0=0", fmt.Sprintf("%d=1", fadeIn)), append(level, "0=-60", fmt.Sprintf("%d=0", fadeIn))
	}
	if fadeOut > 0 {
		shade, level = append(shade, fmt.Sprintf("%d=1", frames-fadeOut-1), fmt.Sprintf("%d=0", frames-1)), append(level, fmt.Sprintf("%d=0", frames-fadeOut-1), fmt.Sprintf("%d=-60", frames-1))
	}
	if shade != nil {
		name := "level"
		if over {
			name = "alpha"
		}
		m.filter("brightness", in, frames, name, strings.Join(shade, ";"))
		m.filter("volume", in, frames, "level", strings.Join(level, ";"))
	}
	if mute {
		m.filter("volume", in, frames, "level", -100)
	} else if volume != 0 {
		m.filter("volume", in, frames, "level", number(volume))
	}
}

// clip writes a clip's producer.
func (m *melted) clip(c *Clip, pictures bool) part {
	return m.producer(c.source(), pictures, func(in int) {
		medium := &m.p.Media[c.Media]
		switch {
		case !pictures || medium.Width == 0 || medium.Height == 0:
		case c.Fit == "stretch":
			m.fill(medium, medium.Width, medium.Height)
		case c.Fit == "cover":
			across, down := m.p.surplus(medium)
			m.fill(medium, medium.Width-across, medium.Height-down)
			m.filter("crop", in, c.Frames, "left", across/2, "right", across-across/2, "top", down/2, "bottom", down-down/2)
		}
		m.dress(in, c.Frames, c.FadeIn, c.FadeOut, c.Volume, c.Mute, false, c.Effects)
	})
}

// fill gives a producer the shape of a pixel with which so many of them fill the film.
func (m *melted) fill(medium *Media, width, height int) {
	pixel := big.NewRat(int64(m.p.Width)*int64(height), int64(m.p.Height)*int64(width))
	if medium.Rotation%180 != 0 {
		pixel.Inv(pixel) // before it is turned
	}
	m.property(2, "force_aspect_ratio", pixel.FloatString(9))
}

// surplus is how many pixels of a medium lie outside of the film that it covers, across and down. What is left is never odd across, which
// MLT would crop once more.
func (p *Project) surplus(medium *Media) (across, down int) {
	shape := big.NewRat(int64(p.Width), int64(p.Height))
	shape.Quo(shape, medium.Pixel.or(Rational{1, 1}).rat())
	w, h := int64(medium.Width), int64(medium.Height)
	if big.NewRat(w, h).Cmp(shape) > 0 {
		seen := shape.Mul(shape, big.NewRat(h, 1))
		half, _ := new(big.Rat).Quo(seen, big.NewRat(2, 1)).Float64()
		return int(w) - 2*int(math.Round(half)), 0
	}
	seen, _ := new(big.Rat).Quo(big.NewRat(w, 1), shape).Float64()
	return 0, int(h) - int(math.Round(seen))
}

// shape is a clip's width by its height, as it is seen.
func (p *Project) shape(c *Clip) *big.Rat {
	m := &p.Media[c.Media]
	if c.Fit == "cover" || c.Fit == "stretch" || m.Width == 0 || m.Height == 0 {
		return big.NewRat(int64(p.Width), int64(p.Height))
	}
	shape := big.NewRat(int64(m.Width), int64(m.Height))
	return shape.Mul(shape, m.Pixel.or(Rational{1, 1}).rat())
}

// track writes a track as a playlist.
func (m *melted) track(t *Track, pictures bool) {
	var entries []string
	entry := func(producer string, in, frames int) {
		if frames > 0 {
			entries = append(entries, fmt.Sprintf(`<entry producer="%s" in="%d" out="%d"/>`, producer, in, in+frames-1))
		}
	}
	var last part // the clip before, where a transition leads from it
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
				m.lose("the transition " + cross.Kind + ", which is a crossfade there")
			}
			if pictures && t != m.ground && m.p.shape(lastClip).Cmp(m.p.shape(c)) != 0 {
				m.lose(fmt.Sprintf("the shape of %s in its crossfade with %s", c.ID, lastClip.ID))
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
		m.filter("volume", 0, m.all, "level", number(t.Volume))
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
	m.tracks = append(m.tracks, laid{id: id, hide: hide, over: over})
}

// overlay writes an overlay as a track of its own.
func (m *melted) overlay(o *Overlay) {
	p := m.p
	medium := &p.Media[o.Media]
	now := m.producer(o.source(), true, func(in int) {
		m.dress(in, o.Frames, o.FadeIn, o.FadeOut, o.Volume, o.Mute, true, o.Effects)
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
	wide, _ := shape.Mul(shape, medium.Pixel.or(Rational{1, 1}).rat()).Float64()
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
	m.tracks = append(m.tracks, laid{id: id, over: []any{"geometry", fmt.Sprintf("%d %d %d %d %s", x, y, w, h, number(float64(opacity)/100)), "distort", 1}})
}

// finish writes the tracks over each other, and the texts on them.
func (m *melted) finish() {
	p := m.p
	m.line(1, `<tractor id="film" in="0" out="%d">`, m.all-1)
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

// rect is a rectangle of MLT's that comes and goes with a text.
func rect(x, y, w, h int, opacity float64, frames, fade int) string {
	at := func(opacity float64) string {
		return fmt.Sprintf("%d %d %d %d %s", x, y, w, h, number(opacity))
	}
	if fade == 0 {
		return at(opacity)
	}
	faint := at(opacity / float64(fade+1))
	return fmt.Sprintf("0=%s;%d=%s;%d=%s;%d=%s", faint, fade, at(opacity), frames-1-fade, at(opacity), frames-1, faint)
}

// panel writes what lies after a text as tracks of one colour each.
func (m *melted) panel(t *Text) {
	k := m.p.set(t)
	if k.style.panel == "" || len(k.rows) == 0 {
		return
	}
	fade := m.p.fade(t, &k)
	x, y := m.p.corner(t, &k)
	field := func(color string, x, y, w, h int) {
		color, through, _ := strings.Cut(color, "@")
		opacity, err := strconv.ParseFloat(through, 64)
		if err != nil {
			opacity = 1
		}
		id := m.id("panel")
		m.line(1, `<producer id="%s" in="0" out="%d">`, id, t.Frames-1)
		m.property(2, "mlt_service", "color")
		m.property(2, "resource", color+"ff")
		m.property(2, "length", t.Frames)
		m.line(1, `</producer>`)
		track := m.id("track")
		m.line(1, `<playlist id="%s">`, track)
		if t.From > 0 {
			m.line(2, `<blank length="%d"/>`, t.From)
		}
		m.line(2, `<entry producer="%s" in="0" out="%d"/>`, id, t.Frames-1)
		m.line(1, `</playlist>`)
		m.tracks = append(m.tracks, laid{track, "audio", []any{"geometry", rect(x, y, w, h, opacity, t.Frames, fade), "distort", 1}, t.From, t.Frames})
	}
	if k.style.full {
		field(k.style.panel, 0, 0, m.p.Width, m.p.Height)
		return
	}
	if k.bar > 0 {
		field(k.style.bar, x, y, k.bar, k.height)
	}
	field(k.style.panel, x+k.bar, y, k.width-k.bar, k.height)
}

// text writes the rows of a text as filters over the film. Other fonts than ours are used, so that a row may be wider than it is here: it has all
// room that there is to its sides.
func (m *melted) text(t *Text) {
	p := m.p
	k := p.set(t)
	x, y := p.corner(t, &k)
	fade := p.fade(t, &k)
	color, through, _ := strings.Cut(k.style.color, "@")
	if t.Color != "" {
		color = "0x" + t.Color[1:]
	}
	opacity, err := strconv.ParseFloat(through, 64)
	if err != nil || t.Color != "" {
		opacity = 1
	}
	top := float64(y + k.pad)
	for _, r := range k.rows {
		height := leading * float64(r.size)
		at := int(math.Round(top))
		top += height
		if strings.TrimSpace(r.text) == "" {
			continue
		}
		weight, align := 400, "center"
		if r.bold {
			weight = 700
		}
		middle := x + k.width/2
		wide := 2 * max(min(middle, p.Width-middle), int(r.width)/2+1)
		left := middle - wide/2
		if k.bar > 0 {
			align, left = "left", x+k.bar+k.pad
			wide = max(p.Width-left, int(r.width)+1)
		}
		box := rect(left, at, wide, int(math.Ceil(height)), opacity, t.Frames, fade)
		if k.style.rolls {
			box = fmt.Sprintf("0=%d %d %d %d 1;%d=%d %d %d %d 1", left, at+p.Height-y, wide, int(math.Ceil(height)), t.Frames, left, at-y-k.height, wide, int(math.Ceil(height)))
		}
		m.filter("text", t.From, t.Frames, "argument", r.text, "geometry", box, "family", "Sans", "size", r.size, "weight", weight,
			"fgcolour", "#"+color[2:], "halign", align, "valign", "middle", "outline", min(p.edge(k.style), 3), "olcolour", "#000000", "bgcolour", "#00000000")
	}
}
