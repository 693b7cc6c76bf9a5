package command

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/internal/judge"
)

func TestJudgeThePageShowsADiagramAndFollowsIt(t *testing.T) {
	judge.Browser(t)
	c, address := startView(t, "drawio")
	p := judge.Open(t, address, 1180, 760, false)
	p.Wait(`document.querySelector("#empty").textContent.startsWith("No document is open")`)
	c.session("drawio", `new "Shop"`)
	c.edit("drawio", "add svc Gateway", "add svc Orders near:Gateway dir:right", "add svc Auth near:Gateway dir:below", "add db OrderDB near:Orders dir:below",
		"connect Gateway -> Orders", "connect Gateway -> Auth", "connect Orders -> OrderDB")
	showing(p, "4s 3e")
	keepPicture(t, p, "diagram")

	at := time.Now()
	c.edit("drawio", "add queue Mails near:Auth dir:left theme:green", "connect Auth -> Mails")
	showing(p, "5s 4e")
	t.Logf("what a call did is seen %v behind its beginning", time.Since(at).Round(time.Millisecond))
	p.Wait(`document.querySelectorAll(".change").length > 0 && document.querySelector("#saidline").textContent == "1 added, 1 connected"`)
	keepPicture(t, p, "diagram-changed")
	if os.Getenv("FCP_UPDATE") != "" { // the picture in the README
		if err := os.WriteFile("../../docs/view.png", p.Picture(), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	p.Eval(`document.querySelector("#saidline").click()`, nil)
	p.Wait(`document.querySelectorAll("#saidtext li").length == 2 && document.querySelector("#saidtext").getBoundingClientRect().height > 20`)
	keepPicture(t, p, "diagram-said")
	p.Eval(`document.querySelector("#saidline").click()`, nil)
	c.call("drawio", map[string]any{"ops": []string{"add svc X", "remove Nobody"}})
	p.Wait(`document.querySelector("#saidline").textContent.includes("Nobody") && document.querySelector("#saidline").className == "bad"`)
	c.session("drawio", "checkpoint before")
	c.edit("drawio", "remove Gateway")
	showing(p, "4s 2e")
	keepPicture(t, p, "diagram-removed")
	p.Eval(`document.querySelector("#undo").click()`, nil)
	showing(p, "5s 4e")
	if said := c.session("drawio", "status"); !strings.Contains(said, "1 to redo") || !strings.Contains(said, "done in the view, by a person: undo batch") {
		t.Errorf("after undo in the page, status says %q", said)
	}
	checkRequests(t, p, address)

	dark := judge.Open(t, address, 1180, 760, true)
	showing(dark, "5s 4e")
	keepPicture(t, dark, "diagram-dark")
	narrow := judge.Open(t, address, 390, 700, true)
	showing(narrow, "5s 4e")
	keepPicture(t, narrow, "diagram-narrow")
	narrow.Eval(`document.querySelector("#panel").click()`, nil)
	keepPicture(t, narrow, "diagram-narrow-history")
}

// What a person does in the page: history, checkpoints, pages, zoom and selection.
func TestJudgeThePageIsWorkedWithByMouseAndKeys(t *testing.T) {
	judge.Browser(t)
	c, address := startView(t, "drawio")
	c.session("drawio", `new "Shop"`)
	c.edit("drawio", "add svc AuthService", "add db UserDB near:AuthService dir:below", "connect AuthService -> UserDB")
	c.edit("drawio", "add svc Mail near:AuthService dir:right")
	p := judge.Open(t, address, 1000, 700, false)
	showing(p, "3s 1e")
	keysWork(p)

	// The model is told what the user selected by a click.
	var at struct{ X, Y float64 }
	p.Eval(`(() => { const r = document.querySelector("#picture").getBoundingClientRect(); return {x: r.left + r.width * 80 / 360, y: r.top + r.height * 30 / 220}; })()`, &at)
	p.Mouse("mouseMoved", at.X, at.Y, 0, 0)
	p.Wait(`document.querySelector(".hover")`)
	p.Click(at.X, at.Y)
	p.Wait(isSelected("AuthService") + ` && document.querySelector(".choice")`)
	keepPicture(t, p, "selected")
	if said := c.must("drawio_query", map[string]any{"q": "map"}); !strings.Contains(said, "? selected in the view: AuthService") {
		t.Errorf("the model is told %q", said)
	}
	if said := c.must("drawio_query", map[string]any{"q": "map"}); strings.Contains(said, "selected") {
		t.Errorf("and told again: %q", said)
	}
	p.Key("Escape", 0)
	p.Wait(`document.querySelector("#picked").hidden`)
	var all []string
	for range 4 { // three shapes and an edge, then the first again
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
	checkNames(t, p)

	// An earlier state is shown, and nothing is changed.
	p.Eval(`[...document.querySelectorAll("#calls button")].find((b) => b.title.startsWith("add svc AuthService")).click()`, nil)
	showing(p, "2s 1e")
	p.Wait(`!document.querySelector("#past").hidden`)
	p.Wait(`document.querySelector("#pasttext").textContent == "After “add svc AuthService” and 2 more" && document.querySelector("#saidline").textContent == "add svc AuthService and 2 more"
		&& document.querySelectorAll("#saidtext li").length == 3`)
	keepPicture(t, p, "past")
	if said := c.session("drawio", "status"); !strings.Contains(said, "4 ops to undo, 0 to redo") {
		t.Errorf("after a look at the past, status says %q", said)
	}
	p.Key("Escape", 0)
	showing(p, "3s 1e")
	p.Wait(`document.querySelector("#saidline").textContent.includes("Mail")`)
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
	// The point under the mouse stays there while zooming.
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

	// Save is possible once there is a file.
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

	// The page follows the model to another document until a person chooses one.
	c.session("drawio", `new "Other"`)
	p.Wait(`document.querySelector("#tabs [aria-current]").textContent.startsWith("Other")`)
	p.Eval(`document.querySelector("#tabs button").click()`, nil)
	p.Wait(`document.querySelector("#tabs [aria-current]").textContent.startsWith("Shop") && document.querySelector("#tabs .new")`)
	keepPicture(t, p, "tabs")

	// A change in one page is visible in another; a hidden page sends no requests.
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

	// The shown document is closed, and then the server ends.
	c.must("drawio_session", map[string]any{"action": "close force", "document": "Shop"})
	p.Wait(`document.querySelector("#tabs [aria-current]").textContent.startsWith("Other") && document.querySelectorAll("#tabs button").length == 1`)
	checkRequests(t, p, address)
	c.kill()
	c.waitForExit()
	for _, p := range []*judge.Tab{p, two} {
		p.Wait(`document.querySelector("#dot").className == "lost" && document.querySelector("#live").textContent == "fcp-host does not answer"`)
	}
	keepPicture(t, p, "lost")
}

// keysWork presses keys in a page that was just opened: nobody has clicked into it, and Caps Lock may be on. A field and a control that
// use a key keep it.
func keysWork(p *judge.Tab) {
	const zoomed = `document.querySelector("#fit").textContent`
	var fit string
	p.Eval(zoomed, &fit)
	p.Key("N", 0)
	p.Wait(`!document.querySelector("#picked").hidden`)
	p.Key("+", 0)
	p.Wait(zoomed + ` != "` + fit + `"`)
	p.Key("0", 0)
	p.Wait(zoomed + ` == "` + fit + `"`)
	p.Key("Escape", 0)
	p.Wait(`document.querySelector("#picked").hidden`)
	p.Eval(`document.querySelector("#markname").focus()`, nil)
	for _, key := range []string{"n", "-", "0"} {
		p.Key(key, 0)
	}
	p.Wait(`document.querySelector("#markname").value == "n-0" && document.querySelector("#picked").hidden && ` + zoomed + ` == "` + fit + `"`)
	p.Eval(`document.querySelector("#markname").value = ""; document.querySelector("#undo").focus()`, nil)
	p.Key("P", 0)
	p.Wait(`!document.querySelector("#picked").hidden`)
	p.Key("Escape", 0)
	p.Eval(`document.activeElement.blur()`, nil)
}

// A call of many ops is counted, not cut, wherever the page tells of it.
func TestJudgeThePageCountsTheOpsOfALargeCall(t *testing.T) {
	judge.Browser(t)
	c, address := startView(t, "drawio")
	c.session("drawio", `new "Many"`)
	ops := make([]string, 1000)
	for i := range ops {
		ops[i] = fmt.Sprintf("add box N%d", i)
	}
	c.edit("drawio", ops...)
	c.edit("drawio", "add box Last")
	p := judge.Open(t, address, 1000, 700, false)
	showing(p, "1001s 0e")
	p.Wait(`[...document.querySelectorAll("#calls button")].some((b) => b.textContent == "add box N0and 999 more" && b.title.endsWith("N19\nand 980 more"))`)
	p.Eval(`[...document.querySelectorAll("#calls button")].find((b) => b.title.startsWith("add box N0")).click()`, nil)
	showing(p, "1000s 0e")
	p.Wait(`document.querySelector("#pasttext").textContent == "After “add box N0” and 999 more" && document.querySelector("#saidline").textContent == "add box N0 and 999 more"`)
	p.Key("Escape", 0)
	showing(p, "1001s 0e")
	c.session("drawio", "undo")
	c.session("drawio", "undo batch")
	c.edit("drawio", ops...)
	p.Wait(`document.querySelector("#saidline").textContent == "1000 added"`)
}
