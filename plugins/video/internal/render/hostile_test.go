package render

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tricks are texts that try to escape from where they are put.
var tricks = []string{
	"movie=/etc/passwd", "concat:in0.mp4|/etc/passwd", "http://127.0.0.1:9/x", "-i /etc/passwd", "-i", "file:/etc/passwd", "subtitles=/etc/passwd", "subtitles='/etc/passwd'",
	"x'; touch /tmp/x; '", `x\'`, "x\n[v]movie=/etc/passwd[w];", "%{localtime}", "%{eif:1:d}", "%{pts}", `\`, `\\`, "'", `"`, "[v1]", ";", ",", ":textfile=/etc/passwd", "x:textfile=/etc/passwd:", "{in:0}", "{out:0}", "{file:graph.txt}",
	"$(id)", "`id`", "<x/>", "]]>", "&amp;", "../../etc/passwd", "/etc/passwd", "color:red", "xml-string:<mlt/>", "consumer:avformat", "-x", "\x00", "\x1b[31m", "amovie=/etc/passwd", "ladspa=file=in0.mp4", "sendcmd=f=/etc/passwd", "lavfi", "lut3d=/etc/passwd", "frei0r=x",
}

// knownFilters are the filters that graphs may have. None reads files except drawtext, whose options are checked.
var knownFilters = strings.Fields(`acompressor acrossfade adelay aecho afade afftdn aformat amix anullsrc apad aresample asetpts asplit atempo atrim bass chromakey color colorchannelmixer
	concat crop drawbox drawtext edgedetect eq fade format fps gblur hflip highpass hqdn3d hue lowpass lutyuv negate noise overlay pad palettegen paletteuse
	rotate scale setpts setsar settb sidechaincompress split stereotools tile tpad treble trim unsharp vflip vignette volume xfade yadif zoompan`)

var (
	pad        = regexp.MustCompile(`^\[[a-z0-9:]+\]`)
	textFile   = regexp.MustCompile(`^text[0-9]+\.txt$`)
	systemFont = regexp.MustCompile(`^'\\:color=false\\:scalable=true\\:charset=[0-9a-f ]+'$`)
	plainText  = regexp.MustCompile(`^[A-Za-z0-9_.:;,|@+*/()\[\]='\\ %&^~<>-]*$`)
)

// parseGraph parses a graph as ffmpeg does into chains, filters and options. It fails if one of them is not expected.
func parseGraph(t *testing.T, c *Command) (filters int) {
	t.Helper()
	names := map[string]bool{}
	for _, f := range c.Files {
		names[f.Name] = true
	}
	for _, chain := range split(c.Graph(), ';') {
		for _, filter := range split(strings.TrimSpace(chain), ',') {
			for pad.MatchString(filter) {
				filter = filter[len(pad.FindString(filter)):]
			}
			for strings.HasSuffix(filter, "]") {
				filter = filter[:strings.LastIndex(filter, "[")]
			}
			name, options, _ := strings.Cut(filter, "=")
			filters++
			if !slices.Contains(knownFilters, name) {
				t.Errorf("the filter %q is not one of ours", filter)
			}
			if name == "drawtext" {
				seen := map[string]string{}
				for _, o := range split(options, ':') {
					key, value, _ := strings.Cut(o, "=")
					seen[key] = value
				}
				if !textFile.MatchString(seen["textfile"]) || !names[seen["textfile"]] || seen["expansion"] != "none" || seen["text"] != "" || !names[seen["fontfile"]] && !systemFont.MatchString(seen["fontfile"]) {
					t.Errorf("a text is drawn by %q", options)
				}
			}
		}
	}
	return filters
}

// split cuts a text at a letter that is neither quoted nor escaped.
func split(s string, at byte) (parts []string) {
	start, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++ // the filter's own parser reads what is within quotes
		case s[i] == '\'':
			quoted = !quoted
		case s[i] == at && !quoted:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}

// hostileProjects returns projects with the trick in every text, except those that refuse it.
func hostileProjects(trick string) map[string]*Project {
	all := map[string]*Project{}
	base := func() *Project {
		p := project(Item{Clip: clip("c1", 0, 50), Next: &Transition{"crossfade", 5}}, Item{Clip: clip("c2", 1, 50)})
		p.Audio = []Track{{ID: "A1", Items: []Item{{Clip: clip("s1", 3, 50)}}}}
		p.Overlays = []Overlay{{ID: "o1", Media: 4, Frames: 10}}
		p.Texts = []Text{{ID: "t1", Text: "text", Frames: 20}}
		return p
	}
	for name, change := range map[string]func(p *Project){
		"name":       func(p *Project) { p.Name = trick },
		"background": func(p *Project) { p.Background = trick },
		"media name": func(p *Project) { p.Media[0].Name = trick },
		"media path": func(p *Project) { p.Media[0].Path = trick },
		"media ext":  func(p *Project) { p.Media[0].Ext = trick },
		"track":      func(p *Project) { p.Video[0].ID, p.Ducks = trick, []Duck{{Track: "A1", Under: trick}} },
		"clip":       func(p *Project) { p.Video[0].Items[0].Clip.ID = trick },
		"fit":        func(p *Project) { p.Video[0].Items[0].Clip.Fit = trick },
		"transition": func(p *Project) { p.Video[0].Items[0].Next.Kind = trick },
		"effect":     func(p *Project) { p.Video[0].Items[0].Clip.Effects = []Effect{{Kind: trick}} },
		"setting": func(p *Project) {
			p.Video[0].Items[0].Clip.Effects = []Effect{{"blur", []Param{{Name: trick, Value: "1"}}}}
		},
		"value": func(p *Project) {
			p.Video[0].Items[0].Clip.Effects = []Effect{{"blur", []Param{{Name: "radius", Value: trick}}}}
		},
		"color": func(p *Project) {
			p.Video[0].Items[0].Clip.Effects = []Effect{{"chroma-key", []Param{{Name: "color", Value: trick}}}}
		},
		"key": func(p *Project) {
			p.Overlays[0].Effects = []Effect{{"hue", []Param{{Name: "degrees", Keys: []Key{{0, trick}}}}}}
		},
		"overlay":     func(p *Project) { p.Overlays[0].ID = trick },
		"place":       func(p *Project) { p.Overlays[0].Place.Anchor = trick },
		"text":        func(p *Project) { p.Texts[0].Text = trick },
		"style":       func(p *Project) { p.Texts[0].Style = trick },
		"text color":  func(p *Project) { p.Texts[0].Color = trick },
		"text place":  func(p *Project) { p.Texts[0].Place.Anchor = trick },
		"text itself": func(p *Project) { p.Texts[0].ID = trick },
		"duck":        func(p *Project) { p.Ducks = []Duck{{Track: trick, Under: "V1"}} },
		"marker":      func(p *Project) { p.Markers = []Marker{{Name: trick}} },
	} {
		p := base()
		change(p)
		all[name] = p
	}
	return all
}

func TestNoTextOfAProjectReachesTheArgumentsOrTheGraph(t *testing.T) {
	clean := map[string]string{}
	for name, p := range hostileProjects("plain") {
		if c, err := Build(p, "h264"); err == nil {
			clean[name] = strings.Join(c.Args, "\n") + c.Graph()
		}
	}
	built := 0
	for _, trick := range tricks {
		for name, p := range hostileProjects(trick) {
			for what, make := range map[string]func() (*Command, error){
				"film":  func() (*Command, error) { return Build(p, "h264") },
				"frame": func() (*Command, error) { return Frame(p, 10, 320) },
				"sheet": func() (*Command, error) { return Sheet(p, 4, 2, 160) },
			} {
				c, err := make()
				if err != nil {
					continue
				}
				built++
				parseGraph(t, c)
				if !plainText.MatchString(strings.ReplaceAll(c.Graph(), "\n", "")) {
					t.Errorf("%s %q: the graph of the %s holds other letters:\n%s", name, trick, what, c.Graph())
				}
				if now := strings.Join(c.Args, "\n") + c.Graph(); what == "film" && name != "text" && now != clean[name] {
					t.Errorf("%s %q changes the command:\n%s", name, trick, now)
				}
			}
		}
	}
	if built < 100 {
		t.Errorf("only %d commands were made", built)
	}
}

func TestGraphsAreMadeOfKnownFilters(t *testing.T) {
	used := map[string]bool{}
	for name, p := range features() {
		for _, f := range Formats() {
			c, err := Build(p, f.Name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			parseGraph(t, c)
			for _, k := range knownFilters {
				used[k] = used[k] || strings.Contains(c.Graph(), k)
			}
		}
	}
	for _, k := range knownFilters {
		if !used[k] && k != "tile" {
			t.Errorf("%s is not used: take it from the list", k)
		}
	}
}

func TestExportsHoldTextsAsTexts(t *testing.T) {
	for _, trick := range tricks {
		for name, p := range hostileProjects(trick) {
			data, _, err := Export(p, "mlt")
			if err != nil {
				continue
			}
			d := xml.NewDecoder(strings.NewReader(string(data)))
			var property string
			for {
				token, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("%s %q: %v\n%s", name, trick, err, data)
				}
				switch token := token.(type) {
				case xml.StartElement:
					property = ""
					if !slices.Contains(strings.Fields("mlt profile producer property playlist entry blank filter tractor track transition"), token.Name.Local) {
						t.Errorf("%s %q makes an element %s", name, trick, token.Name.Local)
					}
					for _, a := range token.Attr {
						if token.Name.Local == "property" && a.Name.Local == "name" {
							property = a.Value
						}
					}
				case xml.CharData:
					text := string(token)
					if property == "resource" && !strings.HasPrefix(text, "0x") && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "./") {
						t.Errorf("%s %q: the resource is %q", name, trick, text)
					}
					property = ""
				}
			}
			if _, _, err := Export(p, "srt"); err != nil {
				t.Error(err)
			}
			list, _, err := Export(p, "edl")
			if err != nil {
				t.Error(err)
			}
			for line := range strings.Lines(string(list)) {
				if line != "\n" && !strings.HasPrefix(line, "00") && !strings.HasPrefix(line, "* ") && !strings.HasPrefix(line, "TITLE: ") && !strings.HasPrefix(line, "FCM: ") {
					t.Errorf("%s %q: the list has a line %q", name, trick, line)
				}
			}
		}
	}
}

func TestWhatCannotBeRenderedIsRefused(t *testing.T) {
	ok := func() *Project {
		return project(Item{Clip: clip("c1", 0, 50), Next: &Transition{"crossfade", 5}}, Item{Clip: clip("c2", 1, 50)})
	}
	for want, change := range map[string]func(p *Project){
		"the timeline is empty":             func(p *Project) { p.Video = nil },
		"the picture cannot be 641x360":     func(p *Project) { p.Width = 641 },
		"cannot have 0/0 frames a second":   func(p *Project) { p.FPS = Rational{} },
		"the sample rate cannot be 7":       func(p *Project) { p.SampleRate = 7 },
		"there is no medium 9":              func(p *Project) { p.Video[0].Items[0].Clip.Media = 9 },
		"song has no pictures":              func(p *Project) { p.Video[0].Items[0].Clip.Media = 3 },
		"it begins at 60 s of a":            func(p *Project) { p.Video[0].Items[0].Clip.In = Rational{60, 1} },
		"its fades take 60 frames":          func(p *Project) { p.Video[0].Items[0].Clip.FadeIn = 60 },
		"it cannot have the speed 101/1":    func(p *Project) { p.Video[0].Items[0].Clip.Speed = Rational{101, 1} },
		"the transitions of c2 take 60":     func(p *Project) { p.Video[0].Items[0].Next.Frames, p.Video[0].Items[0].Clip.Frames = 60, 90 },
		"no clip follows the transition":    func(p *Project) { p.Video[0].Items[1].Next = &Transition{"crossfade", 2} },
		"its volume cannot be 200 dB":       func(p *Project) { p.Video[0].Items[0].Clip.Volume = 200 },
		"there is no style":                 func(p *Project) { p.Texts = []Text{{Frames: 3, Style: "x"}} },
		"it cannot be shown for 0 frames":   func(p *Project) { p.Texts = []Text{{}} },
		"its opacity cannot be 101 percent": func(p *Project) { p.Overlays = []Overlay{{Media: 4, Frames: 3, Opacity: 101}} },
		"cannot be ducked by 3 dB":          func(p *Project) { p.Ducks = []Duck{{By: 3}} },
		"radius is \"x\"; a number from 0 to": func(p *Project) {
			p.Video[0].Items[0].Clip.Effects = []Effect{{"blur", []Param{{Name: "radius", Value: "x"}}}}
		},
		"radius cannot change over time": func(p *Project) {
			p.Video[0].Items[0].Clip.Effects = []Effect{{"blur", []Param{{Name: "radius", Keys: []Key{{0, "1"}}}}}}
		},
		"are not in the order of their frames": func(p *Project) {
			p.Video[0].Items[0].Clip.Effects = []Effect{{"hue", []Param{{Name: "degrees", Keys: []Key{{5, "1"}, {5, "2"}}}}}}
		},
	} {
		p := ok()
		change(p)
		if _, err := Build(p, "h264"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it should say %q, and says %v", want, err)
		}
	}
	many := ok()
	for range 520 {
		many.Video[0].Items = append(many.Video[0].Items, Item{Clip: clip("c", 0, 1)}, Item{Gap: 1})
	}
	if _, err := Build(many, "h264"); err == nil || !strings.Contains(err.Error(), "at most 512 can be rendered at once") {
		t.Error(err)
	}
	if _, err := Build(ok(), "x"); err == nil || !strings.Contains(err.Error(), "there are h264_1080p, ") {
		t.Error(err)
	}
	if _, err := Frame(ok(), 95, 0); err == nil || fmt.Sprint(err) != "there is no frame 95: the film has 95" {
		t.Error(err)
	}
}
