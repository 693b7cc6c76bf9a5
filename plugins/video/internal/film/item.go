package film

import (
	"fmt"
	"math"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/timecode"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

// Kind is the kind of an item on a track.
type Kind byte

const (
	ClipItem  Kind = iota
	TextItem       // a text generator of this domain
	OtherItem      // a nested stack or track, or an unknown schema
	gapItem
	transitionItem
)

// Item is an item of a track as the file has it. Times are in frames of the project.
type Item struct {
	Node   *otio.Node
	Rate   timecode.Rate
	Kind   Kind
	Schema string
	Name   string
	Own    bool // made by this domain: it has metadata.fcp
	Off    bool // not enabled

	Dur   int     // length of the source range
	In    float64 // start of the source range, from the start of the available range
	base  float64 // start of the available range
	Avail int     // length of the available range, -1 if unknown

	Medium  string // id of its medium, "" if the file has none for it
	Url     string // target of its media reference
	Speed   float64
	Effects []Effect

	Sound           bool // a clip on a video track is heard, too
	Mute            bool
	Volume          float64 // dB
	FadeIn, FadeOut int     // frames
	Cut             render.Cut
	Fit             string
	Over            *Box // place and size of an overlay, nil for other clips
	Caption         *Caption

	Transition          string // kind of the transition, as written in the file
	InOffset, OutOffset int

	Problems []string // values that could not be used, and what they are read as
}

// Box is the place and size of an overlay.
type Box struct {
	Width, Height int // pixels; 0 follows from the other one by the aspect ratio
	Anchor        string
	X, Y          int
	Opacity       int // percent
}

// Caption is a text over the picture.
type Caption struct {
	Text, Style, Color, Anchor string
	X, Y, Size                 int
	Fade                       int // frames; 0 for the style's, -1 for none
}

// Effect is an effect of an item.
type Effect struct {
	Name   string // as the file has it
	Kind   string // our kind, "" for an effect of another program
	Params []Setting
}

// Setting is a value of an effect: one value, or keyframes.
type Setting struct{ Name, Value string }

// mediaRef returns the active media reference of a clip.
func mediaRef(v *jsontree.Value) *jsontree.Value {
	if refs := v.Get("media_references"); refs.Is(jsontree.Object) {
		key := v.Get("active_media_reference_key").Text()
		if key == "" {
			key = "DEFAULT_MEDIA"
		}
		return refs.Get(key)
	}
	return v.Get("media_reference")
}

// ReferencePath returns the path of the active media reference within an item.
func (it *Item) ReferencePath() []string {
	v := it.Node.Value()
	if v.Get("media_references") == nil {
		return []string{"media_reference"}
	}
	key := v.Get("active_media_reference_key").Text()
	if key == "" {
		key = "DEFAULT_MEDIA"
	}
	return []string{"media_references", key}
}

// readItem reads an item, or returns what the node caches of it.
func readItem(n *otio.Node, rate timecode.Rate) *Item {
	if it, ok := n.Memo.(*Item); ok && it.Rate == rate {
		return it
	}
	v := n.Value()
	it := &Item{Node: n, Rate: rate, Schema: v.Get("OTIO_SCHEMA").Text(), Name: v.Get("name").Text(), Avail: -1, Speed: 1}
	n.Memo = it
	name, _, _ := strings.Cut(it.Schema, ".")
	ours := v.Get("metadata", "fcp")
	it.Own = ours.Get("media") != nil || ours.Get("kind") != nil
	switch name {
	case "Transition":
		it.Kind, it.Transition = transitionItem, ours.Get("kind").Text()
		if it.Transition == "" {
			it.Transition = v.Get("transition_type").Text()
		}
		it.InOffset, it.OutOffset = it.length("in_offset", v.Get("in_offset")), it.length("out_offset", v.Get("out_offset"))
		return it
	case "Gap":
		it.Kind = gapItem
	case "Clip":
		it.readClip(v, ours)
	default:
		it.Kind = OtherItem
	}
	if e := v.Get("enabled"); e != nil && !e.True() && e.Is(jsontree.Bool) {
		it.Off = true
	}
	ref := mediaRef(v)
	if r := ref.Get("available_range"); r.Is(jsontree.Object) && it.Kind == ClipItem {
		it.base = it.exact("available start", r.Get("start_time"))
		it.Avail = it.length("available duration", r.Get("duration"))
	}
	switch r := v.Get("source_range"); {
	case r.Is(jsontree.Object):
		it.In = it.exact("start", r.Get("start_time")) - it.base
		it.Dur = it.length("duration", r.Get("duration"))
	case it.Kind == OtherItem:
		it.Dur = nestedLength(v, rate, 0)
	default:
		it.Dur = max(it.Avail, 0)
	}
	return it
}

func (it *Item) readClip(v, ours *jsontree.Value) {
	ref := mediaRef(v)
	it.Medium, it.Url = ours.Get("media").Text(), ref.Get("target_url").Text()
	for _, e := range v.Get("effects").Each() {
		it.readEffect(e)
	}
	if strings.HasPrefix(ref.Get("OTIO_SCHEMA").Text(), "GeneratorReference.") && ref.Get("generator_kind").Text() == textKind {
		p := ref.Get("parameters")
		it.Kind, it.Own = TextItem, true
		it.Caption = &Caption{Text: p.Get("text").Text(), Style: p.Get("style").Text(), Color: p.Get("color").Text(), Anchor: p.Get("anchor").Text(),
			X: it.intMember("x", p, -8192, 8192), Y: it.intMember("y", p, -8192, 8192), Size: it.intMember("size", p, 0, 2000), Fade: it.intMember("fade", p, -1, 1<<20)}
	}
	it.Sound, it.Mute, it.Volume, it.Fit = ours.Get("sound").True(), ours.Get("mute").True(), clampDecibels(ours.Get("volume").Float()), ours.Get("fit").Text()
	it.FadeIn, it.FadeOut = it.length("fade_in", ours.Get("fade_in")), it.length("fade_out", ours.Get("fade_out"))
	it.Cut = render.Cut{Before: it.length("cut_before", ours.Get("cut_before")), After: it.length("cut_after", ours.Get("cut_after"))}
	if o := ours.Get("over"); o.Is(jsontree.Object) {
		it.Over = &Box{it.intMember("width", o, 0, 8192), it.intMember("height", o, 0, 8192), o.Get("anchor").Text(), it.intMember("x", o, -8192, 8192), it.intMember("y", o, -8192, 8192), it.intMember("opacity", o, 0, 100)}
		if it.Over.Opacity < 1 || it.Over.Opacity > 100 {
			it.Over.Opacity = 100
		}
	}
}

// intMember reads an integer between lo and hi from a member of an object. A missing value is 0; another one is read
// as 0 and noted.
func (it *Item) intMember(key string, of *jsontree.Value, lo, hi int) int {
	v := of.Get(key)
	n := otio.Int(v)
	if v != nil && (!v.Is(jsontree.Number) || n < lo || n > hi) {
		it.note("its %s is %s, read as 0", key, RawValue(v))
		return 0
	}
	return n
}

func (it *Item) readEffect(e *jsontree.Value) {
	schema, _, _ := strings.Cut(e.Get("OTIO_SCHEMA").Text(), ".")
	switch schema {
	case "LinearTimeWarp":
		if s := e.Get("time_scalar").Float(); s > 0 && s <= 100 {
			it.Speed *= s
			return
		}
	case "Effect":
		if k := e.Get("metadata", "fcp", "kind").Text(); k != "" {
			out := Effect{Name: k, Kind: k}
			if p := e.Get("metadata", "fcp", "params"); p.Is(jsontree.Object) {
				for _, m := range p.Members {
					out.Params = append(out.Params, Setting{m.Key, m.Value.Plain()})
				}
			}
			it.Effects = append(it.Effects, out)
			return
		}
	}
	name := e.Get("effect_name").Text()
	if name == "" {
		name = schema
	}
	it.Effects = append(it.Effects, Effect{Name: name})
}

// rational reads a RationalTime. A missing one is 0 at rate 0; one that cannot be used is read as that, too, and noted.
func (it *Item) rational(what string, t *jsontree.Value) (value, rate float64) {
	if !t.Is(jsontree.Object) {
		return 0, 0
	}
	number := func(v *jsontree.Value) (float64, bool) {
		x, err := strconv.ParseFloat(v.Plain(), 64)
		return x, err == nil && v.Is(jsontree.Number) && !math.IsInf(x, 0) && !math.IsNaN(x)
	}
	value, okValue := number(t.Get("value"))
	rate, okRate := number(t.Get("rate"))
	switch {
	case !okValue:
		it.note("its %s is %s, read as 0", what, RawValue(t.Get("value")))
	case !okRate || rate <= 0:
		it.note("its %s has the rate %s, read as 0", what, RawValue(t.Get("rate")))
	case math.Abs(value/rate) > timecode.MaxSeconds:
		it.note("its %s is more than a hundred hours, %s at %s a second, read as 0", what, RawValue(t.Get("value")), RawValue(t.Get("rate")))
	default:
		return value, rate
	}
	return 0, 0
}

// RawValue prints a value as written in the file.
func RawValue(v *jsontree.Value) string {
	if v == nil {
		return "missing"
	}
	return pdk.Line(v.Raw(), 30)
}

func (it *Item) note(format string, args ...any) {
	it.Problems = append(it.Problems, fmt.Sprintf(format, args...))
}

// frames reads a RationalTime and returns it in frames of the project.
func (it *Item) frames(what string, t *jsontree.Value) int {
	return it.Rate.Of(it.rational(what, t))
}

// length reads a RationalTime that must not be negative, in frames of the project.
func (it *Item) length(what string, t *jsontree.Value) int {
	n := it.frames(what, t)
	if n < 0 {
		it.note("its %s is less than 0, %s, read as 0", what, RawValue(t.Get("value")))
	}
	return max(n, 0)
}

// exact reads a RationalTime in frames of the project without rounding.
func (it *Item) exact(what string, t *jsontree.Value) float64 {
	value, rate := it.rational(what, t)
	if rate == 0 {
		return 0
	}
	if f, err := timecode.RateOf(rate); err == nil && f == it.Rate || rate == it.Rate.Float() {
		return value
	}
	return value / rate * it.Rate.Float()
}

// nestedLength returns the length of a nested composition in frames: the sum of the items of a track, the longest
// child of a stack.
func nestedLength(v *jsontree.Value, rate timecode.Rate, depth int) (frames int) {
	if depth > 20 {
		return 0
	}
	it := Item{Rate: rate}
	if r := v.Get("source_range"); r.Is(jsontree.Object) {
		return it.length("duration", r.Get("duration"))
	}
	schema, _, _ := strings.Cut(v.Get("OTIO_SCHEMA").Text(), ".")
	switch schema {
	case "Track", "Stack":
		for _, c := range v.Get("children").Each() {
			switch n := nestedLength(c, rate, depth+1); schema {
			case "Track":
				frames += n
			default:
				frames = max(frames, n)
			}
		}
		return frames
	case "Transition":
		return 0
	}
	return it.length("duration", mediaRef(v).Get("available_range", "duration"))
}

// PathOfURL returns the path of a file URL or a relative URL.
func PathOfURL(ref string) string {
	if u, err := url.Parse(ref); err == nil && u.Scheme == "file" {
		return u.Path
	}
	if strings.Contains(ref, "%") {
		if p, err := url.PathUnescape(ref); err == nil {
			return p
		}
	}
	return ref
}

// URLOfPath returns the URL with which a file refers to a path. Relative paths give relative URLs.
func URLOfPath(name string) string {
	return (&url.URL{Path: strings.ReplaceAll(name, "\\", "/")}).EscapedPath()
}

// Stem returns a file's name without its folder and extension.
func Stem(name string) string {
	base := path.Base(strings.ReplaceAll(name, "\\", "/"))
	if i := strings.LastIndexByte(base, '.'); i > 0 {
		base = base[:i]
	}
	return base
}

// Object returns the value of metadata.fcp.over.
func (b Box) Object() otio.Object {
	out := otio.Object{}
	put := func(key string, n int) {
		if n != 0 {
			out = append(out, Field(key, n))
		}
	}
	put("width", b.Width)
	put("height", b.Height)
	if b.Anchor != "" {
		out = append(out, Field("anchor", b.Anchor))
	}
	put("x", b.X)
	put("y", b.Y)
	if b.Opacity != 100 {
		put("opacity", b.Opacity)
	}
	return out
}

// String prints place, size and opacity.
func (b Box) String() string {
	s := ""
	if b.Anchor != "" {
		s += " " + b.Anchor
	} else {
		s += " center"
	}
	if b.X != 0 || b.Y != 0 {
		s += fmt.Sprintf(" shifted %d,%d", b.X, b.Y)
	}
	switch {
	case b.Width > 0 && b.Height > 0:
		s += fmt.Sprintf(" %dx%d", b.Width, b.Height)
	case b.Width > 0:
		s += fmt.Sprintf(" %d wide", b.Width)
	}
	if b.Opacity != 100 {
		s += fmt.Sprintf(" %d%%", b.Opacity)
	}
	return s
}

// String prints an effect with its settings.
func (e Effect) String() string {
	s := e.Name
	for _, p := range e.Params {
		s += " " + p.Name + ":" + p.Value
	}
	return s
}
