package render

import (
	"fmt"
	"strconv"
	"strings"
)

// stage is the place of an effect in a clip's filter chain.
type stage int

const (
	before stage = iota // on the picture of the medium
	after               // on the picture at the size of the project
	sound
)

// Setting is a parameter of an effect.
type Setting struct {
	Name     string
	About    string
	Default  string
	Min, Max float64 // bounds of a number
	Color    bool    // a color such as #00ff00 instead of a number
	Animated bool    // may have keys
}

// EffectKind is an effect that clips can have.
type EffectKind struct {
	Name     string
	About    string
	Sound    bool // applies to the sound, not to the picture
	Settings []Setting

	stage stage
	make  func(b *build, v values) string
	mlt   string // MLT's filter and its properties by setting; "" if there is none
}

// values holds the checked settings of an effect.
type values map[string]Param

// Effects returns the effects that clips can have.
//
// Over 80 lines: it is a table with one entry for each effect.
func Effects() []EffectKind {
	plain := func(filter string) func(*build, values) string {
		return func(*build, values) string { return filter }
	}
	eq := func(name, about string, otherwise string, low, high float64) EffectKind {
		return EffectKind{Name: name, About: about, mlt: "avfilter.eq av." + name + "=amount", stage: after, Settings: []Setting{{Name: "amount", Default: otherwise, Min: low, Max: high, Animated: true}},
			make: func(b *build, v values) string {
				return fmt.Sprintf("eq=%s='%s':eval=frame", name, v.over(b, "amount", "t"))
			}}
	}
	return []EffectKind{
		{Name: "grayscale", mlt: "greyscale", About: "without colours", stage: after, make: plain("hue=s=0")},
		{Name: "sepia", mlt: "sepia", About: "like an old photograph", stage: after, make: plain("colorchannelmixer=.393:.769:.189:0:.349:.686:.168:0:.272:.534:.131")},
		{Name: "invert", mlt: "invert", About: "a negative", stage: after, make: plain("negate")},
		{Name: "mirror", mlt: "avfilter.hflip", About: "left and right swapped", stage: after, make: plain("hflip")},
		{Name: "flip", mlt: "avfilter.vflip", About: "upside down", stage: after, make: plain("vflip")},
		eq("brightness", "-1 is black, 1 is white", "0.1", -1, 1),
		eq("contrast", "1 changes nothing", "1.2", 0, 4),
		eq("saturation", "0 is grey, 1 changes nothing", "1.4", 0, 3),
		eq("gamma", "1 changes nothing", "1.2", 0.1, 10),
		{Name: "hue", About: "rotates the hues", stage: after, Settings: []Setting{{Name: "degrees", Default: "90", Min: -360, Max: 360, Animated: true}},
			make: func(b *build, v values) string { return fmt.Sprintf("hue=h='%s'", v.over(b, "degrees", "t")) }},
		{Name: "blur", mlt: "avfilter.gblur av.sigma=radius", About: "", stage: after, Settings: []Setting{{Name: "radius", About: "pixels", Default: "8", Min: 0, Max: 200}},
			make: func(_ *build, v values) string { return fmt.Sprintf("gblur=sigma=%s", v.text("radius")) }},
		{Name: "sharpen", About: "", stage: after, Settings: []Setting{{Name: "amount", Default: "1", Min: 0, Max: 1.5}},
			make: func(_ *build, v values) string { return fmt.Sprintf("unsharp=5:5:%s", v.text("amount")) }},
		{Name: "vignette", About: "darker towards the corners", stage: after, Settings: []Setting{{Name: "degrees", About: "the angle of the lens", Default: "36", Min: 0, Max: 90}},
			make: func(_ *build, v values) string { return fmt.Sprintf("vignette=a=%s*PI/180", v.text("degrees")) }},
		{Name: "noise", About: "like film grain", stage: after, Settings: []Setting{{Name: "strength", Default: "12", Min: 0, Max: 100}},
			make: func(_ *build, v values) string {
				return fmt.Sprintf("noise=alls=%d:allf=t:all_seed=1", int(v.number("strength")))
			}},
		{Name: "denoise", About: "less noise in the picture", stage: after, Settings: []Setting{{Name: "strength", Default: "4", Min: 0, Max: 50}},
			make: func(_ *build, v values) string { return fmt.Sprintf("hqdn3d=%s", v.text("strength")) }},
		{Name: "pixelate", About: "coarse pixels", stage: after, Settings: []Setting{{Name: "size", About: "pixels", Default: "16", Min: 2, Max: 256}},
			make: func(b *build, v values) string {
				n := int(v.number("size"))
				return fmt.Sprintf("scale=%d:%d:flags=area,scale=%d:%d:flags=neighbor,setsar=1", max(b.p.Width/n, 1), max(b.p.Height/n, 1), b.p.Width, b.p.Height)
			}},
		{Name: "edges", About: "outlines alone", stage: after, make: plain("edgedetect")},
		{Name: "rotate", About: "clockwise, the corners filled with the background", stage: after, Settings: []Setting{{Name: "degrees", Default: "10", Min: -3600, Max: 3600, Animated: true}},
			make: func(b *build, v values) string {
				return fmt.Sprintf("rotate=a='(%s)*PI/180':c=%s", v.over(b, "degrees", "t"), b.p.background())
			}},
		{Name: "zoom", About: "into the picture, around a point", stage: after,
			Settings: []Setting{{Name: "factor", Default: "1.3", Min: 1, Max: 10, Animated: true}, {Name: "x", About: "percent of the width", Default: "50", Min: 0, Max: 100, Animated: true}, {Name: "y", About: "percent of the height", Default: "50", Min: 0, Max: 100, Animated: true}},
			make: func(b *build, v values) string {
				return fmt.Sprintf("zoompan=z='%s':x='(%s)/100*(iw-iw/zoom)':y='(%s)/100*(ih-ih/zoom)':d=1:s=%dx%d:fps=%s,setsar=1", v.over(b, "factor", "in_time"), v.over(b, "x", "in_time"), v.over(b, "y", "in_time"), b.p.Width, b.p.Height, b.p.FPS)
			}},
		{Name: "crop", About: "cuts off edges before the picture is fitted", stage: before,
			Settings: []Setting{{Name: "left", About: "percent", Default: "0", Max: 90}, {Name: "right", About: "percent", Default: "0", Max: 90}, {Name: "top", About: "percent", Default: "0", Max: 90}, {Name: "bottom", About: "percent", Default: "0", Max: 90}},
			make: func(_ *build, v values) string {
				return fmt.Sprintf("crop=w=max(iw*(100-%s-%s)/100\\,2):h=max(ih*(100-%s-%s)/100\\,2):x=iw*%s/100:y=ih*%s/100", v.text("left"), v.text("right"), v.text("top"), v.text("bottom"), v.text("left"), v.text("top"))
			}},
		{Name: "deinterlace", About: "for interlaced pictures", stage: before, make: plain("yadif")},
		{Name: "chroma-key", About: "makes a colour clear, on tracks and overlays above others", stage: after,
			Settings: []Setting{{Name: "color", Default: "#00ff00", Color: true}, {Name: "similarity", Default: "0.15", Min: 0.01, Max: 1}, {Name: "blend", Default: "0.05", Min: 0, Max: 1}},
			make: func(_ *build, v values) string {
				return fmt.Sprintf("chromakey=%s:%s:%s", filterColor(v["color"].Value, ""), v.text("similarity"), v.text("blend"))
			}},

		{Name: "gain", mlt: "volume level=db", About: "louder or quieter, also over time", Sound: true, stage: sound, Settings: []Setting{{Name: "db", Default: "-6", Min: -60, Max: 30, Animated: true}},
			make: func(b *build, v values) string {
				return fmt.Sprintf("volume='pow(10,(%s)/20)':eval=frame", v.over(b, "db", "t"))
			}},
		{Name: "highpass", mlt: "avfilter.highpass av.f=hertz", About: "only what is above a frequency", Sound: true, stage: sound, Settings: []Setting{{Name: "hertz", Default: "120", Min: 10, Max: 20000}},
			make: func(_ *build, v values) string { return "highpass=f=" + v.text("hertz") }},
		{Name: "lowpass", mlt: "avfilter.lowpass av.f=hertz", About: "only what is below a frequency", Sound: true, stage: sound, Settings: []Setting{{Name: "hertz", Default: "3000", Min: 10, Max: 20000}},
			make: func(_ *build, v values) string { return "lowpass=f=" + v.text("hertz") }},
		{Name: "bass", mlt: "avfilter.bass av.g=db", About: "more or less of low tones", Sound: true, stage: sound, Settings: []Setting{{Name: "db", Default: "6", Min: -30, Max: 30}},
			make: func(_ *build, v values) string { return "bass=g=" + v.text("db") }},
		{Name: "treble", mlt: "avfilter.treble av.g=db", About: "more or less of high tones", Sound: true, stage: sound, Settings: []Setting{{Name: "db", Default: "4", Min: -30, Max: 30}},
			make: func(_ *build, v values) string { return "treble=g=" + v.text("db") }},
		{Name: "echo", About: "", Sound: true, stage: sound, Settings: []Setting{{Name: "delay", About: "milliseconds", Default: "300", Min: 10, Max: 5000}, {Name: "decay", Default: "0.4", Min: 0.01, Max: 0.9}},
			make: func(_ *build, v values) string {
				return fmt.Sprintf("aecho=0.8:0.9:%s:%s", v.text("delay"), v.text("decay"))
			}},
		{Name: "compress", About: "evens out loud and quiet", Sound: true, stage: sound, Settings: []Setting{{Name: "ratio", Default: "4", Min: 1, Max: 20}},
			make: func(_ *build, v values) string {
				return "acompressor=threshold=0.09:ratio=" + v.text("ratio") + ":makeup=2"
			}},
		{Name: "pan", About: "-1 is left, 1 is right", Sound: true, stage: sound, Settings: []Setting{{Name: "to", Default: "0", Min: -1, Max: 1}},
			make: func(_ *build, v values) string { return "stereotools=balance_out=" + v.text("to") }},
		{Name: "denoise-sound", About: "less noise in the sound", Sound: true, stage: sound, Settings: []Setting{{Name: "db", Default: "12", Min: 1, Max: 97}},
			make: func(_ *build, v values) string { return "afftdn=nr=" + v.text("db") }},
	}
}

func effectNamed(name string) (EffectKind, bool) {
	for _, k := range Effects() {
		if k.Name == name {
			return k, true
		}
	}
	return EffectKind{}, false
}

// effects returns the filters of one stage.
func (b *build) effects(list []Effect, at stage) (filters []string) {
	for _, e := range list {
		if k, _ := effectNamed(e.Kind); k.stage == at {
			filters = append(filters, k.make(b, k.values(e)))
		}
	}
	return filters
}

// values returns the settings of an effect, with defaults for missing ones.
func (k EffectKind) values(e Effect) values {
	v := values{}
	for _, s := range k.Settings {
		v[s.Name] = Param{Name: s.Name, Value: s.Default}
	}
	for _, p := range e.Params {
		v[p.Name] = p
	}
	return v
}

func (v values) number(name string) float64 {
	n, _ := strconv.ParseFloat(v[name].Value, 64)
	return n
}

func (v values) text(name string) string { return number(v.number(name)) }

// over returns a value over time as an expression. clock is the filter's variable for the seconds since the clip's
// start.
func (v values) over(b *build, name, clock string) string {
	p := v[name]
	if len(p.Keys) == 0 {
		return v.text(name)
	}
	value := func(i int) float64 {
		n, _ := strconv.ParseFloat(p.Keys[i].Value, 64)
		return n
	}
	when := func(i int) string { return micros(b.p.seconds(p.Keys[i].Frame)) }
	var e strings.Builder
	fmt.Fprintf(&e, "if(lt(%s,%s),%s,", clock, when(0), precise(value(0)))
	for i := 1; i < len(p.Keys); i++ {
		fmt.Fprintf(&e, "if(lt(%s,%s),%s+(%s)*(%s-%s)/(%s-%s),", clock, when(i), precise(value(i-1)), precise(value(i)-value(i-1)), clock, when(i-1), when(i), when(i-1))
	}
	e.WriteString(precise(value(len(p.Keys) - 1)))
	e.WriteString(strings.Repeat(")", len(p.Keys)))
	return e.String()
}

const maxKeys = 50 // ffmpeg refuses more deeply nested expressions

// checkEffects returns an error if an effect of a clip or an overlay is invalid.
func checkEffects(id string, list []Effect) error {
	for _, e := range list {
		k, ok := effectNamed(e.Kind)
		if !ok {
			return fmt.Errorf("%s: there is no effect %q", id, e.Kind)
		}
		for _, p := range e.Params {
			if err := k.check(p); err != nil {
				return fmt.Errorf("%s: %s: %w", id, e.Kind, err)
			}
		}
	}
	return nil
}

// check returns an error if a setting is invalid.
func (k EffectKind) check(p Param) error {
	for _, s := range k.Settings {
		if s.Name != p.Name {
			continue
		}
		if len(p.Keys) == 0 {
			return s.check(p.Value)
		}
		if !s.Animated {
			return fmt.Errorf("%s cannot change over time", s.Name)
		}
		if len(p.Keys) > maxKeys {
			return fmt.Errorf("%s has %d keys; at most %d are possible", s.Name, len(p.Keys), maxKeys)
		}
		for i, key := range p.Keys {
			if key.Frame < 0 || key.Frame > maxFrames || i > 0 && key.Frame <= p.Keys[i-1].Frame {
				return fmt.Errorf("the keys of %s are not in the order of their frames", s.Name)
			}
			if err := s.check(key.Value); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("it has no setting %q", p.Name)
}

func (s Setting) check(value string) error {
	if s.Color {
		if !isHexColor(value) {
			return fmt.Errorf("%s is %q, which is not a colour like #1a2b3c", s.Name, value)
		}
		return nil
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || !(n >= s.Min && n <= s.Max) {
		return fmt.Errorf("%s is %q; a number from %s to %s is possible", s.Name, value, number(s.Min), number(s.Max))
	}
	return nil
}
