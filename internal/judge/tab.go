package judge

import (
	"encoding/base64"
	"errors"
	"testing"

	"github.com/fcp-host/fcp-host/internal/browser"
)

// Tab is a page in Chromium that a test uses as a person would.
type Tab struct {
	*browser.Tab
	t testing.TB
}

// Open starts Chromium with a page of this size, in dark mode or not, and navigates to the URL. scripts run before the
// page's own. It ends with the test.
func Open(t testing.TB, url string, width, height int, dark bool, scripts ...string) *Tab {
	t.Helper()
	tab, err := browser.Open(Browser(t), profile(t), browser.Page{URL: url, Width: width, Height: height, Dark: dark, Scripts: scripts})
	p := &Tab{Tab: tab, t: t}
	p.ok(err)
	t.Cleanup(tab.Close)
	return p
}

// ok fails the test on an error.
func (p *Tab) ok(err error) {
	p.t.Helper()
	if errors.Is(err, browser.ErrEnded) {
		p.t.Skip(err)
	} else if err != nil {
		p.t.Fatal(err)
	}
}

func (p *Tab) must(method string, params, result any) {
	p.t.Helper()
	p.ok(p.Do(method, params, result))
}

// Eval evaluates an expression in the page, awaits a promise, and decodes the value.
func (p *Tab) Eval(js string, value any) {
	p.t.Helper()
	p.ok(p.Tab.Eval(js, value))
}

// Wait waits until an expression in the page is true. The page checks it in each frame.
func (p *Tab) Wait(js string) {
	p.t.Helper()
	var ok bool
	p.Eval(`new Promise((done) => { const end = performance.now() + 20000; const look = () => {
		let is = false; try { is = !!(`+js+`); } catch {}
		is || performance.now() > end ? done(is) : setTimeout(look, 5); }; look(); })`, &ok)
	if !ok {
		p.t.Fatalf("the page never has: %s\n%q", js, p.Said())
	}
}

// Mouse sends a mouse event at a position: mousePressed, mouseReleased, mouseMoved, or mouseWheel by dy.
func (p *Tab) Mouse(what string, x, y, dy float64, modifiers int) {
	p.t.Helper()
	m := map[string]any{"type": what, "x": x, "y": y, "modifiers": modifiers}
	switch what {
	case "mouseWheel":
		m["deltaX"], m["deltaY"] = 0, dy
	case "mousePressed", "mouseReleased":
		m["button"], m["clickCount"], m["buttons"] = "left", 1, 1
	case "mouseMoved":
		m["buttons"] = int(dy)
	}
	p.must("Input.dispatchMouseEvent", m, nil)
}

// Click clicks at a position.
func (p *Tab) Click(x, y float64) {
	p.t.Helper()
	p.Mouse("mousePressed", x, y, 0, 0)
	p.Mouse("mouseReleased", x, y, 0, 0)
}

// ClickOn clicks on the centre of an element.
func (p *Tab) ClickOn(selector string) {
	p.t.Helper()
	var at struct{ X, Y float64 }
	p.Eval(`(() => { const r = document.querySelector("`+selector+`").getBoundingClientRect(); return {x: r.left + r.width / 2, y: r.top + r.height / 2}; })()`, &at)
	p.Click(at.X, at.Y)
}

// Modifiers of Mouse and Key.
const (
	Control = 2
	Shift   = 8
)

// Key presses a key, such as "ArrowLeft" or "z".
func (p *Tab) Key(key string, modifiers int) {
	p.t.Helper()
	m := map[string]any{"type": "keyDown", "key": key, "modifiers": modifiers}
	if len(key) == 1 && modifiers&Control == 0 {
		m["text"] = key
	}
	p.must("Input.dispatchKeyEvent", m, nil)
	p.must("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "modifiers": modifiers}, nil)
}

// Picture returns a screenshot of the page as PNG.
func (p *Tab) Picture() []byte {
	p.t.Helper()
	var r struct{ Data string }
	p.must("Page.captureScreenshot", map[string]any{"format": "png"}, &r)
	data, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	return data
}
