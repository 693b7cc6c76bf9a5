package command

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
)

// recordAudio records the calls of the Web Audio API.
const recordAudio = `window.given = []; window.levels = []; const begin = OscillatorNode.prototype.start, end = OscillatorNode.prototype.stop, glide = AudioParam.prototype.setTargetAtTime;
OscillatorNode.prototype.start = function(t) { given.push(this.given = {time: t, frequency: this.frequency.value}); return begin.call(this, t); };
OscillatorNode.prototype.stop = function(t) { if (t) this.given.length = t - this.given.time; return end.call(this, t); };
AudioParam.prototype.setTargetAtTime = function(value, t, within) { if (within < 0.01) levels.push({time: t, value}); return glide.call(this, value, t, within); };`

func TestJudgeASongIsPlayed(t *testing.T) {
	judge.Browser(t)
	c, address := startView(t, "midi")
	c.session("midi", `new "Song" tempo:240`)
	c.edit("midi", "track add Piano instrument:acoustic-grand-piano", "note Piano A4 at:1.1 dur:quarter vel:mf", "note Piano C5 at:1.2 dur:quarter", "note Piano A3 at:1.3 dur:half", "tempo 120 at:2.1",
		"note Piano E5 at:2.1 dur:quarter", "note Piano A5 at:2.2 dur:quarter")
	p := judge.Open(t, address, 1180, 760, false, recordAudio)
	p.Wait(shows + ` && !document.querySelector("#player").hidden && document.querySelector("#time").textContent.includes("/")`)
	keepPicture(t, p, "song")
	p.Eval(`document.querySelector("#play").click()`, nil)
	p.Wait(`document.querySelector("#play").getAttribute("aria-label") == "Stop" && document.querySelector(".line")`)
	p.Wait(`given.length == 5`)
	keepPicture(t, p, "song-plays")
	var given []struct{ Time, Frequency float64 }
	p.Eval(`given`, &given)
	times, tones := []float64{0, 0.25, 0.5, 1, 1.5}, []float64{440, 523.25, 220, 659.26, 880}
	for i, g := range given {
		if d := g.Time - given[0].Time - times[i]; d < -0.002 || d > 0.002 || math.Abs(g.Frequency-tones[i]) > 0.01 {
			t.Errorf("note %d begins %v s behind the first with %v Hz; it should %v s with %v Hz", i, g.Time-given[0].Time, g.Frequency, times[i], tones[i])
		}
	}
	p.Wait(`document.querySelector("#play").getAttribute("aria-label") == "Play"`) // until it ends
	p.Eval(`given.length = 0; document.querySelector("#seek").value = 900; document.querySelector("#seek").dispatchEvent(new Event("input"))`, nil)
	p.Key(" ", 0)
	p.Wait(`given.length == 2`)
	p.Key(" ", 0)
	p.Wait(`document.querySelector("#play").getAttribute("aria-label") == "Play"`)
	p.Eval(`given`, &given)
	if math.Abs(given[0].Frequency-659.26) > 0.01 {
		t.Errorf("from 0.9 s on, the first note has %v Hz", given[0].Frequency)
	}
	// A click beside the notes seeks to a time: the middle of the second bar, which lasts from 1 s to 3 s.
	var at struct{ X, Y float64 }
	p.Eval(`(() => { const r = document.querySelector("#picture").getBoundingClientRect(); return {x: r.left + r.width * (132 + 3 * 173) / 800, y: r.top + r.height * 0.97}; })()`, &at)
	p.Click(at.X, at.Y)
	p.Wait(`Math.abs(document.querySelector("#seek").value - 2000) < 60 && document.querySelector(".line")`)
	// The pedal sustains released notes, and a channel's volume follows its controllers.
	c.edit("midi", "remove @all", "tempo 240 at:2.1", "note Piano C5 at:1.1 dur:quarter", "note Piano E5 at:1.3 dur:quarter", "pedal Piano @range:1-1", "cc Piano volume 50 at:1.3", "cc Piano expression 64 at:2.1", "note Piano G5 at:2.1 dur:quarter")
	showing(p, "1t 3n")
	p.Wait(`document.querySelector("#time").textContent.endsWith("/ 0:01")`)
	p.Eval(`given.length = levels.length = 0; document.querySelector("#seek").value = 0; document.querySelector("#seek").dispatchEvent(new Event("input"))`, nil)
	p.Key(" ", 0)
	p.Wait(`given.length == 3 && levels.length == 2`)
	var held []struct{ Time, Length float64 }
	p.Eval(`given`, &held)
	for i, want := range []float64{0.96875, 0.46875, 0.25} { // until the pedal comes up, a 32nd before bar 2
		if got := held[i].Length - 0.3; math.Abs(got-want) > 0.002 {
			t.Errorf("note %d sounds for %v s, and should for %v s", i, got, want)
		}
	}
	var loud []struct{ Time, Value float64 }
	p.Eval(`levels`, &loud)
	for i, want := range []struct{ at, value float64 }{{0.5, 0.25}, {1, 0.0625}} {
		if at := loud[i].Time - held[0].Time; math.Abs(at-want.at) > 0.002 || math.Abs(loud[i].Value-want.value) > 0.01 {
			t.Errorf("at %v s the channel becomes %v as loud; it should at %v s %v", at, loud[i].Value, want.at, want.value)
		}
	}
	p.Wait(`document.querySelector("#play").getAttribute("aria-label") == "Play"`)
	c.edit("midi", "note Piano D5 at:3.1")
	p.Wait(`document.querySelectorAll(".change").length > 0`)
	keepPicture(t, p, "song-changed")
	checkRequests(t, p, address)
}

func TestJudgeEveryDomainIsShownAndSelectedIn(t *testing.T) {
	judge.Browser(t)
	c, address := startView(t, "svg", "video", "midi", "flowise", "cuedeck")
	p := judge.Open(t, address, 1180, 760, true)
	c.session("svg", `new "Badge" size:320x240`)
	c.edit("svg", `add rect card size:280x200 at:20,20 fill:#e8f0ff rx:16`, `add circle sun r:60 at:100,50 fill:#2f62d9`, `add text name "Hello" at:160,200 font-size:28 text-anchor:middle`)
	p.Wait(shows)
	keepPicture(t, p, "svg-dark")
	// A click selects what is visible there, even if the picture has space outside its viewBox.
	put(t, c.cmd.Dir, "wide.svg", `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="100" viewBox="0 0 100 100"><rect id="back" width="100" height="100" fill="#eee"/><g transform="rotate(45 70 70)"><circle id="dot" cx="70" cy="70" r="9" fill="#ff0000"/></g></svg>`)
	c.session("svg", "open ./wide.svg as:wide")
	p.Wait(shows + ` && document.querySelector("#digest").textContent.includes("400x100")`)
	x, y := redCentre(t, p)
	p.Click(x, y)
	p.Wait(isSelected("dot") + ` && document.querySelector(".choice")`)
	keepPicture(t, p, "svg-selected")
	var at struct{ X, Y float64 }
	put(t, c.cmd.Dir, "sea.mp4", "nobody looks at it")
	c.session("video", `new "Film"`)
	c.edit("video", `media ./sea.mp4 duration:12s size:1280x720 fps:25`, `add clip sea dur:4s`, `add clip sea in:6s dur:3s`)
	p.Wait(`document.querySelector("#tabs [aria-current]").textContent.startsWith("Film")`)
	p.Wait(shows + ` && document.querySelector("#digest").textContent.includes("2clips")`)
	keepPicture(t, p, "timeline-dark")
	p.Eval(`(() => { const r = document.querySelector("#picture").getBoundingClientRect(); return {x: r.left + r.width * 0.8, y: r.top + r.height * 0.45}; })()`, &at)
	p.Click(at.X, at.Y)
	p.Wait(isSelected("sea_2"))
	keepPicture(t, p, "timeline-selected")
	if said := c.must("video_query", map[string]any{"q": "map"}); !strings.Contains(said, "? selected in the view: sea_2") {
		t.Errorf("the model is told %q", said)
	}
	// In the other domains, clicks on the middle of an element's area.
	for _, row := range []struct {
		domain, start, name, digest string
		ops                         []string
		picks                       string // the selected element, if it is the same each time
	}{
		{"midi", `new "Tune"`, "Tune", "[1t 2n", []string{"track add Piano", "note Piano A4 at:1.2 dur:quarter", "note Piano C5 at:1.3 dur:half"}, "@track:Piano @range:1.2.0 @pitch:A4"},
		{"flowise", `new "Greeter" type:AGENTFLOW`, "Greeter", "[AGENTFLOW 2n 1e", []string{"add node startAgentflow", `add node directReplyAgentflow id:reply directReplyMessage:"Hello"`, "connect Start -> reply", "layout"}, "reply"},
		{"cuedeck", "new ./booking", "booking", "[3c", []string{`add card "Choose the stack" priority:high tags:plan`, `add card "Data model" tags:db`, `add card "Booking API" depends:"Data model"`, `modify "Choose the stack" status:active`}, ""},
	} {
		c.session(row.domain, row.start)
		c.edit(row.domain, row.ops...)
		var lies struct {
			X, Y float64
			Name string
		}
		p.Wait(shows + ` && document.querySelector("#digest").textContent.startsWith("` + row.digest + `")`)
		p.Eval(`(async () => {
			const s = await (await fetch("api", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({do: "show", domain: "`+row.domain+`", name: "`+row.name+`"})})).json();
			const a = s.areas.find((a) => a.name == "`+row.picks+`") || s.areas[0], r = document.querySelector("#picture").getBoundingClientRect(), scale = r.width / s.picture.width;
			return {x: r.left + (a.x + a.w / 2 - s.picture.x) * scale, y: r.top + (a.y + a.h / 2 - s.picture.y) * scale, name: a.name}; })()`, &lies)
		if row.picks != "" && lies.Name != row.picks {
			t.Errorf("%s says of %q where it lies, not of %q", row.domain, lies.Name, row.picks)
		}
		keepPicture(t, p, row.domain+"-dark")
		p.Click(lies.X, lies.Y)
		p.Wait(isSelected(lies.Name) + ` && document.querySelector(".choice")`)
		keepPicture(t, p, row.domain+"-selected")
		if said := c.must(row.domain+"_query", map[string]any{"q": "map"}); !strings.Contains(said, "? selected in the view: "+lies.Name) {
			t.Errorf("the model is told %q", said)
		}
	}
	checkRequests(t, p, address)
	if os.Getenv("FCP_PICTURES") == "" {
		return
	}
	for _, size := range []struct {
		name          string
		width, height int
		dark          bool
	}{{"light", 1180, 760, false}, {"narrow", 390, 700, false}, {"narrow-dark", 390, 700, true}} { // pictures for people to look at
		p := judge.Open(t, address, size.width, size.height, size.dark)
		for i, tab := range []string{"Badge", "wide", "Film", "Tune", "Greeter", "booking"} {
			p.Wait(shows)
			p.Eval(fmt.Sprintf(`document.querySelectorAll("#tabs button")[%d].click()`, i), nil)
			p.Wait(`document.querySelector("#tabs [aria-current]").textContent.startsWith("` + tab + `") && document.querySelector("#picture").alt.length > 0`)
			keepPicture(t, p, strings.ToLower(tab)+"-"+size.name)
		}
	}
}
