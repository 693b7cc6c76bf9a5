package render

import (
	"fmt"
	"math"
	"math/rand"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The form of an edit decision list for a strict reader of CMX3600: columns of fixed width, events in order, times of the list's
// kind.
var (
	edlEvent = regexp.MustCompile(`^(\d{3})  AX       (V    |AA/V ) (?:(C)       |(D|W\d{3}) {1,4}(\d{3})) (\S{11}) (\S{11}) (\S{11}) (\S{11})$`)
	edlSpeed = regexp.MustCompile(`^M2   AX       (\d{3}\.\d)       (\S{11})$`)
)

// edlEdit is one line of an event.
type edlEdit struct {
	event         int
	kind          string // "C", "D" or "W001"
	frames        int    // of the transition
	in, out       int    // of the source
	from, to      int    // of the record
	speed         float64
	clip, toClip  string
	source, sound string
}

// readEDL parses a list, or reports the wrong line.
func readEDL(text string, fps Rational) (edits []edlEdit, err error) {
	rate := int(math.Round(float64(fps.Num) / float64(fps.Den)))
	drop := false
	time := func(code string) int {
		var h, m, s, f int
		form := "%02d:%02d:%02d:%02d"
		if drop {
			form = "%02d:%02d:%02d;%02d"
		}
		if n, e := fmt.Sscanf(code, form, &h, &m, &s, &f); n != 4 || e != nil || m > 59 || s > 59 || f >= rate || drop && m%10 != 0 && s == 0 && f < rate/15 {
			err = fmt.Errorf("%q is not a time", code)
		}
		frames := ((h*60+m)*60+s)*rate + f
		if drop {
			minutes := h*60 + m
			frames -= rate / 15 * (minutes - minutes/10)
		}
		return frames
	}
	lines := strings.Split(text, "\n")
	if !strings.HasPrefix(lines[0], "TITLE: ") || !strings.HasPrefix(lines[1], "FCM: ") {
		return nil, fmt.Errorf("it begins with %q", lines[:2])
	}
	drop = lines[1] == "FCM: DROP FRAME"
	if !drop && lines[1] != "FCM: NON-DROP FRAME" {
		return nil, fmt.Errorf("no mode: %s", lines[1])
	}
	for i, line := range lines[2:] {
		last := len(edits) - 1
		switch m := edlEvent.FindStringSubmatch(line); {
		case m != nil:
			e := edlEdit{kind: m[3] + m[4], in: time(m[6]), out: time(m[7]), from: time(m[8]), to: time(m[9]), speed: 1, sound: m[2]}
			e.event, _ = strconv.Atoi(m[1])
			e.frames, _ = strconv.Atoi(m[5])
			edits = append(edits, e)
		case line == "":
		case last < 0:
			err = fmt.Errorf("%q stands before all events", line)
		case strings.HasPrefix(line, "M2 "):
			m := edlSpeed.FindStringSubmatch(line)
			if m == nil || strings.HasPrefix(lines[2:][i-1], "*") {
				err = fmt.Errorf("%q is not a speed after its event", line)
				break
			}
			v, _ := strconv.ParseFloat(m[1], 64)
			edits[last].speed = v * float64(fps.Den) / float64(fps.Num)
			if time(m[2]) != edits[last].in {
				err = fmt.Errorf("%q is about another place", line)
			}
		case strings.HasPrefix(line, "* FROM CLIP NAME: "):
			edits[last].clip = line[len("* FROM CLIP NAME: "):]
		case strings.HasPrefix(line, "* TO CLIP NAME: "):
			edits[last].toClip = line[len("* TO CLIP NAME: "):]
		case strings.HasPrefix(line, "* SOURCE FILE: "):
			edits[last].source = line[len("* SOURCE FILE: "):]
		default:
			err = fmt.Errorf("%q is nothing that is known", line)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+3, err)
		}
	}
	return edits, nil
}

// The reader must get the timeline from the list: each clip's source from its first to its last frame, where the film shows it.
func TestAReaderOfEditDecisionListsSeesTheTimeline(t *testing.T) {
	var media []Media
	for _, m := range testMedia() {
		m.Path = m.Name + "." + m.Ext
		media = append(media, m.Media)
	}
	for n := range 40 {
		p := randomProject(rand.New(rand.NewSource(int64(n))), n, media)
		data, _, err := Export(p, "edl")
		if err != nil {
			t.Fatal(err)
		}
		edits, err := readEDL(string(data), p.FPS)
		if err != nil {
			t.Errorf("timeline %d: %v\n%s", n, err, data)
			continue
		}
		at, event := 0, 0
		p.Video[0].eachClip(func(it *Item, start, overlap int) {
			c := &it.Clip
			fail := func(what string) { t.Errorf("timeline %d, %s: %s\n%s", n, c.ID, what, data) }
			event++
			if overlap > 0 { // end of the clip before, with no length
				if at >= len(edits) || edits[at].event != event || edits[at].kind != "C" || edits[at].from != start || edits[at].to != start || edits[at].in != edits[at].out {
					fail("no line of the clip before")
					return
				}
				at++
			}
			if at >= len(edits) {
				fail("it has no event")
				return
			}
			e, m := edits[at], p.Media[c.Media]
			at++
			end := start + c.Frames
			if it.Next != nil {
				end -= it.Next.Frames
			}
			name := e.clip
			if overlap > 0 {
				name = e.toClip
			}
			switch {
			case e.event != event || e.from != start || e.to != end:
				fail(fmt.Sprintf("it is event %d from %d to %d", e.event, e.from, e.to))
			case e.frames != overlap || (e.kind == "C") != (overlap == 0):
				fail(fmt.Sprintf("it begins with %s of %d frames", e.kind, e.frames))
			case name != m.Name || e.source != m.Path:
				fail(fmt.Sprintf("it shows %s, %s", name, e.source))
			case strings.HasPrefix(e.sound, "AA") != (m.Audio && !c.Mute):
				fail("its sound is " + e.sound)
			case math.Abs(float64(e.out-e.in)-float64(e.to-e.from)*e.speed) > 1.5:
				fail(fmt.Sprintf("%d frames of the source take %d of the film at %g", e.out-e.in, e.to-e.from, e.speed))
			case e.in != p.sourceFrame(c, 0):
				fail(fmt.Sprintf("it begins at %d of its source", e.in))
			}
		})
		if at != len(edits) {
			t.Errorf("timeline %d has %d more lines\n%s", n, len(edits)-at, data)
		}
	}
}
