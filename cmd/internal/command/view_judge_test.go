package command

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// viewed is a server with these plugins that shows its documents, and the address of its page.
func viewed(t *testing.T, plugins ...string) (c *client, address string) {
	t.Helper()
	args := []string{"--view"}
	for _, p := range plugins {
		if p == "cuedeck" {
			args = append(args, "--grant", "cuedeck=folder")
		}
		args = append(args, "--plugin", testwasm.Build(t, "plugins/"+p))
	}
	c = serveProcess(t, t.TempDir(), args...)
	c.request("tools/list", nil, nil) // waits for the plugins
	first := plugins[0]
	c.session(first, `new "First"`)
	said := c.session(first, "view")
	if address = regexp.MustCompile(`http://127\.0\.0\.1:\d+/\w+/`).FindString(said); address == "" {
		t.Fatalf("the action view says %q", said)
	}
	c.session(first, "close")
	return c, address
}

// look keeps a picture of a page where FCP_PICTURES says, for people.
func look(t *testing.T, p *judge.Tab, name string) {
	t.Helper()
	if dir := os.Getenv("FCP_PICTURES"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), p.Picture(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// local holds that a page had nothing to complain about, and asked for nothing but what is at its own address.
func local(t *testing.T, p *judge.Tab, address string) {
	t.Helper()
	for _, url := range p.Requests() {
		if !strings.HasPrefix(url, address) && !strings.HasPrefix(url, "data:") && url != "about:blank" {
			t.Errorf("the page asked for %s", url)
		}
	}
	if said := slices.DeleteFunc(p.Said(), func(s string) bool { return strings.Contains(s, "ERR_CONNECTION") }); len(said) > 0 {
		t.Errorf("the page says %q", said)
	}
}

const shows = `!document.querySelector("#sheet").hidden && document.querySelector("#picture").naturalWidth > 0`

// told holds when the page shows that this is selected, and the host has heard of it.
func told(name string) string {
	return `document.querySelector("#picked[aria-busy=false] #pickedname")?.textContent == "` + name + `"`
}

// showing waits until the page shows the document with this digest.
func showing(p *judge.Tab, want string) {
	p.Wait(shows + ` && document.querySelector("#digest").textContent.startsWith("[` + want + `")`)
}

func TestJudgeThePageShowsADiagramAndFollowsIt(t *testing.T) {
	judge.Browser(t)
	c, address := viewed(t, "drawio")
	p := judge.Open(t, address, 1180, 760, false)
	p.Wait(`document.querySelector("#empty").textContent.startsWith("No document is open")`)
	c.session("drawio", `new "Shop"`)
	c.edit("drawio", "add svc Gateway", "add svc Orders near:Gateway dir:right", "add svc Auth near:Gateway dir:below", "add db OrderDB near:Orders dir:below",
		"connect Gateway -> Orders", "connect Gateway -> Auth", "connect Orders -> OrderDB")
	showing(p, "4s 3e")
	look(t, p, "diagram")

	at := time.Now()
	c.edit("drawio", "add queue Mails near:Auth dir:left theme:green", "connect Auth -> Mails")
	showing(p, "5s 4e")
	t.Logf("what a call did is seen %v behind its beginning", time.Since(at).Round(time.Millisecond))
	p.Wait(`document.querySelectorAll(".change").length > 0 && document.querySelector("#saidline").textContent == "1 added, 1 connected"`)
	look(t, p, "diagram-changed")
	if os.Getenv("FCP_UPDATE") != "" { // what the README shows
		if err := os.WriteFile("../../docs/view.png", p.Picture(), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	p.Eval(`document.querySelector("#saidline").click()`, nil)
	p.Wait(`document.querySelectorAll("#saidtext li").length == 2 && document.querySelector("#saidtext").getBoundingClientRect().height > 20`)
	look(t, p, "diagram-said")
	p.Eval(`document.querySelector("#saidline").click()`, nil)
	c.call("drawio", map[string]any{"ops": []string{"add svc X", "remove Nobody"}})
	p.Wait(`document.querySelector("#saidline").textContent.includes("Nobody") && document.querySelector("#saidline").className == "bad"`)
	c.session("drawio", "checkpoint before")
	c.edit("drawio", "remove Gateway")
	showing(p, "4s 2e")
	look(t, p, "diagram-removed")
	p.Eval(`document.querySelector("#undo").click()`, nil)
	showing(p, "5s 4e")
	if said := c.session("drawio", "status"); !strings.Contains(said, "1 to redo") || !strings.Contains(said, "done in the view, by a person: undo batch") {
		t.Errorf("after undo in the page, status says %q", said)
	}
	local(t, p, address)

	dark := judge.Open(t, address, 1180, 760, true)
	showing(dark, "5s 4e")
	look(t, dark, "diagram-dark")
	narrow := judge.Open(t, address, 390, 700, true)
	showing(narrow, "5s 4e")
	look(t, narrow, "diagram-narrow")
	narrow.Eval(`document.querySelector("#panel").click()`, nil)
	look(t, narrow, "diagram-narrow-history")
}

// A person's part: the history, checkpoints, pages, zoom and what they select.
func TestJudgeThePageIsWorkedWithByMouseAndKeys(t *testing.T) {
	judge.Browser(t)
	c, address := viewed(t, "drawio")
	c.session("drawio", `new "Shop"`)
	c.edit("drawio", "add svc AuthService", "add db UserDB near:AuthService dir:below", "connect AuthService -> UserDB")
	c.edit("drawio", "add svc Mail near:AuthService dir:right")
	p := judge.Open(t, address, 1000, 700, false)
	showing(p, "3s 1e")

	// What a click means is told to the model.
	var at struct{ X, Y float64 }
	p.Eval(`(() => { const r = document.querySelector("#picture").getBoundingClientRect(); return {x: r.left + r.width * 80 / 360, y: r.top + r.height * 30 / 220}; })()`, &at)
	p.Mouse("mouseMoved", at.X, at.Y, 0, 0)
	p.Wait(`document.querySelector(".hover")`)
	p.Click(at.X, at.Y)
	p.Wait(told("AuthService") + ` && document.querySelector(".choice")`)
	look(t, p, "selected")
	if said := c.must("drawio_query", map[string]any{"q": "map"}); !strings.Contains(said, "? selected in the view: AuthService") {
		t.Errorf("the model is told %q", said)
	}
	if said := c.must("drawio_query", map[string]any{"q": "map"}); strings.Contains(said, "selected") {
		t.Errorf("and told again: %q", said)
	}
	p.Key("Escape", 0)
	p.Wait(`document.querySelector("#picked").hidden`)
	p.Eval(`document.querySelector("#stage").focus()`, nil)
	var all []string
	for range 4 { // three shapes and an edge, then from the beginning
		var name string
		p.Key("n", 0)
		p.Eval(`document.querySelector("#pickedname").textContent`, &name)
		all = append(all, name)
	}
	p.Key("n", 0)
	p.Wait(`document.querySelector("#pickedname").textContent == "` + all[0] + `"`)
	p.Key("p", 0)
	p.Wait(`document.querySelector("#pickedname").textContent == "` + all[3] + `"`)
	if slices.Sort(all); len(slices.Compact(all)) != 4 || !slices.Contains(all, "UserDB") {
		t.Errorf("keys select %q", all)
	}
	p.Key("Escape", 0)
	heard(t, p)

	// The past is shown, and nothing is changed by that.
	p.Eval(`[...document.querySelectorAll("#calls button")].find((b) => b.title.startsWith("add svc AuthService")).click()`, nil)
	showing(p, "2s 1e")
	p.Wait(`!document.querySelector("#past").hidden`)
	look(t, p, "past")
	if said := c.session("drawio", "status"); !strings.Contains(said, "4 ops to undo, 0 to redo") {
		t.Errorf("after a look at the past, status says %q", said)
	}
	p.Key("Escape", 0)
	showing(p, "3s 1e")
	p.Eval(`document.querySelector("#markname").value = 'my "place"'; document.querySelector("#mark").requestSubmit()`, nil)
	p.Wait(`[...document.querySelectorAll(".flag span")].some((s) => s.textContent.endsWith('my "place"'))`)
	c.edit("drawio", "remove Mail", "label UserDB Users")
	showing(p, "2s 1e")
	p.Eval(`document.querySelector(".flag button").click()`, nil)
	showing(p, "3s 1e")
	p.Key("Z", judge.Control|judge.Shift)
	showing(p, "2s 1e")
	p.Key("z", judge.Control)
	showing(p, "3s 1e")

	// Pages and zoom.
	p.Eval(`document.querySelector("#stage").focus()`, nil)
	zoom := func() (percent string) { p.Eval(`document.querySelector("#fit").textContent`, &percent); return }
	fit := zoom()
	p.Key("+", 0)
	larger := zoom()
	p.Key("0", 0)
	if again := zoom(); larger == fit || again != fit {
		t.Errorf("zoomed from %s to %s to %s", fit, larger, again)
	}
	p.Key("-", 0)
	smaller := zoom()
	p.Key("1", 0)
	if whole := zoom(); number(smaller) >= number(fit) || number(larger) <= number(fit) || whole != "100 %" {
		t.Errorf("zoomed from %s to %s by plus, to %s by minus, to %s by 1", fit, larger, smaller, whole)
	}
	for _, b := range []struct {
		button string
		factor float64
	}{{"#in", 1.25}, {"#out", 0.8}, {"#in", 1.25}} {
		before := number(zoom())
		p.ClickOn(b.button)
		if after := number(zoom()); math.Abs(after-before*b.factor) > 1 {
			t.Errorf("%s zooms from %v %% to %v %%", b.button, before, after)
		}
	}
	p.ClickOn("#fit")
	if again := zoom(); again != fit {
		t.Errorf("fitted, it is %s and was %s", again, fit)
	}
	// What the mouse is on stays under it.
	under := func() (x float64) {
		p.Eval(`(() => { const r = document.querySelector("#picture").getBoundingClientRect(); return (300 - r.left) / r.width; })()`, &x)
		return
	}
	point := under()
	p.Mouse("mouseWheel", 300, 300, -120, judge.Control)
	p.Wait(`document.querySelector("#fit").textContent != "` + fit + `"`)
	if after := under(); math.Abs(after-point) > 0.001 || number(zoom()) <= number(fit) {
		t.Errorf("the wheel zooms to %s, and brings %v of the picture where %v was", zoom(), after, point)
	}
	p.Mouse("mouseWheel", 300, 300, 50, 0)
	left := func() (x float64) {
		p.Eval(`document.querySelector("#picture").getBoundingClientRect().left`, &x)
		return
	}
	p.Eval(`document.querySelector("#stage").focus()`, nil)
	before := left()
	p.Key("ArrowRight", 0)
	keyed := left()
	p.Mouse("mousePressed", 60, 600, 0, 0)
	p.Mouse("mouseMoved", 100, 600, 1, 0)
	p.Mouse("mouseMoved", 160, 600, 1, 0)
	p.Mouse("mouseReleased", 160, 600, 0, 0)
	if dragged := left(); keyed != before-60 || dragged != keyed+100 {
		t.Errorf("the picture lies at %v, behind a key at %v, dragged to %v", before, keyed, dragged)
	}
	c.edit("drawio", "page add Second", "add svc Alone")
	p.Wait(`!document.querySelector("#pages").hidden && document.querySelector("#page").value == "2"`)
	p.Key("PageUp", 0)
	p.Wait(`document.querySelector("#page").value == "1"`)
	p.Key("PageDown", 0)
	p.Wait(`document.querySelector("#page").value == "2" && document.querySelector("#after").disabled`)
	p.ClickOn("#before")
	p.Wait(`document.querySelector("#page").value == "1" && document.querySelector("#before").disabled && document.querySelector("#picture").naturalWidth > 200`)
	p.ClickOn("#after")
	p.Wait(`document.querySelector("#page").value == "2"`)
	p.Eval(`document.querySelector("#page").value = "1"; document.querySelector("#page").dispatchEvent(new Event("change"))`, nil)
	p.Wait(`document.querySelector("#page").value == "1" && document.querySelector("#before").disabled`)

	// Save, where there is a file.
	p.Wait(`document.querySelector("#save").disabled`)
	c.session("drawio", "save as:./shop.drawio")
	c.edit("drawio", "add svc Late")
	p.Wait(`!document.querySelector("#save").disabled && document.querySelector("#tabs small").textContent.includes("unsaved")`)
	p.ClickOn("#save")
	p.Wait(`document.querySelector("#save").disabled && !document.querySelector("#tabs small").textContent.includes("unsaved")`)
	if saved, err := os.ReadFile(filepath.Join(c.cmd.Dir, "shop.drawio")); err != nil || !strings.Contains(string(saved), "Late") {
		t.Errorf("what the page saved lacks what was added: %v", err)
	}
	c.session("drawio", "undo")
	p.Wait(`!document.querySelector("#save").disabled`)

	// Another document: the page follows the model, until a person chooses.
	c.session("drawio", `new "Other"`)
	p.Wait(`document.querySelector("#tabs [aria-current]").textContent.startsWith("Other")`)
	p.Eval(`document.querySelector("#tabs button").click()`, nil)
	p.Wait(`document.querySelector("#tabs [aria-current]").textContent.startsWith("Shop") && document.querySelector("#tabs .new")`)
	look(t, p, "tabs")

	// What is done in one page is seen in another, which asks for nothing while nobody looks at it.
	two := judge.Open(t, address, 700, 500, true)
	two.Wait(`document.querySelector("#tabs [aria-current]").textContent.startsWith("Other") && ` + shows)
	two.Eval(`document.querySelector("#tabs button").click()`, nil)
	showing(two, "1s 0e")
	hide := func(is bool) {
		two.Eval(fmt.Sprintf(`Object.defineProperty(document, "hidden", {value: %v, configurable: true}); document.dispatchEvent(new Event("visibilitychange"))`, is), nil)
	}
	hide(true)
	asked := len(two.Requests())
	p.Eval(`document.querySelector("#undo").click()`, nil)
	showing(p, "3s 1e")
	if n := len(two.Requests()); n != asked {
		t.Errorf("a hidden page asked %d times", n-asked)
	}
	hide(false)
	showing(two, "3s 1e")
	if err := two.Do("Page.reload", nil, nil); err != nil {
		t.Fatal(err)
	}
	two.Wait(`document.querySelector("#tabs [aria-current]").textContent.startsWith("Other") && ` + shows)

	// The document that is shown is closed, and then the server.
	c.must("drawio_session", map[string]any{"action": "close force", "document": "Shop"})
	p.Wait(`document.querySelector("#tabs [aria-current]").textContent.startsWith("Other") && document.querySelectorAll("#tabs button").length == 1`)
	local(t, p, address)
	c.kill()
	c.buried()
	for _, p := range []*judge.Tab{p, two} {
		p.Wait(`document.querySelector("#dot").className == "lost" && document.querySelector("#live").textContent == "fcp-host does not answer"`)
	}
	look(t, p, "lost")
}

// heard holds that whoever hears a page instead of seeing it is told what each of its parts is for.
func heard(t *testing.T, p *judge.Tab) {
	t.Helper()
	var tree struct {
		Nodes []struct {
			Ignored    bool
			Role, Name struct{ Value string }
		}
	}
	if err := p.Do("Accessibility.getFullAXTree", nil, &tree); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, node := range tree.Nodes {
		if slices.Contains([]string{"button", "textbox", "slider", "combobox", "image", "toolbar", "group", "complementary", "navigation"}, node.Role.Value) && !node.Ignored {
			if n++; node.Name.Value == "" {
				t.Errorf("a %s has no name", node.Role.Value)
			}
		}
	}
	if n < 12 {
		t.Errorf("only %d parts are there to be heard", n)
	}
}

// hostile is what an SVG may try.
const hostile = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 400 300" onload="parent.document.title='owned';fetch('http://127.0.0.1:9/onload')">
<style>@import url("http://127.0.0.1:9/import.css"); @font-face{font-family:f;src:url("http://127.0.0.1:9/font")} text{font-family:f;background:url("http://127.0.0.1:9/bg")}</style>
<script>parent.document.title='owned'; fetch('http://127.0.0.1:9/script')</script><script href="http://127.0.0.1:9/src.js"/>
<image href="http://127.0.0.1:9/image.png" width="50" height="50"/><image xlink:href="http://127.0.0.1:9/x.png" width="50" height="50"/>
<use href="http://127.0.0.1:9/use.svg#a"/><a href="javascript:parent.document.title='owned'"><rect width="400" height="300" fill="#fc0"/></a>
<foreignObject width="200" height="200"><body xmlns="http://www.w3.org/1999/xhtml"><iframe src="http://127.0.0.1:9/frame"></iframe><img src="http://127.0.0.1:9/img" onerror="parent.document.title='owned'"/><form action="http://127.0.0.1:9/form"><button>x</button></form></body></foreignObject>
<animate attributeName="href" onbegin="parent.document.title='owned'"/><text x="20" y="250" font-size="30">hostile</text></svg>`

// bomb is a small SVG that draws itself a hundred million times.
func bomb() string {
	text := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><defs><g id="a0"><rect width="1" height="1"/></g>`
	for i := range 8 {
		text += fmt.Sprintf(`<g id="a%d">%s</g>`, i+1, strings.Repeat(fmt.Sprintf(`<use href="#a%d"/>`, i), 10))
	}
	return text + `</defs><use href="#a8"/></svg>`
}

// whole holds for a picture that is seen as a whole, and not as a dot.
const whole = shows + ` && (() => { const r = document.querySelector("#picture").getBoundingClientRect(), s = document.querySelector("#stage").getBoundingClientRect();
	return r.left >= s.left && r.right <= s.right && r.top >= s.top && r.bottom <= s.bottom && r.width > 200; })()`

func TestJudgeAHostileSVGDoesAndAsksForNothing(t *testing.T) {
	judge.Browser(t)
	c, address := viewed(t, "svg")
	put(t, c.cmd.Dir, "hostile.svg", hostile)
	c.session("svg", "open ./hostile.svg")
	p := judge.Open(t, address, 900, 600, false)
	p.Wait(shows)
	p.Click(300, 300)
	p.Wait(`document.querySelector("#picture").src.startsWith("data:image/svg+xml;base64,")`)
	look(t, p, "hostile")
	c.edit("svg", "style @all opacity:0.5")
	p.Wait(`document.querySelectorAll(".change").length > 0`)
	var title string
	p.Eval(`document.title`, &title)
	if strings.Contains(title, "owned") {
		t.Errorf("its script ran: %s", title)
	}
	var markup int
	p.Eval(`document.querySelectorAll("foreignObject, iframe, object, embed, image, script").length`, &markup)
	if markup != 1 {
		t.Errorf("the page has %d elements that it should not have", markup-1)
	}
	// One that draws itself many times is not shown at all, and a small and a vast one as a whole.
	put(t, c.cmd.Dir, "bomb.svg", bomb())
	put(t, c.cmd.Dir, "icon.svg", `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1H0z" fill="#f00"/></svg>`)
	put(t, c.cmd.Dir, "vast.svg", `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-500000 0 1000000 800000"><path d="M0 0h400000v400000H0z" fill="#f00"/></svg>`)
	for _, row := range [][2]string{{"bomb", `document.querySelector("#empty").textContent.includes("so often")`}, {"icon", whole + ` && document.querySelector("#digest").textContent.includes("0,0,1,1")`}, {"vast", whole + ` && document.querySelector("#digest").textContent.includes("800000")`}} {
		c.session("svg", "open ./"+row[0]+".svg as:"+row[0])
		p.Wait(`document.querySelector("#tabs [aria-current]").textContent.startsWith("` + row[0] + `") && ` + row[1])
		look(t, p, row[0])
		c.session("svg", "close")
	}
	local(t, p, address)
}

// witness notes what Web Audio is given.
const witness = `window.given = []; window.levels = []; const begin = OscillatorNode.prototype.start, end = OscillatorNode.prototype.stop, glide = AudioParam.prototype.setTargetAtTime;
OscillatorNode.prototype.start = function(t) { given.push(this.given = {time: t, frequency: this.frequency.value}); return begin.call(this, t); };
OscillatorNode.prototype.stop = function(t) { if (t) this.given.length = t - this.given.time; return end.call(this, t); };
AudioParam.prototype.setTargetAtTime = function(value, t, within) { if (within < 0.01) levels.push({time: t, value}); return glide.call(this, value, t, within); };`

func TestJudgeASongIsPlayed(t *testing.T) {
	judge.Browser(t)
	c, address := viewed(t, "midi")
	c.session("midi", `new "Song" tempo:240`)
	c.edit("midi", "track add Piano instrument:acoustic-grand-piano", "note Piano A4 at:1.1 dur:quarter vel:mf", "note Piano C5 at:1.2 dur:quarter", "note Piano A3 at:1.3 dur:half", "tempo 120 at:2.1",
		"note Piano E5 at:2.1 dur:quarter", "note Piano A5 at:2.2 dur:quarter")
	p := judge.Open(t, address, 1180, 760, false, witness)
	p.Wait(shows + ` && !document.querySelector("#player").hidden && document.querySelector("#time").textContent.includes("/")`)
	look(t, p, "song")
	p.Eval(`document.querySelector("#play").click()`, nil)
	p.Wait(`document.querySelector("#play").getAttribute("aria-label") == "Stop" && document.querySelector(".line")`)
	p.Wait(`given.length == 5`)
	look(t, p, "song-plays")
	var given []struct{ Time, Frequency float64 }
	p.Eval(`given`, &given)
	times, tones := []float64{0, 0.25, 0.5, 1, 1.5}, []float64{440, 523.25, 220, 659.26, 880}
	for i, g := range given {
		if d := g.Time - given[0].Time - times[i]; d < -0.002 || d > 0.002 || math.Abs(g.Frequency-tones[i]) > 0.01 {
			t.Errorf("note %d begins %v s behind the first with %v Hz; it should %v s with %v Hz", i, g.Time-given[0].Time, g.Frequency, times[i], tones[i])
		}
	}
	p.Wait(`document.querySelector("#play").getAttribute("aria-label") == "Play"`) // its end
	p.Eval(`given.length = 0; document.querySelector("#seek").value = 900; document.querySelector("#seek").dispatchEvent(new Event("input"))`, nil)
	p.Key(" ", 0)
	p.Wait(`given.length == 2`)
	p.Key(" ", 0)
	p.Wait(`document.querySelector("#play").getAttribute("aria-label") == "Play"`)
	p.Eval(`given`, &given)
	if math.Abs(given[0].Frequency-659.26) > 0.01 {
		t.Errorf("from 0.9 s on, the first note has %v Hz", given[0].Frequency)
	}
	// A click beside the notes goes to a time: the middle of the second bar, which lasts from 1 s to 3 s.
	var at struct{ X, Y float64 }
	p.Eval(`(() => { const r = document.querySelector("#picture").getBoundingClientRect(); return {x: r.left + r.width * (132 + 3 * 173) / 800, y: r.top + r.height * 0.97}; })()`, &at)
	p.Click(at.X, at.Y)
	p.Wait(`Math.abs(document.querySelector("#seek").value - 2000) < 60 && document.querySelector(".line")`)
	// The pedal holds what was let go, and a channel is as loud as it was told.
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
	look(t, p, "song-changed")
	local(t, p, address)
}

func TestJudgeEveryDomainIsShownAndSelectedIn(t *testing.T) {
	judge.Browser(t)
	c, address := viewed(t, "svg", "video", "midi", "flowise", "cuedeck")
	p := judge.Open(t, address, 1180, 760, true)
	c.session("svg", `new "Badge" size:320x240`)
	c.edit("svg", `add rect card size:280x200 at:20,20 fill:#e8f0ff rx:16`, `add circle sun r:60 at:100,50 fill:#2f62d9`, `add text name "Hello" at:160,200 font-size:28 text-anchor:middle`)
	p.Wait(shows)
	look(t, p, "svg-dark")
	// A click means what is seen there, where the picture has room beside its viewBox, too.
	put(t, c.cmd.Dir, "wide.svg", `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="100" viewBox="0 0 100 100"><rect id="back" width="100" height="100" fill="#eee"/><g transform="rotate(45 70 70)"><circle id="dot" cx="70" cy="70" r="9" fill="#ff0000"/></g></svg>`)
	c.session("svg", "open ./wide.svg as:wide")
	p.Wait(shows + ` && document.querySelector("#digest").textContent.includes("400x100")`)
	x, y := reddest(t, p)
	p.Click(x, y)
	p.Wait(told("dot") + ` && document.querySelector(".choice")`)
	look(t, p, "svg-selected")
	var at struct{ X, Y float64 }
	put(t, c.cmd.Dir, "sea.mp4", "nobody looks at it")
	c.session("video", `new "Film"`)
	c.edit("video", `media ./sea.mp4 duration:12s size:1280x720 fps:25`, `add clip sea dur:4s`, `add clip sea in:6s dur:3s`)
	p.Wait(`document.querySelector("#tabs [aria-current]").textContent.startsWith("Film")`)
	p.Wait(shows + ` && document.querySelector("#digest").textContent.includes("2clips")`)
	look(t, p, "timeline-dark")
	p.Eval(`(() => { const r = document.querySelector("#picture").getBoundingClientRect(); return {x: r.left + r.width * 0.8, y: r.top + r.height * 0.45}; })()`, &at)
	p.Click(at.X, at.Y)
	p.Wait(told("sea_2"))
	look(t, p, "timeline-selected")
	if said := c.must("video_query", map[string]any{"q": "map"}); !strings.Contains(said, "? selected in the view: sea_2") {
		t.Errorf("the model is told %q", said)
	}
	// A click in the other domains: on the middle of where a thing lies.
	for _, row := range []struct {
		domain, start, name, digest string
		ops                         []string
		picks                       string // what is selected, as far as it is the same each time
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
		look(t, p, row.domain+"-dark")
		p.Click(lies.X, lies.Y)
		p.Wait(told(lies.Name) + ` && document.querySelector(".choice")`)
		look(t, p, row.domain+"-selected")
		if said := c.must(row.domain+"_query", map[string]any{"q": "map"}); !strings.Contains(said, "? selected in the view: "+lies.Name) {
			t.Errorf("the model is told %q", said)
		}
	}
	local(t, p, address)
	if os.Getenv("FCP_PICTURES") == "" {
		return
	}
	for _, size := range []struct {
		name          string
		width, height int
		dark          bool
	}{{"light", 1180, 760, false}, {"narrow", 390, 700, false}, {"narrow-dark", 390, 700, true}} { // for people
		p := judge.Open(t, address, size.width, size.height, size.dark)
		for i, tab := range []string{"Badge", "wide", "Film", "Tune", "Greeter", "booking"} {
			p.Wait(shows)
			p.Eval(fmt.Sprintf(`document.querySelectorAll("#tabs button")[%d].click()`, i), nil)
			p.Wait(`document.querySelector("#tabs [aria-current]").textContent.startsWith("` + tab + `") && document.querySelector("#picture").alt.length > 0`)
			look(t, p, strings.ToLower(tab)+"-"+size.name)
		}
	}
}

// number is that of a zoom.
func number(percent string) float64 {
	n, _ := strconv.ParseFloat(strings.TrimSuffix(percent, " %"), 64)
	return n
}

// reddest is the middle of what is quite red on a page.
func reddest(t *testing.T, p *judge.Tab) (x, y float64) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(p.Picture()))
	if err != nil {
		t.Fatal(err)
	}
	n := 0.0
	for at := img.Bounds().Min; at.Y < img.Bounds().Max.Y; at.X, at.Y = 0, at.Y+1 {
		for ; at.X < img.Bounds().Max.X; at.X++ {
			if r, g, b, _ := img.At(at.X, at.Y).RGBA(); r > 0xf000 && g < 0x1000 && b < 0x1000 {
				x, y, n = x+float64(at.X), y+float64(at.Y), n+1
			}
		}
	}
	return x / n, y / n
}
