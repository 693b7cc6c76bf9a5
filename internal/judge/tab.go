package judge

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// Tab is a page in Chromium that a test works with as a person does. It speaks the browser's own protocol through a pipe.
type Tab struct {
	t       testing.TB
	in      *os.File
	session string

	mu       sync.Mutex
	n        int
	waits    map[int]chan answer
	requests []string // URLs that were asked for
	said     []string // what the console and errors say
	ended    bool
}

type answer struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// patience is how long a page may take for what a test waits for.
const patience = 30 * time.Second

// Open starts Chromium with a page of this size, in the dark or not, and goes to the address. Scripts run before those of the page. It ends with the test.
func Open(t testing.TB, url string, width, height int, dark bool, scripts ...string) *Tab {
	t.Helper()
	toIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, fromOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(Browser(t), append(usual(t.TempDir()), "--remote-debugging-pipe", "--autoplay-policy=no-user-gesture-required", "about:blank")...)
	cmd.ExtraFiles = []*os.File{toIn, fromOut}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toIn.Close()
	fromOut.Close()
	p := &Tab{t: t, in: in, waits: map[int]chan answer{}}
	read := make(chan struct{})
	go func() { defer close(read); p.read(out) }()
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		in.Close()
		<-read
		out.Close()
	})
	var target struct{ TargetID string }
	p.do("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	p.do("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p.session = attached.SessionID
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	for _, m := range []string{"Page.enable", "Runtime.enable", "Network.enable", "Log.enable"} {
		p.do(m, nil, nil)
	}
	p.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	p.do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	for _, s := range scripts {
		p.do("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": s}, nil)
	}
	p.do("Page.navigate", map[string]any{"url": url}, nil)
	return p
}

func (p *Tab) read(out *os.File) {
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := r.ReadBytes(0)
		if err != nil {
			p.mu.Lock()
			p.ended = true
			for _, c := range p.waits {
				close(c)
			}
			p.waits = nil
			p.mu.Unlock()
			return
		}
		var m struct {
			ID     int
			Method string
			Params struct {
				Request          struct{ URL string }
				URL              string
				Entry            struct{ Text, URL string }
				ExceptionDetails json.RawMessage
				Args             json.RawMessage
			}
			answer
		}
		if json.Unmarshal(bytes.TrimSuffix(line, []byte{0}), &m) != nil {
			continue
		}
		p.mu.Lock()
		switch m.Method {
		case "":
			if c := p.waits[m.ID]; c != nil {
				c <- m.answer
				delete(p.waits, m.ID)
			}
		case "Network.requestWillBeSent":
			p.requests = append(p.requests, m.Params.Request.URL)
		case "Network.webSocketCreated":
			p.requests = append(p.requests, m.Params.URL)
		case "Log.entryAdded":
			p.said = append(p.said, m.Params.Entry.Text+" "+m.Params.Entry.URL)
		case "Runtime.exceptionThrown":
			p.said = append(p.said, string(m.Params.ExceptionDetails))
		case "Runtime.consoleAPICalled":
			p.said = append(p.said, string(m.Params.Args))
		}
		p.mu.Unlock()
	}
}

// do has the browser do something.
func (p *Tab) do(method string, params, result any) {
	p.t.Helper()
	if params == nil {
		params = struct{}{}
	}
	c := make(chan answer, 1)
	p.mu.Lock()
	if p.ended {
		p.mu.Unlock()
		p.t.Skip("the browser does not run here")
	}
	p.n++
	p.waits[p.n] = c
	m := map[string]any{"id": p.n, "method": method, "params": params}
	if p.session != "" {
		m["sessionId"] = p.session
	}
	text, err := json.Marshal(m)
	if err == nil {
		_, err = p.in.Write(append(text, 0))
	}
	p.mu.Unlock()
	if err != nil {
		p.t.Fatal(err)
	}
	select {
	case a, ok := <-c:
		if !ok {
			p.t.Skip("the browser ended")
		}
		if a.Error != nil {
			p.t.Fatalf("%s: %s", method, a.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(a.Result, result); err != nil {
				p.t.Fatal(err)
			}
		}
	case <-time.After(patience):
		p.t.Fatalf("%s: no answer\n%q", method, p.Said())
	}
}

// Eval runs an expression in the page, waits for what it promises, and decodes its value.
func (p *Tab) Eval(js string, value any) {
	p.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	p.do("Runtime.evaluate", map[string]any{"expression": js, "awaitPromise": true, "returnByValue": true, "userGesture": true}, &r)
	if e := r.ExceptionDetails; e != nil {
		p.t.Fatalf("%s: %s %s", js, e.Text, e.Exception.Description)
	}
	if value != nil && len(r.Result.Value) > 0 {
		if err := json.Unmarshal(r.Result.Value, value); err != nil {
			p.t.Fatal(err)
		}
	}
}

// Wait waits until an expression in the page is true. The page itself looks, each time that it is drawn.
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

// Mouse does something with the mouse at a place: mousePressed, mouseReleased, mouseMoved, or mouseWheel by dy.
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
	p.do("Input.dispatchMouseEvent", m, nil)
}

// Click clicks at a place.
func (p *Tab) Click(x, y float64) {
	p.t.Helper()
	p.Mouse("mousePressed", x, y, 0, 0)
	p.Mouse("mouseReleased", x, y, 0, 0)
}

// ClickOn clicks on the middle of an element.
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
	p.do("Input.dispatchKeyEvent", m, nil)
	p.do("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "modifiers": modifiers}, nil)
}

// Picture is what the page looks like, as PNG.
func (p *Tab) Picture() []byte {
	p.t.Helper()
	var r struct{ Data string }
	p.do("Page.captureScreenshot", map[string]any{"format": "png"}, &r)
	data, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	return data
}

// Requests are the addresses that the page and its frames asked for.
func (p *Tab) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.requests...)
}

// Said is what the page's console and errors say.
func (p *Tab) Said() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.said...)
}
