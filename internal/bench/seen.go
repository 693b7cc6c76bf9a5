package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/internal/browser"
	"github.com/fcp-host/fcp-host/internal/ends"
)

// timeToView measures how long it takes until a person sees what a call did: until the page has received the event and
// the new picture and, if Chromium is installed, has drawn it.
func timeToView(b *bench) {
	s := b.start(b.cache, "--view", "--no-journal")
	defer s.stop()
	for _, row := range []struct {
		d         domain
		n         int
		op, limit string
	}{
		{domains()[0], 20, "add svc Fresh near:Service1", "300 ms"},
		{domains()[0], 1000, "add svc Fresh at:-400,0", "300 ms"},
		{domains()[1], 1000, "note Piano C5 at:1.1", "300 ms"},
		{domains()[2], 1000, "add rect fresh at:5,5 size:30x20", "300 ms"},
	} {
		d := row.d
		if row.n > 100 {
			d.op = d.many
		}
		s.newFilledDocument(d, row.n)
		said := s.call(d.name+"_session", "action", "view")
		p := open(regexp.MustCompile(`http://\S+/`).FindString(said))
		before := p.waitForDigest("")
		took := sample(9, func(int) cost {
			p.drainEvents()
			used, at := s.cpuTime(), time.Now()
			s.call(d.name, "ops", []string{row.op})
			p.waitForDigest(before)
			took := cost{time.Since(at), s.cpuTime() - used}
			s.call(d.name+"_session", "action", "undo")
			return took
		})
		p.events.Close()
		b.time(fmt.Sprintf("an op until its picture is answered to the page, %d there, %s", row.n, d.name), took, row.limit)
		if took = s.timeToDraw(d, row.op, p.address); took != nil {
			b.time(fmt.Sprintf("an op until Chromium has drawn it, %d there, %s", row.n, d.name), took, row.limit)
		}
		s.closeDocument(d)
	}
}

// watch is a script for the page in Chromium: after watch() is called, seen is the time in milliseconds at the end of
// the first frame that shows another state.
const watch = `window.watch = () => { const digest = document.querySelector("#digest"), before = digest.textContent; window.seen = new Promise((done) => {
	const o = new MutationObserver(() => {
		if (digest.textContent == before) return;
		o.disconnect();
		requestAnimationFrame(() => requestAnimationFrame(() => done(performance.timeOrigin + performance.now())));
	});
	o.observe(digest, {childList: true, characterData: true, subtree: true});
}); }`

// timeToDraw measures how long an op takes until Chromium has drawn its effect; nil without Chromium. CPU is the host's
// only.
func (s *server) timeToDraw(d domain, op, address string) []cost {
	var program string
	for _, name := range browser.Names() {
		if path, err := exec.LookPath(name); err == nil && program == "" {
			program = path
		}
	}
	if program == "" {
		return nil
	}
	dir := ends.Unless(os.MkdirTemp("", "fcp-bench-browser-*"))
	defer os.RemoveAll(dir)
	tab := ends.Unless(browser.Open(program, dir, browser.Page{URL: address, Width: 1180, Height: 760, Scripts: []string{watch}}))
	defer tab.Close()
	ends.If(tab.Eval(`new Promise((done) => { const look = () => document.querySelector("#picture")?.naturalWidth && document.querySelector("#digest").textContent ? done() : setTimeout(look, 5); look(); })`, nil))
	until := func(do func()) time.Time {
		ends.If(tab.Eval(`watch()`, nil))
		do()
		var at float64
		ends.If(tab.Eval(`seen`, &at))
		return time.UnixMicro(int64(at * 1000))
	}
	return sample(9, func(int) cost {
		var (
			used time.Duration
			at   time.Time
		)
		end := until(func() {
			used, at = s.cpuTime(), time.Now()
			s.call(d.name, "ops", []string{op})
		})
		took := cost{end.Sub(at), s.cpuTime() - used}
		until(func() { s.call(d.name+"_session", "action", "undo") })
		return took
	})
}

// page simulates the page of the view without a browser.
type page struct {
	address string
	events  io.ReadCloser
	lines   *bufio.Reader
	version uint64 // of the last event
}

func open(address string) *page {
	res := ends.Unless(http.Get(address + "events"))
	return &page{address: address, events: res.Body, lines: bufio.NewReader(res.Body)}
}

// next returns the version of the next event.
func (p *page) next() (version uint64) {
	for {
		line := ends.Unless(p.lines.ReadString('\n'))
		if text, ok := strings.CutPrefix(line, "data: "); ok {
			return ends.Unless(strconv.ParseUint(strings.TrimSpace(text), 10, 64))
		}
	}
}

// drainEvents reads all pending events.
func (p *page) drainEvents() {
	for {
		var state struct{ Version uint64 }
		p.ask(map[string]any{"do": "state"}, &state)
		if p.version >= state.Version {
			return
		}
		for p.version < state.Version {
			p.version = p.next()
		}
	}
}

// waitForDigest requests the picture after each event until the digest differs from other, and returns the new digest.
func (p *page) waitForDigest(other string) (digest string) {
	for {
		p.version = p.next()
		if digest = p.shownDigest(); digest != other {
			return digest
		}
	}
}

// shownDigest returns the digest of the document in the requested picture; "" for none.
func (p *page) shownDigest() string {
	var state struct {
		Documents []struct{ Domain, Name string }
		Follow    int
	}
	p.ask(map[string]any{"do": "state"}, &state)
	if state.Follow < 0 {
		return ""
	}
	doc := state.Documents[state.Follow]
	var answer struct {
		Digest, Problem string
		Picture         *struct{ URL string }
	}
	p.ask(map[string]any{"do": "show", "domain": doc.Domain, "name": doc.Name}, &answer)
	if answer.Picture == nil {
		ends.If(errors.New("no picture: " + answer.Problem))
	}
	return answer.Digest
}

func (p *page) ask(request map[string]any, answer any) {
	body := ends.Unless(json.Marshal(request))
	res := ends.Unless(http.Post(p.address+"api", "application/json", strings.NewReader(string(body))))
	defer res.Body.Close()
	ends.If(json.NewDecoder(res.Body).Decode(answer))
}
