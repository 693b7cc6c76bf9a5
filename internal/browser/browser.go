// Package browser controls a page in Chromium as a person would, over the DevTools protocol on a pipe.
package browser

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Names lists the names under which Chromium is installed.
func Names() []string { return []string{"chromium", "chromium-browser", "google-chrome"} }

// Arguments returns arguments for a Chromium with its own profile in dir and without dialogs.
func Arguments(dir string) []string {
	return []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--force-device-scale-factor=1", "--user-data-dir=" + filepath.Join(dir, "profile")}
}

// Tab is a page.
type Tab struct {
	cmd     *exec.Cmd
	in, out *os.File
	read    chan struct{} // closed when reading has ended
	session string

	mu       sync.Mutex
	n        int
	waits    map[int]chan answer
	requests []string
	said     []string
	ended    bool
}

type answer struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// ErrEnded means that the browser could not start, or has ended.
var ErrEnded = errors.New("the browser does not run here")

// patience is how long a page may take for a request.
const patience = 30 * time.Second

// Page says what Open shows.
type Page struct {
	URL           string
	Width, Height int
	Dark          bool
	Scripts       []string // run before the page's own
}

// Open starts Chromium with its profile in dir and navigates to a page.
func Open(program, dir string, page Page) (*Tab, error) {
	toIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, fromOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, append(Arguments(dir), "--remote-debugging-pipe", "--autoplay-policy=no-user-gesture-required", "about:blank")...)
	cmd.ExtraFiles = []*os.File{toIn, fromOut}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	toIn.Close()
	fromOut.Close()
	p := &Tab{cmd: cmd, in: in, out: out, read: make(chan struct{}), waits: map[int]chan answer{}}
	go p.listen()
	if err := p.show(page); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *Tab) show(page Page) error {
	var target struct{ TargetID string }
	if err := p.Do("Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return err
	}
	var attached struct{ SessionID string }
	if err := p.Do("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached); err != nil {
		return err
	}
	p.session = attached.SessionID
	scheme := "light"
	if page.Dark {
		scheme = "dark"
	}
	type step struct {
		method string
		params any
	}
	steps := []step{{"Page.enable", nil}, {"Runtime.enable", nil}, {"Network.enable", nil}, {"Log.enable", nil},
		{"Emulation.setDeviceMetricsOverride", map[string]any{"width": page.Width, "height": page.Height, "deviceScaleFactor": 1, "mobile": false}},
		{"Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}}}
	for _, s := range page.Scripts {
		steps = append(steps, step{"Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": s}})
	}
	for _, s := range append(steps, step{"Page.navigate", map[string]any{"url": page.URL}}) {
		if err := p.Do(s.method, s.params, nil); err != nil {
			return err
		}
	}
	return nil
}

// Close asks the browser to end, so that all its processes stop writing to the profile, and kills it if it does not.
func (p *Tab) Close() {
	kill := time.AfterFunc(10*time.Second, func() { _ = p.cmd.Process.Kill() })
	_ = p.Do("Browser.close", nil, nil) // it may have ended already
	_ = p.cmd.Wait()                    // as above
	kill.Stop()
	p.in.Close()
	<-p.read
	p.out.Close()
}

func (p *Tab) listen() {
	defer close(p.read)
	r := bufio.NewReaderSize(p.out, 1<<20)
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

// Do calls a method of the protocol.
func (p *Tab) Do(method string, params, result any) error {
	if params == nil {
		params = struct{}{}
	}
	c := make(chan answer, 1)
	p.mu.Lock()
	if p.ended {
		p.mu.Unlock()
		return ErrEnded
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
		return err
	}
	select {
	case a, ok := <-c:
		switch {
		case !ok:
			return ErrEnded
		case a.Error != nil:
			return fmt.Errorf("%s: %s", method, a.Error.Message)
		case result == nil:
			return nil
		}
		return json.Unmarshal(a.Result, result)
	case <-time.After(patience):
		return fmt.Errorf("%s: no answer\n%q", method, p.Said())
	}
}

// Eval evaluates an expression in the page, awaits a promise, and decodes the value.
func (p *Tab) Eval(js string, value any) error {
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if err := p.Do("Runtime.evaluate", map[string]any{"expression": js, "awaitPromise": true, "returnByValue": true, "userGesture": true}, &r); err != nil {
		return err
	}
	if e := r.ExceptionDetails; e != nil {
		return fmt.Errorf("%s: %s %s", js, e.Text, e.Exception.Description)
	}
	if value == nil || len(r.Result.Value) == 0 {
		return nil
	}
	return json.Unmarshal(r.Result.Value, value)
}

// Requests lists the URLs that the page and its frames requested.
func (p *Tab) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Said lists the page's console messages and errors.
func (p *Tab) Said() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.said)
}
